"""sure: how likely each result is, from the ranges of a plan's inputs."""
