"""Where a thing is used: the plans, offers and formulas that refer to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from scalesheet.evaluate.references import formulas
from scalesheet.frozen import dataclass
from scalesheet.model import Citation, Key, Plan, Stated, Table
from scalesheet.render.pages.context import Context, address, cell_value, table_address, to
from scalesheet.render.pages.html import Html, join, link, tag
from scalesheet.values import Results


@dataclass(frozen=True, slots=True)
class Use:
    """A page that uses something, and the part that does; `part` is empty for the whole page."""

    page: str
    address: str
    part: str = ""
    part_address: str = ""


def of_row(context: Context, table: str, row: str) -> Iterator[Use]:
    """Yield what refers to a catalogue row: other catalogue rows, the score, then plans."""
    if table == "providers":
        yield from _offered(context, row)
    if table == "fits" and row in context.edition.scores:
        yield Use("Score", to("score", "index"), row, to("score", row))
    for other in context.book.tables.values():
        for column in other.columns.values():
            if column.refers_to != table:
                continue
            for id_ in other.rows:
                if cell_value(context, other, column, id_).value == row:
                    yield Use(context.row_title(other, id_), to(other.name, id_))
    for plan in context.book.plans.values():
        results = context.edition.results[plan.id]
        for scalar in plan.scalars.values():
            if scalar.refers_to == table and results.scalars[scalar.name].value == row:
                yield _in_plan(plan, scalar.title, address(context, plan, Key(scalar.name), ""))
        for tabled in plan.tables.values():
            for column in tabled.columns.values():
                used = column.refers_to == table and _holds(results, tabled.name, column.name, row)
                if used:
                    yield _in_plan(
                        plan, tabled.title, table_address(context, plan, tabled.name, "")
                    )


def _offered(context: Context, row: str) -> Iterator[Use]:
    """Yield the offers of a provider, which refer to it by title."""
    providers, offers = context.book.tables["providers"], context.book.tables.get("offers")
    name = providers.row_titles[providers.rows.index(row)]
    if offers is not None:
        for id_, stated in offers.columns["provider"].stated.items():
            if stated.value == name:
                yield Use(context.row_title(offers, id_), to("offers", id_))


def _holds(results: Results, table: str, column: str, row: str) -> bool:
    return any(value.value == row for value in results.tables[table][column])


def of_formulas(context: Context) -> Mapping[str, list[Use]]:
    """The formulas and figures that call each catalogue formula, found in one pass."""
    result: dict[str, list[Use]] = {id_: [] for id_ in context.book.records}
    for record in context.book.records.values():
        for id_ in record.formula.uses:
            result[id_].append(Use(record.title, to("formulas", record.id)))
    for plan in context.book.plans.values():
        for key, formula in formulas(plan):
            if not formula.uses:
                continue
            if key.table is None:
                title = plan.scalars[key.name].title
            else:
                table = plan.tables[key.table]
                title = f"{table.title}: {table.columns[key.name].title}"
            for id_ in formula.uses:
                result[id_].append(_in_plan(plan, title, address(context, plan, key, "")))
    return result


def of_sources(context: Context) -> Mapping[str, list[Use]]:
    """Everything that cites each source, found in one pass over the book."""
    result: dict[str, list[Use]] = {key: [] for key in context.book.sources}
    for citations, use in _citing(context):
        for key in {each.key for each in citations if each is not None} & result.keys():
            result[key].append(use)
    return result


Cited = Iterable[Citation | None]


def _citing(context: Context) -> Iterator[tuple[Cited, Use]]:
    """Yield everything that may cite a source: its citations, and where it is shown."""
    book = context.book
    for name in sorted(book.tables):
        table = book.tables[name]
        for row in table.rows:
            yield _of_row(context, table, row), Use(context.row_title(table, row), to(name, row))
    for record in book.records.values():
        yield [record.citation], Use(record.title, to("formulas", record.id))
    yield from _scored(context)
    for plan in book.plans.values():
        yield [plan.citation], Use(plan.title, to("plans", plan.id))
        for scalar in plan.scalars.values():
            cited = [
                plan.scalars[name].stated for name in (scalar.name, *dict(scalar.sides).values())
            ]
            cited_by = [c for stated in cited if stated is not None for c in _cited(stated)]
            cited_by += [scalar.formula.citation] if scalar.formula is not None else []
            if not scalar.hidden:
                yield (
                    cited_by,
                    _in_plan(plan, scalar.title, address(context, plan, Key(scalar.name), "")),
                )
        for table in plan.tables.values():
            cited_by = [each for row in table.rows for each in _of_row(context, table, row)]
            yield (
                cited_by,
                _in_plan(plan, table.title, table_address(context, plan, table.name, "")),
            )


def _scored(context: Context) -> Iterator[tuple[Cited, Use]]:
    """Yield published rows on the pages of the score; a publication names each source once."""
    for task, score in context.edition.scores.items():
        named: set[tuple[str, str]] = set()
        rows = zip(score.published.of, score.published.rows, strict=True)
        for publication, row in rows:
            if row.citation is not None and (publication.id, row.citation.key) not in named:
                named.add((publication.id, row.citation.key))
                at = f"{to('score', task)}#row-{row.id}"
                yield (
                    [row.citation],
                    Use(f"Score: {task}", to("score", task), publication.title, at),
                )
    yield [peer.citation for peer in context.book.peers], Use("Score", to("score", "index"))


def _of_row(context: Context, table: Table, row: str) -> Iterator[Citation | None]:
    for column in table.columns.values():
        if row in column.stated:
            yield from _cited(column.stated[row])
    for price in context.book.prices.get(row, ()) if table.name == "offers" else ():
        yield from (price.citation, price.confirmed)


def _cited(stated: Stated) -> Iterator[Citation | None]:
    """Yield the citations of a stated value: its own, contesting ones, and those of earlier
    values."""
    yield stated.citation
    yield from (other.citation for other in stated.contested)
    yield from (each.stated.citation for each in stated.was)


def _in_plan(plan: Plan, part: str, text: str) -> Use:
    """A part of a plan; `text` is its address among the pages of plans."""
    return Use(plan.title, to("plans", plan.id), part, f"../plans/{text}")


def listed(uses: Iterable[Use]) -> Html | None:
    """Uses as a list, one line per page with its parts."""
    pages: dict[tuple[str, str], dict[tuple[str, str], None]] = {}
    for use in uses:
        parts = pages.setdefault((use.page, use.address), {})
        if use.part:
            parts.setdefault((use.part, use.part_address))
    if not pages:
        return None
    lines: list[Html] = []
    for (title, target), parts in pages.items():
        named = join((link(place, part) for part, place in parts), ", ")
        lines.append(tag("li", link(target, title), ": " if parts else None, named))
    return tag("ul", *lines)
