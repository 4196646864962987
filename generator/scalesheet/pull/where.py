"""Finds the inputs and tables of a plan in a workbook that somebody has worked in.

A scalar is where its defined name points, or else in the row with its name in a list of scalars. An
input whose name points to the value in use is where its row has the typed value, unless a program
overwrote the cell under its name. A table is below the row with its name and its columns, and its
rows are identified by their ids. So inserted rows and columns, reordering and renamed sheets do no
harm, and neither do programs that drop defined names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import count, pairwise, product

from scalesheet.book import Book
from scalesheet.defined_names import Names, tables_of
from scalesheet.frozen import dataclass
from scalesheet.language.syntax import ENDS, End
from scalesheet.model import Plan, Table
from scalesheet.pull.sheets import Cell, Sheet, Spot, Workbook, address, spot
from scalesheet.render.workbook.changes import ALL_HEADINGS, ANY, AS_SHIPPED
from scalesheet.render.workbook.front import CONTENTS, EDITION, EDITION_HASH, PLAN
from scalesheet.render.workbook.places import LINES_OF, NAMES_OF, TITLES_OF
from scalesheet.render.workbook.scalars import (
    FIRST_HEADINGS,
    IN_USE_HEADINGS,
    INPUT_HEADINGS,
    WORDS_HEADING,
)
from scalesheet.render.workbook.widths import IN_USE
from scalesheet.source.places import suggested

END_HEADINGS: Mapping[End, str] = dict(zip(ENDS, FIRST_HEADINGS[2:5], strict=True))
#: What precedes the name of a table, and whether its rows are side by side.
HEADS = ((NAMES_OF, False), (TITLES_OF, False), (LINES_OF, True))
ENDS_OF_LISTS = (WORDS_HEADING, NAMES_OF)  # headings that follow a list on its sheet
_LABELS = (PLAN, EDITION, EDITION_HASH, CONTENTS)
_IN_USE = re.compile(rf"(.*?)(_low|_high)?{IN_USE}")
_AREA = re.compile(
    r"(?:'(?P<quoted>(?:[^']|'')+)'|(?P<plain>[^'!]+))!(?P<first>[^:!]+)(?::(?P<last>[^:!]+))?"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A cell of the workbook."""

    sheet: str
    row: int
    column: int

    def __str__(self) -> str:
        return f"{self.sheet}!{address(self.row, self.column)}"

    @property
    def at(self) -> tuple[int, int]:
        return self.row, self.column


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of cells."""

    sheet: str
    top: int
    left: int
    bottom: int
    right: int

    @property
    def turned(self) -> Area:
        return Area(self.sheet, self.left, self.top, self.right, self.bottom)

    @property
    def place(self) -> Place:
        return Place(self.sheet, self.top, self.left)

    @property
    def spots(self) -> list[Spot]:
        rows, columns = range(self.top, self.bottom + 1), range(self.left, self.right + 1)
        return list(product(rows, columns))


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a workbook says about itself on About."""

    plan: str
    edition: str
    edition_hash: str
    contents: str
    place: Place  # of its plan's id


@dataclass(frozen=True)
class Rows:
    """A located table: `columns` by name and end, `rows` by id, and rows without an id.

    If it is `turned`, its rows are columns of the sheet; `at` gives the cell in either case.
    """

    sheet: str
    key: int
    title: int
    heading: int  # the row with the names
    last: int  # the last row that belongs to it, including the empty one
    columns: Mapping[tuple[str, End], int]
    rows: Mapping[str, int]
    without: tuple[int, ...]
    twice: tuple[tuple[str, int], ...]  # repeated ids
    strange: Mapping[int, str]  # columns that are not ours, with their headings
    used: Mapping[int, tuple[str, End]]  # columns with the values in use
    turned: bool = False

    def at(self, row: int, column: int) -> Place:
        return Place(self.sheet, column, row) if self.turned else Place(self.sheet, row, column)

    def row_of(self, place: Place) -> int:
        """The row of the table that contains a cell."""
        return place.column if self.turned else place.row

    def holds(self, place: Place) -> bool:
        """Whether a cell is in one of the rows."""
        return place.sheet == self.sheet and self.heading < self.row_of(place) <= self.last


@dataclass(frozen=True, slots=True)
class Listed:
    """The row of a scalar in a list, and the meaning of its columns."""

    sheet: str
    row: int
    columns: Mapping[str, int]  # by heading

    @property
    def of_plan(self) -> bool:
        """Whether a row added to the list becomes a scalar of the plan, outside its phases."""
        return "Kind" in self.columns or "Formula" in self.columns

    def place(self, heading: str) -> Place | None:
        at = self.columns.get(heading)
        return None if at is None else Place(self.sheet, self.row, at)

    def at(self, workbook: Workbook, end: End = "value") -> Cell:
        """The cell with its value or an end."""
        return workbook.sheets[self.sheet].at(self.row, self.columns[END_HEADINGS[end]])


