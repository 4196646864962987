"""examine: reads, checks, resolves and evaluates a data folder, or reports what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scalesheet.addresses import same_addresses
from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, Refused, errors
from scalesheet.edition import Edition
from scalesheet.forks import processes, spread
from scalesheet.frozen import dataclass
from scalesheet.kept import Item, is_kept
from scalesheet.kept_catalogue import Head, catalogue_item
from scalesheet.kept_edition import KeptEdition
from scalesheet.kept_plan import name_of_plan, plan_item
from scalesheet.save import Changes, save

if TYPE_CHECKING:
    from scalesheet.audit.model import Audited
    from scalesheet.load.folder import Files
    from scalesheet.predict.score import TaskScore
    from scalesheet.values import Results


@dataclass
class Examined:
    """A data folder, as far as it could be read: all diagnostics, and the edition if valid."""

    diagnostics: list[Diagnostic]
    edition: Edition | None = None
    #: Plans that have errors but were not requested.
    left_out: tuple[str, ...] = ()

    @property
    def book(self) -> Book | None:
        return self.edition.book if self.edition else None

    @property
    def results(self) -> Mapping[str, Results]:
        return self.edition.results if self.edition else {}

    @property
    def audits(self) -> Mapping[str, Audited]:
        return self.edition.audits if self.edition else {}

    @property
    def scores(self) -> Mapping[str, TaskScore]:
        return self.edition.scores if self.edition else {}


def examine(
    data: Path,
    as_of: date | None = None,
    *,
    plans: Collection[str] | None = None,
    asked: Collection[str] | None = None,
    label: str = "",
) -> Examined:
    """Load, check, resolve and evaluate. Each stage sees only what the previous one accepted.

    `plans` limits this to the catalogue and the named plans. If some are `asked` for, other plans
    with errors are left out. `label` replaces the folder in the paths that users see, if the folder
    is temporary. Parts that are unchanged to the byte come from the cache.
    """
    from scalesheet.load.folder import files_of, no_folder

    files = files_of(data, label)
    if files is None:
        return Examined([no_folder(data)])
    return examined_files(files, as_of, plans=plans, asked=asked)


def examined_files(
    files: Files,
    as_of: date | None = None,
    *,
    plans: Collection[str] | None = None,
    asked: Collection[str] | None = None,
    scores: bool = True,
    like: Edition | None = None,
) -> Examined:
    """The same for files in memory; with `scores`, also the scores of predictions.

    Whether these are as good as expected is known without computing them if score.lock is of
    these files. The catalogue is that of the edition `like` if its files are the same.
    """
    catalogue = catalogue_item(files.without_plans(), as_of, like)
    judged = scores and catalogue.head.held and not (as_of is None and files.as_scored)
    of_plans = {
        plan: each for plan, each in files.plans().items() if plans is None or plan in plans
    }
    if catalogue.kept and catalogue.head.sound:
        _keep_ahead(files.root, catalogue, of_plans, judged)
    own = {plan: plan_item(catalogue, each) for plan, each in of_plans.items()}
    left_out: list[str] = []
    if asked is not None and catalogue.head.sound:
        left_out = [p for p, each in own.items() if p not in asked and _stands_in_the_way(each)]
        own = {plan: each for plan, each in own.items() if plan not in left_out}
    heads: list[Head] = [catalogue.head, *(each.head for each in own.values())]
    result = [problem for head in heads for problem in head.problems]
    result += same_addresses(
        {plan: each.head.pages for plan, each in own.items()},
        {plan: each.head.audits for plan, each in own.items()},
    )
    if not all(head.sound for head in heads) or any(each.code == "N009" for each in result):
        return Examined(sorted(set(result)))
    edition = KeptEdition(files.root, catalogue, own, of_plans, scores)
    result += edition.score.head if judged else ()
    return Examined(sorted(set(of_its_day(result, catalogue.head.days))), edition, tuple(left_out))


def examine_changes(
    data: Path,
    changes: Mapping[Path, bytes],
    *,
    plans: Collection[str] | None = None,
) -> Examined:
    """The same for a data folder as it will be once these files have this content. Errors that it
    has without them are left out.
    """
    from scalesheet.load.folder import files_of, no_folder

    files = files_of(data)
    if files is None:
        return Examined([no_folder(data)])
    below = {path.relative_to(data).parts: content for path, content in changes.items()}
    examined = examined_files(files.changed(below), plans=plans)
    if errors(examined.diagnostics):
        before = {_whatever_line(each) for each in examined_files(files, plans=plans).diagnostics}
        examined.diagnostics = [d for d in examined.diagnostics if _whatever_line(d) not in before]
    return examined


def _whatever_line(problem: Diagnostic) -> tuple[str, str, str]:
    return problem.path, problem.code, problem.message


def save_valid(data: Path, changes: Changes, *, plans: Collection[str] | None = None) -> Examined:
    """Save changed files of the data folder, unless `check` would then report errors that it does
    not report now. Raises Refused with these, and what `save` raises; then nothing was written.
    """
    new = {path: content for path, (_, content) in changes.items()}
    examined = examine_changes(data, new, plans=plans)
    if errors(examined.diagnostics):
        raise Refused(examined.diagnostics)
    save(data, changes)
    return examined


def _keep_ahead(root: str, catalogue: Item, plans: Mapping[str, Files], judged: bool) -> None:
    """Compute what is not cached in parallel, so that later steps find it in the cache."""
    works: list[Callable[[], object]] = [
        partial(plan_item, catalogue, files)
        for files in sorted(plans.values(), key=_size, reverse=True)
        if not is_kept(name_of_plan(catalogue, files))
    ]
    if judged and not is_kept(catalogue.head.scored):
        edition = KeptEdition(root, catalogue, {}, {})
        works.insert(0, lambda: edition.scored)  # the slowest one
    if len(works) > 1 < processes():
        with spread(lambda work: bool(work()), works) as kept_now:
            kept_now()


def _size(files: Files) -> int:
    return sum(len(each.content) for each in files.every)


def _stands_in_the_way(item: Item) -> bool:
    return not item.head.sound or bool(errors(item.head.problems))


#: Diagnostics about the book's own edition, such as a claim's verdict.
OF_THE_EDITION = frozenset({"C004", "C009"})


def of_its_day(problems: list[Diagnostic], days: tuple[date, date]) -> list[Diagnostic]:
    """Turn diagnostics about the edition into warnings if `days`, a day and the edition, differ.

    A different verdict on another day stops nothing, since every past edition can be built.
    """
    day, edition = days
    if day == edition:
        return problems
    return [
        replace(each, code="V015", message=f"on {day}: {each.message}")
        if each.code in OF_THE_EDITION
        else each
        for each in problems
    ]


def diagnose(data: Path, as_of: date | None = None) -> list[Diagnostic]:
    """All diagnostics of a data folder, sorted."""
    return examine(data, as_of).diagnostics


def sound_edition(
    data: Path,
    as_of: date | None = None,
    *,
    plans: Collection[str] | None = None,
    asked: Collection[str] | None = None,
) -> tuple[Edition, tuple[Diagnostic, ...]]:
    """The edition of a data folder, or of some of its plans, and any warnings; for `asked`, see
    `examine`.

    Raises Refused with all diagnostics if there is an error.
    """
    examined = examine(data, as_of, plans=plans, asked=asked)
    return sound(examined), tuple(examined.diagnostics)


def sound(examined: Examined) -> Edition:
    """The edition. Raises Refused with all diagnostics if there is an error."""
    if examined.edition is None or errors(examined.diagnostics):
        raise Refused(examined.diagnostics)
    return examined.edition


def compile_book(
    data: Path, as_of: date | None = None, *, plans: Collection[str] | None = None
) -> Book:
    """The Book of a data folder, or of some of its plans. Raises Refused with all diagnostics."""
    return sound_edition(data, as_of, plans=plans)[0].book
