"""Old output or new, never a mixture: made beside the output, exchanged in one step."""

from __future__ import annotations

import ctypes
import filecmp
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


@contextmanager
def staged(out: Path) -> Iterator[Path]:
    """A folder that becomes `out` when the block ends well, and vanishes when it does not.

    Files that did not change keep their place on the disk, with their dates.
    """
    out = out.absolute()
    out.parent.mkdir(parents=True, exist_ok=True)
    _sweep(out)
    stage = Path(tempfile.mkdtemp(prefix=f".{out.name}.new-", dir=out.parent))
    try:
        stage.chmod(0o755)
        yield stage
        _keep_unchanged(stage, out)
        _exchange(stage, out)
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _sweep(out: Path) -> None:
    """Remains of a build that was killed."""
    for rest in out.parent.glob(f".{out.name}.new-*"):
        shutil.rmtree(rest, ignore_errors=True)


def _keep_unchanged(stage: Path, out: Path) -> None:
    for new in sorted(stage.rglob("*")):
        old = out / new.relative_to(stage)
        if new.is_file() and old.is_file() and filecmp.cmp(new, old, shallow=False):
            new.unlink()
            os.link(old, new)


def _exchange(stage: Path, out: Path) -> None:
    """`out` is the old folder or the new one at every moment, where the system can do that."""
    if not out.exists():
        stage.rename(out)
    elif not _exchanged(stage, out):
        aside = Path(tempfile.mkdtemp(prefix=f".{out.name}.new-", dir=out.parent))
        out.rename(aside / "old")
        stage.rename(out)
        shutil.rmtree(aside, ignore_errors=True)


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
