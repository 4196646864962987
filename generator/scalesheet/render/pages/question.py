"""The question of the front page, answered at build time: the case, its offers, one change of it.

The case stands in the front matter of the page, in the words of `scalesheet show --set`, and `gpu`
for the accelerator whoever sells it. What it leaves open of the layout is found as `choose` finds
it. `render/live/front.js` answers in the page by the same steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scalesheet.choose.answer import DECIDED
from scalesheet.choose.answer import inputs as inputs_of
from scalesheet.choose.case import Case, changes, taken
from scalesheet.choose.job import METHODS, Job, assumptions
from scalesheet.choose.offers import ALONE, together
from scalesheet.choose.search import Search, search
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.edits import EditError, read_edit
from scalesheet.model import Book, Key, Plan, Stated
from scalesheet.predict.lookups import Known, known
from scalesheet.values import Results, Value

#: The plan's input that a page calls `gpu`.
OWN = "owned_gpu"
#: What a layout is made of, which is found unless it is stated.
LAYOUT = ("stage", "tensor", "pipeline", "micro_batch", "checkpointing")
#: Inputs in the order in which an address has them.
ORDER = (
    "model", "method", "data", "tokens", "samples", "sequence", "epochs", "batch", "rank",
    "trainer", "supply", "offer", OWN, "gpus", *LAYOUT,
)  # fmt: skip
TERMS = ("on-demand", "spot", "reserved")
Edits = Mapping[Key, Stated]


class Unanswered(Exception):
    """The case of the page cannot be answered; the text says why."""


@dataclass(frozen=True)
class Offered:
    """An offer of the accelerator; `cost` of the case, None where it sells fewer together."""

    offer: str
    term: str
    price: Value  # USD / (GPU * hour)
    edits: Edits
    cost: Value | None


@dataclass(frozen=True)
class Change:
    """The case with one input changed: the cheapest offer on demand is what it costs."""

    name: str
    text: str  # the input's new value, as an address has it
    edits: Edits
    results: Results


@dataclass(frozen=True)
class Answered:
    """The case as it is stated, and with the layout that was found, on accelerators of one's own;
    what each offer takes for it, the cheapest first; and what one change would give."""

    stated: Mapping[str, str]
    edits: Edits
    results: Results
    offers: Sequence[Offered]
    changes: Sequence[Change]

    @property
    def gpus(self) -> int:
        return int(_float(self.edits[Key("gpus")]))

    def cheapest(self, term: str) -> Offered | None:
        return next((o for o in self.offers if o.term == term and o.cost is not None), None)


def answered(book: Book, plan: Plan, stated: Mapping[str, str]) -> Answered:
    """The answer to a case. Raises Unanswered."""
    catalogue = known(book)
    given = dict(_read(book, plan, stated))
    own = given.get(Key(OWN)) or plan.scalars[OWN].stated
    assert own is not None
    accelerator = str(own.value)
    method = next(m for m, title in METHODS.items() if title == _value(plan, given, "method"))
    found = _search(book, plan, catalogue, given, method)
    case = Case(method, accelerator, int(_float(_stated(plan, given, "gpus"))))
    row = taken(found, case)
    if row is None:
        raise Unanswered("no offer on demand sells this accelerator in that number")
    decided = _decided(book, plan, found, row, given)
    edits = {**decided, Key("supply"): Stated("owned"), Key(OWN): own}
    del edits[Key("offer")]
    results = evaluate(book, plan, edits)
    offers = sorted(
        _offers(book, plan, catalogue, edits, accelerator, case.gpus),
        key=lambda each: (each.cost is None, _cost(each), each.offer),
    )
    return Answered(
        stated, edits, results, tuple(offers),
        tuple(_changed(book, plan, found, given, case)),
    )  # fmt: skip


def _read(book: Book, plan: Plan, stated: Mapping[str, str]) -> Iterator[tuple[Key, Stated]]:
    for name, text in stated.items():
        try:
            yield read_edit(book, plan, f"{OWN if name == 'gpu' else name}={text}")
        except EditError as error:
            raise Unanswered(f"{name}: {error}") from None


def _search(book: Book, plan: Plan, catalogue: Known, given: Edits, method: str) -> Search:
    """What `choose` would search in for the same job, without a deadline."""
    asked = evaluate(book, plan, given).scalars
    tuning = () if method == "pretrain" else tuple(m for m in METHODS if m != "pretrain")
    job = Job(
        model=str(asked["model"].value), methods=tuning or (method,),
        tokens=_number(asked["trained_tokens"]) * 1e6, sequence=_number(asked["sequence"]),
        batch=_number(asked["batch"]), deadline=math.inf, certain=True,
        most_gpus=_number(asked["gpus"]),
    )  # fmt: skip
    return search(book, catalogue, job, assumptions(book, plan, {}))


def _decided(book: Book, plan: Plan, found: Search, row: int, given: Edits) -> dict[Key, Stated]:
    """The case with the configuration of a row."""
    made = inputs_of(book, plan, found, row)
    names = {Key(name) for name in (*DECIDED, "trainer")}
    return {**given, **{key: each for key, each in made.items() if key in names}}


def _offers(
    book: Book, plan: Plan, catalogue: Known, edits: Edits, accelerator: str, gpus: int
) -> Iterator[Offered]:
    columns = catalogue.results.tables["offers"]
    for place, offer in enumerate(catalogue.results.rows["offers"]):
        if columns["accelerator"].value[place] != accelerator:
            continue
        rented = {**edits, Key("supply"): Stated("rented"), Key("offer"): Stated(offer)}
        sold = sells(columns["gpus"][place], str(columns["includes"].value[place]), gpus)
        cost = evaluate(book, plan, rented).scalars["cost"] if sold else None
        if cost is not None and cost.reason is not None:
            continue
        term = str(columns["term"].value[place])
        yield Offered(offer, term, columns["price"][place], rented, cost)


def sells(per_node: Value, includes: str, gpus: int) -> bool:
    """Whether so many accelerators of an offer can be had together."""
    if ALONE in includes:
        return False
    whole, joined = together(int(_number(per_node)), includes)
    return gpus <= whole or (joined and gpus % 8 == 0)


def _changed(book: Book, plan: Plan, found: Search, given: Edits, case: Case) -> Iterator[Change]:
    for name, other, row in changes(found, case):
        own = {Key(OWN): Stated(other.accelerator)}
        edits = _decided(book, plan, found, row, {**given, **own})
        text = {
            "method": METHODS[other.method], "gpus": str(other.gpus), "gpu": other.accelerator,
        }[name]  # fmt: skip
        yield Change(name, text, edits, evaluate(book, plan, edits))


# ------------------------------------------------------------------ values


def _stated(plan: Plan, given: Edits, name: str) -> Stated:
    stated = given.get(Key(name)) or plan.scalars[name].stated
    assert stated is not None, name
    return stated


def _value(plan: Plan, given: Edits, name: str) -> str:
    return str(_stated(plan, given, name).value)


def _float(stated: Stated) -> float:
    assert isinstance(stated.value, float)
    return stated.value


def _number(value: Value) -> float:
    assert isinstance(value.value, float), value
    return value.value


def _cost(offered: Offered) -> float:
    return 0.0 if offered.cost is None else _number(offered.cost)
