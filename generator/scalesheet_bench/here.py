"""Identifies this machine's devices, and their accelerators in the catalogue."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec

from scalesheet.book import Book
from scalesheet.model import NO_TABLE
from scalesheet.predict.cases.aliases import accelerator, accelerators
from scalesheet.steps.faults import NoDevice
from scalesheet_bench.ladder.hardware import id_of, name_of
from scalesheet_bench.ladder.processor import processor
from scalesheet_bench.ladder.rates import Device

PATIENCE = 600.0  # seconds for PyTorch to start and respond on a busy machine


def has_torch() -> bool:
    """Return whether PyTorch is installed, without loading it."""
    return find_spec("torch") is not None


def device(kind: str = "") -> Device:
    """The device of that kind; by default the accelerator that PyTorch sees, or else the processor.

    Raises NoDevice if there is none, or if PyTorch cannot tell.
    """
    if kind == "cpu" or not has_torch():
        if kind not in ("", "cpu"):
            raise NoDevice(f"PyTorch is not installed, so '{kind}' devices cannot be detected")
        return processor()
    asked = [sys.executable, "-m", "scalesheet_bench.ladder.who", *([kind] if kind else [])]
    try:
        text = subprocess.run(
            asked, capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE, check=True
        )
        answer = json.loads(text.stdout)
    except (subprocess.SubprocessError, ValueError) as fault:
        raise NoDevice(f"PyTorch could not list its devices: {fault}") from None
    if "device" not in answer:
        raise NoDevice(answer.get("no_device") or f"PyTorch cannot be loaded: {answer['no_torch']}")
    return Device(**answer["device"])


def accelerator_of(book: Book, device: Device) -> str:
    """The catalogue id of a device; empty if it is not in there."""
    table = book.tables.get("hardware", NO_TABLE)
    name = name_of(device)
    for id, title in zip(table.rows, table.row_titles, strict=True):
        if title == name or name in table.row_aliases.get(id, ()):
            return id
    return "" if device.kind == "cpu" else accelerator(name, accelerators(table)).row


def absent(asked: str, device: Device, id: str) -> str:
    """Why the requested accelerator is not in this machine; empty if it is."""
    if id == asked:
        return ""
    enter = f"'scalesheet bench ladder --rates --write {id_of(device)}' adds it"
    known = id or f"not in the catalogue; {enter}"
    return f"{asked} is not in this machine, which has {name_of(device)} ({known})"
