"""How the words in rows are read, and what the catalogue adds to them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from scalesheet.book import Book
from scalesheet.predict.cases import Cases
from scalesheet.predict.cases import aliases as names
from scalesheet.predict.cases import free_text as texts
from scalesheet.predict.cases.reader import spelled_out

Given = Callable[..., Cases]


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("A100-80GB", "a100-sxm-80gb"),
        ("A100-SXM4-40GB", "a100-sxm-40gb"),
        ("NVIDIA A100 80 GB PCIe", "a100-pcie-80gb"),
        ("H100", "h100-sxm"),
        ("H100-80GB", "h100-sxm"),
        ("h100 pcie", "h100-pcie"),
        ("RTX 4090", "rtx4090"),
        ("GeForce RTX 4090", "rtx4090"),
        ("L4", "l4"),
        ("L40", "l40"),
        ("L40S", "l40s"),
        ("A10", "a10"),
        ("A10G", "a10g"),
        ("V100-32GB", "v100-sxm2-32gb"),
        ("TPUv4", "tpu-v4"),
        ("TPU v5p", "tpu-v5p"),
        ("GB200", "gb200"),
        ("B200", "b200"),
        ("mi300x", "mi300x"),
        ("NVIDIA H100 80GB HBM3", "h100-sxm"),
        ("Tesla V100-SXM3-32GB", "v100-sxm2-32gb"),
        ("Gaudi 2", "gaudi2"),
        ("H100s", "h100-sxm"),
        ("L40s", "l40s"),
        ("TPUv4 pod", "tpu-v4"),
        ("tpu-v3-8", "tpu-v3"),
        ("TPU v5 lite", "tpu-v5e"),
    ],
)
def test_an_accelerator_is_found_by_its_everyday_names(book: Book, name: str, row: str) -> None:
    assert names.accelerator(name, names.accelerators(book.tables["hardware"])).row == row


@pytest.mark.parametrize(
    "name",
    [
        "A1",
        "H10",
        "80GB",
        "SXM",
        "GPU",
        "L",
        "A100-81GB",
        "A100 H100",
        "A100/H100",
        "TPUv4 + TPUv5e",
        "RTX",
        "TPU",
        "Gaudi",
        "2",
        "X",
    ],
)
def test_a_name_of_no_accelerator_or_of_many_is_unknown(book: Book, name: str) -> None:
    found = names.accelerator(name, names.accelerators(book.tables["hardware"]))
    assert (found.row, bool(found.reason)) == ("", True)


def test_every_row_of_the_catalogue_is_found_by_its_id_and_title(book: Book) -> None:
    table = book.tables["hardware"]
    known = names.accelerators(table)
    for row, title in zip(table.rows, table.row_titles, strict=True):
        assert names.accelerator(row, known).row == row
        assert names.accelerator(title, known).row == row


def test_an_ambiguous_name_says_which_accelerator_was_taken(cases: Given) -> None:
    given = cases("runs", {"hardware": "A100 PCIe"}, {"hardware": "rtx4090"})
    assert given.assumed.tolist() == ["'A100 PCIe' taken for a100-pcie-40gb", ""]


def test_a_count_before_the_name_is_used_where_none_is_stated(cases: Given) -> None:
    given = cases("runs", {"hardware": "8x A100"}, {"hardware": "8 x A100", "n_gpus": 64})
    assert given.gpus.tolist() == [8, 64]


@pytest.mark.parametrize(
    ("text", "degrees", "zero"),
    [
        ("TP8 PP4 DP12 ZeRO", {"tensor": 8, "pipeline": 4, "data": 12}, 1),
        ("TP4 PP8 CP2 VP6", {"tensor": 4, "pipeline": 8, "context": 2, "virtual": 6}, None),
        ("tp=2, pp=1", {"tensor": 2, "pipeline": 1}, None),
        ("DP_8/1/4 (data/tensor/pipe)", {"data": 8, "tensor": 1, "pipeline": 4}, 0),
        ("12-way MP x 256-way FSDP", {"tensor": 12, "data": 256}, 3),
        ("TP8 PP16 DP64-128 (CP16 long ctx), FSDP", {"tensor": 8, "pipeline": 16, "data": 64}, 3),
        ("FULL_SHARD", {}, 3),
        ("SHARD_GRAD_OP", {}, 2),
        ("DDP", {}, 0),
        ("none", {}, 0),
        ("ZeRO-3 offload opt+params", {}, 3),
        ("P_os+g (stage2)", {}, 2),
        ("", {}, None),
    ],
)
def test_layouts_are_read(text: str, degrees: dict[str, float], zero: float | None) -> None:
    found = texts.layout(text)
    assert (dict(found.degrees), found.zero) == (degrees, zero)


@pytest.mark.parametrize(
    ("text", "products", "weights"),
    [
        ("bf16", "bf16", "16-bit"),
        ("amp_bf16", "bf16", "fp32"),
        ("amp_fp8", "fp8", "fp32"),
        ("bf16-true", "bf16", "16-bit"),
        ("nf4+fp16/bf16", "bf16", "nf4"),
        ("FP8", "fp8", "16-bit"),
        ("fp16", "fp16", "16-bit"),
        ("float32", "fp32", "fp32"),
        ("8-bit", "bf16", "int8"),
        ("16", "", "16-bit"),
        ("apex O2", "fp16", "fp32"),
    ],
)
def test_precisions_are_read(text: str, products: str, weights: str) -> None:
    found = texts.precision(text)
    assert (found.products, found.weights) == (products, weights)


def test_an_unknown_precision_is_reported(cases: Given) -> None:
    (reason,) = cases("runs", {"precision": "posit16"}).unsupported
    assert reason == "unknown precision 'posit16'"


@pytest.mark.parametrize(
    ("text", "method", "variant"),
    [
        ("pretrain-bench", "pretrain", ""),
        ("finetune-lora", "lora", ""),
        ("finetune-lora-nf4-dq", "qlora", ""),
        ("QLoRA", "qlora", ""),
        ("finetune-ia3", "adapter", "ia3"),
        ("finetune-full", "full", ""),
        ("full Adam", "full", ""),
        ("GaLore", "full", "galore"),
        ("finetune-sft", "full", ""),
    ],
)
def test_methods_are_read(text: str, method: str, variant: str) -> None:
    found = texts.method(text)
    assert (found.name, found.variant) == (method, variant)


def test_an_unstated_method_can_be_in_the_models_name(cases: Given) -> None:
    given = cases("throughput", {"task": "time-to-quality", "model": "Llama2-70B LoRA"})
    assert given.method.tolist() == ["lora"]


def test_peaks_are_those_of_the_precision(cases: Given) -> None:
    rows = [{"hardware": "H100", "precision": p} for p in ("bf16", "fp8", "")]
    given = cases("runs", *rows, {"hardware": "V100", "precision": "bf16"})
    assert given.peak.tolist() == pytest.approx([989.4e12, 1978.9e12, 989.4e12, 125e12])
    assert given.memory[0] == 80 * 2**30


def test_a_precision_that_an_accelerator_lacks_has_no_peak(cases: Given) -> None:
    given = cases("runs", {"hardware": "A100", "precision": "fp8"})
    assert np.isnan(given.peak).all()
    assert given.no_peak.tolist() == ["the catalogue has no dense fp8 peak of a100-sxm-40gb"]


def test_an_architecture_comes_from_the_models_name(cases: Given) -> None:
    given = cases(
        "runs",
        {"model": "Llama-2 7B Alpaca"},
        {"model": "meta-llama/Llama-3.1-8B"},
        {"model": "Llama 2 7B", "params_total": 70e9},
        {"model": "Llama 2 7B", "hidden": 4096, "layers": 32},
        {"model": "Mixtral 8x7B"},
    )
    assert given.model_id.tolist() == [
        "llama-2-7b",
        "llama-3-1-8b",
        "",
        "llama-2-7b",
        "mixtral-8x7b",
    ]
    assert given.hidden[:2].tolist() == [4096, 4096]
    assert given.kv_heads[:2].tolist() == [32, 8]
    assert given.parameters[0] == pytest.approx(6.74e9, rel=1e-3)
    assert given.active[4] < 0.3 * given.parameters[4]
    assert "architecture of llama-2-7b" in given.assumed[0]


def test_a_name_with_another_size_is_another_model(cases: Given) -> None:
    given = cases("runs", {"model": "GPT-3 6.7B"}, {"model": "GPT-3"}, {"model": "Foo 8x7B"})
    assert given.model_id.tolist() == ["", "gpt-3", ""]
    assert given.parameters[0] == 6.7e9
    assert given.assumed[0] == "parameters taken from the model's name, architecture estimated"
    assert given.hidden[0] == pytest.approx(4096, rel=0.05)
    assert np.isnan(given.parameters[2])


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("Llama-3.1-8B", 8e9),
        ("MPT-760m", 760e6),
        ("Qwen3-30B-A3B", 30e9),
        ("CodeLlama 34b x", 34e9),
    ],
)
def test_the_size_in_a_name_is_read(name: str, count: float) -> None:
    assert names.parameters(name) == count


def test_an_unknown_architecture_is_estimated_and_noted(cases: Given) -> None:
    given = cases("runs", {"params_total": 7e9}, {"params_total": 7e9, "layers": 32})
    assert given.assumed[0] == "architecture estimated from the parameters"
    blocks = 12 * given.layers * given.hidden**2
    assert blocks.tolist() == pytest.approx([7e9, 7e9], rel=0.1)
    assert not given.known.any()


def test_the_data_parallel_degree_follows_from_the_other_degrees(cases: Given) -> None:
    given = cases("throughput", {"parallelism": "TP8 PP4", "n_gpus": 1024}, {"n_gpus": 8}, {})
    assert given.data.tolist() == pytest.approx([32, 8, np.nan], nan_ok=True)


def test_a_selection_of_cases_has_the_selected_rows(cases: Given) -> None:
    given = cases("runs", {"hardware": "A100"}, {"hardware": "H100"})
    part = given.only(np.array([False, True]))
    assert part.accelerator.tolist() == ["h100-sxm"]
    assert len(part) == 1


def test_every_model_is_found_by_its_id_and_by_its_title(
    book: Book, cases: Callable[..., Cases]
) -> None:
    """Also when digits in an id look like another number of parameters."""
    models = book.tables["models"]
    for called in (models.rows, models.row_titles):
        found = cases("throughput", *({"model": name} for name in called))
        assert found.model_id.tolist() == list(models.rows)


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("meta-llama/Meta-Llama-3.1-8B-Instruct", "llama-3-1-8b"),
        ("Meta-Llama-3-8B", "llama-3-8b"),
        ("Llama 3.3 70B", "llama-3-1-70b"),
        ("LLaMA-33B Guanaco OASST1", "llama-33b"),
        ("Llama 7B", "llama-7b"),
        ("LLAMA2-7B", "llama-2-7b"),
        ("codellama/CodeLlama-34b-Instruct-hf", "codellama-34b"),
        ("deepseek-ai/DeepSeek-R1", "deepseek-v3"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "qwen2-5-7b"),
        ("Qwen/Qwen2.5-Coder-7B-Instruct", "qwen2-5-7b"),
        ("Qwen/Qwen3-235B-A22B-Instruct-2507", "qwen3-235b-a22b"),
        ("Google Gemma 2 9B", "gemma-2-9b"),
        ("google/gemma-3-4b-it", "gemma-3-4b"),
        ("Phi-1 1.3B", "phi-1-5"),
        ("Phi-3.5-MoE", "phi-3-5-moe"),
        ("phi-1.5", "phi-1-5"),
        ("bigscience/bloomz-7b1", "bloom-7b1"),
        ("llm.c GPT-2 1558M", "gpt-2-xl"),
        ("gpt2-medium", "gpt-2-medium"),
        ("GPT-J 6B Dolly", "gpt-j-6b"),
        ("StarCoderBase 15.5B", "starcoderbase"),
        ("Falcon 180B", "falcon-180b"),
        ("OPT-13B", "opt-13b"),
        ("Gopher 280B", ""),
        ("Google", ""),
        ("", ""),
    ],
)
def test_a_model_is_found_by_its_everyday_names(book: Book, name: str, row: str) -> None:
    assert names.model(name, names.models(book.tables["models"])) == row


def test_no_two_models_share_a_name(book: Book) -> None:
    table = book.tables["models"]
    known = names.models(table)
    for row, title in zip(table.rows, table.row_titles, strict=True):
        for name in (row, title, *table.row_aliases.get(row, ())):
            assert names.model(name, known) == row, name


@pytest.mark.parametrize(
    ("text", "flash"),
    [
        ("HF+FA2", "yes"),
        ("GPT3-2.7B FA1", "first"),
        ("FULL_SHARD, Triton attention", "first"),
        ("flash-attention", "yes"),
        ("GPT3-2.7B noFA", "no"),
        ("without flash attention", "no"),
        ("HF", ""),
        ("FALCON-7B", ""),
    ],
)
def test_attention_kernels_are_read(text: str, flash: str) -> None:
    assert texts.flash(text) == flash


def test_attention_kernels_can_be_in_the_models_name(cases: Given) -> None:
    named = {"params": 2.7e9, "hardware": "A100"}
    given = cases(
        "throughput",
        {"model": "GPT3-2.7B noFA", **named},
        {"model": "GPT3-2.7B", "parallelism": "FA2", **named},
    )
    assert given.flash.tolist() == ["no", "yes"]


def test_a_token_passes_through_half_of_an_encoder_decoder(cases: Given) -> None:
    sizes = {"params_total": 1.1e10, "params_active": 1.1e10}
    given = cases(
        "runs",
        {"model": "T5-11B", **sizes},
        {"model": "T5-11B", **sizes, "params_active": 6e9},
        {"model": "GPT5T", **sizes},
    )
    assert given.active.tolist() == [5.5e9, 6e9, 1.1e10]
    assert "encoder" in given.assumed[0]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("~1T", 1e12),
        ("about 300 billion tokens", 3e11),
        ("2048 GPUs", 2048),
        ("6.7 billion", 6.7e9),
        ("16K", 16e3),
        ("over 15T", None),
        ("15T+", None),
        ("64 nodes", None),
        ("8x7B", None),
        ("tokens", None),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, number: float | None) -> None:
    assert spelled_out(text) == number
