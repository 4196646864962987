"""The rate of large dense matrix products by precision. Only the child imports this."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from scalesheet_bench.ladder.rates import OFTEN, Rate, rate_of
from scalesheet_bench.ladder.timing import Budget, repeated

#: Rows of the square matrices to try, on a processor and on an accelerator.
SIZES = {"cpu": (512, 1024, 2048, 3072, 4096, 6144)}
LARGE = (1024, 2048, 4096, 6144, 8192, 12_288, 16_384)
#: The three matrices of a product take at most this share of free memory.
SHARE = 0.5
_TYPES: dict[str, Any] = {
    "fp32": torch.float32,
    "tf32": torch.float32,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
}


def precisions(device: str) -> tuple[str, ...]:
    """The precisions worth measuring; only NVIDIA's units have tf32."""
    if (
        device == "cuda"
        and torch.version.hip is None
        and torch.cuda.get_device_capability()
        >= (
            8,
            0,
        )
    ):
        return ("bf16", "fp16", "tf32", "fp32")
    return ("bf16", "fp16", "fp32")


def products(
    device: str,
    precision: str,
    budget: Budget,
    free: float,
    wait: Callable[[], object],
) -> Iterator[Rate]:
    """Yield FLOP/s of square products of normally distributed numbers, small sizes first.

    A product of n rows counts 2 n^3. A size that would exceed the budget is left out. The numbers
    are random because a device draws less power, and so runs faster, on zeros.
    """
    kind = _TYPES[precision]
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
    sizes = [n for n in SIZES.get(device, LARGE) if 3 * n * n * kind.itemsize <= SHARE * free]
    fastest = 0.0
    for at, size in enumerate(sizes):
        work = 2.0 * size**3
        share = budget.part(len(sizes) - at)
        if fastest and work / fastest * (OFTEN + 2) > budget.left:
            return
        a, b, c = (torch.empty(size, size, dtype=kind, device=device) for _ in range(3))
        a.normal_()
        b.normal_()

        def product(a: Any = a, b: Any = b, c: Any = c) -> object:
            return torch.mm(a, b, out=c)

        rate = rate_of("products", precision, size, work, repeated(product, wait, share))
        fastest = max(fastest, rate.value)
        yield rate
