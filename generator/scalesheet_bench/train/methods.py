"""Full fine-tuning, LoRA and QLoRA, applied to a model whose weights are not allocated yet."""

from __future__ import annotations

import importlib
from typing import Any

import torch
from torch import nn

from scalesheet.steps.faults import Missing, Unbuildable
from scalesheet.steps.job import Job
from scalesheet_bench.train.models import blocks, first_line, kept_in, randomise


def needed(job: Job) -> list[str]:
    """The libraries that a job needs besides PyTorch."""
    names = ["transformers"]
    if job.method != "full":
        names.append("peft")
    if job.weights == "nf4":
        names.append("bitsandbytes")
    return names


def present(job: Job) -> None:
    """Import the libraries that the job needs. Raises Missing."""
    for name in needed(job):
        try:
            importlib.import_module(name)
        except ImportError as error:
            raise Missing(name) from error


def checked(job: Job) -> None:
    """Raise Unbuildable for a job with contradictory settings."""
    if (job.method == "QLoRA") != (job.weights == "nf4"):
        raise Unbuildable(
            f"{job.method} with weights in {job.weights}: only QLoRA keeps weights in nf4; change "
            "the method or the weights"
        )
    if job.precision == "tf32" and job.device != "cuda":
        raise Unbuildable(
            f"tf32 exists only on NVIDIA's accelerators, and the device is {job.device}: use fp32"
        )
    narrow = {"fp16", "bf16"}
    if job.weights in narrow and job.precision != job.weights:
        raise Unbuildable(
            f"weights in {job.weights} are multiplied in {job.weights}, but the job says "
            f"{job.precision}: use {job.weights} for both, or keep the weights in fp32"
        )
    if job.weights == "nf4" and job.strategy == "fsdp":
        raise Unbuildable("FSDP does not shard 4-bit weights here: use ddp, or LoRA")
    if (job.gpus > 1) == (job.strategy == "single"):
        raise Unbuildable(
            f"{job.gpus} accelerators with the strategy {job.strategy}: use single for one, ddp "
            "or fsdp for several"
        )


def prepared(model: Any, job: Job, device: Any) -> Any:
    """Prepare the model for the method: 4-bit weights on the device, and adapters, if it has them.

    Everything but 4-bit weights stays unallocated.
    """
    if job.weights == "nf4":
        _quantise(model, device)
    if job.checkpointing:
        # deprecated name, needed before transformers 5.20 or so
        enable = getattr(model, "activation_checkpointing_enable", None)
        try:
            (enable or model.gradient_checkpointing_enable)({"use_reentrant": False})
        except ValueError as error:
            raise Unbuildable(
                f"{job.model.title} cannot recompute its activations: {first_line(error)}; "
                "measure it without checkpointing"
            ) from error
    model.config.use_cache = False
    model.train()
    return model if job.method == "full" else _adapted(model, job)


def linears(model: Any) -> list[tuple[str, Any]]:
    """The linear layers of the blocks by their full names, including GPT-2's Conv1D."""
    from transformers.pytorch_utils import Conv1D

    inside = {id(module) for module in blocks(model).modules()}
    return [
        (name, module)
        for name, module in model.named_modules()
        if id(module) in inside and isinstance(module, nn.Linear | Conv1D)
    ]


def _adapted(model: Any, job: Job) -> Any:
    """Add adapters to all linear layers of the model's blocks; only they are trained."""
    from peft import LoraConfig, get_peft_model

    names = [name for name, _ in linears(model)]
    config = LoraConfig(
        r=job.rank, lora_alpha=2 * job.rank, lora_dropout=0.0, bias="none", target_modules=names
    )
    return get_peft_model(model, config, low_cpu_mem_usage=True)


def _quantise(model: Any, device: Any) -> None:
    """Replace the linear layers by 4-bit NormalFloat layers with double quantization.

    One by one, so that the whole 16-bit model never exists.
    """
    import bitsandbytes
    from transformers.pytorch_utils import Conv1D

    if any(parameter.dim() > 2 for parameter in blocks(model).parameters()):
        raise Unbuildable(
            f"the experts of {model.config.model_type} are not linear layers in transformers, and "
            "bitsandbytes would leave them in 16 bits: use LoRA"
        )

    for name, linear in linears(model):
        rows, columns = linear.weight.shape
        if isinstance(linear, Conv1D):
            rows, columns = columns, rows
        wide = torch.empty(rows, columns, dtype=linear.weight.dtype, device=device)
        randomise("weight", wide)
        kept = bitsandbytes.nn.Linear4bit(
            columns,
            rows,
            bias=linear.bias is not None,
            compute_dtype=linear.weight.dtype,
            compress_statistics=True,
            quant_type="nf4",
            device="meta",
        )
        kept.weight = bitsandbytes.nn.Params4bit(
            wide, requires_grad=False, compress_statistics=True, quant_type="nf4", module=kept
        ).to(device)
        if linear.bias is not None:
            bias = torch.zeros(rows, dtype=linear.weight.dtype, device=device)
            kept.bias = nn.Parameter(bias, requires_grad=False)
        parent, _, last = name.rpartition(".")
        setattr(model.get_submodule(parent), last, kept)
    for parameter in model.parameters():
        parameter.requires_grad_(False)


def computed_in(job: Job) -> Any:
    """The type of autocast; None if weights are as wide as products.

    PEFT keeps adapters in 32 bits, whatever the weights, so with them 16-bit products always use
    autocast, as in a trainer.
    """
    if job.precision not in ("fp16", "bf16"):
        return None
    if job.weights == "fp32" or job.method != "full":
        return torch.bfloat16 if job.precision == "bf16" else torch.float16
    return None


__all__ = ["checked", "computed_in", "kept_in", "linears", "needed", "prepared", "present"]
