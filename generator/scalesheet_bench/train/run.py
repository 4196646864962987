"""Runs a job from building the model to the last timed step, and reports each result."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from scalesheet.steps.faults import NotMeasured, OutOfMemory, Unbuildable
from scalesheet.steps.job import Effort, Job
from scalesheet_bench.train import batches, engines, environment, memory, methods, models
from scalesheet_bench.train.power import Meter, meter
from scalesheet_bench.train.spread import known
from scalesheet_bench.train.steps import Stepper

Send = Callable[[dict[str, Any]], None]
OPERATORS = 25  # rows of the profiler's table
GIB = 2**30


def run(job: Job, effort: Effort, trace: str, send: Send, stop: Callable[[], bool]) -> None:
    """Measure a job; `send` takes each message, and `stop` says whether to end after this step.

    `trace` is a folder for the profiler's results, or ''.
    """
    methods.checked(job)
    methods.present(job)
    device = engines.device_of(job)
    tell: Send = send if engines.number() == 0 else _silent
    tell({"is": "say", "text": f"building {job.model.title}"})
    # the libraries are loaded before the memory limit is set, so the limit is the run's own
    inner = models.skeleton(job)
    if device.type == "cpu":
        had = min(environment.free_memory() / job.gpus, effort.memory or float("inf"))
        environment.limited(had)
    else:
        had = engines.bounded(device, effort.memory) or float("inf")
    engines.joined(job, device)
    try:
        stages(job, effort, trace, engines.number(), device, inner, tell, stop)
    except NotMeasured:
        raise
    except (RuntimeError, MemoryError, ValueError) as error:
        raise named(error, job, had) from error
    engines.left(job)  # not after an error: others may wait for this process, which then just ends


def stages(
    job: Job,
    effort: Effort,
    trace: str,
    rank: int,
    device: Any,
    inner: Any,
    tell: Send,
    stop: Callable[[], bool],
) -> None:
    """Run the stages in order, from a model without memory: see `run`."""
    # the host of an accelerator is little used; there, only the spread of times matters
    disturbed = environment.busy() if device.type == "cpu" else ""
    tell(
        {
            "is": "environment",
            "text": environment.text_of(device),
            "libraries": environment.versions(methods.needed(job)),
        }
    )
    torch.set_float32_matmul_precision("high" if job.precision == "tf32" else "highest")
    stepper = made(job, effort, rank, device, inner, tell)
    with _kernel(job):
        tell({"is": "say", "text": "first step" + (", which compiles" if job.compiled else "")})
        stepper.step()
        tell({"is": "say", "text": "measuring memory"})
        result = memory.measured(stepper)
        if result is not None:
            tell({"is": "memory", **asdict(result)})
        if trace and rank == 0:
            _profiled(stepper, Path(trace))
        elif trace:
            stepper.step()  # all processes must take the same steps
        for _ in range(max(0, effort.warmup - 2)):
            stepper.step()
        tell({"is": "data", "seconds": batches.making_time(job, effort)})
        tell({"is": "say", "text": "timing"})
        _timed(job, effort, device, stepper, tell, stop, disturbed)


def made(job: Job, effort: Effort, rank: int, device: Any, inner: Any, tell: Send) -> Stepper:
    """The model on its device with an optimizer and batches, ready to step."""
    parameters = sum(parameter.numel() for parameter in inner.parameters())
    built = type(inner).__name__  # FSDP renames it
    linears = methods.linears(inner)
    model = methods.prepared(inner, job, device)
    trained = sum(part.numel() for part in model.parameters() if part.requires_grad)
    forward = engines.spread(job, inner, model, device, effort.seed)
    tell(
        {
            "is": "model",
            "class": built,
            "parameters": parameters,
            "trained": trained,
            "adapters": 0 if job.method == "full" else len(linears),
            "experts": any(part.dim() > 2 for part in models.blocks(inner).parameters()),
        }
    )
    loader = batches.loader(job, effort, rank)
    return Stepper(job, model, forward, loader, device, methods.computed_in(job))


def _timed(
    job: Job,
    effort: Effort,
    device: Any,
    stepper: Stepper,
    tell: Send,
    stop: Callable[[], bool],
    disturbed: str,
) -> None:
    """Run steps until the mean is known, and collect what the device reported meanwhile."""
    gauge = meter(device.type, _uuid(device))
    others = environment.Others()
    environment.forget_peak()
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    times: list[float] = []
    words = [disturbed] if disturbed else []
    scale = stepper.scale
    gauge.start()
    others.start()
    began = time.perf_counter()
    ended = False
    while not ended:
        parts = stepper.step()
        times.append(parts["whole"])
        gauge.look()
        tell({"is": "step", **parts})
        ended = known(times, effort, time.perf_counter() - began) or stop()
        ended = engines.agreed(job, device, ended)
    if stepper.scale < scale:
        words.append("gradients overflowed in fp16, and some steps had no update")
    tell(_after(job, effort, device, gauge, others, words))


def _after(
    job: Job,
    effort: Effort,
    device: Any,
    gauge: Meter,
    others: environment.Others,
    words: list[str],
) -> dict[str, Any]:
    """The results after the last step; `words` are disturbances so far."""
    alone = device.type == "cpu" and job.gpus == 1 and effort.workers == 0
    share = others.share() if alone else None
    if share is not None and share > environment.MOST_OTHERS:
        words.append(f"others used {share:.0%} of the processor")
    if gauge.trouble:
        words.append(gauge.clocks())
    data = {
        "is": "after",
        "power": gauge.stop(),
        "clocks": gauge.clocks(),
        "disturbed": "; ".join(words),
        "process": environment.resident_peak(),
    }
    if device.type == "cuda":
        data["reserved"] = torch.cuda.max_memory_reserved(device)
    return data


def _profiled(stepper: Stepper, folder: Path) -> None:
    """Write the profiler's results for a step: a trace for a viewer, and the longest operators."""
    from torch.profiler import ProfilerActivity, profile

    cuda = stepper.device.type == "cuda"
    activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if cuda else [])
    with profile(activities=activities, record_shapes=True) as profiler:
        stepper.step()
    folder.mkdir(parents=True, exist_ok=True)
    profiler.export_chrome_trace(str(folder / "trace.json"))
    order = "self_cuda_time_total" if cuda else "self_cpu_time_total"
    table = profiler.key_averages().table(sort_by=order, row_limit=OPERATORS)
    (folder / "operators.txt").write_text(table, encoding="utf-8")


