"""pull: turns an edited workbook into changes to the YAML it was made from.

`read` finds the edits and the resulting files; `write` puts the files in place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from scalesheet.diagnostics import Diagnostic, Refused, errors
from scalesheet.frozen import dataclass
from scalesheet.load import Document, Steps
from scalesheet.load.folder import File, Files
from scalesheet.nearest import nearest
from scalesheet.pull.model import Edit, Finding, Pulling
from scalesheet.pull.sheets import Workbook, read_workbook
from scalesheet.pull.where import Stamp, stamp_of
from scalesheet.source.patch import Drop, PatchError, Rename, patched

if TYPE_CHECKING:
    from scalesheet.diff import Diff


@dataclass(frozen=True)
class Pulled:
    """What a workbook asks for. With errors, or diagnostics that are errors, nothing is written."""

    plan: str
    edition: str
    same: bool  # the workbook was made from exactly these data
    edits: tuple[Edit, ...] = ()
    left: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()
    errors: tuple[Finding, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()  # of the changed data, by paths in it
    causes: Mapping[Diagnostic, str] = field(default_factory=dict)  # the cells that caused them
    files: Mapping[Path, tuple[bytes, bytes]] = field(default_factory=dict)  # old and new content
    moved: Diff | None = None  # the effect of the edits on the numbers: of the plan, or of all

    @property
    def sound(self) -> bool:
        return not self.errors and not errors(self.diagnostics)


def read(data: Path, path: Path) -> Pulled:
    """Read what the workbook asks for. Raises Refused if the present data have errors."""
    try:
        workbook = read_workbook(path)
    except Refused as error:
        wrong = error.diagnostics[0]
        _, _, part = wrong.path.partition(f"{path.name}: ")
        return _unread(Finding(wrong.code, part, wrong.message))
    stamp = stamp_of(workbook)
    if stamp is None:
        text = (
            "no sheet says which plan it belongs to, as About normally does; use a workbook made "
            "by 'build'"
        )
        return _unread(Finding("W002", "About" if "About" in workbook.sheets else "", text))
    pulling = _begun(data, workbook, stamp)
    if isinstance(pulling, Finding):
        return _unread(pulling)
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
        new = _patched(pulling.sites.files, pulling.edits)
    except _Unpatched as problem:
        return replace(result, errors=(problem.finding,))
    files = {
        data.joinpath(*file.parts): (file.content, new[file])
        for file in new
        if isinstance(file.content, bytes)
    }
    return _examined(pulling, replace(result, files=files), new)


def _unread(finding: Finding) -> Pulled:
    return Pulled("", "", False, errors=(finding,))


def _begun(data: Path, workbook: Workbook, stamp: Stamp) -> Pulling | Finding:
    from scalesheet.carried import carried
    from scalesheet.examine import examined_files, sound
    from scalesheet.load.folder import files_of, no_folder
    from scalesheet.pull.renames import renamed
    from scalesheet.pull.sites import Sites
    from scalesheet.pull.where import locate
    from scalesheet.render.workbook.contents import contents
    from scalesheet.render.workbook.layout import lay_out
    from scalesheet.render.workbook.steps import stepped_once

    files = files_of(data)
    if files is None:
        raise Refused([no_folder(data)])
    plans = list(files.plans())
    if stamp.plan not in plans:
        text = f"it belongs to the plan '{stamp.plan}', which is not in this data folder"
        return Finding("W002", str(stamp.place), text + nearest(stamp.plan, plans, "plans"))
    before = sound(examined_files(files, plans=[stamp.plan], scores=False))
    book = carried(before.book, before.book.plans[stamp.plan])
    plan = stepped_once(before, book, book.plans[stamp.plan])
    layout = lay_out(book, plan)
    same = stamp.contents == contents(book, plan)
    where = locate(workbook, book, plan, layout.names, same=same)
    sites = Sites(files, plan)
    return renamed(Pulling(workbook, stamp, before, book, plan, layout, where, sites, same))


# ------------------------------------------------------------------ the files


class _Unpatched(Exception):
    def __init__(self, edit: Edit, message: str) -> None:
        super().__init__(message)
        self.finding = Finding("W006", edit.place, message, edit.site.position)


def _patched(files: Files, edits: Sequence[Edit]) -> dict[File, bytes]:
    """Each file that changes, with its new bytes."""
    by_file: dict[str, list[Edit]] = defaultdict(list)
    for edit in edits:
        by_file[edit.document.path].append(edit)
    result = {}
    for file in files.every:
        of_file = by_file.get(file.name)
        if of_file is None or not isinstance(file.content, bytes):
            continue
        if file.extended:
            below = "/".join(file.parts)
            there = next(base / below for base in files.bases if (base / below).is_file())
            message = f"'{of_file[0].name}' is in the book that this one extends, in {there}"
            remedy = f"copy that file to {below} in the data folder, and edit it there"
            raise _Unpatched(of_file[0], f"{message}; {remedy}")
        text = file.content.decode("utf-8")
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        text = text.removeprefix(mark)
        changes = [change for edit in of_file for change in edit.changes]
        try:
            new = patched(text, changes)
        except PatchError as error:
            for edit in of_file:  # find out which one failed
                try:
                    patched(text, edit.changes)
                except PatchError as own:
                    message = (
                        f"'{edit.name}' cannot be changed in {file.name}: {own}; edit it there"
                    )
                    raise _Unpatched(edit, message) from None
            message = (
                f"the edits cannot be made together in {file.name}: {error}; apply them one at a "
                "time"
            )
            raise _Unpatched(of_file[0], message) from None
        result[file] = (mark + new).encode("utf-8")
    return result


def _examined(pulling: Pulling, pulled: Pulled, new: Mapping[File, bytes]) -> Pulled:
    """Check the changed data like any other change, and compare formulas with the workbook."""
    from scalesheet.diff import compare
    from scalesheet.examine import examined_files, sound
    from scalesheet.load.folder import documents_of
    from scalesheet.pull.proof import unproven

    files, plan = pulling.sites.files, pulling.plan.id
    alone = all(file.plan == plan for file in new)
    changed = files.changed({file.parts: content for file, content in new.items()})
    plans = [plan] if alone else None
    examined = examined_files(changed, plans=plans, scores=not alone, like=pulling.before)
    own = tuple(file for file in changed.every if file.name in {each.name for each in new})
    documents: dict[str, Document] = {}
    if examined.diagnostics:
        documents = {each.path: each for each in documents_of(Files(files.root, own), ())[0]}
    problems = []
    causes: dict[Diagnostic, str] = {}
    for diagnostic in examined.diagnostics:
        cause = _cause(diagnostic, pulled.edits, documents)
        if cause:
            causes[diagnostic] = cause
        # report a warning only if an edit caused it; the others were there before
        if cause or diagnostic.severity == "error":
            problems.append(diagnostic)
    pulled = replace(pulled, diagnostics=tuple(problems), causes=causes)
    if errors(problems) or examined.edition is None:
        return pulled
    wrong = tuple(unproven(pulling, examined.edition, pulled.edits))
    if wrong:
        return replace(pulled, errors=wrong)
    before = pulling.before if alone else sound(examined_files(files, like=pulling.before))
    return replace(pulled, moved=compare(before, examined.edition, drawn=False))


def _cause(diagnostic: Diagnostic, edits: Sequence[Edit], documents: Mapping[str, Document]) -> str:
    """The cell of the edit that a diagnostic is about: the last edit that begins before it."""
    document = documents.get(diagnostic.path)
    if document is None:  # a file that mentions something edited elsewhere
        named = (e for e in edits if _quoted(e, diagnostic.message))
        return next((edit.place for edit in named), _all(edits))
    best: tuple[tuple[int, int], str] | None = None
    for edit in edits:
        if edit.document.path != diagnostic.path:
            continue
        for change in edit.changes:
            at = document.key_at(*_now(change.steps, edits))
            near = document.at(*_now(edit.site.steps, edits))
            start = min((at.line, at.column), (near.line, near.column))
            ends = (at.line + 1, 0)
            here = (diagnostic.line, diagnostic.column)
            if start <= here <= max(ends, (near.line + 1, 0)) and (best is None or start > best[0]):
                best = start, edit.place
    return best[1] if best else _all(edits)


def _all(edits: Sequence[Edit]) -> str:
    """The cells of all edits, when it is unclear which one is responsible."""
    places = [edit.place for edit in edits]
    return ", ".join(places[:3]) + (f" or {len(places) - 3} more" if len(places) > 3 else "")


def _now(steps: Steps, edits: Sequence[Edit]) -> Steps:
    """A place in the file after its rows have their new ids."""
    for change in (change for edit in edits for change in edit.changes):
        if isinstance(change, Rename) and steps[: len(change.steps)] == change.steps:
            return (*change.steps[:-1], change.key, *steps[len(change.steps) :])
    return steps


def _quoted(edit: Edit, message: str) -> bool:
    """Whether a message names the subject of an edit."""
    gone = isinstance(edit.changes[0], Drop | Rename)
    row = edit.site.steps[-1] if gone else edit.name
    return any(f"'{name}'" in message for name in (edit.name, row))


def write(data: Path, pulled: Pulled) -> None:
    """Replace all changed files, or none.

    Raises OSError, also if a file has changed since it was read.
    """
    from scalesheet.save import save

    save(data, pulled.files)
