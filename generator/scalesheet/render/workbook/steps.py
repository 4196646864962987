"""Moves parts of long formulas to cells of their own, so that people can read each formula.

A part that occurs twice, and whatever makes a formula too long or too deep, becomes a *step*: a
hidden scalar or column of the plan, which evaluator, layout and printer treat like any other. The
tests for operands that must be numbers are collected in one step, the status. Values do not change:
a step is a part of the tree, computed in the same way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any

from scalesheet.book import Book
from scalesheet.defined_names import bad_name, defined
from scalesheet.edition import Edition
from scalesheet.frozen import dataclass
from scalesheet.language.format import formula_text
from scalesheet.language.syntax import (
    Aggregate,
    Aggregation,
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
    children,
    mapped,
)
from scalesheet.model import Column as ModelColumn
from scalesheet.model import Ends, Formula, Key, Kind, Plan, Quantity, Table, formulas_of
from scalesheet.model import Scalar as ModelScalar
from scalesheet.printers.base import PrinterError
from scalesheet.printers.excel import excel
from scalesheet.render.workbook.blanks import blanked
from scalesheet.render.workbook.layout import lay_out
from scalesheet.render.workbook.places import ROW, TablePlace, View
from scalesheet.resolve.reasons import of_compiler
from scalesheet.units import Unit

#: What people can read: characters, and levels of nested functions.
LONGEST, DEEPEST = 150, 6
#: Lengths that a repeated part, and any part of a formula that is too long or deep, must exceed to
#: become a step.
WORTH_A_STEP, SHORTEST = 24, 8
READY = "ok"  # the status of a formula that can be computed
STATUS = "ok, or the first reason why it cannot be computed"
_LEAVES = (Number, Text, Flag, Constant, Scalar, Column, OneOf)

Scope = tuple[Node, ...]  # nodes known not to be reasons at some place


def stepped(book: Book, plan: Plan) -> Plan:
    """Return the plan with its long formulas split into steps."""
    return _Steps(book, blanked(plan)).plan_with_steps()


def stepped_once(edition: Edition, book: Book, plan: Plan) -> Plan:
    """The same, from the cache where the edition has it. `book` is what the workbook carries."""
    if edition.book.plans.get(plan.id) is not plan:
        return stepped(book, plan)
    return edition.keep("stepped", lambda: stepped(book, plan), plan.id)


# ------------------------------------------------------------------ trees


def _below(node: Node) -> tuple[Node, ...]:
    """The children that may become steps; in a row condition, names refer to the row looked at."""
    return () if isinstance(node, Aggregate) else children(node)


def _within(node: Node) -> Iterator[Node]:
    """Yield the node and all nodes below it that may become steps."""
    yield node
    for child in _below(node):
        yield from _within(child)


def _tested(node: Node) -> Node | None:
    """The part that has a value only if the test before it fails, such as a division by a possible
    zero."""
    match node:
        case Choice(then=Reason(text=Text(why)), other=other) if of_compiler(why):
            return other
    return None


def _of_row(node: Node, over: frozenset[str] = frozenset()) -> bool:
    """Return whether it depends on the current row."""
    if isinstance(node, Column):
        return node.own or node.table not in over
    if isinstance(node, Aggregate):
        over |= {node.table}
    return any(_of_row(child, over) for child in children(node))


def _expected(node: Node) -> Node:
    """The same node with expected values, as subjects of guards have."""
    node = mapped(node, _expected)
    if isinstance(node, Scalar | Column | Cell | Lookup | Aggregate) and node.end != "value":
        return replace(node, end="value")
    return node


def _of(subject: Node) -> Node:
    return subject.of if isinstance(subject, OneOf) else subject


# ------------------------------------------------------------------ texts


def nesting(text: str) -> int:
    """How deeply the functions of a printed formula are nested."""
    deepest = 0
    opened: list[bool] = []
    for match in _BRACKETS.finditer(text):
        if match[0].endswith("("):
            opened.append(match[0] != "(")
            deepest = max(deepest, sum(opened))
        elif match[0] == ")":
            opened.pop()
    return deepest


def lookups(text: str) -> list[str]:
    """The lookups in a printed formula."""
    found = []
    for start in (match.start() for match in re.finditer(r"\bINDEX\(", text)):
        depth = 0
        for match in _BRACKETS.finditer(text, start):
            depth += match[0].endswith("(") - (match[0] == ")")
            if depth == 0 and match[0] == ")":
                found.append(text[start : match.end()])
                break
    return found


def _twice(text: str) -> bool:
    found = lookups(text)
    return len(found) > len(set(found))


_BRACKETS = re.compile(r"""\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'|[A-Za-z]*\(|\)""")


