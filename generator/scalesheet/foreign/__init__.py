"""The one place that opens files which other tools and people made.

`read` gives bytes under a limit; `text`, `rows` and `mapping` (here), `events` and `package` turn
them into data. All of it is untrusted: no format is guessed from a name, nothing is unpacked beyond
a limit, and whatever is wrong is raised as Refused, a diagnostic under the code of the reader that
asked.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from scalesheet.diagnostics import Diagnostic, Refused
from scalesheet.frozen import dataclass
from scalesheet.language.arithmetic import in_bounds, stated
from scalesheet.load.document import quotable
from scalesheet.load.folder import shown

#: Bytes of a file, lines of a table and characters of one of them, that are read.
MOST_BYTES, MOST_LINES, MOST_LINE = 50_000_000, 1_000_000, 1 << 20
#: Bytes of JSON, which takes fifty times as much memory, and levels of it.
MOST_JSON, MOST_DEPTH = 20_000_000, 50
#: Years of a time; others are typing errors, and cannot be moved between time zones.
YEARS = range(1900, 2201)

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark begins it
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: How archives begin: gzip, zip, bzip2, xz, zstandard, 7z, tar.
_PACKED = re.compile(
    rb"\x1f\x8b|PK[\x03\x05]|BZh|\xfd7zXZ|\x28\xb5\x2f\xfd|7z\xbc\xaf|.{257}ustar", re.DOTALL
)


@dataclass(frozen=True)
class File:
    """The bytes of a file. `path` is as users see it, `code` that of all diagnostics about it."""

    path: str
    content: bytes
    code: str

    def wrong(self, message: str, line: int = 1, column: int = 1) -> Diagnostic:
        return Diagnostic(self.path, line, column, self.code, message)

    def refused(self, message: str, line: int = 1, column: int = 1) -> Refused:
        return Refused([self.wrong(message, line, column)])


def read(path: Path, code: str, most: int = MOST_BYTES) -> File:
    """Read a file. Raises Refused if it is none, cannot be read, or is larger than `most` bytes."""
    file = File(shown(path), b"", code)
    try:
        if not path.is_file():
            kind = "is not a file" if path.exists() else "does not exist"
            raise file.refused(f"the path {kind}; name a file")
        with path.open("rb") as opened:
            return _limited(file, opened, most)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        why = getattr(error, "strerror", None) or error
        raise file.refused(f"the file cannot be read: {why}; check its path and rights") from None


def standard_input(code: str) -> File:
    """Read standard input to its end. Raises Refused if there is too much of it."""
    return _limited(File("standard input", b"", code), sys.stdin.buffer, MOST_BYTES)


def _limited(file: File, opened: Any, most: int) -> File:
    content: bytes = opened.read(most + 1)
    if len(content) > most:
        size = f"{most / 1e6:,.0f} MB" if most >= 1e6 else f"{most:,} bytes"
        raise file.refused(f"the file is too large: expected at most {size}; name a smaller one")
    return File(file.path, content, file.code)


@contextmanager
def parsing(file: File, expected: str) -> Iterator[None]:
    """Call a parser that documents no errors for broken input (zipfile, expat, openpyxl), so
    that anything it raises says the same: the file is not what was expected.
    """
    try:
        yield
    except (Refused, MemoryError):
        raise
    except Exception as error:
        why = quotable(str(error)) or type(error).__name__
        message = f"expected {expected}, found a damaged file ({why}); save it again"
        raise file.refused(message) from None


# ------------------------------------------------------------------ text


def text(file: File) -> str:
    """The text of a file, by its byte order mark or as UTF-8, without NUL characters."""
    content = file.content
    mark, encoding = next(((m, e) for m, e in _MARKS if content.startswith(m)), (b"", "utf-8"))
    if _PACKED.match(content):
        raise file.refused("expected text, found an archive; unpack it, and name the file in it")
    try:
        found = content[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        before = content[len(mark) : len(mark) + error.start].decode(encoding, "replace")
        message = "expected text in UTF-8, found other bytes; save the file as UTF-8"
        raise file.refused(message, *place(before, len(before))) from None
    if "\0" in found:
        message = "expected text in UTF-8, found a NUL byte; save the file as UTF-8"
        raise file.refused(message, *place(found, found.index("\0")))
    return found


def place(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both counted from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def place_of_key(text: str, name: str) -> tuple[int, int]:
    """Line and column of a key in a JSON text; its start if the key is not found."""
    match = re.search(rf'"{re.escape(name)}"\s*:', text) if name else None
    return place(text, match.start()) if match else (1, 1)


class Row(NamedTuple):
    """The cells of a line of a table, and the number of its first line."""

    line: int
    cells: list[str]


def rows(file: File, separators: str = ",;\t", *, quotes: bool = True) -> Iterator[Row]:
    """The lines of a table that are not blank, the first of them its header. The separator is the
    one that the first line has most of. Raises Refused, also on the way.
    """
    whole = text(file)
    first = whole[:MOST_LINE].lstrip().partition("\n")[0]
    reader = csv.reader(
        _lines(file, whole),
        delimiter=max(separators, key=first.count),
        quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
        strict=True,
    )
    end, limit = 0, csv.field_size_limit(MOST_LINE)
    try:
        for cells in reader:
            line, end = end + 1, reader.line_num
            if end > MOST_LINES:
                raise file.refused(f"expected at most {MOST_LINES:,} lines; split the file", line)
            if cells and (len(cells) > 1 or cells[0].strip()):
                yield Row(line, cells)
    except csv.Error as error:
        message = f"not CSV: a quotation mark is not closed, or text follows it ({error}); fix it"
        raise file.refused(message, end + 1) from None
    finally:
        csv.field_size_limit(limit)


def _lines(file: File, whole: str) -> Iterator[str]:
    """The lines of a text. Raises Refused for one that would have too many cells."""
    for number, line in enumerate(io.StringIO(whole, newline=""), 1):
        if len(line) > MOST_LINE:
            message = f"not CSV: the line has more than {MOST_LINE:,} characters; shorten it"
            raise file.refused(message, number)
        yield line


# ------------------------------------------------------------------ JSON

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]|[\]}]', re.DOTALL)


def mapping(file: File, expected: str, *, diverged: bool = False) -> dict[str, Any]:
    """The JSON object in a file, of bounded depth, with finite numbers. If losses may have
    `diverged`, NaN and Infinity, which trainers write for them, are None.
    """
    _limited(file, io.BytesIO(file.content), MOST_JSON)
    whole = text(file)
    too_deep = (
        f"expected {expected}, found more than {MOST_DEPTH} levels in each other; save it again"
    )

    def number(literal: str) -> float:
        try:
            found = in_bounds(float(literal))
        except ValueError as error:
            message = f"the number {quotable(literal)} {error}"
            raise file.refused(message, *place(whole, whole.index(literal))) from None
        return found if set(literal) & set(".eE") else int(literal)

    def constant(literal: str) -> float | None:
        return None if diverged else number(literal)

    try:
        data = json.loads(whole, parse_int=number, parse_float=number, parse_constant=constant)
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg}; expected {expected}"
        raise file.refused(message, error.lineno, error.colno) from None
    except RecursionError:
        raise file.refused(too_deep, *_deepest(whole)) from None
    level = [data] if isinstance(data, dict | list) else []
    for _ in range(MOST_DEPTH):
        below = (part.values() if isinstance(part, dict) else part for part in level)
        level = [each for parts in below for each in parts if isinstance(each, dict | list)]
    if level:
        raise file.refused(too_deep, *_deepest(whole))
    if not isinstance(data, dict):
        found = "a list" if isinstance(data, list) else quotable(json.dumps(data))
        raise file.refused(f"expected {expected}, found {found}; save it again")
    return data


def _deepest(whole: str) -> tuple[int, int]:
    """Where JSON has too many levels."""
    depth = 0
    for token in _TOKEN.finditer(whole):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth > MOST_DEPTH:
            return place(whole, token.start())
    return 1, 1


# ------------------------------------------------------------------ numbers and times


def number(text: str) -> float | None:
    """The number in a text such as `-$1,200.00`, finite and in bounds, or None."""
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text.strip())
    try:
        return stated(re.sub(r"^(-?)\$", r"\1", plain))
    except ValueError:
        return None


def moment(text: str) -> datetime | None:
    """A day, or a day and a time, in UTC; None if the text is neither, or outside `YEARS`."""
    if not re.match("[0-9]{4}-[0-9]{2}-[0-9]{2}", text) or int(text[:4]) not in YEARS:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
