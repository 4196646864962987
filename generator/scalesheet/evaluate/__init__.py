"""evaluate: computes low, expected and high of every cell in the Book, column by column.

It knows nothing about outputs. An override replaces an input: a what-if, a scenario, a test.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalesheet.book import Book
from scalesheet.evaluate.interpret import interpret
from scalesheet.evaluate.parts import Columns, Filled, Here, Part, State, Why, absent
from scalesheet.kept import OnDemand
from scalesheet.language.syntax import ENDS, End
from scalesheet.model import Column, Ends, Formula, Key, Plan, Scalar, Stated, Table
from scalesheet.values import Results, Series, Value

#: Edited inputs: keys and their new values. A scalar that is edited is not computed.
Overrides = Mapping[Key, Stated | float | str | bool]


def evaluate(book: Book, plan: Plan, overrides: Overrides | None = None) -> Results:
    """Compute every cell of a plan and the catalogue. Raises KeyError for unknown overrides."""
    return _results({**book.tables, **plan.tables}, plan, computed(book, plan, overrides))


def computed(book: Book, plan: Plan, overrides: Overrides | None = None) -> State:
    """The same as `evaluate`, in the form that formulas are computed from."""
    edits = {key: _stated(value) for key, value in (overrides or {}).items()}
    _only_known(book, plan, edits)
    if any(key.table in book.tables for key in edits):
        catalogue = _of_catalogue(book.tables, book.order, edits)
        return _of_plan(book.tables, plan, catalogue, edits)[0]
    base, reads = _as_it_is(Same(book.tables), Same(plan), book.order)
    state = base.copy()
    if edits:
        _compute_again(book.tables, plan, state, edits, reads)
    return state


#: What a formula reads: names of scalars, and columns by table and name.
Reads = frozenset[str | tuple[str, str]]


@lru_cache(maxsize=4)
def _as_it_is(catalogue: Same, plan: Same, order: Sequence[Key]) -> tuple[State, list[Reads]]:
    """A plan without edits, and what each of its formulas read."""
    return _of_plan(catalogue.value, plan.value, _catalogue(catalogue, order), {})


def _of_plan(
    tables: Mapping[str, Table], plan: Plan, catalogue: State, edits: Mapping[Key, Stated]
) -> tuple[State, list[Reads]]:
    """Compute all cells of a plan; also returns what each formula read, in the plan's order."""
    own = _of_tables(plan.tables, edits)
    seen: set[str | tuple[str, str]] = set()
    state = State(
        _Scalars(seen),
        _Columns(seen, own.columns, catalogue.columns.__getitem__),
        {**catalogue.rows, **own.rows},
        {**catalogue.titles, **own.titles},
    )
    for scalar in plan.scalars.values():
        given = edits.get(Key(scalar.name), scalar.stated)
        if given is not None:
            state.scalars[scalar.name] = _ends_of(given)
    every, reads = {**tables, **plan.tables}, []
    for key in plan.order:
        seen.clear()
        if key not in edits:
            compute(key, every, plan, state)
        reads.append(frozenset(seen))
    return state.copy(), reads


class _Scalars(dict[str, Any]):
    """Records which names are read."""

    def __init__(self, seen: set[str | tuple[str, str]]) -> None:
        super().__init__()
        self._seen = seen

    def __getitem__(self, name: str) -> Any:
        self._seen.add(name)
        return super().__getitem__(name)


class _Columns(Columns):
    """Records which columns are read."""

    def __init__(self, seen: set[str | tuple[str, str]], *of: Any) -> None:
        super().__init__(*of)
        self._seen = seen

    def __getitem__(self, at: tuple[str, str]) -> Filled:
        self._seen.add(at)
        return super().__getitem__(at)


def _compute_again(
    tables: Mapping[str, Table],
    plan: Plan,
    state: State,
    edits: Mapping[Key, Stated],
    reads: Sequence[Reads],
) -> None:
    """Recompute the formulas that depend on an edited input, stopping where a value stays the same.
    The state shares its columns with the plan without edits, so changed columns are copied.
    """
    changed: set[str | tuple[str, str]] = set()
    for key, stated in edits.items():
        if key.table is None:
            state.scalars[key.name] = _ends_of(stated)
            changed.add(key.name)
        elif (key.table, key.name) not in changed:
            table = plan.tables[key.table]
            filled = _filled(table, table.columns[key.name], state.rows[key.table], edits)
            state.columns[key.table, key.name] = filled
            changed.add((key.table, key.name))
    every = {**tables, **plan.tables}
    for key, read in zip(plan.order, reads, strict=True):
        if changed.isdisjoint(read) or key in edits:
            continue
        at = key.name if key.table is None else (key.table, key.name)
        if isinstance(at, str):
            before: Any = state.scalars[at]
            compute(key, every, plan, state)
            if state.scalars[at] != before:
                changed.add(at)
        elif at in changed:  # already copied
            compute(key, every, plan, state)
        else:
            before = state.columns[at]
            state.columns[at] = before.copy()
            compute(key, every, plan, state)
            if state.columns[at].same(before):
                state.columns[at] = before
            else:
                changed.add(at)


