"""File system errors in words: what is wrong with a file, and what to do."""

from __future__ import annotations

import errno
import io
import traceback
from pathlib import Path

_REMEDIES = {
    errno.ENOSPC: "free space on the disk, or write elsewhere",
    errno.EDQUOT: "free some of your quota, or write elsewhere",
    errno.EFBIG: "raise the limit on the size of a file (ulimit -f), or write elsewhere",
    errno.EMFILE: "raise the limit on open files (ulimit -n)",
    errno.EACCES: "change its permissions, or use another place",
    errno.EPERM: "change its permissions, or use another place",
    errno.EROFS: "the disk is read-only; use another place",
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "check the path: a part of it is a file",
    errno.EISDIR: "name a file, not a folder",
    errno.EEXIST: "remove it, or use another name",
    errno.ENAMETOOLONG: "use a shorter path",
    errno.EAGAIN: "",  # another build: its message already says what to do
}


def described(error: BaseException) -> tuple[str, str, str] | None:
    """The file, what is wrong with it, and what to do; None if it is not a system error."""
    inner = error
    if not isinstance(error, OSError) and error.args:
        inner = error.args[0]  # libraries wrap it in an exception of their own
    if not isinstance(inner, OSError):
        return None
    place = inner.filename or _in_hand(inner) or _in_hand(error) or "a file"
    remedy = _REMEDIES.get(inner.errno or 0, "check that path, then try again")
    return str(place), inner.strerror or str(inner), "" if inner.errno is None else remedy


def _in_hand(error: BaseException) -> str | None:
    """The innermost file or path in the traceback's frames, because a failed write names none."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    for frame in reversed(frames):
        here = list(frame.f_locals.values())
        for value in here:
            name = getattr(value, "name", None) if isinstance(value, io.IOBase) else None
            if isinstance(name, str):
                return name
        for value in here:
            if isinstance(value, Path):
                return str(value)
    return None
