"""An edition of a book: everything computed from it, once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.kept import OnDemand
from scalesheet.model import Key, Plan, Quantity, Table

if TYPE_CHECKING:
    from scalesheet.actuals.progress import Progress
    from scalesheet.audit.model import Audited
    from scalesheet.evaluate.sensitivity import Sensitivity
    from scalesheet.predict.score import TaskScore
    from scalesheet.predict.score.hidden import Hidden
    from scalesheet.steps.comparison import Comparison
    from scalesheet.sure.quantiles import Sure
    from scalesheet.values import Results, Value

T = TypeVar("T")

#: Stands for the edition's hash in the cached workbook and pages of a plan, which do not depend on
#: other plans.
HASH = "@@hash@@"


@dataclass(frozen=True)
class Edition:
    """A valid book with its numbers. Each property is computed on first use, then kept."""

    book: Book
    #: The edition with all rows, if this book has only those that a plan needs.
    whole: Edition | None = field(default=None, kw_only=True)
    #: The audits, if they were judged already.
    judged: Mapping[str, Audited] | None = field(default=None, kw_only=True)
    #: The results of plans that were evaluated already.
    evaluated: Mapping[str, Results] = field(default_factory=dict, kw_only=True)

    def keep(self, name: str, make: Callable[[], T], plan: str = "") -> T:
        """Return a cached result that depends only on the catalogue and one plan.

        By default it is the plan that `choose` uses. The cache applies if both are the same as in
        an earlier edition.
        """
        return make()

    @cached_property
    def results(self) -> Mapping[str, Results]:
        """All cells, by plan."""
        from scalesheet.evaluate import evaluate

        return {
            id_: self.evaluated[id_] if id_ in self.evaluated else evaluate(self.book, plan)
            for id_, plan in self.book.plans.items()
        }

    @cached_property
    def catalogue(self) -> Results:
        """All cells of the catalogue."""
        from scalesheet.evaluate import evaluate_catalogue

        return evaluate_catalogue(self.book)

    @cached_property
    def scenarios(self) -> Mapping[str, Mapping[str, Results]]:
        """By plan and scenario, computed on first use; empty for a plan without scenarios."""
        return OnDemand(self.book.plans, self._scenarios)

    def _scenarios(self, plan: str) -> Mapping[str, Results]:
        from scalesheet.evaluate import evaluate

        own, results = self.book.plans[plan], self.results[plan]
        standing = results.scalars["scenario"].value if own.scenarios else None

        def others() -> Mapping[str, Results]:
            words = (word for word in own.scenarios if word != standing)
            made = {word: evaluate(self.book, own, {Key("scenario"): word}) for word in words}
            return {word: each.of(own.tables) for word, each in made.items()}

        made = self.keep("scenarios", others, plan) if own.scenarios else {}
        other = {word: each.on(self.catalogue) for word, each in made.items()}
        return {word: other.get(word, results) for word in own.scenarios}

    @cached_property
    def examples(self) -> Mapping[str, tuple[float, ...]]:
        """The results of each catalogue formula for its examples, in order."""
        from scalesheet.evaluate.examples import call

        return {
            record.id: tuple(
                float(call(record, example.given).value or 0.0) for example in record.examples
            )
            for record in self.book.records.values()
        }

    @cached_property
    def sensitivities(self) -> Mapping[str, Sensitivity]:
        """The sensitivity of each plan, computed on first use."""
        if self.whole is not None:
            return self.whole.sensitivities
        return OnDemand(self.book.plans, self._sensitivity)

    def _sensitivity(self, plan: str) -> Sensitivity:
        from scalesheet.evaluate.sensitivity import sensitivity

        own = self.book.plans[plan]
        return self.keep("sensitivity", lambda: sensitivity(self.book, own), plan)

    @cached_property
    def sures(self) -> Mapping[str, Sure]:
        """The quantiles of each plan, computed on first use."""
        if self.whole is not None:
            return self.whole.sures
        return OnDemand(self.book.plans, self._sure)

    def _sure(self, plan: str) -> Sure:
        from scalesheet.sure.quantiles import sure

        return self.keep("sure", lambda: sure(self.book, self.book.plans[plan]), plan)

    @cached_property
    def audits(self) -> Mapping[str, Audited]:
        """By id: one per document."""
        from scalesheet.audit.judge import judge, with_present

        judged = self.judged if self.judged is not None else judge(self.book)
        return {id_: with_present(e, self.results[e.audit.plan]) for id_, e in judged.items()}

    @cached_property
    def progress(self) -> Mapping[str, Progress]:
        """The progress of each plan with actuals."""
        from scalesheet.actuals.progress import progress

        plans = self.book.plans.values()
        begun = [plan for plan in plans if plan.actuals is not None and plan.actuals.attempts]
        made = {plan.id: progress(plan, self.results[plan.id]) for plan in begun}
        return {id_: each for id_, each in made.items() if each is not None}

    @cached_property
    def scored(self) -> Mapping[str, TaskScore]:
        """The score of predictions by task, without any plan."""
        from scalesheet.predict.score import score

        return score(self.book) if self.book.publications else {}

    @cached_property
    def scores(self) -> Mapping[str, TaskScore]:
        """The same, including for runs the answers of the calculator."""
        return scores_of(self.book, self.scored)

    @cached_property
    def hidden_sweeps(self) -> tuple[Hidden, ...]:
        """Published sweeps of losses with their largest runs hidden; only outputs need them."""
        from scalesheet.predict.score.hidden import hidden

        return hidden(self.book, self.scored["loss"]) if "loss" in self.scored else ()

    @cached_property
    def comparisons(self) -> Mapping[str, Comparison]:
        """The prediction for each measurement."""
        from scalesheet.steps.comparison import compared
        from scalesheet.steps.simulate import simulated

        return self.keep("comparisons", lambda: compared(self.book, simulated))

    @cached_property
    def hash(self) -> str:
        """Eight characters by which two people can check that they have the same numbers.

        Covers the edition's date and every cell of the plans and the catalogue: its place, value,
        range and unit, but not descriptions.
        """
        if self.whole is not None:
            return self.whole.hash
        digest = hashlib.sha256(self.book.edition.isoformat().encode())
        every = [("", cells_of(self.book.tables.values(), self.catalogue))]
        every += [(id_, cells(plan, self.results[id_])) for id_, plan in self.book.plans.items()]
        units: dict[int, str] = {}  # as text, by the quantity's id()
        for owner, results in every:
            for table, row, quantity, value in results:
                unit = units.get(id(quantity)) or units.setdefault(id(quantity), str(quantity.unit))
                ends = (value.value, value.low, value.high, value.reason, unit)
                digest.update(repr((owner, table, row, quantity.name, *ends)).encode())
        return digest.hexdigest()[:8]


def scores_of(book: Book, made: Mapping[str, TaskScore]) -> Mapping[str, TaskScore]:
    """The score with the answers of the calculator, if the book has it."""
    from scalesheet.choose.asked import as_asked
    from scalesheet.choose.job import PLAN
    from scalesheet.predict.cases.catalogue import known

    if "runs" not in made or PLAN not in book.plans:
        return made
    asked = as_asked(book, made["runs"], known(book))
    return {**made, "runs": replace(made["runs"], asked=asked)}


def cells(plan: Plan, results: Results) -> Iterator[tuple[str, str, Quantity, Value]]:
    """Yield every cell of a plan: the scalars first, then the tables row by row."""
    for name, scalar in plan.scalars.items():
        yield "", "", scalar, results.scalars[name]
    yield from cells_of(plan.tables.values(), results)


def cells_of(
    tables: Iterable[Table], results: Results
) -> Iterator[tuple[str, str, Quantity, Value]]:
    """Yield every cell of some tables, row by row."""
    for table in tables:
        columns = results.tables[table.name]
        for place, row in enumerate(table.rows):
            for column in table.columns.values():
                yield table.name, row, column, columns[column.name][place]
