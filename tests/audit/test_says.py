"""Reading the value of a claim from its text: numbers with their digits, ranges, bounds, words."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalesheet.audit.verdicts import match
from scalesheet.claims import Figure
from scalesheet.resolve.claims.figures import last_digit, read, read_quote
from scalesheet.units import PURE, Declared, UnitError, Units

UNITS = Units(
    Declared(name, name, Fraction(1), name, name, True)
    for name in ("GPU", "hour", "USD", "step", "parameter", "GB")
)


def figure(text: str) -> tuple[object, ...]:
    says = read(text, UNITS)
    return says.value, says.low, says.high, str(says.unit), says.bound


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("135 GPU * hour", (135, 135, 135, "GPU * hour", None)),
        ("1,046 USD", (1046, 1046, 1046, "USD", None)),
        ("10_000 step", (10000, 10000, 10000, "step", None)),
        ("2.5M parameter", (2.5e6, 2.5e6, 2.5e6, "parameter", None)),
        ("10k step", (10000, 10000, 10000, "step", None)),
        ("7B parameter", (7e9, 7e9, 7e9, "parameter", None)),
        ("3e-4", (3e-4, 3e-4, 3e-4, "1", None)),
        ("-3 USD", (-3, -3, -3, "USD", None)),
        ("18 .. 22 USD", (20, 18, 22, "USD", None)),
        ("20 .. 70B parameter", (45e9, 20e9, 70e9, "parameter", None)),
        ("30 .. 40 %", (0.35, 0.3, 0.4, "1", None)),
        ("0.5 %", (0.005, 0.005, 0.005, "1", None)),
        ("at least 32 GPU", (32, 32, 32, "GPU", "at least")),
        ("< 3B parameter", (3e9, 3e9, 3e9, "parameter", "less than")),
        ("0.15 USD / (GPU * hour)", (0.15, 0.15, 0.15, "USD / (GPU * hour)", None)),
    ],
)
def test_a_figure_with_its_unit(text: str, read_as: tuple[object, ...]) -> None:
    assert figure(text) == read_as


@pytest.mark.parametrize("text", ["adamw", "2025-08-13", "1.0.0", "4-bit", "Stage 2", "rank=4"])
def test_anything_but_a_number_is_text(text: str) -> None:
    assert read(text, UNITS) == Figure(text)


@pytest.mark.parametrize(("text", "value"), [("yes", True), ("no", False)])
def test_yes_and_no_are_read_as_statements(text: str, value: bool) -> None:
    assert read(text, UNITS) == Figure(value)


def test_an_unknown_unit_and_a_reversed_range_are_refused() -> None:
    with pytest.raises(UnitError, match="unknown unit 'hours'"):
        read("5 hours", UNITS)
    with pytest.raises(ValueError, match="6 is above 5"):
        read("6 .. 5 hour", UNITS)


@pytest.mark.parametrize(
    ("quote", "low", "high", "bound"),
    [
        ("10k", 10_000, 10_000, None),
        ("10,000", 10_000, 10_000, None),
        ("(3 stages)", 3, 3, None),
        ("~$1,250-1,500", 1250, 1500, None),
        ("150-200K steps", 150_000, 200_000, None),
        ("2x RTX", 2, 2, None),
        ("× 341.7", 341.7, 341.7, None),
        ("~30-40%", 0.3, 0.4, None),
        ("256+ GB", 256, 256, "at least"),
        ("<3B", 3e9, 3e9, "less than"),
        ("24GB", 24, 24, None),
        ("5e8", 5e8, 5e8, None),
    ],
)
def test_a_figure_is_read_from_a_quote(
    quote: str, low: float, high: float, bound: str | None
) -> None:
    says = read_quote(quote, PURE)
    assert (says.low, says.high, says.bound) == (low, high, bound)


def test_a_quote_without_a_unit_or_a_number_is_text() -> None:
    assert read_quote("10k", None) == Figure("10k")
    assert read_quote("AdamW", PURE) == Figure("AdamW")


@pytest.mark.parametrize(
    ("written", "computed", "verdict"),
    [
        ("1,046", 1045.6, "rounded"),
        ("1,046", 1045.4, "differs"),  # more than half a unit of the last digit
        ("135", 134.6, "rounded"),
        ("135", 134.4, "differs"),
        ("14.2", 14.2375, "rounded"),
        ("43", 42.7125, "rounded"),
        ("2", 1.78, "rounded"),
        ("2", 1.6, "differs"),  # within half a unit, but off by more than 18 %
        ("3.5", 3.54, "rounded"),
        ("20", 17, "rounded"),  # 17.6 %
        ("20", 16.9, "differs"),  # 18.3 %
        ("10,000", 9_000, "rounded"),  # counts as rounded to the last nonzero digit
        ("1,500", 1_440, "differs"),
        ("225.0", 225.04, "rounded"),  # zeros after the decimal point are significant
        ("225.0", 225.06, "cut"),
        ("4841", 4841.61, "cut"),  # cut off instead of rounded to 4842
        ("4841", 4842.0, "differs"),
        ("41", 41.9, "differs"),  # more than 1 %
        ("500M", 494_032_768, "rounded"),
        ("2.5M", 2_199_552, "differs"),
        ("0", 0.001, "differs"),  # only 0 rounds to 0
        ("35", 26, "differs"),
        ("72", 72, "equal"),
        ("0.3", 0.1 + 0.2, "equal"),
        ("0.5 %", 0.0046, "rounded"),
    ],
)
def test_the_rule_of_rounding(written: str, computed: float, verdict: str) -> None:
    says = read(written, UNITS)
    assert says.low is not None
    assert match(says.low, computed, says.steps[0], says.approximate) == verdict


@pytest.mark.parametrize("quote", ["~171 hours", "≈171 h", "About 171 h", "approx. 171 hours"])
def test_a_figure_called_approximate_may_be_off_by_one_unit(quote: str) -> None:
    assert read("171 hour", UNITS, quote).steps == (1, 1)
    assert read_quote(quote, PURE).steps == (1, 1)
    assert read("171 hour", UNITS, "171 hours").steps == (0.5, 0.5)


@given(st.integers(1, 10**9), st.integers(-6, 6))
def test_trailing_zeros_of_a_whole_number_are_not_significant(number: int, exponent: int) -> None:
    written = Decimal(number).scaleb(exponent)
    assert last_digit("10", written * 10) == last_digit("1", written) * 10


@given(st.floats(1e-6, 1e12), st.integers(1, 8))
def test_a_number_matches_its_own_rounding_to_two_or_more_digits(
    number: float, digits: int
) -> None:
    written = f"{number:.{digits}e}"
    says = read(written, UNITS)
    assert says.low is not None
    assert match(says.low, number, says.steps[0]) != "differs"
