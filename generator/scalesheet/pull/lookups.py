"""Translates spreadsheet functions over columns: sums, counts, look-ups and conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Any

from scalesheet.language.syntax import (
    Aggregation,
    Call,
    CellName,
    Compare,
    Logic,
    Member,
    Name,
    Node,
    Not,
    Over,
    Text,
)
from scalesheet.pull.around import Around, Opaque, ended
from scalesheet.pull.functions import rounded
from scalesheet.pull.parse import Fn, Lit, Op, Ref, Tree


def gathered(name: Aggregation) -> Callable[[Fn, Around], Node]:
    """SUM, MIN and the like: over a column, or over several values."""

    def form(tree: Fn, around: Around) -> Node:
        slack = rounded(tree, around)
        if slack is not None:
            return slack
        if len(tree.arguments) == 1:
            inner = tree.arguments[0]
            if isinstance(inner, Ref) and inner.kind == "range":
                return _over(name, inner, None, around)
        parts: list[Node] = []
        for each in tree.arguments:
            if isinstance(each, Ref) and each.kind == "few":
                text: Any = each.meaning
                parts += [around.translated(Ref(kind, what)) for kind, what in text]
            elif isinstance(each, Ref) and each.kind == "range" and name in ("sum", "min", "max"):
                parts.append(_over(name, each, None, around))
            else:
                parts.append(around.translated(each))
        if name == "count" or not parts:
            return Opaque(tree, f"{tree.name} counts single cells; count(table) counts rows")
        return Call(name, tuple(parts))

    return form


def _over(function: Aggregation, values: Ref, where: Node | None, around: Around) -> Node:
    meaning: Any = values.meaning
    if values.kind == "ids":
        return Over(function, Name(around.short(meaning)), where)
    table, column, end = meaning
    path = (*around.short(table), column)
    return ended(Over(function, Name(path), where), end)


def _rows(test: Tree, values: Ref, around: Around) -> Node | None:
    """The condition on rows: a product of tests, without the masks for empty cells and reasons."""
    meaning: Any = values.meaning
    table = meaning if values.kind == "ids" else meaning[0]
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
    result = kept[0]
    for more in kept[1:]:
        result = Logic("and", result, more)
    return result


def _of_rows(tree: Tree, table: str, around: Around) -> Node:
    """Translate a test of each row, where the table's ranges are columns of the tested row."""
    return around.translated(_looked_at(tree, table))


def _looked_at(tree: Tree, table: str) -> Tree:
    match tree:
        case Ref("range", (str(of), column, end)) if of == table:
            return Ref("scalar", (column, end))  # a bare name in the condition
        case Op(op, sides):
            if op == ">" and sides[1] == Lit(0.0) and isinstance(sides[0], Op):
                product = sides[0]
                if product.op == "+":
                    either = tuple(_looked_at(each, table) for each in product.sides)
                    return Fn("OR", either)
            return Op(op, tuple(_looked_at(each, table) for each in sides))
        case Fn(name, arguments):
            return Fn(name, tuple(_looked_at(each, table) for each in arguments))
    return tree


def sumproduct(tree: Fn, around: Around) -> Node:
    """SUMPRODUCT over a test, or over a test and a column."""
    tests = [_bare(each) for each in tree.arguments]
    last = tree.arguments[-1]
    if len(tests) == 1 and (best := _extreme(tests[0], around)) is not None:
        return best
    if len(tests) == 1:
        ids = next(iter(_ids_in(tests[0])), None)
        if ids is None:
            return Opaque(
                tree, "SUMPRODUCT of columns has no equivalent; add a column with the product"
            )
        return _over("count", ids, _rows(tests[0], ids, around), around)
    if len(tests) == 2 and isinstance(last, Ref) and last.kind == "range":
        return _over("sum", last, _rows(tests[0], last, around), around)
    return Opaque(tree, "SUMPRODUCT of columns has no equivalent; add a column with the product")


def _extreme(tree: Tree, around: Around) -> Node | None:
    """`MIN(SUMIF(ids,ids,values)+(1-test)*out_of_reach)`: the smallest value where a test holds."""
    match tree:
        case Fn(
            "MIN" | "MAX" as name,
            (
                Op(
                    "+" | "-",
                    (
                        Fn("SUMIF", (_, _, Ref("range") as values)),
                        Op("*", (Op("-", (Lit(1.0), test)), Ref("const", "out_of_reach"))),
                    ),
                ),
            ),
        ):
            function: Aggregation = "min" if name == "MIN" else "max"
            return _over(function, values, _rows(test, values, around), around)
    return None


