"""Aggregates over the rows of a table: once, for each current row, or for each of many draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalesheet.evaluate.parts import (
    Fault,
    Here,
    NoNumberError,
    Part,
    absent,
    finite,
    holding,
    is_fault,
)
from scalesheet.language import arithmetic, arithmetic_vector
from scalesheet.language.syntax import Aggregate, Cell, Column, Lookup, Node, Scalar, walk

Interpret = Callable[[Node, Here], Part]


def aggregate(node: Aggregate, here: Here, interpret: Interpret) -> Part:
    if here.table is not None and here.row is None and _by_row(node, here.table):
        return _for_each_row(node, here, interpret)
    return (_at_each_draw if _over_draws(node, here) else _over_rows)(node, here, interpret)


def _over_rows(node: Aggregate, here: Here, interpret: Interpret) -> Part:
    rows = here.state.rows[node.table]
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
        least = numbers.min(initial=0.0)  # nan if any of them is nan
        return finite("sum", arithmetic.total(numbers.tolist()), here, least)
    if node.function == "list":
        return Part(numbers)
    if not len(numbers):
        return Part(np.nan)
    if node.function == "mean":
        return finite("mean", arithmetic.mean(numbers.tolist()), here, numbers.min())
    if node.function in ("min", "argmin"):
        best, place = float(numbers.min()), int(numbers.argmin())
    else:
        best, place = float(numbers.max()), int(numbers.argmax())
    if node.function in ("min", "max"):
        return Part(best)
    place = arithmetic.first_at(numbers.tolist(), best)
    return Part(list(rows)[int(np.flatnonzero(chosen)[place])])


def _over_draws(node: Aggregate, here: Here) -> bool:
    """Whether it reads anything that has a value for each of many draws: two-dimensional columns,
    or scalar arrays (`scalesheet.evaluate.many`).
    """
    state = here.state
    read: list[Any] = []
    for each in () if node.where is None else walk(node.where):
        if isinstance(each, Scalar):
            ends = state.scalars[each.name].values()
            if any(isinstance(part.data, np.ndarray) for part in ends):
                return True
        elif isinstance(each, Column | Cell | Lookup | Aggregate) and each.column is not None:
            read += state.columns[each.table, each.column].ends.values()
    if node.column is not None:
        read += state.columns[node.table, node.column].ends.values()
    return any(each.ndim > 1 for each in read)


def _at_each_draw(node: Aggregate, here: Here, interpret: Interpret) -> Part:
    """An aggregate at each draw; rows are stacked along the first axis."""
    rows = list(here.state.rows[node.table])

    def holds(place: int) -> Any:
        if node.where is None:
            return True
        return holding(interpret(node.where, Here(here.state, node.table, place, around=here)))

    chosen = _stacked([holds(place) for place in range(len(rows))]).astype(bool)
    if node.column is None:
        return Part(_one_or_many(chosen.sum(axis=0, dtype=np.float64)))
    part = here.state.columns[node.table, node.column].part(node.end)
    data = part.data if part.data.ndim > 1 else part.data[:, None]
    if part.why is not None:
        whys = part.why if part.why.ndim > 1 else part.why[:, None]
        without = absent(whys)
        fault = np.zeros(whys.shape, dtype=bool)
        fault[without] = [isinstance(why, Fault) for why in whys[without].tolist()]
        # a sum that skips a fault would be wrong: such cells stay, so the sum has no number
        chosen = chosen & (fault | ~without)
    if node.function == "count":
        return Part(_one_or_many(chosen.sum(axis=0, dtype=np.float64)))
    data, chosen = np.broadcast_arrays(data, chosen)
    if node.function == "list":
        if (data == data[:, :1]).all() and (chosen == chosen[:, :1]).all():
            return Part(data[chosen[:, 0], 0])
        raise NoNumberError(Fault("the days off differ between the draws"))
    if node.function in ("sum", "mean"):
        total = arithmetic_vector.totals(np.where(chosen, data, 0.0))
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


def _one_or_many(counts: Any) -> Any:
    """A count that is the same at every draw becomes one number."""
    return float(counts[0]) if len(counts) == 1 else counts


def _stacked(rows: list[Any]) -> NDArray[Any]:
    """Stack rows, each with one value or one for each draw."""
    return np.stack(np.broadcast_arrays(*map(np.atleast_1d, rows)))


def _whole(part: Part, chosen: NDArray[np.bool_]) -> Part:
    """The part, unless a row that counts is a fault: a sum without it would be wrong."""
    whys = part.why[chosen] if isinstance(part.why, np.ndarray) else [part.why]
    if fault := next(filter(is_fault, whys), None):
        raise NoNumberError(fault)
    return part


def _by_row(node: Aggregate, table: str) -> bool:
    """Whether the condition depends on the current row, so that each row has its own aggregate."""
    return node.where is not None and any(
        isinstance(n, Column) and n.table == table and (n.own or table != node.table)
        for n in walk(node.where)
    )


def _for_each_row(node: Aggregate, here: Here, interpret: Interpret) -> Part:
    assert here.table is not None
    of_row = _at_each_draw if _over_draws(node, here) else _over_rows

    def at(row: int) -> Part:
        try:
            return of_row(node, Here(here.state, here.table, row), interpret)
        except NoNumberError as none:  # the row is evaluated again alone
            return Part(np.nan, none.why)

    parts = [at(row) for row in range(len(here.state.rows[here.table]))]
    if here.suspect is not None:
        here.suspect[:] |= np.array([is_fault(part.why) for part in parts], dtype=bool)
    data: Any = np.array([p.data for p in parts])
    return Part(data.astype(object) if data.dtype.kind == "U" else data)
