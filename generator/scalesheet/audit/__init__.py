"""audit: compares the figures of a document with what they should be, and explains each verdict.

`claims` binds claims.yaml to its plan, `judge` determines the verdicts, `problems` reports what is
wrong with the claims themselves, `report` writes everything as text and JSON.
"""
