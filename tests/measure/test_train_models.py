"""The catalogue's language models are built with the parameter counts of their rows, or refused
with a reason; every family that is built can take steps."""

from __future__ import annotations

import math
import sys
import warnings
from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="models are built with PyTorch")

import torch
from tiny_steps import job, llama, steps

from scalesheet.steps.families import configured
from scalesheet.steps.job import Job, Shape
from scalesheet_bench.train import Missing, NoDevice, OutOfMemory, Unbuildable
from scalesheet_bench.train.engines import device_of
from scalesheet_bench.train.methods import checked, present
from scalesheet_bench.train.models import skeleton
from scalesheet_bench.train.quiet import quiet
from scalesheet_bench.train.run import named
from shipped import shipped

SIZES = ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab")
OTHERS = ("tied", "gated", "parameters", "active_parameters")
#: Families that transformers supports only with eager attention.
EAGER = ("BLOOM", "GPT-J", "Gemma 2", "MPT")
#: Models with parts that no family of ours has: attention sinks, biases of routers, state-space or
#: gated linear layers.
UNLIKE = {
    *("gemma-4-26b-a4b", "glm-4-5-air", "glm-4-5", "gpt-oss-120b", "gpt-oss-20b"),
    *("granite-4-h-small", "granite-4-h-tiny", "ling-mini-2-0", "minimax-m2", "minimax-m3"),
    *("qwen3-5-0-8b", "qwen3-next-80b-a3b", "step-3-5-flash"),
}


def catalogue() -> dict[str, Shape]:
    """The rows of the catalogue as shapes."""
    from scalesheet.evaluate import evaluate_catalogue

    book = shipped().book
    assert book is not None
    results = evaluate_catalogue(book)
    columns = {name: found.value for name, found in results.tables["models"].items()}
    table = book.tables["models"]
    shapes = {}
    for place, (name, title) in enumerate(zip(table.rows, table.row_titles, strict=True)):
        row = {key: values[place] for key, values in columns.items()}
        stated = {
            key: value
            for key, value in row.items()
            if not (isinstance(value, float) and math.isnan(value))
        }
        sizes = {key: int(row[key]) for key in SIZES}
        shapes[name] = Shape(name, title, **sizes, **{key: row[key] for key in OTHERS}, more=stated)
    return shapes


def built(shape: Shape) -> str:
    """The class of the built model, without memory for its weights."""
    attention = "eager" if shape.title.startswith(EAGER) else "sdpa"
    with warnings.catch_warnings():
        quiet()
        return type(skeleton(Job(shape, "any", length=16, attention=attention))).__name__


def test_every_language_model_of_the_catalogue_is_built_with_its_count():
    """Only those with a vision tower, or unlike any family, are refused, with a reason."""
    refused, classes = {}, {}
    for name, shape in catalogue().items():
        try:
            classes[name] = built(shape)
        except Unbuildable as fault:
            refused[name] = str(fault)
    unlike = {name for name, text in refused.items() if "has a vision tower" not in text}
    assert unlike == UNLIKE
    assert all("these are different models" in refused[name] for name in unlike)
    assert len(classes) >= 120
    for name, expected in {
        "qwen2-5-0-5b": "Qwen2ForCausalLM",
        "llama-3-1-8b": "LlamaForCausalLM",
        "pythia-70m": "GPTNeoXForCausalLM",
        "opt-125m": "OPTForCausalLM",
        "gpt-2": "GPT2LMHeadModel",
        "deepseek-v3": "DeepseekV3ForCausalLM",
        "qwen3-8b": "Qwen3ForCausalLM",
        "gemma-2-2b": "Gemma2ForCausalLM",
        "bloom-560m": "BloomForCausalLM",
        "falcon-7b": "FalconForCausalLM",
        "mixtral-8x7b": "MixtralForCausalLM",
    }.items():
        assert classes[name] == expected


def test_a_count_that_differs_from_the_row_is_refused_with_both_counts():
    with pytest.raises(
        Unbuildable, match=r"has 1,000 parameters, and what .* has 426,624: these are"
    ):
        built(replace(llama(), parameters=1000.0))


def small(name: str) -> Shape:
    """A small version of a catalogue model, with all its parts."""
    shape = catalogue()[name]
    kv_heads = {1: 1, shape.heads: 4}.get(shape.kv_heads, 2)
    more = dict(shape.more) | {"max_sequence": 64}
    if more.get("positions"):
        more["positions"] = 64 + (2 if name.startswith("opt") else 0)
    if more.get("experts"):
        more |= {"experts": 4, "experts_active": min(2, more["experts_active"]), "expert_ffn": 32}
        more["dense_layers"] = min(1, more["dense_layers"])
        more["experts_shared"] = min(1, more["experts_shared"])
    if more.get("kv_rank"):
        more |= {"kv_rank": 16, "rope_dim": 8, "value_dim": 16}
        more["query_rank"] = min(16, more["query_rank"])
    made = replace(
        shape,
        layers=2,
        hidden=64,
        heads=4,
        kv_heads=kv_heads,
        head_dim=16,
        ffn=256,
        vocab=128,
        more=more,
    )
    from transformers import AutoConfig, AutoModelForCausalLM

    config = configured(made, 16)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model(**config))
    count = float(sum(parameter.numel() for parameter in model.parameters()))
    return replace(made, parameters=count)


