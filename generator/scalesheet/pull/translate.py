"""Translates a spreadsheet formula to the formula language.

Our printer spells out the language's arithmetic for spreadsheets: tolerances, slack, guards against
reasons, look-ups, masks, conversions. Each of these forms is recognized here, and conversions are
dropped, since the compiler inserts them where units need them. Whatever the language cannot express
is kept (`Opaque`), and is rejected unless a change leaves it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scalesheet.language.functions import FUNCTIONS
from scalesheet.language.syntax import Node, children
from scalesheet.pull.around import Around, Opaque
from scalesheet.pull.functions import (
    INTL,
    if_,
    integer,
    known,
    logic,
    not_,
    plain,
    power,
    product,
    round_,
    workday,
)
from scalesheet.pull.lookups import by_words, gathered, if_error, index, sumproduct
from scalesheet.pull.operators import literal, operator, reference
from scalesheet.pull.parse import Fn, Lit, Op, Ref


def around(
    conversions: frozenset[str], defaults: Mapping[str, float], phase: str | None = None
) -> Around:
    """The place of a formula in a plan or phase."""
    return Around(_FORMS, phase, conversions, defaults)


def untold(node: Node) -> str:
    """Why a tree is not a formula of the language; empty if it is one."""
    stack = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, Opaque):
            return top.why
        stack.extend(children(top))
    return ""


def _function(tree: Fn, around: Around) -> Node:
    form = _FUNCTIONS.get(tree.name)
    if form is None:
        return Opaque(tree, f"the function {tree.name} has no counterpart in the formula language")
    return form(tree, around)


_FUNCTIONS: dict[str, Callable[[Fn, Around], Node]] = {
    "SUM": gathered("sum"),
    "MIN": gathered("min"),
    "MAX": gathered("max"),
    "AVERAGE": gathered("mean"),
    "COUNT": gathered("count"),
    **{each.excel: plain(name) for name, each in FUNCTIONS.items() if each.excel},
    "INT": integer,
    "WORKDAY": workday,
    INTL: workday,
    "ROUND": round_,
    "POWER": power,
    "PRODUCT": product,
    "IF": if_,
    "AND": logic("and"),
    "OR": logic("or"),
    "NOT": not_,
    "ISNUMBER": known,
    "INDEX": index,
    "IFERROR": if_error,
    "SUMPRODUCT": sumproduct,
    "SUMIFS": by_words("sum", values=True),
    "AVERAGEIFS": by_words("mean", values=True),
    "COUNTIFS": by_words("count", values=False),
}

_FORMS: dict[type, Callable[[Any, Around], Node]] = {
    Lit: literal,
    Ref: reference,
    Op: operator,
    Fn: _function,
}
