"""All that trains real steps: `make measure`."""

from __future__ import annotations

import os

# One thread, also in the processes that measure: several spin while they wait for each other, and
# what a step holds is to be the same on any number of cores.
os.environ["OMP_NUM_THREADS"] = "1"
