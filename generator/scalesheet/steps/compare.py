"""Compare: predicts the job of every record of the catalogue, and lays both side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date

from scalesheet.book import Book
from scalesheet.diagnostics import Refused
from scalesheet.evaluate import evaluate_catalogue
from scalesheet.model import Table
from scalesheet.steps.beside import COMPARED, SHARES, TABLE, UNTIMED, Beside, Pair
from scalesheet.steps.job import Job
from scalesheet.steps.record import Record
from scalesheet.steps.recorded import UnclearError, recorded, sameness
from scalesheet.values import Value, stated_value

Simulate = Callable[[Book, Job, date, str], Record]


def compared(book: Book, simulate: Simulate) -> dict[str, Beside]:
    """Every record of the book, by id. `simulate` gives the record of a job without hardware."""
    if TABLE not in book.tables:
        return {}
    table, results = book.tables[TABLE], evaluate_catalogue(book)
    comparisons = {}
    for id in table.rows:
        stated = figures(table, id)
        how = str(table.columns["how"].stated[id].value)
        comparison = Beside(id, how, _pairs(book, table, stated, {}), timed=not _untimed(table, id))
        try:
            again = recorded(book, id, results)
            made = simulate(book, again.job, _day(table, id), "")
        except UnclearError as fault:
            comparisons[id] = replace(comparison, why=str(fault))
        except Refused as refused:
            comparisons[id] = replace(
                comparison, why="; ".join(each.message for each in refused.diagnostics)
            )
        else:
            predicted = _converted(book, table, made)
            comparisons[id] = replace(
                comparison,
                pairs=_pairs(book, table, stated, predicted),
                job=again.job,
                assumed=again.assumed,
                note=made.note,
            )
    return {id: replace(each, twins=_twins(each, comparisons)) for id, each in comparisons.items()}


def figures(table: Table, id: str) -> dict[str, Value]:
    """What a record states in numbers, in the units of the columns, and the times of its parts."""
    stated = {
        name: stated_value(column.stated[id])
        for name, column in table.columns.items()
        if column.kind == "number" and id in column.stated and column.stated[id].reason is None
    }
    return _with_times(stated)


def _with_times(stated: Mapping[str, Value]) -> dict[str, Value]:
    """Figures with the time of each part of a step, which is its share of the mean step."""
    step = stated.get("step_time", Value()).value
    times = {
        name: Value.number(step * share.value)
        for key, (name, _) in SHARES.items()
        if isinstance(step, float) and isinstance((share := stated.get(key, Value())).value, float)
    }
    return {**stated, **times}


def _converted(book: Book, table: Table, made: Record) -> dict[str, Value]:
    """The figures of a prediction in the units of the columns; those without a column are left
    out."""
    figures_of = {}
    for key, figure in made.figures.items():
        name = "gpus" if key == "accelerators" else key
        unit = table.columns[name].unit if name in table.columns else None
        if unit is None or not math.isfinite(figure.value):
            continue
        times = float(book.units.factor(book.units.parse(figure.unit), unit))
        ends = (None if end is None else end * times for end in (figure.low, figure.high))
        figures_of[name] = Value.number(figure.value * times, *ends)
    return _with_times(figures_of)


def _pairs(
    book: Book, table: Table, stated: Mapping[str, Value], made: Mapping[str, Value]
) -> dict[str, Pair]:
    """Both sides of each component that at least one of them states."""
    titles = dict(SHARES.values())
    pairs = {}
    for key in COMPARED:
        column = table.columns.get(key, table.columns["step_time"] if key in titles else None)
        if column is None or column.unit is None or not (key in stated or key in made):
            continue
        title = titles.get(key, column.title)
        sides = stated.get(key, Value()), made.get(key, Value())
        pairs[key] = Pair(key, title, column.unit, *sides)
    return pairs


def _untimed(table: Table, id: str) -> bool:
    marks = (table.columns[name].stated.get(id) for name in UNTIMED if name in table.columns)
    return any(mark is not None and mark.value is True for mark in marks)


def _day(table: Table, id: str) -> date:
    return date.fromisoformat(str(table.columns["date"].stated[id].value))


def _twins(one: Beside, comparisons: Mapping[str, Beside]) -> tuple[str, ...]:
    """The other records of the same job."""
    if one.job is None:
        return ()
    own = sameness(one.job)
    return tuple(
        id
        for id, each in comparisons.items()
        if id != one.id and each.job is not None and sameness(each.job) == own
    )
