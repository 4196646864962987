"""The time and memory of a training step, from the catalogue, compared with measurements."""
