"""Tests that train real steps, run by `make measure`."""

from __future__ import annotations

import os

# One thread, also in measuring processes: several would spin while they wait for each other, and a
# step must hold the same memory on any number of cores.
os.environ["OMP_NUM_THREADS"] = "1"
