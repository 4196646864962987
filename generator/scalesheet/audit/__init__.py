"""audit: compares the figures of a document with what they should be, and explains each verdict.

`claims` binds claims.yaml with its plan, `judge` gives the verdicts, `problems` says what is wrong
with the claims themselves, `report` writes it all as text and JSON.
"""