def _best_row(product: Tree, around: Around) -> Node | None:
    """The row where all tests hold, one of which is that a value is the smallest or largest."""
    factors: list[Tree] = []
    waiting = [product]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Op) and each.op == "*":
            waiting += [each.sides[1], each.sides[0]]
        else:
            factors.append(each)
    for factor in factors:
        match factor:
            case Op("=", (Ref("range") as values, Fn() as best)):
                meant = around.translated(best)
                inner = meant.arguments[0] if isinstance(meant, Call) else meant
                if isinstance(inner, Over) and inner.function in ("min", "max"):
                    function: Aggregation = "argmin" if inner.function == "min" else "argmax"
                    tests = [each for each in factors if each is not factor]
                    test = reduce(lambda a, b: Op("*", (a, b)), tests)
                    return _over(function, values, _rows(test, values, around), around)
    return None


def _bare(tree: Tree) -> Tree:
    """Remove double negation, which turns a truth value into a number."""
    while isinstance(tree, Op) and tree.op == "neg":
        tree = tree.sides[0]
    return tree


def _ids_in(tree: Tree) -> list[Ref]:
    refs: list[Ref] = []
    stack = [tree]
    while stack:
        top = stack.pop()
        if isinstance(top, Ref) and top.kind == "ids":
            refs.append(top)
        elif isinstance(top, Op):
            stack += top.sides
    return refs


def by_words(function: Aggregation, *, values: bool) -> Callable[[Fn, Around], Node]:
    """SUMIFS, AVERAGEIFS and COUNTIFS with literal words."""

    def form(tree: Fn, around: Around) -> Node:
        arguments = list(tree.arguments)
        target = arguments.pop(0) if values else None
        kept: list[Node] = []
        table = ""
        for column, word in zip(arguments[::2], arguments[1::2], strict=False):
            text: Any = (
                column.meaning if isinstance(column, Ref) and column.kind == "range" else None
            )
            if text is None or not isinstance(word, Lit) or not isinstance(word.value, str):
                return Opaque(tree, f"{tree.name} is read only with words as criteria")
            if word.value[:1] in "<>=*?":
                return Opaque(tree, f"{tree.name} is read only with whole words as criteria")
            table = text[0]
            column_name = Name((text[1],))
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
            return Opaque(tree, f"{tree.name} adds up something that is not a column of the plan")
        return _over(function, of, where, around)

    return form


def index(tree: Fn, around: Around) -> Node:
    """INDEX with MATCH: a look-up by id, or the row where a column is smallest or largest."""
    match tree.arguments:
        case (
            Ref("range", (str(table), str(name), end)),
            Fn("MATCH", (Lit(str(row)), Ref("ids", of), Lit(0.0))),
        ) if of == table:
            return ended(CellName(around.short(table), row, name), end)
        case (
            Ref("range", (str(table), str(name), end)),
            Fn("MATCH", (key, Ref("ids", of), Lit(0.0))),
        ) if of == table:
            cell = _part(around.translated(key), table, name, tree, around)
            return ended(cell, end)
        case (
            Ref("ids", _),
            Fn("MATCH", (Lit(1.0), Fn("INDEX", (product, Lit(0.0))), Lit(0.0))),
        ) if (best_row := _best_row(product, around)) is not None:
            return best_row
        case (Ref("ids", _), Fn("MATCH", (Fn(best, (inner,)), values, Lit(0.0)))) if best in (
            "MIN",
            "MAX",
        ):
            function: Aggregation = "argmin" if best == "MIN" else "argmax"
            if isinstance(inner, Ref) and inner == values:
                return _over(function, inner, None, around)
    return Opaque(tree, "INDEX is read only as a look-up by the id of a row")


def _part(key: Node, table: str, column: str, tree: Fn, around: Around) -> Node:
    """`gpu.memory`: a column of the row that a key selects."""
    match key:
        case Name(path):
            return Name((*path, column))
        case Over("argmin" | "argmax") | Member():
            return Member(key, column)
        case Text(row):
            return CellName(around.short(table), row, column)
        case CellName():
            return Opaque(
                tree, "a look-up through a single cell has no equivalent; name the cell first"
            )
    return Opaque(tree, "the key of a look-up is not a reference")


def if_error(tree: Fn, around: Around) -> Node:
    """IFERROR around a look-up whose key may be a reason."""
    if len(tree.arguments) == 2:
        wanted, key = tree.arguments
        if isinstance(wanted, Fn) and wanted.name == "INDEX":
            looked = wanted.arguments[1]
            if isinstance(looked, Fn) and looked.name == "MATCH" and looked.arguments[0] == key:
                return around.translated(wanted)
    return Opaque(tree, "IFERROR has no equivalent: say with 'if' when there is no value")
