"""Reads the data folder: finds the kind of each file from its place, and misplaced files."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.frozen import dataclass
from scalesheet.kept import Place
from scalesheet.load import audited, extended, lock
from scalesheet.load.csv import parse_csv
from scalesheet.load.document import Document, quotable
from scalesheet.load.reader import MAX_BYTES, Parsed, parse, parse_page, parse_subpage

#: Kind of the document by place. In folders, a document's id is the name of the file.
TOP = {"book.yaml": "book", "sources.yaml": "sources"}
#: The same for files that are optional.
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
#: Folders of a plan: the kind of their content, and the extension of their files.
IN_PLAN_FOLDERS = {
    "pages": ("subpage", ".md"),
    "claims": ("claims", ".yaml"),
    "actuals": ("actuals", ".csv"),
    "history": ("version", ".yaml"),
}
#: Everything that a plan consists of.
PLAN_KINDS = frozenset((*IN_PLAN.values(), *(kind for kind, _ in IN_PLAN_FOLDERS.values())))
#: Kinds that are not purely YAML.
PARSERS: Mapping[str, Callable[[bytes, str], Parsed]] = {
    "page": parse_page,
    "subpage": parse_subpage,
    "actuals": parse_csv,
}

_AT_TOP = {**TOP, **OPTIONAL}
_README = re.compile(r"readme(?:\.[a-z]+)?", re.IGNORECASE)
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_VERSION = re.compile(r"(0|[1-9][0-9]{0,5})(\.(0|[1-9][0-9]{0,5})){2}")


Problem = tuple[str, str]  # code and message


def is_id(name: str) -> bool:
    """Whether a name is an id, as required for file names."""
    return _ID.fullmatch(name) is not None


def is_version(name: str) -> bool:
    """Whether a name is a version number such as 1.1.0."""
    return _VERSION.fullmatch(name) is not None


@dataclass(frozen=True)
class File:
    """A file of the data folder before parsing: its place, the path that users see, and its bytes,
    or what is wrong with it.
    """

    parts: tuple[str, ...]
    name: Place
    content: bytes | Problem
    extended: bool = False  # from a book that the user's book extends

    @property
    def plan(self) -> str:
        """The id of the plan that it belongs to, or empty."""
        inside = len(self.parts) > 2 and self.parts[0] == "plans"
        return self.parts[1] if inside and _kind(self.parts)[0] in PLAN_KINDS else ""

    @cached_property
    def digest(self) -> str:
        """A digest of its content; files with the same place and digest are parsed alike."""
        content = self.content if isinstance(self.content, bytes) else repr(self.content).encode()
        return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True)
class Files:
    """The files of a data folder, sorted by path; `root` is the folder as users see it, and
    `problems` is what is wrong with the book it extends. `scored` is the content of score.lock,
    `base` the name of the extended book, and `bases` has its data folder, then that of the book
    which it extends itself, and so on.
    """

    root: str
    every: tuple[File, ...]
    problems: tuple[Diagnostic, ...] = ()
    scored: bytes = b""
    base: str = ""
    bases: tuple[Path, ...] = ()

    @property
    def as_scored(self) -> bool:
        """Whether the score was found as good as expected for just these files."""
        return self.scored == self.score_text.encode()

    @property
    def score_text(self) -> str:
        """The content of score.lock for these files."""
        return lock.score_text((each.parts, each.digest) for each in self.every)

    def without_plans(self) -> Files:
        """The catalogue's files, and misplaced ones."""
        own = tuple(each for each in self.every if not each.plan)
        return Files(self.root, own, self.problems)

    def changed(self, contents: Mapping[tuple[str, ...], bytes]) -> Files:
        """The files after these have this content, at their places in the data folder."""
        new = {
            parts: File(parts, _named(self.root, parts), _refused(parts) or _limited(content))
            for parts, content in contents.items()
        }
        own = frozenset((*(f.parts for f in self.every if not f.extended), *new))
        kept = (
            each
            for each in self.every
            if (extended.is_taken(each.parts, own) if each.extended else each.parts not in new)
        )
        return replace(self, every=tuple(sorted((*kept, *new.values()), key=_place)))

    def plans(self) -> dict[str, Files]:
        """The files of each plan."""
        found: dict[str, list[File]] = {}
        for each in self.every:
            if plan := each.plan:
                found.setdefault(plan, []).append(each)
        return {plan: Files(self.root, tuple(found[plan])) for plan in sorted(found)}


def load(data: Path, label: str = "") -> tuple[list[Document], list[Diagnostic]]:
    """Read every file of the data folder, sorted by path. Reads nothing outside the folder.

    `label` replaces the folder in the paths that users see, with a slash at its end: `v1:data/`.
    """
    files = files_of(data, label)
    return ([], [no_folder(data)]) if files is None else documents_of(files)


def no_folder(data: Path) -> Diagnostic:
    """The diagnostic that there is no such data folder, or that it is the one below."""
    if (data / "data" / "book.yaml").is_file():
        message = f"the book is in the folder 'data' below; name {shown(data / 'data')}"
        return Diagnostic(shown(data), 1, 1, "Y012", message)
    return Diagnostic(shown(data), 1, 1, "Y012", "there is no such data folder")


