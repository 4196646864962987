"""Results as plain text, for the terminal and for comments."""
