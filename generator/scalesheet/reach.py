"""What plans can reach of a catalogue: all that is shared, by one digest, and each row by its own.

Plans share the units, formulas, components, and everything about tables but the content of rows
that have their own file. So a plan is computed again only if its own files, what is shared, or a
row that it read have changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.kept import Part, Reads

if TYPE_CHECKING:
    from scalesheet.load.folder import File, Files
    from scalesheet.resolve.book import Ground
    from scalesheet.resolve.compile import Compiled
    from scalesheet.resolve.drafts import DraftTable, Space
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


def structure(space: Space, catalogue: Compiled, files: Files) -> str:
    """The digest of all of a catalogue but the content of rows, which their files state."""
    shared = [each for each in files.every if each.parts[0] not in (*BY_ROW, *UNREAD)]
    text = repr(
        (
            [*map(_content, shared)],
            [*map(_without_rows, space.catalogue.values())],
            (space.groups, sorted(map(str, space.bounds))),
            (catalogue.order, catalogue.facts, catalogue.formulas),
        )
    )
    return _digest([text.replace(files.root, "")])  # the same wherever the folder is


def reach(
    ground: Ground, files: Files, cells: Results | None, structure: str, *more: object
) -> Reach:
    """The digests of a catalogue: from its structure and whatever `more` plans depend on, and of
    its rows, with its cells if it is sound.
    """
    of_files = row_files(files)
    parts: dict[Part, str] = {}
    for table in ground.space.catalogue.values():
        if table.name in BY_ROW.values():
            columns = cells.tables[table.name] if cells is not None else {}
            texts = {name: _cells(each) for name, each in columns.items()}
            for name, column in texts.items():
                parts["column", table.name, name] = _digest(column)
            for place, row in enumerate(table.rows):
                own = _digest(column[place] for column in texts.values())
                parts["cells", table.name, row] = own
                parts["row", table.name, row] = _digest((own, of_files["row", table.name, row]))
    shared = repr((structure, more)).replace(files.root, "")
    return Reach(_digest([shared]), parts)


def row_files(files: Files) -> dict[Part, str]:
    """The file of each row, by its digest: all that is known of a row before it is computed."""
    return {
        ("row", BY_ROW[each.parts[0]], each.parts[-1].removesuffix(".yaml")): repr(_content(each))
        for each in files.every
        if each.parts[0] in BY_ROW
    }


def noted(space: Space, reads: Reads) -> Space:
    """A space with catalogue tables that note which rows are read."""
    from scalesheet.rows import watched

    return replace(space, catalogue=watched(space.catalogue, tuple(BY_ROW.values()), reads))


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


def spelled(value: Any) -> object:
    """Arrays, and data classes with arrays, in a form whose repr has every value."""
    if hasattr(value, "tolist"):
        return str(value.dtype), value.tolist()
    if is_dataclass(value):
        return [(each.name, spelled(getattr(value, each.name))) for each in fields(value)]
    return value


def _digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:32]


def restricted(ground: Ground, book: Book | None, reads: Reads) -> tuple[Ground, Book | None]:
    """The ground and the book, if any, as a plan sees them: with tables that note which rows are
    read, and without anything else that could change while what is shared stays the same.
    """
    ground = replace(ground, space=noted(ground.space, reads))
    if book is None:
        return ground, None
    book = replace(
        noting(book, tuple(BY_ROW.values()), reads),
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
