"""proving: what holds of a formula whatever the inputs are, and its low and high ends by that."""
