"""Judges whether a workbook is safe to open, before anything in it is read.

A workbook is a zip of XML. Its list of contents shows the unpacked size, macros, and links to other
files; XML with a DOCTYPE is not parsed any further.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import PurePosixPath
from xml.parsers import expat

from scalesheet.diagnostics import Diagnostic, Refused
from scalesheet.foreign import File, parsing

MOST_UNPACKED = 600_000_000  # bytes; a workbook with a million formulas has 200 MB
MOST_ENTRIES = 2_000
MOST_RATIO = 100  # unpacked over packed size; ours have 12
SMALL = 30_000_000  # bytes unpacked; below this, any ratio is safe

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
#: Parts of a package that run code or refer to other files, and their descriptions.
_OUTSIDE = {
    "xl/vbaproject": "macros",
    "xl/macrosheets/": "macros",
    "xl/externallinks/": "links to other workbooks",
    "xl/connections": "a connection to data elsewhere",
    "xl/embeddings/": "an embedded file",
    "xl/activex/": "active controls",
}


def judge(file: File) -> bool:
    """Whether a safe workbook is an .xlsx; else it is an .ods. Raises Refused if it is not safe,
    for a part of the package under the path `book.xlsx: xl/workbook.xml`.
    """
    if file.content.startswith(_OLE):
        raise file.refused(
            "it is protected by a password, or an old .xls; save it as .xlsx without a password"
        )
    with parsing(file, "an .xlsx workbook"), zipfile.ZipFile(io.BytesIO(file.content)) as archive:
        return _judge(file, archive)


def _judge(file: File, archive: zipfile.ZipFile) -> bool:
    entries = archive.infolist()
    if len(entries) > MOST_ENTRIES:
        text = f"it has {len(entries):,} parts; the limit is {MOST_ENTRIES:,}"
        raise file.refused(f"{text}; is it a workbook?")
    unpacked = sum(entry.file_size for entry in entries)
    packed = max(1, sum(entry.compress_size for entry in entries))
    if unpacked > MOST_UNPACKED or (unpacked > SMALL and unpacked / packed > MOST_RATIO):
        text = f"it unpacks from {packed / 1e6:,.1f} to {unpacked / 1e6:,.0f} MB"
        raise file.refused(f"{text}, as no workbook of scalesheet does; nothing of it was read")
    names = sorted({entry.filename for entry in entries})
    for entry in entries:
        if entry.flag_bits & 1:
            raise part(file, entry.filename).refused("it is encrypted; save it without a password")
    for name in names:
        outside = next((w for begin, w in _OUTSIDE.items() if name.lower().startswith(begin)), "")
        if outside:
            text = f"it holds {outside} ({name}), which scalesheet never writes"
            where, remedy = part(file, name).path, "save it as a plain .xlsx without them"
            raise Refused([Diagnostic(where, 1, 1, "W003", f"{text}; {remedy}")])
    if "mimetype" in names and archive.read("mimetype")[:80].decode("ascii", "replace") == ODS:
        return False
    if "xl/workbook.xml" not in names:
        raise file.refused("it is a zip without a workbook in it; give the .xlsx file")
    for name in names:
        if PurePosixPath(name.lower()).suffix in (".xml", ".rels"):
            _judge_part(part(file, name), archive, name)
    return True


def part(file: File, name: str) -> File:
    """A part of a package, or a cell of its sheets, for diagnostics about it."""
    return File(f"{file.path}: {name}", b"", file.code)


def _judge_part(file: File, archive: zipfile.ZipFile, name: str) -> None:
    """Parse a part up to its first element, since a DOCTYPE must come before that."""

    def doctype(*_: object) -> None:
        raise file.refused(
            "its XML has a DOCTYPE, which no workbook has; save it from the spreadsheet program"
        )

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = doctype
    started: list[str] = []
    parser.StartElementHandler = lambda tag, _: started.append(tag)
    with parsing(file, "XML"), archive.open(name) as opened:
        while not started and (text := opened.read(4096)):
            parser.Parse(text)
