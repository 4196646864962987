"""Models: a transformers model with random weights, counted before it takes memory.

It is built without memory for its weights, counted, given its adapters, distributed over
accelerators if needed, and only then filled, tensor by tensor.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from scalesheet.steps.families import configured
from scalesheet.steps.faults import Unbuildable
from scalesheet.steps.job import Job, Shape

DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
LONGEST = 300  # characters of a library's error that are quoted
SPREAD = 0.02  # standard deviation of the random weights


def skeleton(job: Job) -> Any:
    """The model without memory for weights and buffers, checked against the counted size."""
    from transformers import AutoConfig, AutoModelForCausalLM
    from transformers import __version__ as version
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as KNOWN

    shape = job.model
    settings = configured(shape, job.length)
    kind = settings.pop("model_type", None)
    if kind is None:
        raise Unbuildable(
            f"the configuration of {shape.title} names no model_type, which says what is built: "
            "take the config.json of the model as its developer published it"
        )
    if kind not in KNOWN:
        raise Unbuildable(
            f"transformers {version} has no language model of the type {kind}, which "
            f"{shape.title} is: a newer one may have it"
        )
    attention = "eager" if job.attention == "eager" else "sdpa"
    try:
        config = AutoConfig.for_model(kind, **settings)
        with torch.device("meta"):
            model = AutoModelForCausalLM.from_config(
                config, dtype=kept_in(job), attn_implementation=attention
            )
    except (ValueError, TypeError, KeyError, AttributeError, ImportError) as error:
        if "scaled_dot_product_attention" in str(error):
            raise Unbuildable(
                f"transformers has {kind}, which {shape.title} is, with eager attention only: "
                "measure with eager attention"
            ) from error
        raise Unbuildable(
            f"{shape.title} cannot be built by transformers as {kind} with {job.attention} "
            f"attention: {first_line(error)}"
        ) from error
    _counted(model, shape)
    _long_enough(model, job)
    return model


def kept_in(job: Job) -> Any:
    """The format of the weights; with 4-bit weights, that of the others."""
    if job.weights == "nf4":
        return DTYPES["bf16" if job.precision in ("bf16", "fp32", "tf32") else job.precision]
    return DTYPES[job.weights]


def first_line(error: BaseException) -> str:
    """The message of a library's error, on one line."""
    lines = str(error).strip().splitlines()
    line = lines[0] if lines else type(error).__name__
    return line if len(line) <= LONGEST else line[:LONGEST] + " ..."


def _counted(model: Any, shape: Shape) -> None:
    """Raise Unbuildable if the model's size is not the shape's, with or without stored buffers."""
    held = sum(parameter.numel() for parameter in model.parameters())
    stored = set(model.state_dict())
    buffers = sum(tensor.numel() for name, tensor in model.named_buffers() if name in stored)
    if round(shape.parameters) not in (held, held + buffers):
        raise Unbuildable(
            f"{shape.title} has {shape.parameters:,.0f} parameters, and what transformers builds "
            f"of its shape, {type(model).__name__}, has {held:,}: these are different models; "
            "correct "
            "the row, or give the config.json of the model"
        )


def _long_enough(model: Any, job: Job) -> None:
    """Raise Unbuildable for sequences longer than a position table; rotary positions have no
    limit."""
    config = model.config
    most = getattr(config, "max_position_embeddings", None)
    if getattr(config, "rope_parameters", None) is None and most and job.length > most:
        raise Unbuildable(
            f"{job.model.title} takes sequences of at most {most} tokens, and the job has "
            f"{job.length}: shorten them"
        )


def blocks(model: Any) -> Any:
    """The transformer blocks, in order."""
    layers = model.config.num_hidden_layers
    for module in model.modules():
        if isinstance(module, nn.ModuleList) and len(module) == layers:
            return module
    raise Unbuildable(
        f"{type(model).__name__} has no list of {layers} blocks, so it cannot be measured"
    )


def fill(inner: Any, model: Any, device: Any, seed: int) -> None:
    """Fill every unallocated tensor with random values on the device; tied weights stay tied.

    `inner` is the transformers model inside `model`; they may be the same.
    """
    torch.manual_seed(seed)
    made: dict[int, Any] = {}
    for module in model.modules():
        for name, parameter in list(module.named_parameters(recurse=False)):
            if not parameter.is_meta:
                continue
            if id(parameter) not in made:
                values = torch.empty(parameter.shape, dtype=parameter.dtype, device=device)
                randomise(name, values)
                made[id(parameter)] = nn.Parameter(values, requires_grad=parameter.requires_grad)
            setattr(module, name, made[id(parameter)])
    _fill_buffers(inner, device)


def fill_spread(inner: Any, model: Any, device: Any, seed: int) -> None:
    """The same for a model that FSDP has distributed: each process fills its part."""
    torch.manual_seed(seed)
    model.to_empty(device=device)
    inner.tie_weights()
    for name, parameter in model.named_parameters():
        randomise(name.rpartition(".")[2], parameter)
    _fill_buffers(inner, device)


def _fill_buffers(inner: Any, device: Any) -> None:
    """Fill buffers (rotary frequencies, slopes, masks) by the model's own rule."""
    for module in inner.modules():
        held = dict(module.named_buffers(recurse=False))
        for name, buffer in held.items():
            module._buffers[name] = torch.zeros_like(buffer, device=device)
        if held:
            with torch.no_grad():
                inner._init_weights(module)


def randomise(name: str, values: Any) -> None:
    """Random weights; norms are 1 and biases 0, as at initialization."""
    with torch.no_grad():
        if values.dim() > 1:
            values.normal_(0, SPREAD)
        else:
            values.fill_(0.0 if "bias" in name else 1.0)
