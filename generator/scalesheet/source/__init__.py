"""Data files as text: printing YAML, editing it in place, and where each file belongs."""
