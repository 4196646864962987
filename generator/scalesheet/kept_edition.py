"""An edition whose parts were computed when its files were examined, and are in the cache."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from scalesheet.book import Book
from scalesheet.edition import Edition, scores_of
from scalesheet.kept import Item, OnDemand, kept, name_of

if TYPE_CHECKING:
    from scalesheet.audit.model import Audited
    from scalesheet.load.folder import Files
    from scalesheet.predict.score import TaskScore
    from scalesheet.predict.score.hidden import Hidden
    from scalesheet.values import Results

T = TypeVar("T")

#: Folders that predictions do not read.
PRICES = ("rates/", "providers/")


def _book(catalogue: Item, plans: Mapping[str, Item]) -> Book:
    book: Book = catalogue["book"]
    heads = {plan: each.head for plan, each in plans.items()}
    return replace(
        book,
        plans=OnDemand(plans, lambda plan: plans[plan]["plan"]),
        audited=OnDemand(
            (plan for plan, head in heads.items() if head.moved_on),
            lambda plan: plans[plan]["then"],
        ),
        audits=_of_audits(plans, "audits"),
    )


def _of_audits(plans: Mapping[str, Item], part: str) -> OnDemand[Any]:
    """A part of each audit, by its id."""
    items = {id_: item for item in plans.values() for id_, _ in item.head.audits}
    return OnDemand(items, lambda id_: items[id_][part][id_])


class KeptEdition(Edition):
    """An edition whose numbers were computed when each plan was examined; its book is read from the
    cache on first use. `root` is the data folder as users see it.
    """

    def __init__(
        self,
        root: str,
        below: Item,
        plans: Mapping[str, Item],
        files: Mapping[str, Files],
        with_scores: bool = True,
        whole: Edition | None = None,
    ) -> None:
        every = {"root": root, "below": below, "plans": plans, "files": files}
        vars(self).update(every, with_scores=with_scores, whole=whole)

    root: str
    below: Item
    plans: Mapping[str, Item]
    files: Mapping[str, Files]
    with_scores: bool

    @cached_property
    def book(self) -> Book:
        return _book(self.below, self.plans)

    @cached_property
    def results(self) -> Mapping[str, Results]:
        return OnDemand(self.plans, self._results_of)

    def _results_of(self, plan: str) -> Results:
        own: Results = self.plans[plan]["results"]
        return own.on(self.catalogue)

    @cached_property
    def catalogue(self) -> Results:
        cells: Results = self.below["cells"]
        return cells

    @cached_property
    def audits(self) -> Mapping[str, Audited]:
        return _of_audits(self.plans, "judged")

    @cached_property
    def scored(self) -> Mapping[str, TaskScore]:
        """The score; it depends on no plan, so it is the same whichever are examined."""
        if not self.book.publications:
            return {}

        def made() -> Mapping[str, TaskScore]:
            from scalesheet.predict.score import score

            return score(self.book)

        return self._kept(self.below.head.scored, made)

    @cached_property
    def hidden_sweeps(self) -> tuple[Hidden, ...]:
        name = name_of("hidden", self.below.head.scored)
        return self._kept(name, lambda: super(KeptEdition, self).hidden_sweeps)

    @cached_property
    def scores(self) -> Mapping[str, TaskScore]:
        scores: Mapping[str, TaskScore] = self.score["scores"] if self.with_scores else {}
        return scores

    @property
    def _asked(self) -> list[str]:
        from scalesheet.choose.job import PLAN

        return [self.plans[PLAN].head.name] if PLAN in self.plans else []

    def keep(self, name: str, make: Callable[[], T], plan: str = "") -> T:
        of = (self.below.head.name, [self.plans[plan].head.name] if plan else self._asked)
        return self._kept(name_of(name, of), make)

    def _kept(self, name: str, make: Callable[[], T]) -> T:
        """The value that `make` returns, from the cache if it is there."""
        item = kept(name, lambda: Item([], {"value": make()}), self.root, always=self.below.kept)
        value: T = item["value"]
        return value

    @cached_property
    def score(self) -> Item:
        """The `scores`; the head has their diagnostics."""

        def made() -> Item:
            from scalesheet.predict.law.file import problems as of_laws
            from scalesheet.predict.score.expected import problems

            scores = scores_of(self.book, self.scored)
            found = [*of_laws(self.book)]
            found += problems(self.book, scores) if self.book.publications else ()
            own = [each for each in found if each.path.startswith(self.book.folder)]
            return Item(tuple(own), {"scores": scores})

        name = name_of("scores", self.below.head.name, self._asked)
        return kept(name, made, self.root, always=self.below.kept)
