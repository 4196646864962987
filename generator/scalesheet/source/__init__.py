"""The data files as text: YAML printed, changed in place, and where each file belongs."""
