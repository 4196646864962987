"""book.lock: the state of the extended book when the numbers were computed; score.lock: the state
of the data when the score of predictions was last found as good as expected.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path

from scalesheet.load.reader import parse
from scalesheet.vocabulary import CALCULATOR

NAME = "book.lock"
SCORE = "score.lock"
_HEAD = """\
# Written by 'scalesheet lock'. The numbers of this book rest on these files of the book that it
# extends, folder by folder; where they differ, 'check' says so.
"""


_SCORE_HEAD = """\
# Written by 'scalesheet fit' after the score was computed and found as good as score.yaml expects.
# While these data and the code of predictions are the same, 'check' need not compute it again.
"""
#: What the score does not depend on: answers are hours, not prices.
_NOT_SCORED = ("rates", "providers")
#: The packages of the program that compute the score.
_SCORING = ("language", "evaluate", "predict", "choose")


def version(book: str) -> str:
    """The version of the package that a book comes with; empty for a folder."""
    try:
        return metadata.version(book)
    except (metadata.PackageNotFoundError, ValueError):
        return ""


def digests(files: Iterable[tuple[tuple[str, ...], str]]) -> dict[str, str]:
    """A digest of the contents of each folder and top-level file, except plans. `files` are places
    with the digests of their bytes.
    """
    folders: dict[str, hashlib._Hash] = {}
    for parts, digest in sorted(files):
        if parts[0] != "plans":
            held = folders.setdefault(parts[0], hashlib.sha256())
            held.update("/".join(parts).encode() + b"\0" + digest.encode() + b"\n")
    return {name: held.hexdigest()[:16] for name, held in folders.items()}


def score_text(files: Iterable[tuple[tuple[str, ...], str]]) -> str:
    """The content of score.lock for files, given by their places and the digests of their bytes."""
    held = hashlib.sha256(_scoring().encode())
    for parts, digest in sorted(files):
        of_a_plan = parts[0] == "plans" and parts[1:2] != (CALCULATOR,)
        if parts[0] not in _NOT_SCORED and not of_a_plan:
            held.update("/".join(parts).encode() + b"\0" + digest.encode() + b"\n")
    return f"{_SCORE_HEAD}score: {held.hexdigest()[:16]}\n"


@cache
def _scoring() -> str:
    """A digest of the code of predictions."""
    held, program = hashlib.sha256(), Path(__file__).parents[1]
    for path in sorted(path for name in _SCORING for path in (program / name).rglob("*.py")):
        held.update(path.relative_to(program).as_posix().encode() + b"\0" + path.read_bytes())
    return held.hexdigest()


def text(book: str, held: Mapping[str, str]) -> str:
    """The content of the lock file."""
    lines = [f"extends: {book}", *([f"version: {v}"] if (v := version(book)) else []), "files:"]
    return _HEAD + "\n".join([*lines, *(f"  {name}: {held[name]}" for name in sorted(held))]) + "\n"


def differs(content: bytes, book: str, held: Mapping[str, str]) -> str:
    """What differs from the lock, in a sentence with the fix; empty if nothing does."""
    again = "run 'scalesheet lock' to accept it as it is now"
    locked = parse(content, NAME).data
    files = locked.get("files") if isinstance(locked, dict) else None
    if not isinstance(locked, dict) or not isinstance(files, dict):
        return f"this is not what 'scalesheet lock' writes; {again}"
    if locked.get("extends") != book:
        return f"the book extended '{locked.get('extends')}' when it was locked; {again}"
    other = sorted({name for name, _ in {*files.items()} ^ {*held.items()}})
    if not other:
        return ""
    was, now = str(locked.get("version", "")), version(book)
    some = ", ".join(other[:5]) + (f" and {len(other) - 5} more" if len(other) > 5 else "")
    old = f"install {book} {was}" if was and was != now else "restore those files"
    return f"{book} has changed since the book was locked: {some}; {old}, or {again}"
