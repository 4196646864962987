"""Records as files: they are read back unchanged, and no file is ever overwritten."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from taken import DAY, FEW, FIGURES, job, record

from scalesheet.diagnostics import Refused
from scalesheet.examine import compile_book
from scalesheet.steps.record import Figure
from scalesheet.steps.recorded import job_of
from scalesheet_bench import files
from shipped import part, shipped_book


@pytest.fixture
def data(tmp_path):
    return part(tmp_path, *FEW)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"method": "LoRA", "precision": "bf16", "weights": "bf16", "rank": 16},
        {"method": "QLoRA", "precision": "bf16", "weights": "nf4", "checkpointing": True},
        {"gpus": 8, "strategy": "fsdp", "compiled": True, "attention": "eager"},
    ],
)
def test_a_record_is_read_back_as_its_job(settings, data):
    book = shipped_book()
    asked = job(book, **settings)
    figures = FIGURES | {
        "accelerators": Figure(asked.gpus, "GPU"),
        "batch_size": Figure(asked.sequences, "sequence / step"),
        **({} if asked.method == "full" else {"rank": Figure(asked.rank, "1")}),
    }
    path = files.written(data, replace(record(book, job=asked), figures=figures))
    assert job_of(compile_book(data, None), path.stem) == asked


def test_figures_flags_and_libraries_are_read_back(data):
    made = record(shipped_book(), unsteady=True, note="others were at work")
    path = files.written(data, made)
    assert path.name == "smollm2-135m-full-rtx4090-2026-11-22.yaml"
    columns = compile_book(data, None).tables["measurements"].columns
    stated = {name: column.stated[path.stem] for name, column in columns.items() if column.stated}
    step = stated["step_time"]
    assert (step.value, step.low, step.high) == (0.5, 0.49, 0.51)
    assert stated["unsteady"].value is True
    assert stated["interrupted"].value is False
    for key, figure in FIGURES.items():
        name = {"accelerators": "gpus"}.get(key, key)
        unit = columns[name].unit
        assert unit is not None
        factor = float(shipped_book().units.factor(shipped_book().units.parse(figure.unit), unit))
        assert stated[name].value == pytest.approx(figure.value * factor, rel=1e-12), key


def test_a_second_record_of_a_day_has_its_own_name(data):
    made = record(shipped_book())
    first = files.written(data, made)
    before = first.read_bytes()
    second = files.written(data, made)
    assert second.stem == f"{first.stem}-2"
    assert first.read_bytes() == before


def test_an_invalid_record_leaves_the_data_unchanged(data):
    made = record(shipped_book())
    bad = replace(made, figures={**made.figures, "step_time": Figure(1, "GB")})
    before = {path: path.read_bytes() for path in sorted(data.rglob("*.yaml"))}
    with pytest.raises(Refused, match="U0"):
        files.written(data, bad)
    assert {path: path.read_bytes() for path in sorted(data.rglob("*.yaml"))} == before


@pytest.mark.parametrize(
    ("how", "source"), [("measured", "own-measurement"), ("simulated", "own-simulation")]
)
def test_a_missing_source_is_added_to_the_book(how, source, data):
    sources = data / "sources.yaml"
    text = sources.read_text("utf-8")
    without, times = re.subn(rf"(?m)^  {source}:\n(    .*\n)+", "", text)
    assert times == 1
    sources.write_text(without, "utf-8")
    path = files.written(data, record(shipped_book(), how=how))
    assert f"  {source}:" in sources.read_text("utf-8")
    assert f"key: {source}" in path.read_text("utf-8")
    compile_book(data, None)


def test_names_say_what_ran_where_and_when():
    book = shipped_book()
    simulated = record(book, how="simulated", job=job(book, gpus=8, method="LoRA", weights="bf16"))
    assert files.name(simulated) == "smollm2-135m-lora-rtx4090-simulated-8x-2026-11-22"
    assert files.name(record(book), 3) == "smollm2-135m-full-rtx4090-2026-11-22-3"
    assert DAY.isoformat() in files.name(record(book))


@pytest.mark.parametrize(
    ("value", "written"),
    [(538060032.0, 538060032), (0.1234567891, 0.123457), (1234567.5, 1234570.0), (0.0, 0)],
)
def test_figures_other_than_counts_are_rounded_to_significant_digits(value, written):
    assert files.rounded(value) == written
