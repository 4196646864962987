"""Runs independent work in forked processes, one per processor, where the system can fork.

A forked process begins with all that this one knows, so nothing is sent there. What it computes is
sent back. Elsewhere, and where a process was lost, the work is done when its results are asked for.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")

#: How many processes, in place of the number of processors; 1: none besides this one.
VARIABLE = "SCALESHEET_PROCESSES"


@contextmanager
def spread(work: Callable[[T], R], items: Sequence[T]) -> Iterator[Callable[[], list[R]]]:
    """Begins `work` on each item. What it yields waits for the results, in the items' order, and
    raises what `work` raised. At the end of the block nothing is left running."""
    count = min(processes(), len(items)) if processes() > 1 else 0
    groups = [_begun(work, items[at::count]) for at in range(count)]

    def results() -> list[R]:
        if not groups:
            return [work(item) for item in items]
        made: list[Any] = [None] * len(items)
        for at, (_, receiver) in enumerate(groups):
            made[at::count] = _received(receiver) or map(work, items[at::count])
        return made

    try:
        yield results
    finally:
        for process, receiver in groups:
            process.terminate()
            process.join()
            receiver.close()


def processes() -> int:
    """How many may run side by side. A process that was forked forks no more, nor does a thread;
    on other systems than Linux libraries do not survive it."""
    alone = threading.current_thread() is threading.main_thread()
    if sys.platform != "linux" or not alone or multiprocessing.parent_process() is not None:
        return 1
    named = os.environ.get(VARIABLE, "")
    return int(named) if named.isdecimal() else len(os.sched_getaffinity(0))


def _begun(work: Callable[[T], R], items: Sequence[T]) -> tuple[ForkProcess, Connection]:
    """A process that works on some items, and where its results come from."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(work, items, sender), daemon=True)
    gc.freeze()  # what both know stays in one place: a look for garbage would copy it
    process.start()
    gc.unfreeze()
    sender.close()
    return process, receiver


def _work(work: Callable[[T], R], items: Sequence[T], sender: Connection) -> None:
    result: Any
    try:
        result = [work(item) for item in items]
    except BaseException as error:  # an interrupt reaches both
        result = error
    with suppress(BrokenPipeError):  # nobody waits any more
        sender.send(result)


def _received(receiver: Connection) -> list[Any] | None:
    """What a process sends; None where it ended without a word, such as for lack of memory."""
    try:
        result = receiver.recv()
    except EOFError:
        return None
    if isinstance(result, BaseException):
        raise result
    return list(result)