@dataclass(frozen=True)
class Where:
    """Everything that was found. `gone` are scalars with dead names, and what was found instead."""

    scalars: Mapping[tuple[str, End], Place]
    tables: Mapping[str, Rows]
    shipped: Mapping[str, Cell]  # by an input's name in edits
    gone: Mapping[str, str]
    moved: tuple[str, ...] = ()  # scalars whose name points to another row
    listed: Mapping[str, Listed] = field(default_factory=dict)  # by defined name, lower case
    meaning: Mapping[Place, tuple[str, End]] = field(default_factory=dict)
    new: Mapping[str, Listed] = field(default_factory=dict)  # rows of lists with new names
    twice: tuple[tuple[str, Place], ...] = ()  # names repeated in a list
    of_phases: tuple[tuple[str, Place], ...] = ()  # new names and values on the sheets of phases


def stamp_of(workbook: Workbook) -> Stamp | None:
    """What the workbook says it is; None if it says nothing that we know."""
    for sheet in workbook.sheets.values():
        data: dict[str, tuple[str, int, int]] = {}
        for (row, column), cell in sheet.cells.items():
            if cell.value in _LABELS and str(cell.value) not in data:
                beside = ((sheet.text(row, column + by), row, column + by) for by in (1, 2, 3, 4))
                data[str(cell.value)] = next((each for each in beside if each[0]), ("", row, 0))
        if data.get(PLAN, ("",))[0] and data.get(EDITION_HASH, ("",))[0]:
            said = {label: text for label, (text, _, _) in data.items()}
            short = said[EDITION_HASH].partition(":")[0]
            place = Place(sheet.name, *data[PLAN][1:])
            return Stamp(said[PLAN], said.get(EDITION, ""), short, said.get(CONTENTS, ""), place)
    return None


def locate(workbook: Workbook, book: Book, plan: Plan, names: Names, *, same: bool = True) -> Where:
    """Find every scalar and table of the plan. `same`: the workbook was made from these data."""
    tables = tables_of(book, plan)
    result = {}
    for sheet in workbook.sheets.values():
        for heading, turned in HEADS:
            seen = sheet.turned if turned else sheet
            for row, column, name in _headed(seen, heading):
                if name in tables and name not in result:
                    area = area_of(workbook.names.get(names.tables.get(name, "").casefold(), ""))
                    area = area.turned if area and turned else area
                    rows = _rows(seen, tables[name], row, column, area)
                    result[name] = replace(rows, turned=turned)
    listed, twice = _once(workbook)
    scalars, used, gone, moved = _scalars(workbook, plan, names, listed)
    meaning = {place: key for key, place in scalars.items() if key[1] != "value"} | used
    meaning |= {place: key for key, place in scalars.items() if key[1] == "value"}
    known = {text.casefold() for text in names.scalars.values()}
    new = {
        suggested(name).replace("-", "_"): row
        for name, row in listed.items()
        if name not in known
        and row.of_plan
        and not row.at(workbook).blank
        # in an older workbook, a figure with a name may be a step, which is not part of the plan
        and (same or "Kind" in row.columns or name not in workbook.names)
    }
    ends = ((name, end, row.place(END_HEADINGS[end])) for name, row in new.items() for end in ENDS)
    meaning |= {place: (name, end) for name, end, place in ends if name and place}
    shipped = _shipped(workbook)
    of_phases = tuple(
        (name, place)
        for name, row in listed.items()
        if not row.of_plan
        and name not in known
        and (place := row.place(END_HEADINGS["value"])) is not None
        and (row.at(workbook).formula is not None or isinstance(row.at(workbook).value, float))
    )
    return Where(scalars, result, shipped, gone, moved, listed, meaning, new, twice, of_phases)


def area_of(text: str) -> Area | None:
    """Parse `'Stage 2'!$A$1:$A$9` as an area."""
    match = _AREA.fullmatch(text.removeprefix("$").strip())
    if not match:
        return None
    sheet = (match["quoted"] or match["plain"]).replace("''", "'").removeprefix("$")
    first, last = spot(match["first"]), spot(match["last"] or match["first"])
    if first is None or last is None:
        return None
    return Area(sheet, first[0], first[1], last[0], last[1])


# ------------------------------------------------------------------ scalars


