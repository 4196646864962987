"""A small book, built and evaluated without the compiler, for the tests of pages.

It has two phases, a cross table, a chart, a range, a reason, a check, and text that contains HTML
and Markdown syntax.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction

import numpy as np

from scalesheet.book import Book
from scalesheet.language.syntax import (
    Aggregate,
    Binary,
    Compare,
    Lookup,
    Node,
    Number,
)
from scalesheet.language.syntax import Column as ColumnNode
from scalesheet.language.syntax import Scalar as ScalarNode
from scalesheet.model import (
    Citation,
    Column,
    Ends,
    Example,
    Formula,
    Key,
    Phase,
    Plan,
    Position,
    Record,
    Scalar,
    Source,
    Stated,
    Table,
)
from scalesheet.pictures import Chart
from scalesheet.units import Declared, Unit, Units
from scalesheet.values import Results, Series, Value

UNITS = Units(
    Declared(name, dimension, Fraction(size), title, symbol, counted)
    for name, dimension, size, title, symbol, counted in (
        ("second", "time", 1, "second", "s", False),
        ("hour", "time", 3600, "hour", "h", False),
        ("byte", "information", 1, "byte", "B", False),
        ("GiB", "information", 2**30, "gibibyte", "GiB", False),
        ("USD", "currency", 1, "US dollar", "USD", False),
        ("GPU", "GPU", 1, "accelerator", "GPU", True),
        ("node", "node", 1, "node", "node", True),
        ("step", "step", 1, "step", "step", True),
    )
)
PAPER = Citation("paper", "section 5")
PLAN_FILE = "data/plans/demo/plan.yaml"


def unit(text: str) -> Unit:
    return UNITS.parse(text)


def formula(text: str, tree: Node, low: Node | None = None, high: Node | None = None) -> Formula:
    return Formula(text, tree, Ends(tree, low, high), position=Position(PLAN_FILE, 30, 14))


def number(value: float, low: float | None = None, high: float | None = None) -> Stated:
    return Stated(
        value,
        value if low is None else low,
        value if high is None else high,
        citation=PAPER,
        position=Position(PLAN_FILE, 9, 11),
    )


def hardware() -> Table:
    spec = {"basis": "spec", "citation": Citation("datasheet")}
    memory = {"big": Stated(80.0, 80.0, 80.0, **spec), "small": Stated(24.0, 24.0, 24.0, **spec)}
    fp8 = {"big": Stated(2.5, 2.5, 2.5, **spec), "small": Stated(reason="no FP8 units")}
    return Table(
        "hardware",
        "Hardware",
        ("big", "small"),
        ("Big </title><script>alert(1)</script> & `Co`", "Small | one"),
        {
            "vendor": Column(
                "vendor",
                "Vendor",
                kind="text",
                stated={"big": Stated("Acme *Inc* {{ x }}"), "small": Stated("Acme")},
            ),
            "memory": Column("memory", "Memory", unit=unit("GiB"), stated=memory),
            "dense_fp8": Column(
                "dense_fp8", "Dense FP8", unit=unit("GPU"), may_reason=True, stated=fp8
            ),
        },
        row_notes={"big": "Sold out <since> spring."},
        row_aliases={"big": ("Biggie", "the *large* one")},
        row_positions=(
            Position("data/hardware/big.yaml", 1, 1),
            Position("data/hardware/small.yaml", 1, 1),
        ),
    )


def offers() -> Table:
    return Table(
        "offers",
        "Offers",
        ("rent",),
        ("Rent a big one",),
        {
            "accelerator": Column(
                "accelerator",
                "Accelerator",
                kind="reference",
                refers_to="hardware",
                stated={"rent": Stated("big")},
            ),
            "node_price": Column(
                "node_price",
                "Price per node hour",
                unit=unit("USD / (node * hour)"),
                stated={"rent": Stated(3.5, 3.5, 3.5, basis="published", citation=PAPER)},
            ),
        },
    )


def stages() -> Table:
    hours = Binary("/", ColumnNode("stages", "steps"), ScalarNode("steps_per_hour"))
    return Table(
        "stages",
        "Stages",
        ("one", "two"),
        ("Stage <one>", "Stage two"),
        {
            "steps": Column(
                "steps",
                "Steps",
                unit=unit("step"),
                domain="count",
                stated={"one": number(1000.0), "two": number(4000.0)},
            ),
            "hours": Column(
                "hours",
                "Hours",
                unit=unit("hour"),
                ranged=True,
                formula=formula("steps / steps_per_hour", hours),
            ),
        },
        totals=("steps", "hours"),
        note="Counted from the log.",
    )


def grid() -> Table:
    fits = Compare(
        "<=", ScalarNode("need"), Lookup("hardware", ColumnNode("grid", "gpu"), "memory")
    )
    ids = [f"{stage}--{gpu}" for stage in ("one", "two") for gpu in ("big", "small")]
    return Table(
        "grid",
        "What fits",
        tuple(ids),
        tuple(ids),
        {
            "stage": Column(
                "stage",
                "Stage",
                kind="reference",
                refers_to="stages",
                stated={i: Stated(i.split("--")[0]) for i in ids},
            ),
            "gpu": Column(
                "gpu",
                "Accelerator",
                kind="reference",
                refers_to="hardware",
                stated={i: Stated(i.split("--")[1]) for i in ids},
            ),
            "fits": Column(
                "fits", "Fits", kind="flag", formula=formula("need <= gpu.memory", fits)
            ),
        },
        each=(("stage", "stages"), ("gpu", "hardware")),
        show=("stage", "gpu", "fits"),
    )


def scalars() -> tuple[Scalar, ...]:
    total = Aggregate("sum", "stages", "hours")
    steps = Aggregate("sum", "stages", "steps")
    cost = Binary(
        "*", ScalarNode("stages.total.hours"), Lookup("offers", ScalarNode("offer"), "node_price")
    )
    return (
        Scalar(
            "steps_per_hour",
            "Steps per hour",
            unit=unit("step / hour"),
            ranged=True,
            stated=replace(number(2000.0, 1600.0, 2500.0), midpoint=True, note="See the log."),
            position=Position(PLAN_FILE, 9, 3),
        ),
        Scalar("need", "Memory needed", unit=unit("GiB"), stated=number(32.0), phase="main"),
        Scalar(
            "offer",
            "Offer",
            kind="reference",
            refers_to="offers",
            stated=Stated("rent", basis="decision"),
        ),
        Scalar(
            "stages.total.steps",
            "Stages: Steps",
            unit=unit("step"),
            formula=formula("sum(stages.steps)", steps),
        ),
        Scalar(
            "stages.total.hours",
            "Hours in all",
            unit=unit("hour"),
            ranged=True,
            formula=formula("sum(stages.hours)", total),
        ),
        Scalar(
            "cost",
            "Cost",
            unit=unit("USD / node"),
            ranged=True,
            formula=replace(
                formula("total_hours * offer.node_price", cost),
                outer=True,
                uses=("gpu-cost",),
                citation=PAPER,
            ),
        ),
        Scalar(
            "positive",
            "Hours are counted",
            kind="flag",
            formula=formula(
                "stages.total.hours > 0",
                Compare(">", ScalarNode("stages.total.hours"), Number(0.0)),
            ),
        ),
    )


def record() -> Record:
    tree = Binary("*", ScalarNode("hours"), ScalarNode("price"))
    return Record(
        "gpu-cost",
        "Cost of hours",
        (
            Scalar("hours", "Hours", unit=unit("hour")),
            Scalar("price", "Price", unit=unit("USD / (node * hour)")),
        ),
        unit("USD / node"),
        Formula("hours * price", tree, Ends(tree)),
        "C",
        "any number of hours",
        "list price",
        (Example({"hours": 2.0, "price": 3.5}, 7.0, "two hours"),),
        False,
        PAPER,
        position=Position("data/formulas/gpu-cost.yaml", 1, 1),
    )


PAGE = """\
It takes {{ stages.total.hours }} and costs {{ cost }}, at {{ steps_per_hour }}.

