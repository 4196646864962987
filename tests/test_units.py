"""Units: what is read, what measures the same, and the named constants of a conversion."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalesheet.units import Declared, Unit, UnitError, Units

UNITS = Units(
    [
        Declared("second", "time", Fraction(1), "second", "s", False),
        Declared("minute", "time", Fraction(60), "minute", "min", False),
        Declared("hour", "time", Fraction(3600), "hour", "h", False),
        Declared("byte", "information", Fraction(1), "byte", "B", False),
        Declared("GB", "information", Fraction(10**9), "gigabyte", "GB", False),
        Declared("GiB", "information", Fraction(2**30), "gibibyte", "GiB", False),
        Declared("W", "power", Fraction(1), "watt", "W", False),
        Declared("kW", "power", Fraction(1000), "kilowatt", "kW", False),
        Declared("USD", "currency", Fraction(1), "US dollar", "USD", False),
        Declared("GPU", "GPU", Fraction(1), "accelerator", "GPU", True),
        Declared("node", "node", Fraction(1), "machine", "node", True),
    ]
)
NAMES = sorted(UNITS.declared)


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("GPU * hour", "GPU·h"),
        ("USD / (GPU * hour)", "USD/(GPU·h)"),
        ("USD / GPU / hour", "USD/(GPU·h)"),
        ("kW * hour", "kW·h"),
        ("byte / second", "B/s"),
        ("hour**2", "h²"),
        ("1", ""),
        ("1 / second", "1/s"),
    ],
)
def test_a_unit_is_read_and_shown(text: str, symbol: str) -> None:
    assert UNITS.symbol(UNITS.parse(text)) == symbol


@pytest.mark.parametrize("text", ["USD / (GPU * hour)", "hour", "kW * hour", "byte / second", "1"])
def test_a_unit_may_be_asked_for_as_it_is_shown(text: str) -> None:
    unit = UNITS.parse(text)
    assert UNITS.shown(text) == UNITS.shown(UNITS.symbol(unit) or "1") == unit


@pytest.mark.parametrize(
    ("text", "message", "near"),
    [
        ("hours", "unknown unit 'hours'", "hour"),
        ("gb", "unknown unit 'gb'", "GB"),
        ("GPU hour", "expected '*' or '/' before 'hour'", None),
        ("", "the unit is empty", None),
        ("hour *", "the unit ends early", None),
        ("(hour", "a bracket is not closed", None),
        ("hour**x", "a power of a unit is a whole number", None),
        ("h€", "a unit has no place for '€'", None),
        ("barn", "unknown unit 'barn'", None),
    ],
)
def test_what_is_no_unit_is_told(text: str, message: str, near: str | None) -> None:
    with pytest.raises(UnitError) as caught:
        UNITS.parse(text)
    assert message in str(caught.value)
    assert caught.value.near == near


@pytest.mark.parametrize(
    ("source", "target", "steps"),
    [
        ("byte", "GB", [("byte_per_GB", 1e9, -1)]),
        ("GiB", "byte", [("byte_per_GiB", 2.0**30, 1)]),
        ("1 / second", "1 / hour", [("second_per_hour", 3600.0, 1)]),
        ("W * hour", "kW * hour", [("W_per_kW", 1000.0, -1)]),
        ("GB / second", "byte / hour", [("byte_per_GB", 1e9, 1), ("second_per_hour", 3600.0, 1)]),
        ("minute / second", "1", [("second_per_minute", 60.0, 1)]),
        ("hour", "hour", []),
    ],
)
def test_a_conversion_is_a_list_of_named_constants(
    source: str, target: str, steps: list[tuple[str, float, int]]
) -> None:
    found = UNITS.conversion(UNITS.parse(source), UNITS.parse(target))
    assert [(s.constant, s.value, s.power) for s in found] == steps


def test_gpu_hours_are_neither_wall_hours_nor_node_hours() -> None:
    gpu_hours = UNITS.parse("GPU * hour")
    assert not UNITS.compatible(gpu_hours, UNITS.parse("hour"))
    assert not UNITS.compatible(gpu_hours, UNITS.parse("node * hour"))


UNIT = st.dictionaries(st.sampled_from(NAMES), st.integers(-3, 3).map(Fraction)).map(Unit.of)


@given(UNIT)
def test_a_written_unit_reads_back_as_itself(unit: Unit) -> None:
    assert UNITS.parse(str(unit)) == unit


@given(UNIT, UNIT, UNIT)
def test_units_multiply_like_numbers(a: Unit, b: Unit, c: Unit) -> None:
    assert (a * b) * c == a * (b * c)
    assert a * b == b * a
    assert (a * b) / b == a


@given(st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_converting_there_and_back_is_exact(one: str, other: str) -> None:
    a, b = UNITS.parse(one), UNITS.parse(other)
    if UNITS.compatible(a, b):
        assert UNITS.factor(a, b) * UNITS.factor(b, a) == 1