class Same:
    """Wraps an object as a key that is compared by identity, not by equality."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value


@lru_cache(maxsize=4)
def _catalogue(of: Same, order: Sequence[Key]) -> State:
    """The columns of the catalogue, once for all plans, since none changes them."""
    return _of_catalogue(of.value, order, {})


def _of_catalogue(
    tables: Mapping[str, Table], order: Sequence[Key], edits: Mapping[Key, Stated]
) -> State:
    """The columns of a catalogue, each computed on first use, since a plan reads few of them.

    Columns with formulas of single cells are computed at once, because these can depend on other
    cells of the same column.
    """
    state = _of_rows(tables)
    formulas: dict[tuple[str, str], list[Key]] = {}
    for key in order:
        formulas.setdefault((str(key.table), key.name), []).append(key)

    def stated(at: tuple[str, str]) -> Filled:
        table, name = tables[at[0]], at[1]
        filled = state.columns[at] = _filled(table, table.columns[name], state.rows[at[0]], edits)
        return filled

    def found(at: tuple[str, str]) -> Filled:
        filled = stated(at)
        for key in formulas.get(at, ()):
            compute(key, tables, NOTHING, state)
        return filled

    state.columns.find = found
    single = {at for at, keys in formulas.items() if any(key.row is not None for key in keys)}
    for at in single:
        stated(at)
    for key in order:
        if (key.table, key.name) in single:
            compute(key, tables, NOTHING, state)
    return state


def _of_rows(tables: Mapping[str, Table]) -> State:
    """The places and titles of the rows of tables."""
    return State(
        rows={name: {row: at for at, row in enumerate(each.rows)} for name, each in tables.items()},
        titles={name: each.row_titles for name, each in tables.items()},
    )


def _of_tables(tables: Mapping[str, Table], edits: Mapping[Key, Stated]) -> State:
    """The stated values in the columns of tables."""
    state = _of_rows(tables)
    for name, table in tables.items():
        for column in table.columns.values():
            filled = _filled(table, column, state.rows[name], edits)
            state.columns[name, column.name] = filled
    return state


#: An empty plan, to evaluate a catalogue alone.
NOTHING = Plan("", "", "", {}, {}, (), (), (), (), (), (), (), "")


def evaluate_catalogue(book: Book) -> Results:
    """Compute every cell of the catalogue alone."""
    return evaluate_tables(book.tables, book.order)


def evaluate_tables(tables: Mapping[str, Table], order: Sequence[Key]) -> Results:
    """The same, from its tables and the order of their formulas."""
    return _results(tables, NOTHING, _catalogue(Same(tables), order))


def _stated(value: Stated | float | str | bool) -> Stated:
    if isinstance(value, Stated):
        return value
    if isinstance(value, bool | str):
        return Stated(value)
    return Stated(float(value), float(value), float(value))


def _only_known(book: Book, plan: Plan, edits: Mapping[Key, Stated]) -> None:
    tables = {**book.tables, **plan.tables}
    for key in edits:
        if key.table is None:
            known = key.name in plan.scalars
        else:
            column = tables[key.table].columns.get(key.name) if key.table in tables else None
            known = column is not None and key.row in column.stated
        if not known:
            raise KeyError(key)


def _ends_of(stated: Stated) -> dict[End, Part]:
    if stated.reason is not None:
        return {"value": Part(np.nan, stated.reason)}
    if isinstance(stated.value, float):
        low = stated.value if stated.low is None else stated.low
        high = stated.value if stated.high is None else stated.high
        return {"low": Part(low), "value": Part(stated.value), "high": Part(high)}
    return {"value": Part(np.nan if stated.value is None else stated.value)}


def _filled(
    table: Table, column: Column, places: Mapping[str, int], edits: Mapping[Key, Stated]
) -> Filled:
    """A column with its stated cells; computed cells are still absent."""
    rows = len(table.rows)
    numeric = column.kind == "number"
    ends: dict[End, NDArray[Any]] = {
        end: np.full(rows, np.nan) if numeric else np.empty(rows, dtype=object)
        for end in (ENDS if column.ranged else ENDS[1:2])
    }
    changed = {key.row: value for key, value in edits.items() if _is_of(key, table, column)}
    cells: Mapping[str, Stated] = column.stated
    if changed:
        cells = {row: changed.get(row, stated) for row, stated in cells.items()}
    # The whole column at once rather than cell by cell, for tables with a million rows.
    at = np.fromiter(map(places.__getitem__, cells), dtype=np.int64, count=len(cells))
    for end, array in ends.items():
        array[at] = _data(cells.values(), end, numeric)
    reasons = [(row, cell.reason) for row, cell in cells.items() if cell.reason is not None]
    if not reasons:
        return Filled(ends)
    why: Why = np.empty(rows, dtype=object)
    for row, reason in reasons:
        why[places[row]] = reason
    return Filled(ends, why)


def _data(cells: Collection[Stated], end: End, numeric: bool) -> list[Any]:
    if not numeric:
        return [cell.value for cell in cells]
    if end == "value":
        return [np.nan if cell.value is None else cell.value for cell in cells]
    return [_ends_of(cell).get(end, _NOTHING).data for cell in cells]


_NOTHING = Part(np.nan)


def _is_of(key: Key, table: Table, column: Column) -> bool:
    return key.table == table.name and key.name == column.name


def compute(key: Key, tables: Mapping[str, Table], plan: Plan, state: State) -> None:
    """Compute one key from the state, and store it there."""
    if key.table is None:
        formula = plan.scalars[key.name].formula
        assert formula is not None
        state.scalars[key.name] = {
            end: interpret(tree, Here(state)) for end, tree in _trees(formula.ends)
        }
        return
    table = tables[key.table]
    column = table.columns[key.name]
    filled = state.columns[key.table, key.name]
    if key.row is not None:
        place = state.rows[key.table][key.row]
        _fill_row(column.own[key.row], table, place, filled, state)
        return
    assert column.formula is not None
    free: NDArray[np.bool_] = np.ones(len(table.rows), dtype=bool)
    for row in (*column.stated, *column.own):
        free[state.rows[key.table][row]] = False
    _fill_column(column.formula, table, free, filled, state)


def _trees(ends: Ends) -> list[tuple[End, Any]]:
    pairs: list[tuple[End, Any]] = [("value", ends.value)]
    if ends.low is not None:
        pairs += [("low", ends.low), ("high", ends.high)]
    return pairs


def _fill_row(formula: Formula, table: Table, place: int, filled: Filled, state: State) -> None:
    trees = dict(_trees(formula.ends))
    if filled.why is not None:
        filled.why[place] = None  # reason left from an earlier computation
    for end, array in filled.ends.items():
        part = interpret(
            trees[end] if end in trees else trees["value"], Here(state, table.name, place)
        )
        array[place] = part.data
        if part.why is not None:
            if filled.why is None:
                filled.why = np.empty(len(table.rows), dtype=object)
            filled.why[place] = part.why


def _fill_column(
    formula: Formula, table: Table, free: NDArray[np.bool_], filled: Filled, state: State
) -> None:
    trees = dict(_trees(formula.ends))
    every = bool(free.all())
    if filled.why is not None:
        filled.why[free] = None
    for end, array in filled.ends.items():
        part = interpret(trees[end] if end in trees else trees["value"], Here(state, table.name))
        if every and isinstance(part.data, np.ndarray) and part.data.dtype == array.dtype:
            filled.ends[end] = part.data
        else:
            array[free] = part.data[free] if isinstance(part.data, np.ndarray) else part.data
        if part.why is not None:
            if filled.why is None:
                filled.why = np.empty(len(table.rows), dtype=object)
            filled.why[free] = part.why[free] if isinstance(part.why, np.ndarray) else part.why


# ------------------------------------------------------------------ results


def _results(tables: Mapping[str, Table], plan: Plan, state: State) -> Results:
    return Results(
        scalars={name: value_of(plan.scalars[name], ends) for name, ends in state.scalars.items()},
        tables=OnDemand(tables, lambda name: _columns(tables[name], state)),
        rows={table.name: table.rows for table in tables.values()},
    )


def _columns(table: Table, state: State) -> Mapping[str, Series]:
    return {name: series_of(state.columns[table.name, name]) for name in table.columns}


def value_of(scalar: Scalar, ends: Mapping[End, Part]) -> Value:
    """Convert a computed scalar to the form that results have."""
    expected = ends["value"]
    for part in ends.values():
        if part.why is not None:
            return Value(reason=part.why)
    data = expected.data
    if scalar.kind == "number":
        if data != data:
            return Value()
        return Value.number(
            float(data),
            float(ends.get("low", expected).data),
            float(ends.get("high", expected).data),
        )
    if scalar.kind == "flag":
        return Value(bool(data))
    return Value(str(data))


def series_of(filled: Filled) -> Series:
    """Convert a computed column to the form that results have."""
    reasons: dict[int, str] = {}
    if filled.why is not None:
        places = np.flatnonzero(absent(filled.why))
        reasons = {int(place): filled.why[place] for place in places}
    return Series(filled.ends["value"], filled.ends.get("low"), filled.ends.get("high"), reasons)
