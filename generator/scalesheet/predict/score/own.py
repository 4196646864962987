"""Own measurements as rows of the score: a separate family that no fit uses.

Each record of a timed run becomes a row of throughput and a row of memory, described like a
published result. Simulated records are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.model import Column, Publication, PublishedRow
from scalesheet.predict.arrays import Array, Flags
from scalesheet.predict.cases.catalogue import Known
from scalesheet.predict.fits import coefficients
from scalesheet.predict.score.truth import Published, laid
from scalesheet.predict.table import Predictions, supported
from scalesheet.predict.tasks import predict

TABLE = "measurements"
FAMILY = "own-measurements"
TITLE = "Own measurements"
TASKS = ("throughput", "memory")
#: Flags of records whose step time does not show what the hardware can do, and why they are not
#: scored.
_NOT_TIMED: Mapping[str, str] = {
    "interrupted": "interrupted before the mean was precise enough",
    "unsteady": "unsteady: the machine was busy, or its clock changed",
    "input_bound": "waited for its data",
}
#: Names of product and weight precisions in published results.
_PRECISIONS: Mapping[tuple[str, str], str] = {
    ("bf16", "fp32"): "amp bf16",
    ("fp16", "fp32"): "amp fp16",
    ("bf16", "nf4"): "nf4 double",
    ("fp16", "nf4"): "nf4 double",
}
_KERNELS = {"sdpa": "flash attention", "flash": "flash attention", "eager": "no flash"}


@dataclass(frozen=True)
class Own:
    """Own measurements and the predictions by the fit on file, with error factors from 1 up."""

    published: Published
    counted: Flags
    made: Predictions
    error: Array

    @property
    def rows(self) -> int:
        return int(self.counted.sum())

    @property
    def median(self) -> float:
        """The median over scored rows; nan if there are none."""
        return float(np.median(self.error[self.counted])) if self.rows else float("nan")

    @property
    def worst(self) -> tuple[float, str]:
        """The largest error and its record; nan and empty if no row is scored."""
        if not self.rows:
            return float("nan"), ""
        place = int(np.argmax(np.where(self.counted, self.error, 0.0)))
        return float(self.error[place]), self.published.rows[place].id

    @property
    def errors(self) -> dict[str, float]:
        """The error of each scored record."""
        return {
            row.id: float(error)
            for row, error, counts in zip(
                self.published.rows, self.error.tolist(), self.counted.tolist(), strict=True
            )
            if counts
        }


@np.errstate(all="ignore")  # the score itself fails on figures that are not finite
def owned(book: Book, task: str, catalogue: Known) -> Own | None:
    """The own measurements of a task; None if the book has none."""
    rows = tuple(_rows(book, task)) if task in TASKS else ()
    if not rows:
        return None
    publication = Publication(FAMILY, TITLE, rows, None)
    data = laid(book, task, [(publication, row) for row in rows], catalogue)
    made = predict(book, task, data.cases, coefficients(book, task))
    counted = data.scored & supported(made)
    error = np.exp(np.abs(np.log(made.predicted / data.truth)))
    return Own(data, counted, made, error)


def _rows(book: Book, task: str) -> Iterator[PublishedRow]:
    """The measured records that state a result of the task, in the order of the files."""
    table = book.tables.get(TABLE)
    if table is None:
        return
    for id, title in zip(table.rows, table.row_titles, strict=True):
        record = _Record(book, table.columns, id)
        result = record.result(task)
        if record.word("how") != "measured" or result is None:
            continue
        marks = [why for mark, why in _NOT_TIMED.items() if record.flag(mark)]
        step = table.columns["step_time"].stated[id]
        yield PublishedRow(
            id=id,
            family=FAMILY,
            words=record.words(),
            numbers=record.numbers(),
            result=result,
            unscored="; ".join(marks) if task == "throughput" else "",
            note=title,
            citation=step.citation or table.columns["accelerator"].stated[id].citation,
            position=table.row_positions[table.rows.index(id)] if table.row_positions else None,
        )


class _Record:
    """A record of a measurement, described like a published row."""

    def __init__(self, book: Book, columns: Mapping[str, Column], id: str) -> None:
        self._book, self._columns, self._id = book, columns, id

    def word(self, name: str) -> str:
        stated = self._columns[name].stated.get(self._id) if name in self._columns else None
        return str(stated.value) if stated is not None and stated.value is not None else ""

    def flag(self, name: str) -> bool | None:
        stated = self._columns[name].stated.get(self._id) if name in self._columns else None
        return stated.value if stated is not None and isinstance(stated.value, bool) else None

    def number(self, name: str, unit: str) -> float | None:
        column = self._columns.get(name)
        stated = column.stated.get(self._id) if column is not None else None
        if column is None or column.unit is None or stated is None:
            return None
        if isinstance(stated.value, bool) or not isinstance(stated.value, float | int):
            return None
        units = self._book.units
        return float(stated.value) * float(units.factor(column.unit, units.parse(unit)))

    def result(self, task: str) -> dict[str, float | str] | None:
        """The result: tokens per second and accelerator, or the peak in bytes."""
        if task == "memory":
            peak = self.number("peak_memory", "byte")
            return None if peak is None else {"memory": peak}
        speed, gpus = self.number("tokens_per_second", "token / second"), self._gpus()
        return None if speed is None else {"speed": speed / gpus}

    def numbers(self) -> dict[str, float]:
        """Sizes of the run under the names of `predict.cases`."""
        result = {
            "gpus": self._gpus(),
            "sequence": self.number("sequence_length", "token / sequence"),
            "global_batch": self.number("batch_size", "sequence / step"),
            "micro_batch": self.number("micro_batch", "sequence / step"),
        }
        return {name: value for name, value in result.items() if value is not None}

    def words(self) -> dict[str, str]:
        """What ran, in the words of published tables."""
        rank = self.number("rank", "1")
        method = self.word("method")
        adapters = f" r={rank:g}" if rank and method != "full" else ""
        precision, weights = self.word("precision"), self.word("weights_precision")
        message = _PRECISIONS.get((precision, weights), precision)
        if method == "full" and precision == weights and precision in ("bf16", "fp16"):
            message = "pure bf16" if precision == "bf16" else "fp16"
        strategy = {"ddp": "DDP", "fsdp": "FSDP"}.get(self.word("strategy"), "")
        layout = ["hf", strategy, _KERNELS.get(self.word("attention"), "")]
        again = self.flag("checkpointing")
        sentence = {
            "model": self.word("model") or self.word("model_name"),
            "kind": f"{method}{adapters}",
            "hardware": self.word("accelerator"),
            "precision_text": message,
            "layout": ", ".join(filter(None, layout)),
            "recompute": "" if again is None else "full" if again else "none",
            "quantity": "peak (allocated)",
        }
        return {name: text for name, text in sentence.items() if text}

    def _gpus(self) -> float:
        return self.number("gpus", "GPU") or 1.0
