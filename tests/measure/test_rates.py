"""The rates of this machine's processor, measured for a second or two."""

from __future__ import annotations

import json
import math

import pytest

pytest.importorskip("torch", reason="PyTorch is an extra: pip install 'scalesheet[bench]'")

from scalesheet.steps.faults import NoDevice
from scalesheet_bench.ladder.parent import linked, measured
from scalesheet_bench.ladder.rates import Measured
from scalesheet_bench.ladder.tell import rates_data, rates_text


@pytest.fixture(scope="module")
def here() -> Measured:
    return measured("cpu", ["fp32"], 2.0, lambda _: None)


def test_a_processor_is_measured(here: Measured) -> None:
    assert {(rate.what, rate.precision) for rate in here.rates} == {
        ("copy", ""),
        ("triad", ""),
        ("products", "fp32"),
    }
    for rate in here.rates:
        assert 0 < rate.low <= rate.value <= rate.high
        assert rate.repetitions >= 1
    products = here.best("products", "fp32")
    triad = here.best("triad")
    assert products is not None
    assert triad is not None
    assert 1e8 < products.value < 1e14  # FLOP/s: bounds for any processor since 2000
    assert 1e8 < triad.value < 5e12  # byte/s
    assert not here.interrupted
    assert here.told == ()
    assert here.device.cores >= 1
    assert here.threads >= 1
    assert here.libraries["torch"]


def test_rates_are_printed_as_text_and_data(here: Measured) -> None:
    text = rates_text(here, {"fp32": 1e15})
    assert "products in fp32" in text
    assert "of the peak" in text
    found = json.loads(json.dumps(rates_data(here)))
    assert len(found["rates"]) == len(here.rates)
    assert all(math.isfinite(each["value"]) for each in found["rates"])


def test_an_interrupt_keeps_what_was_measured() -> None:
    def tell(text: str) -> None:
        if text.startswith("products"):
            raise KeyboardInterrupt

    found = measured("cpu", ["fp32"], 1.0, tell)
    assert found.interrupted
    assert {rate.what for rate in found.rates} == {"copy", "triad"}
    assert "interrupted" in rates_text(found)


def test_an_interrupt_before_any_measurement_is_raised() -> None:
    def tell(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measured("cpu", ["fp32"], 1.0, tell)


def test_a_missing_device_is_reported() -> None:
    with pytest.raises(NoDevice, match=r"sees no 'xpu' device here, but cpu.*; choose one"):
        measured("xpu", (), 1.0, lambda _: None)


def test_links_between_two_processes_are_measured() -> None:
    """On a processor, these are not links between devices, but they are measured the same way."""
    rates = linked("cpu", 2, 0.5)
    assert {rate.what for rate in rates} == {"all-reduce", "point-to-point"}
    assert all(1e6 < rate.value < 1e12 for rate in rates)
