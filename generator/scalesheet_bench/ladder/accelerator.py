"""What the driver reports about a device through PyTorch. Only the child imports this."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import torch

from scalesheet.steps.faults import NoDevice
from scalesheet_bench.ladder import processor
from scalesheet_bench.ladder.rates import Device

#: Seconds over which NVIDIA's library reports processes, at most.
SAMPLED = 1.1
_MAKERS = {"xpu": "Intel", "mps": "Apple", "hpu": "Intel"}
#: Parts of a device's name that state its form factor.
_FORMS = {"SXM": "SXM module", "PCIe": "PCIe card", "NVL": "PCIe card", "OAM": "OAM module"}


@dataclass(frozen=True)
class Here:
    """A device of this machine."""

    device: Device
    free: int  # bytes
    caches: int  # bytes of the last-level cache
    uuid: str  # its id in NVIDIA's library; empty for others
    wait: Callable[[], object]  # returns when the device has finished


def here(kind: str) -> Here:
    """The device of that kind in this machine. Raises NoDevice."""
    if kind == "cpu":
        free = processor.memory()[1]
        return Here(processor.processor(), free, processor.caches(), "", _at_once)
    seen = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    if seen is None or seen.type != kind:
        has = f"cpu and {seen.type}" if seen is not None else "cpu alone"
        raise NoDevice(
            f"PyTorch {torch.__version__} sees no '{kind}' device here, but {has}; choose one of "
            "these, or install the PyTorch that is built for it and its driver"
        )
    module = torch.get_device_module(kind)
    count = int(torch.accelerator.device_count())
    text: Any = (
        module.get_device_properties(0) if hasattr(module, "get_device_properties") else None
    )
    name = str(getattr(text, "name", "") or kind)
    total = int(getattr(text, "total_memory", 0) or _recommended(module))
    free = int(module.mem_get_info()[0]) if hasattr(module, "mem_get_info") else total
    uuid = f"GPU-{text.uuid}" if kind == "cuda" and torch.version.hip is None else ""
    power, driver = _managed(uuid) if uuid else (None, "")
    device = Device(
        kind=kind,
        name=name,
        vendor=_vendor(kind),
        form_factor=next((form for word, form in _FORMS.items() if word in name), "not stated"),
        memory=total,
        count=count,
        power=power,
        driver=driver,
    )
    caches = int(getattr(text, "L2_cache_size", 0))
    return Here(device, free, caches, uuid, module.synchronize)


def _at_once() -> None:
    """Return immediately: a processor has finished when the call returns."""


def _recommended(module: Any) -> int:
    """The memory in bytes that Apple's driver recommends as the limit."""
    limit = getattr(module, "recommended_max_memory", None)
    return int(limit()) if limit is not None else 0


def _vendor(kind: str) -> str:
    if kind == "cuda":
        return "AMD" if torch.version.hip is not None else "NVIDIA"
    return _MAKERS.get(kind, "not stated")


def _managed(uuid: str) -> tuple[float | None, str]:
    """The default power limit in W and the driver, from NVIDIA's library."""
    try:
        import pynvml
    except ImportError:
        return None, ""
    with suppress(pynvml.NVMLError):
        pynvml.nvmlInit()
        try:
            device = pynvml.nvmlDeviceGetHandleByUUID(uuid)
            watt = pynvml.nvmlDeviceGetPowerManagementDefaultLimit(device) / 1000
            return watt, f"driver {pynvml.nvmlSystemGetDriverVersion()}"
        finally:
            pynvml.nvmlShutdown()
    return None, ""


def busy(uuid: str) -> str:
    """Describe other use of a device while we are idle, or return nothing.

    Only NVIDIA's library reports it, for the last second.
    """
    if not uuid:
        return ""
    try:
        import pynvml
    except ImportError:
        return ""
    time.sleep(SAMPLED)
    with suppress(pynvml.NVMLError):
        pynvml.nvmlInit()
        try:
            device = pynvml.nvmlDeviceGetHandleByUUID(uuid)
            share = pynvml.nvmlDeviceGetUtilizationRates(device).gpu / 100
        finally:
            pynvml.nvmlShutdown()
        if share > processor.BUSY:
            return f"others used the device for {share:.0%} of the second before"
    return ""


def libraries() -> Mapping[str, str]:
    """The libraries behind products and streams, with versions."""
    result = {"torch": str(torch.__version__)}
    for name, at in ("cuda", torch.version.cuda), ("hip", torch.version.hip):
        if at is not None:
            result[name] = str(at)
    with suppress(PackageNotFoundError):
        result["nvidia-ml-py"] = version("nvidia-ml-py")
    return result
