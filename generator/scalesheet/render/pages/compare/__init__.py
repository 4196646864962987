"""compare: what is held side by side: accelerators, plans, the choices of one."""
