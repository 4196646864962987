"""Node types: names from price lists, launch scripts and papers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from scalesheet.book import Book
from scalesheet.predict.cases import Cases
from scalesheet.predict.cases.catalogue import Known, named
from scalesheet.predict.tasks import predict
from scalesheet.predict.time.steps import Work

Several = Callable[..., Cases]
ROW = {"model": "Llama 3 8B", "task": "pretrain", "seq_len": "8192", "micro_batch": "1"}
#: Name -> accelerator, how many, and GB/s of each to other nodes, if known.
NODES = {
    "p5.48xlarge": ("h100-sxm", 8, 50),
    "AWS p5.48xlarge": ("h100-sxm", 8, 50),
    "16 p5.48xlarge nodes": ("h100-sxm", 128, 50),
    "p5.48xlarge x 16": ("h100-sxm", 128, 50),
    "ml.p4d.24xlarge": ("a100-sxm-40gb", 8, 6.25),
    "4 x p4d.24xlarge": ("a100-sxm-40gb", 32, 6.25),
    "a3-megagpu-8g": ("h100-sxm", 8, 25),
    "2x a3-highgpu-8g": ("h100-sxm", 16, 12.5),
    "ND H100 v5": ("h100-sxm", 8, 50),
    "Standard_ND96isr_H100_v5": ("h100-sxm", 8, 50),
    "Azure ND H200 v5-series": ("h200-sxm", 8, 50),
    "ND96amsr_A100_v4": ("a100-sxm-80gb", 8, None),
    "a2-ultragpu-8g": ("a100-sxm-80gb", 8, None),
    "g5.12xlarge": ("a10g", 4, None),
    "gpu_8x_h100_sxm5": ("h100-sxm", 8, None),
    "trn1.32xlarge": ("trainium1", 16, 6.25),
    "8 x DGX H100": ("h100-sxm", 8, 50),  # accelerators, as before
    "8 x H100": ("h100-sxm", 8, None),
    "H200 (4/node)": ("h200-sxm", None, None),
}


@pytest.mark.parametrize("name", NODES)
def test_a_node_type_gives_its_accelerators_and_network(catalogue: Known, name: str) -> None:
    found, (row, count, network) = named(name, catalogue), NODES[name]
    assert (found.row, found.reason, found.count) == (row, None, count)
    if network is None:
        assert found.network is None or np.isnan(found.network)
    else:
        assert found.network == pytest.approx(network * 1e9)


@pytest.mark.parametrize("name", ["p9.48xlarge", "a3-banana-8g", "ND K2000 v5", "16 nodes"])
def test_an_unknown_node_type_is_not_guessed(catalogue: Known, name: str) -> None:
    reason = named(name, catalogue).reason
    assert reason is not None
    assert reason.startswith(f"unknown accelerator '{name}'")


def test_a_slow_network_makes_a_run_on_several_nodes_slower(book: Book, several: Several) -> None:
    names = ("p5.48xlarge", "a3-megagpu-8g", "a3-highgpu-8g")
    cases = several("throughput", ROW, "hardware", names, n_gpus="64", sharding="FSDP")
    assert cases.gpus.tolist() == [64, 64, 64]
    assert Work(cases, book).beyond_node == pytest.approx([50 / 450, 25 / 450, 12.5 / 450])
    fast, middle, slow = predict(book, "throughput", cases).predicted
    assert fast > middle > slow
    within = several("throughput", ROW, "hardware", names, sharding="FSDP")  # one node each
    assert within.gpus.tolist() == [8, 8, 8]
    assert len(set(predict(book, "throughput", within).predicted)) == 1


def test_a_node_of_four_leads_to_the_network_sooner(book: Book, several: Several) -> None:
    names = ("g5.12xlarge", "A10G")
    small, plain = predict(
        book,
        "throughput",
        several("throughput", ROW, "hardware", names, n_gpus="8", sharding="FSDP"),
    ).predicted
    assert small < plain


def test_a_stated_network_is_divided_among_the_accelerators_of_a_node(
    book: Book, several: Several
) -> None:
    speeds = ("100", "1600", "3200")
    cases = several("throughput", {**ROW, "hardware": "V100"}, "network", speeds, n_gpus="32")
    assert cases.network.tolist() == [100e9 / 64, 1600e9 / 64, 3200e9 / 64]
    alone = several("throughput", {**ROW, "hardware": "V100"}, "network", speeds, n_gpus="2")
    assert alone.network.tolist() == [100e9 / 16, 1600e9 / 16, 3200e9 / 16]
