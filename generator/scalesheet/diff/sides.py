"""The two sides of a comparison: folders, or revisions of the repository that holds the data.

For a revision, only the data are extracted, to a temporary folder; the running program evaluates
both sides.
"""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from scalesheet.fingerprint import files_below
from scalesheet.frozen import dataclass
from scalesheet.load.folder import shown
from scalesheet.nearest import nearest

BOOK = "book.yaml"
OF_A_HOOK = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"})


class SideError(Exception):
    """A side that does not exist; the message says what was expected."""


@dataclass(frozen=True)
class Side:
    """A data folder under the name that the user gave. In paths that users see, `label` replaces a
    temporary folder.
    """

    name: str
    data: Path
    label: str = ""


@contextmanager
def sides(base: str, head: str | None, data: Path) -> Iterator[tuple[Side, Side]]:
    """Yields both sides while they exist. `data` is the working data folder, which is the default
    for head. Raises SideError.
    """
    if head is None and not data.is_dir():
        raise SideError(f"there is no data folder '{data}'; name it with --data DIR")
    with TemporaryDirectory(prefix="scalesheet-diff-") as folder:
        first = _side(base, data, Path(folder, "base"))
        if head is None:
            second = Side(shown(data), data)
        else:
            second = _side(head, data, Path(folder, "head"))
        yield first, second


def same_bytes(one: Side, other: Side) -> bool:
    """Whether both have the same files, so that there is nothing to evaluate."""
    first, second = ({_below(s, p): p for p in files_below(s.data)} for s in (one, other))
    return first.keys() == second.keys() and all(
        path.read_bytes() == second[name].read_bytes() for name, path in first.items()
    )


def _below(side: Side, path: Path) -> str:
    return path.relative_to(side.data).as_posix()


def _side(name: str, data: Path, into: Path) -> Side:
    """A folder that contains a book, or has one in a subfolder `data`; else a revision."""
    if not name:  # such as a variable that is not set; as a path it would be the working folder
        raise SideError("a side is empty; write a git revision, such as main or HEAD, or a folder")
    for folder in (Path(name), Path(name, data.name)):
        if (folder / BOOK).is_file():
            return Side(shown(folder), folder)
    if Path(name).is_dir() and not _is_revision(name, data):
        raise SideError(f"the folder '{name}' holds no {BOOK}; name a data folder")
    return _of_revision(name, data, into)


# ------------------------------------------------------------------ git


def _of_revision(name: str, data: Path, into: Path) -> Side:
    place = _git(data, "rev-parse", "--show-toplevel", "--show-prefix")
    if place is None:
        raise SideError(
            f"'{name}' is not a folder, and '{data}' is not in a git repository; name two folders"
        )
    top, prefix = place.decode().removesuffix("\n").split("\n")
    commit = _commit(name, data)
    if commit is None and _commit("HEAD", data) is None:
        raise SideError(
            f"the repository of '{data}' has no commits yet; commit, or name two folders"
        )
    if commit is None and _git(data, "rev-parse", "--is-shallow-repository") == b"true\n":
        raise SideError(
            f"there is no revision '{name}' because this clone is shallow; run 'git fetch "
            "--unshallow', or check out with 'fetch-depth: 0'"
        )
    if commit is None:
        branches = _git(data, "branch", "--all", "--format=%(refname:short)") or b""
        near = nearest(name, branches.decode().split("\n")[:-1], "branches") or (
            "; look for it with 'git log', or fetch it"
        )
        raise SideError(f"there is no folder or revision '{name}'{near}")
    packed = _git(Path(top), "archive", "--format=tar", f"{commit}:{prefix}".removesuffix(":"))
    if packed is None:
        raise SideError(
            f"the revision '{name}' has no folder '{prefix.rstrip('/')}'; name one that has it, "
            "or a folder"
        )
    into.mkdir()
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(into, filter=_contained)
    return Side(name, into, f"{name}:{prefix}")


def _contained(member: tarfile.TarInfo, path: str) -> tarfile.TarInfo | None:
    """Files and folders; links are skipped, since they may lead anywhere."""
    return tarfile.data_filter(member, path) if member.isfile() or member.isdir() else None


def _is_revision(name: str, data: Path) -> bool:
    return _commit(name, data) is not None


def _commit(name: str, data: Path) -> str | None:
    """The commit of a revision, or None. Text that looks like an option is never passed as one."""
    wanted = f"{name}^{{commit}}"
    commit = _git(data, "rev-parse", "--verify", "--quiet", "--end-of-options", wanted)
    return commit.decode().strip() if commit else None


def _git(folder: Path, *arguments: str) -> bytes | None:
    """The output of git in a folder; None if it fails.

    Git hooks set variables for their own repository in everything they start; they are removed, so
    that the data's repository is used.
    """
    where = folder if folder.is_dir() else Path()
    try:
        done = subprocess.run(
            ["git", "-C", str(where), *arguments],
            env={name: value for name, value in os.environ.items() if name not in OF_A_HOOK},
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise SideError("git is not installed, and revisions need it; name two folders") from None
    return done.stdout if done.returncode == 0 else None
