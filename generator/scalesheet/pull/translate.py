"""A spreadsheet's formula in the formula language.

Our printer writes the language's arithmetic out for spreadsheets: tolerances, slack, guards against
reasons, look-ups, masks, conversions. Each of these forms is read back here as what it stands for,
and conversions are left out, since the compiler puts them where units ask for them. What has no
form in the language stays as it is (`Opaque`), and is refused unless a change leaves it alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from scalesheet.language.syntax import (
    Binary,
    Call,
    CellName,
    Choice,
    Compare,
    Flag,
    Logic,
    Member,
    Name,
    Negative,
    Node,
    Not,
    Number,
    Over,
    Reason,
    Text,
    children,
)
from scalesheet.printers.base import number
from scalesheet.pull.parse import Fn, Lit, Op, Ref, Tree
from scalesheet.resolve.reasons import ARITHMETIC, EMPTY


@dataclass(frozen=True, slots=True)
class Opaque(Node):
    """A part that has no form in the language; `why` says what of it."""

    tree: Tree
    why: str


@dataclass(frozen=True, slots=True)
class Around:
    """Where a formula stands: its phase, and the constants that are conversions."""

    phase: str | None
    conversions: frozenset[str]
    defaults: dict[str, float]
    over: str | None = None  # the table whose rows a condition looks at


def translated(tree: Tree, around: Around) -> Node:
    """The written tree of the language."""
    return _FORMS[type(tree)](tree, around)


def untold(node: Node) -> str:
    """Why a tree is no formula of the language, or nothing."""
    stack = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, Opaque):
            return top.why
        stack.extend(children(top))
    return ""


# ------------------------------------------------------------------ leaves


def _literal(tree: Lit, around: Around) -> Node:
    match tree.value:
        case bool(value):
            return Flag(value)
        case str("yes" | "no" as word):
            return Flag(word == "yes")
        case str(text):
            return Text(text)
        case value:
            return Number(value, number(value))


def _ended(node: Node, end: object) -> Node:
    return node if end == "value" else Call(str(end), (node,))


def _reference(tree: Ref, around: Around) -> Node:
    said: Any = tree.said
    match tree.kind:
        case "scalar":
            return _ended(Name(tuple(_short(said[0], around).split("."))), said[1])
        case "own":
            table, column, end = said
            own = ("own", column) if around.over == table else (column,)
            return _ended(Name(own), end)
        case "cell":
            table, row, column, end = said
            path = tuple(_short(table, around).split("."))
            return _ended(CellName(path, row, column), end)
        case "id":
            return Text(said[1])
        case "const" if said in around.defaults:
            return Number(around.defaults[said], number(around.defaults[said]))
        case "name":
            return Opaque(tree, f"the name '{said}' is none of this workbook's own")
        case "range" | "ids" | "titles" | "few":
            return Opaque(tree, "a whole column stands where one value is wanted")
        case "area":
            return Opaque(tree, f"it reads {said}, which is no input and no figure of the plan")
    return Opaque(tree, f"'{said}' has no name in the plan")


def _short(name: str, around: Around) -> str:
    return name.removeprefix(f"{around.phase}.") if around.phase else name


# ------------------------------------------------------------------ operators

_COMPARES = {"=": "==", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_ARITHMETIC = {"+": "+", "-": "-", "*": "*", "/": "/", "^": "**"}


def _operator(tree: Op, around: Around) -> Node:
    op, sides = tree.op, tree.sides
    if op == "neg":
        inner = translated(sides[0], around)
        if isinstance(inner, Number):
            return Negative(inner)
        return Negative(inner)
    if op == "%":
        inner = translated(sides[0], around)
        if isinstance(inner, Number):
            value = inner.value / 100
            return Number(value, number(value))
        return Binary("/", inner, Number(100.0, "100"))
    if op in _COMPARES:
        return _compared(tree, around)
    if op == "&":
        return Opaque(tree, "it joins texts with '&'; write text('...') in the data")
    left, right = sides
    if op in "*/" and _conversion(right, around):
        return translated(left, around)
    if op == "*" and _conversion(left, around):
        return translated(right, around)
    known: Any = _ARITHMETIC[op]
    return Binary(known, translated(left, around), translated(right, around))


def _conversion(tree: Tree, around: Around) -> bool:
    return isinstance(tree, Ref) and tree.kind == "const" and tree.said in around.conversions


def _compared(tree: Op, around: Around) -> Node:
    tolerant = _tolerant(tree)
    if tolerant is not None:
        op, left, right = tolerant
        return Compare(op, translated(left, around), translated(right, around))  # type: ignore[arg-type]
    left, right = tree.sides
    one, other = translated(left, around), translated(right, around)
    if tree.op == "=" and isinstance(other, Flag) and isinstance(right, Lit):
        return one if other.value else Not(one)
    return Compare(_COMPARES[tree.op], one, other)  # type: ignore[arg-type]


def _tolerant(tree: Op) -> tuple[str, Tree, Tree] | None:
    """`ABS(a-b)<=equal_within*(ABS(a)+ABS(b))` and its like: the comparison of a and b."""
    gap, within = tree.sides
    negated = False
    if isinstance(within, Op) and within.op == "neg":
        within, negated = within.sides[0], True
    if not (isinstance(within, Op) and within.op == "*"):
        return None
    factor, sides = within.sides
    if isinstance(factor, Op) and factor.op == "neg":
        factor, negated = factor.sides[0], True
    if factor != Ref("const", "equal_within"):
        return None
    whole = isinstance(gap, Fn) and gap.name == "ABS"
    inner = gap.arguments[0] if isinstance(gap, Fn) and whole else gap
    if not (isinstance(inner, Op) and inner.op == "-"):
        return None
    left, right = inner.sides
    if sides != Op("+", (Fn("ABS", (left,)), Fn("ABS", (right,)))):
        return None
    if whole:
        found = {"<=": "==", ">": "!="}.get(tree.op)
    else:
        wanted = {"<": True, ">=": True, "<=": False, ">": False}.get(tree.op)
        found = tree.op if wanted is negated else None
    return (found, left, right) if found else None


# ------------------------------------------------------------------ functions


def _function(tree: Fn, around: Around) -> Node:
    form = _FUNCTIONS.get(tree.name)
    if form is None:
        return Opaque(tree, f"the function {tree.name} has no counterpart in the formula language")
    return form(tree, around)


def _plain(name: str, fewest: int = 1, most: int = 1) -> Callable[[Fn, Around], Node]:
    def form(tree: Fn, around: Around) -> Node:
        if not fewest <= len(tree.arguments) <= most:
            return Opaque(tree, f"{tree.name} has {len(tree.arguments)} arguments here")
        return Call(name, tuple(translated(each, around) for each in tree.arguments))

    return form


def _gathered(name: str) -> Callable[[Fn, Around], Node]:
    """SUM, MIN and their like: over a column, or of several values."""

    def form(tree: Fn, around: Around) -> Node:
        slack = _rounded(tree, around)
        if slack is not None:
            return slack
        if len(tree.arguments) == 1:
            inner = tree.arguments[0]
            if isinstance(inner, Ref) and inner.kind == "range":
                return _over(name, inner, None, around)
            if isinstance(inner, Fn) and inner.name == "IF" and len(inner.arguments) == 2:
                test, values = inner.arguments
                if isinstance(values, Ref) and values.kind == "range":
                    return _over(name, values, _rows(test, values, around), around)
        parts: list[Node] = []
        for each in tree.arguments:
            if isinstance(each, Ref) and each.kind == "few":
                said: Any = each.said
                parts += [_reference(Ref(kind, what), around) for kind, what in said]
            elif isinstance(each, Ref) and each.kind == "range" and name in ("sum", "min", "max"):
                parts.append(_over(name, each, None, around))
            else:
                parts.append(translated(each, around))
        if name == "count" or not parts:
            return Opaque(tree, f"{tree.name} counts single cells; count(table) counts rows")
        return Call(name, tuple(parts))

    return form


def _rounded(tree: Fn, around: Around) -> Node | None:
    """`MAX(INT(x),-INT(-(x-ABS(x)*rounding_slack)))` is ceil(x), and the like with MIN floor(x)."""
    if tree.name not in ("MAX", "MIN") or len(tree.arguments) != 2:
        return None
    slack = Ref("const", "rounding_slack")
    for inner in _inside_int(tree):
        by = Op("*", (Fn("ABS", (inner,)), slack))
        if tree.name == "MAX":
            within = Op("neg", (Fn("INT", (Op("neg", (Op("-", (inner, by)),)),)),))
            if tree.arguments == (Fn("INT", (inner,)), within):
                return Call("ceil", (translated(inner, around),))
        outer = Op("neg", (Fn("INT", (Op("neg", (inner,)),)),))
        if tree.arguments == (outer, Fn("INT", (Op("+", (inner, by)),))):
            return Call("floor", (translated(inner, around),))
    return None


def _inside_int(tree: Fn) -> list[Tree]:
    """What the first argument may be the rounding of."""
    one = tree.arguments[0]
    if isinstance(one, Fn) and one.name == "INT":
        return [one.arguments[0]]
    if isinstance(one, Op) and one.op == "neg" and isinstance(one.sides[0], Fn):
        call = one.sides[0]
        if call.name == "INT" and isinstance(call.arguments[0], Op):
            return [call.arguments[0].sides[0]]
    return []


def _round(tree: Fn, around: Around) -> Node:
    """ROUND, whose number we print with a last bit more so that a half is met."""
    if len(tree.arguments) != 2 or not isinstance(tree.arguments[1], Lit):
        return Opaque(tree, "ROUND takes a number of decimals that is written out")
    inner, decimals = tree.arguments
    if isinstance(inner, Op) and inner.op == "+":
        left, bit = inner.sides
        if bit == Op("*", (left, Ref("const", "equal_within"))):
            inner = left
        elif isinstance(bit, Op) and bit.op == "*" and bit.sides[1] == Ref("const", "equal_within"):
            inner = left if _same_product(left, bit.sides[0]) else inner
    asked = translated(decimals, around)
    whole = asked == Number(0.0)
    arguments = (translated(inner, around),) if whole else (translated(inner, around), asked)
    return Call("round", arguments)


def _same_product(one: Tree, other: Tree) -> bool:
    """`a/b+a/b*bit` is read from the left, so the bracket may have gone."""
    return one == other


def _integer(tree: Fn, around: Around) -> Node:
    return Call("floor", (translated(tree.arguments[0], around),))


def _power(tree: Fn, around: Around) -> Node:
    one, other = (translated(each, around) for each in tree.arguments)
    return Binary("**", one, other)


def _product(tree: Fn, around: Around) -> Node:
    found = translated(tree.arguments[0], around)
    for each in tree.arguments[1:]:
        found = Binary("*", found, translated(each, around))
    return found


def _if(tree: Fn, around: Around) -> Node:
    """A choice; guards and the reasons of the arithmetic are put in by the compiler again."""
    if len(tree.arguments) != 3:
        return Opaque(tree, "IF needs both of its values")
    test, then, other = tree.arguments
    if isinstance(test, Fn) and test.name == "ISTEXT" and test.arguments == (then,):
        return translated(other, around)
    if isinstance(then, Lit) and then.value in (*ARITHMETIC, EMPTY):
        return translated(other, around)
    if isinstance(other, Lit) and other.value in (*ARITHMETIC, EMPTY):
        return translated(then, around)
    if then == Lit("yes") and other == Lit("no"):
        return translated(test, around)
    if then == Lit("no") and other == Lit("yes"):
        return Not(translated(test, around))
    chosen = [translated(each, around) for each in (then, other)]
    if not all(map(_worded, chosen)):  # a text beside a number is the reason why there is none
        chosen = [Reason(each) if isinstance(each, Text) else each for each in chosen]
    return Choice(chosen[0], translated(test, around), chosen[1])


def _worded(node: Node) -> bool:
    """Whether all that a tree can give are words."""
    if isinstance(node, Choice):
        return _worded(node.then) and _worded(node.other)
    return isinstance(node, Text | Reason)


def _logic(op: str) -> Callable[[Fn, Around], Node]:
    def form(tree: Fn, around: Around) -> Node:
        found = translated(tree.arguments[0], around)
        for each in tree.arguments[1:]:
            found = Logic(op, found, translated(each, around))  # type: ignore[arg-type]
        return found

    return form


def _not(tree: Fn, around: Around) -> Node:
    return Not(translated(tree.arguments[0], around))


# ------------------------------------------------------------------ columns and look-ups


def _over(function: str, values: Ref, where: Node | None, around: Around) -> Node:
    said: Any = values.said
    if values.kind == "ids":
        path: tuple[str, ...] = tuple(_short(said, around).split("."))
        return Over(function, Name(path), where)  # type: ignore[arg-type]
    table, column, end = said
    path = (*_short(table, around).split("."), column)
    return _ended(Over(function, Name(path), where), end)  # type: ignore[arg-type]


def _rows(test: Tree, values: Ref, around: Around) -> Node | None:
    """The condition of rows: a product of tests, without the masks for empty cells and reasons."""
    said: Any = values.said
    table = said if values.kind == "ids" else said[0]
    inside = replace(around, over=table)
    kept: list[Node] = []
    waiting: list[Tree] = [test]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Op) and each.op == "*":
            waiting += [each.sides[1], each.sides[0]]
        elif each in (Fn("ISNUMBER", (values,)), Op("<>", (Ref("ids", table), Lit("")))):
            continue
        else:
            kept.append(_of_rows(each, table, inside))
    if not kept:
        return None
    found = kept[0]
    for more in kept[1:]:
        found = Logic("and", found, more)
    return found


def _of_rows(tree: Tree, table: str, around: Around) -> Node:
    """A test of each row, in which the table's ranges are columns of the row looked at."""
    return translated(_looked_at(tree, table), around)


