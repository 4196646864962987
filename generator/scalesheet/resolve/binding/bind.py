"""Binds a written formula: names become references, units are derived, conversions inserted.

The result is still one tree for all three ends: references read `value`, and `low`, `high`,
`paired` and `between` remain calls. `ranges.py` splits it into ends, `reasons.py` adds the guards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.frozen import dataclass
from scalesheet.language import syntax as nodes
from scalesheet.language.arithmetic import working_days
from scalesheet.language.functions import EVERY, FUNCTIONS, MEANT
from scalesheet.language.parser import SPECIAL
from scalesheet.language.syntax import Node
from scalesheet.model import LIMIT
from scalesheet.nearest import nearest
from scalesheet.quantities import DATE
from scalesheet.resolve.binding.conversion import convert
from scalesheet.resolve.binding.lookup import TableColumn, cell, find, hyphenated, member
from scalesheet.resolve.binding.scope import BindError, Scope, Typed, a_kind
from scalesheet.resolve.binding.texts import as_text, reason, text
from scalesheet.resolve.drafts import Draft, DraftRecord, DraftTable, Space, Written
from scalesheet.units import PURE, UNKNOWN, Unit, UnitError

#: Functions that are aggregates if their only argument is a column.
_OF_COLUMNS: Mapping[str, nodes.Aggregation] = {
    "sum": "sum",
    "mean": "mean",
    "min": "min",
    "max": "max",
}


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound formula, not yet split into ends."""

    tree: Node
    uses: tuple[str, ...]


def bind(written: Written, draft: Draft, scope: Scope) -> Bound | Diagnostic:
    """Bind a formula and check it against its declaration: kind, unit, words or table."""
    try:
        if draft.unstated:
            return at(draft.position, "U003", _without_a_unit(written.tree, draft, scope))
        typed = _checked(written.tree, draft, scope)
    except BindError as error:
        message = error.message
        if error.code == "N001":
            message = hyphenated(written.text, error.offset, scope) or message
        return at(written.at(error.offset), error.code, message)
    return Bound(typed.tree, tuple(sorted(_uses(written.tree, scope.space))))


def _without_a_unit(tree: Node, draft: Draft, scope: Scope) -> str:
    """Say what a quantity without a unit should declare, judging by its formula."""
    typed = infer(tree, scope, UNKNOWN)
    lacks = {"flag": "flag: yes", "word": "words: [...]", "text": "text: yes"}
    if typed.kind in lacks:
        return f"'{draft.name}' gives {a_kind(typed.kind)}; add '{lacks[typed.kind]}'"
    unit = typed.unit if typed.unit is not None and typed.unit != UNKNOWN else PURE
    return f"'{draft.name}' has no unit; its formula gives {unit}; add 'unit: {unit}'"


def _uses(tree: Node, space: Space) -> set[str]:
    return {
        space.records[n.function].id
        for n in nodes.walk(tree)
        if isinstance(n, nodes.Call) and n.function in space.records
    }


def _checked(tree: Node, draft: Draft, scope: Scope) -> Typed:
    wanted = draft.unit if draft.kind == "number" and not scope.asserted else None
    typed = infer(tree, scope, wanted)
    if typed.kind == "reason":
        return typed
    if draft.kind == "number":
        if typed.kind != "number":
            raise BindError("F004", f"expected a number, found {a_kind(typed.kind)}", tree)
        if scope.asserted:
            return typed
        assert draft.unit is not None
        of = draft.name.removesuffix(LIMIT)
        limit = of != draft.name
        place = f"the limit of '{of}' is in" if limit else f"'{of}' is declared in"
        if draft.unit == DATE and typed.unit not in (DATE, UNKNOWN, None):
            message = f"{place} {DATE}, but the formula gives {typed.unit}; add it to a date"
            raise BindError("U002", message, tree)
        named = (
            scope.space.scalars.get(".".join(tree.path)) if isinstance(tree, nodes.Name) else None
        )
        if limit and named and not scope.space.units.compatible(typed.unit or UNKNOWN, draft.unit):
            is_in = f"'{named.name}' (line {named.position.line}) is in {typed.unit}"
            message = f"{is_in}, but {place} {draft.unit}; give '{named.name}' in {draft.unit}"
            raise BindError("U002", message, tree)
        return convert(typed, draft.unit, scope, tree, place)
    if draft.kind == "reference":
        if typed.kind != "reference" or typed.table != draft.refers_to:
            raise BindError(
                "F004", f"expected a row of '{draft.refers_to}', found {a_kind(typed.kind)}", tree
            )
        return typed
    if draft.kind == "word":
        if typed.kind != "word":
            raise BindError("F004", f"expected a word, found {a_kind(typed.kind)}", tree)
        for word in _words(tree):
            if word.value not in draft.words:
                raise BindError(
                    "F006",
                    f"'{word.value}' is not one of the words of '{draft.name}': "
                    f"{', '.join(draft.words)}{nearest(word.value, draft.words)}",
                    word,
                )
        if other := [word for word in typed.words if word not in draft.words]:
            raise BindError(
                "F006",
                f"it may be '{other[0]}', which is not one of the words of '{draft.name}': "
                f"{', '.join(draft.words)}{nearest(other[0], draft.words)}",
                tree,
            )
        return typed
    if draft.kind == "text":
        typed = as_text(typed)
    if typed.kind != draft.kind:
        raise BindError("F004", f"expected {a_kind(draft.kind)}, found {a_kind(typed.kind)}", tree)
    return typed


