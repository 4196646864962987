"""The language's arithmetic: tolerant comparison, whole numbers, rounding, and no exceptions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalesheet.language import arithmetic, arithmetic_vector

FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=64)
SIZES = st.floats(-1e15, 1e15)

CASES: list[tuple[str, tuple[float, ...], Any]] = [
    ("equal", (0.1 + 0.2, 0.3), True),
    ("equal", (1.0, 1.0 + 1e-15), True),
    ("equal", (1.0, 1.0 + 1e-14), False),
    ("equal", (0.0, 0.0), True),
    ("equal", (0.0, 1e-300), False),
    ("differ", (0.1 + 0.2, 0.3), False),
    ("less", (0.3, 0.1 + 0.2), False),
    ("less", (0.3, 0.31), True),
    ("at_most", (0.1 + 0.2, 0.3), True),
    ("greater", (0.1 + 0.2, 0.3), False),
    ("at_least", (0.3, 0.1 + 0.2), True),
    ("ceil", (23.1 / 0.3,), 77.0),  # 77.00000000000001
    ("ceil", (77.001,), 78.0),
    ("ceil", (-0.5,), 0.0),
    ("ceil", (15e12,), 15e12),  # where the slack is more than 1
    ("ceil", (-15e12,), -15e12),
    ("floor", (0.3 / 0.1,), 3.0),  # 2.9999999999999996
    ("floor", (-0.5,), -1.0),
    ("floor", (15e12,), 15e12),
    ("floor", (1e300,), 1e300),
    ("round", (2.5,), 3.0),
    ("round", (-2.5,), -3.0),
    ("round", (0.49999999999999994,), 1.0),
    ("round", (-0.4,), 0.0),
    ("round", (2.675, 2), 2.68),
    ("round", (1.005, 2), 1.01),
    ("round", (2.674999, 2), 2.67),
    ("round", (0.145 * 100,), 15.0),  # 14.499999999999998
    ("round", (1234567.0, -3), 1235000.0),
    ("round", (499.0, -3), 0.0),
    ("round", (999.95, 1), 1000.0),
    ("round", (2.0**53 + 2,), 2.0**53 + 2),
    ("round", (999_999_999_999_999.0,), 999_999_999_999_999.0),
    ("round", (0.1, 30), 0.1),
    ("power", (2.0, -1.0), 0.5),
    ("power", (-8.0, 3.0), -512.0),
    ("power", (0.0, 0.5), 0.0),
    ("divide", (1.0, 4.0), 0.25),
    ("log10", (1000.0,), 3.0),
    ("sqrt", (0.0,), 0.0),
    ("abs", (-2.0,), 2.0),
    ("min", (2.0, -1.0, 3.0), -1.0),
    ("max", (2.0, -1.0, 3.0), 3.0),
]
NO_VALUE: list[tuple[str, tuple[float, ...]]] = [
    ("divide", (1.0, 0.0)),
    ("power", (0.0, 0.0)),
    ("power", (0.0, -1.0)),
    ("power", (-8.0, 1 / 3)),
    ("sqrt", (-1.0,)),
    ("ln", (0.0,)),
    ("log10", (-1.0,)),
    ("ceil", (math.nan,)),
    ("floor", (math.inf,)),
    ("round", (math.inf,)),
    ("min", (1.0, math.nan)),
    ("max", (math.nan, 1.0)),
]
TOO_LARGE: list[tuple[str, tuple[float, ...], float]] = [
    ("exp", (1000.0,), math.inf),
    ("power", (10.0, 400.0), math.inf),
    ("power", (-10.0, 401.0), -math.inf),
]


@pytest.mark.parametrize(("function", "arguments", "expected"), [*CASES, *TOO_LARGE])
def test_a_function_gives_its_result(
    function: str, arguments: tuple[Any, ...], expected: Any
) -> None:
    result = getattr(arithmetic, function)(*arguments)
    assert result == expected
    assert math.copysign(1, result) == math.copysign(1, expected)  # not -0


@pytest.mark.parametrize(("function", "arguments"), NO_VALUE)
def test_nan_is_the_answer_outside_the_domain(function: str, arguments: tuple[Any, ...]) -> None:
    assert math.isnan(getattr(arithmetic, function)(*arguments))


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [*CASES, *TOO_LARGE, *((name, given, math.nan) for name, given in NO_VALUE)],
)
def test_vectors_give_the_same_result(
    function: str, arguments: tuple[Any, ...], expected: Any
) -> None:
    given_ = [np.array([x, x]) if isinstance(x, float) else x for x in arguments]
    result = getattr(arithmetic_vector, function)(*given_)
    np.testing.assert_array_equal(result, np.array([expected, expected]))


def test_a_sum_is_rounded_once() -> None:
    assert arithmetic.total([0.1] * 10) == 1.0
    assert arithmetic.total([1e100, 1.0, -1e100]) == 1.0
    assert arithmetic.total([]) == 0.0
    assert arithmetic.total([1e308, 1e308]) == math.inf


def test_a_mean_of_no_numbers_has_no_value() -> None:
    assert arithmetic.mean([1.0, 2.0]) == 1.5
    assert math.isnan(arithmetic.mean([]))
    assert math.isnan(arithmetic.min())


def test_sums_and_means_across_arrays() -> None:
    columns = [np.array([0.1, 1e100]), np.array([0.2, 1.0]), np.array([-0.3, -1e100])]
    assert arithmetic_vector.total(*columns).tolist() == [math.fsum([0.1, 0.2, -0.3]), 1.0]
    assert arithmetic_vector.mean(columns[0], columns[1]).tolist()[0] == math.fsum([0.1, 0.2]) / 2


def test_the_first_row_that_equals_the_best_is_found() -> None:
    assert arithmetic.first_at([1.0, 0.1 + 0.2, 0.3], 0.3) == 1
    assert arithmetic.first_at([1.0], 2.0) == -1


@given(FLOATS, FLOATS)
def test_exactly_one_of_less_equal_and_greater_holds(a: float, b: float) -> None:
    below, same, above = arithmetic.less(a, b), arithmetic.equal(a, b), arithmetic.greater(a, b)
    assert [below, same, above].count(True) == 1
    assert arithmetic.at_most(a, b) == (below or same)
    assert arithmetic.at_least(a, b) == (above or same)
    assert arithmetic.differ(a, b) == (not same)


@given(SIZES)
def test_floor_and_ceil_enclose_a_number_up_to_the_slack(x: float) -> None:
    slack = abs(x) * arithmetic.ROUNDING_SLACK
    assert x - 1 <= arithmetic.floor(x) <= x + slack
    assert x - slack <= arithmetic.ceil(x) <= x + 1
    assert arithmetic.ceil(x) == -arithmetic.floor(-x)


@given(st.integers(-(2**53), 2**53).map(float), st.integers(0, 20))
def test_rounding_leaves_whole_numbers_unchanged(x: float, decimals: int) -> None:
    assert arithmetic.floor(x) == arithmetic.ceil(x) == arithmetic.round(x, decimals) == x


@given(SIZES, st.integers(-3, 6))
def test_round_changes_a_number_by_at_most_half_a_step(x: float, decimals: int) -> None:
    step = 10.0**-decimals
    assert abs(arithmetic.round(x, decimals) - x) <= step / 2 + abs(x) * 2 * arithmetic.EQUAL_WITHIN
    assert arithmetic.round(-x, decimals) == -arithmetic.round(x, decimals)


@given(st.lists(SIZES, min_size=1, max_size=8))
def test_vectors_and_numbers_agree_to_the_last_bit(numbers: list[float]) -> None:
    array = np.array(numbers)
    for name in ("ceil", "floor", "round", "abs", "exp", "ln", "log10", "sqrt"):
        one_by_one = [getattr(arithmetic, name)(x) for x in numbers]
        np.testing.assert_array_equal(getattr(arithmetic_vector, name)(array), one_by_one)


@given(st.lists(st.tuples(FLOATS, FLOATS), min_size=1, max_size=8))
def test_powers_of_vectors_and_numbers_agree_to_the_last_bit(
    pairs: list[tuple[float, float]],
) -> None:
    base, exponent = (np.array(numbers) for numbers in zip(*pairs, strict=True))
    one_by_one = [arithmetic.power(*pair) for pair in pairs]
    np.testing.assert_array_equal(arithmetic_vector.power(base, exponent), one_by_one)