def _looked_at(tree: Tree, table: str) -> Tree:
    match tree:
        case Ref("range", (str(of), column, end)) if of == table:
            return Ref("scalar", (column, end))  # a bare name within the condition
        case Op(op, sides):
            if op == ">" and sides[1] == Lit(0.0) and isinstance(sides[0], Op):
                parts = sides[0]
                if parts.op == "+":
                    either = tuple(_looked_at(each, table) for each in parts.sides)
                    return Fn("OR", either)
            return Op(op, tuple(_looked_at(each, table) for each in sides))
        case Fn(name, arguments):
            return Fn(name, tuple(_looked_at(each, table) for each in arguments))
    return tree


def _sumproduct(tree: Fn, around: Around) -> Node:
    """SUMPRODUCT over a test, and over a test and a column."""
    tests = [_bare(each) for each in tree.arguments]
    last = tree.arguments[-1]
    if len(tests) == 1:
        ids = next(iter(_ids_in(tests[0])), None)
        if ids is None:
            return Opaque(tree, "SUMPRODUCT of columns has no form; add a column with the product")
        return _over("count", ids, _rows(tests[0], ids, around), around)
    if len(tests) == 2 and isinstance(last, Ref) and last.kind == "range":
        return _over("sum", last, _rows(tests[0], last, around), around)
    return Opaque(tree, "SUMPRODUCT of columns has no form; add a column with the product")


