"""Evaluates one bound tree: for a scalar, for one row, or for all rows of a table at once.

A result that is not a finite number ends its formula: the cell is a `Fault`, and so is all that
rests on it. For one cell that is an exception within this module. For all rows at once it is a mark
on the row, which is then evaluated by itself: only there is it known which side of a choice counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalesheet.language import arithmetic, arithmetic_vector
from scalesheet.language.syntax import (
    Aggregate,
    Binary,
    Call,
    Cell,
    Choice,
    Column,
    Compare,
    Constant,
    End,
    Fixed,
    Flag,
    Guard,
    Join,
    Known,
    Logic,
    Lookup,
    Negative,
    Node,
    Not,
    Number,
    OneOf,
    Reason,
    Scalar,
    Text,
    Title,
    walk,
)

Why = NDArray[np.object_]


class Fault(str):
    """A reason that no formula foresees, such as an overflow: aggregates do not skip it."""

    __slots__ = ()


class _NoNumberError(Exception):
    """Ends the evaluation of one cell."""

    def __init__(self, why: Fault) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Part:
    """A value in the making: one, or an array over rows. `why` holds reasons, None where none."""

    data: Any  # float, str, bool, or an array of float64 or of objects
    why: Any = None  # None, str, or an array of objects


@dataclass(slots=True)
class Filled:
    """A column as far as it is computed: an array for each end, and the reasons."""

    ends: dict[End, NDArray[Any]]
    why: Why | None = None

    def part(self, end: End) -> Part:
        return Part(self.ends.get(end, self.ends["value"]), self.why)


@dataclass(slots=True)
class State:
    """All that is computed so far, and the place of each row."""

    scalars: dict[str, dict[End, Part]] = field(default_factory=dict)
    columns: dict[tuple[str, str], Filled] = field(default_factory=dict)
    rows: dict[str, Mapping[str, int]] = field(default_factory=dict)
    titles: dict[str, Sequence[str]] = field(default_factory=dict)  # of rows, by table


@dataclass(frozen=True, slots=True)
class Here:
    """Where a tree is evaluated: no table, one row of it (by number), or all of its rows.

    Within the condition of an aggregate `around` is where the aggregate itself stands. `suspect`
    marks the rows that are to be evaluated again, one by one.
    """

    state: State
    table: str | None = None
    row: int | None = None
    around: Here | None = None
    suspect: NDArray[np.bool_] | None = None


def interpret(node: Node, here: Here) -> Part:
    """The value of a bound tree."""
    if here.table is None or here.row is not None:
        try:
            return _of(node, here)
        except _NoNumberError as none:
            return Part(np.nan, none.why)
    suspect = np.zeros(len(here.state.rows[here.table]), dtype=bool)
    try:
        part = _of(node, replace(here, suspect=suspect))
    except _NoNumberError as none:
        part, suspect[:] = Part(np.nan, none.why), True
    return _again(part, node, here, suspect) if suspect.any() else part


def _of(node: Node, here: Here) -> Part:
    return _RULES[type(node)](node, here)


def _again(part: Part, node: Node, here: Here, suspect: NDArray[np.bool_]) -> Part:
    """The same with the suspect rows evaluated one by one."""
    data: Any = np.empty(len(suspect), dtype=object)
    data[:] = part.data
    why = _reasons(part.why, len(suspect))
    for row in np.flatnonzero(suspect):
        one = interpret(node, replace(here, row=int(row)))
        data[row], why[row] = one.data, one.why
    if all(isinstance(value, float) for value in data):
        data = data.astype(np.float64)
    return Part(data, why if absent(why).any() else None)


def _finite(operation: str, data: Any, here: Here, *operands: Any) -> Part:
    """What an operation gives, if it is a number; of an operand without a value it is none."""
    if isinstance(data, np.ndarray):
        if here.suspect is not None and not np.isfinite(data).all():
            lost = ~np.isfinite(data)
            for operand in operands:
                lost &= ~np.isnan(operand)
            here.suspect[:] |= lost
    elif not math.isfinite(data) and not any(map(math.isnan, operands)):
        raise _NoNumberError(Fault(arithmetic.missing(operation, data)))
    return Part(data)


def _sound(part: Part, here: Here) -> Part:
    """A value that is read, which must be no fault."""
    if isinstance(part.why, Fault):
        raise _NoNumberError(part.why)
    if here.suspect is not None and isinstance(part.why, np.ndarray):
        here.suspect[:] |= np.fromiter(map(_is_fault, part.why), dtype=bool, count=len(part.why))
    return part


def _is_fault(why: object) -> bool:
    return isinstance(why, Fault)


def _scalar(node: Scalar, here: Here) -> Part:
    ends = here.state.scalars[node.name]
    return _sound(ends.get(node.end, ends["value"]), here)


def _at(part: Part, row: int, here: Here) -> Part:
    data = part.data[row]
    if isinstance(data, np.floating):
        data = float(data)
    return _sound(Part(data, None if part.why is None else part.why[row]), here)


def _column(node: Column, here: Here) -> Part:
    if here.around is not None and (node.own or node.table != here.table):
        here = here.around
    part = here.state.columns[node.table, node.column].part(node.end)
    return _sound(part, here) if here.row is None else _at(part, here.row, here)


def _cell(node: Cell, here: Here) -> Part:
    row = here.state.rows[node.table][node.row]
    return _at(here.state.columns[node.table, node.column].part(node.end), row, here)


def _lookup(node: Lookup, here: Here) -> Part:
    found_key = _of(node.key, here)
    key = found_key.data
    if isinstance(found_key.why, str):
        return Part(np.nan, found_key.why)
    places = here.state.rows[node.table]
    part = here.state.columns[node.table, node.column].part(node.end)
    if not isinstance(key, np.ndarray):
        if key not in places:
            return Part(np.nan, f"'{key}' is not in {node.table}")
        return _at(part, places[key], here)
    result = np.fromiter((places.get(k, -1) for k in key), dtype=np.int64, count=len(key))
    data, why = _picks(part.data, result), None if part.why is None else _picks(part.why, result)
    missing = result < 0
    if found_key.why is not None:
        missing |= absent(found_key.why)
    if missing.any():
        why = _reasons(why, len(key))
        for row in np.flatnonzero(missing):
            own = None if found_key.why is None else found_key.why[row]
            why[row] = own or f"'{key[row]}' is not in {node.table}"
        if data.dtype == np.float64:
            data = np.where(missing, np.nan, data)
    return _sound(Part(data, why), here)


def _picks(cells: NDArray[Any], places: NDArray[np.int64]) -> NDArray[Any]:
    """A cell for each place; over draws each has its own key, and a cell a value for each draw."""
    return cells[places, np.arange(len(places))] if cells.ndim > 1 else cells[places]


def absent(why: Why) -> NDArray[np.bool_]:
    """The rows that have a reason instead of a value."""
    return np.asarray(why != None, dtype=bool)  # noqa: E711  # elementwise


def _reasons(why: Any, rows: int) -> Why:
    """A fresh array of reasons over rows."""
    out: Why = np.empty(rows, dtype=object)
    out[:] = why
    return out


def _many(*parts: Part) -> bool:
    return any(isinstance(p.data, np.ndarray) for p in parts)


def _binary(node: Binary, here: Here) -> Part:
    left, right = _of(node.left, here), _of(node.right, here)
    with np.errstate(all="ignore"):
        data = _OPERATE[node.op](left.data, right.data, _many(left, right))
    return _finite(node.op, data, here, left.data, right.data)


def _add(a: Any, b: Any, many: bool) -> Any:
    return a + b


def _divide(a: Any, b: Any, many: bool) -> Any:
    return (arithmetic_vector if many else arithmetic).divide(a, b)


def _power(a: Any, b: Any, many: bool) -> Any:
    return (arithmetic_vector if many else arithmetic).power(a, b)


_OPERATE: dict[str, Callable[[Any, Any, bool], Any]] = {
    "+": _add,
    "-": lambda a, b, many: a - b,
    "*": lambda a, b, many: a * b,
    "/": _divide,
    "**": _power,
}
_COMPARE = {
    "==": "equal",
    "!=": "differ",
    "<": "less",
    "<=": "at_most",
    ">": "greater",
    ">=": "at_least",
}


def _compare(node: Compare, here: Here) -> Part:
    left, right = _of(node.left, here), _of(node.right, here)
    if node.of == "number":
        module = arithmetic_vector if _many(left, right) else arithmetic
        return Part(getattr(module, _COMPARE[node.op])(left.data, right.data))
    a, b = _or_reason(left), _or_reason(right)
    if node.op == "==":
        return Part(a == b)
    if node.op == "!=":
        return Part(a != b)
    return Part({"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[node.op])


def _or_reason(part: Part) -> Any:
    """What a cell shows: a word, or the reason in its place; reasons are equal by their text."""
    if part.why is None or isinstance(part.why, str):
        return part.data if part.why is None else part.why
    return np.where(absent(part.why), part.why, part.data)


def _logic(node: Logic, here: Here) -> Part:
    left = _holds(_of(node.left, here))
    if not isinstance(left, np.ndarray) and left == (node.op == "or"):
        return Part(left)  # decided; the other side need not have a value
    right = _holds(_of(node.right, here))
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return Part(left & right if node.op == "and" else left | right)
    return Part(right)


def _not(node: Not, here: Here) -> Part:
    inner = _holds(_of(node.operand, here))
    return Part(~inner if isinstance(inner, np.ndarray) else not inner)


def _holds(test: Part) -> Any:
    """Whether what is asked is so: not where it has no value."""
    if not isinstance(test.data, np.ndarray):
        return test.why is None and bool(test.data)
    return test.data.astype(bool) & ~absent(_reasons(test.why, len(test.data)))


def _known(node: Known, here: Here) -> Part:
    why = _of(node.of, here).why
    return Part(~absent(why) if isinstance(why, np.ndarray) else why is None)


def _choice(node: Choice, here: Here) -> Part:
    flags = _holds(_of(node.test, here))
    if not isinstance(flags, np.ndarray):
        return _of(node.then if flags else node.other, here)
    then, other = _of(node.then, here), _of(node.other, here)
    words = any(isinstance(p.data, str) or _objects(p.data) for p in (then, other))
    if words:
        data: Any = np.empty(len(flags), dtype=object)
        data[flags] = _picked(then.data, flags)
        data[~flags] = _picked(other.data, ~flags)
    else:
        data = np.where(flags, then.data, other.data)
    if then.why is None and other.why is None:
        return Part(data)
    return Part(
        data, np.where(flags, _reasons(then.why, len(flags)), _reasons(other.why, len(flags)))
    )


def _objects(data: Any) -> bool:
    return isinstance(data, np.ndarray) and data.dtype == object


def _picked(data: Any, flags: NDArray[np.bool_]) -> Any:
    return data[flags] if isinstance(data, np.ndarray) else data


def _guard(node: Guard, here: Here) -> Part:
    first: Any = None
    for subject in node.subjects:
        why = _of(subject, here).why
        if isinstance(why, str):
            if not isinstance(first, np.ndarray):
                if first is None:
                    return Part(np.nan, why)
                continue
            first = np.where(absent(first), first, why)
        elif why is not None:
            first = why.copy() if first is None else np.where(absent(first), first, why)
    body = _of(node.body, here)
    if first is None:
        return body
    rows = len(first)
    guarded = absent(first)
    data = body.data
    if not isinstance(data, np.ndarray):
        spread: Any = np.empty(rows, dtype=np.float64 if isinstance(data, float) else object)
        spread[:] = data
        data = spread
    if data.dtype == np.float64:
        data = np.where(guarded, np.nan, data)
    why = np.where(guarded, first, _reasons(body.why, rows))
    return Part(data, why)


def _call(node: Call, here: Here) -> Part:
    if node.function == "workday":
        return _workday(node, here)
    parts = [_of(a, here) for a in node.arguments]
    module: Any = arithmetic_vector if _many(*parts) else arithmetic
    values = [p.data for p in parts]
    name = node.function
    if name == "round":
        places = int(_literal(node.arguments[1])) if len(values) > 1 else 0
        data = module.round(values[0], places)
    elif name in ("sum", "mean"):
        function = getattr(module, "total" if name == "sum" else "mean")
        data = function(*values) if module is arithmetic_vector else function(values)
    else:
        data = getattr(module, name)(*values)
    return _finite(name, data, here, *values)


def _workday(node: Call, here: Here) -> Part:
    day, count = (_of(each, here) for each in node.arguments[:2])
    rest = [_of(each, here).data for each in node.arguments[2:]]
    module: Any = arithmetic_vector if _many(day, count) else arithmetic
    found = module.workday(day.data, count.data, *rest)
    return _finite("workday", found, here, day.data, count.data)


def _literal(node: Node) -> float:
    return -_literal(node.operand) if isinstance(node, Negative) else node.value  # type: ignore[attr-defined]  # bind took only literals


def _aggregate(node: Aggregate, here: Here) -> Part:
    rows = here.state.rows[node.table]
    if here.table is not None and here.row is None and _by_row(node, here.table):
        return _aggregates(node, here)
    if _over_draws(node, here):
        return _aggregate_draws(node, here)
    chosen: NDArray[np.bool_] = np.ones(len(rows), dtype=bool)
    if node.where is not None:
        test = _whole(interpret(node.where, Here(here.state, node.table, around=here)), chosen).data
        chosen &= test.astype(bool) if isinstance(test, np.ndarray) else bool(test)
    if node.column is None:
        return Part(float(chosen.sum()))
    filled = here.state.columns[node.table, node.column]
    part = filled.part(node.end)
    if part.why is not None:
        _whole(part, chosen)
        chosen &= ~absent(part.why)
    if node.function == "count":
        return Part(float(chosen.sum()))
    numbers = part.data[chosen]
    if node.function == "sum":
        least = numbers.min(initial=0.0)  # nan, if one of them is
        return _finite("sum", arithmetic.total(numbers.tolist()), here, least)
    if node.function == "list":
        return Part(numbers)
    if not len(numbers):
        return Part(np.nan)
    if node.function == "mean":
        return _finite("mean", arithmetic.mean(numbers.tolist()), here, numbers.min())
    if node.function in ("min", "argmin"):
        best, place = float(numbers.min()), int(numbers.argmin())
    else:
        best, place = float(numbers.max()), int(numbers.argmax())
    if node.function in ("min", "max"):
        return Part(best)
    place = arithmetic.first_at(numbers.tolist(), best)
    return Part(list(rows)[int(np.flatnonzero(chosen)[place])])


def _over_draws(node: Aggregate, here: Here) -> bool:
    """Whether what it reads has a value for each of many draws: two dimensions, or scalars with
    one (`scalesheet.sure`)."""
    state = here.state
    read: list[Any] = []
    for each in () if node.where is None else walk(node.where):
        if isinstance(each, Scalar):
            if isinstance(state.scalars[each.name]["value"].data, np.ndarray):
                return True
        elif isinstance(each, Column | Cell | Lookup | Aggregate) and each.column is not None:
            read.append(state.columns[each.table, each.column].ends["value"])
    if node.column is not None:
        read.append(state.columns[node.table, node.column].ends["value"])
    return any(each.ndim > 1 for each in read)


def _aggregate_draws(node: Aggregate, here: Here) -> Part:
    """An aggregate at each draw; rows stand below each other."""
    rows = list(here.state.rows[node.table])

    def holds(place: int) -> Any:
        if node.where is None:
            return True
        return _holds(interpret(node.where, Here(here.state, node.table, place, around=here)))

    chosen = _stacked([holds(place) for place in range(len(rows))]).astype(bool)
    if node.column is None:
        return Part(chosen.sum(axis=0, dtype=np.float64))
    part = here.state.columns[node.table, node.column].part(node.end)
    data = part.data if part.data.ndim > 1 else part.data[:, None]
    if part.why is not None:
        whys = part.why if part.why.ndim > 1 else part.why[:, None]
        without = absent(whys)
        fault = np.zeros(whys.shape, dtype=bool)
        fault[without] = [isinstance(why, Fault) for why in whys[without].tolist()]
        # a sum without a fault would be wrong: its cell stays, and has no number
        chosen = chosen & (fault | ~without)
    if node.function == "count":
        return Part(chosen.sum(axis=0, dtype=np.float64))
    data, chosen = np.broadcast_arrays(data, chosen)
    if node.function == "list":
        if (data == data[:, :1]).all() and (chosen == chosen[:, :1]).all():
            return Part(data[chosen[:, 0], 0])
        raise _NoNumberError(Fault("the days off differ between the draws"))
    if node.function in ("sum", "mean"):
        total = np.where(chosen, data, 0.0).sum(axis=0)
        return Part(total if node.function == "sum" else total / chosen.sum(axis=0))
    least = node.function in ("min", "argmin")
    ready = np.where(chosen, data, np.inf if least else -np.inf)
    best = ready.min(axis=0) if least else ready.max(axis=0)
    if node.function in ("min", "max"):
        return Part(np.where(chosen.any(axis=0), best, np.nan))
    first = (chosen & arithmetic_vector.equal(ready, best)).argmax(axis=0)
    names: Any = np.empty(len(rows), dtype=object)
    names[:] = rows
    return Part(names[first])


def _stacked(rows: list[Any]) -> NDArray[Any]:
    """Rows below each other, each one value or one for each draw."""
    return np.stack(np.broadcast_arrays(*map(np.atleast_1d, rows)))


def _whole(part: Part, chosen: NDArray[np.bool_]) -> Part:
    """The same, if none of the rows that count is a fault: a sum without it would be wrong."""
    whys = part.why[chosen] if isinstance(part.why, np.ndarray) else [part.why]
    if fault := next(filter(_is_fault, whys), None):
        raise _NoNumberError(fault)
    return part


def _by_row(node: Aggregate, table: str) -> bool:
    """Whether the condition rests on the row at hand, so that each row has its own aggregate."""
    return node.where is not None and any(
        isinstance(n, Column) and n.table == table and (n.own or table != node.table)
        for n in walk(node.where)
    )


def _aggregates(node: Aggregate, here: Here) -> Part:
    assert here.table is not None
    rows = range(len(here.state.rows[here.table]))
    # a row whose aggregate has no number is evaluated again by itself
    parts = [interpret(node, Here(here.state, here.table, row)) for row in rows]
    if here.suspect is not None:
        here.suspect[:] |= np.array([_is_fault(part.why) for part in parts], dtype=bool)
    data: Any = np.array([p.data for p in parts])
    return Part(data.astype(object) if data.dtype.kind == "U" else data)


# ------------------------------------------------------------------ texts


def _reason(node: Reason, here: Here) -> Part:
    why = _of(node.text, here).data
    if isinstance(why, np.ndarray):
        return Part(np.full(len(why), np.nan), why)
    return Part(np.nan, why)


def _each(data: Any, spell: Callable[[Any], str]) -> Any:
    """One text, or an array of them. Where there is no value a guard has taken the place."""
    if not isinstance(data, np.ndarray):
        return spell(data)
    out = np.empty(len(data), dtype=object)
    out[:] = [spell(value) for value in data.tolist()]
    return out


def _fixed(node: Fixed, here: Here) -> Part:
    decimals = node.decimals or 0

    def spell(value: float) -> str:
        return arithmetic.fixed(value, decimals) + node.suffix

    return Part(_each(_of(node.operand, here).data, spell))


def _title(node: Title, here: Here) -> Part:
    places, titles = here.state.rows[node.table], here.state.titles[node.table]
    key = _of(node.key, here)
    missing = f"is not in {node.table}"
    data = _each(key.data, lambda id_: titles[places[id_]] if id_ in places else "")
    if not isinstance(key.data, np.ndarray):
        lost = key.why is None and key.data not in places
        return Part(data, f"'{key.data}' {missing}" if lost else None)
    whys = [None if id_ in places else f"'{id_}' {missing}" for id_ in key.data.tolist()]
    return Part(data, _reasons(whys, len(whys)) if any(whys) else None)


def _join(node: Join, here: Here) -> Part:
    """Pieces in a row. An empty cell of a text adds nothing."""
    parts = [_of(part, here) for part in node.parts]
    data: Any = ""
    why: Any = None
    for part in parts:
        spelled = _each(part.data, lambda value: value if isinstance(value, str) else "")
        data = _beside(data, spelled)
        why = part.why if why is None else why
    return Part(data, why)


def _beside(left: Any, right: Any) -> Any:
    """Two texts as one, row by row where one of them has rows."""
    if not _many(Part(left), Part(right)):
        return left + right
    rows = len(left) if isinstance(left, np.ndarray) else len(right)
    out = np.empty(rows, dtype=object)
    pairs = zip(np.broadcast_to(left, rows), np.broadcast_to(right, rows), strict=True)
    out[:] = [str(a) + str(b) for a, b in pairs]
    return out


_RULES: dict[type[Node], Callable[[Any, Here], Part]] = {
    Number: lambda n, h: Part(n.value),
    Constant: lambda n, h: Part(n.value),
    Text: lambda n, h: Part(n.value),
    Flag: lambda n, h: Part(n.value),
    Reason: _reason,
    Join: _join,
    Fixed: _fixed,
    Title: _title,
    OneOf: lambda n, h: _of(n.of, h),
    Negative: lambda n, h: Part(-_of(n.operand, h).data),
    Scalar: _scalar,
    Column: _column,
    Cell: _cell,
    Lookup: _lookup,
    Binary: _binary,
    Compare: _compare,
    Logic: _logic,
    Not: _not,
    Known: _known,
    Choice: _choice,
    Guard: _guard,
    Call: _call,
    Aggregate: _aggregate,
}
