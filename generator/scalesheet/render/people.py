"""Values as people say them, in every output: `70.6B`, `1 GPU`, `13.5 GiB`, titles for ids."""

from __future__ import annotations

from scalesheet.model import Table
from scalesheet.values import Value

LETTERS = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"))
GIB = 2.0**30
_DIGITS = 3
_ROUNDED = 5e-4  # numbers this close below a power round up to it


def people(count: float) -> str:
    """`70.6B`: three digits and a letter."""
    for power, letter in LETTERS:
        if count >= power * (1 - _ROUNDED):
            return f"{three(count / power)}{letter}"
    return three(count)


def three(number: float) -> str:
    """Three significant digits without trailing zeros; all digits of an integer part."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.{_DIGITS}g}"


def counted(count: float, thing: str) -> str:
    """`1 GPU`, `63 runs`."""
    return f"{count:,.0f} {thing}" + ("" if count == 1 else "s")


def gib(size: float) -> str:
    """Bytes as nvidia-smi shows them: `13.5 GiB`."""
    return f"{three(size / GIB)} GiB"


def by_title(table: Table | None, value: Value) -> Value:
    """A reference to the table's rows as the title of its row; any other value unchanged."""
    if table is None or not isinstance(value.value, str):
        return value
    return Value(table.title_of(value.value))
