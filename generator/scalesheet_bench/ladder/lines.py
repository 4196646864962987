"""How a child process reports results to its parent, as JSON lines, and ends with it."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

Line = Mapping[str, Any]


def teller() -> Callable[[Line], None]:
    """Reserve this process's output for JSON lines; what libraries print goes to standard error.

    From now on, the process ends when its input is closed, which the parent holds open.
    """
    text = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    threading.Thread(target=_end_with_parent, daemon=True).start()

    def tell(line: Line) -> None:
        text.write(json.dumps(line) + "\n")

    return tell


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def leave() -> None:
    """End the process without waiting for threads of libraries."""
    sys.stderr.flush()
    os._exit(0)


def first_line(fault: BaseException) -> str:
    """The first line of an exception's message."""
    return (str(fault) or type(fault).__name__).strip().partition("\n")[0]
