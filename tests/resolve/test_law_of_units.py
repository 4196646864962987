"""The law of units: an input written in another unit of the same dimension changes no result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from project import draws
from resolve.rewritten import differences, other_unit, resolve_rewritten, rewrite
from resolve.spaces import HERE, documents, ground
from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, errors
from scalesheet.evaluate import evaluate
from scalesheet.language.parser import parse
from scalesheet.load import Document
from scalesheet.model import Kind, Plan, Stated
from scalesheet.resolve.book import with_plans
from scalesheet.resolve.compile import compile_space, scalar
from scalesheet.resolve.drafts import Draft, DraftComponent, Space, Written
from scalesheet.resolve.lowering.catalogue import units_of
from scalesheet.resolve.proving.integers import WHOLE
from small import plan, said, scalars

UNITS = units_of([], [])
SPACE = Space(UNITS, {}, {})
#: The inputs of random formulas, with two or more of each dimension.
INPUTS = {
    **dict.fromkeys(("t1", "t2", "t3"), "minute"),
    **dict.fromkeys(("i1", "i2"), "GiB"),
    **dict.fromkeys(("n1", "n2"), "token"),
    "speed": "GB / second",
    "price": "USD / hour",
    "k": "1",
}


# ------------------------------------------------------------------ random formulas


def _formulas(depth: int) -> dict[str, st.SearchStrategy[str]]:
    """Random formulas by what they give: a pure number, a time, a size, or yes or no."""
    if depth == 0:
        literals = st.sampled_from(["1", "2", "0.5", "3", "10"])
        return {
            "pure": st.one_of(literals, st.just("k")),
            "time": st.sampled_from(["t1", "t2", "t3"]),
            "size": st.sampled_from(["i1", "i2"]),
            "count": st.sampled_from(["n1", "n2"]),
            "flag": st.sampled_from(["t1 > t2", "i1 <= i2", "n1 >= n2", "k < 3"]),
        }
    of = _formulas(depth - 1)
    pure, time, size, count, flag = (of[key] for key in ("pure", "time", "size", "count", "flag"))

    def made(text: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.tuples(*parts).map(lambda found: f"({text.format(*found)})")

    ratios = [made("{} / {}", each, each) for each in (time, size, count)]
    ratio = st.one_of(*ratios, pure)
    numbers = [
        *ratios,
        *(made(f"{name}({{}})", ratio) for name in ("ceil", "floor", "round", "sqrt", "abs")),
        made("round({}, 1)", ratio),
        *(made(f"{name}({{}}, 2)", ratio) for name in ("min", "max", "mean")),
        *(made(f"{{}} {op} {{}}", ratio, ratio) for op in ("+", "*", "/")),
        *(made(f"{name}(1 + {{}})", ratio) for name in ("ln", "log10")),
        made("exp(-{0} / (1 + {0}))", ratio),
        made("{} ** 2", ratio),
        made("{} ** 0.34", ratio),
        made("1.5 ** min({}, 5)", ratio),
        made("(1 + {}) ** min({}, 3)", ratio, ratio),
        made("{} if {} else {}", ratio, flag, ratio),
        made("ceil({}) / {}", count, count),
        made("paired({} / {})", time, time),
    ]
    times = [
        *(made(f"{{}} {op} {{}}", time, time) for op in "+"),
        *(made(f"{name}({{}}, {{}})", time, time) for name in ("min", "max", "mean")),
        made("{} * {}", ratio, time),
        made("{} / speed", size),
        made("sqrt({} * {})", time, time),
        made("sqrt({}) * sqrt({})", time, time),
        made("{0} ** 1.5 / {0} ** 0.5", time),
        made("ceil({0} / {1}) * {1}", time, time),
        made("{} if {} else {}", time, flag, time),
        made("ceil({})", time),  # only where it is in the unit of the result
    ]
    sizes = [
        made("{} + {}", size, size),
        made("{} * speed", time),
        made("max({}, {})", size, size),
    ]
    flags = [
        made("{} > {}", ratio, ratio),
        made("{} >= {}", time, time),
        made("{} / {} <= 1", time, time),
        made("not {}", flag),
        made("{} and {}", flag, flag),
    ]
    return {
        "pure": st.one_of(*numbers),
        "time": st.one_of(*times),
        "size": st.one_of(*sizes),
        "count": st.one_of(count, made("{} * {}", ratio, count)),
        "flag": st.one_of(*flags),
    }


_BY_KIND = _formulas(2)
FORMULAS = st.one_of(
    *(st.tuples(st.just(unit), _BY_KIND[kind]) for kind, unit in (("pure", "1"), ("time", "hour"))),
    st.tuples(st.just("USD"), _BY_KIND["time"].map(lambda text: f"{text} * price")),
    st.tuples(
        st.just("text"),
        st.tuples(_BY_KIND["time"], st.sampled_from(["n1", "n2"])).map(
            lambda parts: f"text('{{{parts[0]}:.1 hour}} for {{{parts[1]}:.0}}')"
        ),
    ),
)


def _plan(
    unit: str, text: str, inputs: Iterable[Draft], seed: int | None, space: Space = SPACE
) -> tuple[Book, list[Diagnostic]]:
    """A plan with the result `y` of a formula, its inputs in other units if there is a seed."""
    random, drafts = Random(seed), {each.name: replace(each) for each in inputs}
    if seed is not None:
        for each in drafts.values():
            rewrite(each, space.units, random)
    kind: Kind = "text" if unit == "text" else "number"
    own = None if unit == "text" else space.units.parse(unit)
    formula = Written(text, parse(text), HERE)
    drafts["y"] = Draft("y", "y", HERE, kind=kind, unit=own, formulas={None: formula})
    problems: list[Diagnostic] = []
    compiled = compile_space(replace(space, scalars=drafts), {}, problems)
    done = {name: scalar(draft, compiled) for name, draft in drafts.items()}
    made = Plan("p", "P", "", done, {}, (), compiled.order, (), (), (), (), (), "")
    day = date(2026, 1, 1)
    return Book("B", day, day, space.units, {}, {}, (), {}, {"p": made}), problems


def _same(*books: Book) -> list[str]:
    """Where two books with a plan `p` differ."""
    one, other = ((book, evaluate(book, book.plans["p"])) for book in books)
    return list(differences(one, other, "p"))


def _inputs(ends: Mapping[str, tuple[float, float]]) -> list[Draft]:
    return [
        Draft(name, name, HERE, unit=UNITS.parse(unit), domain="positive", stated={None: stated})
        for name, unit in INPUTS.items()
        for stated in [Stated(ends[name][0], *ends[name])]
    ]


_NUMBERS = st.sampled_from([1.0, 2.0, 3.0, 4.5, 7.0, 8.0, 10.0, 12.0, 15.0, 60.0, 900.0])
_ENDS = st.one_of(_NUMBERS.map(lambda x: (x, x)), _NUMBERS.map(lambda x: (x, 2.0 * x)))


@pytest.mark.parametrize("seed", range(4))
def test_random_formulas_give_the_same_in_all_units(seed: int) -> None:
    @settings(max_examples=draws(300))
    @given(FORMULAS, st.fixed_dictionaries(dict.fromkeys(INPUTS, _ENDS)))
    def same(formula: tuple[str, str], ends: dict[str, tuple[float, float]]) -> None:
        one, problems = _plan(*formula, _inputs(ends), None)
        other, problems_again = _plan(*formula, _inputs(ends), seed)
        assert [d.code for d in problems] == [d.code for d in problems_again]
        assert errors(problems) or _same(one, other) == []

    same()


def test_most_random_formulas_are_accepted() -> None:
    """The law would hold of a compiler that refuses everything."""
    accepted, seen = 0, 0
    exact = dict.fromkeys(INPUTS, (8.0, 8.0))

    @given(FORMULAS)
    def count(formula: tuple[str, str]) -> None:
        nonlocal accepted, seen
        _, problems = _plan(*formula, _inputs(exact), None)
        accepted, seen = accepted + (not errors(problems)), seen + 1

    count()
    assert accepted > seen / 2


# ------------------------------------------------------------------ what ships


@pytest.mark.parametrize("seed", range(3))
def test_each_formula_of_the_catalogue_gives_the_same_in_all_units(seed: int) -> None:
    space, tried = ground().space, 0
    for name, record in space.records.items():
        arguments = ", ".join(f"{each}={each}" for each in record.inputs)
        for example in record.examples:
            given = {**record.defaults, **example.given}
            inputs = [
                replace(draft, formulas={}, stated={None: Stated(value, value, value)})
                for draft in record.inputs.values()
                for value in [float(given[draft.name])]
            ]
            asked = (str(record.unit), f"{name}({arguments})", inputs)
            one, problems = _plan(*asked, None, space)
            other, problems_again = _plan(*asked, seed, space)
            assert errors(problems) == errors(problems_again) == [], name
            assert _same(one, other) == [], name
            tried += 1
    assert tried >= len(space.records) > 100


@pytest.mark.parametrize("seed", range(3))
def test_each_example_of_a_component_gives_the_same_in_all_units(seed: int) -> None:
    """Inputs are stated as `{value, unit}` in a use of the component."""
    space, tried = ground().space, 0
    for component in space.components.values():
        for index, example in enumerate(component.document.data["examples"]):
            asked = _use(component, example["given"], None)
            again = _use(component, example["given"], seed)
            assert _same(*(_case(each) for each in (asked, again))) == [], (component.id, index)
            tried += 1
    assert tried >= len(space.components) > 3


def _use(component: DraftComponent, given: Mapping[str, Any], seed: int | None) -> Document:
    """A plan document with this case of a component, its inputs in other units if seeded."""
    random, units = Random(seed), ground().space.units
    inputs = dict(given)
    for name, draft in component.inputs.items():
        default = draft.stated.get(None, Stated())
        ends = {"value": default.value, "low": default.low, "high": default.high}
        numbers = {"value": given[name]} if name in given else ends
        if seed is None or draft.kind != "number" or not isinstance(numbers["value"], int | float):
            continue
        if component.choice and name in component.choice.among:
            continue  # chosen for each row, if no use states it
        assert draft.unit is not None
        unit = other_unit(draft.unit, units, random, whole=draft.domain in WHOLE)
        factor = float(units.factor(draft.unit, unit))
        inputs[name] = {key: number * factor for key, number in numbers.items()}
        inputs[name]["unit"] = str(unit)
    table = {"of": component.id, "with": inputs, "rows": {"a-case": {}}}
    data = {"title": "P", "summary": "P", "tables": {"cases": table}}
    return Document("plan", "p", "plans/p/plan.yaml", data)


def _case(document: Document) -> Book:
    problems: list[Diagnostic] = []
    book = with_plans(ground(), [document], problems)
    assert book is not None, problems
    return book


@pytest.mark.parametrize("seed", range(2))
def test_each_shipped_plan_gives_the_same_in_all_units(seed: int) -> None:
    book, _ = resolve_rewritten(documents(), None)
    again, count = resolve_rewritten(documents(), seed)
    assert count > 300
    for name, own in book.plans.items():
        pair = (book, evaluate(book, own)), (again, evaluate(again, again.plans[name]))
        assert list(differences(*pair, name)) == []


# ------------------------------------------------------------------ single cases

BILL = "a: {value: 8, unit: minute}\ng: {value: 900, unit: second}\n"


def test_a_ratio_is_rounded_as_a_pure_number(tmp_path: Path) -> None:
    """Every bill is computed like this: 8 minutes in blocks of 900 seconds are one block."""
    found = scalars(tmp_path, f"{BILL}billed: {{unit: minute, formula: ceil(a / g) * g}}")
    assert found.results["small"].scalars["billed"].value == 15.0


@pytest.mark.parametrize(
    ("unit", "formula", "value"),
    [
        ("1", "floor(g / a)", 1),
        ("1", "round(g / a)", 2),
        ("1", "(g / a) ** (g / a)", 1.875**1.875),
        ("1", "2 ** (g / a)", 2**1.875),
        ("minute", "sqrt(a * g)", 120**0.5),
        ("minute", "sqrt(a) * sqrt(g)", 120**0.5),
        ("1", "max(g / a, 1)", 1.875),
        ("1", "1 if g / a > 1.8 else 0", 1),
        ("minute", "a ** 0.34 * a ** 0.66", 8),
    ],
)
def test_what_is_not_linear_gets_a_pure_number(
    tmp_path: Path, unit: str, formula: str, value: float
) -> None:
    found = scalars(tmp_path, f"{BILL}y: {{unit: {unit}, formula: '{formula}'}}")
    assert found.diagnostics == []
    assert found.results["small"].scalars["y"].value == pytest.approx(value, rel=1e-12)


def test_a_power_is_no_other_than_the_one_written(tmp_path: Path) -> None:
    """0.34 is not a third: the cube of token ** 0.34 is not a token."""
    lines = "n: {value: 8, unit: token}\ny: {unit: token, formula: (n ** 0.34) ** 3}"
    assert [text[:4] for text in said(scalars(tmp_path, lines))] == ["U002"]


@pytest.mark.parametrize("formula", ["2 * ceil(a)", "ceil(a) / g", "1 if ceil(a) > g else 0"])
def test_a_rounding_whose_unit_is_not_stated_is_refused(tmp_path: Path, formula: str) -> None:
    (message,) = said(scalars(tmp_path, f"{BILL}y: {{unit: 1, formula: {formula}}}"))
    assert message.startswith("U004 nothing states the unit that ceil rounds in; give the rounded")


def test_a_cell_may_state_its_own_unit(tmp_path: Path) -> None:
    table = """\
    tables:
      runs:
        columns: {hours: {unit: hour, domain: positive}}
        rows: {a: {hours: {value: 90, unit: minute}}, b: {hours: 2}}
    """
    found = plan(tmp_path, table)
    assert found.diagnostics == []
    assert [v.value for v in found.results["small"].tables["runs"]["hours"]] == [1.5, 2.0]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("{value: 9, unit: GB}", "U002 'hours' is in hour, found GB"),
        ("{value: -9, unit: minute}", "V002 'hours': expected above 0"),
    ],
)
def test_a_cell_with_a_wrong_unit_is_refused(tmp_path: Path, cell: str, message: str) -> None:
    table = f"""\
    tables:
      runs:
        columns: {{hours: {{unit: hour, domain: positive}}}}
        rows: {{a: {{hours: {cell}}}}}
    """
    (found,) = said(plan(tmp_path, table))
    assert found.startswith(message)
