"""new: creates commented data files that are valid as written.

`template` makes it from the schema of its kind. A model can also come from a `config.json`:
`config` reads that file, `families` knows which of `dense`, `mixtures` and `towers` understands
it, `model` writes it down and counts its parameters.
"""
