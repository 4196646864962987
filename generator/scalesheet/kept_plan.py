"""A plan in the cache, resolved and evaluated on top of the catalogue, with its audits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from scalesheet.addresses import addresses
from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, at, errors
from scalesheet.edition import Edition
from scalesheet.kept import Item, kept, name_of
from scalesheet.kept_catalogue import Head, content_of, read_in_parts, stops
from scalesheet.kept_edition import KeptEdition
from scalesheet.model import Key, Plan, Position, Stated

if TYPE_CHECKING:
    from scalesheet.audit.model import Audited
    from scalesheet.evaluate.findings import Faults
    from scalesheet.load import Document
    from scalesheet.load.folder import Files
    from scalesheet.resolve.book import Resolved


def plan_item(catalogue: Item, files: Files) -> Item:
    """One plan on top of the catalogue.

    Its parts are `plan`, its own `results`, the audited plan (`then`), its `audits`, and their
    results (`judged`).
    """
    name, plan = name_of_plan(catalogue, files), files.every[0].plan

    def made() -> Item:
        from scalesheet.resolve.lowering.subpages import audited_at

        documents, problems = _documents(catalogue, files)
        audits = tuple(audited_at(documents))
        edition = None
        if not stops(problems) and catalogue["ground"] is not None:
            compared = _then(catalogue, files, documents)
            edition, found = _edition_of(catalogue, plan, documents, compared)
            problems += found
        head = Head(tuple(problems), edition is not None, name, plan=plan, audits=audits)
        if edition is None:
            return Item(head, {})
        then = edition.book.audited.get(plan)
        own, results = edition.book.plans[plan], edition.results[plan]
        parts = {
            "plan": own,
            "results": results.of(own.tables),
            "then": then,
            "audits": edition.book.audits,
            "judged": edition.audits,
        }
        return Item(replace(head, pages=tuple(addresses(own)), moved_on=then is not None), parts)

    return kept(name, made, files.root, always=catalogue.kept)


def _then(catalogue: Item, files: Files, documents: Sequence[Document]) -> Item | None:
    """The plan as it was when its documents were audited, None if that is the present one: `then`,
    and its audits, `judged`.

    It depends on no other file of the plan, so an edit of the plan leaves it as it is.
    """
    from scalesheet.load import audited

    of = {each.path for each in documents if each.kind in (audited.KIND, "claims")}
    if not catalogue.head.sound or all(each.kind != audited.KIND for each in documents):
        return None
    id_ = files.every[0].plan
    own = replace(files, every=tuple(each for each in files.every if each.name in of))

    def made() -> Item:
        from scalesheet.audit.judge import judge
        from scalesheet.choose.layout import laid_out, layouts
        from scalesheet.resolve.book import as_audited

        book = catalogue["book"]
        then = as_audited(catalogue["ground"], [each for each in documents if each.path in of])
        judged: Mapping[str, Audited] = {}
        if then is not None and then.plan is not None:
            plans = {id_: laid_out(then.plan, layouts(book, then.plan))}
            then = replace(then, plan=plans[id_])
            audits = {audit.id: audit for audit in then.audits}
            judged = judge(replace(book, plans=plans, audited=plans, audits=audits))
        return Item(None, {"then": then, "judged": judged})

    name = name_of("then", catalogue.head.name, content_of(own))
    return kept(name, made, files.root, always=catalogue.kept)


def name_of_plan(catalogue: Item, files: Files) -> str:
    """The name of a plan in the cache."""
    return name_of("plan", catalogue.head.name, content_of(files))


def _documents(catalogue: Item, files: Files) -> tuple[list[Document], list[Diagnostic]]:
    """The documents of a plan, and the diagnostics of each on its own. Most edits are in plan.yaml,
    so the other files are cached.
    """
    plan = [each for each in files.every if each.parts[2:] == ("plan.yaml",)]
    rest = [each for each in files.every if each not in plan]
    parts = [(plan, False), (rest, catalogue.kept)]
    return read_in_parts(files, [each for each in parts if each[0]], catalogue.head.against)


def _edition_of(
    catalogue: Item,
    plan: str,
    documents: Sequence[Document],
    audited: Item | None,
    ranges: Mapping[Key, Stated] | None = None,
) -> tuple[Edition | None, list[Diagnostic]]:
    """The edition of a plan on top of the catalogue (None on errors), and diagnostics.

    `audited` is the plan as it was audited, as in `_then`; `ranges` replace the values of inputs.
    """
    from scalesheet.actuals.progress import estimates
    from scalesheet.resolve.book import resolve_plan

    ground, book = catalogue["ground"], catalogue["book"] if catalogue.head.sound else None
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
    result, problems = _edition_of(below, plan, documents, then, ranges)
    if result is None:
        names = ", ".join(map(input_name, ranges))
        raise EditError(
            f"a range of {names} cannot be computed with: {errors(problems)[0].message}"
        )
    return result
