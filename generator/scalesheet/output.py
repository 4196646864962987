"""Replaces an output in one step: it is either the old one or the new one, never a mixture.

Beside a folder `build` there stand, while a build writes it and after one that was killed:

- `.build.lock`, held by the process that writes, and free again when that process ends;
- `.build.new`, what is being made, or what was replaced and is being removed;
- `.build.old`, only where the system cannot exchange two names in one step: the old folder, for
  the moment in which neither has the name. The next build puts it back.

Every folder that is made here holds the file `.stamp.json` from its first moment to its last. Only
what holds it is replaced or removed; whatever else has one of these names is refused and stays.
"""

from __future__ import annotations

import ctypes
import errno
import filecmp
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

MARK = ".stamp.json"
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


@contextmanager
def staged(out: Path, *, wait: bool = False) -> Iterator[Path]:
    """A folder that becomes `out` when the block ends well, and vanishes when it does not.

    Files that did not change keep their place on the disk, with their dates. Raises
    BlockingIOError where another build writes `out`, or else waits for it, and FileExistsError
    where somebody else's file or folder would be replaced.
    """
    out = out.resolve()  # of a link to a folder, the folder is replaced and the link stays
    out.parent.mkdir(parents=True, exist_ok=True)
    refuse_strangers(out)
    with locked(_beside(out, "lock"), out, wait=wait):
        _recover(out)
        stage = _beside(out, "new")
        stage.mkdir()
        try:
            (stage / MARK).touch()
            yield stage
            _keep_unchanged(stage, out)
            _exchange(stage, out)
        finally:
            with suppress(OSError):
                _remove(stage)


def sweep(out: Path) -> None:
    """Clears up after a build that was killed, where no other is at work."""
    out = out.resolve()
    beside = any(os.path.lexists(_beside(out, what)) for what in ("lock", "new", "old"))
    if beside and not any(strangers(out)):
        with suppress(BlockingIOError), locked(_beside(out, "lock"), out):
            _recover(out)


def _beside(out: Path, what: str) -> Path:
    return out.with_name(f".{out.name}.{what}")


# ------------------------------------------------------------------ what is ours


def strangers(out: Path) -> Iterator[Path]:
    """What has the name of the output or one of those beside it, and was not made by a build."""
    out = out.resolve()
    yield from (path for path in (out, _beside(out, "new"), _beside(out, "old")) if not _ours(path))
    lock = _beside(out, "lock")
    if os.path.lexists(lock) and (lock.is_symlink() or not lock.is_file() or lock.stat().st_size):
        yield lock


def refuse_strangers(out: Path) -> None:
    """Raises FileExistsError with the first of them."""
    for path in strangers(out):
        text = "was not made by a build and would be overwritten; move it, or name another output"
        raise FileExistsError(errno.EEXIST, text, str(path))


def _ours(folder: Path) -> bool:
    """Whether a folder may be replaced: it holds the mark, or nothing, or is not there at all."""
    try:
        return not folder.is_symlink() and (not os.listdir(folder) or (folder / MARK).is_file())
    except FileNotFoundError:
        return True
    except NotADirectoryError:
        return False


def _remove(folder: Path) -> None:
    """The mark goes last: what a kill leaves is still ours."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != MARK:
            path.unlink()
    (folder / MARK).unlink(missing_ok=True)
    folder.rmdir()


# ------------------------------------------------------------------ one at a time


@contextmanager
def locked(lock: Path, folder: Path, *, wait: bool = False) -> Iterator[None]:
    """Holds the lock of a folder. The system frees it when its process ends, however that ends.

    Raises BlockingIOError where another process holds it, or else waits for that.
    """
    if sys.platform == "win32":
        yield
        return
    handle = _taken(lock, folder, wait)
    while handle is None:
        handle = _taken(lock, folder, wait)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(handle)


def _taken(lock: Path, folder: Path, wait: bool) -> int | None:
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
        text = "another build is writing this folder; wait until it finishes"
        raise BlockingIOError(error.errno, text, str(folder)) from None
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
            _remove(rest)


# ------------------------------------------------------------------ the exchange


def _keep_unchanged(stage: Path, out: Path) -> None:
    for new in sorted(stage.rglob("*")):
        old = out / new.relative_to(stage)
        if not new.is_file() or not old.is_file() or old.is_symlink() or new.samefile(old):
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
        with suppress(OSError):
            _remove(old)


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
