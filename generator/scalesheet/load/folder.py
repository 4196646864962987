"""The data folder: which file is what by its place, and what has no place in it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from scalesheet.diagnostics import Diagnostic
from scalesheet.load.document import Document, quotable
from scalesheet.load.reader import MAX_BYTES, parse, parse_page

#: Kind of the document by its place. The id of those in folders is the file's name.
TOP = {"book.yaml": "book", "units.yaml": "units", "sources.yaml": "sources"}
FOLDERS = {"hardware": "hardware", "rates": "rate", "models": "model", "formulas": "formula"}
IN_PLAN = {"plan.yaml": "plan", "page.md": "page", "claims.yaml": "claims"}
#: Known places that this stage does not read.
UNREAD_FOLDERS = ("measurements", "runs")

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


def load(data: Path) -> tuple[list[Document], list[Diagnostic]]:
    """Reads every file of the data folder, sorted by path. Reads nothing outside of it."""
    documents: list[Document] = []
    diagnostics: list[Diagnostic] = []
    if not data.is_dir():
        return [], [Diagnostic(shown(data), 1, 1, "Y012", "there is no such data folder")]
    for parts, path, problem in _files(data):
        name = shown(path)
        if problem is not None:
            diagnostics.append(Diagnostic(name, 1, 1, *problem))
            continue
        kind, id = _kind(parts)
        if kind is None:
            if _unexpected(parts):
                diagnostics.append(Diagnostic(name, 1, 1, "Y010", _no_place(parts)))
            continue
        if id != kind and not _ID.fullmatch(id):
            message = f"the name '{quotable(id)}' is not an id: use a-z, 0-9 and '-'"
            diagnostics.append(Diagnostic(name, 1, 1, "S005", message))
            continue
        content = _read(path, name)
        if isinstance(content, Diagnostic):
            diagnostics.append(content)
            continue
        parsed = parse_page(content, name) if kind == "page" else parse(content, name)
        diagnostics.extend(parsed.diagnostics)
        if parsed.data is not None:
            documents.append(
                Document(kind, id, name, parsed.data, parsed.places, parsed.keys, parsed.broken)
            )
    for top in TOP:
        if not os.path.lexists(data / top):
            message = f"the book has no {top}; write it"
            diagnostics.append(Diagnostic(shown(data / top), 1, 1, "Y012", message))
    for plan in sorted(data.glob("plans/*/page.md")):
        if not os.path.lexists(plan.with_name("plan.yaml")):
            message = "the plan's folder has a page.md and no plan.yaml; write it"
            missing = shown(plan.with_name("plan.yaml"))
            diagnostics.append(Diagnostic(missing, 1, 1, "Y012", message))
    return documents, sorted(diagnostics)


def shown(path: Path) -> str:
    """The path as users know it: relative to where they stand, if it is below."""
    absolute, here = os.path.abspath(path), os.path.abspath(os.curdir)
    below = absolute.startswith(here.rstrip(os.sep) + os.sep)
    text = os.path.relpath(absolute, here) if below else os.fspath(path)
    return quotable(text.replace(os.sep, "/"), clip=False)


Problem = tuple[str, str]  # code and message


def _files(data: Path) -> Iterator[tuple[tuple[str, ...], Path, Problem | None]]:
    """Every file below the folder, in order, without hidden ones; links are judged, not followed
    out of it.
    """
    root = os.path.realpath(data)
    folders: list[tuple[str, ...]] = [()]
    found: list[tuple[tuple[str, ...], Path, Problem | None]] = []
    while folders:
        folder = folders.pop()
        here = data.joinpath(*folder)
        try:
            names = sorted(name for name in os.listdir(here) if not name.startswith("."))
        except OSError as error:
            found.append((folder, here, ("Y001", f"cannot be read: {error.strerror}")))
            continue
        for name in names:
            parts, path = (*folder, name), here / name
            if path.is_symlink():
                found.append((parts, path, _link_problem(root, path)))
            elif path.is_dir():
                folders.append(parts)
            else:
                found.append((parts, path, None))
    return iter(sorted(found, key=lambda item: item[0]))


def _link_problem(root: str, path: Path) -> Problem | None:
    target = os.path.realpath(path)
    if target != root and not target.startswith(root + os.sep):
        return "Y009", "the link leads out of the data folder; put the file itself here"
    if not os.path.exists(target):
        return "Y009", "the link leads nowhere; put the file itself here"
    if os.path.isdir(target):
        return "Y010", "a link to a folder has no place here; put the files themselves here"
    return None


def _kind(parts: tuple[str, ...]) -> tuple[str | None, str]:
    """The kind and id of the document at a place, or None."""
    match parts:
        case (name,) if name in TOP:
            return TOP[name], TOP[name]
        case (folder, name) if folder in FOLDERS and name.endswith(".yaml"):
            return FOLDERS[folder], name.removesuffix(".yaml")
        case ("plans", plan, name) if name in IN_PLAN:
            return IN_PLAN[name], plan
    return None, ""


def _unexpected(parts: tuple[str, ...]) -> bool:
    """Whether a file without a kind is YAML that someone may take for read."""
    if not parts[-1].lower().endswith((".yaml", ".yml")):
        return False
    return len(parts) == 1 or parts[0] not in UNREAD_FOLDERS


def _no_place(parts: tuple[str, ...]) -> str:
    if not parts[-1].endswith(".yaml"):
        return "no such file is read: the files of the book end in .yaml; rename it"
    places = [*TOP, *(f"{folder}/<id>.yaml" for folder in FOLDERS), "plans/<id>/plan.yaml"]
    return f"the file has no place here; the places are {', '.join(places)}"


def _read(path: Path, name: str) -> bytes | Diagnostic:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return Diagnostic(name, 1, 1, "Y010", "this is not a file; replace it by one")
        if status.st_size > MAX_BYTES:
            size = f"{status.st_size / 1e6:.1f} MB"
            return Diagnostic(name, 1, 1, "Y011", f"the file has {size}, at most 5 MB are read")
        return path.read_bytes()
    except OSError as error:
        return Diagnostic(name, 1, 1, "Y001", f"cannot be read: {error.strerror}")