def _scalars(
    workbook: Workbook, plan: Plan, names: Names, listed: Mapping[str, Listed]
) -> tuple[
    dict[tuple[str, End], Place],
    dict[Place, tuple[str, End]],
    dict[str, str],
    tuple[str, ...],
]:
    """Where scalars are typed or computed, where inputs are in use, what is gone, what moved."""
    places: dict[tuple[str, End], Place] = {}
    used: dict[Place, tuple[str, End]] = {}
    gone: dict[str, str] = {}
    moved: list[str] = []
    for name, scalar in plan.scalars.items():
        row = listed.get(names.scalars[name, "value"].casefold())
        for end in ENDS if scalar.ranged else (ENDS[1],):
            leads = workbook.names.get(names.scalars[name, end].casefold(), "")
            area = area_of(leads)
            place = area.place if area is not None and area.sheet in workbook.sheets else None
            if place is not None and row and (row.sheet, row.row) != (place.sheet, place.row):
                moved.append(name)
            if row is not None and place in (None, row.place(IN_USE_HEADINGS[end])):
                if place is not None:
                    used[place] = name, end
                if place is None or workbook.sheets[place.sheet].at(*place.at).formula:
                    place = row.place(END_HEADINGS[end])
                    place = _typed(workbook, place) if place is not None else None
            if place is not None:
                places[name, end] = place
            else:
                gone[name] = leads or "nothing"
    return places, used, gone, tuple(dict.fromkeys(moved))


def _typed(workbook: Workbook, place: Place) -> Place:
    """Where an input is typed. The row of a choice only shows its cell on the Summary."""
    formula = workbook.sheets[place.sheet].at(place.row, place.column).formula or ""
    area = area_of(formula.removesuffix('&""')) if formula.endswith('&""') else None
    return area.place if area is not None and area.sheet in workbook.sheets else place


def _once(workbook: Workbook) -> tuple[dict[str, Listed], tuple[tuple[str, Place], ...]]:
    """The row of each name; if repeated, the one that the defined name points to, or the first."""
    result: dict[str, Listed] = {}
    twice = []
    for name, row in _lists(workbook):
        known = result.setdefault(name, row)
        if known is row or not (name and row.of_plan and known.of_plan):
            result[name] = row
            continue
        area = area_of(workbook.names.get(name, ""))
        leads = area is not None and (area.sheet, area.top) == (row.sheet, row.row)
        result[name], other = (row, known) if leads else (known, row)
        if (place := other.place("Name")) is not None:
            twice.append((name, place))
    return result, tuple(twice)


def _lists(workbook: Workbook) -> Iterator[tuple[str, Listed]]:
    """Each scalar's name in lower case, and its row in a list."""
    for sheet in workbook.sheets.values():
        rows: dict[int, dict[str, int]] = {}
        for (row, column), cell in sheet.cells.items():
            if cell.value in INPUT_HEADINGS or cell.value == "Formula":
                rows.setdefault(row, {}).setdefault(str(cell.value), column)
        tops = sorted(row for row, has in rows.items() if has.keys() >= set(FIRST_HEADINGS))
        ends = sorted(row for (row, _), cell in sheet.cells.items() if cell.value in ENDS_OF_LISTS)
        for top, below in pairwise([*tops, 1 << 30]):
            has = rows[top]
            below = next((end for end in ends if top < end < below), below)
            for (row, column), cell in sheet.cells.items():
                name = sheet.text(row, has["Name"]).casefold()
                valued = column == has["Value"] and cell.value not in (None, "")
                if top < row < below and (name if column == has["Name"] else valued and not name):
                    yield name, Listed(sheet.name, row, has)


# ------------------------------------------------------------------ tables


def _headed(sheet: Sheet, heading: str) -> Iterator[tuple[int, int, str]]:
    """The rows that name a table: row, column of the table's name, the name."""
    known = sorted(at for at, cell in sheet.cells.items() if cell.value == heading)
    for row, column in known:
        beside = ((column + by, sheet.text(row, column + by)) for by in range(1, 12))
        at, name = next((item for item in beside if item[1]), (column + 1, ""))
        yield row, at, name


