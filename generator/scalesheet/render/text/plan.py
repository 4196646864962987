"""A plan's results as plain text: the headline and the totals, or everything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from scalesheet.book import Book
from scalesheet.breaches import MARGIN, breaches
from scalesheet.evaluate.findings import beyond
from scalesheet.evaluate.missing import rows_without
from scalesheet.model import Key, Plan, Quantity, Scalar, Stated, Table
from scalesheet.numbers import format_of, text
from scalesheet.quantities import DATE, day_text
from scalesheet.resolve.order import name_of
from scalesheet.resolve.reasons import of_compiler
from scalesheet.scenarios import is_default
from scalesheet.values import Results, Value
from scalesheet.vocabulary import counted

WIDE = 100  # characters in a line of a table
MOST_ROWS = 5  # rows without a value that are named


def plan_text(
    book: Book,
    plan: Plan,
    results: Results,
    edits: Mapping[Key, Stated] | None = None,
    chosen: Mapping[Key, Stated] | None = None,
    unfit: Sequence[Key] = (),
    *,
    every: bool = False,
    actuals: Sequence[str] = (),
) -> str:
    """The headline, failed checks and table totals, for a terminal; with `every`, all results.

    `chosen` are layout cells that the edits changed, `unfit` the cases that no layout fits;
    `actuals` are the lines about recorded runs.
    """
    lines = [plan.title, f"edition {book.edition.isoformat()}, prices of {book.as_of.isoformat()}"]
    for key, stated in (edits or {}).items():
        said = f"{_edited(book, plan, key, stated)}{_from(plan, key)}"
        lines.append(f"changed: {name_of(key)} = {said}")
    lines += _chosen(chosen or {})
    lines += _section("", _scalars(book, results, [plan.scalars[name] for name in plan.headline]))
    lines += _section("", [*_in_part(plan, results)])
    lacking = list(_lacking(plan, results))
    broken = [
        f"  {beyond(book, plan, each.check.name, results) or each.text}"
        for each in breaches(plan, results)
        if not (lacking and of_compiler(results.scalars[each.check.name].reason))
    ]
    lines += _section(
        "Does not hold", [*broken, *map(_unfit, unfit), *_as_stated(book, plan, results)]
    )
    lines += _section("Rows without a value", lacking)
    lines += actuals
    if every:
        lines += _everything(book, plan, results)
    else:
        totals = [
            plan.scalars[f"{t.name}.total.{c}"] for t in plan.tables.values() for c in t.totals
        ]
        totals = [each for each in totals if each.name not in plan.headline]
        lines += _section("Totals", _scalars(book, results, totals))
        lines += ["", _rest(plan)]
    return "\n".join(lines) + "\n"


def _from(plan: Plan, key: Key) -> str:
    """` (changed from line 51, which says 8-10)`, if a document states another value."""
    if key.table is None:
        stated = plan.scalars[key.name].stated
    else:
        table = plan.tables.get(key.table)
        stated = table.columns[key.name].stated.get(key.row or "") if table is not None else None
    citation = stated.citation if stated is not None else None
    return f" ({citation.locator})" if citation is not None else ""


def _chosen(chosen: Mapping[Key, Stated]) -> Iterator[str]:
    """`chosen again: runs['llama']: stage 2, micro_batch 4`, a line for each case."""
    cases: dict[Key, list[str]] = {}
    for key, stated in chosen.items():
        value = f"{stated.value:g}" if isinstance(stated.value, float) else stated.value
        cases.setdefault(replace(key, name=""), []).append(f"{key.name} {value}")
    for case, parts in cases.items():
        where = f"{case.table}['{case.row}']: " if case.table else ""
        yield f"chosen again: {where}{', '.join(parts)}"


def _in_part(plan: Plan, results: Results) -> Iterator[str]:
    """The limits that the expected value keeps, and a part of the range does not."""
    for name in plan.headline:
        margin = results.scalars[name]
        if name.endswith(MARGIN) and margin.low is not None and margin.low < 0:
            assert isinstance(margin.value, float)
            if margin.value >= 0:
                title = plan.scalars[name.removesuffix(MARGIN)].title
                yield f"  {title}: expected within its limit, but part of the range is beyond it"


def _lacking(plan: Plan, results: Results) -> Iterator[str]:
    """The rows for which headline figures have no value, with the reason of each."""
    reasons = [results.scalars[name].reason or "" for name in plan.headline]
    named = dict.fromkeys(f"  {row}" for each in reasons for row in rows_without(each, results))
    yield from list(named)[:MOST_ROWS]
    if len(named) > MOST_ROWS:
        yield f"  {counted(len(named) - MOST_ROWS, 'more row')}"


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["", *([title] if title else []), *lines] if lines else []


def _unfit(case: Key) -> str:
    where = f"{case.table}['{case.row}']" if case.table else "the plan's case"
    return f"  {where}: no layout that was tried fits"


def _as_stated(book: Book, plan: Plan, results: Results) -> Iterator[str]:
    """What to do if a plan's only case cannot run in the layout that the plan states."""
    searched = [name for each in plan.components for name in book.components[each].searched]
    stated = searched and not plan.chosen and all(name in plan.scalars for name in searched)
    if stated and any(results.scalars[name].reason for name in plan.headline):
        yield "  the layout is as stated; 'scalesheet choose MODEL' searches for one that fits"


