"""Ratios that must hold, each measured in one run: `make bench`, or one of these modules."""
