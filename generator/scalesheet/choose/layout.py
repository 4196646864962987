"""Chooses the fastest layout that fits for each case that states none.

A component defines what is tried, what must fit into what, and what is minimized.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from scalesheet.book import Book
from scalesheet.choose.side_by_side import Axes, combinations, figures_of
from scalesheet.evaluate import Overrides, computed, evaluate
from scalesheet.evaluate.parts import State
from scalesheet.model import Chosen, Component, Key, Plan, Stated
from scalesheet.values import Results, Value

#: Relative differences between candidates below this are ignored.
SAME = 1e-9


def laid_out(plan: Plan, chosen: Mapping[Key, Stated]) -> Plan:
    """The plan with the `chosen` layouts."""
    scalars, tables = dict(plan.scalars), dict(plan.tables)
    for key, stated in chosen.items():
        if key.table is None:
            scalars[key.name] = replace(scalars[key.name], stated=stated)
            continue
        table = tables[key.table]
        column = table.columns[key.name]
        assert key.row is not None
        column = replace(column, stated={**column.stated, key.row: stated})
        tables[key.table] = replace(table, columns={**table.columns, key.name: column})
    return replace(plan, scalars=scalars, tables=tables) if chosen else plan


def layouts(book: Book, plan: Plan, edits: Overrides | None = None) -> dict[Key, Stated]:
    """The layout of each case of a plan that states none, with some inputs edited."""
    if not plan.chosen:
        return {}
    edits = edits or {}
    results = evaluate(book, plan, edits)
    chosen: dict[Key, Stated] = {}
    states: dict[str, State] = {}
    for each in plan.chosen:
        axes = [name for name in each.inputs if Key(name, each.table, each.row) not in edits]
        if axes:
            chosen |= _of_case(book, plan, each, results, axes, states)
    return chosen


def settled(book: Book, plan: Plan, edits: Overrides) -> Overrides:
    """The edits, with the layouts that are chosen under them."""
    return {**edits, **layouts(book, plan, edits)}


def moved(plan: Plan, chosen: Mapping[Key, Stated]) -> dict[Key, Stated]:
    """The chosen cells whose values differ from the plan's."""
    return {key: stated for key, stated in chosen.items() if stated.value != _at(plan, key).value}


def _at(plan: Plan, key: Key) -> Stated:
    if key.table is None or key.row is None:
        stated = plan.scalars[key.name].stated
        assert stated is not None
        return stated
    return plan.tables[key.table].columns[key.name].stated[key.row]


def _of_case(
    book: Book,
    plan: Plan,
    case: Chosen,
    results: Results,
    axes: list[str],
    states: dict[str, State],
) -> dict[Key, Stated]:
    component = book.components[case.component]
    rule = component.choice
    assert rule is not None
    given: dict[str, float | str | bool] = {}
    for name in component.inputs:
        if name not in axes:
            value = _value(plan, case, results, name)
            if value.value is None:
                return {}  # without inputs there is no layout
            given[name] = value.value
    if case.component not in states:  # compute the catalogue once for all cases
        edits = {Key(name): value for name, value in given.items()}
        states[case.component] = computed(book, component.plan, edits)
    best = _best(
        component, states[case.component], given, {name: rule.among[name] for name in axes}
    )
    if best is None:
        return {}
    place, why = best
    chosen = {}
    for name, best_value in place.items():
        end = best_value if isinstance(best_value, float) else None
        key = Key(name, case.table, case.row)
        chosen[key] = replace(_at(plan, key), value=best_value, low=end, high=end, rule=why)
    return chosen


def without(plan: Plan, chosen: Mapping[Key, Stated]) -> list[Key]:
    """The cases that no layout fits, as keys of table and row with an empty name. `chosen` are the
    plan's layouts under its edits.
    """
    keys = [Key(name, case.table, case.row) for case in plan.chosen for name in case.inputs]
    found = [key for key in keys if chosen.get(key, _at(plan, key)).rule == NONE_FITS]
    return list(dict.fromkeys(replace(key, name="") for key in found))


RULE = "layout: the one with the fewest hours of those that fit"
NONE_FITS = "layout: none fits; this one comes closest"
RULES = frozenset({RULE, NONE_FITS})


def _value(plan: Plan, case: Chosen, results: Results, name: str) -> Value:
    if case.table is None or case.row is None:
        return results.scalars[name]
    shared = f"{case.table}.all.{name}"
    if shared in plan.scalars and name not in plan.tables[case.table].columns:
        return results.scalars[shared]
    return results.cell(case.table, case.row, name)


@np.errstate(all="ignore")  # values that are not finite are not candidates
def _best(
    component: Component,
    state: State,
    given: Mapping[str, float | str | bool],
    among: Axes,
) -> tuple[dict[str, float | str], str] | None:
    """The best values of the axes, and why: fewest hours among those that fit, else the closest to
    fitting; None if every combination breaks a condition. The first of equals wins. `state` holds
    the catalogue, and is modified.
    """
    rule = component.choice
    assert rule is not None
    inputs, _ = combinations(among)
    (broken,) = figures_of(component.plan, state, ("broken",), inputs, given)
    runs = np.flatnonzero(broken == 0)
    if not len(runs):
        return None
    inputs = {name: values[runs] for name, values in inputs.items()}
    needs = [name for pair in rule.within for name in pair]
    least, *sizes = figures_of(component.plan, state, (rule.least, *needs), inputs, given)
    over = np.zeros(len(runs))
    for need, most in zip(sizes[::2], sizes[1::2], strict=True):
        over = np.maximum(over, need / most)
    can = np.isfinite(least) & np.isfinite(over)
    if not can.any():
        return None
    fits = can & (over <= 1)
    rank = np.where(fits, least, np.inf) if fits.any() else np.where(can, over, np.inf)
    place = int(np.flatnonzero(rank <= rank.min() * (1 + SAME))[0])
    best = {name: values[place : place + 1].tolist()[0] for name, values in inputs.items()}
    return best, RULE if fits.any() else NONE_FITS
