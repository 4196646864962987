"""examine: reads, checks, resolves and evaluates a data folder, or reports what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from scalesheet.addresses import Address, addresses, same_addresses
from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, Refused, at, errors
from scalesheet.edition import Edition
from scalesheet.forks import processes, spread
from scalesheet.frozen import dataclass
from scalesheet.kept import (
    Apart,
    Item,
    Part,
    Reads,
    is_kept,
    kept,
    kept_by_reads,
    name_after,
    name_by_reads,
    name_of,
)
from scalesheet.kept_edition import PRICES, KeptEdition
from scalesheet.model import Key, Plan, Position, Stated
from scalesheet.reach import (
    UNREAD,
    Reach,
    noted,
    reach,
    restricted,
    row_files,
    structure,
)

if TYPE_CHECKING:
    from scalesheet.audit.model import Audited
    from scalesheet.evaluate.findings import Faults
    from scalesheet.load import Document, Known
    from scalesheet.load.folder import File, Files
    from scalesheet.predict.score import TaskScore
    from scalesheet.resolve.book import Formulas, Ground, Resolved
    from scalesheet.resolve.compile import Compiled
    from scalesheet.resolve.drafts import Space
    from scalesheet.values import Results

T = TypeVar("T")


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
    catalogue = _catalogue(files.without_plans(), as_of, like)
    judged = scores and catalogue.head.held and not (as_of is None and files.as_scored)
    of_plans = {
        plan: each for plan, each in files.plans().items() if plans is None or plan in plans
    }
    if catalogue.kept and catalogue.head.sound:
        _keep_ahead(files.root, catalogue, of_plans, judged)
    own = {plan: _plan(catalogue, each) for plan, each in of_plans.items()}
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


def _keep_ahead(root: str, catalogue: Item, plans: Mapping[str, Files], judged: bool) -> None:
    """Compute what is not cached in parallel, so that later steps find it in the cache."""
    works: list[Callable[[], object]] = [
        partial(_plan, catalogue, files)
        for files in sorted(plans.values(), key=_size, reverse=True)
        if not name_by_reads(*_name_of_plan(catalogue, files))
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


# ------------------------------------------------------------------ cached parts

#: Files of a book that predictions never read.
OF_THE_BOOK = ("book.yaml", "book.lock", "sources.yaml", "units.yaml")


@dataclass(frozen=True)
class Head:
    """The diagnostics of the catalogue or a plan, and whether it has values nevertheless.

    Files are checked `against` what the catalogue states, of which they can `reach` some; its score
    is cached as `scored`. A plan has pages, audits and possibly an audited version.
    """

    problems: tuple[Diagnostic, ...]
    sound: bool
    name: str
    against: Known | None = None
    reach: Reach | None = None
    scored: str = ""
    fixed: str = ""  # all that affects the score, but the rows of the catalogue
    held: bool = False  # whether the folder's own files affect the score
    days: tuple[date, date] | None = None
    plan: str = ""
    pages: tuple[Address, ...] = ()
    audits: tuple[Address, ...] = ()
    moved_on: bool = False


def _catalogue(files: Files, as_of: date | None, like: Edition | None) -> Item:
    """The book without plans: `book`, its `cells` and their `faults`, and the `ground` for
    resolving plans.
    """
    content = _content(files)
    name = name_of("catalogue", as_of, content)
    if isinstance(like, KeptEdition) and like.below.head.name == name:
        return like.below
    rest = [each for each in content if not each[0].startswith(PRICES)]
    scored = name_of("scored", as_of, rest)
    own = {each.name.removeprefix(files.root) for each in files.every if not each.extended}
    held = any(each in own and each not in OF_THE_BOOK for each, _ in rest)

    def made() -> Item:
        documents, problems, against = _checked(files)
        stated = against.sources and sorted(against.sources), against.edition
        if _stops(problems):
            return Item(Head(tuple(problems), False, name, against), {"ground": None})
        from scalesheet.resolve.book import grounded

        resolved: list[Diagnostic] = []
        formulas = _Formulas(files, as_of)
        ground = grounded(documents, as_of, resolved, formulas)
        problems += resolved
        if ground is None or ground.book is None or errors(resolved):
            of_plans = reach(ground, files, None, formulas.of, as_of, *stated) if ground else None
            head = Head(tuple(problems), False, name, against, of_plans)
            return Item(head, {"ground": ground})
        from scalesheet.evaluate.examples import counts, examples
        from scalesheet.evaluate.findings import of_catalogue

        book = ground.book
        problems += [*examples(book), *counts(book)]
        days = (book.as_of, book.edition)
        scores = held and bool(book.publications or book.fits)
        cells = Edition(book).catalogue
        faults = found, faulty = of_catalogue(book.tables, book.order)
        more = (as_of, *stated, found, sorted(faulty, key=str))
        of_plans = reach(ground, files, cells, formulas.of, *more)
        unread = [each for each in content if each[0].startswith(UNREAD)]
        fixed = name_of("fixed", as_of, formulas.of, unread)
        head = Head(tuple(problems), True, name, against, of_plans, scored, fixed, scores, days)
        tables = _apart(ground.space.catalogue)
        space = replace(
            ground.space,
            catalogue=tables,
            records=Apart(ground.space.records),
            components=Apart(ground.space.components),
        )
        parts = {
            "ground": replace(ground, book=None, space=space),
            "book": replace(
                book,
                tables=_apart(book.tables, tables),
                records=Apart(book.records),
                components=Apart(book.components),
            ),
            "cells": cells,
            "faults": faults,
        }
        return Item(head, parts)

    return kept(name, made, files.root)


def _apart(tables: Mapping[str, Any], like: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The same tables, whose stated cells are loaded by column. Cells that are those of the tables
    `like` them are packed once for both.
    """

    def column(table: str, name: str, stated: Mapping[str, Any]) -> Apart[Any]:
        other: Apart[Any] | None = like[table].columns[name].stated if like else None
        return other if other == stated and other else Apart(stated, whole=True)

    return {
        table: replace(
            of,
            columns={
                name: replace(each, stated=column(table, name, each.stated))
                for name, each in of.columns.items()
            },
        )
        for table, of in tables.items()
    }


