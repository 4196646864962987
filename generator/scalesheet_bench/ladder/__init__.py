"""Ladder: the rates of a device and what fits on it, found by trying."""
