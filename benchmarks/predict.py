"""`scalesheet predict` of 100,000 rows, compared with pandas reading and writing the same table."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import pandas as pd

from benchmarks.measure import ROOT, Ratio, against, report, timed, workspace
from scalesheet.examine import compile_book
from scalesheet.predict.cases import cases_of
from scalesheet.predict.cases.reader import read_csv
from scalesheet.predict.table import as_csv
from scalesheet.predict.tasks import TASKS, predict

ROWS = 100_000
LIMIT = 4
SWEEP = {
    "kind": ("pretrain", "finetune-lora"),
    "hardware": ("A100-80GB", "H100", "L40S"),
    "n_gpus": (1, 8, 64, 512),
    "precision": ("bf16", "fp16"),
    "seq_len": (2048, 8192),
    "parallelism": ("FSDP", "TP8 PP4 ZeRO-1", ""),
    "micro_batch": (1, 4),
}


def measure(times: int = 2) -> list[Ratio]:
    """Predict a sweep for each task, with the book already in memory."""
    book = compile_book(ROOT / "data")
    ratios = []
    with workspace() as folder:
        path = _sweep(folder / "sweep.csv")
        for task, of in TASKS.items():

            def ours(task: str = task, unit: str = of.unit) -> None:
                cases = cases_of(read_csv(path, task), book)
                as_csv(cases.ids, predict(book, task, cases), unit)

            def pandas() -> None:
                pd.read_csv(path).to_csv(folder / "out.csv", index=False)

            one, other = against(lambda: timed(ours), lambda: timed(pandas), times)
            detail = f"{ROWS:,} rows in {one:.2f} s, {other:.2f} s"
            ratios.append(Ratio(f"predict {task} / pandas copying", one / other, LIMIT, detail))
    return ratios


def _sweep(path: Path) -> Path:
    names = ["id", "params", "params_total", "N", "tokens", "D_tokens", *SWEEP]
    every = itertools.cycle(itertools.product(*SWEEP.values()))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["task", "method", *names])
        for place, setting in zip(range(ROWS), every, strict=False):
            size = 1e8 * (1 + place % 5000)
            row = [place, size, size, size, 20 * size, 20 * size, *setting]
            writer.writerow([setting[0], setting[0], *row])
    return path


if __name__ == "__main__":
    raise SystemExit(report("predict", measure()))
