"""The device of a process, and a model distributed over several with PyTorch's DDP or FSDP."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import torch
from torch import distributed

from scalesheet.steps.faults import NoDevice, Unbuildable
from scalesheet.steps.job import Job
from scalesheet_bench.train.models import blocks, fill, fill_spread

BACKENDS = {"cpu": "gloo", "cuda": "nccl", "xpu": "xccl"}


def number() -> int:
    """The number of this process in the job, from 0, as set by torchrun."""
    return int(os.environ.get("RANK", "0"))


def device_of(job: Job) -> Any:
    """The device of this process. Raises NoDevice if there is none, or too few."""
    place = int(os.environ.get("LOCAL_RANK", "0"))
    if job.device == "cpu":
        return torch.device("cpu")
    kind = getattr(torch, job.device, None)
    if kind is None or not hasattr(kind, "is_available") or not kind.is_available():
        raise NoDevice(
            f"PyTorch {torch.__version__} finds no {job.device} device on this machine: install "
            "its driver and a PyTorch that is built for it, measure on the cpu, or simulate"
        )
    count = kind.device_count()
    if count < job.gpus:
        raise NoDevice(
            f"the job takes {job.gpus} {job.device} devices and this machine has {count}: "
            "use fewer, or simulate"
        )
    device = torch.device(job.device, place)
    if job.device != "mps":
        kind.set_device(device)
    return device


def bounded(device: Any, memory: float | None) -> float | None:
    """Limit the memory of an accelerator; return the bytes available to the run, None if
    unknown."""
    if device.type != "cuda":
        return memory
    total = float(torch.cuda.get_device_properties(device).total_memory)
    if memory is not None and memory < total:
        torch.cuda.set_per_process_memory_fraction(memory / total, device)
        return memory
    return total


def joined(job: Job, device: Any) -> None:
    """Join the other processes of the job."""
    if job.gpus == 1:
        return
    if job.device not in BACKENDS:
        raise Unbuildable(f"several devices of kind {job.device} cannot work together: use one")
    if device.type == "cuda":
        distributed.init_process_group(BACKENDS[job.device], device_id=device)
    else:
        distributed.init_process_group(BACKENDS[job.device])


def spread(job: Job, inner: Any, model: Any, device: Any, seed: int) -> Callable[..., Any]:
    """Fill the model on the device, alone or with the others, and return the function to call with
    a batch.

    `inner` is the transformers model inside `model`; they may be the same.
    """
    if job.strategy == "fsdp":
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard

        mesh = init_device_mesh(device.type, (job.gpus,))
        for block in blocks(inner):
            fully_shard(block, mesh=mesh)
        fully_shard(model, mesh=mesh)
        fill_spread(inner, model, device, seed)
    else:
        fill(inner, model, device, seed)
    forward = model
    if job.strategy == "ddp":
        forward = torch.nn.parallel.DistributedDataParallel(
            model,
            device_ids=None if device.type == "cpu" else [device.index],
            gradient_as_bucket_view=True,
        )
    made: Callable[..., Any] = torch.compile(forward) if job.compiled else forward
    return made


def agreed(job: Job, device: Any, stop: bool) -> bool:
    """Return whether to stop, as decided by the first process."""
    if job.gpus == 1:
        return stop
    flag = torch.tensor([float(stop)], device=device)
    distributed.broadcast(flag, src=0)
    return bool(flag.item())


def left(job: Job) -> None:
    """Leave the other processes of the job."""
    if job.gpus > 1 and distributed.is_initialized():
        distributed.destroy_process_group()
