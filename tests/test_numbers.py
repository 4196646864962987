"""How quantities print: one rule, shown by example."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalesheet.language.syntax import Number
from scalesheet.model import Column, Ends, Formula, Quantity, Scalar, Show, Stated
from scalesheet.numbers import Format, excel_format, format_of, number, span, text
from scalesheet.units import Declared, Units
from scalesheet.values import Value

UNITS = Units(
    [
        Declared("hour", "time", Fraction(1), "hour", "h", False),
        Declared("USD", "currency", Fraction(1), "US dollar", "USD", False),
        Declared("GPU", "GPU", Fraction(1), "accelerator", "GPU", True),
        Declared("step", "step", Fraction(1), "step", "step", True),
        Declared("byte", "information", Fraction(1), "byte", "B", False),
    ]
)
FORMULA = Formula("1", Number(1.0), Ends(Number(1.0)))


def computed(unit: str, **more: Any) -> Scalar:
    return Scalar("q", "q", unit=UNITS.parse(unit), formula=FORMULA, **more)


def stated(unit: str, value: float) -> Scalar:
    return Scalar("q", "q", unit=UNITS.parse(unit), stated=Stated(value, value, value))


def shown(quantity: Quantity, *values: float) -> list[str]:
    fmt = format_of(quantity, [Value.number(v) for v in values], UNITS)
    return [number(v, fmt) for v in values]


@pytest.mark.parametrize(
    ("unit", "values", "expected"),
    [
        ("USD", [1234.56], ["1,235"]),
        ("USD", [12.3456], ["12.35"]),
        ("USD", [20.0], ["20"]),
        ("USD / (GPU * hour)", [3.06], ["3.06"]),
        ("USD / (GPU * hour)", [0.5263], ["0.5263"]),
        ("USD / (GPU * hour)", [10 / 3], ["3.33"]),
        ("USD / (GPU * hour)", [3.0], ["3.00"]),
        ("step", [12345.0], ["12,345"]),
        ("step", [12345.678], ["12,346"]),
        ("GPU", [0.5], ["0.5"]),
        ("GPU * hour", [342.04], ["342.0"]),
        ("GPU * hour", [342.0], ["342"]),
        ("GPU * hour", [12345.6], ["12,346"]),
        ("hour", [0.0123], ["0.0123"]),
        ("hour", [0.04, 12.5], ["0.04", "12.50"]),
        ("byte", [23.456], ["23.5"]),
        ("byte", [1312500000.0], ["1,312,500,000"]),
        ("byte", [3.123456e21], ["3.12e21"]),
        ("byte", [0.00001234], ["1.23e-5"]),
        ("1", [0.0], ["0"]),
    ],
)
def test_a_derived_number_prints_by_unit_and_magnitude(
    unit: str, values: list[float], expected: list[str]
) -> None:
    assert shown(computed(unit), *values) == expected


@pytest.mark.parametrize(
    ("unit", "value", "expected"),
    [
        ("byte", 165.2, "165.2"),
        ("byte", 1008.0, "1,008"),
        ("1", 0.00625, "0.00625"),
        ("1", 0.00003, "3e-5"),
        ("1", 0.0005, "0.0005"),
        ("USD / (GPU * hour)", 32.7726, "32.7726"),
    ],
)
def test_a_stated_number_prints_as_stated(unit: str, value: float, expected: str) -> None:
    assert shown(stated(unit, value), value) == [expected]


def test_a_column_has_one_format() -> None:
    column = Column("c", "c", unit=UNITS.parse("byte"), formula=FORMULA)
    assert shown(column, 1.0, 2.5, 0.123) == ["1.00", "2.50", "0.12"]


def test_a_format_in_the_plan_takes_precedence() -> None:
    assert shown(computed("step", show=Show(decimals=2)), 5.0) == ["5.00"]
    assert shown(computed("byte", show=Show(digits=2)), 123.4) == ["123"]
    assert shown(computed("byte", show=Show(digits=2)), 1.234) == ["1.2"]
    assert shown(computed("byte", show=Show(digits=3)), 0.9996) == ["1.00"]
    assert shown(computed("1", show=Show(percent=True)), 0.35) == ["35%"]
    assert shown(computed("1", show=Show(percent=True)), 0.34567) == ["34.6%"]
    assert shown(computed("GPU * hour", show=Show(approximate=True)), 342.0) == ["~342"]


@pytest.mark.parametrize(
    ("value", "decimals", "expected"),
    [
        (0.125, 2, "0.13"),  # halves round away from zero
        (-0.125, 2, "-0.13"),
        (1.005, 2, "1.01"),  # rounds 15 decimal digits, not the binary fraction
        (2.5, 0, "3"),
        (-0.001, 1, "0.0"),
    ],
)
def test_rounding_is_the_same_as_in_spreadsheets(
    value: float, decimals: int, expected: str
) -> None:
    assert number(value, Format(decimals)) == expected


def test_ranges_reasons_words_and_flags_print_as_text() -> None:
    whole = Format(0)
    assert text(Value.number(342.0), whole, "GPU·h") == "342 GPU·h"
    assert text(Value.number(342.0, 326.0, 380.0), whole, "GPU·h") == "342 [326–380] GPU·h"
    assert text(Value.number(1.0, 0.9999, 1.0001), whole, "h") == "1 h"
    assert text(Value(reason="needs 60 GB of 24 GB"), whole, "GPU·h") == "needs 60 GB of 24 GB"
    assert text(Value("fits"), whole) == "fits"
    assert text(Value(True), whole) == "yes"
    assert text(Value(), whole, "h") == ""


def test_a_range_below_zero_is_written_with_to() -> None:
    assert span(-3.0, 5.0, Format(0)) == "-3 to 5"
    assert span(0.1, 0.2, Format(0, percent=True)) == "10–20%"


def test_excel_prints_the_same_digits() -> None:
    assert excel_format(Format(1)) == "#,##0.0"
    assert excel_format(Format(0, approximate=True)) == '"~"#,##0'
    assert excel_format(Format(1, percent=True)) == "#,##0.0%"
    assert excel_format(Format(2, scientific=True)) == "0.00E+0"


@given(st.floats(min_value=-1e14, max_value=1e14, allow_nan=False), st.integers(0, 6))
def test_the_text_is_within_half_a_unit_of_its_last_digit(value: float, decimals: int) -> None:
    back = float(number(value, Format(decimals)).replace(",", ""))
    assert abs(back - value) <= 0.5 * 10**-decimals + 1e-14 * abs(value)


def test_each_number_of_a_stated_column_has_its_own_digits() -> None:
    rates = Column("q", "q", unit=UNITS.parse("step / hour"))
    assert shown(rates, 0.423, 1.18274, 5.0) == ["0.423", "1.18274", "5"]
    prices = Column("q", "q", unit=UNITS.parse("USD / (GPU * hour)"))
    assert shown(prices, 80.0, 1.9, 0.5263) == ["80.00", "1.90", "0.5263"]
    shares = Column("q", "q", unit=UNITS.parse("1"), show=Show(percent=True))
    assert shown(shares, 0.05, 0.0512345) == ["5%", "5.12345%"]
