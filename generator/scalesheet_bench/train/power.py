"""Power: the device's draw over a time, from a counter or the driver; nothing if neither is
readable."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

POWERCAP = Path("/sys/class/powercap")
#: NVML's reasons for a reduced clock that mean trouble: slowdown by the hardware, heat as seen by
#: software or hardware, and the power brake. A clock limited by the power cap is normal at full
#: load, and only mentioned.
TROUBLE = 0x8 | 0x20 | 0x40 | 0x80
POWER_CAP = 0x4


class Meter:
    """Mean power between `start` and `stop`, and what happened to the clocks in between."""

    def start(self) -> None:
        """Start the interval."""

    def look(self) -> None:
        """Called between steps."""

    def stop(self) -> float | None:
        """Watts of one accelerator since the start; None if unknown."""
        return None

    def clocks(self) -> str:
        """What happened to the clocks, in words; empty if nothing did or it is unknown."""
        return ""

    @property
    def trouble(self) -> bool:
        """Return whether heat or the hardware held the clocks down."""
        return False


class Rapl(Meter):
    """The energy counters of a processor's packages, in microjoules."""

    def __init__(self, folder: Path = POWERCAP) -> None:
        self.packages = [
            result
            for result in sorted(folder.glob("intel-rapl:*"))
            if result.name.count(":") == 1 and _number(result / "energy_uj") is not None
        ]
        self.begun = 0.0
        self.at_start: list[float] = []

    def start(self) -> None:
        self.begun = time.perf_counter()
        self.at_start = [_number(result / "energy_uj") or 0.0 for result in self.packages]

    def stop(self) -> float | None:
        taken = time.perf_counter() - self.begun
        used = 0.0
        for result, start in zip(self.packages, self.at_start, strict=True):
            end = _number(result / "energy_uj")
            if end is None:
                return None
            around = _number(result / "max_energy_range_uj") or 0.0
            used += end - start if end >= start else end + around - start
        return used / 1e6 / taken if self.packages and taken > 0 else None


class Nvml(Meter):
    """The board of one accelerator, through NVIDIA's management library.

    Reads its energy counter in millijoules, or, without one, its power in milliwatts between steps.
    """

    def __init__(self, library: Any, handle: Any) -> None:
        self.library = library
        self.handle = handle
        self.begun = 0.0
        self.energy: float | None = None
        self.seen: list[float] = []
        self.clock: list[float] = []
        self.reasons = 0

    def start(self) -> None:
        self.begun = time.perf_counter()
        self.energy = self._ask(self.library.nvmlDeviceGetTotalEnergyConsumption)

    def look(self) -> None:
        power = self._ask(self.library.nvmlDeviceGetPowerUsage)
        if power is not None:
            self.seen.append(power / 1000)
        clock = self._ask(self.library.nvmlDeviceGetClockInfo, self.library.NVML_CLOCK_SM)
        if clock is not None:
            self.clock.append(clock)
        reasons = self._ask(self.library.nvmlDeviceGetCurrentClocksThrottleReasons)
        self.reasons |= int(reasons or 0)

    def stop(self) -> float | None:
        taken = time.perf_counter() - self.begun
        energy = self._ask(self.library.nvmlDeviceGetTotalEnergyConsumption)
        if energy is not None and self.energy is not None and taken > 0:
            return (energy - self.energy) / 1000 / taken
        return sum(self.seen) / len(self.seen) if self.seen else None

    def clocks(self) -> str:
        parts = []
        if self.clock:
            parts.append(f"clock {min(self.clock):.0f} to {max(self.clock):.0f} MHz between steps")
        if self.reasons & POWER_CAP:
            parts.append("held by the power cap")
        if self.trouble:
            parts.append("held down by heat or by the hardware")
        return ", ".join(parts)

    @property
    def trouble(self) -> bool:
        return bool(self.reasons & TROUBLE)

    def _ask(self, question: Callable[..., Any], *more: Any) -> float | None:
        """The library's answer; None if the driver has none."""
        try:
            return float(question(self.handle, *more))
        except self.library.NVMLError:
            return None


def meter(device: str, uuid: str = "") -> Meter:
    """The meter for a device: `uuid` is that of an NVIDIA accelerator."""
    if device == "cpu":
        return Rapl()
    if device == "cuda":
        try:
            import pynvml

            pynvml.nvmlInit()
            return Nvml(pynvml, pynvml.nvmlDeviceGetHandleByUUID(uuid))
        except Exception:  # without the library, its driver or this board: power is not reported
            return Meter()
    return Meter()


def _number(path: Path) -> float | None:
    """The number in a system file; None if it may not be read."""
    try:
        return float(path.read_text())
    except (OSError, ValueError):
        return None
