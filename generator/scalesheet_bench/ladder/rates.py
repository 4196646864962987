"""Measured rates of a device with their uncertainty; without PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Literal

What = Literal["products", "copy", "triad", "all-reduce", "point-to-point"]

#: A larger distance between the quartiles, relative to the median, counts as unsteady.
STEADY = 0.05
#: Fewer repetitions than this may be luck.
OFTEN = 5


@dataclass(frozen=True)
class Rate:
    """The rate of a repeated operation: FLOP/s for products, byte/s for all others.

    `low` and `high` are the quartiles of the repetitions, `value` their median.
    """

    what: What
    precision: str  # for products: fp32, tf32, bf16, fp16; else empty
    size: int  # rows of the squares; bytes of an array or message
    value: float
    low: float
    high: float
    repetitions: int

    @property
    def spread(self) -> float:
        """The distance between the quartiles, relative to the median."""
        return (self.high - self.low) / self.value


@dataclass(frozen=True)
class Device:
    """The measured device, as named by system and driver. Unknown values are empty, 0 or None."""

    kind: str  # PyTorch's device type: cpu, cuda, xpu, mps
    name: str
    vendor: str
    form_factor: str
    memory: int  # bytes reported by the driver or the kernel
    count: int = 1  # identical devices in the machine
    cores: int = 0  # of a processor, available to programs
    power: float | None = None  # W, the limit set in the driver
    driver: str = ""


@dataclass(frozen=True)
class Measured:
    """All measurements of a device; what was not measured is absent."""

    device: Device
    rates: tuple[Rate, ...] = ()
    told: tuple[str, ...] = ()  # what could not be measured, and why
    busy: str = ""  # what kept the machine busy
    interrupted: bool = False
    threads: int = 0  # used for products, on a processor
    libraries: Mapping[str, str] = field(default_factory=dict)

    def best(self, what: What, precision: str = "") -> Rate | None:
        """The best size with enough repetitions, or of all if none has enough."""
        alike = [r for r in self.rates if (r.what, r.precision) == (what, precision)]
        often = [rate for rate in alike if rate.repetitions >= OFTEN]
        return max(often or alike, key=lambda rate: rate.value, default=None)

    @property
    def unsteady(self) -> str:
        """Why the figures should be measured again, or nothing."""
        wide = [rate for rate in self._bests() if rate.spread > STEADY]
        reasons = [self.busy] if self.busy else []
        if wide:
            worst = max(wide, key=lambda rate: rate.spread)
            name = f"{worst.what} {worst.precision}".strip()
            reasons.append(f"half of the repetitions of {name} differ by {worst.spread:.0%}")
        return "; ".join(reasons)

    def _bests(self) -> list[Rate]:
        kinds = dict.fromkeys((rate.what, rate.precision) for rate in self.rates)
        result = (self.best(what, precision) for what, precision in kinds)
        return [rate for rate in result if rate is not None]


def rate_of(what: What, precision: str, size: int, work: float, seconds: Sequence[float]) -> Rate:
    """The rate of repetitions that each did the same `work` (FLOP or bytes)."""
    rates = sorted(work / second for second in seconds)
    low, _, high = quantiles(rates, n=4, method="inclusive") if len(rates) > 1 else (rates[0],) * 3
    return Rate(what, precision, size, median(rates), low, high, len(rates))
