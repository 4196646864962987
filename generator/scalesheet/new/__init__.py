"""new: the first form of a file of the data folder, commented, and valid as it is written.

`template` makes it from the schema of its kind; `huggingface` and `families` read the architecture
of a model from a `config.json`.
"""
