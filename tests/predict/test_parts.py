"""Predictions of a frame in parts, in other processes or with Dask, equal those of the whole."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

import scalesheet
from project import ROOT

ROWS = 600
PARTS = (0, 1, 130, 131, 400, ROWS)  # of different lengths, one of a single row


def frame_of(rows: int) -> pd.DataFrame:
    """Runs of several models in random order, some unknown, some with a missing column."""
    random = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "model": random.choice(["llama-3-1-8b", "mistral-7b-v0-3", "unheard-of"], rows),
            "hardware": random.choice(["H100", "A100", "H10"], rows),
            "n_gpus": random.choice([8, 16, np.nan], rows),
            "tokens": random.uniform(1e9, 1e11, rows),
        },
        index=pd.Index(random.permutation(rows), name="case"),
    )


def predicted(part: pd.DataFrame, task: str) -> pd.DataFrame:
    return scalesheet.predict(part, task, book=ROOT / "data")


@pytest.mark.parametrize("task", ["runs", "memory"])
def test_parts_in_other_processes_give_the_same_numbers(task: str) -> None:
    frame = frame_of(ROWS)
    before = frame.copy()
    whole = predicted(frame, task)
    parts = [frame.iloc[a:b] for a, b in pairwise(PARTS)]
    # spawned, so that a worker has only what it is sent
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=spawned) as pool:
        made = pd.concat(pool.map(partial(predicted, task=task), reversed(parts)))
    pd.testing.assert_frame_equal(made.loc[whole.index], whole, check_exact=True)
    pd.testing.assert_frame_equal(frame, before)
    assert 0 < whole["predicted"].notna().sum() < ROWS


def test_an_empty_frame_gives_the_same_columns() -> None:
    some, none = predicted(frame_of(2), "memory"), predicted(frame_of(0), "memory")
    assert list(none.columns) == list(some.columns)
    assert len(none) == 0


def test_dask_gives_the_same_numbers() -> None:
    dask: Any = pytest.importorskip(
        "dask.dataframe", reason="Dask is not installed: parts are tried in a process pool alone"
    )
    frame = frame_of(ROWS).sort_index()
    task = partial(predicted, task="memory")
    lazy = dask.from_pandas(frame, npartitions=5)
    made = lazy.map_partitions(task, meta=task(lazy.head(0))).compute(scheduler="processes")
    whole = task(frame)
    numbers = ["predicted", "predicted_low", "predicted_high"]
    pd.testing.assert_frame_equal(made[numbers], whole[numbers], check_exact=True)
    assert made["unsupported_because"].tolist() == whole["unsupported_because"].tolist()
