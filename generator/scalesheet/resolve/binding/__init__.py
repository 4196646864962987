"""binding: names in formulas become references, units are derived, conversions inserted."""
