"""Checks whether a workbook file is safe to open, before anything in it is read.

A workbook is a zip of XML from an unknown source. Its list of contents shows the unpacked size,
macros, and links to other files; XML with a DOCTYPE is not parsed any further.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from xml.parsers import expat

MOST_BYTES = 600_000_000  # unpacked; a workbook with a million formulas has 200 MB
MOST_ENTRIES = 2_000
MOST_RATIO = 300  # unpacked over packed size; ours have 12
SMALL = 30_000_000  # unpacked; below this, any ratio is safe

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ODS = "application/vnd.oasis.opendocument.spreadsheet"
#: Parts of a package that run code or refer to other files, and their descriptions.
_FOREIGN = {
    "xl/vbaproject": "macros",
    "xl/macrosheets/": "macros",
    "xl/externallinks/": "links to other workbooks",
    "xl/connections": "a connection to data elsewhere",
    "xl/embeddings/": "an embedded file",
    "xl/activex/": "active controls",
}


class UnreadableError(Exception):
    """The file must not or cannot be read as a workbook. `code` is W001 or W003; the message says
    why, and `part` where: a cell, or a file in the package; empty for the entire file.
    """

    def __init__(self, code: str, message: str, part: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.part = code, message, part


class OpenDocumentError(UnreadableError):
    """The file is a workbook in another format, which can be converted."""


_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError),
    *(NotImplementedError, ValueError),  # the first if zipfile does not know the compression
)


def judge(path: Path) -> None:
    """Raises UnreadableError if the file is not safe to read, OSError if it cannot be read."""
    with path.open("rb") as file:
        head = file.read(8)
    if head == _OLE:
        text = "it is protected by a password, or an old .xls; save it as .xlsx without a password"
        raise UnreadableError("W001", text)
    try:
        with zipfile.ZipFile(path) as archive:
            _judge(archive)
    except zipfile.BadZipFile as error:
        text = f"it is not an .xlsx file, or is truncated ({error}); save it again as .xlsx"
        raise UnreadableError("W001", text) from None


def _judge(archive: zipfile.ZipFile) -> None:
    entries = archive.infolist()
    if len(entries) > MOST_ENTRIES:
        text = f"it has {len(entries):,} parts; the limit is {MOST_ENTRIES:,}"
        raise UnreadableError("W001", f"{text}; is it a workbook?")
    unpacked = sum(entry.file_size for entry in entries)
    packed = max(1, sum(entry.compress_size for entry in entries))
    if unpacked > MOST_BYTES or (unpacked > SMALL and unpacked / packed > MOST_RATIO):
        text = f"it unpacks from {packed / 1e6:,.1f} to {unpacked / 1e6:,.0f} MB"
        raise UnreadableError(
            "W001", f"{text}, as no workbook of scalesheet does; nothing of it was read"
        )
    locked = next((entry for entry in entries if entry.flag_bits & 1), None)
    if locked is not None:
        text = "it is encrypted; save it without a password"
        raise UnreadableError("W001", text, locked.filename)
    names = frozenset(entry.filename for entry in entries)
    for name in sorted(names):
        foreign = next(
            (what for part, what in _FOREIGN.items() if name.lower().startswith(part)), ""
        )
        if foreign:
            text = f"it holds {foreign} ({name}), which scalesheet never writes"
            raise UnreadableError("W003", f"{text}; save it as a plain .xlsx without them", name)
    if "mimetype" in names and archive.read("mimetype")[:80].decode("ascii", "replace") == _ODS:
        raise OpenDocumentError("W001", "it is an .ods file; save it as .xlsx")
    if "xl/workbook.xml" not in names:
        raise UnreadableError("W001", "it is a zip without a workbook in it; give the .xlsx file")
    for name in sorted(names):
        if name.lower().endswith((".xml", ".rels")):
            _judge_part(archive, name)


def _judge_part(archive: zipfile.ZipFile, name: str) -> None:
    """Parse a part up to its first element, since a DOCTYPE must come before that."""
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _doctype(name)
    started: list[str] = []
    parser.StartElementHandler = lambda tag, _: started.append(tag)
    try:
        with archive.open(name) as part:
            while not started and (text := part.read(4096)):
                parser.Parse(text)
    except expat.ExpatError as error:
        raise UnreadableError("W001", f"it is not XML ({error}); save it again", name) from None
    except _BROKEN as error:
        raise UnreadableError("W001", f"it is broken ({error}); save it again", name) from None


def _doctype(part: str) -> Callable[..., None]:
    def refused(*_: object) -> None:
        text = "its XML has a DOCTYPE, which no workbook has; save it from the spreadsheet program"
        raise UnreadableError("W001", text, part)

    return refused
