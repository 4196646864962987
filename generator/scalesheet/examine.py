"""examine: a data folder is read, checked, resolved and evaluated, or what is wrong is said."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, Refused, errors
from scalesheet.edition import Edition

if TYPE_CHECKING:
    from scalesheet.audit.model import Audited
    from scalesheet.predict.score import TaskScore
    from scalesheet.values import Results


@dataclass
class Examined:
    """A data folder as far as it could be read: all diagnostics, and the edition if sound."""

    diagnostics: list[Diagnostic]
    edition: Edition | None = None

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
    label: str = "",
) -> Examined:
    """Load, check, resolve and evaluate. Each stage runs only on what the one before accepted.

    Of `plans` only those named are looked at, with the catalogue, which knows nothing of them.
    `label` stands for the folder in the paths that users see, where it is a temporary one.
    """
    from scalesheet.check import check
    from scalesheet.load import PLAN_KINDS, load

    documents, result = load(data, label)
    if plans is not None:
        documents = [each for each in documents if each.kind not in PLAN_KINDS or each.id in plans]
    result = result + check(documents)
    if any(each.code not in OF_NO_VALUE for each in errors(result)):
        return Examined(sorted(set(result)))
    from scalesheet.resolve import resolve

    book, resolved = resolve(documents, as_of)
    result += resolved
    if book is None or errors(resolved):
        return Examined(sorted(set(result)))
    from scalesheet.evaluate.findings import counts, examples

    edition, found = examined_plans(book)
    book = edition.book
    result += found
    result += examples(book)
    result += counts(book)
    if book.publications:
        from scalesheet.predict.score.expected import problems as score_problems

        result += score_problems(book, edition.scores)
    return Examined(sorted(set(of_its_day(result, book))), edition)


def examined_plans(book: Book) -> tuple[Edition, list[Diagnostic]]:
    """The edition of a resolved book, and what is wrong with its plans and their audits."""
    from scalesheet.audit.problems import problems
    from scalesheet.choose.layout import laid_out
    from scalesheet.defined_names import name_problems
    from scalesheet.evaluate.findings import findings
    from scalesheet.prose import problems as prose_problems

    then = laid_out(replace(book, plans=book.audited)).plans
    edition = Edition(replace(laid_out(book), audited=then))
    book = edition.book
    result: list[Diagnostic] = []
    for plan in book.plans.values():
        result += name_problems(book, plan)
        result += prose_problems(book, plan)
        result += findings(book, plan, edition.results[plan.id])
    for audited in edition.audits.values():
        result += problems(audited, book)
    return edition, result


#: Errors that change no value: what rests on the file can be looked at all the same.
OF_NO_VALUE = frozenset({"N006"})
#: What a book says of its own edition: what a claim's verdict is.
OF_THE_EDITION = frozenset({"C004", "C009"})


def of_its_day(problems: list[Diagnostic], book: Book) -> list[Diagnostic]:
    """Diagnostics as they count on the day of the book. On any day but that of the edition another
    verdict stops nothing, since every past edition can be built."""
    if book.as_of == book.edition:
        return problems
    return [
        replace(each, code="V015", message=f"on {book.as_of}: {each.message}")
        if each.code in OF_THE_EDITION
        else each
        for each in problems
    ]


def diagnose(data: Path, as_of: date | None = None) -> list[Diagnostic]:
    """All diagnostics of a data folder, sorted."""
    return examine(data, as_of).diagnostics


def sound_edition(
    data: Path, as_of: date | None = None, *, plans: Collection[str] | None = None
) -> tuple[Edition, tuple[Diagnostic, ...]]:
    """The edition of a data folder, or of some of its plans, and what is noted of it. Raises
    Refused with all diagnostics if there is an error."""
    examined = examine(data, as_of, plans=plans)
    if examined.edition is None or errors(examined.diagnostics):
        raise Refused(examined.diagnostics)
    return examined.edition, tuple(examined.diagnostics)


def compile_book(
    data: Path, as_of: date | None = None, *, plans: Collection[str] | None = None
) -> Book:
    """The Book of a data folder, or of some of its plans. Raises Refused with all diagnostics."""
    return sound_edition(data, as_of, plans=plans)[0].book
