"""Predictions for people: a number with its range, whether it fits, and how it was made."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.book import Book
from scalesheet.numbers import Rule, format_by, text
from scalesheet.predict.cases import Cases
from scalesheet.predict.table import Predictions
from scalesheet.predict.tasks import TASKS
from scalesheet.values import Value
from scalesheet.vocabulary import VERDICTS

#: The unit that people read for each task, and its size in the unit of the predictions.
_SHOWN = {
    "memory": ("GiB", 2.0**30),
    "runs": ("GPU hours", 1.0),
    "throughput": ("tokens/s/GPU", 1.0),
}
#: Introduces the memory-saving options that a prediction assumes if the case states none.
_TAKEN = "not stated, assumed: "
DIGITS = 3


def as_text(book: Book, task: str, cases: Cases, made: Predictions) -> str:
    """A line for each case and one on the method; with ids if there are several cases."""
    unit, size = _SHOWN.get(task, (TASKS[task].unit, 1.0))
    return "".join(f"{line}\n" for line in _lines(book, cases, made, unit, size))


def _lines(book: Book, cases: Cases, made: Predictions, unit: str, size: float) -> Iterator[str]:
    for at in range(len(made)):
        called = f"{cases.ids[at]}: " if len(made) > 1 else ""
        if made.unsupported[at]:
            yield f"{called}not predicted: {made.unsupported[at]}"
            continue
        low, middle, high = (float(x[at]) / size for x in (made.low, made.predicted, made.high))
        value = Value.number(middle, low, high)
        written = text(value, format_by(Rule(digits=DIGITS), [Value.number(middle)]), unit)
        parts = str(made.method[at]).split("; ")
        yield f"{called}{written}{_verdict(book, cases.accelerator[at], parts)}"
        told = (part for part in parts if part not in VERDICTS and not part.startswith(_TAKEN))
        yield f"  {'; '.join(told)}"


def _verdict(book: Book, row: str, parts: list[str]) -> str:
    """`, probably fits the NVIDIA L4 with recomputation`; empty without a known accelerator."""
    hardware = book.tables.get("hardware")
    said = next((part for part in parts if part in VERDICTS), None)
    if said is None or hardware is None or row not in hardware.rows:
        return ""
    title = hardware.row_titles[hardware.rows.index(row)] or row
    taken = [part.removeprefix(_TAKEN) for part in parts if part.startswith(_TAKEN)]
    return f", {said} the {title}{''.join(f' with {each}' for each in taken)}"
