"""compare: accelerators, plans, and the choices of one plan, side by side."""