def _words(tree: Node) -> list[nodes.Text]:
    """The words that a formula can return."""
    if isinstance(tree, nodes.Choice):
        return _words(tree.then) + _words(tree.other)
    return [tree] if isinstance(tree, nodes.Text) else []


# ------------------------------------------------------------------ inference


def infer(node: Node, scope: Scope, want: Unit | None = None) -> Typed:
    """The bound tree and its type. `want` is the unit that the place expects, if known: a rounding
    function converts its argument to it, so that rounding happens in that unit.
    """
    return _INFER[type(node)](node, scope, want)


def _number(node: nodes.Number, scope: Scope, want: Unit | None) -> Typed:
    return Typed(node, "number", None if node.value == 0 else PURE)


def _negative(node: nodes.Negative, scope: Scope, want: Unit | None) -> Typed:
    inner = _numeric(node.operand, scope, want)
    return replace(inner, tree=nodes.Negative(inner.tree, span=node.span))


def _numeric(node: Node, scope: Scope, want: Unit | None) -> Typed:
    typed = infer(node, scope, want)
    if typed.kind not in ("number", "reason"):
        raise BindError("F004", f"expected a number, found {a_kind(typed.kind)}", node)
    return typed


def _is_literal_zero(node: Node) -> bool:
    while isinstance(node, nodes.Negative):
        node = node.operand
    return isinstance(node, nodes.Number) and node.value == 0


def _binary(node: nodes.Binary, scope: Scope, want: Unit | None) -> Typed:
    if node.op in "+-":
        left, right = _alike((node.left, node.right), scope, want, f"'{node.op}' needs")
        tree = nodes.Binary(node.op, left.tree, right.tree, span=node.span)
        return Typed(tree, "number", left.unit if left.unit is not None else right.unit)
    if node.op == "**":
        return _power(node, scope)
    left, right = _numeric(node.left, scope, None), _numeric(node.right, scope, None)
    a, b = left.unit or PURE, right.unit or PURE
    unit = a * b if node.op == "*" else a / b
    if node.op == "/" and _is_literal_zero(right.tree):
        raise BindError("V003", "division by zero", node.right)
    return Typed(nodes.Binary(node.op, left.tree, right.tree, span=node.span), "number", unit)


def _power(node: nodes.Binary, scope: Scope) -> Typed:
    base = _ratio(_numeric(node.left, scope, None), scope, node.left)
    exponent = _pure(node.right, scope, "an exponent")
    tree = nodes.Binary("**", base.tree, exponent.tree, span=node.span)
    if base.unit is None or base.unit.pure:
        return Typed(tree, "number", PURE)
    value = _literal(exponent.tree)
    if value is None:
        raise BindError(
            "U002",
            f"a quantity in {base.unit} is raised to a power that is not a literal number, "
            "so its unit is not known",
            node.right,
        )
    return Typed(tree, "number", base.unit**value)


