"""sure: how certain each result is, computed from the ranges of a plan's inputs."""
