"""actuals: what the runs of a plan took, what is left, and the estimate at completion."""
