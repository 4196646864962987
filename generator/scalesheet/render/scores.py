"""The score as texts and rows, for all outputs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.model import Citation, Position
from scalesheet.predict.arrays import Array, Flags
from scalesheet.predict.score import SAYS, Quality, TaskScore
from scalesheet.predict.score.own import Own
from scalesheet.predict.score.said_to_fit import SLACK, Room
from scalesheet.predict.score.truth import Published
from scalesheet.predict.table import Predictions

#: By task: the divisor for display, the unit shown, and the number of significant digits.
_SHOWN = {
    "runs": (1.0, "GPU·h", 3),
    "throughput": (1.0, "token/s/GPU", 3),
    "memory": (1e9, "GB", 3),
    "loss": (1.0, "nat/token", 4),
}
NOTHING = "–"

LEAD = (
    "Predictions compared with published results. Each row is predicted by a fit made without its "
    "family, so these are the errors to expect for a new run."
)
FACTOR = (
    "The error is a factor: predicted over published or published over predicted, whichever is "
    "above 1. Bias is the mean ratio of predicted to published. The interval should hold 80 % of "
    "the rows."
)
NAT = (
    "Losses are comparable only within one evaluation set and tokenizer. Errors and bias are in "
    "nat per token. The shape is scored after one offset per evaluation set, the mean of its other "
    "rows, with the interval of a known set; a set with one row has no shape. The same prediction "
    "without that offset stands beside it: a set never seen."
)
DESCRIBED_TITLE = "As described"
ASKED_TITLE = "As asked"
ASKED = (
    "Predicted from model, method, tokens, accelerator and count alone, like the answers on the "
    "front page: the layout is the fastest that fits. The interval is also the front page's, made "
    "without the row's family."
)
PEERS = (
    "The first two programs we ran ourselves on the rows of our score. The others published their "
    "own accuracy: they chose the cases, and most knew the efficiency that the runs had reached."
)
OWN = (
    "Runs that we measured with 'scalesheet bench', predicted by the current fit. They are kept "
    "apart from published results, and no fit uses them. Simulated records are excluded."
)
NO_OWN = "This book has no measured records yet."
OWN_HEAD = ("Records", "Median error", "Worst")
HEAD = (
    "Rows",
    "Median error",
    "9 of 10 within",
    "Bias",
    "Within the interval",
    "Families",
    "Median by family",
    "Within, by family",
)
TITLES = {
    "family": "By family",
    "hardware": "By accelerator",
    "size": "By active parameters",
    "regime": "By regime",
}
REGIMES = (
    "Conditions that make prediction harder. A row can be in several. The figures by family count "
    "each family once; in the others, a publication with many rows dominates. If accelerators are "
    "left out, they take the place of families."
)


@dataclass(frozen=True)
class ShownRow:
    """One published row: texts, and numbers in the task's unit where known."""

    id: str
    title: str
    on: str
    family: str
    published: float | None
    predicted: float | None
    low: float | None
    high: float | None
    error: float | None
    inside: bool | None
    method: str
    because: str  # why it is not scored or not predicted
    note: str
    citation: Citation | None
    position: Position | None


def unit_shown(task: str) -> str:
    return _SHOWN[task][1]


def figure(task: str, value: float | None) -> str:
    """Print a number of a task as pages show it."""
    if value is None:
        return NOTHING
    return spelled(shown(task, value), _SHOWN[task][2])


def shown(task: str, value: float) -> float:
    """Convert a number of a task to the unit that pages show."""
    return value / _SHOWN[task][0]


def spelled(number: float, digits: int) -> str:
    """Print with this many significant digits and thousands separators, without an exponent."""
    rounded = float(f"{number:.{digits}g}")
    if not rounded:
        return "0"
    decimals = digits - 1 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:,.{max(0, decimals)}f}"


def error(task: str, value: float | None) -> str:
    """`×1.23`; for losses `0.012`."""
    if value is None or value != value:
        return NOTHING
    return f"{value:.3f}" if task == "loss" else f"×{value:.2f}"


def bias(task: str, value: float) -> str:
    if value != value:
        return NOTHING
    return f"{round(value, 3) + 0.0:+.3f}" if task == "loss" else f"×{value:.2f}"


def quality(task: str, figures: Quality) -> tuple[str, ...]:
    """The cells of `HEAD`."""
    if not figures.rows:
        return ("0", *[NOTHING] * (len(HEAD) - 1))
    covered, of_families = (
        NOTHING if share is None else f"{share * 100:.0f} %"
        for share in (figures.coverage, figures.family_coverage)
    )
    return (
        str(figures.rows),
        error(task, figures.median),
        error(task, figures.p90),
        bias(task, figures.bias),
        covered,
        str(figures.families),
        error(task, figures.family_median),
        of_families,
    )


