"""Ledger: the memory in use at each moment of a step, from the events of a profiler's trace.

PyTorch's profiler reports each allocation and release with address, bytes and time, as the
allocator counts them, so memory is known to the byte at every moment of the step.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

PARTS = ("data", "forward", "backward", "optimizer")
#: The names of a step's spans in a profiler's trace.
NAMED = {part: f"scalesheet {part}" for part in PARTS}
KINDS = {"cpu": 0, "cuda": 1}  # device types, as numbered in the trace

#: Sizes in bytes, by the address of the first byte.
Storages = Mapping[int, float]


@dataclass
class Block:
    """Memory from its allocation to its release; in bytes, and microseconds of the trace."""

    address: int
    size: float
    made: float
    freed: float = inf

    def held(self, when: float) -> bool:
        return self.made <= when < self.freed


@dataclass(frozen=True)
class Held:
    """The memory of a step, in bytes.

    `gradients` is their maximum and `activations` what the last forward pass left; their sizes at
    the peak have names of their own. `working` is the rest at the peak, besides weights, gradients,
    optimizer and activations. `moment` is the part of the step with the peak.
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
    """A part of the step, in microseconds of the trace."""

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
    """The memory of a step, from its trace and the addresses of its lasting tensors.

    `gradients` are those at the end of the step's last backward pass. `gathered` has, for each
    forward pass, the addresses of weights at its end: FSDP leaves some gathered weights there,
    which are neither its own weights nor activations. `before` is what the allocator held when the
    step began; by default weights, optimizer state and the gradients that no event of the step
    allocates.
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
    """The blocks that the step itself allocates."""
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
    """The time of the maximum, the maximum, and the mean from begin to end."""
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
    """The number, from 0, of the pass at a moment; the update belongs to the last."""
    begun = sum(span.part == "data" and span.begin <= when for span in spans)
    return max(0, begun - 1)
