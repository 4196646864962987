"""Bench: what a training step takes, measured on real hardware or simulated from the catalogue."""