def _bare(tree: Tree) -> Tree:
    """Without the two signs that make a number of a truth value."""
    while isinstance(tree, Op) and tree.op == "neg":
        tree = tree.sides[0]
    return tree


def _ids_in(tree: Tree) -> list[Ref]:
    found: list[Ref] = []
    stack = [tree]
    while stack:
        top = stack.pop()
        if isinstance(top, Ref) and top.kind == "ids":
            found.append(top)
        elif isinstance(top, Op):
            stack += top.sides
    return found


def _by_words(function: str, *, values: bool) -> Callable[[Fn, Around], Node]:
    """SUMIFS, AVERAGEIFS and COUNTIFS with words as they stand."""

    def form(tree: Fn, around: Around) -> Node:
        arguments = list(tree.arguments)
        target = arguments.pop(0) if values else None
        kept: list[Node] = []
        table = ""
        for column, word in zip(arguments[::2], arguments[1::2], strict=False):
            said: Any = column.said if isinstance(column, Ref) and column.kind == "range" else None
            if said is None or not isinstance(word, Lit) or not isinstance(word.value, str):
                return Opaque(tree, f"{tree.name} is read only with words as criteria")
            if word.value[:1] in "<>=*?":
                return Opaque(tree, f"{tree.name} is read only with whole words as criteria")
            table = said[0]
            column_name = Name((said[1],))
            flag = word.value in ("yes", "no")
            test: Node = Compare("==", column_name, Text(word.value))
            if flag:
                test = column_name if word.value == "yes" else Not(column_name)
            kept.append(test)
        if not kept or len(arguments) % 2:
            return Opaque(tree, f"{tree.name} has no criteria")
        where = kept[0]
        for more in kept[1:]:
            where = Logic("and", where, more)
        of = target if isinstance(target, Ref) and target.kind == "range" else Ref("ids", table)
        if values and of is not target:
            return Opaque(tree, f"{tree.name} adds up what is no column of the plan")
        return _over(function, of, where, around)

    return form


