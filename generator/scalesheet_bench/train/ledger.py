"""Ledger: what memory held at each moment of a step, from the events of a profiler's trace.

PyTorch's profiler tells each allocation and each release with its address, bytes and time, as the
allocator counts them, so what is held is known to the byte at every moment of the step.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

PARTS = ("data", "forward", "backward", "optimizer")
#: What the spans of a step are called in a profiler's trace.
NAMED = {part: f"scalesheet {part}" for part in PARTS}
KINDS = {"cpu": 0, "cuda": 1}  # of devices, as the trace numbers them

#: Memory by the address of its first byte, in bytes.
Storages = Mapping[int, float]


@dataclass
class Block:
    """Memory from its allocation to its release; in bytes and the trace's microseconds."""

    address: int
    size: float
    made: float
    freed: float = inf

    def held(self, when: float) -> bool:
        return self.made <= when < self.freed


@dataclass(frozen=True)
class Held:
    """What a step held, in bytes.

    `gradients` is the most of them at once and `activations` what the last forward pass left; what
    is there of the two at the peak has a name of its own. `working` is what is there at the peak
    beyond weights, gradients, optimizer and activations. `moment` is the part that the peak is in.
    """

    peak: float
    average: float
    weights: float
    gradients: float
    optimizer: float
    activations: float
    working: float
    gradients_at_peak: float
    activations_at_peak: float
    moment: str


@dataclass(frozen=True)
class Span:
    """A part of the step, in the trace's microseconds."""

    part: str
    begin: float
    end: float


def spans_of(events: Sequence[Mapping[str, Any]]) -> list[Span]:
    """The parts of the step, in order."""
    parts = {name: part for part, name in NAMED.items()}
    result = [
        Span(parts[event["name"]], float(event["ts"]), float(event["ts"]) + float(event["dur"]))
        for event in events
        if event.get("cat") == "user_annotation" and event.get("name") in parts
    ]
    return sorted(result, key=lambda span: span.begin)


def held(
    events: Sequence[Mapping[str, Any]],
    device: str,
    weights: Storages,
    optimizer: Storages,
    gradients: Storages,
    gathered: Sequence[Collection[int]] = (),
    before: float | None = None,
) -> Held:
    """What a step held, from the trace of it alone and where its lasting tensors are.

    `gradients` are those there when the step's last backward pass ends; `gathered` are, for each
    forward pass, where weights are when it ends: FSDP leaves some that it has brought together,
    which are neither its weights nor activations. `before` is what the
    allocator held when the step began; without it, weights, optimizer state and the gradients that
    no event of the step makes.
    """
    spans = spans_of(events)
    changes = sorted(
        (float(event["ts"]), int(event["args"]["Addr"]), float(event["args"]["Bytes"]))
        for event in events
        if event.get("name") == "[memory]" and event["args"]["Device Type"] == KINDS[device]
    )
    blocks = _blocks(changes)
    complete = max(span.end for span in spans if span.part == "backward")
    passing = [block for block in blocks if block.address in gradients and block.held(complete)]
    lasting = sum(gradients.values()) - sum(gradients[block.address] for block in passing)
    kept = sum(weights.values()) + sum(optimizer.values())
    start = kept + lasting if before is None else before
    when, peak, average = _levels(changes, start, spans[0].begin, spans[-1].end)
    gradients_then = lasting + sum(
        gradients[block.address] for block in passing if block.held(when)
    )
    apart = {id(block) for block in passing}
    passes = [span.end for span in spans if span.part == "forward"]
    brought = gathered or [()] * len(passes)
    left = [
        [
            block
            for block in blocks
            if block.held(end) and id(block) not in apart and block.address not in weights_there
        ]
        for end, weights_there in zip(passes, brought, strict=True)
    ]
    now = spans[bisect_right([span.begin for span in spans], when) - 1]
    mine = _pass_of(when, spans)
    activations_then = sum(block.size for block in left[mine] if block.held(when))
    return Held(
        peak=peak,
        average=average,
        weights=sum(weights.values()),
        gradients=sum(gradients.values()),
        optimizer=sum(optimizer.values()),
        activations=sum(block.size for block in left[-1]),
        working=peak - kept - gradients_then - activations_then,
        gradients_at_peak=gradients_then,
        activations_at_peak=activations_then,
        moment=now.part,
    )


def _blocks(changes: Sequence[tuple[float, int, float]]) -> list[Block]:
    """The memory that the step itself allocates."""
    blocks: list[Block] = []
    there: dict[int, Block] = {}
    for when, address, size in changes:
        if size > 0:
            there[address] = Block(address, size, when)
            blocks.append(there[address])
        elif address in there:
            there.pop(address).freed = when
    return blocks


def _levels(
    changes: Sequence[tuple[float, int, float]], start: float, begin: float, end: float
) -> tuple[float, float, float]:
    """When the most was held, the most, and the mean over the time from begin to end."""
    level, since, total = start, begin, 0.0
    best = (begin, start)
    for when, _, size in changes:
        at = min(max(when, begin), end)
        total += level * (at - since)
        since = at
        level += size
        if level > best[1]:
            best = (when, level)
    total += level * (end - since)
    return best[0], best[1], total / (end - begin)


def _pass_of(when: float, spans: Sequence[Span]) -> int:
    """The number, from 0, of the pass that a moment belongs to; the update belongs to the last."""
    begun = sum(span.part == "data" and span.begin <= when for span in spans)
    return max(0, begun - 1)
