"""Measured memory has the properties that it must have, to the byte."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="real steps are taken with PyTorch")

from tiny_steps import QUICK, bytes_of, job, llama, steps

JOBS = {
    "full": job(),
    "two passes": job(accumulation=2),
    "autocast": job(precision="bf16"),
    "half": job(precision="bf16", weights="bf16"),
    "scaled": job(precision="fp16"),
    "checkpointing": job(checkpointing=True),
    "eager": job(attention="eager"),
    "flash": job(attention="flash"),
    "tied": job(model=llama(tied=True)),
    "LoRA": job(method="LoRA"),
    "LoRA in half": job(method="LoRA", precision="bf16", weights="bf16"),
    "QLoRA": job(method="QLoRA", precision="bf16", weights="nf4"),
}
BUFFERS = 2 * 16 * 4  # rotary frequencies, twice, one per pair of dimensions of a head with 32


@pytest.fixture(scope="module")
def measured():
    """The record and messages of each job, measured once."""
    return {name: steps(this) for name, this in JOBS.items()}


@pytest.mark.parametrize("name", JOBS)
def test_the_parts_at_the_peak_add_up_to_it(measured, name):
    found = measured[name][1].messages["memory"]
    parts = ("weights", "gradients_at_peak", "optimizer", "activations_at_peak", "working")
    assert sum(found[part] for part in parts) == found["peak"]
    assert found["working"] >= 0
    assert found["gradients_at_peak"] <= found["gradients"]
    assert found["weights"] + found["optimizer"] <= found["average"] <= found["peak"]


def test_weights_are_parameters_times_their_width(measured):
    for name, width in (("full", 4), ("autocast", 4), ("half", 2), ("tied", 4)):
        count = JOBS[name].model.parameters
        assert bytes_of(measured[name][0], "weights") == count * width + BUFFERS, name


def test_adamw_keeps_two_numbers_per_parameter_and_a_count_per_tensor(measured):
    tensors = 2 * 9 + 3
    for name, width in (("full", 4), ("half", 2)):
        count = JOBS[name].model.parameters
        assert bytes_of(measured[name][0], "gradients") == count * width
        assert bytes_of(measured[name][0], "optimizer") == 2 * count * width + 4 * tensors
    record, told = measured["LoRA"]
    trained = told.messages["model"]["trained"]
    assert bytes_of(record, "gradients") == 4 * trained
    assert bytes_of(record, "optimizer") == 8 * trained + 4 * 2 * 7 * 2


def test_lora_trains_only_its_adapters(measured):
    rank, hidden, kv, ffn = 8, 128, 64, 256
    ends = 2 * (hidden + hidden) + 2 * (hidden + kv) + 3 * (hidden + ffn)
    for name in ("LoRA", "LoRA in half", "QLoRA"):
        assert measured[name][1].messages["model"]["trained"] == 2 * rank * ends, name


def test_four_bit_weights_take_half_a_byte_plus_their_scales(measured):
    """An 8-bit scale per 64 weights, a 32-bit scale per 256 of those, and two tables."""
    thin = measured["QLoRA"][0]
    thick = steps(replace(JOBS["QLoRA"], model=llama(layers=4)))[0]
    block = 2 * 128 * 128 + 2 * 128 * 64 + 3 * 128 * 256
    adapters = 4 * 8 * (2 * (128 + 128) + 2 * (128 + 64) + 3 * (128 + 256))
    each = (bytes_of(thick, "weights") - bytes_of(thin, "weights")) / 2 - adapters - 2 * 2 * 128
    scales = block / 64
    assert each >= block / 2 + scales
    # the rest, per matrix: a table of 16 values, one of 256, an offset, and scales of scales
    assert each - block / 2 - scales <= 7 * (4 * 16 + 4 * 256 + 4 + 4 * 4)


def test_checkpointing_needs_less_memory_and_a_larger_batch_more(measured):
    assert (
        bytes_of(measured["checkpointing"][0], "activations")
        < bytes_of(measured["full"][0], "activations") / 2
    )
    double = steps(job(batch=4))[0]
    # almost everything in a pass grows with the batch
    assert bytes_of(double, "activations") == pytest.approx(
        2 * bytes_of(measured["full"][0], "activations"), rel=0.01
    )


def test_eager_attention_keeps_its_scores(measured):
    """That is a length × length matrix per head and layer, which the fused kernel never keeps."""
    more = bytes_of(measured["eager"][0], "activations")
    assert more > bytes_of(measured["full"][0], "activations") + 2 * 2 * 4 * 64 * 64 * 4


def test_with_accumulation_gradients_exist_during_the_peak(measured):
    once, twice = (
        measured["full"][1].messages["memory"],
        measured["two passes"][1].messages["memory"],
    )
    assert once["gradients_at_peak"] < once["gradients"]
    assert twice["gradients_at_peak"] == twice["gradients"]
    assert twice["peak"] > once["peak"]


def test_a_trace_of_the_step_gives_the_same_memory_as_one_from_the_start():
    """Counting from the known tensors agrees with tracing every allocation from the start."""
    import json
    import tempfile
    from pathlib import Path

    from torch.profiler import ProfilerActivity, profile

    from scalesheet_bench.train import engines, memory, run
    from scalesheet_bench.train.ledger import spans_of
    from scalesheet_bench.train.models import skeleton

    this = job()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as whole:
        stepper = run.made(this, QUICK, 0, engines.device_of(this), skeleton(this), print)
        stepper.step()
        stepper.step()
    with tempfile.TemporaryDirectory() as folder:
        whole.export_chrome_trace(str(Path(folder) / "t.json"))
        events = json.loads((Path(folder) / "t.json").read_text())["traceEvents"]
    second = [span for span in spans_of(events) if span.part == "data"][1].begin
    level = peak = 0.0
    changes = sorted(
        (event["ts"], event["args"]["Bytes"]) for event in events if event["name"] == "[memory]"
    )
    for when, size in changes:
        level += size
        peak = max(peak, level if when >= second else 0)
    assert memory.measured(stepper).peak == peak
