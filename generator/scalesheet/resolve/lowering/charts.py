"""Lowers a plan's charts, and looks up every name in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.load import Document
from scalesheet.model import DOMAINS, Domain, Position
from scalesheet.nearest import nearest
from scalesheet.pictures import Chart, Picture, Scatter, Stack, Sweep
from scalesheet.resolve.drafts import Draft, DraftPlan, DraftTable
from scalesheet.units import Units

Found = Iterator[tuple[str, str]]  # code and message of an error


def lower_chart(
    document: Document, name: str, entry: Mapping[str, Any]
) -> tuple[Picture, Position]:
    """A chart as written, and its position. Names are not looked up yet."""
    kind = str(entry.get("kind", "bar"))
    return _LOWERED.get(kind, _columns)(name, entry), document.at("charts", name)


def _columns(name: str, entry: Mapping[str, Any]) -> Chart:
    return Chart(
        name,
        str(entry["title"]),
        entry.get("kind", "bar"),
        str(entry["table"]),
        str(entry["column"]),
        str(entry.get("alt", entry["title"])),
        str(entry.get("from", "")),
    )


def _stack(name: str, entry: Mapping[str, Any]) -> Stack:
    total = entry.get("total")
    return Stack(
        name,
        str(entry["title"]),
        str(entry["table"]),
        str(entry["alt"]),
        tuple(entry.get("parts", ())),
        tuple(entry.get("bars", ())),
        () if total is None else (str(total),),
        str(entry.get("capacity", "")),
    )


def _scatter(name: str, entry: Mapping[str, Any]) -> Scatter:
    title, table, x, y, alt = (str(entry[key]) for key in ("title", "table", "x", "y", "alt"))
    return Scatter(name, title, table, x, y, alt)


def _sweep(name: str, entry: Mapping[str, Any]) -> Sweep:
    title, given, figure, alt = (str(entry[key]) for key in ("title", "input", "figure", "alt"))
    values = tuple(sorted({float(value) for value in entry["values"]}))
    return Sweep(name, title, given, values, figure, alt, str(entry.get("capacity", "")))


_LOWERED: Mapping[str, Callable[[str, Mapping[str, Any]], Picture]] = {
    "stack": _stack,
    "scatter": _scatter,
    "sweep": _sweep,
}


# ------------------------------------------------------------------ names


def charts_of(draft: DraftPlan, units: Units, problems: list[Diagnostic]) -> tuple[Picture, ...]:
    """The charts whose names can all be found. Errors in others go to `problems`."""
    charts = []
    for chart, position in draft.charts:
        if isinstance(chart, Stack):
            chart = _with_totals(chart)
        faults = [at(position, *fault) for fault in _faults(chart, draft, units)]
        problems += faults
        if not faults:
            charts.append(chart)
    return tuple(charts)


def _with_totals(stack: Stack) -> Stack:
    """Give a stack without a stated total its default: the table's total, or its only part."""
    if stack.totals:
        return stack
    if stack.bars:
        return replace(stack, totals=tuple(f"{stack.table}.total.{bar}" for bar in stack.bars))
    return replace(stack, totals=stack.parts[:1])


def _faults(chart: Picture, draft: DraftPlan, units: Units) -> Found:
    if isinstance(chart, Sweep):
        yield from _faults_of_sweep(chart, draft, units)
        return
    owner = draft.tables.get(chart.table)
    if owner is None:
        yield "N001", f"unknown table '{chart.table}'{nearest(chart.table, draft.tables)}"
    elif isinstance(chart, Stack):
        yield from _faults_of_stack(chart, owner, draft, units)
    elif isinstance(chart, Scatter):
        yield from _no_columns(owner, (chart.x, chart.y))
    else:
        yield from _no_columns(owner, (chart.column, chart.start))


def _no_columns(owner: DraftTable, names: Sequence[str]) -> Found:
    numbers = _numbers(owner.columns)
    for name in filter(None, names):
        if name not in numbers:
            yield (
                "N001",
                f"'{owner.name}' has no column of numbers '{name}'{nearest(name, numbers)}",
            )


def _numbers(drafts: Mapping[str, Draft]) -> list[str]:
    return [name for name, each in drafts.items() if each.kind == "number"]


def _faults_of_stack(stack: Stack, owner: DraftTable, draft: DraftPlan, units: Units) -> Found:
    parts = stack.parts or stack.bars
    yield from _no_columns(owner, parts)
    if len(stack.totals) < len(stack.bars):
        yield "N001", f"'{stack.id}' has several bars; each has the table's total, without 'total'"
    if len(stack.parts) > 1 and stack.totals == stack.parts[:1]:
        yield "N001", f"'{stack.id}' lacks 'total', the column that its parts add up to"
    known = dict(draft.scalars)
    if stack.parts:
        known |= owner.columns
    whole = owner.columns.get(parts[0])
    for name in (*stack.totals, *filter(None, [stack.capacity])):
        one = known.get(name)
        if one is None or one.kind != "number":
            of = f"no number '{name}' is a scalar" + " or a column" * bool(stack.parts)
            yield "N001", f"{of}{nearest(name, _numbers(known))}"
        elif whole and _differ(one, whole, units):
            yield "U002", f"'{name}' is in {one.unit}, but the parts are in {whole.unit}"


def _faults_of_sweep(sweep: Sweep, draft: DraftPlan, units: Units) -> Found:
    numbers = {name: each for name, each in draft.scalars.items() if each.kind == "number"}
    inputs = [name for name, each in numbers.items() if each.stated]
    if sweep.input not in inputs:
        yield "N001", f"no input '{sweep.input}' is a number{nearest(sweep.input, inputs)}"
    else:
        domain = draft.scalars[sweep.input].domain or "non-negative"
        for value in sweep.values:
            if not _within(value, domain):
                yield "V002", f"'{sweep.input}' cannot be {value:g}, outside its domain '{domain}'"
    for name in (sweep.figure, *filter(None, [sweep.capacity])):
        if name not in numbers:
            yield "N001", f"no scalar '{name}' is a number{nearest(name, numbers)}"
    figure, there = numbers.get(sweep.figure), numbers.get(sweep.capacity)
    if figure and there and _differ(figure, there, units):
        yield "U002", f"'{there.name}' is in {there.unit}, but the figure is in {figure.unit}"


def _within(value: float, domain: Domain) -> bool:
    least, closed, most, whole = DOMAINS[domain]
    above = least is None or value > least or (closed and value == least)
    return above and (most is None or value <= most) and (not whole or value.is_integer())


def _differ(one: Draft, other: Draft, units: Units) -> bool:
    """Whether two quantities have different dimensions."""
    return bool(one.unit and other.unit and not units.compatible(one.unit, other.unit))
