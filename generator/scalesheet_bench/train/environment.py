"""The environment of a measurement, and whether the machine was idle."""

from __future__ import annotations

import contextlib
import os
import platform
import resource
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import torch

from scalesheet_bench.ladder.processor import version_of

GIB = 2**30
MOST_OTHERS = 0.1  # share of the processor's time above which others are using the machine
FREQUENCY = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def versions(names: list[str]) -> dict[str, str]:
    """The versions of the libraries in use, by name."""
    result = {"python": platform.python_version(), "torch": str(torch.__version__)}
    for name in names:
        result[name] = metadata.version(name)
    if torch.version.cuda is not None and torch.cuda.is_available():
        result["cuda"] = str(torch.version.cuda)
    return result


def text_of(device: Any) -> str:
    """Describe the machine: accelerator, processor, memory, system, threads, load."""
    load = os.getloadavg()[0]
    words = [
        f"{processor()}, {cores()} cores, {_all_memory() / GIB:.1f} GiB",
        f"{platform.system()} {version_of(platform.release())}".strip(),
        f"threads of PyTorch: {torch.get_num_threads()}",
        f"load {load:.1f} at the start",
    ]
    governor = _read(FREQUENCY).strip()
    if governor:
        words.append(f"frequency governor {governor}")
    return "; ".join([*_accelerator(device), *words])


def _accelerator(device: Any) -> list[str]:
    """Describe the accelerator; empty for a processor."""
    if device.type != "cuda":
        return []
    properties = torch.cuda.get_device_properties(device)
    words = f"{properties.name}, {properties.total_memory / GIB:.1f} GiB"
    try:
        import pynvml

        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByUUID(f"GPU-{properties.uuid}")
        clock = pynvml.nvmlDeviceGetMaxClockInfo(handle, pynvml.NVML_CLOCK_SM)
        words += f", clock at most {clock} MHz, driver {pynvml.nvmlSystemGetDriverVersion()}"
    except Exception:  # without the library or an answer from the driver, only the name is known
        pass
    return [words]


def processor() -> str:
    """The processor's name, as reported by the system."""
    result: dict[str, str] = {}
    for line in _read(Path("/proc/cpuinfo")).splitlines():
        key, _, value = line.partition(":")
        result.setdefault(key.strip(), value.strip())
    name = result.get("model name") or platform.processor() or platform.machine()
    if "cpu family" in result:
        name += f" (family {result['cpu family']}, model {result.get('model', '?')})"
    return name


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def busy() -> str:
    """Signs that the machine is already busy, in words; empty if it is idle."""
    load = os.getloadavg()[0]
    return f"load average {load:.1f} on {cores()} cores at the start" if load > cores() else ""


def free_memory() -> float:
    """Bytes that a process may still allocate, as estimated by the system; infinite if unknown."""
    for line in _read(Path("/proc/meminfo")).splitlines():
        if line.startswith("MemAvailable:"):
            return float(line.split()[1]) * 1024
    return float("inf")


def _all_memory() -> float:
    return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def limited(most: float) -> None:
    """Limit the process to this many more bytes than now, where the system enforces limits.

    If memory runs out anyway, the system kills this process first.
    """
    if platform.system() != "Linux":
        return
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    torch.ones(256, 256) @ torch.ones(256, 256)  # starts the threads, which allocate stacks
    bound = int(_status("VmData") + most)
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard == resource.RLIM_INFINITY or bound < hard:
        resource.setrlimit(resource.RLIMIT_DATA, (bound, bound))


def resident_peak() -> float:
    """The peak of resident memory in bytes, since `forget_peak` where that works."""
    high = _status("VmHWM")
    return high or float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * 1024


def forget_peak() -> None:
    """Reset the resident peak to the current value (Linux: clear_refs of proc(5))."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _status(key: str) -> float:
    """A value from the process's own status, in bytes; 0 if there is none."""
    for line in _read(Path("/proc/self/status")).splitlines():
        if line.startswith(f"{key}:"):
            return float(line.split()[1]) * 1024
    return 0.0


class Others:
    """The share of the processor that others use between `start` and `share`."""

    def start(self) -> None:
        self.spent, self.idle = _processor_time()
        self.own = time.process_time()

    def share(self) -> float | None:
        """The share; None if the system does not report it."""
        spent, idle = _processor_time()
        whole = spent - self.spent + idle - self.idle
        own = time.process_time() - self.own
        return max(0.0, (spent - self.spent - own) / whole) if whole > 0 else None


def _processor_time() -> tuple[float, float]:
    """Seconds for which all cores together were busy, and idle."""
    first = _read(Path("/proc/stat")).partition("\n")[0].split()[1:9]
    if len(first) < 5:
        return 0.0, 0.0
    ticks = [float(count) / os.sysconf("SC_CLK_TCK") for count in first]
    idle = ticks[3] + ticks[4]
    return sum(ticks) - idle, idle


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