def _literal(tree: Node) -> Fraction | None:
    """The exact value of a literal number, such as 0.34 or 1/3."""
    if isinstance(tree, nodes.Number):
        return Fraction(repr(tree.value))
    if isinstance(tree, nodes.Negative) and isinstance(tree.operand, nodes.Number):
        return -Fraction(repr(tree.operand.value))
    if isinstance(tree, nodes.Binary) and tree.op == "/":
        a, b = _literal(tree.left), _literal(tree.right)
        return a / b if a is not None and b else None
    return None


def _ratio(typed: Typed, scope: Scope, node: Node) -> Typed:
    """A ratio of units of one dimension, such as minutes per second, as a pure number: what is not
    linear needs it, since its result would depend on the units that inputs are written in.
    """
    ratio = typed.unit is not None and scope.space.units.ratio(typed.unit)
    return convert(typed, PURE, scope, node, "") if ratio else typed


def _pure(node: Node, scope: Scope, what: str) -> Typed:
    return convert(_numeric(node, scope, PURE), PURE, scope, node, f"{what} needs a number of unit")


def _alike(
    operands: Iterable[Node], scope: Scope, want: Unit | None, place: str
) -> tuple[Typed, ...]:
    """Infer operands of the same dimension, converted to the unit of the first that has one."""
    operands = tuple(operands)
    return _in_one_unit([_numeric(n, scope, want) for n in operands], operands, scope, want, place)


def _in_one_unit(
    typed: Sequence[Typed], operands: Sequence[Node], scope: Scope, want: Unit | None, place: str
) -> tuple[Typed, ...]:
    unit = next((t.unit for t in typed if t.unit is not None), None)
    if unit is None:
        return tuple(typed)
    first = next(n for t, n in zip(typed, operands, strict=True) if t.unit is not None)
    for t, n in zip(typed, operands, strict=True):
        if t.unit is not None and not scope.space.units.compatible(t.unit, unit):
            raise BindError(
                "U002",
                f"{place} operands that measure the same: found {unit} and {t.unit}; "
                "convert one to match the other",
                n if n is not first else first,
            )
    if want is not None and _fits(unit, want, scope):
        unit = want
    elif scope.space.units.ratio(unit):
        unit = PURE
    return tuple(convert(t, unit, scope, n, place) for t, n in zip(typed, operands, strict=True))


def _fits(unit: Unit, want: Unit, scope: Scope) -> bool:
    """Whether a quantity is converted to the unit of its place. A place whose unit is UNKNOWN
    reports itself that it lacks one.
    """
    return want != UNKNOWN and scope.space.units.compatible(unit, want)


def _compare(node: nodes.Compare, scope: Scope, want: Unit | None) -> Typed:
    left, right = infer(node.left, scope), infer(node.right, scope)
    kinds = {left.kind, right.kind} - {"reason"}
    if kinds <= {"number"}:
        sides = (node.left, node.right)
        a, b = _in_one_unit((left, right), sides, scope, None, f"'{node.op}' needs")
        tree = nodes.Compare(
            node.op, a.tree, b.tree, "number", _plain(a.tree) and _plain(b.tree), span=node.span
        )
        return Typed(tree, "flag")
    if kinds == {"flag"}:
        _only_equality(node)
        return Typed(
            nodes.Compare(node.op, left.tree, right.tree, "flag", True, span=node.span), "flag"
        )
    if kinds <= {"word", "reference", "text", "date"}:
        if not (kinds <= {"date"} or (kinds <= {"text", "date", "word"} and "date" in kinds)):
            _only_equality(node)
        _rows_of_one_table(left, right, node)
        for one, other, at_node in ((left, right, node.right), (right, left, node.left)):
            _known_word(one, other, at_node, scope)
        return Typed(
            nodes.Compare(node.op, left.tree, right.tree, "text", True, span=node.span), "flag"
        )
    raise BindError(
        "F004", f"cannot compare {a_kind(left.kind)} with {a_kind(right.kind)}", node.right
    )


def _rows_of_one_table(left: Typed, right: Typed, node: nodes.Compare) -> None:
    if left.kind == right.kind == "reference" and left.table != right.table:
        message = f"a row of '{left.table}' is never one of '{right.table}'"
        raise BindError("F004", f"{message}; name a row of the same table", node.right)


