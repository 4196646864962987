"""What PyTorch reports about a device, with simulated drivers."""

import math
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch", reason="the extra bench: pip install 'scalesheet[bench]'")

from scalesheet.steps.faults import NoDevice  # noqa: E402
from scalesheet_bench.ladder import accelerator  # noqa: E402
from scalesheet_bench.ladder.products import precisions, products  # noqa: E402
from scalesheet_bench.ladder.streams import streams  # noqa: E402
from scalesheet_bench.ladder.timing import Budget  # noqa: E402

GIB = 1 << 30


def at_once() -> None:
    pass


def driver(
    monkeypatch: pytest.MonkeyPatch, kind: str, hip: str | None = None, **said: object
) -> None:
    """Make PyTorch see two devices of a kind."""
    seen = SimpleNamespace(type=kind)
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: seen)
    monkeypatch.setattr(torch.accelerator, "device_count", lambda: 2)
    monkeypatch.setattr(torch.version, "hip", hip)
    module = SimpleNamespace(synchronize=at_once, **said)
    monkeypatch.setattr(torch, "get_device_module", lambda _: module)


def properties(name: str) -> SimpleNamespace:
    return SimpleNamespace(name=name, total_memory=80 * GIB, L2_cache_size=50 << 20, uuid="none")


@pytest.mark.parametrize(
    ("name", "hip", "vendor", "form"),
    [
        ("NVIDIA A100-SXM4-80GB", None, "NVIDIA", "SXM module"),
        ("NVIDIA H100 PCIe", None, "NVIDIA", "PCIe card"),
        ("NVIDIA H200", None, "NVIDIA", "not stated"),
        ("AMD Instinct MI300X OAM", "6.2", "AMD", "OAM module"),
    ],
)
def test_a_gpu_is_described(
    monkeypatch: pytest.MonkeyPatch, name: str, hip: str | None, vendor: str, form: str
) -> None:
    driver(
        monkeypatch,
        "cuda",
        hip,
        get_device_properties=lambda _: properties(name),
        mem_get_info=lambda: (70 * GIB, 80 * GIB),
    )
    here = accelerator.here("cuda")
    assert (here.device.name, here.device.vendor, here.device.form_factor) == (name, vendor, form)
    assert (here.device.memory, here.device.count) == (80 * GIB, 2)
    assert (here.free, here.caches) == (70 * GIB, 50 << 20)
    assert here.uuid == ("" if hip else "GPU-none")


def test_a_chip_with_shared_memory_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    driver(monkeypatch, "mps", recommended_max_memory=lambda: 20 * GIB)
    here = accelerator.here("mps")
    assert (here.device.vendor, here.device.memory, here.free) == ("Apple", 20 * GIB, 20 * GIB)


def test_a_missing_kind_of_device_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    driver(monkeypatch, "xpu")
    with pytest.raises(NoDevice, match=r"sees no 'cuda' device here, but cpu and xpu"):
        accelerator.here("cuda")


def test_without_a_driver_library_nothing_is_reported_and_nothing_fails() -> None:
    assert accelerator.busy("") == ""
    assert "torch" in accelerator.libraries()


def test_matrix_products_stay_within_time_and_memory() -> None:
    found = list(products("cpu", "fp32", Budget(0.2), 20e6, at_once))
    assert [rate.size for rate in found] == [512]  # 1,024 rows would take 12.6 of 20 MB
    assert all(math.isfinite(rate.value) for rate in found)
    assert precisions("cpu") == ("bf16", "fp16", "fp32")


def test_arrays_that_do_not_fit_are_reported() -> None:
    with pytest.raises(MemoryError, match="which is 4 times the caches"):
        list(streams("cpu", Budget(1.0), 1e8, 1 << 20, at_once))