@pytest.mark.parametrize(
    "name",
    [
        "bloom-560m",
        "deepseek-moe-16b",
        "deepseek-v2-lite",
        "deepseek-v3",
        "falcon-7b",
        "falcon-40b",
        "gemma-2-2b",
        "gemma-3-1b",
        "gpt-2",
        "gpt-j-6b",
        "llama-4-scout",
        "mixtral-8x7b",
        "mpt-7b",
        "olmo-1b",
        "olmo-2-7b",
        "olmoe-1b-7b",
        "opt-125m",
        "phi-2",
        "phi-3-5-moe",
        "pythia-70m",
        "qwen1-5-moe-a2-7b",
        "qwen2-5-0-5b",
        "qwen3-0-6b",
        "qwen3-30b-a3b",
        "stablelm-2-1-6b",
        "starcoder2-3b",
        "starcoderbase",
    ],
)
def test_every_family_takes_steps(name):
    with warnings.catch_warnings():
        quiet()
        shape = small(name)
    attention = "eager" if shape.title.startswith(EAGER) else "sdpa"
    record, told = steps(job(model=shape, length=16, attention=attention))
    assert told.messages["model"]["parameters"] == shape.parameters
    assert record.figures["step_time"].value > 0
    assert record.figures["weights_memory"].value >= 4 * shape.parameters


def test_experts_get_no_adapters_and_are_not_quantized():
    """transformers keeps them in one tensor, which neither PEFT nor bitsandbytes can split."""
    with warnings.catch_warnings():
        quiet()
        shape = small("mixtral-8x7b")
    record, _ = steps(job(model=shape, length=16, method="LoRA"))
    assert "Adapters on 8 linear layers and none on its experts" in record.note
    with pytest.raises(Unbuildable, match="bitsandbytes would leave them in 16 bits: use LoRA"):
        steps(job(model=shape, length=16, method="QLoRA", weights="nf4", precision="bf16"))


def test_a_model_is_built_from_its_configuration():
    config = {
        "model_type": "qwen2",
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "vocab_size": 128,
        "tie_word_embeddings": True,
        "architectures": ["Qwen2ForCausalLM"],
        "torch_dtype": "bfloat16",
        "transformers_version": "4.40.0",
        "use_cache": True,
    }
    block = 2 * 64 + 2 * 64 * 64 + 2 * 64 * 32 + 64 + 2 * 32 + 3 * 64 * 128
    shape = replace(llama(), config=config, parameters=128 * 64 + 64 + 2 * block, vocab=128)
    assert built(shape) == "Qwen2ForCausalLM"
    with pytest.raises(Unbuildable, match="names no model_type"):
        built(replace(shape, config={"hidden_size": 64}))
    with pytest.raises(Unbuildable, match="has no language model of the type abacus, which Tiny"):
        built(replace(shape, config={"model_type": "abacus"}))
    with pytest.raises(Unbuildable, match="has no language model of the type qwen2_vl"):
        built(replace(shape, config={"model_type": "qwen2_vl"}))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"method": "QLoRA"}, "only QLoRA keeps weights in nf4"),
        ({"weights": "nf4"}, "only QLoRA keeps weights in nf4"),
        ({"weights": "bf16"}, "use bf16 for both, or keep the weights in fp32"),
        ({"gpus": 2}, "use single for one, ddp or fsdp for several"),
        ({"strategy": "ddp"}, "use single for one, ddp or fsdp for several"),
        ({"precision": "tf32"}, "tf32 exists only on NVIDIA's accelerators"),
    ],
)
def test_a_job_that_contradicts_itself_is_refused(settings, says):
    with pytest.raises(Unbuildable, match=says):
        checked(job(**settings))


def test_sequences_longer_than_a_table_of_positions_are_refused():
    with pytest.raises(Unbuildable, match=r"at most 64 tokens, and the job has 65: shorten them"):
        skeleton(job(model=small("gpt-2"), length=65))


def test_unsupported_attention_is_refused_with_the_supported_kinds():
    with pytest.raises(Unbuildable, match=r"bloom, which .* is, with eager attention only"):
        skeleton(job(model=small("bloom-560m"), length=16))


def test_a_missing_device_is_reported():
    with pytest.raises(NoDevice, match=r"finds no xpu device .* measure on the cpu, or simulate"):
        device_of(job(device="xpu"))
    with pytest.raises(NoDevice, match="finds no abacus device"):
        device_of(job(device="abacus"))


def test_a_missing_library_is_reported_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "peft", None)
    present(job())
    with pytest.raises(Missing, match=r"peft is not installed: pip install 'scalesheet\[bench\]'"):
        present(job(method="LoRA"))


@pytest.mark.parametrize(
    ("error", "kind", "asked"),
    [
        (
            torch.OutOfMemoryError(
                "CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total"
            ),
            OutOfMemory,
            2.5 * 2**30,
        ),
        (
            RuntimeError(
                "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't "
                "allocate memory: you tried to allocate 4096 bytes. Error code 12"
            ),
            OutOfMemory,
            4096,
        ),
        (MemoryError(), OutOfMemory, None),
        (RuntimeError("No available kernel. Aborting execution."), Unbuildable, None),
    ],
)
def test_an_error_of_pytorch_is_translated_to_its_meaning(error, kind, asked):
    fault = named(error, job(), 3e9)
    assert type(fault) is kind
    assert getattr(fault, "needed", None) == asked


def test_an_unknown_error_is_left_unchanged():
    error = RuntimeError("mat1 and mat2 shapes cannot be multiplied")
    assert named(error, job(), 3e9) is error
