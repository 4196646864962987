"""pull: an edited workbook becomes changes of the YAML that it was made from.

`read` finds out what was edited and what would become of the files; `write` puts it into place.
"""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from scalesheet.diagnostics import Diagnostic, Refused, errors
from scalesheet.load import Document, Steps
from scalesheet.load.extended import folder_of
from scalesheet.nearest import nearest
from scalesheet.pull.model import Edit, Finding, Pulling
from scalesheet.pull.package import UnreadableError
from scalesheet.pull.sheets import Workbook, read_workbook
from scalesheet.pull.where import Stamp, stamp_of
from scalesheet.source.patch import Drop, PatchError, Rename, patched

if TYPE_CHECKING:
    from scalesheet.diff import Diff
    from scalesheet.edition import Edition


@dataclass(frozen=True)
class Pulled:
    """What a workbook asks for. With errors or diagnostics that are errors nothing is written."""

    plan: str
    edition: str
    same: bool  # the data are those that the workbook was made from
    edits: tuple[Edit, ...] = ()
    left: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()
    errors: tuple[Finding, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()  # of the changed data, by its own paths
    causes: Mapping[Diagnostic, str] = field(default_factory=dict)  # the cells that they are about
    files: Mapping[Path, tuple[bytes, bytes]] = field(default_factory=dict)  # old and new
    moved: Diff | None = None  # what the edits do to the numbers: of the plan, or of all

    @property
    def sound(self) -> bool:
        return not self.errors and not errors(self.diagnostics)


def read(data: Path, path: Path) -> Pulled:
    """What the workbook asks for. Raises Refused where the data are not sound as they are."""
    with _nothing_collected():
        return _read(data, path)


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """A pull makes hundreds of thousands of small things and drops none before it ends: looking for
    what could be freed would be a sixth of its time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _read(data: Path, path: Path) -> Pulled:
    try:
        workbook = read_workbook(path)
    except UnreadableError as error:
        return _unread(error.code, error.message)
    stamp = stamp_of(workbook)
    if stamp is None:
        text = "no sheet of it says which plan it is of, as About does; give a workbook of 'build'"
        return _unread("W002", text)
    pulling = _begun(data, workbook, stamp)
    if isinstance(pulling, Finding):
        return _unread(pulling.code, pulling.message)
    from scalesheet.pull.differences import compare

    compare(pulling)
    result = Pulled(
        pulling.plan.id,
        stamp.edition,
        pulling.same,
        tuple(pulling.edits),
        tuple(pulling.left),
        tuple(pulling.notes),
        tuple(pulling.errors),
    )
    if result.errors or not result.edits:
        return result
    try:
        files = _patched(data, pulling.edits)
    except _Unpatched as problem:
        return replace(result, errors=(problem.finding,))
    return _examined(data, pulling, replace(result, files=files))


def _unread(code: str, message: str) -> Pulled:
    return Pulled("", "", False, errors=(Finding(code, "", message),))


def _begun(data: Path, workbook: Workbook, stamp: Stamp) -> Pulling | Finding:
    from scalesheet.carried import carried
    from scalesheet.check import check
    from scalesheet.choose.layout import laid_out
    from scalesheet.load import PLAN_KINDS, load
    from scalesheet.pull.renames import renamed
    from scalesheet.pull.sites import Sites
    from scalesheet.pull.where import locate
    from scalesheet.render.workbook.contents import contents
    from scalesheet.render.workbook.layout import lay_out
    from scalesheet.render.workbook.steps import stepped
    from scalesheet.resolve.book import resolve

    documents, result = load(data)
    plans = [d.id for d in documents if d.kind == "plan"]
    if stamp.plan not in plans and not errors(result):
        text = f"it is of the plan '{stamp.plan}', which these data do not have"
        return Finding("W002", "", text + nearest(stamp.plan, plans, "plans"))
    concerned = [d for d in documents if d.kind not in PLAN_KINDS or d.id == stamp.plan]
    concerned = [d for d in concerned if d.kind != "published"]  # a plan does not rest on results
    result = result + check(concerned)
    if errors(result):
        raise Refused(result)
    book, resolved = resolve(concerned)
    if book is None or errors(resolved):
        raise Refused([*result, *resolved])
    whole = laid_out(book)
    book = carried(whole, whole.plans[stamp.plan])
    plan = stepped(book, book.plans[stamp.plan])
    layout = lay_out(book, plan)
    where = locate(workbook, book, plan, layout.names)
    same = stamp.contents == contents(book, plan)
    sites = Sites(tuple(concerned), plan)
    return renamed(Pulling(workbook, stamp, whole, book, plan, layout, where, sites, same))


# ------------------------------------------------------------------ the files


class _Unpatched(Exception):
    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def _patched(data: Path, edits: Sequence[Edit]) -> dict[Path, tuple[bytes, bytes]]:
    """Old and new bytes of each file that changes."""
    by_file: dict[str, list[Edit]] = defaultdict(list)
    for edit in edits:
        by_file[edit.document.path].append(edit)
    files = {}
    for path, of_file in by_file.items():
        if not Path(path).is_file():
            book, _, below = path.partition(":")
            there = (folder_of(book, data) or Path(book)) / below
            message = f"'{of_file[0].name}' stands in the book that this one extends, in {there}"
            remedy = f"copy that file to {below} in the data folder, and edit it there"
            raise _Unpatched(Finding("W006", of_file[0].place, f"{message}; {remedy}"))
        old = Path(path).read_bytes()
        text = old.decode("utf-8")
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        text = text.removeprefix(mark)
        changes = [change for edit in of_file for change in edit.changes]
        try:
            new = patched(text, changes)
        except PatchError as error:
            for edit in of_file:  # which of them it is
                try:
                    patched(text, edit.changes)
                except PatchError as own:
                    message = f"'{edit.name}' cannot be changed in {path}: {own}; edit it there"
                    raise _Unpatched(Finding("W006", edit.place, message)) from None
            message = f"the edits cannot be made together in {path}: {error}; take them one by one"
            raise _Unpatched(Finding("W006", of_file[0].place, message)) from None
        files[Path(path)] = old, (mark + new).encode("utf-8")
    return files


def _examined(data: Path, pulling: Pulling, pulled: Pulled) -> Pulled:
    """The changed data, checked as any change is; the formulas, compared with the workbook."""
    from scalesheet.examine import examine
    from scalesheet.load.folder import shown
    from scalesheet.pull.proof import unproven

    own = all(
        edit.document.id == pulling.plan.id and edit.document.kind == "plan"
        for edit in pulled.edits
    )
    with _copied(data, pulled.files, pulling.plan.id if own else None) as copy:
        there = f"{shown(data)}/"
        examined = examine(copy, label=there)
        positions = {
            Path(d.path).relative_to(copy).as_posix(): d for d in _documents(copy, pulled, data)
        }
    problems = []
    causes: dict[Diagnostic, str] = {}
    for diagnostic in examined.diagnostics:
        if not diagnostic.path.startswith(there):
            continue
        below = diagnostic.path.removeprefix(there)
        problems.append(diagnostic)
        cause = _cause(diagnostic, below, pulled.edits, positions, data)
        if cause:
            causes[diagnostic] = cause
    # a warning is reported where an edit caused it; the others were in the data before
    problems = [d for d in problems if d.severity == "error" or d in causes]
    pulled = replace(pulled, diagnostics=tuple(problems), causes=causes)
    if errors(problems) or examined.edition is None:
        return pulled
    wrong = tuple(unproven(pulling, examined.edition.book, pulled.edits))
    if wrong:
        return replace(pulled, errors=wrong)
    return replace(pulled, moved=_moved(pulling, data, examined.edition, alone=own))


def _moved(pulling: Pulling, data: Path, after: Edition, *, alone: bool) -> Diff:
    """What the edits do to the numbers: to those of the plan, where nothing else could move."""
    from scalesheet.diff import compare
    from scalesheet.edition import Edition
    from scalesheet.examine import sound_edition

    before = Edition(pulling.whole) if alone else sound_edition(data)[0]
    return compare(before, after)


def _documents(copy: Path, pulled: Pulled, data: Path) -> list[Document]:
    """The changed files of the copy, read for where their values stand now."""
    from scalesheet.load.reader import parse

    documents = []
    for path in pulled.files:
        at = copy / _below(data, path)
        parsed = parse(at.read_bytes(), str(at))
        documents.append(Document("", "", str(at), parsed.data, parsed.places, parsed.keys))
    return documents


def _cause(
    diagnostic: Diagnostic,
    below: str,
    edits: Sequence[Edit],
    documents: Mapping[str, Document],
    data: Path,
) -> str:
    """The cell of the edit that a diagnostic is about: the last one that begins before it."""
    document = documents.get(below)
    if document is None:  # a file that speaks of what was edited elsewhere
        named = (e for e in edits if _quoted(e, diagnostic.message))
        return next((edit.place for edit in named), "")
    best: tuple[tuple[int, int], str] | None = None
    for edit in edits:
        if _below(data, Path(edit.document.path)).as_posix() != below:
            continue
        for change in edit.changes:
            at = document.key_at(*_now(change.steps, edits))
            near = document.at(*_now(edit.site.steps, edits))
            start = min((at.line, at.column), (near.line, near.column))
            ends = (at.line + 1, 0)
            here = (diagnostic.line, diagnostic.column)
            if start <= here <= max(ends, (near.line + 1, 0)) and (best is None or start > best[0]):
                best = start, edit.place
    return best[1] if best else ""


def _now(steps: Steps, edits: Sequence[Edit]) -> Steps:
    """Where a place of the file is once its rows have their new ids."""
    for change in (change for edit in edits for change in edit.changes):
        if isinstance(change, Rename) and steps[: len(change.steps)] == change.steps:
            return (*change.steps[:-1], change.key, *steps[len(change.steps) :])
    return steps


def _quoted(edit: Edit, message: str) -> bool:
    """Whether a message names what an edit is of."""
    gone = isinstance(edit.changes[0], Drop | Rename)
    row = edit.site.steps[-1] if gone else edit.name
    return any(f"'{name}'" in message for name in (edit.name, row))


def _below(data: Path, path: Path) -> Path:
    """A file's path within the data folder, however both were named."""
    return Path(os.path.relpath(os.path.abspath(path), os.path.abspath(data)))


@contextmanager
def _copied(
    data: Path, files: Mapping[Path, tuple[bytes, bytes]], plan: str | None
) -> Iterator[Path]:
    """A copy of the data with the changes; of the plans only one, where nothing else changed."""

    def left_out(folder: str, names: list[str]) -> list[str]:
        hidden = [name for name in names if name.startswith(".")]
        if plan is None:
            return hidden
        at = Path(folder)
        if at == data / "plans":
            return [*hidden, *(name for name in names if name != plan)]
        return [*hidden, *(name for name in names if at == data and name == "runs")]

    with tempfile.TemporaryDirectory(prefix="scalesheet-pull-") as folder:
        copy = Path(folder).resolve() / data.absolute().name
        shutil.copytree(data, copy, ignore=left_out)
        for path, (_, new) in files.items():
            (copy / _below(data, path)).write_bytes(new)
        yield copy


def write(data: Path, pulled: Pulled) -> None:
    """All changed files take their place, or none does.

    Raises OSError, also where a file is no longer as it was read.
    """
    from scalesheet.save import save

    save(data, pulled.files)
