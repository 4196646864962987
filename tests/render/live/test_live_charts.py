"""The page's script draws every chart as the program does, to the last digit of each length."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from render.live.parts import as_cell, as_script, part
from scalesheet.model import Column, Formula, Show, Table
from scalesheet.numbers import Format, rule_of
from scalesheet.pictures import Chart, ChartKind
from scalesheet.render.charts import Mark, axis, chart_svg, steps, told
from scalesheet.render.scatters import Point, scatter_svg, scattered
from scalesheet.render.stacks import Bar, Stacked, stack_svg
from scalesheet.render.sweeps import Spot, sweep_svg, swept
from scalesheet.units import Units
from scalesheet.values import Series

UNITS = Units([])
FORMAT = Format(1, percent=False, approximate=False, scientific=False)
LABELS = ("Stage one", "Évaluation", "A label of many words that wants several lines", "x")
CHARTS = 60
Run = Callable[..., Any]

#: A tree of the script as text, without the ends of lines that the program puts between elements.
AS_TEXT = """
function asText(part) {
  const text = (said) => said.replace(/[&<>"'`~{]/g, (sign) => ({
    "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;",
    "`": "&#96;", "~": "&#126;", "{": "&#123;",
  })[sign]);
  if (!Array.isArray(part)) return text(part);
  const [tag, attributes, ...content] = part;
  const told = Object.entries(attributes).map(([name, value]) => ` ${name}="${text(value)}"`);
  const open = `<${tag}${told.join("")}`;
  return content.length ? `${open}>${content.map(asText).join("")}</${tag}>` : `${open}/>`;
}
"""


def a_series(dice: random.Random, rows: int, size: float) -> Series:
    """Numbers of about one size with ends, some of them reasons."""
    middle = [dice.uniform(-0.2 if dice.random() < 0.2 else 0, 1) * size for _ in range(rows)]
    low = [x - abs(x) * dice.choice([0, 0.1]) for x in middle]
    high = [x + abs(x) * dice.choice([0, 0.25]) for x in middle]
    reasons = {n: "not offered" for n in range(1, rows) if dice.random() < 0.1}
    return Series(np.array(middle), np.array(low), np.array(high), reasons)


def a_chart(dice: random.Random) -> tuple[Chart, Table, dict[str, Series]]:
    kind: ChartKind = dice.choice(["bar", "column", "calendar"])
    rows = tuple(f"row-{n}" for n in range(dice.randint(1, 7)))
    start, end = (a_series(dice, len(rows), 10 ** dice.uniform(-3, 7)) for _ in "ab")
    show = Show(percent=dice.random() < 0.2, approximate=dice.random() < 0.2)
    column = Column("end", "End", show=show, formula=dice.choice([None, Formula("", *[None] * 2)]))  # type: ignore[arg-type]  # only whether it is there counts
    table = Table(
        "t",
        "T",
        rows,
        tuple(dice.choice(LABELS) for _ in rows),
        {"start": Column("start", "Start"), "end": column},
    )
    alt = dice.choice(["", "What it shows", "What it shows."])
    chart = Chart("c", 'A "chart"', kind, "t", "end", alt, "start" if kind == "calendar" else "")
    return chart, table, {"start": start, "end": end}


def as_program(chart: Chart, table: Table, columns: dict[str, Series]) -> str:
    return chart_svg(chart, table, columns, table.rows, UNITS).replace("\n", "")


def for_script(chart: Chart, table: Table, columns: dict[str, Series]) -> list[Any]:
    told = {
        "id": chart.id,
        "title": chart.title,
        "alt": chart.alt,
        "kind": chart.kind,
        "column": "end",
        "start": chart.start,
        "axis": axis(chart, table, UNITS),
        "rows": table.rows,
        "labels": table.row_titles,
    }
    cells = {name: [as_cell(value) for value in series] for name, series in columns.items()}
    return [told, as_script(rule_of(table.columns["end"], UNITS)), cells]


@pytest.mark.parametrize("seed", range(5))
def test_any_chart_is_drawn_the_same(seed: int, run_node: Run) -> None:
    dice = random.Random(seed)
    charts = [a_chart(dice) for _ in range(CHARTS)]
    given = json.dumps([for_script(*each) for each in charts])
    drawn = run_node(
        part("numbers", "charts"),
        f"""{AS_TEXT} {given}.map(([chart, rule, columns]) => {{
            const {{ drawing, svg }} = scalesheet.charts;
            return asText(svg(drawing(chart, rule, columns)));
        }})""",
    )
    assert drawn == [as_program(*each) for each in charts]


def a_mark(dice: random.Random, id_: str, size: float, most: float = 1.0) -> Mark:
    if dice.random() < 0.1:
        return Mark(id_, dice.choice(LABELS), None, None, None, "not stated")
    value = dice.choice([0.0, dice.uniform(0, most)]) * size
    low, high = (value * 0.8, value * 1.5) if dice.random() < 0.5 else (None, None)
    ends = "" if low is None else f"{low:.1f}–{high:.1f}"
    return Mark(id_, dice.choice(LABELS), value, low, high, f"{value:.1f} GB", ends)


def a_stack(dice: random.Random) -> Stacked:
    size, parts = 10 ** dice.uniform(-2, 4), dice.randint(1, 9)
    bars = []
    for n in range(dice.randint(1, 4)):
        there = dice.choice([None, dice.uniform(0.1, parts) * size])
        bars.append(
            Bar(
                a_mark(dice, f"bar-{n}", size, parts),
                tuple(a_mark(dice, f"part-{m}", size) for m in range(parts)),
                there,
                "" if there is None else f"{there:.0f} GB",
            )
        )
    ends = [b.capacity for b in bars] + [
        n for b in bars for n in (b.end, b.whole.value, b.whole.low, b.whole.high)
    ]
    ticks = told(steps(n for n in ends if n is not None), FORMAT)
    alt = dice.choice(["What it shows", "What it shows."])
    line = dice.choice(["", "What there is & more"])
    return Stacked("c", 'A "stack"', alt, "Memory (GB)", tuple(bars), line, ticks)


@pytest.mark.parametrize("seed", range(2))
def test_any_stack_is_drawn_the_same(seed: int, run_node: Run) -> None:
    dice = random.Random(seed)
    stacks = [a_stack(dice) for _ in range(CHARTS)]
    drawn = run_node(
        part("numbers", "charts", "stacks"),
        f"""{AS_TEXT} {json.dumps([asdict(each) for each in stacks])}.map((stack) => {{
            const {{ drawing, svg }} = scalesheet.stacks;
            return asText(svg(drawing(stack, {json.dumps(asdict(FORMAT))})));
        }})""",
    )
    assert drawn == [stack_svg(each).replace("\n", "") for each in stacks]


def a_scatter(dice: random.Random) -> list[Any]:
    """Points of two sizes, some on top of each other; the titles of axes, and their formats."""
    spread = dice.choice([0.5, 1.5, 3.0])

    def at(id_: str) -> Mark:
        return replace(a_mark(dice, id_, 1), value=10 ** dice.uniform(0, spread))

    points = []
    for n in range(dice.randint(1, 14)):
        x, y = at("x"), at("y")
        if dice.random() < 0.1:
            x = replace(x, value=dice.choice([None, 0.0]))
        points.append(Point(f"p{n}", dice.choice(LABELS), x, y))
    return [points, ("Hours (h)", "Cost <USD>"), (FORMAT, replace(FORMAT, decimals=0))]


@pytest.mark.parametrize("seed", range(2))
def test_any_points_are_drawn_the_same(seed: int, run_node: Run) -> None:
    dice = random.Random(seed)
    given = [a_scatter(dice) for _ in range(CHARTS)]
    told_ = [
        [[asdict(p) for p in points], axes, [asdict(f) for f in formats]]
        for points, axes, formats in given
    ]
    drawn = run_node(
        part("numbers", "charts", "scatters"),
        f"""{AS_TEXT} {json.dumps(told_)}.map(([points, axes, formats]) => {{
            const {{ drawing, svg }} = scalesheet.scatters;
            const chart = {{ id: "c", title: "A", alt: "Points.", points }};
            return asText(svg(drawing(chart, axes, formats)));
        }})""",
    )
    assert drawn == [
        scatter_svg(scattered("c", "A", "Points.", axes, formats, points)).replace("\n", "")
        for points, axes, formats in given
    ]


def a_sweep(dice: random.Random) -> list[Any]:
    """Spots of a falling or rising figure, perhaps with a limit; titles of axes, and a format."""
    values = sorted({float(dice.randint(1, 200)) for _ in range(dice.randint(1, 8))})
    now = dice.choice(values)
    spots = [
        Spot(Mark("x", "X", v, None, None, f"{v:g}"), a_mark(dice, "y", v * 3), v == now)
        for v in values
    ]
    limit = dice.choice([None, (dice.uniform(0, 500), "Deadline: 3 d")])
    return [spots, ("GPUs", "Hours (h)"), FORMAT, limit]


@pytest.mark.parametrize("seed", range(2))
def test_any_sweep_is_drawn_the_same(seed: int, run_node: Run) -> None:
    dice = random.Random(seed)
    given = [a_sweep(dice) for _ in range(CHARTS)]
    told_ = [
        [[asdict(s) for s in spots], axes, asdict(fmt), limit] for spots, axes, fmt, limit in given
    ]
    drawn = run_node(
        part("numbers", "charts", "scatters", "sweeps"),
        f"""{AS_TEXT} {json.dumps(told_)}.map(([spots, axes, format, limit]) => {{
            const {{ drawing, svg }} = scalesheet.sweeps;
            const chart = {{ id: "c", title: "A", alt: "Falls.", spots, limit }};
            return asText(svg(drawing(chart, axes, format)));
        }})""",
    )
    assert drawn == [
        sweep_svg(swept(("c", "A", "Falls."), axes, fmt, spots, limit)).replace("\n", "")
        for spots, axes, fmt, limit in given
    ]


def test_a_row_without_a_number_has_its_reason_and_no_bar(run_node: Run) -> None:
    table = Table("t", "T", ("a", "b"), ("A", "B"), {"end": Column("end", "End")})
    series = Series(np.array([1.0, np.nan]), reasons={1: "not offered"})
    chart = Chart("c", "C", "bar", "t", "end", "")
    given = json.dumps(for_script(chart, table, {"end": series}))
    bars = f"scalesheet.charts.svg(scalesheet.charts.drawing(...{given}))"
    text = run_node(part("numbers", "charts"), f"{AS_TEXT} asText({bars})")
    assert text == as_program(chart, table, {"end": series})
    assert "not offered" in text
    assert text.count("<rect") == 1
