"""Decides where everything goes: which sheets, in which order, and what is on each.

Inputs, calculation and results are separate; each list reads left to right and top to bottom. A
plan's stated scalars are on Inputs; its tables and phases have a sheet each, or share those that
the plan names under `sheets`. Derived scalars are with their phase, in the total row of their
table, among the checks, or on Calculation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from scalesheet.book import Book
from scalesheet.defined_names import (
    ARITHMETIC,
    columns_read,
    constants_of,
    names,
    quantities_of,
    read_whole,
    tables_of,
)
from scalesheet.frozen import dataclass
from scalesheet.model import ALL, Column, Plan, Quantity, Scalar, Stated, Table
from scalesheet.render.workbook.chosen import Choice, choices_of
from scalesheet.render.workbook.places import (
    CHECK_VALUE,
    CHECK_WRONG,
    KEY,
    LOW_VALUE_HIGH,
    SUMMARY_VALUE,
    TOP,
    ConstantKind,
    ConstantPlace,
    Group,
    Layout,
    SheetKind,
    SheetPlan,
    Spot,
    Square,
    TablePlace,
    Triple,
    first_choice,
)
from scalesheet.render.workbook.turned import (
    is_axis,
    is_looked_up,
    is_step,
    is_turned,
    turned_place,
)
from scalesheet.tabs import FIXED, LONGEST, cut, tab_of
from scalesheet.vocabulary import title_of

PHASES = "phases"
FITTED = "fits"
SHOWN_COLUMNS = (6, 12)  # where a phase's sheet shows formulas, across narrow columns
LEADS: Mapping[str, str] = {
    "inputs": "Everything the plan states. Change a yellow cell and the whole workbook follows.",
    "units": "Named constants that formulas use, units, and what the catalogue's columns mean.",
    "calculation": "Derived figures, each a live formula over the inputs.",
    "cases": "Each case is a column. What all of them share is on Inputs.",
    "sensitivity": "How much each input alone changes the results, in the plan as shipped.",
    "actuals": "What runs took. Hours entered here change the forecast; to keep them, enter "
    "them in the plan's files.",
    "results": "The results in full. Every figure here is a formula.",
    "checks": "What must hold. A check that fails says so here and on the first sheet.",
    "sources": "The sources of the inputs.",
    "changes": "What was changed since this workbook was made.",
}
CONSTANT_KINDS: tuple[ConstantKind, ...] = ("conversion", "default", "arithmetic")
FLAG_WORDS = ("yes", "no")


def lay_out(book: Book, plan: Plan, *, sensitivity: bool = False) -> Layout:
    """Lay out a plan's workbook; `sensitivity` adds a sheet for the inputs that matter most."""
    return _Planner(book, plan, sensitivity).layout()


def choice_words(quantity: Quantity) -> tuple[str, ...]:
    """The words of a drop-down, for a word or a flag."""
    if quantity.kind == "flag":
        return FLAG_WORDS
    return quantity.words if quantity.kind == "word" else ()


def _sheet_name(title: str, name: str, taken: set[str]) -> str:
    """A sheet name that is unique ignoring case; made from `name` if the title is too long."""
    clean = tab_of(title, name) or "Table"
    result, number = clean, 2
    while result.casefold() in taken:
        suffix = f" {number}"
        result = cut(clean, LONGEST - len(suffix)).rstrip() + suffix
        number += 1
    taken.add(result.casefold())
    return result


@dataclass(frozen=True, slots=True)
class _Block:
    """A table or a phase on a sheet; `name` is without `phases.`."""

    name: str
    title: str
    note: str
    scalars: tuple[Scalar, ...]
    tables: tuple[Table, ...]


