"""The question of the front page, answered at build time: the case, its offers, one change of it.

The case stands in the front matter of the page, in the words of `scalesheet show --set`, and `gpu`
for the accelerator whoever sells it. What it leaves open of the layout is found as `choose` finds
it. `render/live/front.js` answers in the page by the same steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from scalesheet.book import Book
from scalesheet.choose.answer import DECIDED
from scalesheet.choose.answer import inputs as inputs_of
from scalesheet.choose.case import MOST_GPUS, Case, changes, taken
from scalesheet.choose.conditions import obstacles
from scalesheet.choose.grid import axes_of
from scalesheet.choose.grid import stated as stated_of
from scalesheet.choose.job import Job, assumptions
from scalesheet.choose.offers import ALONE, together
from scalesheet.choose.search import BEYOND, Search, search
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.edits import EditError, read_edit
from scalesheet.model import Key, Plan, Stated
from scalesheet.predict.cases.catalogue import Known, known
from scalesheet.values import Results, Value
from scalesheet.vocabulary import METHODS, PRETRAINING, TERMS, TUNING, method_of

#: The plan's input that a page calls `gpu`.
OWN = "owned_gpu"
#: What a layout is made of, which is found unless it is stated.
LAYOUT = ("stage", "tensor", "pipeline", "micro_batch", "checkpointing")
#: Inputs in the order in which an address has them.
ORDER = (
    "model",
    "method",
    "data",
    "tokens",
    "samples",
    "sequence",
    "epochs",
    "batch",
    "rank",
    "trainer",
    "supply",
    "offer",
    OWN,
    "gpus",
    *LAYOUT,
)
#: Verdicts of what does not run: hours and cost have no meaning then.
BLOCKED = ("does not fit", "cannot run")
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
    """The case with some of it changed: the cheapest offer on demand is what it costs."""

    some: Mapping[str, str]  # the new values, as an address has them
    edits: Edits
    results: Results

    @property
    def runs(self) -> bool:
        return runs(self.results)


@dataclass(frozen=True)
class Answered:
    """The case as it is stated, and with the layout that was found, on accelerators of one's own;
    what each offer takes for it, the cheapest first, where it runs; and what one change would give.
    """

    stated: Mapping[str, str]
    edits: Edits
    results: Results
    offers: Sequence[Offered]
    changes: Sequence[Change]

    @property
    def gpus(self) -> int:
        return int(_float(self.edits[Key("gpus")]))

    @property
    def runs(self) -> bool:
        return runs(self.results)

    @property
    def firsts(self) -> Sequence[Offered]:
        """The cheapest offer of each term."""
        return [o for term in TERMS if (o := self.cheapest(term)) is not None]

    @property
    def shown(self) -> Edits:
        """The inputs that the page's figures are of: those of the cheapest offer, where there is
        one."""
        return self.firsts[0].edits if self.firsts else self.edits

    def cheapest(self, term: str) -> Offered | None:
        return next((o for o in self.offers if o.term == term and o.cost is not None), None)


def answered(book: Book, plan: Plan, stated: Mapping[str, str]) -> Answered:
    """The answer to a case. Raises Unanswered."""
    catalogue = known(book)
    given = _completed(book, plan, dict(_read(book, plan, stated)))
    own = given.get(Key(OWN)) or plan.scalars[OWN].stated
    assert own is not None
    accelerator = str(own.value)
    method = method_of(_value(plan, given, "method"))
    fixed = {name: each.value for name in LAYOUT if (each := given.get(Key(name))) is not None}
    gpus = int(_float(_stated(plan, given, "gpus")))
    case = Case(method, accelerator, gpus, cast("Mapping[str, float | str]", fixed))
    found = _search(book, plan, catalogue, given, method, 2 * gpus)
    row = taken(found, case)
    if row is None:
        raise Unanswered(_why_none(book, found, case))
    if not found.fits[row]:  # then it is sought how many would do
        found = _search(book, plan, catalogue, given, method, MOST_GPUS)
        row = taken(found, case)
        assert row is not None
    decided = _decided(book, plan, found, row, given)
    edits = {**decided, Key("supply"): Stated("owned"), Key(OWN): own}
    del edits[Key("offer")]
    results = evaluate(book, plan, edits)
    offers = sorted(
        _offers(book, plan, catalogue, edits, accelerator, gpus) if runs(results) else (),
        key=lambda each: (each.cost is None, _cost(each), each.offer),
    )
    others = list(_changed(book, plan, found, given, case))
    if results.scalars["verdict"].value != "fits":
        others = [each for each in others if each.runs]
    return Answered(
        stated,
        edits,
        results,
        tuple(offers),
        tuple(others),
    )


def _read(book: Book, plan: Plan, stated: Mapping[str, str]) -> Iterator[tuple[Key, Stated]]:
    for name, text in stated.items():
        try:
            yield read_edit(book, plan, f"{OWN if name == 'gpu' else name}={text}")
        except EditError as error:
            raise Unanswered(f"{name}: {error}") from None


def runs(results: Results) -> bool:
    """Whether a case runs, or may."""
    return results.scalars["verdict"].value not in BLOCKED


def _completed(book: Book, plan: Plan, given: Mapping[Key, Stated]) -> dict[Key, Stated]:
    """The case with what pretraining begins with where it does not say: the plan's epochs, and its
    usual batch for the case."""
    if _value(plan, given, "method") != PRETRAINING or Key("batch") in given:
        return dict(given)
    batch = _number(evaluate(book, plan, given).scalars["usual_batch"])
    return {**given, Key("batch"): Stated(batch, batch, batch)}


def _why_none(book: Book, found: Search, case: Case) -> str:
    """Why a case has no row: no layout can run, or nobody sells it."""
    axes = {**axes_of(found.job, [float(case.gpus)])}
    axes |= {name: [value] for name, value in case.fixed.items() if name in axes}
    reasons = obstacles(book, stated_of(found.job), axes)
    if reasons:
        return f"no layout can run: {'; '.join(reasons)}"
    return "no offer on demand sells this accelerator in that number"


def _search(
    book: Book, plan: Plan, catalogue: Known, given: Edits, method: str, most: int
) -> Search:
    """What `choose` would search in for the same job, without a deadline, on up to so many."""
    asked = evaluate(book, plan, given).scalars
    tuning = () if method == "pretrain" else TUNING
    job = Job(
        model=str(asked["model"].value),
        methods=tuning or (method,),
        tokens=_number(asked["trained_tokens"]) * 1e6,
        sequence=_number(asked["sequence"]),
        batch=_number(asked["batch"]),
        deadline=math.inf,
        certain=True,
        most_gpus=most / BEYOND,
        trainer=str(asked["trainer"].value) if Key("trainer") in given else "",
    )
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
    for names, other, row in changes(found, case):
        own = {Key(OWN): Stated(other.accelerator)}
        edits = _decided(book, plan, found, row, {**given, **own})
        texts = {
            "method": METHODS[other.method].plan,
            "gpus": str(other.gpus),
            "gpu": other.accelerator,
        }
        some = {name: texts[name] for name in names}
        yield Change(some, edits, evaluate(book, plan, edits))


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
