"""Processors are read from /proc and /sys in the formats of several systems."""

from pathlib import Path

import pytest

from scalesheet_bench.ladder.processor import Work, caches, memory, others, processor

CPUINFO = """\
processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 26
model\t\t: 2
model name\t: AMD EPYC
flags\t\t: fpu {flags}

processor\t: 1
model name\t: Another
"""


def proc(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    return folder


def test_a_processor(tmp_path: Path) -> None:
    meminfo = "MemTotal:       24684084 kB\nMemFree: 1 kB\nMemAvailable:   24049248 kB\n"
    found = processor(proc(tmp_path, cpuinfo=CPUINFO.format(flags="sse"), meminfo=meminfo))
    assert (found.kind, found.name, found.vendor) == ("cpu", "AMD EPYC (family 26 model 2)", "AMD")
    assert found.form_factor == "processor"
    assert found.cores >= 1
    assert memory(tmp_path, tmp_path) == (24684084 << 10, 24049248 << 10)


def test_a_virtual_machine_says_so(tmp_path: Path) -> None:
    found = processor(proc(tmp_path, cpuinfo=CPUINFO.format(flags="hypervisor")))
    assert found.form_factor == "cores of a virtual machine"


def test_a_system_without_information(tmp_path: Path) -> None:
    found = processor(tmp_path)
    assert found.name
    assert (found.vendor, found.memory) == ("not stated", 0)
    assert memory(tmp_path, tmp_path) == (0, 0)
    assert caches(tmp_path) == 0
    assert Work.now(tmp_path) is None
    assert others(None, None) == 0


def test_a_container_has_the_resources_of_its_limits(tmp_path: Path) -> None:
    proc(tmp_path, meminfo="MemTotal:  1000 kB\nMemAvailable:  900 kB\n")
    proc(tmp_path, **{"memory.max": "max\n"})
    assert memory(tmp_path, tmp_path) == (1000 << 10, 900 << 10)
    proc(tmp_path, **{"memory.max": "512000\n"})
    assert memory(tmp_path, tmp_path) == (512_000, 512_000)


def test_a_shared_last_level_cache_counts_once(tmp_path: Path) -> None:
    for cpu, shared in ("0", "0-1"), ("1", "0-1"), ("2", "2-3"):
        for index, level, size, of in ("2", "2", "1024K", cpu), ("3", "3", "32M", shared):
            place = tmp_path / f"cpu{cpu}" / "cache" / f"index{index}"
            place.mkdir(parents=True)
            proc(place, level=level, size=size, shared_cpu_list=of)
    assert caches(tmp_path) == 64 << 20


@pytest.mark.parametrize(("theirs", "share"), [(0.0, 0.0), (2.0, 0.1), (-0.2, 0.0)])
def test_the_share_used_by_others_is_measured(
    monkeypatch: pytest.MonkeyPatch, theirs: float, share: float
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert others(Work(0, 100, 1), Work(10, 112 + theirs, 13)) == pytest.approx(share)


def test_own_work_does_not_count_as_that_of_others() -> None:
    before = Work.now()
    if before is None:
        pytest.skip("this system has no /proc/stat")
    assert sum(n * n for n in range(2_000_000)) > 0
    after = Work.now()
    assert after is not None
    assert after.own > before.own
    assert 0 <= others(before, after) <= 1.05
