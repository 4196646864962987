"""The data folder: which file is what by its place, and what has no place in it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from scalesheet.diagnostics import Diagnostic
from scalesheet.load import audited
from scalesheet.load.document import Document, quotable
from scalesheet.load.reader import MAX_BYTES, Parsed, parse, parse_page, parse_subpage

#: Kind of the document by its place. The id of those in folders is the file's name.
TOP = {"book.yaml": "book", "sources.yaml": "sources"}
#: The same, which a book may be without.
OPTIONAL = {"units.yaml": "units", "score.yaml": "score"}
FOLDERS = {
    "hardware": "hardware",
    "nodes": "node",
    "providers": "provider",
    "rates": "rate",
    "models": "model",
    "measurements": "measurement",
    "tables": "table",
    "formulas": "formula",
    "components": "component",
    "runs": "published",
    "fits": "fit",
}
IN_PLAN = {
    "plan.yaml": "plan",
    "page.md": "page",
    "claims.yaml": "claims",
    audited.NAME: audited.KIND,
}
#: Folders of a plan: the kind of what is in them, and how its files end.
IN_PLAN_FOLDERS = {"pages": ("subpage", ".md"), "claims": ("claims", ".yaml")}
#: Everything that a plan is made of.
PLAN_KINDS = frozenset((*IN_PLAN.values(), *(kind for kind, _ in IN_PLAN_FOLDERS.values())))
#: Kinds that are not YAML from top to end.
PARSERS: Mapping[str, Callable[[bytes, str], Parsed]] = {
    "page": parse_page,
    "subpage": parse_subpage,
}

_AT_TOP = {**TOP, **OPTIONAL}
_README = re.compile(r"readme(?:\.[a-z]+)?", re.IGNORECASE)
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


Problem = tuple[str, str]  # code and message


def is_id(name: str) -> bool:
    """Whether a name is an id, as the names of files are."""
    return _ID.fullmatch(name) is not None


def load(data: Path, label: str = "") -> tuple[list[Document], list[Diagnostic]]:
    """Reads every file of the data folder, sorted by path. Reads nothing outside of it.

    `label` stands for the folder in the paths that users see, with its last slash: `v1:data/`.
    """
    documents: list[Document] = []
    diagnostics: list[Diagnostic] = []
    if not data.is_dir():
        return [], [Diagnostic(shown(data), 1, 1, "Y012", "there is no such data folder")]
    for parts, path, problem in _files(data):
        name = label + "/".join(parts) if label else shown(path)
        document, found = _document(parts, path, name, problem)
        diagnostics += found
        if document is not None:
            documents.append(document)
    for top in TOP:
        if not os.path.lexists(data / top):
            message = f"the book has no {top}; write it"
            diagnostics.append(Diagnostic(shown(data / top), 1, 1, "Y012", message))
    for plan, has in sorted(_of_plans(documents).items()):
        missing = data / "plans" / plan / "plan.yaml"
        if not os.path.lexists(missing):
            message = f"the plan's folder has a {has} and no plan.yaml; write it"
            diagnostics.append(Diagnostic(shown(missing), 1, 1, "Y012", message))
    documents, unsettled = audited.settled(documents)
    return documents, sorted((*diagnostics, *unsettled))


def _document(
    parts: tuple[str, ...], path: Path, name: str, problem: Problem | None
) -> tuple[Document | None, Sequence[Diagnostic]]:
    """The document at a place, and what is wrong with the file."""
    kind, id, part = _kind(parts)
    if problem is None and kind is None and _unexpected(parts):
        problem = "Y010", _no_place(parts)
    elif problem is None and kind is None and _unread(parts):
        problem = "Y014", "nothing reads this file; move it to a folder of its own"
    odd = [each for each in (id, part or id) if each != kind and not _ID.fullmatch(each)]
    if problem is None and kind is not None and odd:
        message = f"the name '{quotable(odd[0])}' is not an id: use a-z, 0-9 and '-'; rename it"
        problem = "S005", message
    if problem is not None:
        return None, [Diagnostic(name, 1, 1, *problem)]
    if kind is None:
        return None, []
    content = _read(path, name)
    if isinstance(content, Diagnostic):
        return None, [content]
    parsed = _parsed(PARSERS.get(kind, parse), content).at(name)
    if parsed.data is None:
        return None, parsed.diagnostics
    places = (parsed.data, parsed.places, parsed.keys, parsed.broken)
    document = Document(kind, id, name, *places, part, parsed.text, parsed.text_line)
    return document, parsed.diagnostics


def _of_plans(documents: list[Document]) -> dict[str, str]:
    """For each folder of a plan a file that is of no use without plan.yaml, as page.md."""
    result: dict[str, str] = {}
    for document in reversed(documents):
        if document.kind in ("page", "claims", "subpage"):
            result[document.id] = document.path.rsplit(f"/{document.id}/", 1)[-1]
    return result


def shown(path: Path) -> str:
    """The path as users know it: relative to where they stand, if it is below."""
    absolute, here = os.path.abspath(path), os.path.abspath(os.curdir)
    below = absolute.startswith(here.rstrip(os.sep) + os.sep)
    text = os.path.relpath(absolute, here) if below else os.fspath(path)
    return quotable(text.replace(os.sep, "/"), clip=False)


def _files(data: Path) -> Iterator[tuple[tuple[str, ...], Path, Problem | None]]:
    """Every file below the folder, in order, without hidden ones; links are judged, not followed
    out of it.
    """
    root = os.path.realpath(data)
    folders: list[tuple[str, ...]] = [()]
    result: list[tuple[tuple[str, ...], Path, Problem | None]] = []
    while folders:
        folder = folders.pop()
        here = data.joinpath(*folder)
        try:
            names = sorted(name for name in os.listdir(here) if not name.startswith("."))
        except OSError as error:
            result.append((folder, here, ("Y001", f"cannot be read: {error.strerror}")))
            continue
        for name in names:
            parts, path = (*folder, name), here / name
            if path.is_symlink():
                result.append((parts, path, _link_problem(root, path)))
            elif path.is_dir():
                folders.append(parts)
            else:
                result.append((parts, path, None))
    return iter(sorted(result, key=lambda item: item[0]))


def _link_problem(root: str, path: Path) -> Problem | None:
    target = os.path.realpath(path)
    if target != root and not target.startswith(root + os.sep):
        return "Y009", "the link leads out of the data folder; put the file itself here"
    if not os.path.exists(target):
        return "Y009", "the link leads nowhere; put the file itself here"
    if os.path.isdir(target):
        return "Y010", "a link to a folder has no place here; put the files themselves here"
    return None


def _kind(parts: tuple[str, ...]) -> tuple[str | None, str, str]:
    """The kind, id and part of the document at a place, or None."""
    match parts:
        case (name,) if name in _AT_TOP:
            return _AT_TOP[name], _AT_TOP[name], ""
        case (folder, name) if folder in FOLDERS and name.endswith(".yaml"):
            return FOLDERS[folder], name.removesuffix(".yaml"), ""
        case ("plans", plan, name) if name in IN_PLAN:
            return IN_PLAN[name], plan, ""
        case ("plans", plan, folder, name) if folder in IN_PLAN_FOLDERS:
            kind, ending = IN_PLAN_FOLDERS[folder]
            if name.endswith(ending) and name != ending:
                return kind, plan, name.removesuffix(ending)
    return None, "", ""


@lru_cache(maxsize=2_000)
def _parsed(parser: Callable[[bytes, str], Parsed], content: bytes) -> Parsed:
    """Most files are the same when a folder is read again, or another edition of it is: such
    documents share their data, which nobody may change."""
    return parser(content, "")


def _unexpected(parts: tuple[str, ...]) -> bool:
    """Whether a file without a kind is YAML that someone may take for read."""
    return parts[-1].lower().endswith((".yaml", ".yml"))


def _unread(parts: tuple[str, ...]) -> bool:
    """Whether a file without a kind stands among those of the book, and explains none of them."""
    ours = len(parts) > 1 and parts[0] in (*FOLDERS, "plans")
    return ours and not _README.fullmatch(parts[-1])


def _no_place(parts: tuple[str, ...]) -> str:
    if not parts[-1].endswith(".yaml"):
        return "no such file is read: the files of the book end in .yaml; rename it"
    places = [*_AT_TOP, *(f"{folder}/<id>.yaml" for folder in FOLDERS), "plans/<id>/plan.yaml"]
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
