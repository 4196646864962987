"""Why a step could not be measured: what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

INSTALL = "pip install 'scalesheet[bench]'"


class NotMeasured(Exception):
    """Raised if a job gave no measurement. The message says what is wrong and how to fix it."""

    code = "B007"  # of its diagnostic


class NoTorch(NotMeasured):
    """PyTorch is not installed in the Python that would measure."""

    code = "B001"


class Missing(NotMeasured):
    """A library that the job asks for or depends on is not installed."""

    code = "B006"

    def __init__(self, library: str, message: str = "") -> None:
        self.library = library
        super().__init__(
            message or f"the library {library} is not installed: {INSTALL}, then measure again"
        )


class NoDevice(NotMeasured):
    """The machine lacks such a device, or has too few of them."""

    code = "B002"


class Unbuildable(NotMeasured):
    """The model or training method of the job cannot be built."""

    code = "B005"


class OutOfMemory(NotMeasured):
    """Out of memory. `needed` and `had` are in bytes, None if the system did not report them."""

    code = "B004"

    def __init__(self, message: str, needed: float | None = None, had: float | None = None) -> None:
        self.needed = needed
        self.had = had
        super().__init__(message)


class Failed(NotMeasured):
    """The measuring process ended for any other reason."""


def fault_message(fault: NotMeasured) -> dict[str, Any]:
    """The message by which the measuring process reports an error."""
    return {"is": "fault", "code": fault.code, "text": str(fault), **vars(fault)}


def fault_of(data: Mapping[str, Any]) -> NotMeasured:
    """The error that such a message reports."""
    text = str(data["text"])
    code = data["code"]
    if code == OutOfMemory.code:
        return OutOfMemory(text, data.get("needed"), data.get("had"))
    if code == Missing.code:
        return Missing(str(data["library"]), text)
    for known in (NoTorch, NoDevice, Unbuildable):
        if code == known.code:
            return known(text)
    return Failed(text)
