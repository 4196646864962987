"""Which names are safe as defined names, and which pairs of names collide."""

from __future__ import annotations

import subprocess
import sys

import pytest

from scalesheet.defined_names import bad_name, names
from scalesheet.model import Scalar


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("H100", "cell"),
        ("A100", "cell"),
        ("TPU4", "cell"),
        ("GPU8", "cell"),
        ("CTX4096", "cell"),
        ("log10", "cell"),
        ("xfd1048576", "cell"),
        ("r", "row or column"),
        ("c", "row or column"),
        ("rc", "row or column"),
        ("R1C1", "row or column"),
        ("r2c", "row or column"),
        ("true", "constant"),
        ("False", "constant"),
        ("sum", "function"),
        ("if", "function"),
        ("_xlnm", "spreadsheets reserve"),
        ("Print_Area", "spreadsheets reserve"),
        ("2nd", "begin with a letter"),
        ("a b", "begin with a letter"),
        ("x" * 256, "255"),
    ],
)
def test_these_names_mean_something_else_in_a_spreadsheet(name: str, why: str) -> None:
    assert why in (bad_name(name) or "")


@pytest.mark.parametrize(
    "name",
    ["batch_size", "gpu", "cost", "h_100", "steps1000", "row_count", "power", "rate_2", "_x"],
)
def test_these_names_are_safe(name: str) -> None:
    assert bad_name(name) is None


def test_an_exact_scalar_has_one_name_and_a_ranged_one_has_three() -> None:
    exact, ranged = Scalar("total.cost", "Cost"), Scalar("speed", "Speed", ranged=True)
    named, faults = names([exact, ranged], ["hardware"], ["byte_per_GB"])
    assert not faults
    assert {named.scalars["total.cost", end] for end in ("low", "value", "high")} == {"total_cost"}
    assert named.scalars["speed", "low"] == "speed_low"
    assert named.tables["hardware"] == "hardware_id"
    assert named.constants["byte_per_GB"] == "byte_per_GB"


@pytest.mark.parametrize(
    ("scalars", "tables", "message"),
    [
        (
            [Scalar("a.b", ""), Scalar("a_b", "")],
            [],
            "'a_b' and 'a.b' are both 'a_b' in a spreadsheet",
        ),
        ([Scalar("Cost", ""), Scalar("cost", "")], [], "'cost' and 'Cost' are both 'cost'"),
        ([Scalar("x", "", ranged=True), Scalar("x_low", "")], [], "'x_low' and 'x' (low) are both"),
        ([Scalar("gpus_id", "")], ["gpus"], "the ids of table 'gpus' and 'gpus_id' are both"),
    ],
)
def test_names_that_a_spreadsheet_cannot_tell_apart_collide(
    scalars: list[Scalar], tables: list[str], message: str
) -> None:
    _, faults = names(scalars, tables, [])
    assert [fault.code for fault in faults] == ["N003"]
    assert message in faults[0].message


def test_names_and_layout_do_not_load_xlsxwriter() -> None:
    program = (
        "import sys, scalesheet.render.workbook.layout; assert 'xlsxwriter' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env={"PYTHONPATH": "generator"})
