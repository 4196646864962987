"""Rates come from a measuring process, which may fail, and are compared with peaks."""

import json
import sys
from pathlib import Path

import pytest

from scalesheet.steps.faults import NoTorch
from scalesheet_bench.ladder import parent
from scalesheet_bench.ladder.parent import LadderError, linked, measured
from scalesheet_bench.ladder.tell import peaks_of, rates_text
from scalesheet_bench.ladder.timing import MOST, Budget, repeated
from shipped import shipped_book

#: A device and a rate, as a child process reports them.
DEVICE = {
    "device": {"kind": "cpu", "name": "A", "vendor": "B", "form_factor": "C", "memory": 1},
    "libraries": {},
}
RATE = {
    "rate": {
        "what": "triad",
        "precision": "",
        "size": 1,
        "value": 2.0,
        "low": 1.0,
        "high": 3.0,
        "repetitions": 3,
    }
}


def test_links_need_two_devices() -> None:
    with pytest.raises(LadderError, match="between devices, and this machine has 1"):
        linked("cpu", 1)


def child(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Replace the measuring process with this code."""
    (folder / "a_child.py").write_text(f"import json, os, sys\n{text}", "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setattr(parent, "CHILD", "a_child")


def test_without_pytorch_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('No module named torch')", "utf-8")
    places = [str(tmp_path), *(place for place in sys.path if place)]
    monkeypatch.setenv("PYTHONPATH", ":".join(places))
    with pytest.raises(NoTorch, match=r"pip install 'scalesheet\[bench\]'"):
        measured("cpu", (), 1.0, lambda _: None)


def test_the_results_of_a_killed_child_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "".join(f"print({json.dumps(line)!r}, flush=True)\n" for line in (DEVICE, RATE))
    child(tmp_path, monkeypatch, lines + "os.kill(os.getpid(), 9)")
    found = measured("cpu", (), 1.0, lambda _: None)
    assert found.interrupted
    assert len(found.rates) == 1
    assert found.told == ("the measuring process ended with signal 9: no message",)


def test_the_error_of_a_failed_child_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child(tmp_path, monkeypatch, "raise RuntimeError('the driver is too old')")
    with pytest.raises(LadderError, match="an error: RuntimeError: the driver is too old"):
        measured("cpu", (), 1.0, lambda _: None)


def test_a_busy_machine_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = (DEVICE, RATE, {"busy": "others had 40% of the cores"}, {"end": True})
    child(tmp_path, monkeypatch, "".join(f"print({json.dumps(line)!r})\n" for line in told))
    found = measured("cpu", (), 1.0, lambda _: None)
    assert not found.interrupted
    assert found.unsteady == (
        "others had 40% of the cores; half of the repetitions of triad differ by 100%"
    )
    assert "measure again on a quiet machine" in rates_text(found)


def test_rates_are_compared_with_the_catalogues_peaks() -> None:
    book = shipped_book()
    peaks = peaks_of(book, "h200-sxm")
    assert peaks["dense_bf16"] == pytest.approx(989.4e12)
    assert peaks["bandwidth"] == pytest.approx(4.8e12)
    assert peaks_of(book, "epyc-9005-2-cores") == {}
    assert peaks_of(book, "") == {}


def test_repetitions_are_as_long_as_the_clock_needs_and_end_with_the_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[float] = []  # each call takes 0.1 ms
    monkeypatch.setattr("scalesheet_bench.ladder.timing.perf_counter", lambda: len(calls) * 1e-4)

    def operation() -> None:
        calls.append(0)

    def at_once() -> None:
        pass

    found = repeated(operation, at_once, Budget(0.05))
    assert found == pytest.approx([1e-4] * 4)
    assert len(calls) == 2 + 100 * len(found), "two to warm up, and 10 ms for each repetition"
    assert len(repeated(operation, at_once, Budget(0.0))) == 1
    assert len(repeated(operation, at_once, Budget(1e9))) == MOST
