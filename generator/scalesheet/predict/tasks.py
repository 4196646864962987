"""The tasks that can be predicted: for each its unit, and how to predict and fit it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace

import numpy as np

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.predict import loss, memory
from scalesheet.predict.arrays import Array, Reasons, Words, first_reason
from scalesheet.predict.cases import Cases
from scalesheet.predict.fits import NO_FIT, Coefficients, coefficients
from scalesheet.predict.fits.holdout import Rows
from scalesheet.predict.loss import fit as loss_fit
from scalesheet.predict.records import assumed
from scalesheet.predict.runnable import broken
from scalesheet.predict.table import Predictions, none_of, settled
from scalesheet.predict.time import efficiency

AT_ONCE = 1 << 16  # rows, few enough for their arrays to stay in the processor's cache


@dataclass(frozen=True)
class Task:
    """`unit` is the unit of written predictions; the fit on file has the task's name. `rows` turns
    published rows and their truth into what the fit sees.
    """

    name: str
    unit: str
    title: str
    unsupported: Callable[[Cases], Reasons]
    predict: Callable[[Book, Cases, Coefficients], Predictions]
    rows: Callable[[Book, Cases, Array, Words], Rows]


TASKS: Mapping[str, Task] = {
    task.name: task
    for task in (
        Task(
            "runs",
            "GPU·hour",
            "GPU hours of runs",
            efficiency.unsupported_runs,
            efficiency.predict_runs,
            efficiency.times_of_runs,
        ),
        Task(
            "throughput",
            "token/s/GPU",
            "Throughput of configurations",
            efficiency.unsupported_throughput,
            efficiency.predict_throughput,
            efficiency.times_of_steps,
        ),
        Task(
            "memory",
            "byte",
            "Memory per accelerator",
            memory.unsupported_memory,
            memory.predict_memory,
            memory.peaks,
        ),
        Task(
            "loss", "nat/token", "Loss", loss.unsupported_loss, loss.predict_loss, loss_fit.losses
        ),
    )
}


def unsupported(task: str, cases: Cases) -> Reasons:
    """Why a row cannot be predicted, judging by its description."""
    return first_reason(cases.unsupported, TASKS[task].unsupported(cases))


def _wider(book: Book, made: Predictions, unread: Array) -> Predictions:
    """Widen the range for words of the description that were not understood."""
    if not unread.any():
        return made
    by = np.power(assumed(book)["unread-word"], unread)
    return replace(
        made,
        low=made.predicted * (made.low / made.predicted) ** by,
        high=made.predicted * (made.high / made.predicted) ** by,
    )


@np.errstate(all="ignore")  # values that are not finite are not predictions
def predict(book: Book, task: str, cases: Cases, fitted: Coefficients | None = None) -> Predictions:
    """Predict each case, or give a reason; uses the fit on file unless `fitted` is given."""
    known = coefficients(book, task) if fitted is None else fitted
    made = []
    for start in range(0, max(1, len(cases)), AT_ONCE):
        some = cases.only(slice(start, start + AT_ONCE))
        of_some = TASKS[task].predict(book, some, known) if known else none_of(len(some), NO_FIT)
        why = unsupported(task, some)
        if task != "loss":
            why = first_reason(why, broken(book, some))
        made.append(settled(_wider(book, of_some, some.unread), why, some.assumed))
    columns = ([getattr(each, field.name) for each in made] for field in fields(Predictions))
    return Predictions(*map(np.concatenate, columns))
