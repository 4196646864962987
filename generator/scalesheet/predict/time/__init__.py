"""The time of a run: steps by their parts, and how much of a peak is reached."""
