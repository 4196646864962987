"""Why a step could not be measured: what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

INSTALL = "pip install 'scalesheet[bench]'"


class NotMeasured(Exception):
    """No measurement came of a job. The message names what is wrong and the remedy."""

    code = "B007"  # of its diagnostic


class NoTorch(NotMeasured):
    """PyTorch is not installed for the Python that would measure."""

    code = "B001"


class Missing(NotMeasured):
    """A library that the job asks for, or one that it needs, is not installed."""

    code = "B006"

    def __init__(self, library: str, message: str = "") -> None:
        self.library = library
        super().__init__(
            message or f"the library {library} is not installed: {INSTALL}, then measure again"
        )


class NoDevice(NotMeasured):
    """This machine has no such device, or too few of them."""

    code = "B002"


class Unbuildable(NotMeasured):
    """The model or the way of training cannot be built as the job has it."""

    code = "B005"


class OutOfMemory(NotMeasured):
    """Memory ran out. `needed` and `had` are bytes, None where the system did not say."""

    code = "B004"

    def __init__(self, message: str, needed: float | None = None, had: float | None = None) -> None:
        self.needed = needed
        self.had = had
        super().__init__(message)


class Failed(NotMeasured):
    """The process that measures ended in a way that is none of the above."""


def fault_message(fault: NotMeasured) -> dict[str, Any]:
    """A fault as the message that the measuring process sends."""
    return {"is": "fault", "code": fault.code, "text": str(fault), **vars(fault)}


def fault_of(data: Mapping[str, Any]) -> NotMeasured:
    """The fault that such a message tells of."""
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
