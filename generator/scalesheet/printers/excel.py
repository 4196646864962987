"""Excel formulas: a bound tree as the text of one cell, with functions that all spreadsheets share.

Only functions of Excel 2010, LibreOffice 7.4 and Google Sheets are used. The language's arithmetic
is written out: comparisons have their tolerance, ceil and floor their slack. A flag is the text
"yes" or "no" in a cell and a truth value in a condition; a reason is text in place of a number,
which ranges skip and a guard tests for.

Within an aggregate's condition, the columns of the aggregated table are whole ranges. AND, OR, MIN
and the like would reduce such a range to one value, so `*`, `+` and IF replace them; IF over such a
condition needs an array formula, which the result says.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Protocol

from scalesheet.frozen import dataclass
from scalesheet.language import syntax as nodes
from scalesheet.language.functions import FUNCTIONS
from scalesheet.language.syntax import End, Node
from scalesheet.printers.base import PrinterError, Printing, Table, number, run, spelled
from scalesheet.printers.excel_text import (
    ATOM,
    COMPARE,
    EMPTY,
    JOIN,
    MINUS,
    POWER,
    PRODUCT,
    SUM,
    ZERO,
    Piece,
    bracket,
    choose,
    days_off,
    extreme,
    first,
    flags,
    function,
    infix,
    literal,
    magnitude,
    make,
    many,
    mean,
    negative,
    times,
    tolerant,
    total,
)


class Places(Protocol):
    """Where things are in the workbook, as texts for a formula.

    `column` may leave the row open as `{row}`; it is filled in when `excel` is given the row.
    Ranges run from the first row to the spacer row, and those of one table have equal length:
    `range` is where people edit a column, for totals of all rows; `looked_up` where formulas look
    for a row or read one of its cells.
    `keys` are the ids beside a column's range, `ids` those of the table.
    """

    def scalar(self, name: str, end: End) -> str: ...
    def column(self, table: str, column: str, end: End) -> str: ...
    def range(self, table: str, column: str, end: End) -> str: ...
    def looked_up(self, table: str, column: str, end: End) -> str: ...
    def keys(self, table: str, column: str, end: End) -> str: ...
    def ids(self, table: str) -> str: ...
    def titles(self, table: str) -> str: ...
    def constant(self, name: str) -> str: ...


@dataclass(frozen=True, slots=True)
class ExcelFormula:
    """A formula without its `=`. `array`: it must be entered as an array formula."""

    text: str
    array: bool = False


@dataclass(frozen=True, slots=True)
class _Context:
    """How to print a node: for a test (truth) or a cell (value), and within which aggregates."""

    places: Places
    row: int | None = None
    test: bool = False
    table: str | None = None
    outer: frozenset[str] = frozenset()


_Printing = Printing[_Context, Piece]
_TABLE: Table[_Context, Piece] = Table()


def excel(node: Node, places: Places, row: int | None = None) -> ExcelFormula:
    """Print the formula of a bound tree.

    Raises PrinterError (X001) if it exceeds the limits of spreadsheets, or if one formula cannot
    express it.
    """
    piece = run(_TABLE, node, _Context(places, row))
    return ExcelFormula(piece.text, piece.array)


def _value(test: Piece, context: _Context) -> Piece:
    """A truth value in its context: unchanged in a test, yes or no in a cell."""
    return test if context.test else choose(test, Piece('"yes"'), Piece('"no"'))


def _read(piece: Piece, context: _Context) -> Piece:
    """A cell in its context: unchanged, or in a test compared with yes."""
    return infix("=", COMPARE, piece, Piece('"yes"')) if context.test else piece


# ------------------------------------------------------------------ leaves


@_TABLE.of(nodes.Number)
def _number(node: nodes.Number, context: _Context) -> Piece:
    return Piece(number(node.value).upper(), MINUS if node.value < 0 else ATOM)


@_TABLE.of(nodes.Text)
def _text(node: nodes.Text, context: _Context) -> Piece:
    return literal(node.value)


@_TABLE.of(nodes.Flag)
def _flag(node: nodes.Flag, context: _Context) -> Piece:
    if context.test:
        return function("TRUE" if node.value else "FALSE")
    return Piece('"yes"' if node.value else '"no"')


@_TABLE.of(nodes.Reason)
def _reason(node: nodes.Reason, context: _Context) -> _Printing:
    return (yield node.text, replace(context, test=False))


@_TABLE.of(nodes.Constant)
def _constant(node: nodes.Constant, context: _Context) -> Piece:
    return Piece(context.places.constant(node.name))


@_TABLE.of(nodes.Scalar)
def _scalar(node: nodes.Scalar, context: _Context) -> Piece:
    return _read(Piece(context.places.scalar(node.name, node.end)), context)


@_TABLE.of(nodes.Column)
def _column(node: nodes.Column, context: _Context) -> Piece:
    if node.table == context.table and not node.own:
        piece = Piece(context.places.looked_up(node.table, node.column, node.end), varies=True)
        return _read(piece, context)
    if node.table in context.outer and not node.own:
        raise PrinterError(
            "X001",
            f"a condition within a condition compares each row of '{node.table}' with each of "
            f"'{context.table}'; give one of them a column of its own",
        )
    text = context.places.column(node.table, node.column, node.end)
    if context.row is not None:
        text = text.replace("{row}", str(context.row))
    return _read(Piece(text), context)


@_TABLE.of(nodes.Cell)
def _cell(node: nodes.Cell, context: _Context) -> Piece:
    """Look up the row by its id: a row number would mean another row once the table is sorted."""
    return _read(_found(literal(node.row), node, context), context)


@_TABLE.of(nodes.Lookup)
def _lookup(node: nodes.Lookup, context: _Context) -> _Printing:
    key = yield node.key, replace(context, test=False)
    if key.varies:
        raise PrinterError(
            "X001",
            f"a condition looks up '{node.table}.{node.column}' for each row; "
            "give the table a column with that look-up, and compare the column",
        )
    result = _found(key, node, context)
    return _read(function("IFERROR", result, key) if node.open else result, context)


def _found(key: Piece, node: nodes.Cell | nodes.Lookup, context: _Context) -> Piece:
    """The cell of a column in the row with an id."""
    named = (node.table, node.column, node.end)
    where = function("MATCH", key, Piece(context.places.keys(*named)), ZERO)
    return function("INDEX", Piece(context.places.looked_up(*named)), where)


# ------------------------------------------------------------------ numbers


_OPERATORS = {
    "+": ("+", SUM),
    "-": ("-", SUM),
    "*": ("*", PRODUCT),
    "/": ("/", PRODUCT),
}


@_TABLE.of(nodes.Negative)
def _minus(node: nodes.Negative, context: _Context) -> _Printing:
    return negative((yield node.operand, context))


@_TABLE.of(nodes.Binary)
def _binary(node: nodes.Binary, context: _Context) -> _Printing:
    left = yield node.left, context
    right = yield node.right, context
    if node.op == "**":
        return infix("^", POWER, bracket(left, ATOM), bracket(right, ATOM))
    op, level = _OPERATORS[node.op]
    return infix(op, level, left, right)


def _slack(x: Piece, context: _Context) -> Piece:
    return times(magnitude(x), Piece(context.places.constant("rounding_slack")))


def _floor(x: Piece, context: _Context) -> Piece:
    """Floor with slack. Beyond 1e12 the slack exceeds 1; the minimum keeps an integer unchanged."""
    within = function("INT", infix("+", SUM, x, _slack(x, context)))
    return extreme("MIN", [negative(function("INT", negative(x))), within])


def _ceil(x: Piece, context: _Context) -> Piece:
    within = negative(infix("-", SUM, x, _slack(x, context)))
    return extreme("MAX", [function("INT", x), negative(function("INT", within))])


def _round(x: Piece, decimals: Piece, context: _Context) -> Piece:
    """Round up a half even if the number is a last bit below it, where programs differ."""
    bit = times(x, Piece(context.places.constant("equal_within")))
    return function("ROUND", infix("+", SUM, x, bit), decimals)


def _workday(parts: list[Piece], context: _Context) -> Piece:
    """WORKDAY counts from the day after; with a week it is WORKDAY.INTL."""
    day, count, *rest = parts
    before = infix("-", SUM, day, Piece("1"))
    count = count if count.text == "1" else extreme("MAX", [Piece("1"), count])
    if not rest or not rest[-1].text.startswith('"'):
        return function("WORKDAY", before, count, *rest)
    week = Piece(f'"{days_off(rest[-1].text[1:-1])}"')
    return function("WORKDAY.INTL", before, count, week, *rest[:-1])


_CALLS: dict[str, Callable[[list[Piece], _Context], Piece]] = {
    "sum": lambda parts, context: total(parts),
    "mean": lambda parts, context: mean(parts),
    "min": lambda parts, context: extreme("MIN", parts),
    "max": lambda parts, context: extreme("MAX", parts),
    "workday": _workday,
    "ceil": lambda parts, context: _ceil(parts[0], context),
    "floor": lambda parts, context: _floor(parts[0], context),
    "round": lambda parts, context: _round(parts[0], (*parts, ZERO)[1], context),
}


@_TABLE.of(nodes.Call)
def _call(node: nodes.Call, context: _Context) -> _Printing:
    parts = []
    for argument in node.arguments:
        parts.append((yield argument, context))
    own = FUNCTIONS[node.function].excel
    return function(own, *parts) if own else _CALLS[node.function](parts, context)


# ------------------------------------------------------------------ conditions


_BARE = {"<": "<", "<=": "<=", "==": "=", "!=": "<>", ">=": ">=", ">": ">"}


@_TABLE.of(nodes.Compare)
def _compare(node: nodes.Compare, context: _Context) -> _Printing:
    left = yield node.left, replace(context, test=False)
    right = yield node.right, replace(context, test=False)
    # near a literal 0 the tolerance is less than the number itself, so the bare comparison is the
    # same
    zero = nodes.Number(0.0)
    if node.of != "number" or node.plain or zero in (node.left, node.right):
        return _value(infix(_BARE[node.op], COMPARE, left, right), context)
    gap = infix("-", SUM, left, right)
    sides = infix("+", SUM, magnitude(left), magnitude(right))
    within = times(Piece(context.places.constant("equal_within")), sides)
    return _value(tolerant(node.op, gap, within), context)


@_TABLE.of(nodes.Logic)
def _logic(node: nodes.Logic, context: _Context) -> _Printing:
    parts = []
    for side in _flattened(node):
        parts.append((yield side, replace(context, test=True)))
    if not any(part.varies for part in parts):
        return _value(many(node.op.upper(), parts), context)
    if node.op == "and":
        return _value(reduce(times, parts), context)
    either = reduce(lambda a, b: infix("+", SUM, bracket(a, ATOM), bracket(b, ATOM)), parts)
    return _value(infix(">", COMPARE, either, ZERO), context)


def _flattened(node: nodes.Logic) -> list[Node]:
    """The operands of a chain of one operator, left to right."""
    operands: list[Node] = []
    waiting: list[Node] = [node]
    while waiting:
        top = waiting.pop()
        if isinstance(top, nodes.Logic) and top.op == node.op:
            waiting += [top.right, top.left]
        else:
            operands.append(top)
    return operands


@_TABLE.of(nodes.Not)
def _not(node: nodes.Not, context: _Context) -> _Printing:
    operand = yield node.operand, replace(context, test=True)
    if operand.varies:
        return _value(infix("-", SUM, Piece("1"), bracket(operand, ATOM)), context)
    return _value(function("NOT", operand), context)


@_TABLE.of(nodes.Known)
def _is_known(node: nodes.Known, context: _Context) -> _Printing:
    of = yield node.of, replace(context, test=False)
    return _value(function("ISNUMBER", of), context)


@_TABLE.of(nodes.Choice)
def _choice(node: nodes.Choice, context: _Context) -> _Printing:
    test = yield node.test, replace(context, test=True)
    then = yield node.then, context
    other = yield node.other, context
    return choose(test, then, other)


@_TABLE.of(nodes.Guard)
def _guard(node: nodes.Guard, context: _Context) -> _Printing:
    as_value = replace(context, test=False)
    subjects: list[tuple[Piece, Piece | None]] = []
    for subject in node.subjects:
        if isinstance(subject, nodes.OneOf):
            of = yield subject.of, as_value
            subjects.append((of, _known(subject, of, context)))
        else:
            subjects.append(((yield subject, as_value), None))
    guarded = yield node.body, as_value
    for piece, known in reversed(subjects):
        if known is None:
            guarded = choose(function("ISTEXT", piece), piece, guarded)
        else:
            guarded = choose(known, guarded, piece)
    return _read(guarded, context)


# ------------------------------------------------------------------ texts


@_TABLE.of(nodes.Join)
def _join(node: nodes.Join, context: _Context) -> _Printing:
    """Join pieces with &. A lone reference would give 0 for an empty cell."""
    pieces = []
    for part in spelled(node):
        pieces.append((yield part, replace(context, test=False)))
    if not pieces:
        return EMPTY
    if len(pieces) == 1 and not isinstance(
        spelled(node)[0], nodes.Text | nodes.Fixed | nodes.Title
    ):
        pieces.append(EMPTY)
    text = "&".join(bracket(piece, JOIN).text for piece in pieces)
    return make(text, ATOM if len(pieces) == 1 else JOIN, pieces)


@_TABLE.of(nodes.Fixed)
def _fixed(node: nodes.Fixed, context: _Context) -> _Printing:
    """FIXED adds thousands separators unless told not to."""
    operand = yield node.operand, context
    digits = function("FIXED", operand, Piece(str(node.decimals)), Piece("TRUE"))
    return infix("&", JOIN, digits, literal(node.suffix)) if node.suffix else digits


@_TABLE.of(nodes.Title)
def _title(node: nodes.Title, context: _Context) -> _Printing:
    key = yield node.key, replace(context, test=False)
    where = function("MATCH", key, Piece(context.places.ids(node.table)), ZERO)
    return function("INDEX", Piece(context.places.titles(node.table)), where)


@_TABLE.of(nodes.OneOf)
def _one_of(node: nodes.OneOf, context: _Context) -> _Printing:
    """0 for a known word, so that only a reason is text."""
    of = yield node.of, replace(context, test=False)
    return choose(_known(node, of, context), ZERO, of)


def _known(node: nodes.OneOf, of: Piece, context: _Context) -> Piece:
    """The test for one of the known words or ids."""
    if node.table is None:
        words = [infix("=", COMPARE, of, literal(word)) for word in node.words]
        return words[0] if len(words) == 1 else many("OR", words)
    ids = Piece(context.places.ids(node.table))
    return function("ISNUMBER", function("MATCH", of, ids, ZERO))


# ------------------------------------------------------------------ aggregates

_WHOLE = {"sum": "SUM", "mean": "AVERAGE", "min": "MIN", "max": "MAX", "count": "COUNT"}
_BEST = {"argmin": "MIN", "argmax": "MAX"}
# Words that a criterion takes literally: no wildcard or operator, nothing like a number or date.
_PLAIN_WORD = re.compile(r"(?!(?:true|false)$)[A-Za-z][A-Za-z_ -]*", re.IGNORECASE)


@_TABLE.of(nodes.Aggregate)
def _aggregate(node: nodes.Aggregate, context: _Context) -> _Printing:
    places = context.places
    ids = Piece(places.ids(node.table))
    values = ids
    if node.column is not None:
        area = places.range if node.where is None else places.looked_up
        values = Piece(area(node.table, node.column, node.end))
    if node.where is None:
        return _read(_whole(node, values, ids), context)
    words = _words(node.where, node.table)
    if words is not None and (node.function, node.column is None) in _BY_CRITERIA:
        return _by_criteria(node, values, words, places)
    outer = context.outer | ({context.table} if context.table else set())
    inner = _Context(places, context.row, True, node.table, outer)
    where = yield node.where, inner
    rows = replace(_filtered(node, values, ids, where, context), varies=False)
    return _read(rows, context)


def _whole(node: nodes.Aggregate, values: Piece, ids: Piece) -> Piece:
    """Aggregate a bare range, which skips reasons and the spacer row."""
    if node.column is None:
        return function("SUMPRODUCT", flags(infix("<>", COMPARE, ids, EMPTY)))
    if node.function == "list":
        return values
    if node.function in _BEST:
        return first(ids, function(_BEST[node.function], values), values)
    return function(_WHOLE[node.function], values)


def _filtered(
    node: nodes.Aggregate, values: Piece, ids: Piece, where: Piece, context: _Context
) -> Piece:
    """Aggregate the rows where a condition holds.

    An empty cell counts as 0 in a comparison, so the spacer row and reasons are masked out.
    """
    kept = infix("<>", COMPARE, ids, EMPTY)
    if node.column is not None:
        kept = function("ISNUMBER", values)
    mask = times(where, kept)
    if node.function == "count":
        return function("SUMPRODUCT", mask)
    if node.function in ("sum", "mean"):
        # a condition that is the same for all rows must still be as long as the range
        chosen = flags(where) if where.varies else mask
        added = function("SUMPRODUCT", chosen, values)
        if node.function == "sum":
            return added
        return infix("/", PRODUCT, added, function("SUMPRODUCT", mask))
    if node.function in _BEST and _is_best(node):
        return _row_of(ids, where)
    best = _extreme(node, values, ids, mask, context)
    if node.function not in _BEST:
        return best
    return _row_of(ids, times(mask, infix("=", COMPARE, values, best)))


def _extreme(
    node: nodes.Aggregate, values: Piece, ids: Piece, mask: Piece, context: _Context
) -> Piece:
    """The minimum or maximum where the mask holds: all other rows are moved out of reach.

    SUMPRODUCT evaluates cell by cell without an array formula. SUMIF gives 0 for a reason, which
    could not be added.
    """
    name = _WHOLE.get(node.function) or _BEST[node.function]
    numbers = function("SUMIF", ids, ids, values)
    others = infix("-", SUM, Piece("1"), mask)
    away = times(others, Piece(context.places.constant("out_of_reach")))
    reached = infix("+" if name == "MIN" else "-", SUM, numbers, away)
    return function("SUMPRODUCT", function(name, reached))


def _is_best(node: nodes.Aggregate) -> bool:
    """Return whether the condition asks for the best value itself, so that it finds the row."""
    match node.where:
        case nodes.Logic("and", _, nodes.Compare("==", nodes.Column(table, column, end), _)):
            return (table, column, end) == (node.table, node.column, node.end)
    return False


def _row_of(ids: Piece, found: Piece) -> Piece:
    """The id of the first row where a product of tests is 1."""
    rows = function("INDEX", found, ZERO)
    return function("INDEX", ids, function("MATCH", Piece("1"), rows, ZERO))


_BY_CRITERIA = {
    ("sum", False): "SUMIFS",
    ("mean", False): "AVERAGEIFS",
    ("count", True): "COUNTIFS",
}


def _words(where: Node, table: str) -> list[tuple[nodes.Column, str]] | None:
    """Split a condition into `column == 'word'` tests; None if it has anything else."""
    sides = _flattened(where) if isinstance(where, nodes.Logic) and where.op == "and" else [where]
    result = []
    for side in sides:
        match side:
            case nodes.Compare("==", nodes.Column(of, _) as column, nodes.Text(word), "text") if (
                of == table and not column.own and _PLAIN_WORD.fullmatch(word)
            ):
                result.append((column, word))
            case _:
                return None
    return result


def _by_criteria(
    node: nodes.Aggregate, values: Piece, words: list[tuple[nodes.Column, str]], places: Places
) -> Piece:
    """The readable form: SUMIFS(values, column, "word", ...)."""
    arguments = [] if node.column is None else [values]
    for column, word in words:
        area = places.looked_up(column.table, column.column, column.end)
        arguments += [Piece(area), literal(word)]
    return function(_BY_CRITERIA[node.function, node.column is None], *arguments)
