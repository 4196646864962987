"""Records of runs become a table that plans refer to; missing figures are reasons."""

from pathlib import Path

import pytest

from runs import PLACE, RUN, UNITS
from scalesheet.examine import Examined, examine
from small import lay, plan


def measured(folder: Path, scalar: str, run: str = RUN) -> Examined:
    text = f"""\
    scalars:
      run: {{ref: measurements, value: a-run}}
      {scalar}
    """
    return plan(folder, text, {PLACE: run, "units.yaml": UNITS})


def told(folder: Path, run: str) -> list[str]:
    files = {PLACE: run, "units.yaml": UNITS}
    return [f"{d.code} {d.message}" for d in examine(lay(folder, files)).diagnostics]


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        (
            "x: {unit: token / second, formula: run.sequence_length * "
            "run.batch_size / run.step_time}",
            2048,
        ),
        ("x: {unit: GB, formula: run.peak_memory}", 6),
        ("x: {unit: GiB, formula: run.accelerator.memory}", 24),
        ("x: {unit: 1, formula: run.model.layers}", 2),
        (
            "x: {words: [yes it did, it did not], formula: "
            "\"'yes it did' if run.how == 'measured' else 'it did not'\"}",
            "yes it did",
        ),
    ],
)
def test_a_plan_computes_with_a_record(tmp_path: Path, scalar: str, value: object) -> None:
    examined = measured(tmp_path, scalar)
    assert examined.results["small"].scalars["x"].value == pytest.approx(value)


@pytest.mark.parametrize(
    ("column", "unit", "reason"),
    [("tokens_per_second", "token / second", "not measured"), ("flop_rate", None, "not measured")],
)
def test_a_figure_that_was_not_measured_is_a_reason(
    tmp_path: Path, column: str, unit: str | None, reason: str
) -> None:
    given = unit or "TFLOP / (second * GPU)"
    examined = measured(tmp_path, f"x: {{unit: {given}, formula: run.{column} * 2}}")
    assert examined.results["small"].scalars["x"].reason == reason


def test_a_model_that_the_catalogue_lacks_is_named_in_words(tmp_path: Path) -> None:
    run = RUN.replace("model: tiny", "model_name: A model of our own")
    examined = measured(tmp_path, "x: {unit: 1, formula: run.model.layers}", run)
    assert examined.results["small"].scalars["x"].reason == "not in the catalogue"
    assert examined.book is not None
    runs = examined.book.tables["measurements"]
    assert runs.columns["model_name"].stated["a-run"].value == "A model of our own"


def test_figures_have_the_kind_and_source_of_their_record(tmp_path: Path) -> None:
    run = RUN.replace("how: measured", "how: simulated")
    examined = measured(tmp_path, "x: {unit: 1, value: 1}", run)
    assert examined.book is not None
    runs = examined.book.tables["measurements"]
    stated = runs.columns["step_time"].stated["a-run"]
    assert (stated.basis, stated.citation and stated.citation.locator) == ("simulated", "table 2")
    assert runs.row_titles == ("A run, simulated",)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("accelerator: card", "accelerator: cart", "N002 'cart' is not in hardware"),
        ("model: tiny", "model: tinny", "N002 'tinny' is not in models"),
        ("model: tiny\n", "", "S002 the file lacks the key 'model_name'"),
        (
            "value: 0.5",
            "value: -0.5",
            "V002 step_time: expected above 0 (domain positive), found -0.5",
        ),
        ("unit: second / step", "unit: second", "U002 'step_time' is in second / step"),
        ("step_time:", "forward_share: {value: 1.5, unit: 1}\nstep_time:", "V002 forward_share"),
        ("step_time:", "utilisation: {value: 1.1, unit: 1}\nstep_time:", "V002 utilisation"),
        (
            "step_time:",
            "steps: {value: 2.5, unit: step}\nstep_time:",
            "V002 steps: expected 1, 2, 3, ... (domain count), found 2.5",
        ),
        ("value: 0.5,", "value: 0.5, low: 0.6,", "V001 step_time: low 0.6 is above value 0.5"),
        (
            "step_time:",
            "flop_convention: weigth-memory\nstep_time:",
            "N002 there is no formula 'weigth-memory'; did you mean 'weight-memory'?",
        ),
        ("step_time:", "libraries: [torch]\nstep_time:", "S003 libraries: expected versions by"),
        ("step_time:", "attention: flash-2\nstep_time:", "S004 attention: expected one of 'sdpa'"),
        ("step_time:", "unsteady: maybe\nstep_time:", "S004 unsteady: expected yes or no"),
    ],
)
def test_a_bad_record_is_reported(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in RUN
    assert any(each.startswith(message) for each in told(tmp_path, RUN.replace(old, new, 1)))


def test_flags_are_no_unless_stated_and_other_words_are_unknown(tmp_path: Path) -> None:
    run = RUN + "interrupted: yes\nlibraries: {torch: '2.13.0', peft: 0.21.0}\n"
    examined = measured(tmp_path, "x: {unit: 1, value: 1}", run)
    assert examined.book is not None
    columns = examined.book.tables["measurements"].columns
    stated = {name: columns[name].stated["a-run"] for name in columns if columns[name].stated}
    assert (stated["interrupted"].value, stated["unsteady"].value) == (True, False)
    assert [stated[n].reason for n in ("compiled", "attention", "power")] == [
        "not stated",
        "not stated",
        "not measured",
    ]
    assert stated["libraries"].value == "torch 2.13.0, peft 0.21.0"


def test_a_book_without_the_formulas_has_no_computed_counts(tmp_path: Path) -> None:
    examined = examine(lay(tmp_path, {}))
    assert examined.book is not None
    assert "parameters" not in examined.book.tables["models"].columns
    assert examined.book.tables["models"].columns["experts"].stated["tiny"].value == 0
