"""Units: parsing, dimensions, and the named constants of conversions."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scalesheet
from scalesheet import cli
from scalesheet.examine import examine
from scalesheet.predict.tasks import TASKS
from scalesheet.resolve.lowering.catalogue import core_units
from scalesheet.resolve.lowering.catalogue_columns import (
    DERIVED,
    HARDWARE,
    MEASUREMENT,
    MODEL,
    NODE,
    PUBLISHED,
)
from scalesheet.resolve.lowering.phases import PHASE_COLUMNS
from scalesheet.units import Declared, Unit, UnitError, Units
from small import lay, said

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
def test_a_unit_can_be_entered_as_shown(text: str) -> None:
    unit = UNITS.parse(text)
    assert UNITS.shown(text) == UNITS.shown(UNITS.symbol(unit) or "1") == unit


@pytest.mark.parametrize(
    ("text", "message", "near"),
    [
        ("hours", "unknown unit 'hours'", "hour"),
        ("gb", "unknown unit 'gb'", "GB"),
        ("GB/s", "unknown unit 's'", "GB / second"),
        ("USD / h", "unknown unit 'h'", "USD / hour"),
        ("GPU hour", "expected '*' or '/' before 'hour'", None),
        ("", "the unit is empty", None),
        ("hour *", "the unit ends early", None),
        ("(hour", "a bracket is not closed", None),
        ("hour**x", "a power of a unit is a whole number", None),
        ("h€", "a unit has no place for '€'", None),
        ("barn", "unknown unit 'barn'", None),
    ],
)
def test_an_invalid_unit_is_reported(text: str, message: str, near: str | None) -> None:
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
def test_a_written_unit_reads_back_unchanged(unit: Unit) -> None:
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


PACKAGE = Path(scalesheet.__file__).parent
#: `units.parse("token / second")`, `"unit": "GB / second"` and the like, anywhere in the code.
_NAMED = re.compile(
    r"""(?:units\.parse\(|unit=|_times\(|figure\([^()\n]*, )"([^"\n]+)"|"unit": "([^"\n]+)\""""
)


def named_units() -> set[str]:
    """Every unit that the program names in its tables, code and schemas."""
    found = {
        str(given.unit)
        for table in (HARDWARE, MODEL, PUBLISHED, NODE, MEASUREMENT)
        for given in table.values()
    }
    found |= {computed.unit for columns in DERIVED.values() for computed in columns.values()}
    found |= {column[1] for column in PHASE_COLUMNS.values()}
    for path in (*PACKAGE.glob("schema/*.json"), *PACKAGE.rglob("*.py")):
        found |= {one or other for one, other in _NAMED.findall(path.read_text("utf-8"))}
    return found


def test_every_unit_that_the_program_names_is_built_in() -> None:
    core, texts = Units(core_units().values()), named_units()
    assert {"byte", "token / second", "GPU * hour", "GFLOP / token"} <= texts
    unknown = []
    for text in sorted(texts):
        try:
            core.parse(text)
        except UnitError as error:
            unknown.append(f"{text}: {error}")
    assert unknown == []


def units(tmp_path: Path, lines: str) -> list[str]:
    data = lay(tmp_path, {"units.yaml": f"units:\n  {lines}\n"})
    return said(examine(data))


@pytest.mark.parametrize(
    "line",
    [
        "GB: {dimension: information}",
        "GiB: {is: 1.073741824 * GB, symbol: Gi}",
        "hour: {is: 3600 * second}",
        "GPU: {dimension: GPU, counted: yes}",
        "image: {dimension: image}",
    ],
)
def test_a_built_in_unit_can_be_declared_with_its_own_definition(tmp_path: Path, line: str) -> None:
    assert units(tmp_path, line) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("GiB: {is: 1e9 * byte}", "U005 'GiB' is built in as 1024 * MiB, which differs"),
        ("hour: {dimension: length}", "U005 'hour' is built in as 60 * minute, which differs"),
        ("second: {dimension: duration}", "U005 'second' is built in as the unit of"),
        ("GPU: {dimension: GPU, counted: no}", "U005 'GPU' is built in"),
        ("tick: {dimension: time}", "U005 the dimension 'time' has its base unit, second, already"),
        ("huge: {is: 1e400 * byte}", "U005 '1e400' is larger than 1e100"),
        ("huge: {is: 1e999999999 * byte}", "U005 '1e999999999' is larger than 1e100"),
        ("huge: {is: 1e31 * byte}", "U005 the unit is farther than 1e30 from the base"),
        ("tiny: {is: 1e-60 * byte}", "U005 the unit is farther than 1e30 from the base"),
        ("none: {is: 0 * byte}", "U005 '0' is not a positive number"),
    ],
)
def test_a_wrong_declaration_of_a_unit_is_refused(tmp_path: Path, line: str, message: str) -> None:
    (told,) = units(tmp_path, line)
    assert told.startswith(message)


def test_a_book_needs_no_own_units(tmp_path: Path) -> None:
    data = lay(tmp_path, {})
    (data / "units.yaml").unlink()
    examined = examine(data)
    assert said(examined) == []
    assert examined.book is not None
    assert set(examined.book.units.declared) == set(core_units())


def test_a_unit_too_large_to_convert_is_refused() -> None:
    core = Units(core_units().values())
    assert core.parse("PFLOP**9")
    with pytest.raises(UnitError, match="the unit is farther than 1e150 from its base"):
        core.parse("PFLOP**9 * Bparameter**9")


@pytest.mark.parametrize("command", [*(f"predict {task}" for task in TASKS), "fit"])
def test_predictions_need_no_units_from_the_book(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    data = lay(tmp_path, {})
    (data / "units.yaml").unlink()
    table = tmp_path / "cases.csv"
    table.write_text("id,model,hardware,n_gpus,tokens\na,m,card,1,1e9\n", "utf-8")
    words = command.split()
    file = [str(table)] if words[0] == "predict" else []
    cli.main([*words, *file, "--data", str(data)])
    assert "internal error" not in capsys.readouterr().err
