"""The measuring process takes real steps: interrupted, with limits, and shared by several."""

from __future__ import annotations

import os
import shutil
import signal
from dataclasses import replace
from datetime import date

import pytest

pytest.importorskip("torch", reason="real steps are taken with PyTorch")

from tiny_steps import QUICK, bytes_of, job, llama, steps

from scalesheet.steps.job import Effort
from scalesheet_bench.train import NoDevice, OutOfMemory, measure

SHARES = ("data_loading_share", "forward_share", "backward_share", "optimizer_share")


def silent(text: str) -> None:
    """Ignore progress."""


def test_a_record_comes_back_with_everything_requested(tmp_path):
    said: list[str] = []
    effort = replace(QUICK, at_least=3, at_most=3, profile=True)
    this = job(accumulation=2)
    day = date(2026, 1, 2)
    record = measure(this, effort, said.append, "scalesheet bench run", day, tmp_path / "view")
    figures = record.figures
    assert (record.how, record.day, record.command) == ("measured", day, "scalesheet bench run")
    assert not record.interrupted
    assert figures["steps"].value == 3
    assert sum(figures[share].value for share in SHARES) == pytest.approx(1, abs=1e-12)
    step = figures["step_time"]
    assert step.low <= step.value <= step.high
    assert figures["tokens_per_second"].value == pytest.approx(this.tokens / step.value)
    assert figures["samples_per_second"].value == pytest.approx(4 / step.value)
    assert figures["process_memory"].value > figures["peak_memory"].value
    assert record.libraries.keys() >= {"python", "torch", "transformers"}
    assert "cores" in record.environment
    assert "426,624 parameters, 426,624 trained" in record.note
    assert said[0] == "building Tiny"
    assert any(line.startswith("step ") for line in said)
    assert '"scalesheet backward"' in (tmp_path / "view" / "trace.json").read_text()
    assert "aten::mm" in (tmp_path / "view" / "operators.txt").read_text()


def test_an_interrupted_run_keeps_what_it_has():
    """After Ctrl-C during timed steps, there is a record, marked as interrupted."""
    asked = []

    def tell(text: str) -> None:
        if text.startswith("step ") and not asked:
            asked.append(text)
            os.kill(os.getpid(), signal.SIGINT)

    # batches come from another process, which must end with it
    endless = Effort(precise=0, warmup=0, at_least=2, at_most=10**4, seconds=300, workers=1)
    record = measure(job(), endless, tell)
    assert record.interrupted
    assert 1 <= record.figures["steps"].value < 10**4
    assert record.figures["peak_memory"].value > 0
    assert "process_memory" in record.figures, "the process ended by itself"


def test_ctrl_c_before_the_first_timed_step_is_an_interrupt():
    def tell(text: str) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        measure(job(), QUICK, tell)


def test_a_run_out_of_memory_says_how_much_it_requested():
    bound = 64 * 2**20
    big = job(model=llama(vocab=8192), batch=16, length=256)
    with pytest.raises(OutOfMemory, match=r"out of memory on cpu of 0\.06 GiB: Tiny, full") as told:
        measure(big, replace(QUICK, memory=bound), silent)
    assert told.value.had == bound
    assert told.value.needed is None or told.value.needed > 2**20


def test_a_missing_device_is_reported_by_the_process():
    with pytest.raises(NoDevice, match="finds no xpu device"):
        measure(job(device="xpu"), QUICK, silent)


SHARED = [("ddp", "full"), ("fsdp", "full"), ("fsdp", "LoRA")]


@pytest.mark.parametrize(("strategy", "method"), SHARED)
def test_two_processes_share_a_step(strategy, method):
    """With DDP, each process holds all states; with FSDP, half of them."""
    this = job(gpus=2, strategy=strategy, method=method, accumulation=2)
    record = measure(this, QUICK, silent)
    figures = record.figures
    assert figures["batch_size"].value == 8
    assert figures["accelerators"].value == 2
    share = 2 if strategy == "fsdp" else 1
    count = this.model.parameters
    trained = count if method == "full" else 2 * 8 * (2 * 256 + 2 * 192 + 3 * 384)
    held = count + (trained if method == "LoRA" else 0)
    assert figures["weights_memory"].value == pytest.approx(4 * held / share, rel=0.001)
    assert figures["gradients_memory"].value == pytest.approx(4 * trained / share, rel=0.001)
    assert figures["optimizer_memory"].value == pytest.approx(8 * trained / share, rel=0.003)


@pytest.mark.skipif(shutil.which("g++") is None, reason="torch.compile takes a C++ compiler")
def test_a_compiled_step_keeps_fewer_activations():
    """Values within a fused kernel are not kept."""
    plain = steps(job(model=llama(layers=1)))[0]
    fused = measure(job(model=llama(layers=1), compiled=True), QUICK, silent)
    assert bytes_of(fused, "weights") == bytes_of(plain, "weights")
    assert bytes_of(fused, "activations") < bytes_of(plain, "activations")
