"""Runs independent work in forked processes, one per processor, where the system can fork.

A forked process starts with everything in memory, so no data is sent there; only results are sent
back. On other systems, and if a process is lost, the work is done when its results are requested.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

T = TypeVar("T")
R = TypeVar("R")

#: Sets the number of processes instead of the number of processors; 1: no others.
VARIABLE = "SCALESHEET_PROCESSES"


@contextmanager
def spread(work: Callable[[T], R], items: Sequence[T]) -> Iterator[Callable[[], list[R]]]:
    """Start `work` on each item. The yielded function waits for the results, in the items' order.

    It raises what `work` raised. At the end of the block, all processes have stopped.
    """
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
    """The number of parallel processes.

    It is 1 in a forked process or a thread, which should not fork, and on systems other than Linux,
    where libraries do not survive it.
    """
    alone = threading.current_thread() is threading.main_thread()
    forked = "multiprocessing" in sys.modules and sys.modules["multiprocessing"].parent_process()
    if sys.platform != "linux" or not alone or forked:
        return 1
    named = os.environ.get(VARIABLE, "")
    return int(named) if named.isdecimal() else len(os.sched_getaffinity(0))


def _begun(work: Callable[[T], R], items: Sequence[T]) -> tuple[ForkProcess, Connection]:
    """Start a process for some items; return it and the connection for its results."""
    import multiprocessing

    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(work, items, sender), daemon=True)
    gc.freeze()  # keep pages shared: garbage collection would copy them
    process.start()
    gc.unfreeze()
    sender.close()
    return process, receiver


def _work(work: Callable[[T], R], items: Sequence[T], sender: Connection) -> None:
    result: Any
    try:
        result = [work(item) for item in items]
    except BaseException as error:  # an interrupt reaches both processes
        result = error
    with suppress(BrokenPipeError):  # nobody is waiting any more
        sender.send(result)


def _received(receiver: Connection) -> list[Any] | None:
    """The results of a process; None if it died without any, for example for lack of memory."""
    try:
        result = receiver.recv()
    except EOFError:
        return None
    if isinstance(result, BaseException):
        raise result
    return list(result)
