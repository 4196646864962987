"""What /proc and /sys report about the processor, and other load on it."""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from scalesheet_bench.ladder.rates import Device

PROC, SYS = Path("/proc"), Path("/sys/devices/system/cpu")
CGROUP = Path("/sys/fs/cgroup")
VENDORS = {"AuthenticAMD": "AMD", "GenuineIntel": "Intel"}
#: The share of all cores used by others above which the machine counts as busy.
BUSY = 0.03
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def processor(proc: Path = PROC) -> Device:
    """This machine's processor with its memory; all available cores are one device."""
    text = _first_core(proc)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
    name = text.get("model name") or platform.processor() or platform.machine()
    if "cpu family" in text:
        name += f" (family {text['cpu family']} model {text.get('model', '?')})"
    vendor = text.get("vendor_id", "")
    virtual = "hypervisor" in text.get("flags", "").split()
    return Device(
        kind="cpu",
        name=name,
        vendor=VENDORS.get(vendor, vendor) or "not stated",
        form_factor="cores of a virtual machine" if virtual else "processor",
        memory=memory(proc)[0],
        cores=cores or os.cpu_count() or 1,
        driver=f"{platform.system()} {version_of(platform.release())}".strip(),
    )


def version_of(release: str) -> str:
    """The leading numbers of a kernel's release, without the distribution's suffix."""
    match = re.match(r"\d+(\.\d+)*", release)
    return match[0] if match else ""


def _first_core(proc: Path) -> dict[str, str]:
    try:
        text = (proc / "cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return {}
    lines = (line.partition(":") for line in text.partition("\n\n")[0].splitlines())
    return {key.strip(): value.strip() for key, _, value in lines}


def memory(proc: Path = PROC, cgroup: Path = CGROUP) -> tuple[int, int]:
    """Total bytes of memory, and those available without swapping; 0 if unknown."""
    try:
        text = (proc / "meminfo").read_text("utf-8")
    except OSError:
        return 0, 0
    sizes = {key: int(kib) << 10 for key, kib in re.findall(r"(?m)^(\w+): +(\d+) kB$", text)}
    total = sizes.get("MemTotal", 0)
    free = sizes.get("MemAvailable", total)
    limit = _limit(cgroup)
    return (min(total, limit), min(free, limit)) if limit else (total, free)


def _limit(cgroup: Path) -> int:
    """The memory limit of a container in bytes; 0 if there is none."""
    try:
        text = (cgroup / "memory.max").read_text("ascii").strip()
    except OSError:
        return 0
    return int(text) if text.isdigit() else 0


def caches(sys: Path = SYS) -> int:
    """Bytes of all last-level caches together; 0 if unknown."""
    result: dict[tuple[int, str], int] = {}
    for place in sorted(sys.glob("cpu[0-9]*/cache/index[0-9]*")):
        try:
            level, shared, size = (
                (place / name).read_text("ascii").strip()
                for name in ("level", "shared_cpu_list", "size")
            )
        except OSError:
            continue
        if match := re.fullmatch(r"(\d+)([KMG])", size):
            result[int(level), shared] = int(match[1]) * _UNITS[match[2]]
    last = max((level for level, _ in result), default=0)
    return sum(size for (level, _), size in result.items() if level == last)


@dataclass(frozen=True)
class Work:
    """Work since the machine started, in core seconds."""

    clock: float
    everyone: float
    own: float

    @classmethod
    def now(cls, proc: Path = PROC) -> Work | None:
        """None if the system does not report it."""
        try:
            head = (proc / "stat").read_text("ascii").partition("\n")[0].split()
            user, nice, system, _, _, irq, softirq, steal = map(int, head[1:9])
        except (OSError, ValueError):
            return None
        done = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
        times = os.times()
        own = times.user + times.system + times.children_user + times.children_system
        return cls(perf_counter(), done, own)


def others(before: Work | None, after: Work | None) -> float:
    """The share of all cores that others used between two moments, from 0 to 1."""
    if before is None or after is None or after.clock <= before.clock:
        return 0.0
    theirs = (after.everyone - before.everyone) - (after.own - before.own)
    return max(0.0, theirs / (after.clock - before.clock) / (os.cpu_count() or 1))
