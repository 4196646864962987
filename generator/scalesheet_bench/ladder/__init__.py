"""Ladder: what a device reaches and what fits on it, found by trying."""
