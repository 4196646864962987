"""What a training step takes, computed from the catalogue and compared with measurements."""
