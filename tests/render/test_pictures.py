"""The charts of the shipped plans show what the evaluator computes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from dated import dated_book
from render.drawings import of_plan
from render.moving import moving_book
from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.edits import read_edit
from scalesheet.model import Key, Plan
from scalesheet.pictures import CALENDAR, DATED, Stack, Sweep
from scalesheet.render.live.engine import Engine
from scalesheet.render.pictures import for_script
from shipped import shipped_book

WITHIN = 1e-9

#: The data of a plan's charts of one kind, by id.
DRAWN = """((id, kind) => {
  const plan = scalesheet.plans[id];
  const { results } = scalesheet.runtime.machine(plan, plan.inputs);
  const other = scalesheet.runtime.machine(plan, plan.inputs);
  const at = (name, value) => other.set(scalesheet.inputs.edited(plan, new Map([[name, value]])));
  const charts = Object.entries(plan.shown.charts).filter(([, chart]) => chart.kind === kind);
  const draw = scalesheet[`${kind}s`].ofPlan;
  return Object.fromEntries(charts.map(([name, chart]) => [name, draw(plan, chart, results, at)]));
})"""


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped_book()


Kind = TypeVar("Kind")


def pictures(book: Book, kind: type[Kind]) -> Iterator[tuple[Plan, Kind]]:
    for plan in book.plans.values():
        yield from ((plan, chart) for chart in plan.charts if isinstance(chart, kind))


def test_the_parts_of_a_stack_add_up_to_its_total(book: Book) -> None:
    """In each scenario, a bar is as long as the number beside it."""
    bars = 0
    for plan in {id(plan): plan for plan, _ in pictures(book, Stack)}.values():
        for word in plan.scenarios or ("",):
            engine = Engine(of_plan(plan, book, [f"scenario={word}"] if word else []))
            for name, stack in engine.call(DRAWN, plan.id, "stack").items():
                for bar in stack["bars"]:
                    if bar["whole"]["value"] is not None:
                        told = (plan.id, name, word, bar["end"], bar["whole"])
                        assert math.isclose(bar["end"], bar["whole"]["value"], rel_tol=WITHIN), told
                        bars += 1
    assert bars > 20


def test_each_point_of_a_sweep_is_the_plan_with_another_input(book: Book) -> None:
    """All other inputs keep their values, edited or not."""
    plan = book.plans["calculator"]
    edits = ["gpus=12", "method=QLoRA", "power_share=0.5..0.7", "batch=64"]
    stated = dict(read_edit(book, plan, text) for text in edits)
    drawn = Engine(of_plan(plan, book, edits)).call(DRAWN, plan.id, "sweep")
    sweeps = {sweep.id: sweep for owner, sweep in pictures(book, Sweep) if owner is plan}
    assert sweeps.keys() == drawn.keys() != set()
    for name, sweep in sweeps.items():
        spots = drawn[name]["spots"]
        assert [spot["x"]["value"] for spot in spots] == sorted({*sweep.values, 12.0})
        assert [spot["x"]["value"] for spot in spots if spot["now"]] == [12.0]
        for spot in spots:
            value = {Key(sweep.input): spot["x"]["value"]}
            alone = evaluate(book, plan, {**stated, **value}).scalars[sweep.figure]
            ends = (alone.low, alone.high) if alone.ranged else (None, None)
            if alone.value is None:  # the layout cannot run on that many
                assert alone.reason is not None
                assert spot["y"]["value"] is None
                continue
            figures = [spot["y"][end] for end in ("value", "low", "high")]
            assert figures == pytest.approx([alone.value, *ends], rel=WITHIN)


def test_the_deadlines_of_phases_are_in_the_chart_and_its_numbers(tmp_path: Path) -> None:
    book = dated_book(tmp_path)
    plan = book.plans["dated"]
    assert for_script(DATED, plan, book.units)["deadline"] == "deadline"
    without = plan.tables["phases"]
    columns = {name: c for name, c in without.columns.items() if name != "deadline"}
    tables = {**plan.tables, "phases": replace(without, columns=columns)}
    assert "deadline" not in for_script(DATED, replace(plan, tables=tables), book.units)


def test_the_axis_of_a_calendar_names_both_ends(tmp_path: Path) -> None:
    book = moving_book(tmp_path)
    told = for_script(CALENDAR, book.plans["moving"], book.units)
    assert told["axis"] == "Start to end (h)"