def _rows(sheet: Sheet, table: Table, heading: int, key: int, area: Area | None) -> Rows:
    right = max((column for row, column in sheet.cells if row == heading), default=key)
    known: dict[str, tuple[str, End]] = {}
    for column in table.columns.values():
        known[column.name] = (column.name, "value")
        if column.ranged:
            known[f"{column.name}_low"] = (column.name, "low")
            known[f"{column.name}_high"] = (column.name, "high")
    columns: dict[tuple[str, End], int] = {}
    used: dict[int, tuple[str, End]] = {}
    taken = set()
    for at in range(key + 1, right + 1):
        text = sheet.text(heading, at)
        named = known.get(text)
        if named is not None and named not in columns:
            columns[named] = at
            taken.add(at)
        elif in_use := _IN_USE.fullmatch(text):  # the column may have no range now
            key_ = known.get("".join(in_use.groups(""))) or known.get(in_use[1])
            if key_ is not None:
                used[at] = key_
                taken.add(at)
    title = next(c for c in range(key) if sheet.text(heading, c) in dict(HEADS))
    wide = [title, key, *columns.values()]
    rows: dict[str, int] = {}
    without: list[int] = []
    twice: list[tuple[str, int]] = []
    # the defined name of the ids gives the end of the table, otherwise its first empty row
    end = None
    if area is not None and area.sheet == sheet.name and area.left == key and area.top > heading:
        end = area.bottom
    at = heading + 1
    while True:
        empty = all(sheet.at(at, column).blank for column in wide)
        if (end is None or at >= end) and (empty or _below(sheet, at, title, key)):
            break
        if not empty:
            id = sheet.at(at, key).value
            id_text = _id_text(id)
            if not id_text:
                without.append(at)
            elif id_text in rows:
                twice.append((id_text, at))
            else:
                rows[id_text] = at
        at += 1
    strange = {}
    filled = {c for r, c in sheet.cells if heading - 2 <= r < at and not sheet.at(r, c).blank}
    if sheet.text(heading, title) == LINES_OF:  # an empty line separates what follows
        below = next(at for at in count(max(wide)) if at not in filled)
        filled = {column for column in filled if column < below}
    for beside in sorted(column for column in filled if column > title):
        if beside != key and beside not in taken:
            head = next((t for by in (2, 1, 0) if (t := sheet.text(heading - by, beside))), "")
            strange[beside] = head
    return Rows(
        sheet.name,
        key,
        title,
        heading,
        at,
        columns,
        rows,
        tuple(without),
        tuple(twice),
        strange,
        used,
    )


def _id_text(value: object) -> str:
    """The text of an id; ids that look like numbers may have become numbers."""
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return value.strip() if isinstance(value, str) else ""


def _below(sheet: Sheet, row: int, title: int, key: int) -> bool:
    """Whether a row comes after the rows of a table."""
    content = sheet.text(row, title)
    return content in ("Total", "Rows with a number") or (
        bool(content) and sheet.at(row, key).blank and sheet.at(row - 1, key).blank
    )


# ------------------------------------------------------------------ as shipped


def _shipped(workbook: Workbook) -> dict[str, Cell]:
    """The shipped value of each input, from the list on Changes."""
    for sheet in workbook.sheets.values():
        heads: dict[int, dict[str, int]] = {}
        for (row, column), cell in sheet.cells.items():
            if cell.value in ALL_HEADINGS:
                heads.setdefault(row, {})[str(cell.value)] = column
        top = next((row for row, has in heads.items() if has.keys() >= set(ALL_HEADINGS)), None)
        if top is not None:
            name, shipped = heads[top][ALL_HEADINGS[-1]], heads[top]["Shipped"]
            heads_below = sorted(
                row for (row, _), c in sheet.cells.items() if c.value == AS_SHIPPED
            )
            below = heads_below[0] if heads_below else 1 << 30
            found = {
                cell.value: followed(workbook, sheet.at(row, shipped))
                for (row, column), cell in sheet.cells.items()
                if column == name and top < row < below and isinstance(cell.value, str)
            }
            return found | dict(_tables_as_shipped(sheet, heads_below))
    return {}


def _tables_as_shipped(sheet: Sheet, heads: Sequence[int]) -> Iterator[tuple[str, Cell]]:
    """The name and the cell of each input of a table."""
    for head, end in pairwise([*heads, 1 << 30]):
        names = {at: str(c.value) for (row, at), c in sheet.cells.items() if row == head}
        left = next(at for at, text in names.items() if text == AS_SHIPPED)
        for (row, at), cell in sheet.cells.items():
            if head < row < end and ANY in names.get(at, "") and not cell.blank:
                yield names[at].replace(ANY, _id_text(sheet.at(row, left + 1).value)), cell


def followed(workbook: Workbook, cell: Cell) -> Cell:
    """The cell that a plain reference points to; any other cell itself."""
    area = area_of(cell.formula) if cell.formula else None
    if area is None or area.sheet not in workbook.sheets:
        return cell
    return workbook.sheets[area.sheet].at(area.top, area.left)