# ------------------------------------------------------------------ steps


@dataclass(frozen=True, slots=True)
class _Home:
    """The formula being split: its key, and the rows that it fills (None for all)."""

    key: Key
    quantity: Quantity
    rows: tuple[str, ...] | None = None


@dataclass(frozen=True)
class _Sizes(View):
    """Places with names as long as the workbook's will be."""

    def scalar(self, name: str, end: End) -> str:
        return self.layout.names.scalars.get((name, end)) or defined(name)

    def column(self, table: str, column: str, end: End) -> str:
        place = self.layout.tables[table]
        if column not in place.columns:
            return place.own(26)
        return super().column(table, column, end)


@dataclass
class _Steps:
    """Splits the formulas of a plan, in the order of computation."""

    book: Book
    plan: Plan
    order: list[Key] = field(default_factory=list)
    made: dict[tuple[str | None, tuple[str, ...] | None, Node], Scalar | Column] = field(
        default_factory=dict
    )
    #: For each step, the operands that cannot be reasons if it is a number.
    rests: dict[Node, set[Node]] = field(default_factory=dict)
    #: The part that each step replaces.
    stands_for: dict[Node, Node] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)
    printed: dict[tuple[str, str, Node], str] = field(default_factory=dict)  # parts are tried often

    def __post_init__(self) -> None:
        self.scalars = dict(self.plan.scalars)
        self.tables = {
            name: replace(t, columns=dict(t.columns)) for name, t in self.plan.tables.items()
        }
        self.layout = lay_out(self.book, self.plan)
        names = self.layout.names
        self.taken = {
            text.casefold()
            for known in (names.scalars, names.tables, names.constants)
            for text in known.values()
        }

    def plan_with_steps(self) -> Plan:
        self.shared = self._looked_up_twice()
        for key in self.plan.order:
            self._take_apart(key)
            self.order.append(key)
        return replace(self.plan, scalars=self.scalars, tables=self.tables, order=tuple(self.order))

    def _take_apart(self, key: Key) -> None:
        if key.table is None:
            scalar = self.scalars[key.name]
            assert scalar.formula is not None
            formula = self._formula(scalar.formula, _Home(key, scalar))
            self.scalars[key.name] = replace(scalar, formula=formula)
            return
        columns: Any = self.tables[key.table].columns
        column: ModelColumn = columns[key.name]
        if key.row is not None:
            home = _Home(key, column, (key.row,))
            own = {**column.own, key.row: self._formula(column.own[key.row], home)}
            columns[key.name] = replace(column, own=own)
            return
        assert column.formula is not None
        taken = {*column.stated, *column.own}
        rows = tuple(row for row in self.tables[key.table].rows if row not in taken)
        home = _Home(key, column, rows if taken else None)
        columns[key.name] = replace(column, formula=self._formula(column.formula, home))

    def _looked_up_twice(self) -> frozenset[tuple[str | None, Node]]:
        """Lookups that several formulas share, within one table if they depend on the current
        row."""
        count: Counter[tuple[str | None, Node]] = Counter()
        for quantity, table in self._computed():
            for formula in formulas_of(quantity):
                found = {n for tree in formula.ends.trees for n in _within(tree) if n != tree}
                count.update(
                    (table if _of_row(node) else None, node)
                    for node in found
                    if isinstance(node, Lookup | Cell)
                )
        return frozenset(item for item, times in count.items() if times > 1)

    def _computed(self) -> Iterator[tuple[Quantity, str | None]]:
        yield from ((scalar, None) for scalar in self.scalars.values())
        for table in self.tables.values():
            yield from ((column, table.name) for column in table.columns.values())

    def _formula(self, formula: Formula, home: _Home) -> Formula:
        value, low, high = (
            None if tree is None else self._shrunk(self._with_shared(tree, home), (), home)
            for tree in (formula.ends.value, formula.ends.low, formula.ends.high)
        )
        assert value is not None
        return replace(formula, ends=Ends(value, low, high))

    # -------------------------------------------------------------- length and depth

    def _printed(self, node: Node, home: _Home) -> str:
        table = home.key.table
        where = self.layout.scalars[home.key.name] if table is None else self.layout.tables[table]
        here = where.label(99) if isinstance(where, TablePlace) else ""
        printed = self.printed.get((where.sheet, here, node))
        if printed is None:
            try:
                printed = excel(node, _Sizes(self.layout, where.sheet)).text.replace(ROW, here)
            except PrinterError:
                printed = "?" * 10_000  # too long for a cell, or not printable
            self.printed[where.sheet, here, node] = printed
        return printed

    def _fits(self, node: Node, home: _Home) -> bool:
        text = self._printed(node, home)
        return len(text) <= LONGEST and nesting(text) <= DEEPEST and not _twice(text)

    # -------------------------------------------------------------- splitting

    def _shrunk(self, tree: Node, scope: Scope, home: _Home) -> Node:
        """Replace parts by steps until the tree fits."""
        if isinstance(tree, _LEAVES) or self._fits(tree, home):
            return tree
        tree = self._without_repeats(self._best_first(tree, scope, home), scope, home)
        if isinstance(tree, Guard):
            known = (*scope, *tree.subjects)
            tree = replace(tree, body=self._with_shrunk(tree.body, known, home))
        else:
            tree = self._with_shrunk(tree, scope, home)
        while not self._fits(tree, home):
            smaller = self._smaller(tree, scope, home)
            if smaller == tree:
                break
            tree = smaller
        return tree

    def _with_shrunk(self, tree: Node, scope: Scope, home: _Home) -> Node:
        """Shrink the parts of its parts."""
        if isinstance(tree, Aggregate):
            return tree
        return self._sides(tree, scope, lambda node, known: self._shrunk(node, known, home))

    def _with_shared(self, tree: Node, home: _Home) -> Node:
        """Replace lookups that other formulas share by steps."""
        for node in dict.fromkeys(_within(tree)):
            table = home.key.table if _of_row(node) else None
            if node != tree and (table, node) in self.shared:
                tree = self._replaced(tree, node, (), home)
        return tree

    def _best_first(self, tree: Node, scope: Scope, home: _Home) -> Node:
        """Make a step of the best value that a row is found by."""
        match tree:
            case Choice(
                then=Reason(text=Text()),
                other=Aggregate(function="argmin" | "argmax", where=Node(), column=str()) as row,
            ):
                function: Aggregation = "min" if row.function == "argmin" else "max"
                value = replace(tree, other=replace(row, function=function))
                best: Node = self._step(value, scope, home)
                here = replace(best, own=True) if isinstance(best, Column) else best
                values = Column(row.table, str(row.column), row.end)
                is_best = Compare("==", values, here, plain=True)
                assert row.where is not None
                found = replace(row, where=Logic("and", row.where, is_best))
                return Guard((best,), found)
            case Guard(subjects=subjects):
                known = (*scope, *subjects)
                return replace(tree, body=self._best_first(tree.body, known, home))
            case Choice(then=then, other=other):
                then, other = (self._best_first(side, scope, home) for side in (then, other))
                return replace(tree, then=then, other=other)
        return tree

    def _without_repeats(self, tree: Node, scope: Scope, home: _Home) -> Node:
        """Make a step of each part that occurs twice: lookups first, then the longest."""
        while True:
            text = self._printed(tree, home)
            count: dict[Node, int] = {}
            tested = set(filter(None, map(_tested, _within(tree))))
            for node in _within(tree):
                if node is not tree and self._may_leave(node) and node not in tested:
                    count[node] = count.get(node, 0) + 1
            best: tuple[tuple[bool, int], Node] | None = None
            for node, times in count.items():
                if times == 1 and not isinstance(node, Lookup | Cell):
                    continue
                printed = self._printed(node, home)
                looked_up = isinstance(node, Lookup | Cell) and text.count(printed) > 1
                if looked_up or (times > 1 and len(printed) > WORTH_A_STEP):
                    size = (looked_up, len(printed))
                    best = best if best and best[0] >= size else (size, node)
            if best is None:
                return tree
            tree = self._replaced(tree, best[1], scope, home)

    def _replaced(self, tree: Node, part: Node, scope: Scope, home: _Home) -> Node:
        """The tree with a step in place of a part."""
        if tree == part:
            return self._step(part, scope, home)
        if isinstance(tree, Aggregate):
            return tree
        if isinstance(tree, Guard):
            subjects: list[Node] = []
            for at, subject in enumerate(tree.subjects):
                known = (*scope, *tree.subjects[:at])
                subjects.append(self._replaced(subject, part, known, home))
            known = (*scope, *tree.subjects)
            return Guard(tuple(subjects), self._replaced(tree.body, part, known, home))
        return self._sides(tree, scope, lambda node, known: self._replaced(node, part, known, home))

    def _sides(self, tree: Node, scope: Scope, change: Callable[[Node, Scope], Node]) -> Node:
        """Change each child; after a test `known(x)`, x is known on one side."""
        if not isinstance(tree, Choice):
            return mapped(tree, lambda node: change(node, scope))
        then = other = scope
        match self.stands_for.get(tree.test, tree.test):
            case Known(of):
                then = (*scope, of)
            case Not(Known(of)):
                other = (*scope, of)
        return replace(
            tree,
            then=change(tree.then, then),
            test=change(tree.test, scope),
            other=change(tree.other, other),
        )

    def _smaller(self, tree: Node, scope: Scope, home: _Home) -> Node:
        """Add one more step: the status of several subjects, or the largest part."""
        if isinstance(tree, Guard) and len(tree.subjects) > 1 and tree.body != Text(READY):
            return replace(tree, subjects=(self._status(tree.subjects, home),))
        deep = nesting(self._printed(tree, home)) > DEEPEST
        best: tuple[tuple[int, int], Node] | None = None
        for part in self._parts(tree, home):
            printed = self._printed(part, home)
            size = (nesting(printed) if deep else 0, len(printed))
            if best is None or size > best[0]:
                best = size, part
        return tree if best is None else self._replaced(tree, best[1], scope, home)

    def _parts(self, tree: Node, home: _Home) -> Iterator[Node]:
        """Yield the nearest parts below that may become steps."""
        for child in _below(tree):
            stays = isinstance(tree, Guard) and child is tree.body
            if stays or child is _tested(tree) or not self._may_leave(child):
                yield from self._parts(child, home)
            elif len(self._printed(child, home)) > SHORTEST:
                yield child

    def _may_leave(self, node: Node) -> bool:
        """Return whether a part can have a cell of its own."""
        return not isinstance(node, _LEAVES) and self._kind(node) is not None

    # -------------------------------------------------------------- steps

    def _status(self, subjects: Scope, home: _Home) -> OneOf:
        """The step that gives `ok`, or the first reason among the subjects."""
        tree = Guard(subjects, Text(READY))
        if len(subjects) > 2 and not self._fits(tree, home):
            half = len(subjects) // 2
            parts = subjects[:half], subjects[half:]
            tree = replace(tree, subjects=tuple(self._status(part, home) for part in parts))
        step = self._placed(tree, "word", home)
        self.rests.setdefault(step, set()).update(*map(self._known, subjects))
        return OneOf(step, (READY,))

    def _step(self, part: Node, scope: Scope, home: _Home) -> Node:
        """The reference that replaces a part. If an operand is a reason, so is the part."""
        read = self._read(part) - {_expected(part)}
        needed = tuple(s for s in dict.fromkeys(scope) if self._known(s) & read)
        kind = self._kind(part)
        assert kind is not None
        step = self._placed(Guard(needed, part) if needed else part, kind, home)
        self.rests.setdefault(step, set()).update(*map(self._known, needed))
        return step

    def _known(self, subject: Node) -> set[Node]:
        """The nodes that cannot be reasons if a subject is not."""
        of = _expected(_of(subject))
        stands_for = self.stands_for.get(of)
        replaced = () if stands_for is None else (_expected(stands_for),)
        return {of, *replaced, *self.rests.get(of, ())}

    def _read(self, node: Node) -> set[Node]:
        """The nodes that a part reads without a guard of its own, at expected values."""
        if isinstance(node, Guard):
            before = (self._read(child) for s in node.subjects for child in _below(_of(s)))
            inside = self._read(node.body).difference(*map(self._known, node.subjects))
            return inside.union(*before)
        return self._known(node).union(*map(self._read, children(node)))

    def _placed(self, tree: Node, kind: Kind, home: _Home) -> Scalar | Column:
        """A hidden scalar, or a hidden column if it depends on the current row."""
        table, rows = (home.key.table, home.rows) if _of_row(tree) else (None, None)
        known = self.made.get((table, rows, tree))
        if known is not None:
            return known
        small = self._shrunk(tree, (), home)
        known = self.made.get((table, rows, small))
        if known is not None:
            self.made[table, rows, tree] = known
            return known
        is_status = isinstance(tree, Guard) and tree.body == Text(READY)
        formula = Formula(STATUS if is_status else formula_text(tree), tree, Ends(small))
        name, title = self._called(tree, home, table)
        made: dict[str, Any] = {
            "title": title,
            "kind": kind,
            "unit": self._unit(tree),
            "domain": "signed",
            "may_reason": kind == "number",
            "words": (READY,) if kind == "word" else (),
            "hidden": True,
        }
        step: Scalar | Column
        if table is None:
            self.scalars[name] = ModelScalar(name, formula=formula, phase=self._phase(home), **made)
            step = Scalar(name)
            self.order.append(Key(name))
        else:
            columns: Any = self.tables[table].columns
            of_all = formula if rows is None else None
            own = dict.fromkeys(rows or (), formula)
            columns[name] = ModelColumn(name, formula=of_all, own=own, **made)
            step = Column(table, name)
            self.order += [Key(name, table, row) for row in rows or (None,)]
        self.made[table, rows, tree] = self.made[table, rows, small] = step
        self.stands_for[step] = tree
        return step

    def _phase(self, home: _Home) -> str | None:
        if home.key.table is None:
            return self.scalars[home.key.name].phase
        return self.tables[home.key.table].phase

    # -------------------------------------------------------------- names and kinds of steps

    def _called(self, tree: Node, home: _Home, table: str | None) -> tuple[str, str]:
        """Name and title: of a lookup's target, or of the quantity with a number."""
        body = tree.body if isinstance(tree, Guard) else tree
        key = home.key
        base = key.name if key.table in (None, table) else f"{key.table}.{key.name}"
        title = home.quantity.title or key.name
        if key.table is not None and table is None:
            title = f"{self.tables[key.table].title}: {title}"
        if isinstance(body, Lookup | Cell):
            column = self._quantity(body)
            of, named = self._key_of(body)
            end = "" if body.end == "value" else body.end
            name = "_".join(filter(None, (of, body.column, end)))
            title = ", ".join(filter(None, (f"{named}: {column.title or column.name}", end)))
        elif body == Text(READY):
            name, title = f"{base}_status", f"{title}: status"
        else:
            self.counted[base] = self.counted.get(base, 0) + 1
            part = self.counted[base]
            name, title = f"{base}_part_{part}", f"{title}, part {part}"
        return self._free(name, table), title

    def _free(self, name: str, table: str | None) -> str:
        """The name, or with the first free number."""
        known: Mapping[str, object] = self.tables[table].columns if table else {}
        text, number = name, 1
        while text in known or (
            table is None and (defined(text).casefold() in self.taken or bad_name(defined(text)))
        ):
            number += 1
            text = f"{name}_{number}"
        if table is None:
            self.taken.add(defined(text).casefold())
        return text

    def _key_of(self, node: Lookup | Cell) -> tuple[str, str]:
        """Name and title of a lookup's key."""
        if isinstance(node, Cell):
            table = self._table(node.table)
            return node.row, table.row_titles[table.rows.index(node.row)] or node.row
        if isinstance(node.key, Scalar | Column | Lookup | Cell):
            quantity = self._quantity(node.key)
            return quantity.name, quantity.title or quantity.name
        return node.table, self._table(node.table).title

    def _table(self, name: str) -> Table:
        return self.tables[name] if name in self.tables else self.book.tables[name]

    def _quantity(self, node: Scalar | Column | Lookup | Cell) -> Quantity:
        if isinstance(node, Scalar):
            return self.scalars[node.name]
        return self._table(node.table).columns[node.column]

    def _kind(self, node: Node) -> Kind | None:
        """The kind of a part's value; None if it is not a value, such as a reason."""
        match node:
            case Number() | Constant() | Negative() | Binary() | Call():
                return "number"
            case Flag() | Compare() | Logic() | Not():
                return "flag"
            case Join() | Fixed() | Title():
                return "text"
            case Text():
                return "word"
            case Scalar() | Column() | Lookup() | Cell():
                return self._quantity(node).kind
            case Aggregate(function="count"):
                return "number"
            case Aggregate(function="argmin" | "argmax"):
                return "reference"
            case Aggregate(column=str(column)):
                return self._table(node.table).columns[column].kind
            case Choice():
                return self._kind(node.then) or self._kind(node.other)
            case Guard():
                return self._kind(node.body)
        return None

    def _unit(self, node: Node) -> Unit | None:
        """The unit of a part, where it can be determined."""
        match node:
            case Scalar() | Column() | Lookup() | Cell():
                return self._quantity(node).unit
            case Aggregate(function="sum" | "mean" | "min" | "max", column=str(column)):
                return self._table(node.table).columns[column].unit
            case Guard():
                return self._unit(node.body)
        return None
