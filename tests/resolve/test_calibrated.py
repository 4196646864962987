"""A table of own records corrects the predictions of components; without it, there is no factor."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibrated import CALIBRATION, calibrated
from scalesheet.evaluate import evaluate
from scalesheet.examine import Examined
from scalesheet.values import Results

EMPTY = CALIBRATION.replace(
    "power: {value: 1.18, low: 1.05, high: 1.32}", "power: {reason: no own record of it}"
)
OTHER = CALIBRATION.replace("accelerator: card,", "accelerator: other,")


def results(examined: Examined) -> Results:
    assert examined.book is not None
    return evaluate(examined.book, examined.book.plans["calibrated"])


def energies(results: Results) -> list[float]:
    return [float(cell.value or 0) for cell in results.tables["runs"]["energy"]][:2]


def test_own_records_multiply_the_prediction(tmp_path: Path) -> None:
    before = results(calibrated(tmp_path / "without", table=""))
    after = results(calibrated(tmp_path / "with"))
    assert energies(after) == pytest.approx([1.18 * each for each in energies(before)])


def test_the_range_of_a_prediction_stays_that_of_the_fit(tmp_path: Path) -> None:
    before = results(calibrated(tmp_path / "without", table="")).tables["runs"]["energy"][0]
    after = results(calibrated(tmp_path / "with")).tables["runs"]["energy"][0]
    assert (after.low, after.high) == pytest.approx((1.18 * before.low, 1.18 * before.high))


@pytest.mark.parametrize("table", [EMPTY, OTHER], ids=["no figure", "another accelerator"])
def test_records_of_other_hardware_correct_nothing(tmp_path: Path, table: str) -> None:
    before = results(calibrated(tmp_path / "without", table=""))
    assert energies(results(calibrated(tmp_path / "with", table=table))) == energies(before)


def test_a_book_without_the_table_or_with_calibration_off_has_no_factor(tmp_path: Path) -> None:
    for folder, given in (
        ("without", calibrated(tmp_path / "without", table="")),
        ("off", calibrated(tmp_path / "off", book="calibrated: no\n")),
    ):
        assert given.book is not None, folder
        component = given.book.components["energy"]
        assert component.corrections == ()
        assert "own_power" not in component.plan.scalars
        assert "own_power" not in given.book.plans["calibrated"].tables["runs"].columns


def test_a_correction_of_an_unknown_quantity_is_reported(tmp_path: Path) -> None:
    import calibrated as made

    wrong = made.CORRECTED.replace("of: drawn", "of: drown")
    old, made.CORRECTED = made.CORRECTED, wrong
    try:
        said = [d.message for d in calibrated(tmp_path).diagnostics]
    finally:
        made.CORRECTED = old
    assert any(
        line.startswith("'drown' is not a quantity of the component; did you") for line in said
    )
