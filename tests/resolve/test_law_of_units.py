"""The law of units: an input written in another unit of the same dimension changes no result."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from project import draws
from resolve.rewritten import differences, resolve_rewritten, rewrite
from resolve.spaces import HERE
from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, errors
from scalesheet.evaluate import evaluate
from scalesheet.language.parser import parse
from scalesheet.load.folder import load
from scalesheet.model import Plan, Stated
from scalesheet.resolve.compile import compile_space, scalar
from scalesheet.resolve.drafts import Draft, Space, Written
from scalesheet.resolve.lowering.catalogue import units_of
from shipped import DATA
from small import said, scalars

UNITS = units_of([], [])
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
    formula: tuple[str, str], ends: dict[str, tuple[float, float]], seed: int | None
) -> tuple[Book, list[Diagnostic]]:
    """A plan with the result of a formula, its inputs in other units if there is a seed."""
    unit, text = formula
    drafts = {
        name: Draft(
            name,
            name,
            HERE,
            unit=UNITS.parse(of),
            domain="positive",
            stated={None: Stated(ends[name][0], *ends[name])},
        )
        for name, of in INPUTS.items()
    }
    if seed is not None:
        random = Random(seed)
        for each in drafts.values():
            rewrite(each, UNITS, random)
    result = Draft("y", "y", HERE, formulas={None: Written(text, parse(text), HERE)})
    result.kind = "text" if unit == "text" else "number"
    result.unit = None if unit == "text" else UNITS.parse(unit)
    drafts["y"] = result
    problems: list[Diagnostic] = []
    compiled = compile_space(Space(UNITS, {}, {}, scalars=drafts), {}, problems)
    done = {name: scalar(draft, compiled) for name, draft in drafts.items()}
    plan = Plan("p", "P", "", done, {}, (), compiled.order, (), (), (), (), (), "")
    day = date(2026, 1, 1)
    return Book("B", day, day, UNITS, {}, {}, (), {}, {"p": plan}), problems


_NUMBERS = st.sampled_from([1.0, 2.0, 3.0, 4.5, 7.0, 8.0, 10.0, 12.0, 15.0, 60.0, 900.0])
_ENDS = st.one_of(
    _NUMBERS.map(lambda x: (x, x)), _NUMBERS.map(lambda x: (x, 2.0 * x))
)


@pytest.mark.parametrize("seed", range(4))
def test_random_formulas_give_the_same_in_all_units(seed: int) -> None:
    @settings(max_examples=draws(300))
    @given(FORMULAS, st.fixed_dictionaries(dict.fromkeys(INPUTS, _ENDS)))
    def same(formula: tuple[str, str], ends: dict[str, tuple[float, float]]) -> None:
        one, problems = _plan(formula, ends, None)
        other, problems_again = _plan(formula, ends, seed)
        assert [d.code for d in problems] == [d.code for d in problems_again]
        if not errors(problems):
            pair = ((book, evaluate(book, book.plans["p"])) for book in (one, other))
            assert list(differences(*pair, "p")) == []

    same()


def test_most_random_formulas_are_accepted() -> None:
    """The law would hold of a compiler that refuses everything."""
    accepted, seen = 0, 0
    exact = {name: (8.0, 8.0) for name in INPUTS}

    @given(FORMULAS)
    def count(formula: tuple[str, str]) -> None:
        nonlocal accepted, seen
        _, problems = _plan(formula, exact, None)
        accepted, seen = accepted + (not errors(problems)), seen + 1

    count()
    assert accepted > seen / 2


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
    assert message.startswith("U004 ceil would round in minute only because its inputs are in it")
