"""proving: what holds for a formula whatever its inputs are, and so its low and high ends."""