def _only_equality(node: nodes.Compare) -> None:
    if node.op not in ("==", "!="):
        raise BindError("F004", f"'{node.op}' compares numbers; words are equal or not", node)


def _known_word(one: Typed, other: Typed, node: Node, scope: Scope) -> None:
    if not isinstance(other.tree, nodes.Text):
        return
    word = other.tree.value
    if one.kind == "reference" and one.table and word not in scope.space.table(one.table).rows:
        rows = scope.space.table(one.table).rows
        raise BindError("N002", f"'{word}' is not a row of {one.table}{nearest(word, rows)}", node)
    if one.kind == "word" and one.words and word not in one.words:
        raise BindError(
            "F006",
            f"'{word}' is not one of the words {', '.join(one.words)}{nearest(word, one.words)}",
            node,
        )


def _plain(tree: Node) -> bool:
    """Whether no arithmetic was done on the value, so that it can be compared exactly."""
    if isinstance(tree, nodes.Number | nodes.Text | nodes.Flag):
        return True
    return isinstance(tree, nodes.Aggregate) and tree.function == "count"


def _logic(node: nodes.Logic, scope: Scope, want: Unit | None) -> Typed:
    left, right = _flag(node.left, scope), _flag(node.right, scope)
    return Typed(nodes.Logic(node.op, left.tree, right.tree, span=node.span), "flag")


def _not(node: nodes.Not, scope: Scope, want: Unit | None) -> Typed:
    return Typed(nodes.Not(_flag(node.operand, scope).tree, span=node.span), "flag")


def _flag(node: Node, scope: Scope) -> Typed:
    typed = infer(node, scope)
    if typed.kind != "flag":
        raise BindError("F004", f"expected a condition, found {a_kind(typed.kind)}", node)
    return typed


def _choice(node: nodes.Choice, scope: Scope, want: Unit | None) -> Typed:
    test = _flag(node.test, scope)
    then, other = infer(node.then, scope, want), infer(node.other, scope, want)
    kinds = {then.kind, other.kind} - {"reason"}
    if kinds == {"word", "text"}:
        then, other = as_text(then), as_text(other)
    elif kinds == {"number"}:
        sides = (node.then, node.other)
        then, other = _in_one_unit((then, other), sides, scope, want, "both sides of 'if' are")
    elif len(kinds) > 1:
        raise BindError(
            "F004", f"'if' chooses between {a_kind(then.kind)} and {a_kind(other.kind)}", node.other
        )
    kept = then if then.kind != "reason" else other
    return replace(
        kept,
        tree=nodes.Choice(then.tree, test.tree, other.tree, span=node.span),
        unit=then.unit if then.unit is not None else other.unit,
    )


def _call(node: nodes.Call, scope: Scope, want: Unit | None) -> Typed:
    name = node.function
    if name in scope.space.records:
        return _record(node, scope.space.records[name], scope, want)
    if name not in FUNCTIONS and name not in SPECIAL:
        known = [*FUNCTIONS, *SPECIAL, "count", "argmin", "argmax", *scope.space.records]
        meant = MEANT.get(name)
        near = f"; did you mean '{meant}'?" if meant else nearest(name, known)
        listed = f"; functions: {', '.join([*FUNCTIONS, *SPECIAL])}"
        raise BindError("N001", f"unknown function '{name}'{near or listed}", node)
    if name in _OF_COLUMNS and len(node.arguments) == 1:
        only = node.arguments[0]
        if isinstance(only, nodes.Name) and isinstance(find(only, scope), TableColumn):
            return _over(nodes.Over(_OF_COLUMNS[name], only, None, span=node.span), scope, want)
    function = EVERY[name]
    if name == "workday":
        return _workday(node, scope)
    if function.takes == "alike":
        parts = _alike(node.arguments, scope, want, f"{name} needs")
        unit = next((p.unit for p in parts if p.unit is not None), None)
        tree: Node = nodes.Call(name, tuple(p.tree for p in parts), span=node.span)
        return Typed(tree, "number", unit)
    if function.takes == "pure":
        inner = _pure(node.arguments[0], scope, name)
        return Typed(nodes.Call(name, (inner.tree,), span=node.span), "number", PURE)
    inner = _numeric(node.arguments[0], scope, want if function.power == 1 else None)
    rest = node.arguments[1:]
    if function.rounds:
        inner = _rounded(inner, rest, scope, want, node)
    unit = inner.unit if inner.unit is None else inner.unit**function.power
    return replace(inner, tree=nodes.Call(name, (inner.tree, *rest), span=node.span), unit=unit)


