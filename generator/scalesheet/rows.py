"""Records what is read of a catalogue's rows, so that an edit affects only those who read it.

A plan is computed from tables in which every way to the content of a row leads through here: the
stated cells and the titles of rows, and the places by which formulas find their computed cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import Any, Literal, NoReturn, TypeVar

from scalesheet.kept import OnDemand, Reads
from scalesheet.model import Table
from scalesheet.values import Series

T = TypeVar("T")

#: What is read: everything of a row, the values of its cells, or the values of a column.
Kind = Literal["row", "cells", "column"]


class Rows(Mapping[str, T]):
    """A mapping by row that notes each row that is read. Whoever counts rows reads all of them."""

    def __init__(self, of: Mapping[str, T], note: Callable[[str], None]) -> None:
        self._of, self._note = of, note

    def __getitem__(self, row: str) -> T:
        if isinstance(row, str):  # a cell without a reference asks for None
            self._note(row)
        return self._of[row]

    def __contains__(self, row: object) -> bool:
        if isinstance(row, str):
            self._note(row)
        return row in self._of

    def __iter__(self) -> Iterator[str]:
        for row in self._of:
            self._note(row)
            yield row

    def __len__(self) -> int:
        return len(list(self))

    def __reduce__(self) -> NoReturn:
        raise TypeError("what notes reads is part of no result")


class Places(Rows[int]):
    """The places of rows. Which rows there are is no content; their cells are, and columns."""

    def __init__(self, of: Mapping[str, int], table: str, reads: Reads) -> None:
        super().__init__(of, _note("cells", table, reads))
        self.column = _note("column", table, reads)

    def __iter__(self) -> Iterator[str]:
        return iter(self._of)

    def __len__(self) -> int:
        return len(self._of)

    def cells(self, chosen: Iterable[bool]) -> None:
        """Note the cells of the chosen rows."""
        for row in compress(self._of, chosen):
            self._note(row)

    def seen(self, series: Series) -> Any:
        """A column of results, of which cells are read one by one, or all."""
        return _Cells(series, list(self._of), self._note)


class _Cells:
    def __init__(self, series: Series, rows: Sequence[str], note: Callable[[str], None]) -> None:
        self._series, self._rows, self._note = series, rows, note

    def __getitem__(self, place: int) -> Any:
        self._note(self._rows[place])
        return self._series[place]

    def __getattr__(self, name: str) -> Any:
        for row in self._rows:
            self._note(row)
        return getattr(self._series, name)

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self._rows)))

    def __len__(self) -> int:
        return len(self._rows)

    __reduce__ = Rows.__reduce__


class _Titles(Sequence[str]):
    def __init__(
        self, titles: Sequence[str], rows: Sequence[str], note: Callable[[str], None]
    ) -> None:
        self._titles, self._rows, self._note = titles, rows, note

    def __getitem__(self, place: Any) -> Any:
        for row in self._rows[place] if isinstance(place, slice) else (self._rows[place],):
            self._note(row)
        return self._titles[place]

    def __len__(self) -> int:
        return len(self._titles)

    __reduce__ = Rows.__reduce__


class Watched(Mapping[str, Table]):
    """The `tables` of a catalogue; of those named in `by_row`, it is noted in `reads` what is
    read.
    """

    def __init__(self, tables: Mapping[str, Table], by_row: Sequence[str], reads: Reads) -> None:
        self.tables, self._by_row, self._reads = tables, by_row, reads
        self._seen = watched(tables, by_row, reads)

    def __getitem__(self, name: str) -> Table:
        return self._seen[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._seen)

    def __len__(self) -> int:
        return len(self._seen)

    def places(self, of: Mapping[str, Mapping[str, int]]) -> dict[str, Mapping[str, int]]:
        """The places of rows in each table, by which formulas read the columns."""
        return {
            name: Places(places, name, self._reads) if name in self._by_row else places
            for name, places in of.items()
        }


def watched(tables: Mapping[str, T], by_row: Sequence[str], reads: Reads) -> dict[str, T]:
    """The same tables, finished or not. Those that note what is read lack what no plan reads:
    notes, other names and positions of rows.
    """
    return {
        name: _seen(table, _note("row", name, reads)) if name in by_row else table
        for name, table in tables.items()
    }


def _seen(table: Any, note: Callable[[str], None]) -> Any:
    return replace(
        table,
        row_titles=_Titles(table.row_titles, table.rows, note),
        row_notes={},
        row_aliases={},
        row_positions=(),
        columns=OnDemand(table.columns, partial(_column, table.columns, note)),
    )


def _column(columns: Mapping[str, Any], note: Callable[[str], None], name: str) -> Any:
    return replace(columns[name], stated=Rows(columns[name].stated, note))


def _note(kind: Kind, table: str, reads: Reads) -> Callable[[str], None]:
    return partial(_add, reads, kind, table)


def _add(reads: Reads, kind: Kind, table: str, name: str) -> None:
    reads.add((kind, table, name))
