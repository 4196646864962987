"""plan: the pages of a plan: the answer, its text, and its inputs and formulas."""
