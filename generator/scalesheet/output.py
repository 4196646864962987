"""Old output or new, never a mixture: made beside the output, exchanged in one step.

Beside a folder `build` there stand, while a build writes it and after one that was killed:

- `.build.lock`, held by the process that writes, and free again when that process ends;
- `.build.new`, what is being made, or what was replaced and is being removed;
- `.build.old`, only where the system cannot exchange two names in one step: the old folder, for
  the moment in which neither has the name. The next build puts it back.
"""

from __future__ import annotations

import ctypes
import filecmp
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


@contextmanager
def staged(out: Path, *, wait: bool = False) -> Iterator[Path]:
    """A folder that becomes `out` when the block ends well, and vanishes when it does not.

    Files that did not change keep their place on the disk, with their dates. Raises
    BlockingIOError where another build writes `out`, or else waits for it.
    """
    out = out.resolve()  # of a link to a folder, the folder is replaced and the link stays
    out.parent.mkdir(parents=True, exist_ok=True)
    with _locked(out, wait):
        _recover(out)
        stage = _beside(out, "new")
        stage.mkdir()
        try:
            yield stage
            _keep_unchanged(stage, out)
            _exchange(stage, out)
        finally:
            shutil.rmtree(stage, ignore_errors=True)


def sweep(out: Path) -> None:
    """Clears up after a build that was killed, where no other is at work."""
    out = out.resolve()
    if any(_beside(out, what).exists() for what in ("lock", "new", "old")):
        with suppress(BlockingIOError), _locked(out, wait=False):
            _recover(out)


def _beside(out: Path, what: str) -> Path:
    return out.with_name(f".{out.name}.{what}")


# ------------------------------------------------------------------ one at a time


@contextmanager
def _locked(out: Path, wait: bool) -> Iterator[None]:
    """Holds the lock of `out`. The system frees it when its process ends, however that ends."""
    if sys.platform == "win32":
        yield
        return
    lock = _beside(out, "lock")
    handle = _taken(lock, wait)
    while handle is None:
        handle = _taken(lock, wait)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(handle)


def _taken(lock: Path, wait: bool) -> int | None:
    """The lock's file, held; None if it was removed by its last holder in between."""
    assert sys.platform != "win32"
    handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        if lock.exists() and os.path.samestat(os.fstat(handle), lock.stat()):
            return handle
    except FileNotFoundError:
        pass
    except BlockingIOError as error:
        os.close(handle)
        name = lock.name.removeprefix(".").removesuffix(".lock")
        said = "another build is writing this folder; wait until it has ended"
        raise BlockingIOError(error.errno, said, str(lock.with_name(name))) from None
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


def _recover(out: Path) -> None:
    """Puts right what a build that was killed left behind."""
    old = _beside(out, "old")
    if old.exists() and not out.exists():
        old.rename(out)
    for rest in (old, _beside(out, "new")):
        if rest.exists():
            shutil.rmtree(rest)


# ------------------------------------------------------------------ the exchange


def _keep_unchanged(stage: Path, out: Path) -> None:
    for new in sorted(stage.rglob("*")):
        old = out / new.relative_to(stage)
        if not new.is_file() or not old.is_file() or old.is_symlink():
            continue
        if filecmp.cmp(new, old, shallow=False):
            kept = new.with_name(f".{new.name}.kept")
            try:
                os.link(old, kept)
            except OSError:  # no second name for a file on this system: the new one will do
                continue
            kept.replace(new)


def _exchange(stage: Path, out: Path) -> None:
    """`out` is the old folder or the new one at every moment, where the system can do that."""
    if not out.exists():
        stage.rename(out)
    elif not _exchanged(stage, out):
        old = _beside(out, "old")
        out.rename(old)
        stage.rename(out)
        shutil.rmtree(old, ignore_errors=True)


def _exchanged(a: Path, b: Path) -> bool:
    """Linux exchanges two names atomically. False where that is not to be had."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    here = ctypes.c_int(_AT_FDCWD)
    return bool(
        rename(here, os.fsencode(a), here, os.fsencode(b), ctypes.c_uint(_RENAME_EXCHANGE)) == 0
    )
