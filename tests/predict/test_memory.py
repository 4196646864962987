"""Memory: laws that every prediction obeys, figures from papers, missing inputs, and the score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from scalesheet.book import Book
from scalesheet.predict import memory
from scalesheet.predict.arrays import Array, Flags
from scalesheet.predict.cases import Cases
from scalesheet.predict.cases.catalogue import Known
from scalesheet.predict.fits import Coefficients, coefficients
from scalesheet.predict.memory import settings
from scalesheet.predict.memory.footprint import COMPONENTS, WHOLE, Footprint
from scalesheet.predict.score import TaskScore, score_of
from scalesheet.predict.score import said_to_fit as room
from scalesheet.predict.score.expected import problems
from scalesheet.predict.score.truth import Published, published
from scalesheet.predict.tasks import predict, unsupported

STATED = {
    "model": "Llama 2 7B",
    "params": "6738415616",
    "method": "full AdamW",
    "precision": "bf16",
    "seq_len": "2048",
    "micro_batch": "2",
    "n_gpus": "8",
    "sharding": "ZeRO-1",
    "act_ckpt": "none",
    "hardware": "H100-80GB",
}
Described = Several = Callable[..., Cases]
GB = 1e9


@pytest.fixture(scope="module")
def described(several: Several) -> Described:
    return partial(several, "memory", STATED)


@pytest.fixture(scope="module")
def data(book: Book, catalogue: Known) -> Published:
    return published(book, "memory", catalogue)


@pytest.fixture(scope="module")
def score(book: Book, catalogue: Known) -> TaskScore:
    found = score_of(book, "memory", catalogue)
    assert found is not None
    return found


def numbers(book: Book, rows: Cases) -> Array:
    made = predict(book, "memory", rows)
    assert not any(made.unsupported.tolist()), made.unsupported
    return made.predicted


def parts(book: Book, rows: Cases) -> dict[str, Array]:
    return memory.memory_components(book, rows, coefficients(book, "memory"))


# ------------------------------------------------------------------ laws

RISES = (
    ("micro_batch", ("1", "2", "4", "16")),
    ("seq_len", ("512", "2048", "8192", "32768")),
    ("vocab", ("1000", "32000", "128000")),
)
FALLS = (
    ("sharding", ("ZeRO-0", "ZeRO-1", "ZeRO-2", "ZeRO-3")),
    ("sharding", ("ZeRO-3 TP1", "ZeRO-3 TP2", "ZeRO-3 TP4", "ZeRO-3 TP8")),
    ("sharding", ("ZeRO-1 PP1", "ZeRO-1 PP2", "ZeRO-1 PP4", "ZeRO-1 PP8")),
    ("sharding", ("ZeRO-1 CP1", "ZeRO-1 CP2", "ZeRO-1 CP4")),
    ("act_ckpt", ("none", "selective", "full")),
    ("n_gpus", ("2", "4", "8", "64", "512")),
    ("precision", ("fp32", "bf16", "bf16-true")),
    ("method", ("full AdamW", "full AdamW 8-bit", "full paged AdamW 8-bit", "lora", "qlora")),
    ("method", ("full AdamW", "full Lion", "full SGD")),
    ("method", ("lora r=256", "lora r=64", "lora r=8")),
)
METHODS = ("full AdamW", "lora", "qlora", "pretrain")


@pytest.mark.parametrize(("column", "values"), RISES)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("act_ckpt", ["none", "full"])
def test_more_work_never_takes_less_memory(
    book: Book,
    described: Described,
    column: str,
    values: tuple[str, ...],
    method: str,
    act_ckpt: str,
) -> None:
    made = numbers(book, described(column, values, method=method, act_ckpt=act_ckpt))
    assert (np.diff(made) >= -1e-9 * made[:-1]).all(), made
    assert made[-1] > made[0]


@pytest.mark.parametrize(("column", "values"), FALLS)
def test_a_memory_saving_option_never_takes_more(
    book: Book, described: Described, column: str, values: tuple[str, ...]
) -> None:
    made = numbers(book, described(column, values))
    assert (np.diff(made) <= 1e-9 * made[:-1]).all(), made
    assert made[-1] < made[0]


@given(
    stage=some.sampled_from(("ZeRO-0", "ZeRO-1", "ZeRO-2", "ZeRO-3", "FSDP")),
    method=some.sampled_from(METHODS),
    act_ckpt=some.sampled_from(("none", "selective", "full", "")),
    model=some.sampled_from(("Llama 2 7B", "Mixtral 8x7B", "DeepSeek-V3", "Llama 3.2 1B")),
    degree=some.sampled_from((1, 2, 4, 8)),
    pipeline=some.sampled_from((1, 2, 4)),
    batch=some.integers(1, 64),
)
def test_components_add_up_and_are_never_below_zero(
    book: Book,
    described: Described,
    stage: str,
    method: str,
    act_ckpt: str,
    model: str,
    degree: int,
    pipeline: int,
    batch: int,
) -> None:
    rows = described(
        sharding=f"{stage} TP{degree} PP{pipeline}",
        method=method,
        act_ckpt=act_ckpt,
        model=model,
        params="",
        micro_batch=str(batch),
        n_gpus="64",
    )
    found = parts(book, rows)
    assert tuple(found) == COMPONENTS
    assert all((values >= 0).all() for values in found.values())
    made = predict(book, "memory", rows)
    assert sum(values[0] for values in found.values()) == pytest.approx(made.predicted[0], 1e-12)
    assert min(found["working"][0], found["logits"][0]) == 0
    assert made.low[0] <= made.predicted[0] <= made.high[0]
    most = memory.most_memory(book, rows, coefficients(book, "memory"))
    assert made.high[0] <= most[0]


# ------------------------------------------------------------------ figures from papers


def test_model_states_match_the_paper(book: Book, described: Described) -> None:
    """Figure 1 of the ZeRO paper: 7.5B parameters on 64 accelerators."""
    stages = ("DDP", "ZeRO-1", "ZeRO-2", "ZeRO-3")
    rows = described("sharding", stages, model="any", params="7.5e9", n_gpus="64")
    found = parts(book, rows)
    states = (found["weights"] + found["gradients"] + found["optimizer"]) / GB
    assert states == pytest.approx([120, 31.4, 16.6, 1.9], rel=0.02)


def test_activations_match_the_paper(book: Book, described: Described) -> None:
    """GPT-3, one sequence: 4.8 GB when only the input of each layer is kept."""
    rows = described(
        model="any",
        params="175e9",
        layers="96",
        hidden="12288",
        heads="96",
        vocab="51200",
        seq_len="2048",
        micro_batch="1",
        n_gpus="1",
        act_ckpt="full",
        method="pretrain",
    )
    assert parts(book, rows)["activations"][0] == pytest.approx(4.83e9, rel=1e-2)


def test_each_precision_and_optimizer_has_its_bytes_per_parameter(
    book: Book, described: Described
) -> None:
    """Bytes of weights, gradients and optimizer states per parameter, on one accelerator."""
    cells = {
        ("bf16", "full AdamW"): 16,
        ("amp_bf16", "full AdamW"): 16,
        ("fp32", "full AdamW"): 16,
        ("bf16-true", "full AdamW"): 8,
        ("bf16", "full AdamW 8-bit"): 2 + 2 + 2 * (1 + 4 / 256),
        ("bf16", "full SGD"): 8,
        ("bf16", "full Lion"): 12,
        ("bf16", "full Adafactor"): 8,
        ("bf16", "full paged AdamW"): 8 - 4,
    }
    for (precision, method), bytes_ in cells.items():
        rows = described(
            model="any", params="1e9", precision=precision, method=method, n_gpus="1", sharding=""
        )
        found = parts(book, rows)
        states = (found["weights"] + found["gradients"] + found["optimizer"])[0]
        assert states == pytest.approx(bytes_ * 1e9), (precision, method)


def test_packed_weights_keep_embeddings_in_16_bits(book: Book, described: Described) -> None:
    rows = described(
        "precision",
        ("nf4", "nf4-dq", "bf16"),
        method="qlora",
        n_gpus="1",
        sharding="",
        model="Llama 3.1 8B",
        params="",
        act_ckpt="full",
    )
    without, double, plain = parts(book, rows)["weights"].tolist()
    kept, packed = 2 * 128256 * 4096, 8030261248 - 2 * 128256 * 4096
    own = 20971520 * 2  # adapters of rank 8 on all matrices
    assert without == pytest.approx(packed * 4.5 / 8 + 2 * kept + own)
    assert double == pytest.approx(packed * 4.126953125 / 8 + 2 * kept + own)
    assert plain == without  # the precision of QLoRA's weights, not of its matrix products


def test_logits_depend_on_how_the_loss_is_computed(book: Book, described: Described) -> None:
    def logits(layout: str) -> float:
        rows = described(model="Llama 3.1 8B", params="", act_ckpt="full", sharding=layout)
        return float(parts(book, rows)["logits"][0])

    whole = logits("ZeRO-1")
    assert logits("ZeRO-1 torchtune") == pytest.approx(0.35 * whole)
    assert logits("ZeRO-1 torchtitan") == pytest.approx(1.3 * whole)
    assert logits("ZeRO-1 Liger") < 0.2 * whole


def test_gradients_are_offloaded_with_the_states(book: Book, described: Described) -> None:
    assert parts(book, described(sharding="ZeRO-2 offload"))["gradients"][0] == 0
    assert parts(book, described(sharding="ZeRO-2"))["gradients"][0] > 0


def test_experts_are_sharded_once(book: Book, described: Described) -> None:
    """Expert parallelism splits the weights; ZeRO splits the optimizer states over what remains."""
    degrees = ("ZeRO-1 EP1", "ZeRO-1 EP4", "ZeRO-1 EP8")
    rows = described("sharding", degrees, model="Mixtral 8x7B", params="", n_gpus="8")
    found = parts(book, rows)
    assert (np.diff(found["weights"]) < 0).all()
    assert found["optimizer"] == pytest.approx([found["optimizer"][0]] * 3)


def test_inference_needs_only_weights_and_cache(book: Book, described: Described) -> None:
    rows = described(method="inference", n_gpus="1", sharding="", micro_batch="4", seq_len="2048")
    found = parts(book, rows)
    assert found["cache"][0] == pytest.approx(4 * 2048 * 2 * 32 * 4096 * 2)
    assert found["weights"][0] == pytest.approx(2 * 6738415616, rel=1e-6)
    assert not any(found[name][0] for name in ("gradients", "optimizer", "activations", "logits"))


def cached(book: Book, described: Described, model: str, length: int, **more: str) -> float:
    """The KV cache of one sequence, in GB per GPU."""
    one = {"method": "inference", "n_gpus": "1", "sharding": "", "micro_batch": "1", "params": ""}
    rows = described(**{**one, "model": model, "seq_len": str(length), **more})
    return float(parts(book, rows)["cache"][0]) / GB


@pytest.mark.parametrize(
    ("model", "length", "cache"),
    [
        ("DeepSeek-V3", 131_072, 61 * (512 + 64) * 2 * 131_072 / GB),
        ("DeepSeek-V2 Lite", 4096, 27 * (512 + 64) * 2 * 4096 / GB),
        ("Gemma 3 27B", 131_072, 4096 * 2 * (10 * 131_072 + 52 * 1024) / GB),
        ("Gemma 3 27B", 512, 4096 * 2 * 62 * 512 / GB),
        ("Mistral 7B v0.1", 32_768, 2048 * 2 * 32 * 4096 / GB),
        ("Mistral-7B-Instruct-v0.2", 32_768, 2048 * 2 * 32 * 32_768 / GB),
    ],
)
def test_the_cache_holds_what_attention_looks_back_at(
    book: Book, described: Described, model: str, length: int, cache: float
) -> None:
    assert cached(book, described, model, length) == pytest.approx(cache)


@given(length=some.integers(1, 200_000), more=some.integers(1, 10_000))
def test_a_longer_sequence_never_takes_a_smaller_cache(
    book: Book, described: Described, length: int, more: int
) -> None:
    for model in ("Gemma 3 27B", "DeepSeek-V3"):
        longer = cached(book, described, model, length + more)
        assert cached(book, described, model, length) <= longer


def test_tensor_parallelism_splits_heads_but_not_the_latent_vector(
    book: Book, described: Described
) -> None:
    def split(model: str, degree: int) -> float:
        layout = {"n_gpus": str(degree), "parallelism": f"TP{degree}"}
        return cached(book, described, model, 8192, **layout) / cached(book, described, model, 8192)

    assert split("DeepSeek-V3", 8) == 1
    assert split("Gemma 3 27B", 8) == pytest.approx(1 / 8)
    assert split("Llama 3 70B", 16) == pytest.approx(1 / 8)  # each of its 8 heads is on two GPUs


# ------------------------------------------------------------------ missing inputs


def test_unstated_settings_are_as_simple_as_memory_allows(book: Book, described: Described) -> None:
    cards = ("H200", "H100-80GB", "RTX A6000", "RTX 4090")
    rows = described(
        "hardware",
        cards,
        model="Llama 3.1 8B",
        params="",
        method="finetune-full",
        act_ckpt="",
        sharding="",
        n_gpus="1",
    )
    made = predict(book, "memory", rows)
    taken = [text.partition("assumed: ")[2].partition(";")[0] for text in made.method.tolist()]
    assert [len(text.split(",")) for text in taken] == sorted(len(t.split(",")) for t in taken)
    assert "8 bit" in taken[2]
    assert "host" in taken[3]
    assert (made.predicted < rows.memory).all()
    least = predict(book, "memory", described(model="Llama 3.1 8B", params="", act_ckpt=""))
    assert "recomputation" in least.method[0] or "taken" not in least.method[0]


def test_a_row_with_fewer_inputs_has_a_wider_range(book: Book, described: Described) -> None:
    whole = predict(book, "memory", described(method="lora"))
    for column in ("seq_len", "micro_batch", "act_ckpt"):
        part = predict(book, "memory", described(column, ("",), method="lora"))
        ratio = part.high / part.low, whole.high / whole.low
        assert ratio[0] > ratio[1], column


def test_a_row_with_assumed_settings_only_probably_fits(book: Book, described: Described) -> None:
    rows = described(
        "act_ckpt",
        ("full", ""),
        hardware="RTX A6000",
        method="lora",
        n_gpus="1",
        sharding="",
        micro_batch="8",
    )
    fitted = coefficients(book, "memory")
    assert memory.fits(book, rows, fitted)[0].tolist() == [True, False]
    assert "; fits;" in predict(book, "memory", rows).method[0]
    assert "; probably fits;" in predict(book, "memory", rows).method[1]
    unknown = described(hardware="", method="lora")
    assert not memory.fits(book, unknown, fitted)[0][0]
    assert "fit" not in predict(book, "memory", unknown).method[0].replace("fitted", "")


def test_a_row_that_does_not_fit_says_so(book: Book, described: Described) -> None:
    rows = described(hardware="L4", n_gpus="1", sharding="")
    assert "does not fit" in predict(book, "memory", rows).method[0]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"quantity": "KV bytes per token"}, "not the peak of one accelerator"),
        ({"model": "", "params": ""}, "parameters not stated"),
        ({"model": "Llama-3.1-8", "params": ""}, "unknown model 'Llama-3.1-8'; did you mean"),
        ({"method": "DPO"}, "compares answers"),
        ({"method": "GaLore"}, "projection"),
        ({"hardware": "H10"}, "unknown accelerator"),
    ],
)
def test_an_unsupported_row_says_why(described: Described, more: dict[str, str], says: str) -> None:
    assert says in unsupported("memory", described(**more))[0]


@pytest.mark.parametrize("text", ["peak GPU memory (max over GPUs)", "training peak", "Peak", ""])
def test_every_name_for_the_peak_is_understood(described: Described, text: str) -> None:
    assert unsupported("memory", described(quantity=text)).tolist() == [None]


@pytest.mark.parametrize(
    ("text", "optimizer", "rank", "offload"),
    [
        ("full, PagedAdamW8bit", "paged8", None, ""),
        ("full adamw_bnb_8bit", "adam8", None, ""),
        ("finetune-full", "", None, ""),
        ("full Adam", "adam", None, ""),
        ("LoRA r=16", "", 16, ""),
        ("peft-lora-rank32", "", 32, ""),
        ("lora-ds-offload", "", None, "optimizer"),
        ("pretrain with Muon", "momentum", None, ""),
    ],
)
def test_a_method_can_name_optimizer_rank_and_offloading(
    described: Described, text: str, optimizer: str, rank: float | None, offload: str
) -> None:
    rows = described(method=text)
    assert rows.optimizer[0] == optimizer
    assert rows.offload[0] == offload
    assert np.isnan(rows.rank[0]) if rank is None else rows.rank[0] == rank


def test_assumed_settings_do_not_depend_on_the_fit(book: Book, described: Described) -> None:
    rows = described(act_ckpt="", sharding="")
    plain, _ = settings.chosen(book, rows)
    whole = Footprint(book, rows, plain).figures(settings.ROUND)[WHOLE]
    again = predict(
        book, "memory", rows, {**coefficients(book, "memory"), "logits": 1.0, "unfused": 9.0}
    )
    texts = again.method[0], predict(book, "memory", rows).method[0]
    assert len({text.partition("and taken: ")[2] for text in texts}) == 1
    assert whole[0] <= settings.FILLED * rows.memory[0]


# ------------------------------------------------------------------ the score


def test_the_score_beats_the_rule_of_thumb(score: TaskScore) -> None:
    assert score.unseen.rows >= 120
    assert score.unseen.median < 1.15 < score.thumb.median
    assert score.unseen.p90 < score.thumb.p90
    assert 0.75 <= (score.unseen.family_coverage or 0) <= 0.85
    assert 0.75 <= (score.unseen.coverage or 0) <= 0.86


def test_no_run_predicted_to_fit_needs_more_memory(score: TaskScore) -> None:
    found = score.room
    assert found is not None
    assert found.fits > 60
    assert found.burst >= 4
    assert not found.fits_above
    assert not found.let
    assert len(found.above) <= 0.02 * found.rows


def test_a_run_wrongly_predicted_to_fit_is_an_error(book: Book, score: TaskScore) -> None:
    assert score.room is not None
    bad = replace(score, room=replace(score.room, fits_above=("one-run",), let=("another",)))
    said = [found.message for found in problems(book, {"memory": bad})]
    assert any(
        "'one-run' has the verdict 'fits', but took more than 1.1 times" in text for text in said
    )
    assert any("'another' has the verdict 'fits', but ran out of memory" in text for text in said)


def test_the_score_notices_verdicts_that_are_too_optimistic(
    book: Book, data: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_much(book: Book, rows: Cases, fitted: Coefficients) -> tuple[Flags, Array]:
        fit, _ = memory.fits(book, rows, fitted)
        return fit, 0.5 * _truth(data, rows)

    monkeypatch.setattr(room, "fits", too_much)
    found = room.room(book, data)
    assert len(found.above) == found.rows
    assert found.fits_above


def _truth(data: Published, rows: Cases) -> Array:
    known = dict(zip(data.cases.ids.tolist(), data.truth.tolist(), strict=True))
    return np.array([known[name] for name in rows.ids.tolist()])


def test_a_fit_with_other_coefficients_is_not_used(book: Book, described: Described) -> None:
    made = predict(book, "memory", described(), {"factor": 1.0, "low": 0.0, "high": 0.0})
    assert "other formulas" in made.unsupported[0]


#: Linear layers of Llama 3.1 8B and Qwen2.5 32B, and their embedding and head, in parameters.
SERVED = {
    "llama-3-1-8b": (6_979_588_096, 2 * 128_256 * 4096),
    "qwen2-5-32b": (31_206_298_624, 2 * 152_064 * 5120),
}
BITS = {
    "bf16": 16,
    "fp8": 8,
    "fp8 w8a8": 8,
    "int8": 8,
    "int4": 4 + 32 / 64,
    "nf4": 4 + 32 / 64,
    "nf4 double quantization": 4 + 8 / 64 + 32 / (64 * 256),
    "awq": 4 + (16 + 4) / 128,
    "GPTQ 4-bit": 4 + (16 + 4) / 128,
    "mxfp4": 4 + 8 / 32,
    "NVFP4": 4 + 8 / 16,
}


@pytest.mark.parametrize("model", SERVED)
@pytest.mark.parametrize("precision", BITS)
def test_weights_in_inference_are_stored_as_the_precision_says(
    book: Book, several: Several, model: str, precision: str
) -> None:
    row = {"model": model, "method": "inference", "hardware": "H100-80GB", "seq_len": "1024"}
    cases = several("memory", row, micro_batch="1", precision=precision)
    parts = memory.memory_components(book, cases, coefficients(book, "memory"))
    linear, kept = SERVED[model]
    assert parts["weights"] == pytest.approx([linear * BITS[precision] / 8 + 2 * kept], rel=1e-3)


@pytest.mark.parametrize(
    ("precision", "share"),
    [
        ("bf16", 1),
        ("FP8 weights, FP8 KV cache", 0.5),
        ("bf16, kv_cache_dtype=fp8_e4m3", 0.5),
        ("int8 kv cache", 0.5),
    ],
)
def test_a_cache_in_8_bits_takes_half(
    book: Book, several: Several, precision: str, share: float
) -> None:
    row = {"model": "llama-3-1-8b", "method": "serving", "hardware": "H100", "seq_len": "8192"}
    cases = several("memory", row, micro_batch="1", precision=precision)
    assert not cases.unread.any()
    parts = memory.memory_components(book, cases, coefficients(book, "memory"))
    assert parts["cache"] == pytest.approx([share * 32 * 2 * 8 * 128 * 8192 * 2])


@pytest.mark.parametrize(
    ("model", "gib"), [("Mistral-7B", 4.35), ("Llama 2 13B", 8.47), ("CodeLlama-34B", 19.05)]
)
def test_awq_takes_what_its_authors_measured(
    book: Book, several: Several, model: str, gib: float
) -> None:
    """README of AutoAWQ 0.1.6, batch 1, 64 tokens read and 64 written, on an RTX 4090."""
    row = {"model": model, "method": "inference", "hardware": "RTX 4090", "seq_len": "128"}
    made = predict(book, "memory", several("memory", row, micro_batch="1", precision="AWQ"))
    assert made.predicted / 2**30 == pytest.approx([gib], rel=0.16)