{{ table stages }}

{{ chart hours }}

{{ formula cost }}

Written as `a < b` and `{{ cost }}`; <b>bold</b> stays text.
"""


def demo(page: str = PAGE) -> Plan:
    return Plan(
        "demo",
        "Demo <plan> with *stars* | pipes",
        "A plan of two stages; <script>alert(2)</script> is text.",
        {scalar.name: scalar for scalar in scalars()},
        {"stages": stages(), "grid": grid()},
        (Phase("main", "Main <b>phase</b>", "one_time", ()),),
        (Key("hours", "stages"), Key("stages.total.hours"), Key("cost"), Key("positive")),
        ("hardware", "offers"),
        ("stages.total.hours", "cost"),
        ("positive",),
        (Chart("hours", "Hours by stage", "bar", "stages", "hours", "Stage two takes most"),),
        (),
        page,
        ("Rent by the hour: {{ cost }} in all, *not* more.",),
        PAPER,
        Position(PLAN_FILE, 1, 1),
        "data/plans/demo/page.md",
    )


def book(page: str = PAGE) -> Book:
    return Book(
        "Sample",
        date(2026, 11, 20),
        date(2026, 11, 20),
        UNITS,
        {
            "paper": Source(
                "paper",
                "A paper",
                "Press",
                "https://example.org/paper",
                "2020",
                position=Position("data/sources.yaml", 2, 3),
            ),
            "datasheet": Source("datasheet", "Data sheet", "Acme", "javascript:alert(1)"),
        },
        {"hardware": hardware(), "offers": offers()},
        (),
        {"gpu-cost": record()},
        {"demo": demo(page)},
        "https://example.org/repo",
        "data/",
    )


def words(*values: object) -> Series:
    return Series(np.array(values, dtype=object))


def results() -> Results:
    return Results(
        {
            "steps_per_hour": Value.number(2000.0, 1600.0, 2500.0),
            "need": Value.number(32.0),
            "offer": Value("rent"),
            "stages.total.steps": Value.number(5000.0),
            "stages.total.hours": Value.number(2.5, 2.0, 3.125),
            "cost": Value.number(8.75, 7.0, 10.9375),
            "positive": Value(True),
        },
        {
            "stages": {
                "steps": Series(np.array([1000.0, 4000.0])),
                "hours": Series(np.array([0.5, 2.0]), np.array([0.4, 1.6]), np.array([0.625, 2.5])),
            },
            "grid": {
                "stage": words("one", "one", "two", "two"),
                "gpu": words("big", "small", "big", "small"),
                "fits": words(True, False, True, False),
            },
            "hardware": {
                "vendor": words("Acme *Inc* {{ x }}", "Acme"),
                "memory": Series(np.array([80.0, 24.0])),
                "dense_fp8": Series(np.array([2.5, np.nan]), reasons={1: "no FP8 units"}),
            },
            "offers": {
                "accelerator": words("big"),
                "node_price": Series(np.array([3.5])),
            },
        },
        {
            "stages": ("one", "two"),
            "grid": ("one--big", "one--small", "two--big", "two--small"),
            "hardware": ("big", "small"),
            "offers": ("rent",),
        },
    )