def _workday(node: nodes.Call, scope: Scope) -> Typed:
    """A date, a count, days off and a week: `workday(begin, 10, holidays.day, 'sun-thu')`."""
    day = convert(_numeric(node.arguments[0], scope, DATE), DATE, scope, node, "a day is in")
    count = _pure(node.arguments[1], scope, "workday")
    arguments: tuple[Node, ...] = (day.tree, count.tree)
    rest = node.arguments[2:]
    week = tuple(each for each in rest[-1:] if isinstance(each, nodes.Text))
    for off in rest[: len(rest) - len(week)]:
        column = find(off, scope) if isinstance(off, nodes.Name) else None
        if not isinstance(column, TableColumn):
            raise BindError("N008", "workday takes a column of days off: holidays.day", off)
        draft = scope.space.table(column.table).columns[column.column]
        if draft.kind != "number" or draft.unit != DATE:
            raise BindError("U002", "workday takes days off whose unit is date", off)
        arguments += (nodes.Aggregate("list", column.table, column.column, span=off.span),)
    if len(arguments) > 3:
        raise BindError("N008", "workday takes one column of days off", node.arguments[3])
    for each in week:
        try:
            working_days(each.value)
        except ValueError:
            message = f"'{each.value}' is not a week; write its first and last day: 'sun-thu'"
            raise BindError("F006", message, each) from None
    return Typed(nodes.Call("workday", (*arguments, *week), span=node.span), "number", DATE)


def _rounded(
    inner: Typed, rest: tuple[Node, ...], scope: Scope, want: Unit | None, node: nodes.Call
) -> Typed:
    """Convert the argument of a rounding to the unit that it is rounded in: that of the place, if
    it is known, else the one that needs no choice. Raises BindError U004 if there is neither.
    """
    units, own = scope.space.units, inner.unit
    if own is not None:
        unit = want if want is not None and _fits(own, want, scope) else units.countable(own)
        if unit is not None:
            inner = convert(inner, unit, scope, node.arguments[0], f"{node.function} must be in")
        elif want is None:
            raise BindError(
                "U004",
                f"nothing states the unit that {node.function} rounds in; give the rounded value a "
                f"quantity with a unit, such as {own}, or round a ratio: ceil(time / slot) * slot",
                node,
            )
    if rest:
        places = _literal(rest[0])
        if places is None or places != int(places) or not -12 <= places <= 12:
            raise BindError(
                "F003", "round takes a literal whole number of decimals, -12 to 12", rest[0]
            )
    return inner


def _record(node: nodes.Call, record: DraftRecord, scope: Scope, want: Unit | None) -> Typed:
    """Expand a catalogue formula with the given inputs. Inputs are converted to their declared
    units, on which the formula relies.
    """
    if scope.depth > 20:
        raise BindError("N005", f"the formula '{node.function}' calls itself", node)
    if node.arguments:
        raise BindError(
            "F003",
            f"inputs of a catalogue formula are given by name: "
            f"{node.function}({', '.join(f'{n}=...' for n in record.inputs)})",
            node.arguments[0],
        )
    given = dict(node.named)
    for name, value in given.items():
        if name not in record.inputs:
            raise BindError(
                "N001",
                f"'{node.function}' has no input '{name}'{nearest(name, record.inputs)}",
                value,
            )
    bound: dict[str, Typed] = {}
    for name, declared in record.inputs.items():
        assert declared.unit is not None
        if name in given:
            typed = _numeric(given[name], scope, declared.unit)
            place = f"the input '{name}' of {node.function} is in"
            bound[name] = convert(typed, declared.unit, scope, given[name], place)
        elif name in record.defaults:
            constant = nodes.Constant(f"{node.function}_{name}", record.defaults[name])
            bound[name] = Typed(constant, "number", declared.unit)
        else:
            raise BindError(
                "F003", f"'{node.function}' needs the input '{name}' ({declared.unit})", node
            )
    inside = replace(scope, inputs=bound, depth=scope.depth + 1, looked_at=None)
    if record.asserted:
        bare = {n: replace(t, unit=PURE if t.unit is not None else None) for n, t in bound.items()}
        body = infer(record.formula.tree, replace(inside, inputs=bare, asserted=True))
        return replace(body, unit=record.unit)
    # A record that rounds does so in its own unit, wherever it is used.
    unit = want if want is not None and not _rounds(record.formula.tree) else record.unit
    return infer(record.formula.tree, replace(inside, asserted=False), unit)


