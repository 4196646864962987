"""One step of AdamW and the time of its parts, each until the device has finished."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.profiler import record_function

from scalesheet.steps.job import Job
from scalesheet_bench.train.ledger import NAMED, PARTS

RATE = 1e-5  # learning rate: small, so that random weights hardly change
SCALE = 1024.0  # initial loss scale in 16-bit floating point


class Clock:
    """Times the parts of a step, by device events if available, or else by waiting at the end of
    each part."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self.began = 0.0
        self._marks: list[tuple[str, Any]] = []

    def start(self) -> None:
        """Start a step."""
        self._wait()
        self.began = time.perf_counter()
        self._marks = [("", self._now())]

    def mark(self, part: str) -> None:
        """End a part and start the next."""
        self._marks.append((part, self._now()))

    def stop(self) -> dict[str, float]:
        """Seconds of each part, and of the `whole` step."""
        self._wait()
        taken = dict.fromkeys(PARTS, 0.0)
        taken["whole"] = time.perf_counter() - self.began
        for (_, before), (part, after) in zip(self._marks, self._marks[1:], strict=False):
            taken[part] += self._between(before, after)
        return taken

    def _now(self) -> Any:
        if self.device.type == "cuda":
            event = torch.cuda.Event(enable_timing=True)
            event.record()
            return event
        self._wait()
        return time.perf_counter()

    def _between(self, before: Any, after: Any) -> float:
        if self.device.type == "cuda":
            return float(before.elapsed_time(after)) / 1000
        return float(after - before)

    def _wait(self) -> None:
        if self.device.type != "cpu":
            getattr(torch, self.device.type).synchronize()


class Stepper:
    """A model and its optimizer, ready to take steps."""

    def __init__(
        self,
        job: Job,
        model: Any,
        forward: Callable[..., Any],
        batches: Iterator[Any],
        device: Any,
        autocast: Any,
    ) -> None:
        self.job = job
        self.model = model
        self.forward = forward
        self.batches = batches
        self.device = device
        self.autocast = autocast
        self.clock = Clock(device)
        self.trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self.optimizer = torch.optim.AdamW(self.trained, lr=RATE)
        # 16-bit weights have 16-bit gradients, which the scaler refuses to unscale
        scaled = autocast is torch.float16
        self.scaler = torch.amp.GradScaler(device.type, init_scale=SCALE, enabled=scaled)
        #: Called at the end of the forward pass, and when the gradients of a step are complete.
        self.after_forward: Callable[[], None] = _nothing
        self.before_update: Callable[[], None] = _nothing

    def step(self, passes: int | None = None) -> dict[str, float]:
        """Take a step and return the seconds of its parts; `passes` defaults to all."""
        passes = passes or self.job.accumulation
        self.clock.start()
        for place in range(passes):
            last = place == passes - 1
            with self._gathered(last):
                self._pass(last)
        with record_function(NAMED["optimizer"]):
            self.scaler.step(self.optimizer)
            self.scaler.update()
            self.optimizer.zero_grad(set_to_none=True)
        self.clock.mark("optimizer")
        return self.clock.stop()

    @property
    def scale(self) -> float:
        """The loss scale. It falls when gradients overflow, and the step then skips the update."""
        return float(self.scaler.get_scale())

    def _pass(self, last: bool) -> None:
        with record_function(NAMED["data"]):
            tokens = next(self.batches).to(self.device, non_blocking=True)
        self.clock.mark("data")
        with record_function(NAMED["forward"]), self._cast():
            loss = self.forward(input_ids=tokens, labels=tokens, use_cache=False).loss
            if self.job.accumulation > 1:
                loss = loss / self.job.accumulation
            self.after_forward()
        self.clock.mark("forward")
        with record_function(NAMED["backward"]):
            self.scaler.scale(loss).backward()
            del loss, tokens
            if last:
                self.before_update()
        self.clock.mark("backward")

    def _cast(self) -> Any:
        if self.autocast is None:
            return contextlib.nullcontext()
        return torch.autocast(self.device.type, dtype=self.autocast)

    def _gathered(self, last: bool) -> Any:
        """Exchange gradients between accelerators only in the last pass."""
        if self.job.strategy == "fsdp":
            self.model.set_requires_gradient_sync(last)
        if self.job.strategy == "ddp" and not last:
            return self.forward.no_sync()  # type: ignore[attr-defined]  # ddp alone has it
        return contextlib.nullcontext()


def _nothing() -> None:
    """Do nothing by default."""
