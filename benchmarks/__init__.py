"""Ratios that must hold, each measured in one run: `make bench`, or a module of these alone."""
