"""`scalesheet bench` as users run it: its output, the files it writes, errors for bad input."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from taken import FEW, job, record

from scalesheet.cli import main
from scalesheet.examine import compile_book
from scalesheet.steps.faults import NoDevice
from scalesheet.steps.record import Figure, settings
from scalesheet.steps.recorded import job_of
from scalesheet_bench import here
from scalesheet_bench.choose import chosen
from scalesheet_bench.command import command
from scalesheet_bench.ladder.rates import Device, Measured, rate_of
from shipped import PREDICTING, part, shipped_book

MODEL = "pythia-14m"
CARD = ["--accelerator", "rtx4090"]
UNKNOWN = Device("cpu", "A processor", "A maker", "processor", 64 << 30, cores=4)


@pytest.fixture
def data(tmp_path):
    return part(tmp_path, *{*FEW, *PREDICTING})


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """These tests always run on a machine that the catalogue lacks."""
    monkeypatch.setattr("scalesheet_bench.here.device", lambda kind: UNKNOWN)


@pytest.fixture
def run(data, capsys):
    """Run the command on a copy of the data; return exit status, output and messages."""

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            status = main(["bench", "--data", str(data), *arguments])
        except SystemExit as end:
            status = int(str(end.code))
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


# ------------------------------------------------------------------ records


def test_a_simulation_is_marked_as_one_and_can_be_repeated(run, data):
    status, out, err = run("simulate", MODEL, *CARD, "--batch", "4", "--sequence", "256")
    assert (status, err) == (0, "")
    assert "\nSIMULATED\n" in out
    (path,) = (data / "measurements").iterdir()
    assert path.name in out
    text = path.read_text("utf-8")
    assert "how: simulated" in text
    written = job_of(compile_book(data, None), path.stem)
    again = command("simulate", written)
    assert again in text
    status, out, _ = run(*again.split()[2:], "--dry-run")
    assert status == 0
    assert "nothing was written" in out
    assert [path] == list((data / "measurements").iterdir())


def test_json_holds_job_figures_and_path(run, data):
    status, out, _ = run("simulate", MODEL, *CARD, "--method", "lora", "--format", "json")
    said = json.loads(out)
    assert status == 0
    assert Path(said["path"]).name in {path.name for path in (data / "measurements").iterdir()}
    assert said["how"] == "simulated"
    assert said["job"]["method"] == "LoRA"
    assert said["job"]["rank"] == 8
    peak = said["figures"]["peak_memory"]
    assert peak["unit"] == "byte"
    assert peak["low"] <= peak["value"] <= peak["high"]
    assert said["predicted"] is None


def test_a_config_of_a_catalogue_model_is_recognized(run, tmp_path):
    file = tmp_path / "config.json"
    file.write_text(
        json.dumps(
            {
                "model_type": "llama",
                "hidden_size": 576,
                "intermediate_size": 1536,
                "num_hidden_layers": 30,
                "num_attention_heads": 9,
                "num_key_value_heads": 3,
                "vocab_size": 49152,
                "tie_word_embeddings": True,
                "max_position_embeddings": 8192,
            }
        )
    )
    status, out, _ = run("simulate", str(file), *CARD, "--dry-run", "--format", "json")
    assert status == 0
    assert json.loads(out)["job"]["model"] == "smollm2-135m"


# ------------------------------------------------------------------ measured or simulated


@pytest.mark.parametrize(
    ("facts", "how", "why"),
    [
        ({"torch": False, "absent": "x", "misfit": "y"}, "simulate", "PyTorch is not installed"),
        ({"torch": True, "absent": "no such card", "misfit": "y"}, "simulate", "no such card"),
        ({"torch": True, "absent": "", "misfit": "too large"}, "simulate", "too large"),
        ({"torch": True, "absent": "", "misfit": ""}, "run", "fits"),
    ],
)
def test_it_measures_only_if_it_can_and_says_why(facts, how, why):
    choice = chosen(**facts)
    assert choice.how == how
    assert why in choice.because


def test_without_the_hardware_it_simulates_and_says_so(run):
    status, out, _ = run(MODEL, "--accelerator", "h200-sxm", "--dry-run")
    assert status == 0
    assert "\nSIMULATED: " in out


def test_without_pytorch_it_simulates_and_says_what_to_install(run, monkeypatch):
    monkeypatch.setattr(here, "has_torch", lambda: False)
    monkeypatch.setattr("scalesheet_bench.here.has_torch", lambda: False)
    status, out, _ = run(MODEL, "--accelerator", "h200-sxm", "--dry-run")
    assert status == 0
    assert "SIMULATED: PyTorch is not installed (pip install 'scalesheet[bench]')" in out


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("NVIDIA H100 80GB HBM3", "h100-sxm"),
        ("NVIDIA A100-SXM4-40GB", "a100-sxm-40gb"),
        ("NVIDIA GeForce RTX 4090", "rtx4090"),
        ("A card that nobody knows", ""),
    ],
)
def test_a_device_is_recognized_by_its_drivers_name(name, id):
    found = Device("cuda", name, "NVIDIA", "", 80 << 30)
    assert here.accelerator_of(shipped_book(), found) == id


def test_a_processor_is_recognized_by_name_and_cores_together():
    assert here.accelerator_of(shipped_book(), UNKNOWN) == ""
    words = here.absent("h200-sxm", UNKNOWN, "")
    assert "A processor, 4 cores" in words
    assert "scalesheet bench ladder --rates --write a-processor-4-cores" in words


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["run"], 2, "expected one MODEL"),
        (["run", MODEL, "gpt-2"], 2, "found 2: pythia-14m, gpt-2"),
        (["frob", MODEL], 2, "it may be preceded by run, simulate, ladder"),
        (["simulate", "pythia-15m"], 2, "did you mean"),
        (["run", "pythia-15m"], 2, "did you mean"),
        (["simulate", "nowhere/config.json"], 2, "there is no file"),
        (["simulate", MODEL, "--accelerator", "h1000"], 2, "unknown accelerator 'h1000'"),
        (["run", MODEL, "--accelerator", "h1000"], 2, "unknown accelerator 'h1000'"),
        (["simulate", MODEL, *CARD, "--batch", "0"], 2, "from 1 on"),
        (["simulate", MODEL, *CARD, "--weights", "nf4"], 2, "go together"),
        (["run", MODEL, "--weights", "nf4"], 2, "go together"),
        (["run", MODEL, "--precise", "200%"], 2, "write 2% or 0.02"),
        (["run", MODEL, "--memory", "8"], 2, "write 8GB or 6GiB"),
        (["run", MODEL, "--seconds", "0"], 2, "above 0"),
        (["run", MODEL, "--write", "x"], 2, "bench ladder --rates --write ID"),
        (["ladder", MODEL, "--rates"], 2, "drop the model"),
        (["ladder", "--rates", "--seconds", "0"], 2, "above 0"),
        (["simulate", MODEL, "--accelerator", "apple-m3-ultra"], 1, "apple-m3-ultra"),
    ],
)
def test_bad_input_is_reported_before_detecting_hardware_and_changes_nothing(
    arguments, status, says, run, data, monkeypatch
):
    monkeypatch.setattr("scalesheet_bench.here.device", None)
    before = sorted(data.rglob("*"))
    found, out, err = run(*arguments)
    assert found == status
    assert says in out + err
    assert sorted(data.rglob("*")) == before


def test_a_job_that_cannot_fit_is_reported_before_anything_is_loaded(run, monkeypatch):
    """It also says what would fit, and starts nothing."""
    card = Device("cuda", "NVIDIA GeForce RTX 4090", "NVIDIA", "", 24 << 30)
    monkeypatch.setattr("scalesheet_bench.here.device", lambda kind: card)
    monkeypatch.setattr("scalesheet_bench.train.measure", None)
    status, _, err = run("run", "llama-3-1-8b")
    assert status == 1
    assert "B003" in err
    assert "GB" in err


def test_hardware_other_than_requested_is_reported(run, monkeypatch):
    def device(kind: str) -> Device:
        if kind == "cuda":
            raise NoDevice("PyTorch sees no 'cuda' device here, but cpu alone")
        return UNKNOWN

    monkeypatch.setattr("scalesheet_bench.here.device", device)
    status, _, err = run("run", MODEL, "--device", "cuda", *CARD)
    assert status == 1
    assert "B002 PyTorch sees no 'cuda'" in err
    status, _, err = run("run", MODEL, *CARD)
    assert status == 1
    assert "rtx4090 is not in this machine" in err
    status, _, err = run("simulate", MODEL)
    assert status == 2
    assert "not in the catalogue" in err


def test_a_new_device_is_added_with_its_rates(run, data, monkeypatch):
    """In a clone, one command measures on any machine; without a file it says what to do."""
    rates = [
        rate_of(what, precision, 1 << 27, 1e9, [1e-2] * 5)
        for what, precision in (("products", "fp32"), ("triad", ""))
    ]
    measured = Measured(UNKNOWN, tuple(rates), threads=4, libraries={"torch": "2.13.0"})
    monkeypatch.setattr("scalesheet_bench.ladder.parent.measured", lambda *_, **__: measured)

    def stepped(asked, *_, **__):
        return replace(record(shipped_book(), job=asked), figures=figures_of(asked))

    monkeypatch.setattr("scalesheet_bench.train.measure", stepped)
    status, _, err = run("run", MODEL, "--dry-run")
    assert status == 2
    assert "bench ladder --rates --write a-processor-4-cores" in err
    status, out, err = run("run", MODEL)
    assert status == 0, err
    assert "added the device" in err
    assert (data / "hardware" / "a-processor-4-cores.yaml").is_file()
    assert f"{MODEL}-full-a-processor-4-cores-2026-11-22.yaml" in out
    assert job_of(compile_book(data, None), f"{MODEL}-full-a-processor-4-cores-2026-11-22")


def test_a_record_that_cannot_be_written_is_printed(run, data, monkeypatch):
    """A figure that the book refuses must not cost the user a long run."""

    def stepped(asked, *_, **__):
        bad = figures_of(asked) | {"forward_share": Figure(7.0, "1")}
        return replace(record(shipped_book(), job=asked), figures=bad)

    card = Device("cuda", "NVIDIA GeForce RTX 4090", "NVIDIA", "", 24 << 30)
    monkeypatch.setattr("scalesheet_bench.here.device", lambda kind: card)
    monkeypatch.setattr("scalesheet_bench.train.measure", stepped)
    status, out, err = run("run", MODEL)
    assert status == 1
    assert "V002" in out
    assert "forward_share: {value: 7," in err
    assert not (data / "measurements").is_dir() or not list((data / "measurements").iterdir())


def figures_of(asked):
    """Consistent figures of a run of a job."""
    step = 0.5
    return settings(asked) | {
        "step_time": Figure(step, "second / step"),
        "tokens_per_second": Figure(asked.tokens / step, "token / second"),
    }


def test_a_command_states_everything_that_has_a_default():
    asked = job(shipped_book(), method="QLoRA", weights="nf4", gpus=4, strategy="fsdp")
    said = command("run", replace(asked, checkpointing=True, compiled=True, attention="eager"))
    for words in (
        "--accelerator rtx4090",
        "--gpus 4 --strategy fsdp",
        "--method qlora",
        "--weights nf4",
        "--batch 4 --accumulation 2 --sequence 256",
        "--checkpointing --attention eager --compile",
        "--rank 8",
    ):
        assert words in said
