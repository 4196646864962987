"""Detects changed files by their dates and sizes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

#: Date and size of each file, by path.
Seen = dict[Path, tuple[int, int]]


def look(files: Iterable[Path]) -> Seen:
    """The current state of the files. Files that vanished are left out."""
    seen: Seen = {}
    for path in files:
        try:
            status = path.stat()
        except OSError:
            continue
        seen[path] = (status.st_mtime_ns, status.st_size)
    return seen


def changes(
    files: Callable[[], Iterable[Path]],
    before: Seen,
    pause: float,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[tuple[list[Path], Seen]]:
    """Yield each change after `before`, with the state seen then.

    Editors may write a file in several steps, so a change is reported after a pause without further
    changes.
    """
    while True:
        sleep(pause)
        now = look(files())
        if now == before:
            continue
        while True:
            sleep(pause)
            later = look(files())
            if later == now:
                break
            now = later
        changed = [path for path in {*before, *now} if before.get(path) != now.get(path)]
        before = now
        if changed:
            yield sorted(changed), now
