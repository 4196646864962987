"""The whole loop on this machine's processor: measure, record, and use the record in a plan."""

from __future__ import annotations

import contextlib
import io
from importlib.util import find_spec

import pytest

from plans.made_up import MODEL, alone
from scalesheet.cli import main
from scalesheet.examine import examine
from scalesheet.load import parse
from scalesheet_bench.ladder.rates import Device

pytestmark = pytest.mark.skipif(
    not all(map(find_spec, ("torch", "transformers"))), reason="the extra bench is not installed"
)
PLAN = "micro-benchmark"
QUICK = ["--sequence", "64", "--steps-at-most", "3", "--warmup", "1", "--precise", "90%"]
#: A processor of the catalogue, whatever this machine has.
PROCESSOR = Device("cpu", "AMD EPYC (family 26 model 2)", "AMD", "", 24 << 30, cores=2)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project in the current folder, with only the micro-benchmark, on a small model."""
    folder = tmp_path_factory.mktemp("loop")
    alone(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("OMP_NUM_THREADS", "1")
        patch.setattr("scalesheet_bench.here.device", lambda kind: PROCESSOR)
        yield folder


def call(*arguments: str) -> str:
    """The output of the command."""
    said, wrong = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
        status = main(arguments)
    assert status == 0, said.getvalue() + wrong.getvalue()
    return said.getvalue()


@pytest.fixture(scope="module")
def told(project):
    """The output of the command that measures and records."""
    return call("bench", "run", MODEL, *QUICK)


def test_one_command_measures_and_records_and_keeps_the_simulation(told, project):
    records = {
        path.stem: parse(path.read_bytes(), "").data
        for path in (project / "data" / "measurements").glob(f"{MODEL}-*.yaml")
    }
    assert {record["how"] for record in records.values()} == {"measured", "simulated"}
    for id in records:
        assert f"{id}.yaml" in told
    assert "\nMEASURED" in told
    assert "torch " in told


def test_measured_memory_is_within_five_per_cent_of_the_prediction(told):
    lines = {line.split()[0]: line.split() for line in told.splitlines() if line.startswith("  ")}
    for part in ("Peak", "Weights", "Gradients", "Optimizer", "Activations"):
        assert float(lines[part][5]) == pytest.approx(1, abs=0.05), part


def test_plan_and_audit_follow_the_record(told, project):
    examined = examine(project / "data")
    assert examined.book is not None, examined.diagnostics
    results = examined.results[PLAN].scalars
    chosen = str(results["measurement"].value)
    record = parse((project / "data" / "measurements" / f"{chosen}.yaml").read_bytes(), "").data
    assert record["how"] == "measured"
    step = record["step_time"]["value"]
    assert results["step_time"].value == pytest.approx(step)
    assert isinstance(results["step_ratio"].value, float)
    shown = call("show", PLAN, "--all")
    assert chosen in shown
    assert "005-L008-01" in call("audit", PLAN)
