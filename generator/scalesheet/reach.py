"""What plans can reach of a catalogue: all that is shared, by one digest, and each row by its own.

Plans share the units, formulas, components, and everything about tables but the content of rows
that have their own file. So a plan is computed again only if its own files, what is shared, or a
row that it read have changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scalesheet.book import Book
from scalesheet.kept import Part, Reads

if TYPE_CHECKING:
    from scalesheet.load.folder import File, Files
    from scalesheet.resolve.book import Ground
    from scalesheet.resolve.drafts import DraftTable
    from scalesheet.values import Results, Series

#: The table whose rows are the files of a folder.
BY_ROW = {
    "hardware": "hardware",
    "nodes": "nodes",
    "providers": "providers",
    "rates": "offers",
    "models": "models",
    "measurements": "measurements",
}
#: Folders and files that no plan reads. Of sources, it reads the keys.
UNREAD = ("runs", "score.yaml", "sources.yaml", "book.lock")


@dataclass(frozen=True)
class Reach:
    """The digest of what all plans share, and those of each row, of its cells and of columns."""

    shared: str
    parts: Mapping[Part, str]


def reach(ground: Ground, files: Files, cells: Results | None, *more: object) -> Reach:
    """The digests of a catalogue: its ground, its files, its cells if it is sound, and what `more`
    plans depend on.
    """
    of_rows: dict[tuple[str, str], File] = {}
    shared: list[File] = []
    for file in files.every:
        if file.parts[0] in BY_ROW:
            of_rows[BY_ROW[file.parts[0]], file.parts[-1].removesuffix(".yaml")] = file
        elif file.parts[0] not in UNREAD:
            shared.append(file)
    space, catalogue = ground.space, ground.catalogue
    same = (
        [*map(_content, shared)],
        [*map(_without_rows, space.catalogue.values())],
        (space.groups, sorted(map(str, space.bounds)), ground.day),
        (catalogue.order, catalogue.facts, catalogue.formulas),
        more,
    )
    parts: dict[Part, str] = {}
    for table in space.catalogue.values():
        if table.name in BY_ROW.values():
            columns = cells.tables[table.name] if cells is not None else {}
            texts = {name: _cells(each) for name, each in columns.items()}
            for name, column in texts.items():
                parts["column", table.name, name] = _digest(column)
            for place, row in enumerate(table.rows):
                own = _digest(column[place] for column in texts.values())
                parts["cells", table.name, row] = own
                content = _content(of_rows[table.name, row])
                parts["row", table.name, row] = _digest((own, *content))
    return Reach(_digest([repr(same).replace(files.root, "")]), parts)  # wherever the folder is


def _without_rows(table: DraftTable) -> DraftTable:
    """A table without the content of its rows, which their files state."""
    if table.name not in BY_ROW.values():
        return replace(table, columns={})  # its file is shared
    columns = {name: replace(each, stated={}) for name, each in table.columns.items()}
    return replace(
        table, row_titles=(), row_notes={}, row_aliases={}, row_positions=(), columns=columns
    )


def _content(file: File) -> tuple[str, str]:
    return ("/".join(file.parts) if not file.extended else file.name, file.digest)


def _cells(series: Series) -> list[str]:
    """The cells of a column as text: values, ends of ranges, and reasons with their kind."""
    ends = [each.tolist() for each in (series.value, series.low, series.high) if each is not None]
    texts = [*map(repr, zip(*ends, strict=True) if len(ends) > 1 else ends[0])]
    for place, reason in series.reasons.items():
        texts[place] += f" {type(reason).__name__} {reason}"
    return texts


def _digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:32]


def restricted(ground: Ground, book: Book | None, reads: Reads) -> tuple[Ground, Book | None]:
    """The ground and the book, if any, as a plan sees them: with tables that note which rows are
    read, and without anything else that could change while what is shared stays the same.
    """
    from scalesheet.rows import watched

    names = tuple(BY_ROW.values())
    space = replace(ground.space, catalogue=watched(ground.space.catalogue, names, reads))
    ground = replace(ground, space=space)
    if book is None:
        return ground, None
    book = replace(
        noting(book, names, reads),
        title="",
        url="",
        folder="",
        sources={},
        publications={},
        fits={},
        expected={},
        evidence=None,
        expected_own={},
        peers=(),
    )
    return ground, book


def noting(book: Book, tables: Sequence[str], reads: Reads) -> Book:
    """The book with some tables that note which rows are read, and without the history of prices,
    for which there are no digests.
    """
    from scalesheet.rows import Watched

    tables_ = Watched(book.tables, tables, reads)
    return replace(book, tables=tables_, prices={}, old_prices={}, unseen={})
