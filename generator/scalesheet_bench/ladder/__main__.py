"""The child process: measures the rates of a device and writes each as a line of JSON.

    python -m scalesheet_bench.ladder '{"device": "cpu", "precisions": [], "seconds": 60}'

Only this module and what it imports load PyTorch.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict

from scalesheet.steps.faults import NoDevice
from scalesheet_bench.ladder.lines import Line, first_line, leave, teller


def lines(device: str, precisions: tuple[str, ...], seconds: float) -> Iterator[Line]:
    """Yield the device, each rate when it is found, and other load on the machine."""
    import torch

    from scalesheet_bench.ladder import accelerator, processor
    from scalesheet_bench.ladder.products import precisions as known
    from scalesheet_bench.ladder.products import products
    from scalesheet_bench.ladder.streams import streams
    from scalesheet_bench.ladder.timing import Budget
    from scalesheet_bench.train.power import meter

    result = accelerator.here(device)
    yield {"device": asdict(result.device), "libraries": dict(accelerator.libraries())}
    yield {"threads": torch.get_num_threads() if device == "cpu" else 0}
    reasons = [accelerator.busy(result.uuid)]
    before = processor.Work.now()
    gauge = meter(device, result.uuid)
    gauge.start()
    budget = Budget(seconds)
    chosen = precisions or known(device)
    yield {"tell": "memory bandwidth"}
    try:
        share = budget.part(len(chosen) + 1)
        for rate in streams(device, share, result.free, result.caches, result.wait):
            yield {"rate": asdict(rate)}
    except (MemoryError, RuntimeError, ArithmeticError) as fault:
        yield {"cannot": f"memory bandwidth: {first_line(fault)}"}
    for at, precision in enumerate(chosen):
        yield {"tell": f"products in {precision}"}
        share = budget.part(len(chosen) - at)
        try:
            for rate in products(device, precision, share, result.free, result.wait):
                gauge.look()
                yield {"rate": asdict(rate)}
        except (MemoryError, RuntimeError) as fault:
            yield {"cannot": f"products in {precision}: {first_line(fault)}"}
    theirs = processor.others(before, processor.Work.now())
    if device == "cpu" and theirs > processor.BUSY:
        reasons.append(f"others had {theirs:.0%} of the processor's cores at the same time")
    if gauge.trouble:
        reasons.append(gauge.clocks())
    yield {"busy": "; ".join(filter(None, reasons))}


def main() -> None:
    tell = teller()
    asked = json.loads(sys.argv[1])
    try:
        import torch  # noqa: F401  # whether it loads is all that is asked
    except ImportError as fault:
        tell({"no_torch": str(fault)})
    else:
        try:
            for line in lines(asked["device"], tuple(asked["precisions"]), asked["seconds"]):
                tell(line)
        except NoDevice as fault:
            tell({"no_device": str(fault)})
    tell({"end": True})
    leave()


if __name__ == "__main__":
    main()
