"""Measures the memory of a step and its parts, on the device that runs it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

from scalesheet_bench.train.ledger import KINDS, Held, held
from scalesheet_bench.train.steps import Stepper

#: Passes of the profiled step: from the second on, they are all alike.
PASSES = 3


def measured(stepper: Stepper) -> Held | None:
    """Measure the memory of the next step, which must not be the first: the optimizer needs its
    state.

    The times of that step are useless, since the profiler records every allocation. None for a
    device whose allocations the profiler does not report.
    """
    device = stepper.device
    if device.type not in KINDS:
        return None
    gradients: dict[int, float] = {}
    gathered: list[dict[int, float]] = []
    stepper.after_forward = lambda: gathered.append(
        storages(stepper.model.parameters(), device.type)
    )
    stepper.before_update = lambda: gradients.update(
        storages((parameter.grad for parameter in stepper.trained), device.type)
    )
    weights = storages([*stepper.model.parameters(), *stepper.model.buffers()], device.type)
    states = stepper.optimizer.state.values()
    optimizer = storages((value for state in states for value in state.values()), device.type)
    before = None
    if device.type == "cuda":
        torch.cuda.synchronize()
        before = float(torch.cuda.memory_allocated(device))
    # without the device's own activity: the host reports what its allocator does
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        stepper.step(min(stepper.job.accumulation, PASSES))
    stepper.after_forward = stepper.before_update = lambda: None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        events = json.loads(path.read_text("utf-8"))["traceEvents"]
    return held(events, device.type, weights, optimizer, gradients, gathered, before)


def storages(tensors: Iterable[Any], device: str) -> dict[int, float]:
    """The memory of tensors on a device, each once: address and bytes.

    Includes the scales of 4-bit weights; of a tensor distributed over accelerators, the local part.
    """
    result: dict[int, float] = {}
    for tensor in tensors:
        for part in _parts(tensor):
            storage = part.untyped_storage()
            if part.device.type == device and storage.nbytes():
                result[storage.data_ptr()] = float(storage.nbytes())
    return result


def _parts(tensor: Any) -> list[Any]:
    """The plain tensors that make up a tensor."""
    if not isinstance(tensor, torch.Tensor):
        return []
    if hasattr(tensor, "to_local"):
        return [tensor.to_local()]
    parts = [tensor]
    scales = getattr(tensor, "quant_state", None)
    while scales is not None:
        parts += [part for part in vars(scales).values() if isinstance(part, torch.Tensor)]
        scales = getattr(scales, "state2", None)
    return parts