#: The number of files from which on the parts of a catalogue are worth files in the cache.
MANY = 200
#: The most files of a folder that are cached together.
TOGETHER = 32


class _Formulas:
    """The formulas and components of a catalogue, cached under all that they depend on: `of`."""

    def __init__(self, files: Files, as_of: date | None) -> None:
        self.files, self.as_of, self.of = files, as_of, ""

    def __call__(
        self, make: Callable[[Space], Formulas], space: Space, catalogue: Compiled
    ) -> Formulas:
        self.of = structure(space, catalogue, self.files)

        def made(reads: Reads) -> Item:
            formulas = make(noted(space, reads))
            return Item([*formulas.problems], {"formulas": formulas})

        name, root = name_of("formulas", self.of, self.as_of), self.files.root
        always = len(self.files.every) >= MANY
        item = kept_by_reads(name, made, row_files(self.files), root, always=always)
        formulas: Formulas = item["formulas"]
        return formulas


def _checked(files: Files) -> tuple[list[Document], list[Diagnostic], Known]:
    """The documents of a catalogue, the diagnostics of each on its own, and what all are checked
    against. A few files are cached together, since most edits are in one file.
    """
    from scalesheet.check import known
    from scalesheet.load.folder import TOP, read_each

    at_top = tuple(each for each in files.every if len(each.parts) == 1)
    against = known(read_each(replace(files, every=at_top))[0])
    folders = [[*every] for _, every in groupby(files.every, lambda each: each.parts[0])]
    many = len(files.every) >= MANY
    parts = [
        (folder[at : at + TOGETHER], many and len(folder) > 1)
        for folder in folders
        for at in range(0, len(folder), TOGETHER)
    ]
    documents, problems = _read(files, parts, against, needed=TOP)
    return documents, problems, against


def _read(
    files: Files,
    parts: Sequence[tuple[Sequence[File], bool]],
    against: Known,
    needed: Iterable[str] = (),
) -> tuple[list[Document], list[Diagnostic]]:
    """The documents of files, and the diagnostics of each on its own. The files are in `parts`;
    those that are marked are cached, however fast they are read.
    """
    from scalesheet.check import check
    from scalesheet.load.folder import documents_of, read_each

    found: list[Diagnostic] = []
    stated = against.sources and sorted(against.sources), against.edition

    def made(part: Files) -> Item:
        documents, problems = read_each(part)
        return Item([problems, check(documents, against)], {"documents": documents})

    def read(files: Files) -> tuple[list[Document], list[Diagnostic]]:
        documents: list[Document] = []
        diagnostics: list[Diagnostic] = []
        for every, always in parts:
            part = replace(files, every=tuple(every))
            name = name_of("documents", stated, _content(part))
            item = kept(name, partial(made, part), files.root, always=always)
            documents += item["documents"]
            diagnostics += item.head[0]
            found.extend(item.head[1])
        return documents, diagnostics

    documents, diagnostics = documents_of(files, needed, read)
    of = {each.path for each in documents}
    return documents, [*diagnostics, *(each for each in found if each.path in of)]


