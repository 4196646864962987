"""Rates of this machine's processor, measured for real in a second or two."""

import json
import math
import sys
from pathlib import Path

import pytest

from scalesheet.bench.faults import NoDevice, NoTorch
from scalesheet.bench.ladder import parent
from scalesheet.bench.ladder.parent import LadderError, linked, measured
from scalesheet.bench.ladder.rates import Measured
from scalesheet.bench.ladder.tell import rates_data, rates_text

WITH_TORCH = pytest.mark.skipif(
    not any((Path(place) / "torch").is_dir() for place in sys.path),
    reason="PyTorch is an extra: pip install 'scalesheet[bench]'",
)
#: A device and a rate, as a child tells them.
DEVICE = {
    "device": {"kind": "cpu", "name": "A", "vendor": "B", "form_factor": "C", "memory": 1},
    "libraries": {},
}
RATE = {
    "rate": {
        "what": "triad", "precision": "", "size": 1, "value": 2.0, "low": 1.0, "high": 3.0,
        "repetitions": 3,
    }
}  # fmt: skip


@pytest.fixture(scope="module")
def here() -> Measured:
    return measured("cpu", ["fp32"], 2.0, lambda _: None)


@WITH_TORCH
def test_a_processor_is_measured(here: Measured) -> None:
    assert {(rate.what, rate.precision) for rate in here.rates} == {
        ("copy", ""), ("triad", ""), ("products", "fp32"),
    }  # fmt: skip
    for rate in here.rates:
        assert 0 < rate.low <= rate.value <= rate.high
        assert rate.repetitions >= 1
    products = here.best("products", "fp32")
    triad = here.best("triad")
    assert products is not None
    assert triad is not None
    assert 1e8 < products.value < 1e14  # FLOP/s: any processor since 2000, none so far
    assert 1e8 < triad.value < 5e12  # byte/s
    assert not here.interrupted
    assert here.told == ()
    assert here.device.cores >= 1
    assert here.threads >= 1
    assert here.libraries["torch"]


@WITH_TORCH
def test_what_is_told_of_it(here: Measured) -> None:
    text = rates_text(here, {"fp32": 1e15})
    assert "products in fp32" in text
    assert "of the peak" in text
    found = json.loads(json.dumps(rates_data(here)))
    assert len(found["rates"]) == len(here.rates)
    assert all(math.isfinite(each["value"]) for each in found["rates"])


@WITH_TORCH
def test_an_interrupt_keeps_what_was_measured() -> None:
    def tell(text: str) -> None:
        if text.startswith("products"):
            raise KeyboardInterrupt

    found = measured("cpu", ["fp32"], 1.0, tell)
    assert found.interrupted
    assert {rate.what for rate in found.rates} == {"copy", "triad"}
    assert "interrupted" in rates_text(found)


@WITH_TORCH
def test_an_interrupt_before_anything_goes_on() -> None:
    def tell(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measured("cpu", ["fp32"], 1.0, tell)


@WITH_TORCH
def test_a_device_that_is_not_there() -> None:
    with pytest.raises(NoDevice, match=r"sees no 'xpu' device here, but cpu.*; choose one"):
        measured("xpu", (), 1.0, lambda _: None)


@WITH_TORCH
def test_links_between_two_processes() -> None:
    """On a processor these are no links of devices; what is counted is the same."""
    rates = linked("cpu", 2, 0.5)
    assert {rate.what for rate in rates} == {"all-reduce", "point-to-point"}
    assert all(1e6 < rate.value < 1e12 for rate in rates)


def test_links_take_two_devices() -> None:
    with pytest.raises(LadderError, match="between devices, and here is 1"):
        linked("cpu", 1)


def child(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """In the place of the process that measures, one that does this."""
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


def test_a_child_that_is_killed_leaves_what_it_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "".join(f"print({json.dumps(line)!r}, flush=True)\n" for line in (DEVICE, RATE))
    child(tmp_path, monkeypatch, lines + "os.kill(os.getpid(), 9)")
    found = measured("cpu", (), 1.0, lambda _: None)
    assert found.interrupted
    assert len(found.rates) == 1
    assert found.told == ("the process that measures ended with signal 9: no message",)


def test_a_child_that_fails_is_told_with_its_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child(tmp_path, monkeypatch, "raise RuntimeError('the driver is too old')")
    with pytest.raises(LadderError, match="an error: RuntimeError: the driver is too old"):
        measured("cpu", (), 1.0, lambda _: None)


def test_a_busy_machine_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = (DEVICE, RATE, {"busy": "others had 40% of the cores"}, {"end": True})
    child(tmp_path, monkeypatch, "".join(f"print({json.dumps(line)!r})\n" for line in told))
    found = measured("cpu", (), 1.0, lambda _: None)
    assert not found.interrupted
    assert found.unsteady == (
        "others had 40% of the cores; half of the repetitions of triad differ by 100%"
    )
    assert "to be measured again on a quiet machine" in rates_text(found)
