"""The output of pull: each change with its file and line, what was not applied, and errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scalesheet.diagnostics import Diagnostic, errors
from scalesheet.load.document import quotable
from scalesheet.load.folder import shown
from scalesheet.pull import Pulled
from scalesheet.pull.model import Edit, Finding
from scalesheet.render.text.diff import Sides, as_text
from scalesheet.vocabulary import counted

MOST_MOVED = 10  # results listed; `diff` shows them all


def problems(pulled: Pulled, path: Path) -> str:
    """Errors with their cell and line, then the edits that were not applied."""
    lines = [_line(path, finding) for finding in pulled.errors]
    lines += [_caused(pulled, path, diagnostic) for diagnostic in errors(pulled.diagnostics)]
    lines += [_line(path, finding) for finding in pulled.left]
    return "\n".join(lines)


def _caused(pulled: Pulled, path: Path, diagnostic: Diagnostic) -> str:
    """A diagnostic of the changed data, with the workbook cell that caused it."""
    cause = pulled.causes.get(diagnostic)
    return f"{diagnostic}{f' ({path.name}, {cause})' if cause else ''}"


def changes(pulled: Pulled, path: Path, data: Path, *, written: bool) -> str:
    """The changes by file and line, their number, and their effect on the results."""
    lines = list(_changes(pulled))
    lines += [_caused(pulled, path, diagnostic) for diagnostic in pulled.diagnostics]
    lines += [_line(path, finding) for finding in (*pulled.left, *pulled.notes)]
    files = len(pulled.files)
    if not pulled.edits:
        text = f"{path.name} has no changes to '{pulled.plan}': nothing to apply"
    else:
        count = len(pulled.edits)
        what = f"{counted(count, 'change')} of {counted(files, 'file')}"
        text = f"{what} {'written' if written else 'to write (nothing was)'}"
    if pulled.left:
        text += f"; {len(pulled.left)} not applied"
    if not pulled.same:
        text += f"; the data changed after the workbook's edition, {pulled.edition}"
    lines.append(text)
    if pulled.moved is not None:
        sides = Sides(shown(data), f"{shown(data)} with {path.name}")
        lines += ["", as_text(pulled.moved, sides, MOST_MOVED).rstrip()]
    return "\n".join(lines)


def _changes(pulled: Pulled) -> Iterator[str]:
    def place(edit: Edit) -> tuple[str, int]:
        position = edit.site.position
        return position.path, position.line

    for edit in sorted(pulled.edits, key=place):
        at = edit.site.position
        old, new = quotable(edit.old), quotable(edit.new, clip=False)
        yield f"{at.path}:{at.line}: {edit.name}: {old} -> {new} ({edit.place})"


def _line(path: Path, finding: Finding) -> str:
    place = f"{shown(path)}:{f' {finding.place}:' if finding.place else ''}"
    at = finding.at
    line = f" ({at.path}:{at.line}:{at.column})" if at is not None else ""
    return f"{place} {finding.code} {finding.message}{line}"