def _index(tree: Fn, around: Around) -> Node:
    """INDEX with MATCH: a look-up by id, or the row where a column has its least or greatest."""
    match tree.arguments:
        case (Ref("range", (_, column, end)), Fn("MATCH", (key, Ref("ids", _), Lit(0.0)))):
            return _ended(_part(translated(key, around), str(column), tree), end)
        case (Ref("ids", table), Fn("MATCH", (Fn(best, (inner,)), values, Lit(0.0)))) if best in (
            "MIN",
            "MAX",
        ):
            function = "argmin" if best == "MIN" else "argmax"
            if isinstance(inner, Ref) and inner == values:
                return _over(function, inner, None, around)
            if isinstance(inner, Fn) and inner == values and len(inner.arguments) == 2:
                test, column = inner.arguments
                if isinstance(column, Ref) and column.kind == "range":
                    return _over(function, column, _rows(test, column, around), around)
            del table
    return Opaque(tree, "INDEX is read only as a look-up by the id of a row")


def _part(key: Node, column: str, tree: Fn) -> Node:
    """`gpu.memory`: a column of the row that a key names."""
    match key:
        case Name(path):
            return Name((*path, column))
        case Over("argmin" | "argmax") | Member():
            return Member(key, column)
        case Text(row):
            table: Any = tree.arguments[0]
            return CellName(tuple(str(table.said[0]).split(".")), row, column)
        case CellName():
            return Opaque(tree, "a look-up through a single cell has no form; name the cell first")
    return Opaque(tree, "the key of a look-up is no reference")


