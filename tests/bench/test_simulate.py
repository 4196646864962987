"""Simulated records: the rules that they follow, without PyTorch."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import date

import pytest

from project import environment
from scalesheet.book import Book
from scalesheet.diagnostics import Refused
from scalesheet.evaluate import evaluate_catalogue
from scalesheet.steps.blocks import TABLE, architecture
from scalesheet.steps.footprint import Footprint, evaluated
from scalesheet.steps.job import Job, Precision
from scalesheet.steps.shapes import shape_of
from scalesheet.steps.simulate import simulated
from scalesheet.values import Results
from scalesheet_bench.room import cannot_fit, lighter
from shipped import shipped

DAY = date(2026, 11, 22)


@pytest.fixture(scope="module")
def book() -> Book:
    found = shipped().book
    assert found is not None
    return found


@pytest.fixture(scope="module")
def results(book: Book) -> Results:
    return evaluate_catalogue(book)


@pytest.fixture(scope="module")
def job(book: Book, results: Results) -> Job:
    """Full fine-tuning of a small model, on an accelerator whose figures are all known."""
    model = shape_of(book, "qwen2-0-5b", results)
    return Job(model, "h200-sxm", device="cuda", weights="bf16", batch=4, length=1024)


def test_a_record_is_complete_and_consistent(book: Book, job: Job) -> None:
    made = simulated(book, job, DAY, "scalesheet bench simulate")
    said = {key: figure.value for key, figure in made.figures.items()}
    assert made.how == "simulated"
    assert "checked only on CPUs" in made.note
    shares = ("data_loading_share", "forward_share", "backward_share", "optimizer_share")
    assert sum(said[share] for share in shares) == pytest.approx(1)
    assert said["tokens_per_second"] == pytest.approx(4 * 1024 / said["step_time"])
    assert said["samples_per_second"] == pytest.approx(4 / said["step_time"])
    rate = said["tokens_per_second"] * said["flop_per_token"] / 1e3
    assert said["flop_rate"] == pytest.approx(rate)
    assert said["utilisation"] == pytest.approx(rate / 989.4)
    for figure in made.figures.values():
        if figure.low is not None and figure.high is not None:
            assert figure.low < figure.value < figure.high


def test_states_are_counted_to_the_byte(book: Book, job: Job) -> None:
    count = job.model.parameters
    for weights, each in (("fp32", 4), ("bf16", 2)):
        made = Footprint(book, replace(job, weights=weights))  # type: ignore[arg-type]
        states = made.of("weights", "gradients", "optimizer_states")
        assert states == [each * count, each * count, 2 * each * count]


def test_only_adapters_have_optimizer_states(book: Book, job: Job) -> None:
    made = Footprint(book, replace(job, method="LoRA", rank=16))
    widths = 2 * (896 + 896) + 2 * (896 + 128) + 3 * (896 + 4864)
    trained, states, weights = made.of("trained", "optimizer_states", "weights")
    assert trained == 24 * 16 * widths
    assert states == 8 * trained
    assert weights == 2 * job.model.parameters + 4 * trained


def test_checkpointing_needs_less_memory_and_accumulation_more(book: Book, job: Job) -> None:
    plain, saved = Footprint(book, job), Footprint(book, replace(job, checkpointing=True))
    assert saved.of("activations")[0] < plain.of("activations")[0] / 3
    assert saved.peak < plain.peak
    assert Footprint(book, replace(job, accumulation=2)).peak > plain.peak


def test_the_peak_is_the_sum_of_everything_held_then(book: Book, job: Job) -> None:
    made = Footprint(book, job)
    there = made.of("weights", "gradients_then", "optimizer_states", "activations_then", "working")
    assert made.peak == pytest.approx(sum(there))
    moments = made.of("forward_end", "loss", "last_feed_forward", "first_feed_forward", "update")
    assert max(moments) == made.peak


def test_a_job_that_cannot_fit_is_reported_with_a_batch_that_would(book: Book, job: Job) -> None:
    assert cannot_fit(book, job) == ""
    long = replace(job, batch=4096)
    said = cannot_fit(book, long)
    assert "Qwen2 0.5B needs" in said
    assert "h200-sxm has 151.4 GB" in said
    batch = int(said.split("at most ")[1].split()[0])
    assert cannot_fit(book, replace(job, batch=batch)) == ""
    assert cannot_fit(book, replace(job, batch=batch + 1)) != ""


def test_an_accelerator_that_the_catalogue_lacks_is_refused(book: Book, job: Job) -> None:
    with pytest.raises(Refused, match=r"no accelerator 'abacus'.*ladder --rates --write abacus"):
        simulated(book, replace(job, accelerator="abacus"), DAY, "")


def test_a_step_time_needs_rates(book: Book, job: Job) -> None:
    """The processor has neither a stated nor a measured tf32 rate."""
    there = replace(job, accelerator="epyc-9005-2-cores", device="cpu", precision="tf32")
    with pytest.raises(Refused, match=r"lacks a rate of products in tf32 \(dense_tf32 or fp32"):
        simulated(book, there, DAY, "")


def test_every_model_of_the_catalogue_has_a_footprint(book: Book, results: Results) -> None:
    """It is counted as built, or a remark says how it is counted."""
    exact = 0
    for id in book.tables["models"].rows:
        model = shape_of(book, id, results)
        made = Footprint(book, Job(model, "h200-sxm", device="cuda", weights="bf16", length=256))
        weights, states = made.of("weights", "optimizer_states")
        assert made.peak > weights + states, id
        assert weights == 2 * model.parameters, id
        remark = architecture(book, model)[1]
        exact += not remark
        assert remark or made.kind in book.tables[TABLE].rows, id
        mixture = model.active_parameters < 0.99 * model.parameters
        assert not mixture or remark, id
    assert exact > 100


def test_pytorch_is_not_needed() -> None:
    """Simulating imports none of the libraries for measuring."""
    code = (
        "import sys, scalesheet.steps.simulate; "
        "print({'torch', 'transformers', 'peft', 'bitsandbytes'} & set(sys.modules))"
    )
    run = [sys.executable, "-c", code]
    said = subprocess.run(run, env=environment(), capture_output=True, text=True, check=True)
    assert said.stdout == "set()\n"


def test_trainable_parameters_match_the_catalogues_formula(book: Book, job: Job) -> None:
    """Two formulas give one number: one per matrix, one for all linear layers at once."""
    made = Footprint(book, replace(job, method="LoRA", rank=4))
    whole = evaluated(
        book,
        "lora-all-linear-parameters",
        rank=4,
        layers=24,
        hidden=896,
        heads=14,
        kv_heads=2,
        head_dim=64,
        ffn=4864,
        ffn_matrices=3,
    )
    assert made.of("trained") == [whole]


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_larger_settings_need_more_memory(book: Book, job: Job, precision: Precision) -> None:
    base = replace(job, precision=precision, weights="fp32", checkpointing=True)
    peak = Footprint(book, base).peak
    for more in ({"batch": 5}, {"length": 1025}, {"accumulation": 2}, {"checkpointing": False}):
        assert Footprint(book, replace(base, **more)).peak > peak, more  # type: ignore[arg-type]


def test_shards_divide_states_and_gather_layers(book: Book, job: Job) -> None:
    alone = Footprint(book, job)
    spread = Footprint(book, replace(job, gpus=8, strategy="fsdp"))
    for part in ("weights_memory", "gradients_memory", "optimizer_memory"):
        assert spread.parts[part] == pytest.approx(alone.parts[part] / 8), part
    assert alone.peak > spread.peak
    copies = Footprint(book, replace(job, gpus=8, strategy="ddp"))
    assert copies.parts["weights_memory"] == alone.parts["weights_memory"]
    assert copies.peak > alone.peak, "buckets hold the gradients all the time"


def test_if_no_batch_fits_other_ways_to_train_are_suggested(book: Book, job: Job) -> None:
    large = replace(job, model=shape_of(book, "llama-3-1-8b"), accelerator="rtx4090")
    said = cannot_fit(book, large)
    assert "so no batch fits; what fits is --method" in said
    had = 24 * 2**30
    ways = dict(lighter(book, large))
    told = [way for way, peak in ways.items() if f"{way} ({peak / 1e9:,.1f} GB)" in said]
    assert told
    assert all(ways[way] <= had for way in told)
    assert all(
        ways[f"{way} --checkpointing"] < ways[way]
        for way in ways
        if f"{way} --checkpointing" in ways
    )


def test_a_token_of_a_mixture_uses_only_active_experts(book: Book, results: Results) -> None:

    def met(id: str) -> float:
        made = Footprint(book, Job(shape_of(book, id, results), "h200-sxm"))
        return float(made.of("met_ffn")[0])

    assert met("mixtral-8x7b") == 2 * 14336
    # one of 28 layers is dense; the others use 6 routed and 2 shared experts
    assert met("deepseek-moe-16b") == pytest.approx((10944 + 27 * 8 * 1408) / 28)


def test_attention_scores_are_kept_without_a_fused_kernel(book: Book, job: Job) -> None:
    """Memory then grows with the square of the length; with a fused kernel, it grows linearly."""

    def growth(**settings: object) -> float:
        short = replace(job, **settings)  # type: ignore[arg-type]
        long = replace(short, length=2 * short.length)
        kept = [Footprint(book, each).of("of_block")[0] for each in (short, long)]
        return float(kept[1] / kept[0])

    assert growth() == pytest.approx(2)
    assert growth(attention="eager") > 2.5
    assert growth(precision="fp32", weights="fp32") > 2.5, "heads in groups, in 32 bits, on CUDA"
    assert growth(precision="fp32", weights="fp32", device="cpu") == pytest.approx(2)


def test_the_update_moves_twenty_bytes_per_byte_of_weights(book: Book, job: Job) -> None:
    """The update takes as long as its memory traffic, plus the overhead common to all parts."""
    said = simulated(book, job, DAY, "").figures
    took = said["optimizer_share"].value * said["step_time"].value
    least = 20 * 2 * job.model.parameters / 4800e9
    assert least < took < 1.5 * least
    adapters = simulated(book, replace(job, method="LoRA"), DAY, "").figures
    assert adapters["optimizer_share"].value < said["optimizer_share"].value / 10


def test_casting_weights_takes_time(book: Book, job: Job) -> None:
    cast = simulated(book, replace(job, weights="fp32"), DAY, "").figures["step_time"].value
    plain = simulated(book, job, DAY, "").figures["step_time"].value
    traffic = 2 * 6 * job.model.parameters / 4800e9
    update = 20 * 2 * job.model.parameters / 4800e9
    assert cast == pytest.approx(plain + traffic + update, rel=0.05)
