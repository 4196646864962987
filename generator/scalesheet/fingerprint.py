"""Records what an output was made from, so that an unchanged build can be skipped.

A build leaves `.stamp.json` in its output folder: a digest of everything that the output depends
on, and one of each file. If both still match, there is nothing to do. If a file of the output was
edited, added or removed, the next build writes it again.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from yaml import YAMLError

from scalesheet.load.folder import bases_of
from scalesheet.output import MARK
from scalesheet.shipped import ASSETS, SETTINGS

#: The name, among those of inputs, of the program with its libraries and options.
PROGRAM = "the program or its options"
#: The key for the plans that were built on their own, and what stands for everything else.
ALONE, OTHERS = "built alone", "*"


def sources(data: Path, project: Path, generated: str) -> dict[str, Path]:
    """Every file that a build reads, under a name that does not depend on the project's location.

    `generated` is the folder below docs/ that the build writes. Pages may include other files of
    the project.
    """
    result = {f"data/{path.relative_to(data).as_posix()}": path for path in files_below(data)}
    for n, base in enumerate(bases_of(data), 1):
        for path in files_below(base):
            result["base/" * n + path.relative_to(base).as_posix()] = path
    docs = project / "docs"
    for path in files_below(docs, without=generated):
        result[f"docs/{path.relative_to(docs).as_posix()}"] = path
        if path.suffix == ".md":
            for taken in _taken(_text(path), project):
                result[f"taken/{os.path.relpath(taken, project)}"] = taken
    own = project / "mkdocs.yml"
    if not own.is_file():
        own = SETTINGS
        result |= {f"assets/{path.name}": path for path in files_below(ASSETS)}
    return {**result, "mkdocs.yml": own}


def _taken(page: str, project: Path) -> tuple[Path, ...]:
    """The files that a page includes."""
    from scalesheet.site.snippets import SnippetError, put_in

    try:
        return put_in(page, _text(project / "mkdocs.yml"), project)[1]
    except (SnippetError, ValueError, YAMLError):
        return ()  # the build refuses it


def of_inputs(files: Mapping[str, Path], options: Mapping[str, str]) -> dict[str, str]:
    """Digests of everything that an output depends on: one per file, and one for the rest."""
    rest = [_program(__file__), sorted(options.items()), sys.version, _libraries()]
    digest = hashlib.sha256(json.dumps(rest).encode()).hexdigest()
    return {**{name: _digest(path) for name, path in files.items()}, PROGRAM: digest}


@cache
def _program(module: str) -> list[tuple[str, str]]:
    """The files of the program that contains this module, read only once, like libraries."""
    program = Path(module).parent
    return [
        (f"{package.name}/{path.relative_to(package).as_posix()}", _digest(path))
        for package in (program, program.with_name("scalesheet_bench"))  # its options have a page
        for path in files_below(package)
    ]


def files_below(folder: Path, without: str = "") -> list[Path]:
    """Every relevant file, sorted, without bytecode and hidden files."""
    result: list[Path] = []
    for at, folders, names in os.walk(folder):
        top = Path(at) == folder
        folders[:] = [
            name
            for name in folders
            if name != "__pycache__" and name[0] != "." and not (top and name == without)
        ]
        result += [Path(at, name) for name in names if name[0] != "."]
    return sorted(result)


def write_stamp(
    folder: Path, pages: Mapping[str, str], inputs: Mapping[str, str], counts: dict[str, Any]
) -> None:
    """Write the stamp of a finished output and the pages published with it: their digests.

    `counts` is what a skipped build reports instead.
    """
    stamp = {
        "inputs": inputs,
        "told": counts,
        "files": contents_of(folder),
        "pages": pages,
    }
    text = json.dumps(stamp, indent=1, sort_keys=True) + "\n"
    (folder / MARK).write_text(text, "utf-8", newline="\n")


def stamp_of(folder: Path) -> dict[str, Any] | None:
    """The stamp of an output; None if there is no readable one."""
    try:
        stamp = json.loads((folder / MARK).read_text("utf-8"))
        whole = all(isinstance(stamp[name], dict) for name in ("inputs", "told", "files", "pages"))
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return stamp if whole else None


def still_holds(
    folder: Path, pages: Path | None, inputs: Mapping[str, str]
) -> dict[str, Any] | None:
    """The reported counts, if output and pages are unchanged and were made from these inputs."""
    stamp = stamp_of(folder) or {}
    now = {"inputs": inputs, "files": contents_of(folder), "pages": contents_of(pages)}
    same = all(stamp.get(name) == value for name, value in now.items())
    counts: dict[str, Any] | None = stamp["told"] if same else None
    return counts


def made_with(folder: Path, pages: Path) -> bool:
    """Return whether there are pages below `pages` and the stamp of an output names them all."""
    stamp, names = stamp_of(folder), contents_of(pages).keys()
    return bool(names) and stamp is not None and names <= stamp["pages"].keys()


def contents_of(folder: Path | None) -> dict[str, str]:
    """The digest of each file below a folder."""
    if folder is None:
        return {}
    return {path.relative_to(folder).as_posix(): _digest(path) for path in files_below(folder)}


def _digest(path: Path) -> str:
    if not path.is_file():
        return "no file"
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return f"unreadable: {error.strerror}"


def _text(path: Path) -> str:
    return path.read_text("utf-8", errors="replace") if path.is_file() else ""


#: Entry points that mkdocs.yml may use beyond the program's own dependencies.
_PLUGINS = {"mkdocs.plugins", "mkdocs.themes", "markdown.extensions"}


@cache
def _libraries() -> list[str]:
    """The distributions that can affect the output, with their versions.

    They are dependencies of the program, and plugins with theirs; development tools do not count.
    They are read once, since a running program does not see a new version.
    """
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    every = [(each, each.metadata) for each in metadata.distributions()]  # parse each only once
    installed = {canonicalize_name(told["Name"]): told for _, told in every}
    own = canonicalize_name("scalesheet")
    if own not in installed:  # a checkout has no list of dependencies
        return sorted(f"{name} {told['Version']}" for name, told in installed.items())
    wanted = {own} | {
        canonicalize_name(told["Name"])
        for each, told in every
        if any(point.group in _PLUGINS for point in each.entry_points)
    }
    result: dict[str, str] = {}
    while wanted:
        name = wanted.pop()
        if name in installed and name not in result:
            result[name] = installed[name]["Version"]
            needed = map(Requirement, installed[name].get_all("Requires-Dist") or ())
            wanted |= {
                canonicalize_name(each.name)
                for each in needed
                if each.marker is None or each.marker.evaluate({"extra": ""})
            }
    return sorted(f"{name} {version}" for name, version in result.items() if name != own)