def _plan(catalogue: Item, files: Files) -> Item:
    """One plan on top of the catalogue.

    Its parts are `plan`, its own `results`, the audited plan (`then`), its `audits`, and their
    results (`judged`).
    """
    name, parts = _name_of_plan(catalogue, files)
    plan = files.every[0].plan

    def made(reads: Reads) -> Item:
        from scalesheet.resolve.lowering.subpages import audited_at

        documents, problems = _documents(catalogue, files)
        audits = tuple(audited_at(documents))
        edition = None
        if not _stops(problems) and catalogue["ground"] is not None:
            compared = _then(catalogue, files, documents)
            reads.update(compared.head if compared else ())
            below = restricted(*_below(catalogue), reads)
            edition, found = _edition_of(catalogue, *below, plan, documents, compared)
            problems += found
        full = name_after(name, reads, parts)
        head = Head(tuple(problems), edition is not None, full, plan=plan, audits=audits)
        if edition is None:
            return Item(head, {})
        then = edition.book.audited.get(plan)
        own, results = edition.book.plans[plan], edition.results[plan]
        parts_ = {
            "plan": own,
            "results": results.of(own.tables),
            "then": then,
            "audits": edition.book.audits,
            "judged": edition.audits,
        }
        return Item(replace(head, pages=tuple(addresses(own)), moved_on=then is not None), parts_)

    return kept_by_reads(name, made, parts, files.root, always=catalogue.kept)


def _below(catalogue: Item) -> tuple[Ground, Book | None]:
    """What plans are resolved on, and the book, None if it has errors."""
    return catalogue["ground"], catalogue["book"] if catalogue.head.sound else None


def _then(catalogue: Item, files: Files, documents: Sequence[Document]) -> Item | None:
    """The plan as it was when its documents were audited, None if that is the present one: `then`,
    and its audits, `judged`. The head is what it read of the catalogue.

    It depends on no other file of the plan, so an edit of the plan leaves it as it is.
    """
    from scalesheet.load import audited

    of = {each.path for each in documents if each.kind in (audited.KIND, "claims")}
    if not catalogue.head.sound or all(each.kind != audited.KIND for each in documents):
        return None
    id_ = files.every[0].plan
    below = catalogue.head.reach or Reach(catalogue.head.name, {})
    own = replace(files, every=tuple(each for each in files.every if each.name in of))

    def made(reads: Reads) -> Item:
        from scalesheet.audit.judge import judge
        from scalesheet.choose.layout import laid_out, layouts
        from scalesheet.resolve.book import as_audited

        ground, book = restricted(catalogue["ground"], catalogue["book"], reads)
        then = as_audited(ground, [each for each in documents if each.path in of])
        judged: Mapping[str, Audited] = {}
        if book is not None and then is not None and then.plan is not None:
            plans = {id_: laid_out(then.plan, layouts(book, then.plan))}
            then = replace(then, plan=plans[id_])
            audits = {audit.id: audit for audit in then.audits}
            judged = judge(replace(book, plans=plans, audited=plans, audits=audits))
        return Item(sorted(reads), {"then": then, "judged": judged})

    name = name_of("then", below.shared, _content(own))
    return kept_by_reads(name, made, below.parts, files.root, always=catalogue.kept)


def _name_of_plan(catalogue: Item, files: Files) -> tuple[str, Mapping[Part, str]]:
    """The name of a plan, and the digests of what it may read of the catalogue."""
    below = catalogue.head.reach or Reach(catalogue.head.name, {})
    return name_of("plan", below.shared, _content(files)), below.parts


def _documents(catalogue: Item, files: Files) -> tuple[list[Document], list[Diagnostic]]:
    """The documents of a plan, and the diagnostics of each on its own. Most edits are in plan.yaml,
    so the other files are cached.
    """
    plan = [each for each in files.every if each.parts[2:] == ("plan.yaml",)]
    rest = [each for each in files.every if each not in plan]
    parts = [(plan, False), (rest, catalogue.kept)]
    return _read(files, [each for each in parts if each[0]], catalogue.head.against)


def _edition_of(
    catalogue: Item,
    ground: Ground,
    book: Book | None,
    plan: str,
    documents: Sequence[Document],
    audited: Item | None,
    ranges: Mapping[Key, Stated] | None = None,
) -> tuple[Edition | None, list[Diagnostic]]:
    """The edition of a plan on top of the catalogue (None on errors), and diagnostics.

    `ground` and `book` are the catalogue's, as in `_below`. `audited` is the plan as it was
    audited, as in `_then`; `ranges` replace the values of inputs.
    """
    from scalesheet.actuals.progress import estimates
    from scalesheet.resolve.book import resolve_plan

    problems: list[Diagnostic] = []
    edition: Edition | None = None
    found: list[Diagnostic] = []
    forecast: Mapping[str, Stated] | None = None
    then = audited["then"] if audited is not None else None
    while True:
        resolved = resolve_plan(ground, documents, problems, forecast, ranges, then)
        if resolved is None or errors(problems) or book is None:
            return None, problems
        judged = audited["judged"] if audited is not None and resolved.then is not None else None
        edition, found = examined_plan(book, resolved, catalogue["faults"], judged)
        stands = edition.progress.get(plan)
        if stands is None or not stands.actuals.forecast or forecast is not None:
            return edition, [*problems, *found]
        forecast, problems = estimates(stands), []


