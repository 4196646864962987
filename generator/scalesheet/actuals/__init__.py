"""actuals: what the runs of a plan took, what is left, and what it will take in all."""
