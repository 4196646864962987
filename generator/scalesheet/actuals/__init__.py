"""actuals: what the runs of a plan used, what is left, and the estimate at completion."""
