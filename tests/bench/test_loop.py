"""The loop on this machine's processor: measured, recorded, and followed by a plan on its faces."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from openpyxl import load_workbook

from plans.made_up import MODEL, alone
from project import ROOT, command, environment
from scalesheet.bench import here
from scalesheet.bench.ladder.hardware import name_of
from scalesheet.build import examine
from scalesheet.load import parse

pytest.importorskip("torch", reason="the extra bench is not installed")
PLAN = "micro-benchmark"
QUICK = ["--sequence", "64", "--steps-at-most", "3", "--warmup", "1", "--precise", "90%"]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project with the micro-benchmark alone, on a small model; this processor is in its
    catalogue."""
    folder = tmp_path_factory.mktemp("loop")
    data = alone(folder)
    card = data / "hardware" / "epyc-9005-2-cores.yaml"
    own = card.with_name("this-processor.yaml")
    known = parse(card.read_bytes(), "").data["title"]
    if known != name_of(here.device("cpu")):
        own.write_text(card.read_text("utf-8").replace(known, name_of(here.device("cpu"))), "utf-8")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("book"))
    return folder


def call(folder, *arguments: str) -> str:
    """The command, as a process of its own in that folder."""
    environ = environment(OMP_NUM_THREADS="1", COLUMNS=os.environ.get("COLUMNS", "80"))
    run = subprocess.run(
        command(*arguments), cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def told(project):
    """What the one command says."""
    return call(project, "bench", "run", MODEL, *QUICK)


def test_one_command_measures_and_records_and_the_simulation_stays_beside(told, project):
    records = {path.stem: parse(path.read_bytes(), "").data for path in
               (project / "data" / "measurements").glob(f"{MODEL}-*.yaml")}  # fmt: skip
    assert {record["how"] for record in records.values()} == {"measured", "simulated"}
    for id in records:
        assert f"{id}.yaml" in told
    assert "\nMEASURED" in told
    assert "torch " in told


def test_measured_memory_is_the_predicted_one_within_five_per_cent(told):
    lines = {line.split()[0]: line.split() for line in told.splitlines() if line.startswith("  ")}
    for part in ("Peak", "Weights", "Gradients", "Optimizer", "Activations"):
        assert float(lines[part][5]) == pytest.approx(1, abs=0.05), part


def test_plan_page_workbook_and_audit_follow_the_record(told, project):
    examined = examine(project / "data")
    assert examined.book is not None, examined.diagnostics
    results = examined.results[PLAN].scalars
    chosen = str(results["measurement"].value)
    record = parse((project / "data" / "measurements" / f"{chosen}.yaml").read_bytes(), "").data
    assert record["how"] == "measured"
    step = record["step_time"]["value"]
    assert results["step_time"].value == pytest.approx(step)
    assert isinstance(results["step_ratio"].value, float)
    call(project, "build", "--no-site", "--out", "out")
    book = load_workbook(project / "out" / "workbooks" / f"{PLAN}.xlsx", data_only=True)
    sheet, at = book.defined_names["step_time"].attr_text.split("!")
    assert book[sheet.strip("'")][at.replace("$", "")].value == pytest.approx(step)
    shown = call(project, "show", PLAN)
    assert chosen in shown
    assert "005-L008-01" in call(project, "audit", PLAN)
