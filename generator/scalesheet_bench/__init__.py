"""Bench: measures training steps on real hardware, or simulates them from the catalogue."""
