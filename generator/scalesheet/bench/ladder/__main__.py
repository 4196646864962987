"""The child: measures the rates of a device and tells each as a line of JSON on its output.

    python -m scalesheet.bench.ladder '{"device": "cpu", "precisions": [], "seconds": 60}'

It alone imports PyTorch. It ends when its input does, that is with its parent.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from scalesheet.bench.ladder.rates import NoDevice

Line = Mapping[str, Any]


def lines(device: str, precisions: tuple[str, ...], seconds: float) -> Iterator[Line]:
    """What is told, in order: the device, each rate as it is found, what else ran beside."""
    import torch

    from scalesheet.bench.ladder import accelerator, processor
    from scalesheet.bench.ladder.products import precisions as known
    from scalesheet.bench.ladder.products import products
    from scalesheet.bench.ladder.streams import streams
    from scalesheet.bench.ladder.timing import Budget

    found = accelerator.here(device)
    busy = accelerator.busy(device)
    yield {"device": asdict(found.device), "libraries": dict(accelerator.libraries())}
    yield {"threads": torch.get_num_threads() if device == "cpu" else 0}
    before = processor.Work.now()
    budget = Budget(seconds)
    chosen = precisions or known(device)
    # the bandwidth first: what products make hot or slow is no matter to it, and it is short
    yield {"tell": "memory bandwidth"}
    try:
        share = budget.part(len(chosen) + 1)
        for rate in streams(device, share, found.free, found.caches, found.wait):
            yield {"rate": asdict(rate)}
    except (MemoryError, RuntimeError, ArithmeticError) as fault:
        yield {"cannot": f"memory bandwidth: {_first_line(fault)}"}
    for at, precision in enumerate(chosen):
        yield {"tell": f"products in {precision}"}
        share = budget.part(len(chosen) - at)
        try:
            for rate in products(device, precision, share, found.free, found.wait):
                yield {"rate": asdict(rate)}
        except (MemoryError, RuntimeError) as fault:
            yield {"cannot": f"products in {precision}: {_first_line(fault)}"}
    theirs = processor.others(before, processor.Work.now())
    if not busy and theirs > processor.BUSY:
        busy = f"others had {theirs:.0%} of the processor's cores meanwhile"
    yield {"busy": busy}


def _first_line(fault: Exception) -> str:
    return (str(fault) or type(fault).__name__).strip().partition("\n")[0]


def _end_with_parent() -> None:
    """The parent holds the other end of our input; when it is gone, so are we."""
    sys.stdin.buffer.read()
    os._exit(1)


def main() -> None:
    told = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # what libraries print is no line of ours
    threading.Thread(target=_end_with_parent, daemon=True).start()
    asked = json.loads(sys.argv[1])

    def tell(line: Line) -> None:
        told.write(json.dumps(line) + "\n")

    try:
        import torch  # noqa: F401
    except ImportError as fault:
        tell({"no_torch": str(fault)})
    else:
        try:
            for line in lines(asked["device"], tuple(asked["precisions"]), asked["seconds"]):
                tell(line)
        except NoDevice as fault:
            tell({"no_device": str(fault)})
    tell({"end": True})
    told.flush()
    os._exit(0)  # threads of libraries would be waited for


if __name__ == "__main__":
    main()
