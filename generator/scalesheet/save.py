"""Saves changed files of the data folder: all of them or none, and never over someone else's edit.

While it saves, the data folder has:

- `.saving.json`, the journal: each file with digests of its old and new content;
- `.plan.yaml.saving` beside each changed file: its new content;
- `.saving.lock`, as for a build.

Files are renamed into place only once all new contents are on the disk. So after a kill, either the
save can be completed, or no file has changed and it can be undone; `recover` does so.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from scalesheet.output import locked

JOURNAL = ".saving.json"

Changes = Mapping[Path, tuple[bytes | None, bytes]]
"""Old content as it was read, None where there was no file; and the new one."""


def content(path: Path) -> bytes | None:
    """The current content of a file; None if there is none. Raises OSError."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def save(data: Path, changes: Changes) -> None:
    """Write all changes.

    Raises OSError if a file is not what was read, if a new one already exists, or if the disk
    fails: then no file has changed, or `recover` completes the save.
    """
    # if it is a link, replace the file that it points to and keep the link
    files = {Path(os.path.realpath(path)): change for path, change in changes.items()}
    with locked(data / ".saving.lock", data, wait=True):
        _recover(data)
        _compare(files)
        for path in files:
            path.parent.mkdir(parents=True, exist_ok=True)
        try:
            _begin(data, files)
            _compare(files)  # once more, since writing takes time
        except BaseException:
            _take_back(data, files)
            raise
        for path in files:
            _put(path)
        (data / JOURNAL).unlink()


def recover(data: Path) -> None:
    """Complete what a killed command was saving, or undo it.

    Raises OSError if a file was edited since: the others are completed, and the error names this
    one with its intended content.
    """
    if os.path.lexists(data / JOURNAL):
        with locked(data / ".saving.lock", data, wait=True):
            _recover(data)


# ------------------------------------------------------------------ before any file changes


def _compare(files: Changes) -> None:
    for path, (old, _) in files.items():
        if content(path) != old:
            if old is None:
                text = "already exists; choose another name, or edit the file"
                raise FileExistsError(errno.EEXIST, text, str(path))
            text = "was changed while this command ran; nothing was written, run the command again"
            raise OSError(None, text, str(path))


def _begin(data: Path, files: Changes) -> None:
    """Write the journal, then each new content beside its file, and flush all of it to disk."""
    root = os.path.realpath(data)
    journal = {
        os.path.relpath(path, root): [_digest(old), _digest(new)]
        for path, (old, new) in files.items()
    }
    _write(data / JOURNAL, json.dumps(journal, indent=1).encode() + b"\n")
    for path, (_, new) in files.items():
        _write(_beside(path), new)
        with suppress(FileNotFoundError):
            shutil.copymode(path, _beside(path))


def _take_back(data: Path, files: Mapping[Path, object]) -> None:
    for path in files:
        _beside(path).unlink(missing_ok=True)
    (data / JOURNAL).unlink(missing_ok=True)


# ------------------------------------------------------------------ after a kill


def _recover(data: Path) -> None:
    journal = _journal(data)
    if journal is None:
        return
    done = [path for path, (_, new) in journal.items() if _digest(content(path)) == new]
    rest = [path for path in journal if path not in done]
    ready = [
        path
        for path in rest
        if (_digest(content(path)), _digest(content(_beside(path)))) == journal[path]
    ]
    if not done and ready != rest:
        _take_back(data, journal)
        return
    for path in ready:
        _put(path)
    (data / JOURNAL).unlink(missing_ok=True)
    for path in rest:
        if path not in ready:
            text = (
                "was edited after a command was killed while saving, so it is left unchanged; the "
                f"version of that command is in {_beside(path).name}: compare the two, then delete "
                "that file"
            )
            raise OSError(None, text, str(path))


def _journal(data: Path) -> dict[Path, tuple[str, str]] | None:
    """The digests by file; None without a complete journal."""
    root = Path(os.path.realpath(data))
    try:
        fields = json.loads((data / JOURNAL).read_bytes())
        result = {root / name: (str(old), str(new)) for name, (old, new) in fields.items()}
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, AttributeError):  # killed while it was being written
        (data / JOURNAL).unlink()
        return None
    for path in result:  # a journal that came with the data may name any path
        if not Path(os.path.realpath(path)).is_relative_to(root):
            text = f"names {path}, which is outside the data folder; remove this journal"
            raise OSError(None, text, str(data / JOURNAL))
    return result


# ------------------------------------------------------------------ files


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.saving")


def _digest(content: bytes | None) -> str:
    return "" if content is None else hashlib.sha256(content).hexdigest()


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _put(path: Path) -> None:
    """Rename the new content into place, and flush the folder to disk."""
    os.replace(_beside(path), path)
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
