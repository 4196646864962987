"""Places the cases of a component side by side, with line items below one another.

Inputs come first, then the status and the results, then the steps under the component's headings,
which fold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from scalesheet.language.syntax import Cell, Lookup
from scalesheet.model import Column, Quantity, Table, formulas_of
from scalesheet.render.workbook.places import TablePlace, Triple

#: Most cases side by side; larger tables keep their rows. LibreOffice 7.3 has 1,024 columns.
MOST = 1_000
TITLES, FIRST = 0, 3  # the columns of titles, and of the first case after unit and name
TOP_SECTIONS = 2  # inputs and results; these do not fold, nor do additions of the plan


def is_turned(table: Table) -> bool:
    """Return whether the rows of a table are side by side."""
    return bool(table.sections) and len(table.rows) <= MOST


def is_axis(table: Table, column: str) -> bool:
    """Return whether the column is an axis of a cross table: a key, not to be edited."""
    return column in dict(table.each)


def is_step(quantity: Quantity) -> bool:
    """Return whether only the workbook has it, as a part of another formula."""
    formulas = formulas_of(quantity)
    return quantity.hidden and bool(formulas) and formulas[0].position is None


def is_looked_up(quantity: Quantity) -> bool:
    formulas = formulas_of(quantity)
    return bool(formulas) and isinstance(formulas[0].ends.value, Lookup | Cell)


def turned_place(table: Table, sheet: str, row: int, used: Sequence[Column]) -> TablePlace:
    """Place a table of cases, from a row of the sheet on. `used`: columns with values in use."""
    lines = _Lines(row + 2)
    for number, (title, columns) in enumerate(_sections(table)):
        lines.add(title, columns, level=int(number > TOP_SECTIONS))
    typed, lines.columns = lines.columns, {}
    lines.add("Values in use", used, level=1)
    spacer = FIRST + len(table.rows)
    total = spacer + 1 if table.totals else None
    counted = spacer + 2 if any(table.columns[c].may_reason for c in table.totals) else None
    drawing, end = None, lines.row + 1
    if table.show is not None:
        down = table.columns[table.show[0]]
        drawing, end = end, end + 4 + len({str(s.value) for s in down.stated.values()})
    return TablePlace(
        table.name,
        sheet,
        caption=None,
        heading=TITLES,
        first=FIRST,
        spacer=spacer,
        total=total,
        counted=counted,
        columns=typed,
        source=None,
        note=None,
        drawing=drawing,
        end=end,
        turned=True,
        titles=row,
        ids=row + 1,
        sections=tuple(lines.sections),
        levels=lines.levels,
        used=lines.columns,
    )


def _sections(table: Table) -> Iterator[tuple[str, list[Column]]]:
    """Yield headings with their columns.

    They are the component's sections; the plan's additions and looked-up columns between them; and
    last, the parts of long formulas.
    """
    listed = {name for _, names in table.sections for name in names}
    others = [column for column in table.columns.values() if column.name not in listed]
    given = [(title, [table.columns[name] for name in names]) for title, names in table.sections]
    yield from given[:TOP_SECTIONS]
    yield "Of this plan", [c for c in others if not is_step(c)]
    yield "Looked up", [c for c in others if is_step(c) and is_looked_up(c)]
    yield from given[TOP_SECTIONS:]
    yield "Steps of longer formulas", [c for c in others if is_step(c) and not is_looked_up(c)]


@dataclass
class _Lines:
    """Lines of a sheet, filled from a row on."""

    row: int
    columns: dict[str, Triple] = field(default_factory=dict)
    sections: list[tuple[int, str]] = field(default_factory=list)
    levels: dict[int, int] = field(default_factory=dict)

    def add(self, title: str, columns: Iterable[Column], level: int) -> None:
        """Add a heading and the lines below it; lines of ends fold below that of the value."""
        for number, column in enumerate(columns):
            if number == 0:
                self.sections.append((self.row, title))
                self.row += 1
            value, last = self.row, self.row + 2 * column.ranged
            self.columns[column.name] = (min(value + 1, last), value, last)
            levels = {value: level} | dict.fromkeys(range(value + 1, last + 1), level + 1)
            self.levels |= {row: level for row, level in levels.items() if level}
            self.row = last + 1
