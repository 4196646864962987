"""score: how good predictions are, and the laws of loss."""
