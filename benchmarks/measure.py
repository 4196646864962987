"""Measures two things in one run, and prints their ratio with the command."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = ("numpy", "xlsxwriter", "mkdocs", "mkdocs-material")


@dataclass(frozen=True)
class Ratio:
    """One thing compared with another, and the largest ratio allowed."""

    name: str
    value: float
    limit: float | None
    detail: str

    @property
    def holds(self) -> bool:
        return self.limit is None or self.value <= self.limit

    def __str__(self) -> str:
        limit = "no limit" if self.limit is None else f"at most {self.limit:g}"
        verdict = "" if self.holds else "  MISSED"
        return f"{self.name}: {self.value:.3g} ({limit}){verdict}\n    {self.detail}"


@dataclass(frozen=True)
class Run:
    """A successful process: seconds of processor time, peak memory in MB, output."""

    seconds: float
    memory: float
    said: str


def report(module: str, ratios: Sequence[Ratio]) -> int:
    """Print the ratios with command and machine; return the exit status."""
    print(f"$ python -m benchmarks.{module}")
    print(f"  {machine()}")
    for ratio in ratios:
        print(f"  {ratio}")
    return 0 if all(ratio.holds for ratio in ratios) else 1


def machine() -> str:
    """Processor, system and versions, on one line."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        named = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        cpu = named[0].partition(":")[2].strip() if named else cpu
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    python = platform.python_version()
    return f"{cpu}, {os.cpu_count()} cores, {platform.system()}, Python {python}, {libraries}"


def against(
    ours: Callable[[], float], other: Callable[[], float], times: int
) -> tuple[float, float]:
    """The best seconds of each, alternating, so that both run under the same load."""
    pairs = [(ours(), other()) for _ in range(times)]
    return min(one for one, _ in pairs), min(two for _, two in pairs)


def timed(call: Callable[[], object]) -> float:
    """Seconds of processor time for a call, which excludes other processes."""
    start = time.process_time()
    call()
    return time.process_time() - start


def run(command: Sequence[str | Path], cwd: Path = ROOT, cache: Path | None = None) -> Run:
    """Run a process to its end, with the cache in `cache`; by default it computes everything.

    Raises CalledProcessError if it fails.
    """
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "generator"),
        "NO_MKDOCS_2_WARNING": "1",
        "SCALESHEET_CACHE": str(cache or ""),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program has its bytecode
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, cwd=cwd, env=environment, stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        output = said.read().decode("utf-8", "replace")
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command, output)
    memory = used.ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)
    return Run(used.ru_utime + used.ru_stime, memory, output)


@contextmanager
def workspace() -> Iterator[Path]:
    """A temporary folder."""
    with tempfile.TemporaryDirectory(prefix="scalesheet-bench-") as folder:
        yield Path(folder)
