"""audit: compares what a document writes with what it should be, and says what holds and why.

`claims` binds claims.yaml with its plan, `judge` gives the verdicts, `problems` says what is wrong
with the claims themselves, `report` writes it all as text and JSON.
"""
