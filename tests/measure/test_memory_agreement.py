"""The catalogue's memory count agrees with measurements to within five per cent, part by part."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

pytest.importorskip("torch", reason="real steps are taken with PyTorch")
pytest.importorskip("transformers", reason="models are built by transformers")
pytest.importorskip("peft", reason="adapters are those of PEFT")

from scalesheet.book import Book
from scalesheet.steps.families import configured
from scalesheet.steps.footprint import Footprint
from scalesheet.steps.job import Effort, Job, Shape
from scalesheet_bench.train import memory, models, run
from scalesheet_bench.train.quiet import quiet
from shipped import shipped

WITHIN = 0.05
#: Share of the peak; smaller parts are not compared.
SMALL = 0.05
PLAIN: dict[str, Any] = {
    "gated": False,
    "norm": "layernorm",
    "qkv_bias": True,
    "output_bias": True,
    "ffn_bias": True,
    "kv_heads": 6,
    "ffn": 768,
}
BARE: dict[str, Any] = {**PLAIN, "qkv_bias": False, "output_bias": False, "ffn_bias": False}
#: A model for each kind of block, by its name in transformers.
MODELS: dict[str, dict[str, Any]] = {
    "llama": {},
    "qwen2": {"qkv_bias": True, "tied": True},
    "qwen3": {"qk_norm": "head", "tied": True, "heads": 4, "head_dim": 64, "layers": 3},
    "gpt2": {**PLAIN, "tied": True, "positions": 512, "max_sequence": 512},
    "gpt_neox": PLAIN,
    "opt": {**PLAIN, "tied": True, "positions": 514, "max_sequence": 512},
    "starcoder2": {**PLAIN, "kv_heads": 2},
    "phi": {**PLAIN, "block_norms": 1, "head_bias": True},
    "gemma2": {"block_norms": 4, "tied": True},
    "gemma3_text": {"block_norms": 4, "qk_norm": "head", "tied": True},
    "olmo": {"norm": "none", "kv_heads": 6},
    "olmo2": {"qk_norm": "width", "kv_heads": 6},
    "stablelm": {"norm": "layernorm", "kv_heads": 6},
    "bloom": {**PLAIN, "embedding_norm": True, "tied": True},
    "mpt": {**BARE, "norm": "layernorm-no-bias", "tied": True},
}
HALF = {"precision": "bf16", "weights": "bf16"}
AUTOCAST = {"precision": "bf16", "weights": "fp32"}
SAVED = {"checkpointing": True, "length": 128}
LORA = {"method": "LoRA"}
QLORA = {"method": "QLoRA", "precision": "bf16", "weights": "nf4"}
EAGER = {"attention": "eager"}
COMMON = [
    {},
    HALF,
    AUTOCAST,
    {**SAVED},
    {**HALF, **SAVED},
    {**AUTOCAST, **SAVED},
    LORA,
    {**LORA, **HALF},
    {**LORA, **HALF, **SAVED},
    {"accumulation": 2},
    {"batch": 1, "length": 32},
    {**EAGER, **HALF, **SAVED, "batch": 2, "length": 256},
    QLORA,
]
#: The settings with which each kind of block is measured; all others keep their defaults.
JOBS: dict[str, list[dict[str, Any]]] = {
    **dict.fromkeys(("llama", "gpt2", "gpt_neox"), COMMON),
    "qwen2": [HALF, {**LORA, **AUTOCAST}, {**QLORA, **SAVED}, {**AUTOCAST, "accumulation": 3}],
    "qwen3": [{}, {**AUTOCAST}, {**LORA, **HALF}, {**EAGER, **HALF}],
    "opt": [HALF, SAVED, {**LORA, **SAVED}],
    **{key: [{}, {**HALF, **SAVED}] for key in ("starcoder2", "phi", "olmo", "stablelm")},
    **{key: [HALF, SAVED, {**LORA, **HALF}] for key in ("gemma3_text", "olmo2")},
    **{key: [{**EAGER, **HALF}, {**EAGER, **SAVED}] for key in ("gemma2", "bloom", "mpt")},
}


def cases() -> Iterator[Any]:
    for kind, listed in JOBS.items():
        for settings in listed:
            words = " ".join(f"{key}={value}" for key, value in settings.items())
            yield pytest.param(kind, settings, id=f"{kind} {words or 'plain'}")


@cache
def shape(kind: str) -> Shape:
    """A small model of this kind, with the number of parameters that transformers counts."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    sizes: dict[str, Any] = {
        "id": "",
        "title": kind,
        "layers": 4,
        "hidden": 192,
        "heads": 6,
        "kv_heads": 2,
        "head_dim": 32,
        "ffn": 512,
        "vocab": 2000,
        "tied": False,
        "gated": True,
        "parameters": 0.0,
        "active_parameters": 0.0,
    }
    said = MODELS[kind]
    more = {key: value for key, value in said.items() if key not in sizes}
    own = {key: value for key, value in said.items() if key in sizes}
    made = Shape(**{**sizes, **own}, more=more)
    settings = dict(configured(made, 512))
    assert settings.pop("model_type") == kind
    with torch.device("meta"):
        config = AutoConfig.for_model(kind, **settings)
        model = AutoModelForCausalLM.from_config(config, attn_implementation="eager")
    count = float(sum(parameter.numel() for parameter in model.parameters()))
    return replace(made, parameters=count, active_parameters=count)


def held(job: Job) -> Any:
    """The measured memory of a step of the job."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with warnings.catch_warnings():
            quiet()
            # PEFT warns about GPT-2, which has its own kind of layer
            warnings.filterwarnings("ignore", message="fan_in_fan_out is set to False")
            device, inner = torch.device("cpu"), models.skeleton(job)
            stepper = run.made(job, Effort(), 0, device, inner, lambda message: None)
            stepper.step()
            found = memory.measured(stepper)
    finally:
        torch.set_num_threads(threads)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def book() -> Book:
    found = shipped().book
    assert found is not None
    return found


@pytest.mark.parametrize(("kind", "settings"), list(cases()))
def test_predicted_memory_matches_measured_memory(
    book: Book, kind: str, settings: dict[str, Any]
) -> None:
    if settings.get("weights") == "nf4":
        pytest.importorskip("bitsandbytes", reason="4-bit weights are those of bitsandbytes")
    plain = Job(
        shape(kind), "epyc-9005-2-cores", precision="fp32", weights="fp32", batch=4, length=64
    )
    job = replace(plain, **settings)
    found = held(job)
    predicted = Footprint(book, job).parts
    measured = {
        "peak_memory": found.peak,
        "weights_memory": found.weights,
        "gradients_memory": found.gradients,
        "optimizer_memory": found.optimizer,
        "activations_memory": found.activations,
        "working_memory": found.working,
    }
    off = {
        part: f"{predicted[part]:,.0f} predicted, {size:,.0f} measured"
        for part, size in measured.items()
        if size > SMALL * found.peak and abs(predicted[part] / size - 1) > WITHIN
    }
    assert off == {}


def test_the_grid_has_enough_cases() -> None:
    """The comparison means little with fewer."""
    assert len(list(cases())) >= 60