def _everything(book: Book, plan: Plan, results: Results) -> list[str]:
    shown = [s for s in plan.scalars.values() if not s.hidden and ".total." not in s.name]
    inputs = [s for s in shown if s.stated is not None]
    derived = [s for s in shown if s.formula is not None and s.name not in plan.headline]
    lines: list[str] = []
    lines += _section(
        "Inputs", _scalars(book, results, (s for s in inputs if not is_default(plan, s)))
    )
    lines += _section("Derived", _scalars(book, results, derived))
    for table in plan.tables.values():
        lines += ["", *table_text(book, results, table)]
    defaults = (s for s in inputs if is_default(plan, s))
    return lines + _section("Defaults of components", _scalars(book, results, defaults))


def _rest(plan: Plan) -> str:
    """Say how much more there is, and how to see it."""
    inputs = sum(s.stated is not None and not s.hidden for s in plan.scalars.values())
    counted = ((inputs, "input"), (len(plan.tables), "table"))
    more = " and ".join(f"{n} {what}{'' if n == 1 else 's'}" for n, what in counted)
    return f"{more}: --all. One table, or where a figure comes from: --why NAME"


def _edited(book: Book, plan: Plan, key: Key, stated: Stated) -> str:
    tables = {**book.tables, **plan.tables}
    of = plan.scalars[key.name] if key.table is None else tables[key.table].columns[key.name]

    def shown(number: object) -> str:
        if not isinstance(number, float):
            return str(number)
        return day_text(number) if of.unit == DATE else repr(number).removesuffix(".0")

    if stated.ranged:
        return f"{shown(stated.low)}..{shown(stated.high)}"
    return shown(stated.value)


def amount(book: Book, quantity: Quantity, value: Value) -> str:
    symbol = book.units.symbol(quantity.unit) if quantity.unit is not None else ""
    return text(value, format_of(quantity, [value], book.units), symbol)


def _scalars(book: Book, results: Results, scalars: Iterable[Scalar]) -> list[str]:
    rows = [
        (scalar.name, amount(book, scalar, results.scalars[scalar.name]), scalar.title)
        for scalar in scalars
    ]
    return aligned(rows, numbers=frozenset())


def table_text(book: Book, results: Results, table: Table) -> list[str]:
    """A table with its title, rows and total."""
    columns = [c for c in table.columns.values() if not c.hidden]
    heads = [""] + [
        c.title + (f" ({symbol})" if c.unit and (symbol := book.units.symbol(c.unit)) else "")
        for c in columns
    ]
    rows: list[Sequence[str]] = [heads]
    formats = {
        c.name: format_of(c, results.tables[table.name][c.name], book.units) for c in columns
    }
    for place, row in enumerate(table.rows):
        cells = [text(results.tables[table.name][c.name][place], formats[c.name]) for c in columns]
        rows.append([row, *cells])
    if table.totals:
        total = [
            text(results.scalars[f"{table.name}.total.{c.name}"], formats[c.name])
            if c.name in table.totals
            else ""
            for c in columns
        ]
        rows.append(["total", *total])
    kinds = {place for place, c in enumerate(columns, 1) if c.kind == "number"}
    lines = aligned(rows, numbers=frozenset(kinds))
    if len(lines[0]) > WIDE:  # a turned table, if that is narrower
        turned = aligned(list(zip(*rows, strict=True)), numbers=frozenset(range(1, len(rows))))
        lines = min(lines, turned, key=lambda each: max(map(len, each)))
    return [f"{table.title} ({table.name})", *lines]


def aligned(rows: Sequence[Sequence[str]], *, numbers: frozenset[int]) -> list[str]:
    """Align columns; those in `numbers` to the right."""
    if not rows:
        return []
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        "  "
        + "  ".join(
            cell.rjust(width) if place in numbers else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
