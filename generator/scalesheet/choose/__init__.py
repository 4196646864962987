"""The cheapest configuration that fits: a search over methods, layouts, accelerators and offers.

Predictions say what each candidate takes; the plan `calculator` holds the chosen one in cells.
"""

import sys

from scalesheet import CallablePackage

sys.modules[__name__].__class__ = CallablePackage
