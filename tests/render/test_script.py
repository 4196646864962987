"""A plan's script holds the inputs and recomputes every cell when they change."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from printers.samples import binary
from scalesheet.book import Book
from scalesheet.language.syntax import (
    Aggregate,
    Choice,
    Compare,
    Guard,
    Lookup,
    Node,
    Number,
    Reason,
    Text,
)
from scalesheet.language.syntax import Column as Of
from scalesheet.language.syntax import Scalar as The
from scalesheet.model import Column, Ends, Formula, Key, Plan, Scalar, Stated, Table
from scalesheet.render.script import program, runtime
from scalesheet.units import Units

NAME = "__proto__"  # the most awkward name that the format allows


def formula(value: Node, low: Node | None = None, high: Node | None = None) -> Formula:
    return Formula("", value, Ends(value, low, high))


def stated(value: Any, low: float | None = None, high: float | None = None) -> Stated:
    if not isinstance(value, float):
        return Stated(value)
    return Stated(value, value if low is None else low, value if high is None else high)


def table(name: str, columns: list[Column], rows: tuple[str, ...]) -> Table:
    return Table(name, name, rows, rows, {column.name: column for column in columns})


GPU_MEMORY = Lookup("hardware", The("gpu"), "memory")
SCALARS = [
    Scalar("steps", "Steps", stated=stated(1000.0)),
    Scalar("rate", "Rate", ranged=True, stated=stated(200.0, 100.0, 250.0)),
    Scalar("gpu", "GPU", "reference", stated=stated("small"), refers_to="hardware"),
    Scalar("exact", "Exact", "flag", stated=stated(True)),
    Scalar("note", "Note", "text", stated=stated("a </script> \u2028 b")),
    Scalar("missing", "Missing", stated=Stated(reason="not <measured>")),
    Scalar(NAME, "Worst", stated=stated(7.0)),
    Scalar("open", "Open", stated=Stated(at_least=32.0)),
    Scalar(
        "hours",
        "Hours",
        ranged=True,
        formula=formula(
            binary(The("steps"), "/", The("rate")),
            binary(The("steps"), "/", The("rate", "high")),
            binary(The("steps"), "/", The("rate", "low")),
        ),
    ),
    Scalar("double", "Double", formula=formula(binary(The(NAME), "*", Number(2.0)))),
    Scalar(
        "fits",
        "Fits",
        "word",
        formula=formula(
            Choice(Text("fits"), Compare("<=", Number(30.0), GPU_MEMORY), Text("tight"))
        ),
    ),
    Scalar(
        "lost",
        "Lost",
        may_reason=True,
        formula=formula(Guard((The("missing"),), binary(The("missing"), "+", Number(1.0)))),
    ),
    Scalar("days", "Days", formula=formula(binary(The("hours"), "/", Number(24.0)))),
    Scalar("t.total.cost", "Cost", formula=formula(Aggregate("sum", "t", "cost"))),
    Scalar("cheapest", "Cheapest", "reference", formula=formula(Aggregate("argmin", "t", "cost"))),
]
HARDWARE = table(
    "hardware",
    [
        Column("bytes", "Bytes", stated={"small": stated(24.0), "large": stated(80.0)}),
        Column(
            "memory",
            "Memory",
            formula=formula(
                binary(Of("hardware", "bytes"), "*", Aggregate("min", "factors", "factor"))
            ),
        ),
    ],
    ("small", "large"),
)
FACTORS = table("factors", [Column("factor", "Factor", stated={"f": stated(0.5)})], ("f",))
UNUSED = table("unused", [], ("u",))
T = table(
    "t",
    [
        Column("units", "Units", stated={"a": stated(2.0), "b": stated(3.0), "c": stated(0.0)}),
        Column(
            "cost",
            "Cost",
            stated={"b": stated(1.0)},
            own={"c": formula(Reason(Text("not offered")))},
            formula=formula(binary(Of("t", "units"), "*", The("hours"))),
        ),
        Column("each", "Each", formula=formula(binary(The("steps"), "/", Of("t", "units")))),
    ],
    ("a", "b", "c"),
)
ORDER = ["hours", "double", "fits", "lost", "days"]
KEYS = (
    *(Key(name) for name in ORDER),
    Key("cost", "t"),
    Key("cost", "t", "c"),
    Key("each", "t"),
    Key("t.total.cost"),
    Key("cheapest"),
)
PLAN = Plan(
    "small-plan",
    "Small",
    "",
    {s.name: s for s in SCALARS},
    {"t": T},
    (),
    KEYS,
    ("hardware",),
    (),
    (),
    (),
    (),
    "",
)
BOOK = Book(
    "Book",
    date(2026, 1, 1),
    date(2026, 1, 1),
    Units([]),
    {},
    {"hardware": HARDWARE, "factors": FACTORS, "unused": UNUSED},
    (Key("memory", "hardware"),),
    {},
    {"small-plan": PLAN},
)
CALL = 'scalesheet.plans["small-plan"]'

Run = Callable[..., Any]


@pytest.fixture
def compute(run_node: Run) -> Callable[[str], Any]:
    """Run a statement that changes the inputs `x`, and compute."""

    def run(change: str = "") -> Any:
        call = f"(() => {{ const x = {CALL}.inputs; {change}; return {CALL}.compute(x); }})()"
        return run_node(runtime(), program(PLAN, BOOK), call)

    return run


def number(value: float, low: float | None = None, high: float | None = None) -> dict[str, float]:
    return {
        "value": value,
        "low": value if low is None else low,
        "high": value if high is None else high,
    }


def test_every_scalar_is_computed(compute: Callable[..., Any]) -> None:
    assert compute()["scalars"] == {
        "steps": number(1000),
        "rate": number(200, 100, 250),
        "gpu": {"value": "small"},
        "exact": {"value": True},
        "note": {"value": "a </script> \u2028 b"},
        "missing": {"reason": "not <measured>"},
        NAME: number(7),
        "open": {"value": None},
        "hours": number(5, 4, 10),
        "double": number(14),
        "fits": {"value": "tight"},
        "lost": {"reason": "not <measured>"},
        "days": number(5 / 24),
        "t.total.cost": number(11),
        "cheapest": {"value": "b"},
    }


def test_every_column_is_computed_with_the_catalogue_it_needs(compute: Callable[..., Any]) -> None:
    tables = compute()["tables"]
    assert tables["t"]["cost"] == [number(10), number(1), {"reason": "not offered"}]
    assert tables["hardware"]["memory"] == [number(12), number(40)]
    assert sorted(tables) == ["factors", "hardware", "t"]


def test_a_missing_value_affects_only_its_own_cells(compute: Callable[..., Any]) -> None:
    none = {"reason": "division by zero"}
    assert compute()["tables"]["t"]["each"] == [number(500), number(1000 / 3), none]
    changed = compute("x.scalars.rate = 0")["scalars"]
    assert changed["hours"] == changed["days"] == none
    assert changed["double"] == number(14)


def test_a_changed_input_changes_what_depends_on_it(compute: Callable[..., Any]) -> None:
    assert compute("x.scalars.gpu = 'large'")["scalars"]["fits"] == {"value": "fits"}
    assert compute("x.tables.t.columns.units[0] = 4")["scalars"]["t.total.cost"] == number(21)
    changed = compute("x.scalars.rate = {value: 100, low: 50, high: 200}")
    assert changed["scalars"]["hours"] == number(10, 5, 20)


def test_an_unknown_id_has_no_value(compute: Callable[..., Any]) -> None:
    changed = compute("x.scalars.gpu = 'gone'")
    assert changed["scalars"]["fits"] == {"reason": "no value with these inputs"}


def test_computing_leaves_the_inputs_unchanged(run_node: Run) -> None:
    call = f"{CALL}.compute({CALL}.inputs); JSON.stringify({CALL}.inputs.scalars)"
    inputs = json.loads(run_node(runtime(), program(PLAN, BOOK), call))
    assert inputs["rate"] == {"value": 200, "low": 100, "high": 250}
    assert inputs["hours"] is None


def test_the_script_can_be_inlined_in_a_page() -> None:
    text = program(PLAN, BOOK)
    assert "</script" not in text
    assert not {"\u2028", "\u2029"} & set(text)
    assert "eval(" not in text + runtime()
    assert "Function(" not in text + runtime()


def test_chromium_computes_the_same(run_node: Run, run_javascript: Run) -> None:
    scripts = (runtime(), program(PLAN, BOOK), f"{CALL}.compute({CALL}.inputs)")
    assert run_javascript(*scripts) == run_node(*scripts)


CHANGES = """
  (() => {
    const plan = PLAN_AT, { machine } = scalesheet.runtime;
    const entered = (scalars, units) => {
      const { t } = plan.inputs.tables, all = plan.inputs.tables;
      const columns = units ? { ...t.columns, units } : t.columns;
      return { scalars: { ...plan.inputs.scalars, ...scalars },
               tables: { ...all, t: { ...t, columns } } };
    };
    const live = machine(plan, plan.inputs);
    const told = [];
    for (const [scalars, units] of [[{ rate: 0 }], [{ rate: 400 }, [4, 5, 6]], [{ gpu: "large" }],
                                    [{ gpu: "gone", steps: 7 }], [{}]]) {
      const inputs = entered(scalars, units);
      const before = live.results, seen = JSON.stringify(before), after = live.set(inputs);
      told.push([JSON.stringify(after) === JSON.stringify(plan.compute(inputs)),
                 JSON.stringify(before) === seen,
                 after.scalars.note === before.scalars.note]);
    }
    const was = JSON.stringify(live.results);
    const move = { key: "steps", rows: ["steps"], value: () => 2000 };
    const hours = live.trial(move, (read) => read("hours"));
    const still = JSON.stringify(live.results) === was;
    const seven = live.tries(["steps"])({ steps: 7 }).hours.value;
    const tried = seven === plan.compute(entered({ steps: 7 })).scalars.hours.value;
    const back = JSON.stringify(live.set(entered({ rate: 0 })));
    const restored = back === JSON.stringify(plan.compute(entered({ rate: 0 })));
    return [told, hours, still && tried && restored];
  })()
""".replace("PLAN_AT", CALL)


def test_exactly_what_depends_on_a_change_is_recomputed(run_node: Run) -> None:
    told, hours, as_before = run_node(runtime(), program(PLAN, BOOK), CHANGES)
    assert told == [[True, True, True]] * 5
    assert (hours, as_before) == (number(10, 8, 20), True)
