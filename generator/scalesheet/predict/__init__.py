"""predict: predicts runs, throughput, memory and loss of many cases at once, and scores this.

A table of cases becomes arrays (`cases`), catalogue formulas are evaluated over them (`records`)
with coefficients fitted on published runs (`fits`), and the score compares both.
"""

import sys

from scalesheet import CallablePackage

sys.modules[__name__].__class__ = CallablePackage
