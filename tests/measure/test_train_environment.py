"""What the measuring process reports about the machine and itself."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytest.importorskip("torch", reason="the module says which PyTorch there is")

from scalesheet.steps.faults import NoDevice
from scalesheet_bench import here
from scalesheet_bench.ladder.processor import processor
from scalesheet_bench.train import environment


def test_work_of_other_processes_is_noticed(monkeypatch):
    clock = SimpleNamespace(at=(100.0, 900.0), own=10.0)
    monkeypatch.setattr(environment, "_processor_time", lambda: clock.at)
    monkeypatch.setattr(environment.time, "process_time", lambda: clock.own)
    others = environment.Others()
    others.start()
    clock.at, clock.own = (110.0, 910.0), 16.0
    assert others.share() == pytest.approx(4 / 20)
    others.start()
    assert others.share() is None, "no time has passed"


def test_the_memory_of_a_process_is_reported():
    environment.forget_peak()
    before = environment.resident_peak()
    block = bytearray(b"1" * 50_000_000)
    assert environment.resident_peak() >= before + len(block) * 0.9
    assert environment.free_memory() > 0
    assert environment.processor()
    assert environment.cores() >= 1


def test_pytorch_is_asked_for_the_device_of_this_machine():
    assert here.device("cpu") == processor()
    assert here.device().name
    with pytest.raises(NoDevice, match=r"sees no 'abacus' device here, but cpu"):
        here.device("abacus")
