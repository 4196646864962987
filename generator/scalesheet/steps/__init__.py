"""What a training step takes, computed from the catalogue, beside what was measured."""
