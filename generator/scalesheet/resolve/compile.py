"""Compiles the drafts of one space: binds all formulas, finds the order, splits them into ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from scalesheet.diagnostics import Diagnostic, at, errors
from scalesheet.language.intervals import NOTHING, Interval, union
from scalesheet.language.syntax import Aggregate, Cell, Column, Lookup, Node, Scalar, walk
from scalesheet.model import Column as ModelColumn
from scalesheet.model import Ends, Formula, Key, Position
from scalesheet.model import Scalar as ModelScalar
from scalesheet.model import Table as ModelTable
from scalesheet.resolve.binding.bind import Bound, bind
from scalesheet.resolve.binding.scope import BindError, Scope
from scalesheet.resolve.drafts import Draft, DraftTable, Space, Written
from scalesheet.resolve.echoes import Failed, Place, told_apart
from scalesheet.resolve.order import Cycle, in_words, needs, ordered
from scalesheet.resolve.proving.facts import (
    MIXED,
    REFERENCES,
    RISING,
    Facts,
    declared,
    interval,
    merged,
    of_domain,
)
from scalesheet.resolve.proving.integers import WHOLE, is_whole
from scalesheet.resolve.proving.ranges import split
from scalesheet.resolve.reasons import settle

FactsTable = dict[Place, Facts]


@dataclass(slots=True)
class Compiled:
    """Formulas by key, their order, and the facts of every quantity."""

    formulas: dict[Key, Formula] = field(default_factory=dict)
    order: tuple[Key, ...] = ()
    facts: FactsTable = field(default_factory=dict)


def compile_space(
    space: Space,
    known: Mapping[Place, Facts],
    problems: list[Diagnostic],
    drafts: Iterable[Draft] | None = None,
) -> Compiled:
    """Compile every formula of the space, or only those of `drafts`; `known` are the facts of
    everything that is compiled already.
    """
    compiled = Compiled(facts=dict(known))
    drafts = list(_drafts(space) if drafts is None else drafts)
    bound: dict[Key, tuple[Draft, Written, Bound]] = {}
    failed: list[Failed] = []
    for draft in drafts:
        for row, written in draft.formulas.items():
            # a row of phases sees the names of its phase
            phase = row if draft.table == "phases" else draft.home or draft.phase
            scope = Scope(space, phase, draft.table, draft.name if draft.table else None)
            result = bind(written, draft, scope)
            if isinstance(result, Diagnostic):
                failed.append(Failed(draft, written, scope, result))
            else:
                bound[Key(draft.name, draft.table, row)] = (draft, written, result)
    faults = {(each.table, each.name): each.fault for each in drafts if each.fault is not None}
    echoes = told_apart(failed, faults, (each.tree for _, _, each in bound.values()), space)
    problems += [each.problem for each in failed if echoes.roots[each.place] == each.problem]
    graph = {
        key: tuple(dict.fromkeys(needs(b.tree, key, space))) for key, (_, _, b) in bound.items()
    }
    try:
        compiled.order = ordered(graph)
    except Cycle as cycle:
        draft, written, _ = bound[cycle.keys[0]]
        problems.append(at(written.position, "N005", in_words(cycle)))
        return compiled
    for draft in drafts:
        compiled.facts[draft.table, draft.name] = _stated_facts(draft)
    for key in compiled.order:
        draft, written, result = bound[key]
        found: list[Diagnostic] = []
        root = echoes.root(result.tree)
        try:
            compiled.formulas[key], mixed = _split(key, draft, written, result, compiled)
        except BindError as error:
            found.append(at(written.at(error.offset), error.code, error.message))
            if root is None and error.cause is not None:
                root = _given(found[0], error.cause, compiled, space)
                problems += [root] if root is not None and root not in problems else []
        else:
            found += _outer_bounds(key, written, compiled, space) if mixed else ()
        if root is None:
            problems += (each for each in found if each not in problems)
        else:
            echoes.roots.setdefault((draft.table, draft.name), root)
            echoes.hidden[root] += len(errors(found))
    refused = {_place_of(each) for each in problems if each.code == "R003"}
    problems[:] = [d for d in problems if d.code != "R005" or _place_of(d) not in refused]
    echoes.count(problems)
    return compiled


def _place_of(problem: Diagnostic) -> tuple[str, int, int]:
    return problem.path, problem.line, problem.column


def _given(problem: Diagnostic, cause: Node, compiled: Compiled, space: Space) -> Diagnostic | None:
    """The error at the input of a plan whose range a component's formula cannot take."""
    for node in walk(cause):
        directions = facts_of(compiled.facts, node).directions
        for name, position in _ranged_inputs(directions, problem.path, space):
            message = f"'{name}' cannot be a range here; write one number, or a row for each"
            return at(position, "R003", message)
    return None


