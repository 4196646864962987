"""Numbers as people write them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalesheet.quantities import LETTERS, quantity, says_more
from shipped import shipped_book


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        ("5_000", "USD", 5000),
        ("5_000 USD", "USD", 5000),
        ("50k", "sequence", 50_000),
        ("4.35M", "1", 4_350_000),
        ("15T token", "token", 15e12),
        ("15T", "Mtoken", 15e12),  # a letter alone gives no unit
        ("20M token", "Mtoken", 20),
        ("20GB", "GB", 20),
        ("20 GB", "MB", 20_000),
        ("1 GiB", "byte", 2**30),
        ("10 %", "1", 0.1),
        ("8 GPUs", "GPU", 8),
        ("2 days", "hour", 48),
        ("100 GPU-hours", "GPU * hour", 100),
        ("3 USD / (GPU * hour)", "USD / (GPU * hour)", 3),
        ("1e3 token", "token", 1000),
        ("-.5 h", "minute", -30),
    ],
)
def test_a_number_is_read_with_its_letter_and_unit(text: str, unit: str, number: float) -> None:
    units = shipped_book().units
    assert quantity(text, units.parse(unit), units) == number
    assert says_more(text) == (re.search("[a-zA-Z%]", text.replace("1e3", "")) is not None)


@pytest.mark.parametrize(
    ("text", "unit", "message"),
    [
        ("abc", "USD", "is not a number"),
        ("0,9 USD", "USD", "is not a number"),
        ("1.2.3 GB", "GB", "is not a number"),
        ("20 GB", "USD", "is in GB; write a number in USD"),
        ("10 %", "USD", "is a share; write a number in USD"),
        ("3 wek", "day", "unknown unit 'wek'"),
        ("1e99T", "1", "is larger than 1e100"),
        ("1e999999999", "1", "is larger than 1e100"),
    ],
)
def test_an_invalid_quantity_is_reported(text: str, unit: str, message: str) -> None:
    units = shipped_book().units
    with pytest.raises(ValueError, match=re.escape(message)):
        quantity(text, units.parse(unit), units)


@pytest.mark.parametrize("text", ["2 * gpus", "8 as GPU", "1 if x > 0 else 2", "gpus", "3", "-3"])
def test_a_formula_is_not_a_quantity(text: str) -> None:
    assert not says_more(text)


@given(st.integers(-(10**9), 10**9), st.integers(0, 6), st.sampled_from(["", *LETTERS]))
def test_a_letter_is_a_power_of_ten(number: int, decimals: int, letter: str) -> None:
    """It is exact: decimal digits are shifted, never multiplied by a rounded number."""
    units = shipped_book().units
    text = f"{number / 10**decimals:.{decimals}f}"
    assert quantity(text + letter, None, units) == float(f"{text}e{LETTERS.get(letter, 0)}")
