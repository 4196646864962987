"""Explains where a figure of a plan comes from: its formula, what it refers to, and the sources."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from scalesheet.book import Book
from scalesheet.diff.printing import said
from scalesheet.evaluate import Overrides, computed
from scalesheet.evaluate.edits import in_edits
from scalesheet.evaluate.levers import Lever
from scalesheet.evaluate.references import formulas_at, named_by, rests_on, told_once
from scalesheet.evaluate.routes import PHASES
from scalesheet.evaluate.sensitivity import SHOWN, Effect, sensitivity
from scalesheet.evaluate.shares import Shares, Sums
from scalesheet.model import Citation, Key, Plan, Quantity, Stated, Table
from scalesheet.nearest import nearest
from scalesheet.render.text.plan import aligned, amount, table_text
from scalesheet.resolve.order import name_of
from scalesheet.short_names import as_written
from scalesheet.sure.draws import Unknown, of_predictions
from scalesheet.values import Results, Value
from scalesheet.vocabulary import counted

LEAST = 0.005  # smallest share of a part that is listed
MOVES = 5  # most inputs listed for a figure
_GUARDED = re.compile(
    r"\((?P<formula>.*)\) if (?:broken == 0|possible) else reason\('\{\w+\}'\)", re.DOTALL
)
_CELL = re.compile(r"(?P<table>[a-z0-9_.]+)\['?(?P<row>[a-z0-9_-]+)'?\]\.(?P<column>[a-z0-9_]+)")


class UnknownName(ValueError):
    """Raised for a name that is neither a quantity nor a table of the plan."""


def why_text(
    book: Book,
    plan: Plan,
    results: Results,
    name: str,
    edits: Overrides | None = None,
    *,
    every: bool = False,
) -> str:
    """Explain a figure, or print a table with its rows. Raises UnknownName.

    A figure has its largest parts, the inputs it depends on most, its formula, the values the
    formula reads, and the sources of its inputs; `every` input is listed, or only counted.
    """
    name = in_edits(plan, name)
    if name in plan.tables:
        return "\n".join(table_text(book, results, plan.tables[name])) + "\n"
    table, _, column = name.rpartition(".")
    if name not in plan.scalars and table in plan.tables and column in plan.tables[table].columns:
        return "\n".join(_column(book, plan, results, plan.tables[table], column)) + "\n"
    key = key_of(book, plan, name)
    quantity = quantity_of(book, plan, key)
    lines = [f"{quantity.title} ({name_of(key)})", "", f"  {_value(book, results, quantity, key)}"]
    sums = Sums(book, plan, results, computed(book, plan, edits))
    made = sums.of(key)
    first = [*_parts(book, plan, results, made), *_moves(book, plan, results, key, edits)]
    lines += [*first, "", "Formula"] if first else []
    lines += [f"  {line}" for line in _origin(book, plan, key)]
    lines += _chain(book, plan, made, sums) if first else []
    named = [_named(book, plan, results, each) for each in named_by(book, plan, results, key)]
    lines += ["", "From", *aligned(named, numbers=frozenset())] if named else []
    behind = told_once(rests_on(book, plan, results, key))
    if named and behind:
        assumed = sum(each.basis == "assumption" for each in behind.values())
        cited = sum(each.basis == "assumption" and bool(each.citation) for each in behind.values())
        head = f"Based on {counted(len(behind), 'input')}, {assumed} assumed"
        head += f" ({cited} with a source)" if cited and not every else ""
        lines += [
            "",
            head + (" (a column counts once)" if every else ", by source; --all lists them"),
        ]
        inputs = [(*_named(book, plan, results, at), _place(book, plan, at)) for at in behind]
        listed = inputs if every else _sources(book, behind.values())
        lines += aligned(listed, numbers=frozenset())
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _parts(book: Book, plan: Plan, results: Results, made: Shares) -> list[str]:
    """The largest addends of a figure: share, amount, name, title, and where to change it."""
    if not made.parts:
        return []
    key = made.path[0]
    quantity, whole = quantity_of(book, plan, key), _number(results, key)
    rows = []
    shown = [(keys, share) for keys, share in made.parts[:SHOWN] if share >= LEAST]
    for keys, share in shown:
        name = ", ".join(map(name_of, keys))  # what the part names, whatever it does with them
        size = amount(book, quantity, Value.number(whole * share))
        alike = (at for at in keys if quantity_of(book, plan, at).unit == quantity.unit)
        main = next(alike, keys[0])
        rows.append(
            (_percent(share), size, name, _title_of(book, plan, main), _place(book, plan, main))
        )
    rest = made.parts[len(shown) :]
    if rest:
        share = sum(share for _, share in rest)
        size = amount(book, quantity, Value.number(whole * share))
        rows.append((_percent(share), size, f"{len(rest)} more", "", ""))
    return ["", "Biggest parts", *aligned(rows, numbers=frozenset({0, 1}))]


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %" if share >= 0.01 else "< 1 %"


def _moves(
    book: Book, plan: Plan, results: Results, key: Key, edits: Overrides | None
) -> list[str]:
    """The inputs and predictions that a headline figure depends on most, with its values at both
    sides.
    """
    quantity = quantity_of(book, plan, key)
    if key.table is not None or key.name not in plan.headline or quantity.kind != "number":
        return []
    if _at(results, key).reason is not None:
        return []
    found = sensitivity(book, replace(plan, headline=(key.name,)), edits)
    moves: list[tuple[Effect | Unknown, float, float]] = [
        (each, each.low.value, each.high.value)
        for ranking in found.rankings
        for each in ranking.effects
        if each.swing
        and isinstance(each.low.value, float)
        and isinstance(each.high.value, float)
        and _uncertain(book, plan, each.lever)
    ]
    moves += [each for each in of_predictions(book, plan, key.name, edits) if each[1] != each[2]]
    moves.sort(key=lambda each: -abs(each[2] - each[1]))
    behind = rests_on(book, plan, results, key) if moves else {}
    rows = []
    for each, *ends in moves[:MOVES]:
        figure = amount(book, quantity, Value.number(_number(results, key), *sorted(ends)))
        if isinstance(each, Effect):
            at, first, moved = _moved(book, plan, results, each, behind)
            title = each.lever.title
        else:
            at = first = each.keys[0]
            moved, title = "error of prediction", each.titles[0]
            if len(each.keys) > 1:  # one formula of a component, wherever it is used
                at, moved = Key(first.name), f"{moved} in {len(each.keys)} tables"
        rows.append((name_of(at), moved, figure, title, _place(book, plan, first)))
    by = f"{found.step * 100:.0f} %"
    head = f"Moves it most: each prediction and uncertain input over its range, or by {by}"
    return ["", head, *aligned(rows, numbers=frozenset())] if rows else []


def _moved(
    book: Book, plan: Plan, results: Results, effect: Effect, behind: Mapping[Key, Stated]
) -> tuple[Key, Key, str]:
    """The key of an input, where it is stated, and its move. The key of a column is that of the
    only cell behind the figure, if it is one.
    """
    lever = effect.lever
    cells = [at for at in behind if (at.name, at.table) == (lever.key.name, lever.key.table)]
    at = cells[0] if len(cells) == 1 else lever.key
    if effect.inputs is not None:
        low, now, high = effect.inputs
        moved = amount(book, lever.quantity, Value.number(now, low, high))
    elif at is lever.key:  # a column of the catalogue or of a table: all its cells at once
        moved = counted(len(cells or lever.rows), "row")
    else:
        moved = _value(book, results, lever.quantity, at)
    return at, next(iter(cells), at), moved


def _uncertain(book: Book, plan: Plan, lever: Lever) -> bool:
    """Return whether any cell of the lever is more than a decision without a range, which is
    certain."""
    at = lever.key
    keys = [replace(at, row=row) for row in lever.rows] if at.table and not at.row else [at]
    found = [stated_at(book, plan, key) for key in keys]
    return any(each is None or each.ranged or each.basis != "decision" for each in found)


def _place(book: Book, plan: Plan, key: Key) -> str:
    """Where to change a figure: its own line, its row, or its formula."""
    stated = stated_at(book, plan, key)
    formula = next(formulas_at(book, plan, key), None)
    found = stated or formula
    position = found.position if found is not None else None
    if key.table is not None and key.row is not None and stated is None:
        table = plan.tables.get(key.table) or book.tables[key.table]
        rows = dict(zip(table.rows, table.row_positions, strict=False))
        position = rows.get(key.row, position)
    return "" if position is None else f"{position.path}:{position.line}"


def _chain(book: Book, plan: Plan, made: Shares, sums: Sums) -> list[str]:
    """The formulas from a figure down to its sum, and those of the largest part."""
    path = list(made.path[1:])
    if made.parts and len(made.parts[0][0]) == 1:
        path += sums.of(made.parts[0][0][0]).path
    found = [(name_of(key), next(formulas_at(book, plan, key), None)) for key in path]
    rows = [(name, f"= {_whole(formula.text)}") for name, formula in found if formula is not None]
    return aligned(rows, numbers=frozenset())


def _column(book: Book, plan: Plan, results: Results, table: Table, column: str) -> list[str]:
    """A column as its cells, each under the name that `why` accepts."""
    keys = [Key(column, table.name, row) for row in table.rows]
    rows = [_named(book, plan, results, key) for key in keys]
    head = f"{table.columns[column].title} ({table.name}.{column})"
    return [head, "", *aligned(rows, numbers=frozenset())]


def key_of(book: Book, plan: Plan, name: str) -> Key:
    """The key of a scalar, or of a cell of the plan or of the catalogue. Raises UnknownName with
    the nearest name."""
    name = in_edits(plan, name)
    match = _CELL.fullmatch(name)
    if match is None:
        if name in plan.scalars:
            return Key(name)
        if PHASES in plan.tables and name in plan.tables[PHASES].rows:
            every = plan.tables[PHASES].columns.values()
            one = next(each.name for each in every if each.kind == "number")
            raise UnknownName(f"it is a phase; name one of its figures, such as {name}.{one}")
        columns = [f"{t.name}.{column}" for t in plan.tables.values() for column in t.columns]
        known = [*as_written(plan.scalars), *plan.tables, *columns]
        raise UnknownName(f"'{name}' is not a figure or a table of the plan{nearest(name, known)}")
    tables = {**book.tables, **plan.tables}
    table = tables.get(match["table"])
    if table is None:
        raise UnknownName(f"there is no table '{match['table']}'{nearest(match['table'], tables)}")
    for what, found, names in (
        ("row", match["row"], list(table.rows)),
        ("column", match["column"], list(table.columns)),
    ):
        if found not in names:
            message = f"'{found}' is not a {what} of {table.name}{nearest(found, names)}"
            raise UnknownName(message)
    return Key(match["column"], table.name, match["row"])


def quantity_of(book: Book, plan: Plan, key: Key) -> Quantity:
    """The quantity of a key."""
    if key.table is None:
        return plan.scalars[key.name]
    return (plan.tables.get(key.table) or book.tables[key.table]).columns[key.name]


def _title_of(book: Book, plan: Plan, key: Key) -> str:
    """The title of a row, or of a scalar."""
    if key.table is None:
        return plan.scalars[key.name].title
    table = plan.tables.get(key.table) or book.tables[key.table]
    titles = dict(zip(table.rows, table.row_titles, strict=True))
    return titles.get(key.row or "", table.title)


def _number(results: Results, key: Key) -> float:
    value = _at(results, key).value
    assert isinstance(value, float)
    return value


def _at(results: Results, key: Key) -> Value:
    """The value of a scalar or cell."""
    if key.table is None:
        return results.scalars[key.name]
    return results.cell(key.table, key.row or "", key.name)


def _value(book: Book, results: Results, quantity: Quantity, key: Key) -> str:
    if key.table is not None and key.row is None:
        return counted(len(results.rows[key.table]), "row")
    return amount(book, quantity, _at(results, key))


def _origin(book: Book, plan: Plan, key: Key) -> Iterator[str]:
    """Yield the formula, or the source and note of a stated value."""
    stated = stated_at(book, plan, key)
    if stated is None:
        for formula in formulas_at(book, plan, key):
            yield f"= {_whole(formula.text)}"
    else:
        yield said(book, stated)
    yield from filter(None, (quantity_of(book, plan, key).note, _of_row(book, plan, key)))


def _of_row(book: Book, plan: Plan, key: Key) -> str:
    """The note of the catalogue's row that a key is in."""
    table = book.tables.get(key.table or "")
    if table is None or key.table in plan.tables:
        return ""
    return table.row_notes.get(key.row or "", "")