def files_of(data: Path, label: str = "", above: tuple[Path, ...] = ()) -> Files | None:
    """The files of a data folder with their bytes, including those of the book it extends; None if
    there is no such folder, or the book is in a folder below. `above` are the folders of the books
    that extend this one.
    """
    below = not (data / "book.yaml").exists() and (data / "data" / "book.yaml").is_file()
    if below or not data.is_dir():
        return None
    root = label or shown(data / "x")[:-1]
    every = tuple(
        File(parts, _named(root, parts), problem or _content(parts, path))
        for parts, path, problem in _files(data)
        if parts != (lock.SCORE,)
    )
    files = Files(root, every, scored=_bytes(data / lock.SCORE))
    return _on_base(files, data, (*above, data.resolve()))


def _named(root: str, parts: tuple[str, ...]) -> Place:
    return Place(root + quotable("/".join(parts), clip=False))


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""  # nothing is known, so everything is computed


def _on_base(files: Files, data: Path, chain: tuple[Path, ...]) -> Files:
    """The files of a book and, below them, those of the book it extends, if any. `chain` has the
    folders of the books that extend each other so far.
    """
    book = next((each for each in files.every if each.parts == ("book.yaml",)), None)
    if book is None or not isinstance(book.content, bytes) or b"extends" not in book.content:
        return files
    document, _ = _document(book)
    name = document.data.get(extended.KEY) if document and isinstance(document.data, dict) else None
    if document is None or not isinstance(name, str) or not extended.NAME.fullmatch(name):
        return files  # the schema reports it
    folder = extended.folder_of(name, data)
    below = None
    if folder is None:
        message = (
            f"there is no book '{quotable(name)}' to extend; write {extended.OURS}, the path to a "
            "book from here, or install the package that has the book"
        )
    elif (place := folder.resolve()) in chain:
        circle = " extends ".join(shown(each) for each in (*chain[chain.index(place) :], place))
        message = f"a book cannot extend itself: {circle}; remove one 'extends' of these"
    elif len(chain) > extended.MOST:
        message = f"expected at most {extended.MOST} books below a book, found more; merge some"
    else:
        below = files_of(folder, f"{name}:", chain)
    if folder is None or below is None:
        return replace(files, problems=(at(document.at(extended.KEY), "Y012", message),))
    own = frozenset(each.parts for each in files.every)
    taken = [
        replace(each, extended=True) for each in below.every if extended.is_taken(each.parts, own)
    ]
    return replace(
        files,
        every=tuple(sorted((*files.every, *taken), key=_place)),
        problems=(*below.problems, *_unlocked(files, name, below)),
        base=name,
        bases=(folder, *below.bases),
    )


def _held(below: Files) -> dict[str, str]:
    return lock.digests((each.parts, each.digest) for each in below.every)


def _unlocked(files: Files, base: str, below: Files) -> Iterator[Diagnostic]:
    """Report an extended book that differs from its lock."""
    for each in files.every:
        if each.parts == (lock.NAME,) and isinstance(each.content, bytes):
            message = lock.differs(each.content, base, _held(below))
            if message:
                yield Diagnostic(each.name, 1, 1, "Y016", message)


def locked(data: Path) -> str | None:
    """The content of book.lock for a book, or None if it extends no existing book."""
    files = files_of(data)
    below = files_of(files.bases[0]) if files and files.bases else None
    return lock.text(files.base, _held(below)) if files and below else None


def bases_of(data: Path) -> tuple[Path, ...]:
    """The data folders of the books that a book extends, the nearest first."""
    files = files_of(data)
    return files.bases if files else ()


def _place(file: File) -> tuple[str, ...]:
    return file.parts


def documents_of(
    files: Files,
    needed: Iterable[str] = tuple(TOP),
    read: Callable[[Files], tuple[list[Document], list[Diagnostic]]] | None = None,
) -> tuple[list[Document], list[Diagnostic]]:
    """Parse files to documents, and report what is wrong with them. `needed` are the top-level
    files that must be among them. `read` is used instead of `read_each`, with the same result.
    """
    documents, diagnostics = (read or read_each)(files)
    diagnostics = [*files.problems, *diagnostics]
    there = {each.parts for each in files.every}
    for top in needed:
        if (top,) not in there and not diagnostics:  # without book.yaml, what it extends is unknown
            message = f"the book has no {top}; write it"
            diagnostics.append(Diagnostic(files.root + top, 1, 1, "Y012", message))
    for plan, has in sorted(_of_plans(documents).items()):
        missing = ("plans", plan, "plan.yaml")
        if missing not in there:
            message = f"the plan's folder has a {has} but no plan.yaml; write one"
            place = files.root + "/".join(missing)
            diagnostics.append(Diagnostic(place, 1, 1, "Y012", message))
    documents, unsettled = audited.settled(documents)
    return documents, sorted((*diagnostics, *unsettled))


