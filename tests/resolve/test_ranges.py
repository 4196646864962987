"""Ranges are exact where each input acts in one direction, and safe bounds elsewhere."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from project import draws
from resolve.spaces import Ends, exact, pure_plan
from scalesheet.evaluate import evaluate
from scalesheet.model import Domain, Key, Stated
from scalesheet.values import Value
from small import scalars

INPUTS: dict[str, tuple[Ends, Domain]] = {
    "x": ((2.0, 3.0, 5.0), "positive"),
    "y": ((1.0, 1.5, 4.0), "positive"),
    "z": ((0.0, 0.25, 0.5), "fraction"),
    "w": ((-2.0, 1.0, 3.0), "signed"),
    "n": (exact(4.0), "count"),
}


def value(formula: str, **more: str) -> Value:
    book, plan, found = pure_plan(INPUTS, {**more, "f": formula})
    assert [d for d in found if d.severity == "error"] == []
    return evaluate(book, plan).scalars["f"]


@pytest.mark.parametrize(
    ("formula", "ends"),
    [
        ("x + y", (3, 4.5, 9)),
        ("x - y", (-2, 1.5, 4)),
        ("x * y", (2, 4.5, 20)),
        ("x / y", (0.5, 2, 5)),
        ("-x", (-5, -3, -2)),
        ("1 - z", (0.5, 0.75, 1)),
        ("x * -3", (-15, -9, -6)),
        ("w * n", (-8, 4, 12)),
        ("w * -3", (-9, -3, 6)),
        ("n ** 2 / x", (3.2, 16 / 3, 8)),
        ("x ** 2", (4, 9, 25)),
        ("x ** -1", (0.2, 1 / 3, 0.5)),
        ("w ** 3", (-8, 1, 27)),
        ("2 ** w", (0.25, 2, 8)),
        ("max(x, 4)", (4, 4, 5)),
        ("min(x, y)", (1, 1.5, 4)),
        ("ceil(x / 2)", (1, 2, 3)),
        ("floor(y)", (1, 1, 4)),
        ("sqrt(y)", (1, 1.5**0.5, 2)),
        ("abs(x)", (2, 3, 5)),
        ("low(x) * n", (8, 8, 8)),
        ("high(x) - low(x)", (3, 3, 3)),
        ("between(n, 10)", (4, 7, 10)),
        ("between(x, y)", (1, 2.25, 5)),
        ("between(n / 2, n, 10)", (2, 4, 10)),
        ("between(x, y, n)", (1, 1.5, 5)),
        ("x if n > 2 else y", (2, 3, 5)),
        ("sum(x, y, z)", (3, 4.75, 9.5)),
        ("mean(x, y)", (1.5, 2.25, 4.5)),
    ],
)
def test_ends_follow_from_directions(formula: str, ends: Ends) -> None:
    found = value(formula)
    assert (found.low, found.value, found.high) == pytest.approx(ends)


def test_mixed_directions_give_safe_ends_and_a_warning() -> None:
    book, plan, found = pure_plan(INPUTS, {"f": "x / (x + 1)"})
    assert [d.code for d in found] == ["R005"]
    formula = plan.scalars["f"].formula
    assert formula is not None
    assert formula.outer
    result = evaluate(book, plan).scalars["f"]
    assert (result.low, result.high) == pytest.approx((2 / 6, 5 / 3))


def test_directions_are_traced_through_the_graph() -> None:
    # Each cell alone is monotone; only the path of x through both shows that f is not.
    _, _, found = pure_plan(INPUTS, {"up": "x * 2", "down": "10 / x", "f": "up + down"})
    assert [d.code for d in found] == ["R005"]
    # The converse: x enters twice, in the same direction.
    _, plan, found = pure_plan(INPUTS, {"up": "x * 2", "inverse": "1 / x", "f": "up / inverse"})
    assert found == []
    assert plan.scalars["f"].formula is not None
    assert not plan.scalars["f"].formula.outer


def test_expected_has_no_range_and_no_direction() -> None:
    whole = value("x")
    found = value("x / expected(x)")
    assert (found.low, found.value, found.high) == pytest.approx(
        (whole.low / whole.value, 1, whole.high / whole.value)
    )
    assert not value("expected(x)").ranged


def test_paired_evaluates_corners_jointly() -> None:
    found = value("paired(x / (x + 1))")
    assert (found.low, found.high) == pytest.approx((2 / 3, 5 / 6))


@pytest.mark.parametrize(
    ("formula", "code", "words"),
    [
        ("x / w", "R001", "may cross zero"),
        ("x * w", "R002", "declare its domain, or use max(0, ...)"),
        ("abs(w)", "R002", "abs of a range whose sign is not known"),
        ("y ** w * w", "R002", "sign is not known"),
        ("z ** x ** w", "R002", "not known"),
        ("1 if x > 3 else 2", "R003", "use min or max"),
    ],
)
def test_a_formula_without_a_safe_range_is_refused(formula: str, code: str, words: str) -> None:
    _, _, found = pure_plan(INPUTS, {"f": formula})
    assert [d.code for d in found] == [code]
    assert words in found[0].message


def test_max_with_zero_gives_a_sign() -> None:
    found = value("x * max(0, w)")
    assert (found.low, found.value, found.high) == (0, 3, 15)


# ------------------------------------------------------------------ laws


NAMES = st.sampled_from(["x", "y", "z", "n", "2", "0.5"])


def _joined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map(lambda p: f"({p[0]} + {p[1]})"),
        pair.map(lambda p: f"({p[0]} - {p[1]})"),
        pair.map(lambda p: f"({p[0]}) * max(0, {p[1]})"),
        pair.map(lambda p: f"({p[0]}) / (1 + max(0, {p[1]}))"),
        pair.map(lambda p: f"min({p[0]}, {p[1]})"),
        inner.map(lambda a: f"ceil({a})"),
        inner.map(lambda a: f"floor({a})"),
        inner.map(lambda a: f"sqrt(max(0, {a}))"),
        inner.map(lambda a: f"-({a})"),
        inner.map(lambda a: f"exp(min(3, {a}))"),
    )


FORMULAS = st.recursive(NAMES, _joined, max_leaves=8)
SHARES = st.lists(st.floats(0, 1), min_size=3, max_size=3)


@settings(max_examples=draws(150))
@given(FORMULAS, SHARES)
def test_every_point_of_the_inputs_is_within_the_range(formula: str, shares: list[float]) -> None:
    book, plan, found = pure_plan(INPUTS, {"f": formula})
    assume(not any(d.severity == "error" for d in found))
    result = evaluate(book, plan).scalars["f"]
    assume(result.reason is None)
    point = {}
    for name, share in zip("xyz", shares, strict=True):
        low, _, high = INPUTS[name][0]
        number = low + share * (high - low)
        point[Key(name)] = Stated(number, number, number)
    inside = evaluate(book, plan, point).scalars["f"].value
    assert isinstance(inside, float)
    assert result.low is not None
    assert result.high is not None
    slack = 1e-9 * max(1.0, abs(inside))
    assert result.low - slack <= inside <= result.high + slack
    assert isinstance(result.value, float)
    assert result.low <= result.value <= result.high


@settings(max_examples=draws(100))
@given(FORMULAS)
def test_ends_that_are_not_outer_bounds_are_reached_at_a_corner(formula: str) -> None:
    book, plan, found = pure_plan(INPUTS, {"f": formula})
    assume(not any(d.severity == "error" for d in found))
    built = plan.scalars["f"].formula
    assert built is not None
    assume(not built.outer)
    result = evaluate(book, plan).scalars["f"]
    corners = []
    for chosen in product((0, 2), repeat=3):
        point = {
            Key(name): Stated(*[INPUTS[name][0][side]] * 3)
            for name, side in zip("xyz", chosen, strict=True)
        }
        corner = evaluate(book, plan, point).scalars["f"].value
        assert isinstance(corner, float)
        corners.append(corner)
    assert result.low == pytest.approx(min(corners), rel=1e-9, abs=1e-12)
    assert result.high == pytest.approx(max(corners), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    "formula",
    [
        "paired(p / u)",  # u may be 0, so the compiler adds a condition within
        "paired(p / u) if low(u) > 0 else reason('none')",
        "paired(p / u if low(u) > 0 else p)",
        "paired(max(p / u, 0))",
    ],
)
def test_what_is_paired_stays_paired_beside_a_condition(tmp_path: Path, formula: str) -> None:
    lines = f"""
    p: {{low: 10, value: 20, high: 40, unit: 1}}
    u: {{low: 1, value: 2, high: 4, unit: 1}}
    y: {{unit: 1, formula: "{formula}"}}
    """
    found = scalars(tmp_path, lines)
    assert found.results["small"].scalars["y"] == Value.number(10.0)