def _rounds(tree: Node) -> bool:
    return any(isinstance(n, nodes.Call) and EVERY[n.function].rounds for n in nodes.walk(tree))


def _name(node: nodes.Name, scope: Scope, want: Unit | None) -> Typed:
    result = find(node, scope)
    if isinstance(result, Typed):
        return result
    name = ".".join(node.path)
    if isinstance(result, TableColumn):
        raise BindError(
            "N007",
            f"'{name}' is a whole column; write sum({name}), or "
            f"{result.table}['row-id'].{result.column}",
            node,
        )
    raise BindError("N008", f"'{name}' is a table, not a value", node)


def _over(node: nodes.Over, scope: Scope, want: Unit | None) -> Typed:
    result = find(node.target, scope)
    name = ".".join(node.target.path)
    if isinstance(result, Typed):
        if isinstance(result.tree, nodes.Column) and scope.table is not None:
            # a column of the current table: over all its rows
            result = TableColumn(result.tree.table, result.tree.column)
        else:
            raise BindError("N007", f"'{name}' is one value; {node.function} needs a column", node)
    function: nodes.Aggregation = node.function
    if isinstance(result, DraftTable):
        if function != "count":
            raise BindError("N008", f"{function} takes a column of '{name}': {name}.column", node)
        table, column, draft = result, None, None
    else:
        table = scope.space.table(result.table)
        column, draft = result.column, table.columns[result.column]
        if draft.kind != "number":
            raise BindError(
                "F004",
                f"{function} takes a column of numbers; '{name}' holds {draft.kind}s",
                node,
            )
    where = None
    if node.where is not None:
        where = _flag(node.where, replace(scope, looked_at=table.name)).tree
    tree = nodes.Aggregate(function, table.name, column, where=where, span=node.span)
    if function == "count":
        return Typed(tree, "number", PURE)
    if function in ("argmin", "argmax"):
        return Typed(tree, "reference", table=table.name)
    assert draft is not None
    return Typed(tree, "number", draft.unit)


def _cast(node: nodes.Cast, scope: Scope, want: Unit | None) -> Typed:
    try:
        unit = scope.space.units.parse(node.unit)
    except UnitError as error:
        raise BindError("U001", error.message, node) from None
    if not all(scope.space.units.declared[n].counted for n, _ in unit.factors):
        raise BindError(
            "U002", f"'as' turns a pure number into a count; {node.unit} is measured", node
        )
    inner = convert(
        _numeric(node.operand, scope, PURE), PURE, scope, node.operand, "'as' needs the unit"
    )
    return replace(inner, unit=unit)


_INFER: dict[type[Node], Callable[[Any, Scope, Unit | None], Typed]] = {
    nodes.Number: _number,
    nodes.Text: lambda n, s, w: Typed(n, "word"),
    nodes.Flag: lambda n, s, w: Typed(n, "flag"),
    nodes.Reason: lambda n, s, w: Typed(
        nodes.Reason(reason(n.text, s, infer), span=n.span), "reason"
    ),
    nodes.Join: lambda n, s, w: Typed(text(n, s, infer), "text"),
    nodes.Negative: _negative,
    nodes.Binary: _binary,
    nodes.Compare: _compare,
    nodes.Logic: _logic,
    nodes.Not: _not,
    nodes.Known: lambda n, s, w: Typed(
        nodes.Known(_numeric(n.of, s, None).tree, span=n.span), "flag"
    ),
    nodes.Choice: _choice,
    nodes.Call: _call,
    nodes.Name: _name,
    nodes.CellName: lambda n, s, w: cell(n, s),
    nodes.Over: _over,
    nodes.Member: lambda n, s, w: member(n, infer(n.row, s), s),
    nodes.Cast: _cast,
}
