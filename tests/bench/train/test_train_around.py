"""Messages between processes, power meters, and the state of the machine during a step."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType, SimpleNamespace

import pytest

from scalesheet.steps.architecture import traits_of
from scalesheet.steps.faults import (
    Failed,
    Missing,
    NoDevice,
    NoTorch,
    OutOfMemory,
    Unbuildable,
    fault_message,
    fault_of,
)
from scalesheet.steps.job import Effort, Job, Shape
from scalesheet_bench.train.messages import asked, heard, line, message_of
from scalesheet_bench.train.power import Meter, Nvml, Rapl

SHAPE = Shape("a", "A", 2, 64, 4, 2, 16, 128, 100, True, True, 1e6, 1e6)


def test_a_request_is_read_back_unchanged():
    more = MappingProxyType({"norm": "rmsnorm", "experts": MappingProxyType({"routed": 8})})
    shape = replace(SHAPE, more=more, config=MappingProxyType({"model_type": "llama"}))
    job = Job(shape, "b", gpus=2, strategy="fsdp", method="LoRA", length=77)
    effort = Effort(precise=0.5, memory=1e9, seed=3)
    assert heard(asked(job, effort, "view")) == (job, effort, "view")


def test_a_message_is_found_after_output_of_libraries():
    text = line({"is": "step", "whole": 0.5})
    assert message_of(text) == {"is": "step", "whole": 0.5}
    assert message_of("50 %|####  " + text) == {"is": "step", "whole": 0.5}
    assert message_of("Loading weights\n") is None
    assert message_of("scalesheet: half a li") is None
    assert message_of("scalesheet: 7\n") is None


@pytest.mark.parametrize(
    "fault",
    [
        OutOfMemory("too much", 5.0, 4.0),
        OutOfMemory("too much"),
        Missing("peft"),
        NoTorch("none"),
        NoDevice("none"),
        Unbuildable("no"),
        Failed("so"),
    ],
)
def test_an_error_is_transferred_unchanged(fault):
    again = fault_of(message_of(line(fault_message(fault))))
    assert type(again) is type(fault)
    assert str(again) == str(fault)
    assert vars(again) == vars(fault)


def test_traits_are_read_nested_as_in_the_schema_and_flat_as_in_the_table():
    nested = {"experts": {"routed": 8, "active": 2, "ffn": 32, "dense_layers": 1}, "norm": "none"}
    flat = {"experts": 8.0, "experts_active": 2.0, "expert_ffn": 32.0, "dense_layers": 1.0}
    assert traits_of(replace(SHAPE, more=nested)) == traits_of(
        replace(SHAPE, more={**flat, "norm": "none"})
    )
    assert traits_of(SHAPE).norm == "rmsnorm"


@pytest.fixture
def clock(monkeypatch):
    """A clock for the meters that the test advances."""
    clock = SimpleNamespace(now=100.0)
    told = SimpleNamespace(perf_counter=lambda: clock.now)
    monkeypatch.setattr("scalesheet_bench.train.power.time", told)
    return clock


def package(folder, name, joules, around=1000.0):
    place = folder / name
    place.mkdir(exist_ok=True)
    (place / "energy_uj").write_text(f"{joules * 1e6:.0f}\n")
    (place / "max_energy_range_uj").write_text(f"{around * 1e6:.0f}\n")


def test_power_is_the_energy_of_all_packages_over_time(tmp_path, clock):
    """A counter may wrap around to 0, and parts of a package are not counted twice."""
    package(tmp_path, "intel-rapl:0", 990)
    package(tmp_path, "intel-rapl:1", 100)
    package(tmp_path, "intel-rapl:0:0", 5)
    meter = Rapl(tmp_path)
    meter.start()
    package(tmp_path, "intel-rapl:0", 20)
    package(tmp_path, "intel-rapl:1", 170)
    package(tmp_path, "intel-rapl:0:0", 500)
    clock.now += 4
    assert meter.stop() == pytest.approx((30 + 70) / 4)


def test_without_counters_there_is_no_power(tmp_path):
    meter = Rapl(tmp_path)
    meter.start()
    assert meter.stop() is None
    assert Meter().stop() is None


class Board:
    """A driver library with one board that reports the given values."""

    NVML_CLOCK_SM = 1

    class NVMLError(Exception):
        pass

    def __init__(self, **known):
        self.known = known

    def _answer(self, name):
        if name not in self.known:
            raise self.NVMLError
        values = self.known[name]
        return values.pop(0) if isinstance(values, list) else values

    def nvmlDeviceGetTotalEnergyConsumption(self, handle):  # noqa: N802
        return self._answer("energy")

    def nvmlDeviceGetPowerUsage(self, handle):  # noqa: N802
        return self._answer("power")

    def nvmlDeviceGetClockInfo(self, handle, which):  # noqa: N802
        return self._answer("clock")

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle):  # noqa: N802
        return self._answer("reasons")


def test_a_board_with_an_energy_counter(clock):
    meter = Nvml(Board(energy=[5000, 8000], power=1, clock=[1980, 1500], reasons=[0x4, 0]), 0)
    meter.start()
    meter.look()
    meter.look()
    clock.now += 0.5
    assert meter.stop() == pytest.approx(3 / 0.5)
    assert meter.clocks() == "clock 1500 to 1980 MHz between steps, held by the power cap"
    assert not meter.trouble


def test_a_hot_board_without_an_energy_counter():
    meter = Nvml(Board(power=[500_000, 700_000], reasons=[0x40, 0]), 0)
    meter.start()
    meter.look()
    meter.look()
    assert meter.stop() == pytest.approx(600)
    assert meter.trouble
    assert meter.clocks() == "held down by heat or by the hardware"