def _outer_bounds(
    key: Key, written: Written, compiled: Compiled, space: Space
) -> Iterator[Diagnostic]:
    """Warn that the ends of a formula are outer bounds: at the formula, or at the inputs of a plan
    whose ranges a component's formula takes in both directions.
    """
    message = (
        f"a range enters '{_label(key)}' in mixed directions; its ends are safe outer bounds; "
        "rewrite it so that the range enters once, or use paired(...)"
    )
    directions = compiled.facts[key.table, key.name].directions
    both = [name for name, direction in directions.items() if direction == MIXED]
    inputs = list(_ranged_inputs(both, written.position.path, space))
    for name, position in inputs:
        message = (
            f"the range of '{name}' enters this component in mixed directions; the ends of "
            "its results are safe outer bounds; for exact ones, write one number, or a row for each"
        )
        yield at(position, "R005", message)
    if not inputs:
        yield at(written.position, "R005", message)


def _ranged_inputs(names: Iterable[str], path: str, space: Space) -> Iterator[tuple[str, Position]]:
    """The inputs among some sources of ranges that a plan states for the component at a path."""
    if path not in {each.document.at().path for each in space.components.values()}:
        return
    for name in names:
        table, _, column = name.rpartition(".")
        draft = space.scalars.get(name) or (
            space.tables[table].columns.get(column) if table in space.tables else None
        )
        if draft is not None and draft.position.path not in (path, ""):
            yield column, draft.position


def _drafts(space: Space) -> Iterator[Draft]:
    yield from space.scalars.values()
    for table in space.tables.values():
        yield from table.columns.values()


def _stated_facts(draft: Draft) -> Facts:
    values = {id(each): each for each in draft.stated.values()}.values()  # many cells share one
    place = f"{draft.table}.{draft.name}" if draft.table else draft.name
    is_ranged = any(v.ranged for v in values)
    numbers = draft.kind == "number" and len(values) > 0
    return Facts(
        interval=of_domain(draft.domain or "non-negative") if numbers else NOTHING,
        ranged=is_ranged,
        may_reason=any(v.reason is not None for v in values),
        needed=draft.needed,
        stated=not draft.formulas,
        number=draft.kind == "number",
        flag=draft.kind == "flag" and not draft.condition,
        directions={place: RISING} if is_ranged else {},
        whole=draft.domain in WHOLE or not values,
        words=draft.words,
        table=draft.refers_to,
    )


def facts_of(facts: Mapping[Place, Facts], node: Node) -> Facts:
    """The facts of a reference."""
    if isinstance(node, Scalar):
        return facts[None, node.name]
    if isinstance(node, Column | Cell | Lookup):
        return facts[node.table, node.column]
    if isinstance(node, Aggregate) and node.column is not None:
        return facts[node.table, node.column]
    return Facts(interval=Interval(0, float("inf"), True), stated=True)


