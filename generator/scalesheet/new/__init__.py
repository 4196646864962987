"""new: creates commented data files that are valid as written.

`template` makes them from the schema of their kind. A model can also come from a `config.json`:
`config` reads that file, `families` knows which of `dense`, `mixtures` and `towers` reads its type,
`model` writes the new file and counts its parameters.
"""
