"""plausibility: what of the catalogue is old, contradicts itself, or was never so of any such."""