def _split(
    key: Key,
    draft: Draft,
    written: Written,
    bound: Bound,
    compiled: Compiled,
) -> tuple[Formula, bool]:
    """The formula with its ends, and whether a range enters it in both directions. Raises
    BindError.
    """

    def facts(node: Node) -> Facts:
        return facts_of(compiled.facts, node)

    settled = settle(bound.tree, facts)
    whole = settled.whole
    parts = split(whole, draft.kind, _label(key), facts, draft.differs)
    derived = interval(whole, facts) if draft.kind == "number" else Interval()
    if draft.domain is not None:
        derived = declared(draft.domain, derived)
    outer = any(d == MIXED for d in parts.directions.values())
    before = compiled.facts[draft.table, draft.name]
    compiled.facts[draft.table, draft.name] = Facts(
        interval=union(before.interval, derived),
        ranged=before.ranged or parts.ranged,
        may_reason=before.may_reason or settled.may_reason,
        needed=before.needed
        or any(facts(n).needed for n in walk(whole) if isinstance(n, REFERENCES)),
        stated=False,
        number=before.number,
        flag=before.flag,
        outer=before.outer or outer,
        directions=merged(before.directions, parts.directions),
        whole=draft.domain in WHOLE or (before.whole and is_whole(whole, facts)),
        words=before.words,
        table=before.table,
    )
    formula = Formula(
        written.text,
        bound.tree,
        parts.ends,
        outer,
        bound.uses,
        written.citation,
        written.position,
    )
    return formula, parts.mixed


def _label(key: Key) -> str:
    return key.name if key.table is None else f"{key.table}.{key.name}"


# ------------------------------------------------------------------ to the model


def scalar(draft: Draft, compiled: Compiled) -> ModelScalar:
    """The finished scalar."""
    facts = compiled.facts[None, draft.name]
    return ModelScalar(
        **_shared(draft, facts),
        stated=draft.stated.get(None),
        formula=_ended(compiled.formulas.get(Key(draft.name)), facts),
        phase=draft.phase,
        role=draft.role,
        contingency_on=draft.contingency_on,
    )


def table(draft: DraftTable, compiled: Compiled) -> ModelTable:
    """The finished table."""
    return ModelTable(
        name=draft.name,
        title=draft.title,
        rows=draft.rows,
        row_titles=draft.row_titles,
        columns={name: _column(column, compiled) for name, column in draft.columns.items()},
        each=draft.each,
        totals=draft.totals,
        show=draft.show,
        phase=draft.phase,
        note=draft.note,
        row_notes=draft.row_notes,
        row_aliases=draft.row_aliases,
        row_positions=draft.row_positions,
        sections=draft.sections,
    )


def _column(draft: Draft, compiled: Compiled) -> ModelColumn:
    facts = compiled.facts[draft.table, draft.name]
    return ModelColumn(
        **_shared(draft, facts),
        stated={row: value for row, value in draft.stated.items() if row is not None},
        formula=_ended(compiled.formulas.get(Key(draft.name, draft.table)), facts),
        own={
            row: formula
            for row in draft.formulas
            if row is not None
            and (formula := _ended(compiled.formulas.get(Key(draft.name, draft.table, row)), facts))
        },
    )


def _shared(draft: Draft, facts: Facts) -> dict[str, Any]:
    domain = draft.domain or ("non-negative" if facts.interval.never_negative else "signed")
    return {
        "name": draft.name,
        "title": draft.title,
        "kind": draft.kind,
        "unit": draft.unit,
        "domain": domain,
        "ranged": facts.ranged,
        "may_reason": facts.may_reason,
        "refers_to": draft.refers_to,
        "words": draft.words,
        "show": draft.show,
        "note": draft.note,
        "hidden": draft.hidden,
        "choice": draft.choice,
        "sides": draft.sides,
        "side_of": draft.side_of,
        "moves_with": draft.moves_with,
        "position": draft.position,
    }


def _ended(formula: Formula | None, facts: Facts) -> Formula | None:
    """Give an exact formula three equal ends if other rows of its column are ranged."""
    if formula is None or not facts.ranged or formula.ends.low is not None:
        return formula
    value = formula.ends.value
    ends = Ends(value, value, value)
    return Formula(
        formula.text,
        formula.tree,
        ends,
        formula.outer,
        formula.uses,
        formula.citation,
        formula.position,
    )
