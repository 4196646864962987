"""Strict CSV with positions: the header and the rows of one file, for any bytes.

The data are `{"header": [...], "rows": [{column: value}, ...]}`. Empty cells are left out of their
row; numbers are read as in YAML, and the columns in `TEXTS` are always text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from scalesheet.diagnostics import Diagnostic
from scalesheet.load.document import Mark, Steps
from scalesheet.load.reader import MAX_BYTES, MAX_FINDINGS, Parsed, decoded, newlines, plain

#: Columns whose cells are always text, even if they look like numbers: `seed` 1, `run` 2026-11-01.
TEXTS = frozenset(("phase", "run", "seed", "start", "end", "accelerator", "state", "from", "note"))

_CELL = re.compile(r'[ \t]*"((?:[^"]|"")*)"[ \t]*(?=,|\n|\Z)|([^,"\n]*)(?=,|\n|\Z)')

Cell = tuple[str, Mark]


def parse_csv(content: bytes, path: str) -> Parsed:
    """Parse one CSV file. Returns diagnostics and never raises, for any bytes."""
    if len(content) > MAX_BYTES:
        message = "the file is larger than 5 MB; split it"
        return _unread([Diagnostic(path, 1, 1, "Y011", message)])
    text, problems = decoded(content, path)
    if text is None:
        return _unread(problems)
    try:
        lines = [cells for cells in _lines(newlines(text)) if any(value for value, _ in cells)]
    except _TornError as error:
        message = 'a quote is inside a cell, or is never closed; write "a ""b"" c"'
        return _unread([*problems, Diagnostic(path, *error.mark, "Y015", message)])
    if not lines:
        message = "the file is empty; write a header and a line for each run, or delete it"
        return _unread([*problems, Diagnostic(path, 1, 1, "Y003", message)])
    header, *body = lines
    names = [name for name, _ in header]
    doubled = next((n for n, name in enumerate(names) if name in names[:n]), None)
    if doubled is not None:
        message = f"the header has the column '{names[doubled]}' twice; keep one of them"
        return _unread([*problems, Diagnostic(path, *header[doubled][1], "Y002", message)])
    places: dict[Steps, Mark] = {(): Mark(1, 1), ("header",): header[0][1]}
    places |= {("header", n): mark for n, (_, mark) in enumerate(header)}
    keys: dict[Steps, Mark] = {}
    rows: list[dict[str, Any]] = []
    broken: set[Steps] = set()
    for cells in body:
        if len(cells) != len(header):
            message = (
                f"the line has {len(cells)} cells and the header has {len(header)}; put quotes "
                "around a cell with a comma in it, and a comma for each empty cell"
            )
            problems.append(Diagnostic(path, *cells[0][1], "Y015", message))
            continue
        at = ("rows", len(rows))
        places[at] = keys[at] = cells[0][1]
        row: dict[str, Any] = {}
        for name, (value, mark) in zip(names, cells, strict=True):
            if value:
                places[*at, name] = keys[*at, name] = mark
                row[name] = _read(name, value, (*at, name), broken)
        rows.append(row)
    for steps in sorted(broken, key=str)[:MAX_FINDINGS]:
        problems.append(Diagnostic(path, *places[steps], "Y007", "is not a number; write one"))
    data = {"header": names, "rows": rows}
    return Parsed(data, places, keys, frozenset(broken), tuple(problems[:MAX_FINDINGS]))


def cells_of(content: bytes) -> list[list[Cell]]:
    """The cells of each line of a valid file as text, the header first."""
    text, _ = decoded(content, "")
    return [cells for cells in _lines(newlines(text or "")) if any(value for value, _ in cells)]


def _unread(problems: list[Diagnostic]) -> Parsed:
    return Parsed(None, {}, {}, frozenset(), tuple(problems))


class _TornError(Exception):
    """The text at this position is not a cell."""

    def __init__(self, mark: Mark) -> None:
        self.mark = mark


def _lines(text: str) -> Iterator[list[Cell]]:
    """The cells of each line, each with its position."""
    at, line, begin = 0, 1, 0
    cells: list[Cell] = []
    while True:
        mark = Mark(line, at - begin + 1)
        match = _CELL.match(text, at)
        if match is None:
            raise _TornError(mark)
        quoted, bare = match.groups()
        cells.append((bare.strip() if quoted is None else quoted.replace('""', '"'), mark))
        inside = match[0].count("\n")
        if inside:
            line, begin = line + inside, match.start() + match[0].rfind("\n") + 1
        at = match.end() + 1
        if match.end() == len(text) or text[match.end()] == "\n":
            yield cells
            cells, line, begin = [], line + 1, at
        if match.end() == len(text):
            return


def _read(name: str, value: str, steps: Steps, broken: set[Steps]) -> Any:
    if name in TEXTS:
        return value
    try:
        return plain(value)
    except ValueError:
        broken.add(steps)
        return None
