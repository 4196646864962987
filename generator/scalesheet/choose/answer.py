"""The answer: the chosen row and its alternatives, each computed in the plan `calculator`.

The search selects the rows; their figures come from the plan, with range and unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from scalesheet.book import Book
from scalesheet.choose.binding import Miss, Relaxed, misses, relaxed
from scalesheet.choose.conditions import BROKEN
from scalesheet.choose.evidence import Basis
from scalesheet.choose.search import Search
from scalesheet.evaluate import evaluate
from scalesheet.frozen import dataclass
from scalesheet.model import Key, Plan, Scalar, Stated
from scalesheet.values import Results, Value
from scalesheet.vocabulary import METHODS

#: Inputs of the plan that a candidate sets.
DECIDED = (
    "method",
    "offer",
    "gpus",
    "stage",
    "tensor",
    "pipeline",
    "experts",
    "context",
    "micro_batch",
    "checkpointing",
    "offload",
    "precision",
)
#: The plan's figures for a row, by role.
FIGURES = (
    "cost",
    "hours",
    "elapsed_hours",
    "calendar_time",
    "needed_memory",
    "most_memory",
    "throughput",
    "utilisation",
    "step_time",
    "net_gpu_hours",
    "gross_gpu_hours",
    "energy",
)
MICRO_BATCHES = "micro_batches"
#: Verdicts of rows without hours or cost.
BLOCKED = ("does not fit", "cannot run")
#: The memory figures, which such rows still have.
OF_MEMORY = ("needed_memory", "most_memory")
#: All roles that the search and its answer need.
NEEDED = (*FIGURES, MICRO_BATCHES, BROKEN, "verdict")
MOST_OFFERS = 6
#: Rows within this factor of the shortest time count as fast; the cheapest of them is shown.
AS_FAST = 1.1
CHEAPEST = "cheapest"
#: Not the cheapest: a cheaper row has fewer published results like it.
PREFERRED = "preferred"
BY = "by "  # before the method whose cheapest row this is
IN = "in "  # before the precision of a cheaper row that was not asked for


@dataclass(frozen=True)
class Row:
    """One row of the search with its figures; `why` says why it is shown."""

    why: str
    row: int
    edits: Mapping[Key, Stated]
    results: Results
    roles: Mapping[str, Scalar]

    @property
    def of_its_method(self) -> bool:
        """Whether it is the cheapest row of its method."""
        return self.why in (CHEAPEST, PREFERRED) or self.why.startswith(BY)

    def __getitem__(self, role: str) -> Value:
        return self.results.scalars[self.roles[role].name]


@dataclass(frozen=True)
class Answer:
    """`best` is None if no row meets all limits; then `nearest` has the rows that come closest."""

    best: Row | None
    binding: tuple[tuple[Relaxed, Row], ...] = ()
    others: tuple[Row, ...] = ()
    nearest: tuple[tuple[Miss, Row], ...] = ()


def answer(
    book: Book,
    plan: Plan,
    search: Search,
    edits: Mapping[Key, Stated],
    basis: Basis | None = None,
) -> Answer:
    """Turn a search into an answer. `edits` were made to the plan in addition to job and
    configuration. With evidence, a known configuration is preferred to a slightly cheaper unknown
    one.
    """

    def told(why: str, row: int) -> Row:
        changed = {**edits, **inputs(book, plan, search, row)}
        return Row(why, row, changed, evaluate(book, plan, changed), plan.roles)

    cheapest = best = search.best(search.good)
    if basis is not None:
        best = search.best(search.good, basis.said.near ** basis.unknown(search))
    if best is None:
        near = [(each, told(" and ".join(each.limits), each.row)) for each in misses(search)]
        return Answer(None, nearest=tuple(near))
    looser = [(each, told(each.limit, each.row)) for each in relaxed(search, best)]
    loose = tuple((each, row) for each, row in looser if row["verdict"].value not in BLOCKED)
    why = CHEAPEST if best == cheapest else PREFERRED
    assert cheapest is not None
    first = () if best == cheapest else ((CHEAPEST, cheapest),)
    rest = [(why, row) for why, row in _others(search, best) if row != cheapest]
    return Answer(told(why, best), loose, tuple(told(*each) for each in (*first, *rest)))


def inputs(book: Book, plan: Plan, search: Search, row: int) -> dict[Key, Stated]:
    """The plan's inputs for a row: job and configuration."""
    job, made, at = search.job, search.grid, search.at[row]
    method = str(made.method[at])

    def number(name: str, value: float, unit: str) -> Stated:
        own = plan.scalars[name].unit
        assert own is not None
        each = float(value / book.units.factor(own, book.units.parse(unit)))
        return Stated(each, each, each, basis="decision")

    def word(text: str) -> Stated:
        return Stated(text, basis="decision")

    stated = {
        "model": word(job.model),
        "tokens": number("tokens", job.tokens, "token"),
        "sequence": number("sequence", job.sequence, "token / sequence"),
        "batch": number("batch", job.batch, "sequence / step"),
        "deadline": number("deadline", job.deadline, "hour"),
        "trainer": word(job.trainer_of(method)),
        "precision": word(str(made.precision[at])),
        "method": word(METHODS[method].plan),
        "offer": word(search.offers.ids[search.of[row]]),
        "gpus": number("gpus", made.gpus[at], "GPU"),
        "stage": number("stage", made.stage[at], "1"),
        "tensor": number("tensor", made.tensor[at], "1"),
        "pipeline": number("pipeline", made.pipeline[at], "1"),
        "experts": number("experts", made.experts[at], "1"),
        "context": number("context", made.context[at], "1"),
        "micro_batch": number("micro_batch", made.micro_batch[at], "sequence / step"),
        "checkpointing": word(str(made.checkpointing[at])),
        "offload": word(str(made.offload[at])),
    }
    return {Key(name): value for name, value in stated.items()}


def _others(search: Search, best: int) -> Iterator[tuple[str, int]]:
    """The fastest row, the best in FP8, the best of each other method, and of each other offer."""
    good = search.good
    early = good & (search.late <= search.late[good].min() * AS_FAST)
    fastest = search.best(early)
    if fastest is not None and fastest != best:
        yield "fastest", fastest
    method = search.grid.method[search.at]
    of_it = np.equal(method, method[best]) & search.allowed
    other = search.best(of_it & ~search.good)
    if other is not None and search.cost[other] < search.cost[best]:
        yield f"{IN}{search.grid.precision[search.at[other]]}", other
    for name, known in METHODS.items():
        row = search.best(good & np.equal(method, name))
        if row is not None and name != method[best]:
            yield f"{BY}{known.plan}", row
    rows = (row for row in search.best_of_each(good) if row is not None)
    others = [row for row in rows if search.of[row] != search.of[best]]
    for _, row in sorted((float(search.cost[row]), row) for row in others)[:MOST_OFFERS]:
        yield "at another offer", row