def _whole(formula: str) -> str:
    """A component's formula as written, without the guard for a case that cannot run."""
    match = _GUARDED.fullmatch(formula)
    return match["formula"] if match else formula


def stated_at(book: Book, plan: Plan, key: Key) -> Stated | None:
    if key.table is None:
        return plan.scalars[key.name].stated
    table = plan.tables.get(key.table) or book.tables[key.table]
    return table.columns[key.name].stated.get(key.row or "")


def _named(book: Book, plan: Plan, results: Results, key: Key) -> tuple[str, ...]:
    quantity, stated = quantity_of(book, plan, key), stated_at(book, plan, key)
    origin = said(book, stated) if stated is not None else "computed"
    return name_of(key), _value(book, results, quantity, key), quantity.title, origin


def _sources(book: Book, stated: Iterable[Stated]) -> list[tuple[str, str]]:
    """The origins of the stated numbers behind a figure, with counts, most frequent first."""
    origins = Counter(
        each.basis if each.citation is None else _title(book, each.citation) for each in stated
    )
    order = sorted(origins.items(), key=lambda item: (-item[1], item[0]))
    return [(str(count), origin) for origin, count in order]


def _title(book: Book, citation: Citation) -> str:
    source = book.sources.get(citation.key)
    return source.title if source is not None else citation.key