def _content(files: Files) -> list[tuple[str, str]]:
    """What an item depends on: the path and digest of each file."""
    return [(each.name.removeprefix(files.root), each.digest) for each in files.every]


def _stops(problems: list[Diagnostic]) -> bool:
    """Return whether files have too many errors to be resolved."""
    return any(each.code not in OF_NO_VALUE for each in errors(problems))


def examined_plan(
    book: Book, resolved: Resolved, faults: Faults, judged: Mapping[str, Audited] | None = None
) -> tuple[Edition, list[Diagnostic]]:
    """The edition of a catalogue with one plan, and diagnostics of the plan and its audits. The
    `faults` are those of the catalogue's cells.

    If these were `judged` already, the plan as it was audited has its layouts.
    """
    from scalesheet.actuals.progress import problems as of_actuals
    from scalesheet.audit.cited import cited_lines
    from scalesheet.audit.problems import problems
    from scalesheet.choose.layout import laid_out, layouts
    from scalesheet.defined_names import name_problems
    from scalesheet.evaluate import evaluate
    from scalesheet.evaluate.findings import findings
    from scalesheet.prose import problems as prose_problems

    id_ = resolved.plan.id
    then = resolved.then
    if judged is None and then is not None:
        then = laid_out(then, layouts(book, then))
    chosen = layouts(book, resolved.plan)
    results = {id_: evaluate(book, resolved.plan, chosen)}
    plan = laid_out(resolved.plan, chosen)
    of_then = {id_: then} if then is not None else {}
    book = replace(book, plans={id_: plan}, audits=resolved.audits, audited=of_then)
    edition = Edition(book, judged=judged, evaluated=results)
    result = [*name_problems(book, plan), *prose_problems(book, plan)]
    unfit = list(_unfit(plan))
    result += findings(book, plan, edition.results[id_], faults, unfit=bool(unfit))
    result += unfit
    for stands in edition.progress.values():
        result += of_actuals(stands)
    for audited in edition.audits.values():
        result += problems(audited, book)
    result += cited_lines(book, plan, list(resolved.audits.values()))
    return edition, result


def _unfit(plan: Plan) -> Iterator[Diagnostic]:
    """Yield the cases that no layout fits, with their places in the plan."""
    from scalesheet.choose.layout import without

    for case in without(plan, {}):
        table = plan.tables[case.table] if case.table else None
        position = plan.position
        if table is not None and case.row in table.rows and table.row_positions:
            position = table.row_positions[table.rows.index(case.row)]
        where = f"{case.table}['{case.row}']" if case.table else "the case"
        message = f"no layout that was tried fits {where}; give it more or larger accelerators"
        yield at(position or Position(plan.id, 1, 1), "V005", message)


#: Errors that affect no value, so that everything else in the file can still be used.
OF_NO_VALUE = frozenset({"N006"})
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


def with_ranges(edition: Edition, plan: str, edits: Mapping[Key, Stated]) -> Edition:
    """Return an edition in which the edits that are ranges are ranges of the plan's inputs.

    It is the same edition if these are ranges already. Raises EditError if one cannot be a range.
    """
    from scalesheet.evaluate.edits import EditError, input_name

    book = edition.book
    tables = {**book.tables, **book.plans[plan].tables}
    ranges = {}
    for key, stated in edits.items():
        columns = tables[key.table].columns if key.table else book.plans[plan].scalars
        if stated.low != stated.high and not columns[key.name].ranged:
            if key.table in book.tables:
                message = "no figure in this catalogue column has a range; state it there"
                raise EditError(f"{input_name(key)}: {message}")
            ranges[key] = stated
    if not ranges:
        return edition
    assert isinstance(edition, KeptEdition)
    below, files = edition.below, edition.files[plan]
    documents, _ = _documents(below, files)
    then = _then(below, files, documents)
    result, problems = _edition_of(below, *_below(below), plan, documents, then, ranges)
    if result is None:
        names = ", ".join(map(input_name, ranges))
        raise EditError(
            f"a range of {names} cannot be computed with: {errors(problems)[0].message}"
        )
    return result


def diagnose(data: Path, as_of: date | None = None) -> list[Diagnostic]:
    """All diagnostics of a data folder, sorted."""
    return examine(data, as_of).diagnostics


def sound_edition(
    data: Path, as_of: date | None = None, *, plans: Collection[str] | None = None
) -> tuple[Edition, tuple[Diagnostic, ...]]:
    """The edition of a data folder, or of some of its plans, and any warnings.

    Raises Refused with all diagnostics if there is an error.
    """
    examined = examine(data, as_of, plans=plans)
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