def _if_error(tree: Fn, around: Around) -> Node:
    """IFERROR around a look-up whose key may be a reason."""
    if len(tree.arguments) == 2:
        found, key = tree.arguments
        if isinstance(found, Fn) and found.name == "INDEX":
            looked = found.arguments[1]
            if isinstance(looked, Fn) and looked.name == "MATCH" and looked.arguments[0] == key:
                return translated(found, around)
    return Opaque(tree, "IFERROR has no form: say when there is no value, with 'if'")


_FUNCTIONS: dict[str, Callable[[Fn, Around], Node]] = {
    "SUM": _gathered("sum"),
    "MIN": _gathered("min"),
    "MAX": _gathered("max"),
    "AVERAGE": _gathered("mean"),
    "COUNT": _gathered("count"),
    "ABS": _plain("abs"),
    "SQRT": _plain("sqrt"),
    "EXP": _plain("exp"),
    "LN": _plain("ln"),
    "LOG10": _plain("log10"),
    "INT": _integer,
    "ROUND": _round,
    "POWER": _power,
    "PRODUCT": _product,
    "IF": _if,
    "AND": _logic("and"),
    "OR": _logic("or"),
    "NOT": _not,
    "INDEX": _index,
    "IFERROR": _if_error,
    "SUMPRODUCT": _sumproduct,
    "SUMIFS": _by_words("sum", values=True),
    "AVERAGEIFS": _by_words("mean", values=True),
    "COUNTIFS": _by_words("count", values=False),
}

_FORMS: dict[type, Callable[[Any, Around], Node]] = {
    Lit: _literal,
    Ref: _reference,
    Op: _operator,
    Fn: _function,
}