@dataclass
class _Planner:
    """Collects sheets, spots and places while walking the plan once."""

    book: Book
    plan: Plan
    sensitivity: bool
    taken: set[str] = field(default_factory=set)
    sheets: list[SheetPlan] = field(default_factory=list)
    spots: dict[str, Spot] = field(default_factory=dict)
    places: dict[str, TablePlace] = field(default_factory=dict)
    lists: dict[tuple[str, ...], tuple[int, int]] = field(default_factory=dict)
    choices: tuple[Choice, ...] = ()

    def layout(self) -> Layout:
        plan = self.plan
        tables = tables_of(self.book, plan)
        self.totals = dict(self.total_scalars())
        self.read = columns_read(tables, plan)
        self.taken |= {name.casefold() for name in (*FIXED, *plan.sheets)}
        self.sheets.append(SheetPlan("Summary", "summary", plan.title))
        self.sheets.append(SheetPlan("About", "about", plan.title))
        self.inputs(tables)
        self.choices = choices_of(self.book, plan)
        for row, choice in enumerate(self.choices, first_choice(len(plan.headline))):
            self.spots[choice.name] = _spot("Summary", [(row, SUMMARY_VALUE)] * 3)
        self.sheets.append(SheetPlan("Results", "results", "Results", LEADS["results"]))
        self.calculation()
        if self.sensitivity:
            lead = LEADS["sensitivity"]
            self.sheets.append(SheetPlan("Sensitivity", "sensitivity", "Sensitivity", lead))
        if plan.actuals is not None and plan.actuals.attempts:
            name = _sheet_name("Actuals", "actuals", self.taken)
            self.sheets.append(SheetPlan(name, "actuals", "Actuals", LEADS["actuals"]))
        self.checks()
        self.sheets.append(SheetPlan("Changes", "changes", "Changes", LEADS["changes"]))
        self.sheets.append(SheetPlan("Units", "units", "Units and constants", LEADS["units"]))
        for table in tables.values():
            if table.name in plan.tables:
                continue
            name = _sheet_name(title_of(table.name), table.name, self.taken)
            self.catalogue_sheet(table, name)
        self.sheets.append(SheetPlan("Sources", "sources", "Sources", LEADS["sources"]))

        constants = self.constants(tables)
        read = read_whole(tables, plan)
        named, problems = names(plan.scalars.values(), tables, constants, read)
        numbers = {t.name: {row: at for at, row in enumerate(t.rows)} for t in tables.values()}
        return Layout(
            tuple(self.sheets),
            self.spots,
            self.places,
            constants,
            self.lists,
            numbers,
            named,
            problems,
            self.choices,
        )

    # -------------------------------------------------------------- scalars

    def total_scalars(self) -> Iterator[tuple[str, tuple[str, str]]]:
        """Yield scalar name -> (table, column) whose total it is."""
        for table in self.plan.tables.values():
            for column, name in totals_of(table, self.plan):
                yield name, (table.name, column)

    def group(self, sheet: str, title: str, scalars: Iterable[Scalar], row: int) -> Group:
        group = Group(title, row, tuple(scalar.name for scalar in scalars))
        for place, name in group.rows():
            ranged = self.plan.scalars[name].ranged
            columns = LOW_VALUE_HIGH if ranged else _exact(LOW_VALUE_HIGH)
            self.spots[name] = _spot(sheet, ((place, at) for at in columns))
        return group

    def inputs(self, tables: Mapping[str, Table]) -> None:
        stated = [scalar for scalar in self.plan.scalars.values() if scalar.formula is None]
        shared: dict[str, list[Scalar]] = {}
        for table in self.plan.tables.values():
            if is_turned(table):
                of_all = [s for s in stated if s.name.startswith(f"{table.name}.{ALL}.")]
                shared[f"{table.title}: every case"] = of_all
                stated = [s for s in stated if s not in of_all]
        own = [scalar for scalar in stated if scalar.phase is None]
        chosen = [s for s in own if s.kind in ("word", "flag", "reference")]
        parts: list[tuple[str, list[Scalar]]] = [
            ("Choices", sorted(chosen, key=lambda s: s.name != "scenario")),
            ("The whole plan", [s for s in own if s not in chosen]),
        ]
        for phase in self.plan.phases:
            parts.append((phase.title, [s for s in stated if s.phase == phase.id]))
        parts += shared.items()
        groups, row = [], TOP + 1
        for title, scalars in parts:
            if scalars:
                groups.append(self.group("Inputs", title, scalars, row))
                row += len(scalars) + 2
        row += 1
        for words in self.word_lists(tables):
            self.lists[words] = (row + 1, row + len(words))
            row += len(words) + 2
        self.sheets.append(SheetPlan("Inputs", "inputs", "Inputs", LEADS["inputs"], tuple(groups)))

    def word_lists(self, tables: Mapping[str, Table]) -> list[tuple[str, ...]]:
        wanted: dict[tuple[str, ...], None] = {}
        for quantity in quantities_of(self.plan, tables.values()):
            stated = getattr(quantity, "stated", None)
            if stated and choice_words(quantity):
                wanted[choice_words(quantity)] = None
        return list(wanted)

    def calculation(self) -> None:
        """Calculation, then the plan's tables and phases."""
        said = [key.name for each in self.plan.checks if (key := self.plan.otherwise(each))]
        asked = {*self.plan.checks, *said}
        derived = [
            scalar
            for scalar in self.plan.scalars.values()
            if scalar.formula is not None
            and scalar.name not in self.totals
            and scalar.name not in asked
        ]
        own = [s for s in derived if s.phase is None or s.hidden]
        parts = [
            ("", [s for s in own if not s.hidden]),
            ("Between the scenarios", [s for s in own if s.hidden and not is_step(s)]),
            ("Looked up", [s for s in own if is_step(s) and is_looked_up(s)]),
            ("Steps of longer formulas", [s for s in own if is_step(s) and not is_looked_up(s)]),
        ]
        groups, row = [], TOP if parts[0][1] else TOP + 1
        for title, scalars in parts:
            if scalars:
                groups.append(self.group("Calculation", title, scalars, row))
                row += len(scalars) + 2
        if groups:
            lead = LEADS["calculation"]
            plan = SheetPlan("Calculation", "calculation", "Calculation", lead, tuple(groups))
            self.sheets.append(plan)
        for sheet, together in self.parts():
            blocks = (block for name in together for block in self.blocks(name, derived))
            self.own_sheet(sheet, tuple(blocks))

    def parts(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield tables and phases by sheet, in sheet order.

        A sheet that the plan names comes where the first of its parts would be.
        """
        plan = self.plan
        named = [n for n, t in plan.tables.items() if t.phase is None and n != PHASES]
        for phase in plan.phases:
            named.append(f"{PHASES}.{phase.id}")
            named += (n for n, t in plan.tables.items() if t.phase == phase.id and is_turned(t))
        named += [PHASES] if PHASES in plan.tables else []
        shared = {name: sheet for sheet, names in plan.sheets.items() for name in names}
        named += [name for name in shared if name not in named]
        for sheet in dict.fromkeys(shared.get(name, f"/{name}") for name in named):
            own = sheet.startswith("/")  # a character that no sheet name has
            yield ("", (sheet[1:],)) if own else (sheet, plan.sheets[sheet])

    def blocks(self, name: str, derived: Iterable[Scalar]) -> Iterator[_Block]:
        """Yield a table; or a phase with its scalars and tables."""
        table = self.plan.tables.get(name)
        if table is not None:
            yield _Block(name, table.title, table.note, (), (table,))
            return
        phase = next(each for each in self.plan.phases if f"{PHASES}.{each.id}" == name)
        placed = {each for names in self.plan.sheets.values() for each in names}
        own = (t for t in self.plan.tables.values() if t.phase == phase.id and not is_turned(t))
        tables = tuple(table for table in own if table.name not in placed)
        scalars = tuple(s for s in derived if s.phase == phase.id and not s.hidden)
        if scalars or tables:
            yield _Block(phase.id, phase.title, phase.note, scalars, tables)

    def own_sheet(self, sheet: str, blocks: Sequence[_Block]) -> None:
        """Put blocks below each other; `sheet` is the plan's name for the sheet, or empty."""
        if not blocks:
            return
        first, alone = blocks[0], len(blocks) == 1
        name = sheet or _sheet_name(first.title, first.name, self.taken)
        if alone and not first.scalars and len(first.tables) == 1:
            table = first.tables[0]
            title = "" if table.title == first.title else first.title
            note = first.note or ("" if title else table.note)
            self.table_sheet(table, name, "calculation", note, title)
            return
        groups, captions, row = [], [], TOP
        tables = [table for block in blocks for table in block.tables]
        beside = max((_table_columns(table)[1] for table in tables), default=0)
        for block in blocks:
            if not alone and block.name not in self.plan.tables:
                captions.append((row, block.title, block.note))
                row += 2 if block.note else 1
            if block.scalars:
                groups.append(self.group(name, "", block.scalars, row))
                row += len(block.scalars) + 2
            for table in block.tables:
                place = self.place(table, name, row, captioned=True, beside=beside)
                self.places[table.name] = place
                self.total_spots(table, place)
                row = place.end + 1
        self.in_use(tables, beyond=SHOWN_COLUMNS[1] if groups else 0)
        title, note = (first.title, first.note) if alone else (name, "")
        members = tuple(table.name for table in tables)
        self.sheets.append(
            SheetPlan(name, "calculation", title, note, tuple(groups), members, tuple(captions))
        )

    def checks(self) -> None:
        for row, name in enumerate(self.plan.checks, TOP + 2):
            self.spots[name] = _spot("Checks", [(row, CHECK_VALUE)] * 3)
            said = self.plan.otherwise(name)
            if said is not None and said.table is None:
                self.spots[said.name] = _spot("Checks", [(row, CHECK_WRONG)] * 3)
        self.sheets.append(SheetPlan("Checks", "checks", "Checks", LEADS["checks"]))

    def constants(self, tables: Mapping[str, Table]) -> dict[str, ConstantPlace]:
        """Conversions, then defaults of the catalogue's formulas, then constants of the
        arithmetic."""
        used = constants_of(quantities_of(self.plan, tables.values()))
        result = {
            name: _constant(self.book, name, value)
            for name, value in sorted(used.items())
            if name not in ARITHMETIC
        }
        for name, (value, meaning) in ARITHMETIC.items():
            result[name] = ConstantPlace(0, value, "", "arithmetic", meaning)
        order = sorted(result, key=lambda name: CONSTANT_KINDS.index(result[name].kind))
        return {name: replace(result[name], row=row) for row, name in enumerate(order, TOP + 1)}

    # -------------------------------------------------------------- tables

    def table_sheet(
        self, table: Table, sheet: str, kind: SheetKind, note: str, title: str = ""
    ) -> None:
        place = self.places[table.name] = self.place(table, sheet, TOP, captioned=bool(title))
        self.total_spots(table, place)
        shown = title or table.title
        lead = " ".join(filter(None, (note, LEADS["cases"] if place.turned else "")))
        self.sheets.append(SheetPlan(sheet, kind, shown, lead, tables=(table.name,)))
        self.in_use([table])

    def catalogue_sheet(self, table: Table, sheet: str) -> None:
        """Place only one row of headings and the rows, for other programs to read."""
        place = self.place(table, sheet, 0, captioned=False)
        if place.total is None and place.drawing is None:
            spacer = place.first - 2 + len(table.rows)
            place = replace(place, first=1, spacer=spacer, end=spacer + 1, plain=True)
        self.places[table.name] = place
        self.in_use([table])
        self.total_spots(table, place)
        self.sheets.append(SheetPlan(sheet, "catalogue", table.title, "", tables=(table.name,)))

    def place(
        self, table: Table, sheet: str, row: int, *, captioned: bool, beside: int = 0
    ) -> TablePlace:
        """Place a table; `beside` is the first column for source and note, which aligns several
        tables."""
        if is_turned(table):
            return turned_place(table, sheet, row, self.used(table))
        caption = row if captioned else None
        heading = row + (1 + bool(table.note) if captioned else 0)
        first = heading + 3
        spacer = first + len(table.rows)
        total = spacer + 1 if table.totals else None
        counted = spacer + 2 if any(table.columns[c].may_reason for c in table.totals) else None
        columns, at = _table_columns(table)
        at = max(at, beside)
        source = note = None
        stated = [s for c in table.columns.values() for s in c.stated.values()]
        if any(s.citation for s in stated):
            source, at = at, at + 1
        if any(notes_of(s) for s in stated) or (table.name in self.plan.tables and table.row_notes):
            note = at
        row = max(spacer, total or 0, counted or 0) + 2
        drawing = None
        if table.show is not None:
            drawing = row
            down = table.columns[table.show[0]]
            row += 4 + len({str(s.value) for s in down.stated.values()})
        return TablePlace(
            table.name,
            sheet,
            caption,
            heading,
            first,
            spacer,
            total,
            counted,
            columns,
            source,
            note,
            drawing,
            row,
        )

    def used(self, table: Table) -> list[Column]:
        """The columns of which formulas read the values in use, not the cells that people edit.

        Fitted coefficients are the result of `fit`, and read where they are.
        """
        if table.name == FITTED:
            return []
        return [
            column
            for column in table.columns.values()
            if column.stated
            and not is_axis(table, column.name)
            and (table.name, column.name) in self.read
            and (column.kind == "number" or column.refers_to or choice_words(column))
        ]

    def in_use(self, tables: Sequence[Table], beyond: int = 0) -> None:
        """Place the values in use right of everything else on their sheet."""
        places = [self.places[table.name] for table in tables]
        at = max([beyond, *(place.last_column for place in places)]) + 1
        for table, place in zip(tables, places, strict=True):
            if not place.turned:
                used, _ = _columns_from(self.used(table), at)
                self.places[table.name] = replace(place, used=used)

    def total_spots(self, table: Table, place: TablePlace) -> None:
        for name, (owner, column) in self.totals.items():
            if owner == table.name and place.total is not None:
                triple = place.columns[column]
                columns = triple if self.plan.scalars[name].ranged else _exact(triple)
                cells = (place.at(place.total, at) for at in columns)
                self.spots[name] = _spot(place.sheet, cells)


def totals_of(table: Table, plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield each column with a total, and the scalar that is the total."""
    for column in table.totals:
        name = f"{table.name}.total.{column}"
        if name in plan.scalars:
            yield column, name


def notes_of(stated: Stated) -> tuple[str, ...]:
    """Notes on a stated value to show beside its number."""
    middle = "Expected value not stated: the middle of the range." if stated.midpoint else ""
    return tuple(part for part in (stated.note, middle) if part)


def _spot(sheet: str, cells: Iterable[Square]) -> Spot:
    low, value, high = cells
    return Spot(sheet, (low, value, high))


def _exact(triple: Triple) -> Triple:
    return (triple[1],) * 3


def _table_columns(table: Table) -> tuple[dict[str, Triple], int]:
    """The columns of each quantity after title and key, hidden ones last; and the next free
    column."""
    return _columns_from(sorted(table.columns.values(), key=lambda c: c.hidden), KEY + 1)


def _columns_from(columns: Iterable[Column], at: int) -> tuple[dict[str, Triple], int]:
    placed: dict[str, Triple] = {}
    for column in columns:
        if column.ranged:
            placed[column.name] = (at, at + 1, at + 2)
            at += 3
        else:
            placed[column.name] = (at, at, at)
            at += 1
    return placed, at


def _constant(book: Book, name: str, value: float) -> ConstantPlace:
    """The meaning of a constant: the default of a formula's input, or a unit conversion."""
    for record in book.records.values():
        for each in record.inputs:
            if name == f"{record.id.replace('-', '_')}_{each.name}":
                unit = book.units.symbol(each.unit) if each.unit is not None else ""
                return ConstantPlace(0, value, unit, "default", f"{record.title}: {each.title}")
    small, _, large = (book.units.declared.get(part) for part in name.partition("_per_"))
    assert small is not None
    assert large is not None
    unit = f"{small.symbol}/{large.symbol}"
    return ConstantPlace(0, value, unit, "conversion", f"{small.name} in one {large.name}")
