"""Numbers in a plan that are written with a letter or a unit."""

from __future__ import annotations

from pathlib import Path

import pytest

from cases import ENERGY, NO_TOTAL, TABLE
from pull.workbooks import diff, ship
from pull.workbooks import said as pulled_said
from small import HEAD, plan, said

PLAN = """\
headline: [cost]
limits: {{cost: {limit}}}
scalars:
  price: {{value: {price}, unit: USD / (GPU * hour), domain: positive}}
  share: {{value: {share}, unit: 1, domain: fraction}}
  goodput: {{value: 1, unit: 1, domain: fraction}}
  size: {{low: {low}, high: {high}, unit: GB}}
  cost: {{unit: USD, formula: price * sum(runs.time) * (1 as GPU) * share}}
tables:
  runs:
    columns: {{steps: {{unit: step, domain: count}}, time: {{unit: hour}}}}
    rows:
      a: {{steps: {steps}, time: {time}}}
      b: {{steps: 3, time: {{value: {middle}, low: 1, high: {most}}}}}
phases:
  train: {{title: Train, class: one_time, gpus: {gpus}, hours: {hours}}}
"""
PLAIN = {
    "limit": 5000,
    "price": 2.5,
    "share": 0.3,
    "low": 20,
    "high": 1500,
    "steps": 50_000,
    "time": 48,
    "middle": 2,
    "most": 24,
    "gpus": 8,
    "hours": 0.5,
}
WRITTEN = {
    "limit": "5k",
    "price": "2.50 USD / (GPU * hour)",
    "share": "30 %",
    "low": "20GB",
    "high": "1.5 TB",
    "steps": "50k",
    "time": "2 days",
    "middle": "120 minutes",
    "most": "1 day",
    "gpus": "8 GPUs",
    "hours": "30 minutes",
}


def test_they_are_the_same_numbers(tmp_path: Path) -> None:
    plain, written = (
        plan(tmp_path / name, PLAN.format(**values))
        for name, values in (("plain", PLAIN), ("written", WRITTEN))
    )
    assert said(plain) == said(written) == []
    before, after = (each.results["small"] for each in (plain, written))
    assert before.scalars == after.scalars
    for table in ("runs", "phases"):
        for column in before.tables[table]:
            assert list(before.tables[table][column]) == list(after.tables[table][column])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("limit", "5 GB", "U002 'cost': '5 GB' is in GB; write a number in USD"),
        ("share", "130 %", "V002 'share': expected 0 to 1 (domain fraction), found 1.3"),
        ("low", "2 TB", "V001 'size': low 2,000 is above value 1,750"),
        ("steps", "2.5 steps", "V002 'steps': expected 1, 2, 3, ... (domain count), found 2.5"),
        ("time", "2 wek", "U001 'time': unknown unit 'wek'"),
        ("gpus", "eight", "S003 phases.train.gpus: expected a number, found the text 'eight'"),
        ("price", "'0,9'", "S003 scalars.price.value: expected a number, found the text '0,9'"),
        ("price", "'2.5'", "S003 scalars.price.value: expected a number, found the text '2.5'"),
    ],
)
def test_an_invalid_number_is_reported_at_its_place(
    name: str, text: str, message: str, tmp_path: Path
) -> None:
    examined = plan(tmp_path, PLAN.format(**{**WRITTEN, name: text}))
    found = said(examined)
    assert len(found) == 1, found
    assert found[0].startswith(message)


def test_an_example_of_a_component_can_use_them(tmp_path: Path) -> None:
    text = ENERGY.replace("{card: card, hours: 10}", "{card: card, hours: 600 minutes}")
    assert said(plan(tmp_path / "a", TABLE, {"components/energy.yaml": text})) == [NO_TOTAL]
    wrong = ENERGY.replace("{card: card, hours: 10}", "{card: card, hours: 5 GB}")
    assert said(plan(tmp_path / "b", TABLE, {"components/energy.yaml": wrong})) == [
        "U002 'hours': '5 GB' is in GB; write a number in hour"
    ]


def test_pull_writes_a_plain_number_where_one_was_edited(tmp_path: Path) -> None:
    text = HEAD + PLAN.format(**WRITTEN)
    shipped = ship(tmp_path, {"plans/small/plan.yaml": text, "plans/small/page.md": "# P\n"})
    assert shipped.pull({}).same
    pulled = shipped.pull({"share": 0.4, "runs['a'].steps": 60_000, "phases['train'].gpus": 16})
    assert pulled_said(pulled) == []
    assert diff(pulled) == [
        "-  share: {value: 30 %, unit: 1, domain: fraction}",
        "-      a: {steps: 50k, time: 2 days}",
        "-  train: {title: Train, class: one_time, gpus: 8 GPUs, hours: 30 minutes}",
        "+  share: {value: 0.4, unit: 1, domain: fraction}",
        "+      a: {steps: 60000, time: 2 days}",
        "+  train: {title: Train, class: one_time, gpus: 16, hours: 30 minutes}",
    ]