@contextlib.contextmanager
def _kernel(job: Job) -> Iterator[None]:
    """Restrict attention to PyTorch's flash kernel if the job says so."""
    if job.attention != "flash":
        yield
        return
    from torch.nn.attention import SDPBackend, sdpa_kernel

    with sdpa_kernel([SDPBackend.FLASH_ATTENTION]):
        yield


def _uuid(device: Any) -> str:
    """The driver's id of an accelerator."""
    if device.type != "cuda":
        return ""
    return f"GPU-{torch.cuda.get_device_properties(device).uuid}"


def named(error: Exception, job: Job, had: float) -> Exception:
    """Translate an error of PyTorch into its meaning for the job; unknown errors stay as they
    are."""
    text = str(error)
    if is_memory(error):
        asked = _asked(text)
        wanted = "more" if asked is None else f"{asked / GIB:.2f} GiB more"
        limit = f" of {had / GIB:.2f} GiB" if had < float("inf") else ""
        return OutOfMemory(
            f"out of memory on {job.device}{limit}: {job.model.title}, {job.method}, micro-batch "
            f"{job.batch} of {job.length} tokens, asked for {wanted}: take a smaller micro-batch, "
            "shorter sequences, checkpointing, or another method",
            asked,
            had if had < float("inf") else None,
        )
    if "No available kernel" in text or "No viable backend" in text:
        return Unbuildable(
            f"PyTorch has no flash attention for {job.precision} on this {job.device} device: "
            "measure with sdpa, which uses the best kernel available"
        )
    if "Failed to find C compiler" in text or ("compiler" in text and job.compiled):
        return Unbuildable(
            "torch.compile finds no compiler on this machine: install one (a C++ compiler for the "
            f"cpu), or measure without it ({models.first_line(error)})"
        )
    return error


def is_memory(error: Exception) -> bool:
    """Return whether an error means out of memory."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    signs = ("can't allocate memory", "not enough memory", "out of memory", "bad_alloc")
    return any(sign in str(error) for sign in signs)


def _asked(text: str) -> float | None:
    """The bytes requested by a failed allocation, if its error states them."""
    result = re.search(r"tried to allocate ([\d.]+) (bytes|KiB|MiB|GiB)", text, re.IGNORECASE)
    if result is None:
        return None
    scale = {"bytes": 1, "kib": 2**10, "mib": 2**20, "gib": 2**30}
    return float(result[1]) * scale[result[2].lower()]


def _silent(data: dict[str, Any]) -> None:
    """Ignore a message: only the first process reports."""
