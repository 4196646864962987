"""The book's published rows, results included, as tables that `predict` reads."""

from __future__ import annotations

from typing import Any

from scalesheet.book import Book
from scalesheet.predict.cases.reader import COLUMNS
from scalesheet.predict.score.truth import RESULTS as OF_TASK

#: Columns of results and remarks in published tables, by task.
RESULTS = {
    "runs": (
        "gpu_hours",
        "days",
        "mfu_reported",
        "hfu_reported",
        "tokens_per_sec_per_gpu",
        "tflops_per_gpu",
        "cost_usd",
        "energy_mwh",
        "tco2",
        "mfu_6nd_implied",
        "notes",
    ),
    "throughput": (
        "tokens_per_sec_per_gpu",
        "samples_per_sec",
        "step_time_s",
        "tflops_per_gpu",
        "mfu_pct",
        "hfu_pct",
        "peak_mem",
        "time_value",
        "notes",
    ),
    "memory": ("value", "value_bytes", "unit", "kind", "notes"),
    "loss": ("loss", "value", "stderr", "notes"),
}


def rows(book: Book, task: str) -> list[dict[str, Any]]:
    """The published rows of a task by column name, without results."""
    column = {field: name for name, field in reversed(COLUMNS[task].items())}
    return [
        {
            "id": row.id,
            **{column[name]: text for name, text in row.words.items() if name in column},
            **{column[name]: number for name, number in row.numbers.items() if name in column},
        }
        for publication in book.publications.values()
        for row in publication.rows
        if any(name in row.result for name in OF_TASK[task])
    ]
