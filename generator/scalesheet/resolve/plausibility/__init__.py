"""plausibility: figures of the catalogue that are old, out of range, or contradictory."""
