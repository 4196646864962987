"""The rates of links between the devices of a machine. Each of several children runs this.

    python -m torch.distributed.run --standalone --nproc-per-node 2 \
        -m scalesheet_bench.ladder.links '{"device": "cuda", "seconds": 20}'
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from time import perf_counter
from typing import Any

from scalesheet_bench.ladder.lines import leave, teller
from scalesheet_bench.ladder.rates import Rate, What, rate_of

#: Message sizes in bytes, including those in which gradients are exchanged.
SIZES = (1 << 20, 1 << 24, 1 << 26, 1 << 28)
FEWEST, MOST = 3, 20  # repetitions
ELEMENT = 4  # bytes


def links(device: str, seconds: float) -> Iterator[Rate]:
    """Yield the rates in byte/s of an all-reduce among all and of a message from the first to the
    second.

    For an all-reduce it is the bus bandwidth as nccl-tests define it: 2 (n - 1) / n of the message
    size over the time, which is what each of n devices must send with any algorithm. The time is
    that of the slowest device.
    """
    import torch
    import torch.distributed as dist

    rank, ranks = dist.get_rank(), dist.get_world_size()
    place = f"{device}:{rank}" if device != "cpu" else "cpu"
    wait: Callable[[], Any] = (
        (lambda: None) if device == "cpu" else torch.get_device_module(device).synchronize
    )
    sum_of = torch.ones(1, device=place)
    dist.all_reduce(sum_of)
    if float(sum_of) != ranks:
        raise ArithmeticError(f"an all-reduce of ones gave {float(sum_of):g}, expected {ranks}")

    def slowest(seconds: float) -> float:
        worst = torch.tensor(
            [seconds], dtype=torch.float64 if device == "cpu" else torch.float32, device=place
        )
        dist.all_reduce(worst, op=dist.ReduceOp.MAX)
        return float(worst)

    def timed(operation: Callable[[], object]) -> float:
        wait()
        dist.barrier()
        begun = perf_counter()
        operation()
        wait()
        return slowest(perf_counter() - begun)

    kinds: tuple[tuple[What, float], ...] = (
        ("all-reduce", 2 * (ranks - 1) / ranks),
        ("point-to-point", 1.0),
    )
    share = seconds / (len(kinds) * len(SIZES))
    for what, counted in kinds:
        for size in SIZES:
            message = torch.zeros(size // ELEMENT, dtype=torch.float32, device=place)

            operation = partial(_exchange, what, rank, message)
            timed(operation)
            one = timed(operation)  # the same in all processes, and so is all that depends on it
            times = min(MOST, max(FEWEST, int(share / max(one, 1e-9))))
            yield rate_of(what, "", size, counted * size, [timed(operation) for _ in range(times)])
            if one * FEWEST * 4 > share:
                break  # the next size would exceed its share of the time


def _exchange(what: What, rank: int, message: Any) -> None:
    import torch.distributed as dist

    if what == "all-reduce":
        dist.all_reduce(message)
    elif rank == 0:
        dist.send(message, dst=1)
    elif rank == 1:
        dist.recv(message, src=0)


def main() -> None:
    import torch
    import torch.distributed as dist

    asked = json.loads(sys.argv[1])
    device = asked["device"]
    tell = teller()
    if device != "cpu":
        torch.get_device_module(device).set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group(backend="gloo" if device == "cpu" else None)
    first = dist.get_rank() == 0
    for rate in links(device, asked["seconds"]):
        if first:
            tell({"rate": asdict(rate)})
    dist.barrier()
    if first:
        tell({"end": True})
    dist.destroy_process_group()
    leave()


if __name__ == "__main__":
    main()
