"""The measuring process: reads a job from a file, and reports results line by line."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

from scalesheet.steps.faults import INSTALL, Failed, NotMeasured, NoTorch, fault_message
from scalesheet_bench.train.messages import heard, line
from scalesheet_bench.train.quiet import quiet

FAULT = 3  # the exit code after a reported error


def main() -> int:
    """Measure the job in the file that the command names."""
    # only messages go to standard output; what libraries print goes to standard error
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)

    def send(data: dict[str, Any]) -> None:
        out.write(line(data))
        out.flush()

    ends = Ends()
    signal.signal(signal.SIGINT, ends.ask)
    job, effort, trace = heard(Path(sys.argv[1]).read_text(encoding="utf-8"))
    if os.environ.get("RANK", "0") == "0":  # torchrun numbers the processes that it starts
        send({"is": "begin", "pid": os.getpid()})
    quiet()
    try:
        run = _runner()
        run(job, effort, trace, send, lambda: ends.asked)
    except NotMeasured as fault:
        send(fault_message(fault))
        return FAULT
    except Exception as error:
        traceback.print_exc()
        text = f"{type(error).__name__}: {error}"
        what = f"the steps of {job.model.title} failed in PyTorch or its libraries: {text}"
        send(fault_message(Failed(f"{what}; measure another job to see whether they work here")))
        return FAULT
    return 0


def _runner() -> Any:
    """The module that measures, which needs PyTorch."""
    try:
        import torch  # noqa: F401  # whether it loads is all that is asked
    except ImportError as error:
        raise NoTorch(
            f"PyTorch is not installed for {sys.executable}, which real steps need: "
            f"{INSTALL}; without it, `scalesheet bench simulate` answers from the catalogue"
        ) from error
    from scalesheet_bench.train.run import run

    return run


class Ends:
    """Remembers that the process was asked to end, which it does after the current step."""

    def __init__(self) -> None:
        self.asked = False

    def ask(self, number: int, frame: Any) -> None:
        self.asked = True


if __name__ == "__main__":
    sys.exit(main())
