"""Binds text with figures in it: every piece becomes an expression that yields text.

A number is converted to the requested unit and rounded; a reference prints the title of its row;
words, text and dates are printed as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from scalesheet.language.pieces import MOST_DECIMALS, join, joined
from scalesheet.language.syntax import (
    Binary,
    Call,
    Choice,
    Fixed,
    Join,
    Node,
    Number,
    Placeholder,
    Span,
    Text,
    Title,
)
from scalesheet.resolve.binding.conversion import convert
from scalesheet.resolve.binding.scope import BindError, Scope, Typed, a_kind
from scalesheet.units import PURE, UNKNOWN, Unit, UnitError

PERCENT = "%"

#: Binds an expression; the unit is the one that its place expects.
Infer = Callable[[Node, Scope, Unit | None], Typed]


def text(node: Join, scope: Scope, infer: Infer) -> Join:
    """The bound pieces of a text. Raises BindError at a piece that cannot be printed."""
    if scope.looked_at is not None:
        raise BindError("F004", "a condition that chooses rows cannot build texts", node)
    return join((_piece(part, scope, infer) for part in node.parts), node.span)


def reason(node: Node, scope: Scope, infer: Infer) -> Node:
    """The bound text of a reason."""
    return node if isinstance(node, Text) else joined(text(Join((node,)), scope, infer).parts)


def _piece(node: Node, scope: Scope, infer: Infer) -> Node:
    if isinstance(node, Text):
        return node
    if isinstance(node, Join):
        return text(node, scope, infer)
    if isinstance(node, Choice):
        test = infer(node.test, scope, None)
        if test.kind != "flag":
            raise BindError("F004", f"expected a condition, found {a_kind(test.kind)}", node.test)
        then, other = (_piece(side, scope, infer) for side in (node.then, node.other))
        return Choice(then, test.tree, other, span=node.span)
    assert isinstance(node, Placeholder)
    unit = _unit(node, scope)
    typed = infer(node.value, scope, UNKNOWN if unit is None else unit)
    if typed.kind == "number":
        return _number(node, typed, unit, scope)
    if node.decimals is not None:
        raise BindError(
            "F004", f"{a_kind(typed.kind)} has no decimals; write the name alone", node.value
        )
    if typed.kind == "reference" and typed.table is not None:
        return Title(typed.table, typed.tree, span=node.span)
    if typed.kind == "flag":
        raise BindError(
            "F004",
            "yes or no cannot be printed; write words for it: 'a' if x else 'b'",
            node.value,
        )
    if typed.kind == "reason":
        raise BindError(
            "F004",
            "a reason cannot be part of a text; choose between text(...) and reason(...)",
            node.value,
        )
    # in a spreadsheet, a bare reference to an empty cell gives 0; within a row it gives text
    return Join((typed.tree,), span=node.span)


def _unit(node: Placeholder, scope: Scope) -> Unit | None:
    """The unit that a placeholder names, by its name or symbol."""
    if not node.unit:
        return None
    if node.unit == PERCENT:
        return PURE
    try:
        return scope.space.units.shown(node.unit)
    except UnitError as error:
        raise BindError("U001", error.message, _at_unit(node)) from None


def _at_unit(node: Placeholder) -> Node:
    return Text(node.unit, span=Span(node.unit_at, node.unit_at + len(node.unit)))


def _number(node: Placeholder, typed: Typed, unit: Unit | None, scope: Scope) -> Node:
    """A number as text, rounded in the unit that it is printed in."""
    plain = unit
    if unit is None and typed.unit is not None:
        plain = scope.space.units.countable(typed.unit)
    if plain is not None:
        try:
            typed = convert(typed, plain, scope, node.value, "the placeholder prints")
        except BindError as error:
            raise BindError(error.code, error.message, _at_unit(node)) from None
    elif typed.unit is not None:
        raise BindError(
            "U002",
            f"the number is in {typed.unit}; name the unit that is printed with it, as in "
            f"{{x:.{node.decimals or 0} {typed.unit}}}",
            node.value,
        )
    if node.decimals is None:
        return Fixed(typed.tree, None, span=node.value.span)
    tree, suffix = typed.tree, ""
    if node.unit == PERCENT:
        tree, suffix = Binary("*", tree, Number(100.0, "100")), PERCENT
    elif unit is not None and (symbol := scope.space.units.symbol(unit, plural=False)):
        suffix = f" {symbol}"
    places = (Number(float(node.decimals), str(node.decimals)),) if node.decimals else ()
    assert node.decimals <= MOST_DECIMALS
    rounded = Call("round", (tree, *places), span=node.value.span)
    return Fixed(rounded, node.decimals, suffix, span=node.value.span)


def as_text(typed: Typed) -> Typed:
    """Convert a word to text, which text quantities also accept."""
    return replace(typed, kind="text") if typed.kind == "word" else typed
