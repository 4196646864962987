"""Replaces an output in one step: it is either the old one or the new one, never a mixture.

During a build of a folder `build`, and after one that was killed, there are beside it:

- `.build.lock`, held by the process that writes, and free again when that process ends;
- `.build.new`, the new output, or the old one while it is removed;
- `.build.old`, only if the system cannot exchange two names in one step: the old folder, for the
  moment in which neither has the name. The next build restores it.

Every folder made here has the file `.stamp.json` from start to end. Only folders with that file are
replaced or removed; anything else with one of these names is refused and stays.
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
    """Yield a folder that becomes `out` if the block succeeds, and is removed otherwise.

    Unchanged files keep their place on the disk, with their dates. If another build is writing
    `out`, raises BlockingIOError, or waits for its end with `wait`. Raises FileExistsError if
    somebody else's file or folder would be replaced.
    """
    out = out.resolve()  # if it is a link, replace the folder that it points to and keep the link
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


def keep(folder: Path, stage: Path) -> None:
    """Hard-link all files of an output, or of a folder in it, into a stage."""

    def again(old: str, new: str) -> None:
        try:
            os.link(old, new)
        except OSError:  # no hard links on this system
            shutil.copy2(old, new)

    if folder.is_dir():
        top = str(folder)
        shutil.copytree(
            folder,
            stage,
            ignore=lambda below, names: [MARK] if below == top else [],
            copy_function=again,
            dirs_exist_ok=True,
        )


def sweep(out: Path) -> None:
    """Clean up after a killed build, unless another one is running."""
    out = out.resolve()
    beside = any(os.path.lexists(_beside(out, what)) for what in ("lock", "new", "old"))
    if beside and not any(strangers(out)):
        with suppress(BlockingIOError), locked(_beside(out, "lock"), out):
            _recover(out)


def _beside(out: Path, what: str) -> Path:
    return out.with_name(f".{out.name}.{what}")


# ------------------------------------------------------------------ our own files


def strangers(out: Path) -> Iterator[Path]:
    """Yield paths with the name of the output or its helpers that were not made by a build."""
    out = out.resolve()
    yield from (path for path in (out, _beside(out, "new"), _beside(out, "old")) if not _ours(path))
    lock = _beside(out, "lock")
    if os.path.lexists(lock) and (lock.is_symlink() or not lock.is_file() or lock.stat().st_size):
        yield lock


def refuse_strangers(out: Path) -> None:
    """Raise FileExistsError for the first of them."""
    for path in strangers(out):
        text = "was not made by a build and would be overwritten; move it, or name another output"
        raise FileExistsError(errno.EEXIST, text, str(path))


def _ours(folder: Path) -> bool:
    """Return whether a folder may be replaced: it has the mark, or is empty or missing."""
    try:
        return not folder.is_symlink() and (not os.listdir(folder) or (folder / MARK).is_file())
    except FileNotFoundError:
        return True
    except NotADirectoryError:
        return False


def _remove(folder: Path) -> None:
    """Remove a folder, the mark last, so that a killed removal leaves it recognizable."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != MARK:
            path.unlink()
    (folder / MARK).unlink(missing_ok=True)
    folder.rmdir()


# ------------------------------------------------------------------ the lock


@contextmanager
def locked(lock: Path, folder: Path, *, wait: bool = False) -> Iterator[None]:
    """Hold the lock of a folder. The system frees it when the process ends, however that happens.

    If another process holds it, raises BlockingIOError, or waits until it is free with `wait`.
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
    """The lock's file, held; None if its last holder removed it meanwhile."""
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
    """Repair what a killed build left behind."""
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
            except OSError:  # no hard links on this system: keep the new file
                continue
            kept.replace(new)


def _exchange(stage: Path, out: Path) -> None:
    """Swap the folders; where the system supports it, `out` exists at every moment."""
    if not out.exists():
        stage.rename(out)
    elif not _exchanged(stage, out):
        old = _beside(out, "old")
        out.rename(old)
        stage.rename(out)
        with suppress(OSError):
            _remove(old)


def _exchanged(a: Path, b: Path) -> bool:
    """Exchange two names atomically, on Linux. Returns False if that is not possible."""
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