def read_each(files: Files) -> tuple[list[Document], list[Diagnostic]]:
    """Parse each file by itself."""
    documents: list[Document] = []
    diagnostics: list[Diagnostic] = []
    for file in files.every:
        document, problems = _document(file)
        diagnostics += problems
        if document is not None:
            documents.append(document)
    return documents, diagnostics


def _content(parts: tuple[str, ...], path: Path) -> bytes | Problem:
    """The bytes of a file that is read, or what is wrong with it; empty for other files."""
    if problem := _refused(parts):
        return problem
    return b"" if _kind(parts)[0] is None and parts != (lock.NAME,) else _read(path)


def _refused(parts: tuple[str, ...]) -> Problem | None:
    """What is wrong with a file of this name."""
    kind, id, part = _kind(parts)
    if kind is None and _unexpected(parts):
        return "Y010", _no_place(parts)
    if kind is None and parts != (lock.NAME,) and _unread(parts):
        return "Y014", "this file is not used; move it to a separate folder"
    numbered = kind == "version"
    if numbered and not is_version(part):
        message = f"'{quotable(part)}' is not a version: expected three numbers, such as 1.1.0"
        return "S005", f"{message}; rename the file"
    named = (id,) if numbered else (id, part or id)
    odd = [each for each in named if each != kind and not _ID.fullmatch(each)]
    if kind is not None and odd:
        message = f"the name '{quotable(odd[0])}' is not an id: use a-z, 0-9 and '-'; rename it"
        return "S005", message
    return None


def _document(file: File) -> tuple[Document | None, Sequence[Diagnostic]]:
    """The document in a file, and what is wrong with it."""
    if not isinstance(file.content, bytes):
        return None, [Diagnostic(file.name, 1, 1, *file.content)]
    kind, id, part = _kind(file.parts)
    if kind is None:
        return None, []
    parsed = _parsed(PARSERS.get(kind, parse), file.content).at(file.name)
    if parsed.data is None:
        return None, parsed.diagnostics
    places = (parsed.data, parsed.places, parsed.keys, parsed.broken)
    text = (parsed.text, parsed.text_line)
    document = Document(kind, id, file.name, *places, part, *text, extended=file.extended)
    return document, parsed.diagnostics


def _of_plans(documents: list[Document]) -> dict[str, str]:
    """For each folder of a plan, a file such as page.md that is useless without plan.yaml."""
    result: dict[str, str] = {}
    for document in reversed(documents):
        if document.kind in ("page", "claims", "subpage", "actuals", "version"):
            result[document.id] = document.path.rsplit(f"/{document.id}/", 1)[-1]
    return result


def shown(path: Path) -> str:
    """The path as users know it: relative to the current folder, if it is below."""
    absolute, here = os.path.abspath(path), os.path.abspath(os.curdir)
    below = absolute.startswith(here.rstrip(os.sep) + os.sep)
    text = os.path.relpath(absolute, here) if below else os.fspath(path)
    return quotable(text.replace(os.sep, "/"), clip=False)


def _files(data: Path) -> Iterator[tuple[tuple[str, ...], Path, Problem | None]]:
    """Every file below the folder, sorted, without hidden ones. Links to files inside
    the folder are followed; all other links are reported.
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
        return "Y009", "the link is broken; put the file itself here"
    if os.path.isdir(target):
        return "Y010", "a link to a folder is not allowed; put the files themselves here"
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
    """Parse a file, or reuse the result. Most files are unchanged when a folder is read again or in
    another edition, so documents share their data, which must not be modified.
    """
    return parser(content, "")


def _unexpected(parts: tuple[str, ...]) -> bool:
    """Whether a file without a kind is YAML, which people may expect to be read."""
    return parts[-1].lower().endswith((".yaml", ".yml"))


def _unread(parts: tuple[str, ...]) -> bool:
    """Whether a file without a kind is among the book's files and is not a README."""
    ours = len(parts) > 1 and parts[0] in (*FOLDERS, "plans")
    return ours and not _README.fullmatch(parts[-1])


def _no_place(parts: tuple[str, ...]) -> str:
    if not parts[-1].endswith(".yaml"):
        return "this file is never read: files of a book end in .yaml; rename it"
    places = [*_AT_TOP, *(f"{folder}/<id>.yaml" for folder in FOLDERS), "plans/<id>/plan.yaml"]
    return f"the file does not belong here; expected one of {', '.join(places)}"


def _read(path: Path) -> bytes | Problem:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return "Y010", "this is not a file; replace it with one"
        if status.st_size > MAX_BYTES:
            return _too_large(status.st_size)
        return path.read_bytes()
    except OSError as error:
        return "Y001", f"cannot be read: {error.strerror}"


def _limited(content: bytes) -> bytes | Problem:
    return _too_large(len(content)) if len(content) > MAX_BYTES else content


def _too_large(size: int) -> Problem:
    return "Y011", f"the file is {size / 1e6:.1f} MB; the limit is 5 MB"
