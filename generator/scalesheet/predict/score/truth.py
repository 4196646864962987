"""The published result of a row in the unit of a task: as stated, or computed from what is stated.

This is what predictions are compared with; no prediction reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence

import numpy as np

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.model import Publication, PublishedRow
from scalesheet.predict.arrays import Array, Flags, Words, no_reasons, words
from scalesheet.predict.cases import Cases, cases
from scalesheet.predict.cases.catalogue import Known
from scalesheet.predict.cases.reader import NUMBERS, Read
from scalesheet.predict.records import rows_of

#: FLOP per parameter and token, and per pair of tokens and width of attention, by what a
#: publication counts: model FLOP; a second forward pass too; adapters over frozen weights.
_COUNTING: Mapping[str, tuple[float, float]] = {
    "model": (6.0, 12.0),
    "hardware": (8.0, 16.0),
    "adapters": (4.0, 8.0),
}
#: Results of each task: any one of them makes a row belong to the task.
RESULTS: Mapping[str, tuple[str, ...]] = {
    "runs": ("gpu_hours",),
    "throughput": ("speed", "flop_rate", "step_time"),
    "memory": ("memory", "out_of_memory"),
    "loss": ("loss",),
}
_NO_FIGURE = {
    "runs": "states no hours",
    "throughput": "states no rate in tokens",
    "memory": "states no single figure",
    "loss": "states no loss",
}
NO_FIT = "out of memory, so there is no figure"


@dataclass(frozen=True)
class Published:
    """The published rows of a task: their cases and, separately, their results.

    `unscored` says why a row is shown but not scored, or is None. `truth` is nan if unknown.
    """

    cases: Cases
    truth: Array
    family: Words
    unscored: Words
    rows: tuple[PublishedRow, ...]
    of: tuple[Publication, ...]  # the publication of each row

    @property
    def scored(self) -> Flags:
        return np.array([why is None for why in self.unscored.tolist()], dtype=bool)


def published(book: Book, task: str, catalogue: Known) -> Published:
    """Every published row of a task, in the order of the files."""
    pairs = [
        (publication, row)
        for publication in book.publications.values()
        for row in publication.rows
        if _is_of(row, task)
    ]
    return laid(book, task, pairs, catalogue)


def laid(
    book: Book, task: str, pairs: Sequence[tuple[Publication, PublishedRow]], catalogue: Known
) -> Published:
    """Rows of a task with their publications and results."""
    rows = tuple(row for _, row in pairs)
    described = cases(described_by(rows, task), catalogue)
    truth = _TRUTH[task](book, described, rows)
    unscored = no_reasons(len(rows))
    for place, row in enumerate(rows):
        if row.unscored:
            unscored[place] = row.unscored
        elif np.isnan(truth[place]):
            unscored[place] = NO_FIT if "out_of_memory" in row.result else _NO_FIGURE[task]
    return Published(
        described,
        truth,
        words([row.family for row in rows]),
        unscored,
        rows,
        tuple(publication for publication, _ in pairs),
    )


def _is_of(row: PublishedRow, task: str) -> bool:
    """Whether a row has a result of a task. A result in words is a rate unless it counts memory."""
    if any(name in row.result for name in RESULTS[task]):
        return True
    return "other" in row.result and task == ("memory" if "quantity" in row.words else "throughput")


def described_by(
    rows: Sequence[PublishedRow], task: str, only: Container[str] | None = None
) -> Read:
    """The descriptions of rows, as if read from a table; `only` restricts them to some words."""
    named = {name for row in rows for name in row.words if only is None or name in only}
    texts = {name: words([row.words.get(name, "") for row in rows]) for name in sorted(named)}
    numbers = {
        name: np.array([row.numbers.get(name, np.nan) for row in rows], dtype=np.float64)
        for name in sorted(NUMBERS)
        if only is None or name in only
    }
    texts["id"] = words([row.id for row in rows])
    return Read(task, len(rows), texts, numbers, no_reasons(len(rows)))


def _stated(rows: Sequence[PublishedRow], name: str) -> Array:
    result = (row.result.get(name, np.nan) for row in rows)
    return np.array([x if isinstance(x, float) else np.nan for x in result], dtype=np.float64)


def _throughput(book: Book, described: Cases, rows: Sequence[PublishedRow]) -> Array:
    """Tokens per second and accelerator: stated, from a step time, or from a rate of FLOP."""
    speed = _stated(rows, "speed")
    step = (
        described.global_batch * described.sequence / (_stated(rows, "step_time") * described.gpus)
    )
    counts = [str(row.result.get("flop_counts", "model")) for row in rows]
    per_parameter, per_score = (
        np.array([_COUNTING[counted][which] for counted in counts]) for which in (0, 1)
    )
    flop = rows_of(
        book,
        "training-flop-per-token",
        parameters=described.active,
        layers=described.layers,
        width=described.heads * described.head_dim,
        context=described.sequence,
        per_parameter=per_parameter,
        per_score=per_score,
    )
    rate = _stated(rows, "flop_rate") * 1e12 / flop
    result = np.where(np.isnan(speed), step, speed)
    return np.where(np.isnan(result), rate, result)


_TRUTH: Mapping[str, Callable[[Book, Cases, Sequence[PublishedRow]], Array]] = {
    "runs": lambda book, described, rows: _stated(rows, "gpu_hours"),
    "throughput": _throughput,
    "memory": lambda book, described, rows: _stated(rows, "memory"),
    "loss": lambda book, described, rows: _stated(rows, "loss"),
}
