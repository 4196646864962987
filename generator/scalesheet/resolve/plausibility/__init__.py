"""plausibility: warns of catalogue figures that are old, out of range, or contradictory."""
