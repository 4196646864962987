"""Mixtures of experts, latent attention and windows in training: FLOP, memory and throughput."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from scalesheet.book import Book
from scalesheet.predict.cases import Cases
from scalesheet.predict.fits import coefficients
from scalesheet.predict.memory import memory_components
from scalesheet.predict.tasks import predict
from scalesheet.predict.time.steps import Work

Several = Callable[..., Cases]
STATED = {
    "model": "DeepSeek-V3",
    "seq_len": "4096",
    "hardware": "GB200",
    "n_gpus": "256",
    "precision": "bf16",
    "task": "pretrain-bench",
    "micro_batch": "1",
    "global_batch_seqs": "4096",
    "act_ckpt": "none",
    "parallelism": "PP4 EP64 ZeRO-1",
}


def work(book: Book, rows: Cases) -> Work:
    return Work(rows, book)


def test_the_flop_per_token_match_the_publication(book: Book, several: Several) -> None:
    # NVIDIA's summary gives 3,848 tokens/s for 961 TFLOP/s, without multi-token prediction
    rows = several("throughput", STATED, "id", ["r"])
    made = work(book, rows).figures(["product_parameters", "attended", "score_width"], {})
    width = made["score_width"] * rows.heads
    flop = 6 * made["product_parameters"] + 6 * rows.layers * width * made["attended"]
    assert flop[0] == pytest.approx(961e12 / 3848, rel=0.01)


def test_latent_attention_and_experts_add_up_to_the_active_parameters(
    book: Book, several: Several
) -> None:
    rows = several("throughput", STATED, "id", ["r"])
    made = work(book, rows).figures(
        ["layer_parameters", "lookup", "embedding_tables", "expert_parameters"], {}
    )
    counted = made["layer_parameters"] + made["embedding_tables"] * made["lookup"]
    assert counted[0] == pytest.approx(rows.active[0], rel=0.01)
    assert made["expert_parameters"][0] == 58 * 256 * 3 * 7168 * 2048


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("micro_batch", ("1", "2", "4")),
        ("parallelism", ("PP4 EP64 ZeRO-1", "PP4 EP8 ZeRO-1", "PP4 ZeRO-1")),
    ],
)
def test_the_layout_of_a_mixture_changes_its_throughput(
    book: Book, several: Several, column: str, values: tuple[str, ...]
) -> None:
    made = predict(book, "throughput", several("throughput", STATED, column, values))
    assert len(set(np.round(made.predicted, 6).tolist())) == len(values), made.predicted


def test_a_larger_micro_batch_is_no_slower_for_a_mixture(book: Book, several: Several) -> None:
    # without a pipeline, whose bubble grows with the micro-batch
    plain = {**STATED, "parallelism": "EP64 ZeRO-1"}
    rows = several("throughput", plain, "micro_batch", ("1", "2", "4", "8"))
    made = predict(book, "throughput", rows).predicted
    assert (np.diff(made) > 0).all(), made


def test_expert_parallelism_reduces_memory_of_weights(book: Book, several: Several) -> None:
    layouts = ("PP16 EP1 ZeRO-1", "PP16 EP4 ZeRO-1", "PP16 EP8 ZeRO-1", "PP16 EP16 ZeRO-1")
    rows = several("memory", STATED, "parallelism", layouts)
    weights = memory_components(book, rows, coefficients(book, "memory"))["weights"]
    assert (np.diff(weights) < 0).all()
    # embeddings, attention, shared experts and three dense layers, in 16 bits on 16 stages
    least = 2 * ((671.03e9 - 653.91e9 - 2 * 0.927e9) / 16 + 0.927e9) / 1e9
    assert weights[-1] / 1e9 == pytest.approx(least + 2 * 653.91 / 16 / 16, rel=0.01)


def test_windows_save_attention_only_in_their_layers(book: Book, several: Several) -> None:
    rows = several(
        "throughput",
        {**STATED, "model": "Gemma 3 27B", "parallelism": ""},
        "seq_len",
        ("131072", "1024"),
    )
    attended = work(book, rows).figures(["attended"], {})["attended"]
    assert attended[1] == 1024
    assert (
        0.16 * 131072 < attended[0] < 0.19 * 131072
    )  # 10 of 62 layers attend to the whole sequence


def test_a_mixture_has_a_wider_range_than_a_dense_model(book: Book, several: Several) -> None:
    rows = several(
        "throughput",
        {**STATED, "parallelism": "ZeRO-1"},
        "model",
        ("Qwen3 30B-A3B", "Qwen3 32B"),
    )
    made = predict(book, "throughput", rows)
    spread = np.log(made.high / made.low)
    assert spread[0] > 1.5 * spread[1]
