"""proving: proves what holds for a formula whatever its inputs, and derives its ends."""
