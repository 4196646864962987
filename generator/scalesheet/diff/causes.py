"""Finds which change moved a result, by trying each one.

Each changed input is applied to the old side, with everything else unchanged. Changes that cannot
be applied there (formulas, rows) are judged together: the new side with all old inputs. The
evaluator computes both; formulas show what a result depends on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scalesheet.book import Book
from scalesheet.choose.layout import settled
from scalesheet.diff.changes import (
    Effect,
    Entry,
    FormulaChanged,
    InputChanged,
    Place,
    ResultMoved,
)
from scalesheet.diff.matching import Names, own_tables, plan_of
from scalesheet.diff.printing import turn
from scalesheet.diff.results import MovedResults, value_at
from scalesheet.edition import Edition
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.routes import cell_key, formula_of, read_by, stated_key
from scalesheet.model import Key, Plan, Table
from scalesheet.resolve.order import name_of
from scalesheet.values import Results

MOST_TRIED = 60  # evaluations per plan; the remaining changes are reported together
MOST_TRACED = 60  # results per plan for which the path from the cause is found
SAME = 1e-12

Cause = InputChanged | FormulaChanged | Entry


def explained(
    base: Edition,
    head: Edition,
    names: Names,
    inputs: Sequence[InputChanged],
    formulas: Sequence[FormulaChanged],
    results: MovedResults,
) -> tuple[ResultMoved, ...]:
    """The moved results with the causes of each move, worst first."""
    moves: list[ResultMoved] = []
    for old, new in names.plans.items():
        moved = sorted((m for m in results.moved if m.place.plan == new), key=lambda m: m.rank)
        if moved:
            known = _known(base.book, old, inputs)
            others: list[Cause] = [c for c in inputs if c.moves and c not in known]
            others = [c for c in others if isinstance(c, InputChanged) and c.was.plan in ("", old)]
            others += [f for f in formulas if f.place is None or f.place.plan in ("", new)]
            others += [e for e in names.entries if e.plan in ("", new) and e.fate != "renamed"]
            trial = _Trial(base.book, head.book, old, new, results, tuple(moved))
            moves += trial.explained(known, others)
    return tuple(sorted(moves, key=lambda m: m.rank))


def _known(base: Book, plan: str, inputs: Iterable[InputChanged]) -> list[InputChanged]:
    """The changes that can be applied to the old side of a plan and that it can look up."""
    reached = plan_of(base, plan).catalogue if plan else tuple(base.tables)
    tables = {**base.tables, **own_tables(base, plan)}
    return [
        change
        for change in inputs
        if change.moves
        and (change.was.plan == plan if change.was.plan else change.was.key.table in reached)
        and _is_known(change, tables)
    ]


def _is_known(change: InputChanged, tables: Mapping[str, Table]) -> bool:
    """Whether the old side has the row that the new value names."""
    refers = change.turn.quantity.refers_to
    return refers is None or refers not in tables or change.forth.value in tables[refers].rows


@dataclass
class _Trial:
    """One plan whose results moved, with both sides."""

    base: Book
    head: Book
    old: str
    new: str
    found: MovedResults
    moved: tuple[ResultMoved, ...]
    left: int = MOST_TRIED
    ways: dict[Key, tuple[Key, ...]] = field(default_factory=dict)

    def explained(
        self, known: Sequence[InputChanged], others: Sequence[Cause]
    ) -> list[ResultMoved]:
        effects: dict[Place, list[Effect]] = {m.was: [] for m in self.moved}
        for causes, results in self.alone(known, None if others else self.whole()):
            self.note(effects, causes, results)
        if others:
            self.note_rest(effects, known, others)
        moves = []
        for at, each in enumerate(self.moved):
            its = sorted(effects[each.was], key=lambda effect: -effect.alone.weight)
            if at < MOST_TRACED:
                its = [replace(e, through=self.through(each, e)) for e in its]
            moves.append(replace(each, effects=tuple(its)))
        return moves

    def whole(self) -> Results | None:
        """The old side with all changes, if that equals the new side, whose results are known."""
        alike = self.old == self.new and all(each.was == each.place for each in self.moved)
        return self.found.after[self.new] if alike else None

    def alone(
        self, changes: Sequence[InputChanged], results: Results | None = None
    ) -> list[tuple[tuple[InputChanged, ...], Results]]:
        """Evaluate the old side with each change alone; changes without effect are found by
        bisection. `results`: those with all of these changes, if known.

        In the catalogue all changes are applied at once: its formulas depend only on their own row.
        """
        if not changes:
            return []
        if results is None:
            self.left -= 1
            overrides = {change.was.key: change.forth for change in changes}
            plan = plan_of(self.base, self.old)
            results = evaluate(self.base, plan, settled(self.base, plan, overrides))
        if not any(self.differs(each, value_at(results, each.was.key)) for each in self.moved):
            return []
        if len(changes) == 1 or self.left <= 0 or not self.old:
            return [(tuple(changes), results)]
        middle = len(changes) // 2
        return self.alone(changes[:middle]) + self.alone(changes[middle:])

    def differs(self, moved: ResultMoved, value: object) -> bool:
        return value != value_at(self.found.before[self.old], moved.was.key)

    def note(
        self,
        effects: Mapping[Place, list[Effect]],
        causes: tuple[Cause, ...],
        results: Results,
    ) -> None:
        """Record the effect of a trial on the old side on each result."""
        plan, tables = plan_of(self.base, self.old), own_tables(self.base, self.old)
        for each in self.moved:
            before = value_at(self.found.before[self.old], each.was.key)
            after = value_at(results, each.was.key)
            if before == after:
                continue
            key = each.was.key
            quantity = (
                plan.scalars[key.name] if key.table is None else tables[key.table].columns[key.name]
            )
            alone = turn(self.base, quantity, before, after)
            if alone.weight > SAME:
                its = causes if self.old else _of_row(key, causes)
                effects[each.was].append(Effect(its, alone))

    def note_rest(
        self,
        effects: Mapping[Place, list[Effect]],
        known: Sequence[InputChanged],
        others: Sequence[Cause],
    ) -> None:
        """Record what the new side gives with the old inputs: the effect of formulas and rows."""
        plan = plan_of(self.head, self.new)
        back = {change.place.key: change.back for change in known}
        results = evaluate(self.head, plan, settled(self.head, plan, back))
        for each in self.moved:
            alone = turn(
                self.head, each.turn.quantity, each.turn.old, value_at(results, each.place.key)
            )
            if alone.weight > SAME:
                causes = tuple(self.beneath(each.place.key, others))
                effects[each.was].append(Effect(causes, alone))

    # -------------------------------------------------------------- what a result rests on

    def beneath(self, key: Key, others: Sequence[Cause]) -> list[Cause]:
        """The other changes that a result depends on; all of them if that is unclear."""
        plan = plan_of(self.head, self.new)
        tables = {**self.head.tables, **plan.tables}
        rests = set(_upstream(graph_key(tables, key), tables, plan))
        called = {
            record
            for each in rests
            if (formula := formula_of(tables, plan, each)) is not None
            for record in formula.uses
        }
        names = {each.table for each in rests} | {each.name for each in rests}
        nearer = [cause for cause in others if _is_beneath(cause, rests, called, names)]
        return nearer or list(others)

    def through(self, moved: ResultMoved, effect: Effect) -> tuple[str, ...]:
        """The names between one changed input and a result, along a shortest path."""
        cause = effect.causes[0] if len(effect.causes) == 1 else None
        if not isinstance(cause, InputChanged):
            return ()
        plan = plan_of(self.base, self.old)
        tables = {**self.base.tables, **plan.tables}
        start = graph_key(tables, cause.was.key)
        end = graph_key(tables, moved.was.key)
        back = _upstream(end, tables, plan, start, self.ways, self.stays)
        if start not in back:
            return ()
        way, at = [], back[start]
        while at is not None:
            way.append(at)
            at = back[at]
        return tuple(name_of(key) for key in way[:-1])

    def stays(self, key: Key) -> bool:
        """Whether a cell with its own formula is the same on both sides, so that no effect goes
        through it."""
        sides = self.found.before[self.old], self.found.after[self.new]
        if not (key.table and key.row) or any(
            key.row not in side.rows.get(key.table, ()) or key.name not in side.tables[key.table]
            for side in sides
        ):
            return False
        before, after = (value_at(side, key) for side in sides)
        return before == after


def _of_row(key: Key, causes: tuple[Cause, ...]) -> tuple[Cause, ...]:
    """The changes in the row of a catalogue cell; all changes if it depends on another row."""
    own = tuple(
        cause
        for cause in causes
        if isinstance(cause, InputChanged)
        and (cause.was.key.table, cause.was.key.row) == (key.table, key.row)
    )
    return own or causes


def graph_key(tables: Mapping[str, Table], key: Key) -> Key:
    """The key of a scalar or cell in the graph of formulas."""
    if key.table is None or key.row is None:
        return key
    column = tables[key.table].columns[key.name]
    if key.row in column.stated:
        return stated_key(key.table, key.name, key.row)
    return cell_key(tables[key.table], column, key.row)


def _upstream(
    key: Key,
    tables: Mapping[str, Table],
    plan: Plan,
    until: Key | None = None,
    ways: dict[Key, tuple[Key, ...]] | None = None,
    stays: Callable[[Key], bool] = lambda key: False,
) -> dict[Key, Key | None]:
    """Everything that a key depends on, each with the key that reads it on a shortest path, which
    leads through nothing that stays.
    """
    known = {} if ways is None else ways
    back: dict[Key, Key | None] = {key: None}
    for at in (waiting := [key]):
        if at == until:
            break
        if at not in known:
            stated = at.table is not None and at.row == ""
            known[at] = () if stated else read_by(at, tables, plan)
        for read in known[at]:
            if read not in back and (read == until or not stays(read)):
                back[read] = at
                waiting.append(read)
    return back


def _is_beneath(cause: Cause, rests: set[Key], called: set[str], names: set[str | None]) -> bool:
    match cause:
        case InputChanged():
            key = cause.place.key
            return key in rests or Key(key.name, key.table, "") in rests
        case FormulaChanged():
            return cause.record in called if cause.place is None else cause.place.key in rests
        case Entry():
            return cause.name.partition("[")[0].partition(".")[0] in names or cause.name in names
