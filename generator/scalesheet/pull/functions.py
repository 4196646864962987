"""Translates spreadsheet functions on one row: arithmetic, rounding, choices, conditions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from scalesheet.language.arithmetic import WEEKDAYS
from scalesheet.language.syntax import (
    Binary,
    Call,
    Choice,
    Known,
    Logic,
    LogicOp,
    Name,
    Node,
    Not,
    Number,
    Reason,
    Text,
)
from scalesheet.printers.excel_text import days_off
from scalesheet.pull.around import Around, Opaque
from scalesheet.pull.parse import Fn, Lit, Op, Ref, Tree
from scalesheet.resolve.reasons import YES_NO, of_compiler

#: The function with a working week, and the weeks for its arguments: a string with a 1 for each day
#: off from Monday on, or the number of a week with five (1 to 7) or six (11 to 17) working days.
INTL = "WORKDAY.INTL"
WEEKS: Mapping[float | str, str] = {
    **{
        days_off(week): week
        for week in reversed([f"{first}-{last}" for first in WEEKDAYS for last in WEEKDAYS])
    },
    **{
        number + n: f"{first}-{WEEKDAYS[(n + length) % 7 - 1]}"
        for number, length in ((1, 5), (11, 6))
        for n, first in enumerate(WEEKDAYS)
    },
}


def plain(name: str, fewest: int = 1, most: int = 1) -> Callable[[Fn, Around], Node]:
    def form(tree: Fn, around: Around) -> Node:
        if not fewest <= len(tree.arguments) <= most:
            return Opaque(tree, f"{tree.name} has {len(tree.arguments)} arguments here")
        return Call(name, tuple(around.translated(each) for each in tree.arguments))

    return form


def rounded(tree: Fn, around: Around) -> Node | None:
    """`MAX(INT(x),-INT(-(x-ABS(x)*rounding_slack)))` is ceil(x); with MIN it is floor(x)."""
    if tree.name not in ("MAX", "MIN") or len(tree.arguments) != 2:
        return None
    slack = Ref("const", "rounding_slack")
    for inner in _inside_int(tree):
        by = Op("*", (Fn("ABS", (inner,)), slack))
        if tree.name == "MAX":
            within = Op("neg", (Fn("INT", (Op("neg", (Op("-", (inner, by)),)),)),))
            if tree.arguments == (Fn("INT", (inner,)), within):
                return Call("ceil", (around.translated(inner),))
        outer = Op("neg", (Fn("INT", (Op("neg", (inner,)),)),))
        if tree.arguments == (outer, Fn("INT", (Op("+", (inner, by)),))):
            return Call("floor", (around.translated(inner),))
    return None


def _inside_int(tree: Fn) -> list[Tree]:
    """Trees that the first argument may be the rounding of."""
    one = tree.arguments[0]
    if isinstance(one, Fn) and one.name == "INT":
        return [one.arguments[0]]
    if isinstance(one, Op) and one.op == "neg" and isinstance(one.sides[0], Fn):
        call = one.sides[0]
        if call.name == "INT" and isinstance(call.arguments[0], Op):
            return [call.arguments[0].sides[0]]
    return []


def round_(tree: Fn, around: Around) -> Node:
    """ROUND. We print its number with the last bit raised, so that halves round up."""
    if len(tree.arguments) != 2 or not isinstance(tree.arguments[1], Lit):
        return Opaque(tree, "ROUND needs its number of decimals as a literal number")
    inner, decimals = tree.arguments
    if isinstance(inner, Op) and inner.op == "+":
        left, bit = inner.sides
        if bit == Op("*", (left, Ref("const", "equal_within"))):
            inner = left
        elif isinstance(bit, Op) and bit.op == "*" and bit.sides[1] == Ref("const", "equal_within"):
            inner = left if left == bit.sides[0] else inner
    asked = around.translated(decimals)
    whole = asked == Number(0.0)
    arguments = (around.translated(inner),) if whole else (around.translated(inner), asked)
    return Call("round", arguments)


def workday(tree: Fn, around: Around) -> Node:
    """`WORKDAY(day-1,MAX(1,count),off)`: the function counts from the day after its first argument,
    ours from the day itself. `WORKDAY.INTL` has the week before the days off.
    """
    match tree.arguments:
        case (Op("-", (day, Lit(1.0))), count, *off):
            pass
        case _:
            remedy = f"write {tree.name}(day-1,count,{'week,' * (tree.name == INTL)}days off)"
            return Opaque(tree, f"{tree.name} counts from the day after; {remedy}")
    week: tuple[Text, ...] = ()
    if tree.name == INTL and off:
        match off.pop(0):
            case Lit(value) if value in WEEKS:
                week = (Text(WEEKS[value]),)
            case _:
                return Opaque(tree, "the working days of WORKDAY.INTL are not consecutive")
    if isinstance(count, Fn) and count.name == "MAX" and count.arguments[0] == Lit(1.0):
        count = count.arguments[-1]
    days = []
    for each in off:
        match each:
            case Ref("range", (str(table), str(column), _)):
                days.append(Name((*around.short(table), column)))
            case _:
                message = f"the days off of {tree.name} are not a column of the plan's tables"
                return Opaque(tree, message)
    return Call("workday", (around.translated(day), around.translated(count), *days, *week))


def integer(tree: Fn, around: Around) -> Node:
    return Call("floor", (around.translated(tree.arguments[0]),))


def power(tree: Fn, around: Around) -> Node:
    one, other = (around.translated(each) for each in tree.arguments)
    return Binary("**", one, other)


def product(tree: Fn, around: Around) -> Node:
    result = around.translated(tree.arguments[0])
    for each in tree.arguments[1:]:
        result = Binary("*", result, around.translated(each))
    return result


def if_(tree: Fn, around: Around) -> Node:
    """A choice. Guards and the arithmetic's reasons are dropped; the compiler adds them again."""
    if len(tree.arguments) != 3:
        return Opaque(tree, "IF needs both of its values")
    test, then, other = tree.arguments
    if isinstance(test, Fn) and test.name == "ISTEXT" and test.arguments == (then,):
        return around.translated(other)
    if _is_known(test, other):
        return around.translated(then)
    if isinstance(then, Lit) and of_compiler(then.value):
        return around.translated(other)
    if isinstance(other, Lit) and of_compiler(other.value):
        return around.translated(then)
    if then == Lit("yes") and other == Lit("no"):
        return around.translated(test)
    if then == Lit("no") and other == Lit("yes"):
        return Not(around.translated(test))
    chosen = [around.translated(each) for each in (then, other)]
    if not all(map(_worded, chosen)):  # text next to a number is the reason why there is none
        chosen = [Reason(each) if isinstance(each, Text) else each for each in chosen]
    return Choice(chosen[0], around.translated(test), chosen[1])


def _is_known(test: Tree, flag: Tree) -> bool:
    """Whether a test asks if a flag has a value: the guard of anything that reads the flag."""
    return test == Fn("OR", tuple(Op("=", (flag, Lit(word))) for word in YES_NO))


def _worded(node: Node) -> bool:
    """Whether a tree can only return words."""
    if isinstance(node, Choice):
        return _worded(node.then) and _worded(node.other)
    return isinstance(node, Text | Reason)


def logic(op: LogicOp) -> Callable[[Fn, Around], Node]:
    def form(tree: Fn, around: Around) -> Node:
        result = around.translated(tree.arguments[0])
        for each in tree.arguments[1:]:
            result = Logic(op, result, around.translated(each))
        return result

    return form


def known(tree: Fn, around: Around) -> Node:
    return Known(around.translated(tree.arguments[0]))


def not_(tree: Fn, around: Around) -> Node:
    return Not(around.translated(tree.arguments[0]))
