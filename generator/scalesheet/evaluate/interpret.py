"""Evaluates one bound tree: for a scalar, for one row, or for all rows of a table at once.

A row without a finite number is evaluated again alone, because only then is it known which side of
a choice counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalesheet.evaluate.aggregates import aggregate
from scalesheet.evaluate.parts import (
    Here,
    NoNumberError,
    Part,
    absent,
    any_array,
    finite,
    holding,
    reasons,
    sound,
)
from scalesheet.evaluate.spelling import fixed, join, reason, title
from scalesheet.language import arithmetic, arithmetic_vector
from scalesheet.language import syntax as nodes
from scalesheet.language.syntax import Node


def interpret(node: Node, here: Here) -> Part:
    """The value of a bound tree."""
    if here.row is not None:  # plain numbers, without numpy
        return _one(node, here)
    with np.errstate(all="ignore"):
        if here.table is None:
            return _one(node, here)
        suspect = np.zeros(len(here.state.rows[here.table]), dtype=bool)
        try:
            part = _of(node, Here(here.state, here.table, None, here.around, suspect))
        except NoNumberError as none:
            part, suspect[:] = Part(np.nan, none.why), True
        return _again(part, node, here, suspect) if suspect.any() else part


def _one(node: Node, here: Here) -> Part:
    try:
        return _of(node, here)
    except NoNumberError as none:
        return Part(np.nan, none.why)


def _of(node: Node, here: Here) -> Part:
    return _RULES[type(node)](node, here)


def _again(part: Part, node: Node, here: Here, suspect: NDArray[np.bool_]) -> Part:
    """The part with the suspect rows evaluated one by one."""
    data: Any = np.empty(len(suspect), dtype=object)
    data[:] = part.data
    why = reasons(part.why, len(suspect))
    for row in np.flatnonzero(suspect):
        one = interpret(node, replace(here, row=int(row)))
        data[row], why[row] = one.data, one.why
    if all(isinstance(value, float) for value in data):
        data = data.astype(np.float64)
    return Part(data, why if absent(why).any() else None)


def _scalar(node: nodes.Scalar, here: Here) -> Part:
    ends = here.state.scalars[node.name]
    return sound(ends.get(node.end, ends["value"]), here)


def _at(part: Part, row: int, here: Here) -> Part:
    data = part.data[row]
    if isinstance(data, np.floating):
        data = float(data)
    return sound(Part(data, None if part.why is None else part.why[row]), here)


def _column(node: nodes.Column, here: Here) -> Part:
    if here.around is not None and (node.own or node.table != here.table):
        here = here.around
    part = here.state.columns[node.table, node.column].part(node.end)
    return sound(part, here) if here.row is None else _at(part, here.row, here)


def _cell(node: nodes.Cell, here: Here) -> Part:
    row = here.state.rows[node.table][node.row]
    return _at(here.state.columns[node.table, node.column].part(node.end), row, here)


def _lookup(node: nodes.Lookup, here: Here) -> Part:
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
    keys = key.tolist()
    found = {each: places.get(each, -1) for each in set(keys)}  # few, in many rows
    result = np.fromiter(map(found.__getitem__, keys), dtype=np.int64, count=len(keys))
    data, why = _picks(part.data, result), None if part.why is None else _picks(part.why, result)
    missing = result < 0
    if found_key.why is not None:
        missing |= absent(found_key.why)
    if missing.any():
        why = reasons(why, len(key))
        for row in np.flatnonzero(missing):
            own = None if found_key.why is None else found_key.why[row]
            why[row] = own or f"'{key[row]}' is not in {node.table}"
        if data.dtype == np.float64:
            data = np.where(missing, np.nan, data)
    return sound(Part(data, why), here)


def _picks(cells: NDArray[Any], places: NDArray[np.int64]) -> NDArray[Any]:
    """Pick a cell for each place; over draws, each has its own key and each cell a value."""
    return cells[places, np.arange(len(places))] if cells.ndim > 1 else cells[places]


def _binary(node: nodes.Binary, here: Here) -> Part:
    left, right = _of(node.left, here), _of(node.right, here)
    # not `any_array`, which takes as long as the operation itself
    many = isinstance(left.data, np.ndarray) or isinstance(right.data, np.ndarray)
    data = _OPERATE[node.op](left.data, right.data, many)
    return finite(node.op, data, here, left.data, right.data)


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


def _compare(node: nodes.Compare, here: Here) -> Part:
    left, right = _of(node.left, here), _of(node.right, here)
    if node.of == "number":
        module = arithmetic_vector if any_array(left, right) else arithmetic
        return Part(getattr(module, _COMPARE[node.op])(left.data, right.data))
    a, b = _or_reason(left), _or_reason(right)
    if node.op == "==":
        return Part(a == b)
    if node.op == "!=":
        return Part(a != b)
    return Part({"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[node.op])


def _or_reason(part: Part) -> Any:
    """What a cell shows: a word, or the reason instead; reasons are compared as text."""
    if part.why is None or isinstance(part.why, str):
        return part.data if part.why is None else part.why
    return np.where(absent(part.why), part.why, part.data)


def _logic(node: nodes.Logic, here: Here) -> Part:
    left = holding(_of(node.left, here))
    if not isinstance(left, np.ndarray) and left == (node.op == "or"):
        return Part(left)  # already decided; the other side need not have a value
    right = holding(_of(node.right, here))
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return Part(left & right if node.op == "and" else left | right)
    return Part(right)


def _not(node: nodes.Not, here: Here) -> Part:
    inner = holding(_of(node.operand, here))
    return Part(~inner if isinstance(inner, np.ndarray) else not inner)


def _known(node: nodes.Known, here: Here) -> Part:
    why = _of(node.of, here).why
    return Part(~absent(why) if isinstance(why, np.ndarray) else why is None)


def _choice(node: nodes.Choice, here: Here) -> Part:
    flags = holding(_of(node.test, here))
    if not isinstance(flags, np.ndarray):
        return _of(node.then if flags else node.other, here)
    if flags.all() or not flags.any():  # most divisions, none of which is by zero
        part = _of(node.then if flags.any() else node.other, here)
        if part.why is None and isinstance(part.data, np.ndarray) and part.data.dtype != bool:
            return part
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
        data, np.where(flags, reasons(then.why, len(flags)), reasons(other.why, len(flags)))
    )


def _objects(data: Any) -> bool:
    return isinstance(data, np.ndarray) and data.dtype == object


def _picked(data: Any, flags: NDArray[np.bool_]) -> Any:
    return data[flags] if isinstance(data, np.ndarray) else data


def _guard(node: nodes.Guard, here: Here) -> Part:
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
    why = np.where(guarded, first, reasons(body.why, rows))
    return Part(data, why)


def _call(node: nodes.Call, here: Here) -> Part:
    if node.function == "workday":
        return _workday(node, here)
    parts = [_of(a, here) for a in node.arguments]
    module: Any = arithmetic_vector if any_array(*parts) else arithmetic
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
    return finite(name, data, here, *values)


def _workday(node: nodes.Call, here: Here) -> Part:
    day, count = (_of(each, here) for each in node.arguments[:2])
    rest = [_of(each, here).data for each in node.arguments[2:]]
    module: Any = arithmetic_vector if any_array(day, count) else arithmetic
    found = module.workday(day.data, count.data, *rest)
    return finite("workday", found, here, day.data, count.data)


def _literal(node: Node) -> float:
    return -_literal(node.operand) if isinstance(node, nodes.Negative) else node.value  # type: ignore[attr-defined]  # bind took only literals


_RULES: dict[type[Node], Callable[[Any, Here], Part]] = {
    nodes.Number: lambda n, h: Part(n.value),
    nodes.Constant: lambda n, h: Part(n.value),
    nodes.Text: lambda n, h: Part(n.value),
    nodes.Flag: lambda n, h: Part(n.value),
    nodes.Reason: lambda n, h: reason(_of(n.text, h)),
    nodes.Join: lambda n, h: join([_of(each, h) for each in n.parts]),
    nodes.Fixed: lambda n, h: fixed(n, _of(n.operand, h)),
    nodes.Title: lambda n, h: title(n, _of(n.key, h), h.state),
    nodes.OneOf: lambda n, h: _of(n.of, h),
    nodes.Negative: lambda n, h: Part(-_of(n.operand, h).data),
    nodes.Scalar: _scalar,
    nodes.Column: _column,
    nodes.Cell: _cell,
    nodes.Lookup: _lookup,
    nodes.Binary: _binary,
    nodes.Compare: _compare,
    nodes.Logic: _logic,
    nodes.Not: _not,
    nodes.Known: _known,
    nodes.Choice: _choice,
    nodes.Guard: _guard,
    nodes.Call: _call,
    nodes.Aggregate: lambda n, h: aggregate(n, h, interpret),
}
