"""`predict` of ten million rows with Dask, compared with one process on some partitions.

Each worker makes its own partitions; the numbers must be equal. Needs Dask, so it only runs by
name.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

import scalesheet
from benchmarks.measure import ROOT, Ratio, machine

ROWS, PARTS = 10_000_000, 100
WORKERS = 2
TASK = "loss"
EVERY = 20  # every so many partitions, one is computed again here


def cases(part: int, rows: int) -> pd.DataFrame:
    """The sizes and tokens of a partition; all rows of all partitions differ."""
    at = np.arange(part * rows, (part + 1) * rows)
    frame = {"N": 1e8 * (1 + at % 4_000), "D_tokens": 1e9 * (1 + at // 4_000)}
    return pd.DataFrame(frame, index=pd.Index(at, name="case"))


def summed(frame: pd.DataFrame) -> pd.DataFrame:
    """What is compared for a partition: sums of the predictions, and their number."""
    made = scalesheet.predict(frame, TASK, book=ROOT / "data")
    ends = made[["predicted", "predicted_low", "predicted_high"]]
    part = pd.Index(frame.index[:1] // max(1, len(frame)))
    return pd.concat([ends.sum(), ends.count().add_prefix("rows of ")]).to_frame().T.set_index(part)


def main(rows: int = ROWS) -> int:
    """Run a local cluster of two single-threaded worker processes."""
    dask: Any = import_module("dask.dataframe")
    cluster: Any = import_module("distributed")
    ours: Any = import_module("benchmarks.partitions")  # imported by name, so that workers find it
    each, began = rows // PARTS, time.perf_counter()
    options = {"n_workers": WORKERS, "threads_per_worker": 1, "dashboard_address": None}
    with cluster.Client(**options):
        lazy = dask.from_map(ours.cases, range(PARTS), rows=each, meta=cases(0, 0))
        made = lazy.map_partitions(ours.summed, meta=summed(cases(0, 1))).compute()
    took = time.perf_counter() - began
    some = list(range(0, PARTS, EVERY))
    again = pd.concat([summed(cases(part, each)) for part in some])
    pd.testing.assert_frame_equal(made.loc[some], again, check_exact=True, check_names=False)
    predicted = int(made["rows of predicted"].sum())
    print(f"$ python -m benchmarks.partitions {rows}\n  {machine()}")
    detail = f"{PARTS} partitions, {WORKERS} workers: {took:.0f} s on the clock"
    print(f"  {Ratio(f'share of {rows:,} rows predicted', predicted / rows, None, detail)}")
    print(f"  sums of partitions {', '.join(map(str, some))} are those of one process, exactly")
    return 0 if predicted == rows else 1


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:2])))