def fitting(room: Room) -> str:
    """Say in words how often runs with the verdict "fits" did fit."""
    return (
        f"{room.fits} of the {room.rows} rows get the verdict 'fits': even the upper limit (99 %), "
        f"which is above the interval, fits. Of these, {len(room.fits_above)} took more than "
        f"{SLACK:g} times that limit; of all rows, {len(room.above)} did. {len(room.let)} of "
        f"{room.burst} published runs that ran out of memory get the verdict 'fits'."
    )


def sides_of(score: TaskScore) -> list[tuple[str, Quality]]:
    """The ways to predict the same rows, each with its quality."""
    sides = [("Fit without the row's family", score.unseen)]
    if score.asked is not None:
        asked = score.asked
        sides = [
            ("As described: everything the publication states", score.unseen),
            ("As described, only rows that the front page could ask for", asked.described),
            ("As asked, the same rows: model, data and accelerators alone", asked.quality),
        ]
    if score.apart is not None:
        sides = [
            (
                "Fit without the row's family: shape, after one offset per set",
                score.unseen,
            ),
            ("The same without the offset: sets never seen", score.apart),
        ]
    sides.append(("Current fit, which includes these rows", score.seen))
    return [*sides, (f"Rule of thumb: {SAYS[score.task]}", score.thumb)]


def family_titles(book: Book) -> dict[str, str]:
    """Return a display name for each family of runs.

    It is the name that the models use, else the common beginning of its publications' titles if no
    other family shares it, else the id.
    """
    column = book.tables["models"].columns["family"] if "models" in book.tables else None
    stated = [each.value for each in column.stated.values()] if column is not None else []
    models = {_plain(str(name)): str(name) for name in stated}
    begin: dict[str, set[str]] = {}
    for each in book.publications.values():
        for row in each.rows:
            begin.setdefault(row.family, set()).add(each.title.partition(",")[0])
    counts = Counter(name for names in begin.values() for name in names)
    return {
        id_: models.get(_plain(id_))
        or (min(names) if len(names) == 1 and counts[min(names)] == 1 else id_)
        for id_, names in begin.items()
    }


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


def shown_rows(score: TaskScore) -> Iterator[ShownRow]:
    """Yield every published row; rows that are not scored have the prediction of the fit on
    file."""
    return _shown(score.published, score.counted, score.left_out, score.made, score.error)


def _shown(
    published: Published, counts: Flags, left_out: Predictions, on_file: Predictions, errors: Array
) -> Iterator[ShownRow]:
    """Yield scored rows with one prediction, and the others with that of the fit on file."""
    for place, row in enumerate(published.rows):
        counted = bool(counts[place])
        made = left_out if counted else on_file
        ends = [_number(column[place]) for column in (made.predicted, made.low, made.high)]
        truth = _number(published.truth[place])
        gpus = _number(published.cases.gpus[place])
        accelerator = published.cases.accelerator[place] or row.words.get("hardware", "")
        inside = None
        if counted and truth is not None and ends[1] is not None and ends[2] is not None:
            inside = ends[1] <= truth <= ends[2]
        why = published.unscored[place] or (None if counted else on_file.unsupported[place])
        if not counted and why is None:
            why = "the only row of its evaluation set: its shape cannot be scored"
        yield ShownRow(
            id=row.id,
            title=row.words.get("model", row.id),
            on=f"{gpus:g} × {accelerator}" if gpus and accelerator else accelerator,
            family=row.family,
            published=truth,
            predicted=ends[0],
            low=ends[1],
            high=ends[2],
            error=_number(errors[place]) if counted else None,
            inside=inside,
            method=str(made.method[place]),
            because=str(why or ""),
            note=_noted(row.note, row.result.get("other")),
            citation=row.citation,
            position=row.position,
        )


def asked_rows(score: TaskScore) -> Iterator[ShownRow]:
    """Yield every published run that the question can describe, with the answer and its layout."""
    if score.asked is not None:
        asked = score.asked
        rows = _shown(score.published, asked.counted, asked.made, asked.made, asked.error)
        yield from (row for row in rows if not row.because)


def own_quality(own: Own) -> tuple[str, ...]:
    """The cells of `OWN_HEAD`."""
    return str(own.rows), error("", own.median), error("", own.worst[0])


def own_rows(score: TaskScore) -> Iterator[ShownRow]:
    """Yield every measurement of our own for a task, with the prediction of the fit on file."""
    if score.own is not None:
        own = score.own
        yield from _shown(own.published, own.counted, own.made, own.made, own.error)


def _noted(note: str, other: float | str | None) -> str:
    return "; ".join(filter(None, (f"states {other}" if other else "", note)))


def _number(value: float) -> float | None:
    return None if value != value else float(value)
