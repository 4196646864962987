"""Starts the measuring process, reads its results, and survives its failure."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scalesheet.steps.faults import INSTALL, Failed, NoDevice, NoTorch
from scalesheet_bench.ladder.rates import Device, Measured, Rate

Tell = Callable[[str], None]

CHILD = "scalesheet_bench.ladder"
LINKS = "scalesheet_bench.ladder.links"
#: Seconds in which several processes may end each other.
GRACE = 10.0


class LadderError(Failed):
    """No rate could be measured; the message says what happened and what to do."""


def measured(
    device: str, precisions: Sequence[str] = (), seconds: float = 60.0, tell: Tell = print
) -> Measured:
    """Measure the rates of a device in about this many seconds, plus the start of PyTorch.

    After an interrupt, or if the child is killed, the results so far are returned and marked;
    without any, the interrupt is raised. Raises NoTorch, NoDevice, LadderError.
    """
    asked = {"device": device, "precisions": list(precisions), "seconds": seconds}
    result: Measured | None = None
    ended = False
    try:
        for line in _told(["-m", CHILD, json.dumps(asked)]):
            if "no_torch" in line:
                raise NoTorch(
                    f"rates are measured with PyTorch, which cannot be loaded "
                    f"({line['no_torch']}): {INSTALL}"
                )
            if "no_device" in line:
                raise NoDevice(line["no_device"])
            if "device" in line:
                result = Measured(Device(**line["device"]), libraries=line["libraries"])
            elif result is not None:
                result = _with(result, line, tell)
            ended = ended or "end" in line
        if result is not None and result.device.count > 1:
            tell(f"links between {result.device.count} devices")
            rates = linked(device, result.device.count)
            result = replace(result, rates=(*result.rates, *rates))
    except KeyboardInterrupt:
        if result is None or not result.rates:
            raise
        ended = False
    except LadderError as fault:
        if result is None or not result.rates:
            raise
        result = replace(result, told=(*result.told, str(fault)))
    if result is None:
        raise LadderError("the measuring process ended without output; try again")
    return result if ended else replace(result, interrupted=True)


def _with(result: Measured, line: Mapping[str, Any], tell: Tell) -> Measured:
    if "tell" in line:
        tell(line["tell"])
    if "cannot" in line:
        return replace(result, told=(*result.told, line["cannot"]))
    if "rate" in line:
        return replace(result, rates=(*result.rates, Rate(**line["rate"])))
    named = {key: line[key] for key in ("busy", "threads") if key in line}
    return replace(result, **named)


def linked(device: str, count: int, seconds: float = 20.0) -> tuple[Rate, ...]:
    """Measure the links between this many devices, each with a process of its own.

    Raises LadderError.
    """
    if count < 2:
        raise LadderError(f"links are measured between devices, and this machine has {count}")
    several = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(count)]
    asked = json.dumps({"device": device, "seconds": seconds})
    lines = _told([*several, "-m", LINKS, asked])
    return tuple(Rate(**line["rate"]) for line in lines if "rate" in line)


def _told(arguments: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    """Yield the lines of a child.

    The child ends when reading ends, for whatever reason; if it fails, its last words are reported.
    """
    with tempfile.TemporaryFile() as words:
        # a new session, so that an interrupt from the keyboard reaches only us
        child = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=words,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        assert child.stdout is not None
        assert child.stdin is not None
        ended = False
        try:
            for text in child.stdout:
                line = json.loads(text)
                ended = ended or "end" in line
                yield line
        finally:
            child.stdin.close()  # also ends the processes that it started
            if not ended:
                child.terminate()
            try:
                child.wait(GRACE)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
            child.stdout.close()
        if not ended:
            words.seek(0)
            message = _last_words(words.read().decode("utf-8", "replace"))
            how = f"signal {-child.returncode}" if child.returncode < 0 else "an error"
            raise LadderError(f"the measuring process ended with {how}: {message}")


def _last_words(text: str) -> str:
    """The line of a traceback that says what happened; for several processes, that of the first."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "Error: " in line]
    return (errors or lines[-1:] or ["no message"])[0]
