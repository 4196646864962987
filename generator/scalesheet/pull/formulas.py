"""Edited formulas: detected by their tokens, translated, and written where the file has them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from scalesheet.evaluate.edits import input_name
from scalesheet.language.format import formula_text
from scalesheet.language.parser import parse as parse_language
from scalesheet.language.syntax import End
from scalesheet.language.tokens import FormulaError
from scalesheet.load.document import quotable
from scalesheet.model import Column, Formula, Key, Quantity, Scalar, Table
from scalesheet.printers.base import PrinterError
from scalesheet.pull.around import Around
from scalesheet.pull.model import Edit, Proof, Pulling
from scalesheet.pull.sheets import Cell
from scalesheet.pull.sites import FILES, Site, is_grid, set_cell
from scalesheet.pull.steps import unfolded
from scalesheet.pull.tokens import FormulaProblem, Token, pointed, tokens
from scalesheet.pull.translate import around, untold
from scalesheet.pull.values import ValueProblem, said_in, shown
from scalesheet.pull.where import Place, Rows
from scalesheet.pull.wording import in_its_words
from scalesheet.render.workbook.context import end_node
from scalesheet.source.patch import Change, Drop, Set, Swap

Cells = Mapping[End, tuple[Place, Cell, tuple[Token, ...]]]
_REFERENCES = {
    "scalar",
    "own",
    "cell",
    "range",
    "ids",
    "few",
    "titles",
    "title",
    "id",
    "const",
    "area",
    "name",
}


@dataclass
class Formulas:
    """The formulas of one pull. Those of a column wait until all its rows have been read. `skipped`
    are formulas of an older workbook that are steps of its own, or read them.
    """

    pulling: Pulling
    waiting: dict[tuple[str, str], dict[str, Cells]] = field(default_factory=dict)
    kept: set[tuple[str, str]] = field(default_factory=set)
    new: dict[tuple[str, str], tuple[Token, ...]] = field(default_factory=dict)
    skipped: list[Place] = field(default_factory=list)
    _read: dict[tuple[str, int, str], tuple[Token, ...]] = field(default_factory=dict)

    # -------------------------------------------------------------- what was edited

    def scalar(self, scalar: Scalar, places: Mapping[End, Place]) -> None:
        """Compare the formula of a computed scalar."""
        assert scalar.formula is not None
        if self._typed(Key(scalar.name), scalar, scalar.formula, places):
            return
        edited = self._edited(scalar.name, scalar.formula, places)
        if not edited:
            return
        if scalar.formula.position is None:
            self._refuse_step(scalar.name, edited)
            return
        if "value" not in edited:
            end = next(iter(edited))
            message = f"'{scalar.name}' has a different formula only at its {end} end"
            self.pulling.refuse("W006", places[end], f"{message}; edit the formula of its value")
            return
        site = self.pulling.sites.formula(scalar.formula.position)
        if site is None:
            message = f"the formula of '{scalar.name}' is made by scalesheet; edit what it adds up"
            self.pulling.refuse("W006", places["value"], message)
            return
        text = self._translated(scalar.name, edited["value"], scalar.phase, scalar.formula)
        if text is not None and not _alike(text, scalar.formula.text):
            self._note(
                Key(scalar.name), edited, site, scalar.formula.text, text, (Set(site.steps, text),)
            )

    def cell(self, table: Table, column: Column, row: str, places: Mapping[End, Place]) -> None:
        """Compare the formula of a cell; an edit waits for the rest of its column."""
        formula = column.own.get(row) or column.formula
        assert formula is not None
        key = Key(column.name, table.name, row)
        if self._typed(key, column, formula, places):
            return
        edited = self._edited(input_name(key), formula, places, table.name)
        if edited and formula.position is None:
            self._refuse_step(input_name(key), edited)
        elif not edited:
            self.kept.add((table.name, column.name))
        elif "value" not in edited:
            end = next(iter(edited))
            text = f"'{input_name(key)}' has a different formula only at its {end} end"
            self.pulling.refuse("W006", places[end], f"{text}; edit the formula of its value")
        else:
            self.waiting.setdefault((table.name, column.name), {})[row] = edited

    def _refuse_step(self, name: str, edited: Cells) -> None:
        place = next(iter(edited.values()))[0]
        if not self.pulling.same:  # steps move with every row, so an older workbook has others
            self.skipped.append(place)
            return
        message = f"'{name}' is a step of a formula; edit the formula itself"
        self.pulling.refuse("W006", place, message)

    def column_edits(self, table: Table, rows: Rows) -> None:
        """The edits of a table's formulas: one for a whole column if all its rows agree."""
        for (name, column_name), edits in list(self.waiting.items()):
            if name != table.name:
                continue
            column = table.columns[column_name]
            del self.waiting[name, column_name]
            plain = {row: cells for row, cells in edits.items() if row not in column.own}
            alike = len({cells["value"][2] for cells in plain.values()}) == 1
            whole = (name, column_name) not in self.kept and alike and column.formula is not None
            site = self.pulling.sites.formula(column.formula.position) if column.formula else None
            if whole and site is not None and column.formula is not None:
                row, cells = next(iter(plain.items()))
                key = Key(column_name, name, row)
                called = f"{name}.{column_name}"
                text = self._translated(called, cells["value"], table.phase, column.formula)
                self.new[name, column_name] = cells["value"][2]
                if text is not None and not _alike(text, column.formula.text):
                    self._note(
                        key,
                        cells,
                        site,
                        column.formula.text,
                        text,
                        (Set(site.steps, text),),
                        called,
                    )
                edits = {row: cells for row, cells in edits.items() if row in column.own}
            for row, cells in edits.items():
                self._cell_edit(table, column, row, cells)

    def _cell_edit(self, table: Table, column: Column, row: str, cells: Cells) -> None:
        formula = column.own.get(row) or column.formula
        assert formula is not None
        key = Key(column.name, table.name, row)
        own = self.pulling.sites.formula(formula.position) if row in column.own else None
        whole = self.pulling.sites.row(table.name, row)
        place = cells["value"][0]
        if own is None and (whole is None or table.name in FILES or table.each):
            message = f"'{input_name(key)}' is computed the same way for all rows"
            message += f"; edit the whole column{_at(formula, ',')}"
            self.pulling.refuse("W006", place, message)
            return
        text = self._translated(input_name(key), cells["value"], table.phase, formula)
        if text is None or _alike(text, formula.text):
            return
        if own is not None:
            self._note(key, cells, own, formula.text, text, (Set(own.steps, text),))
        elif whole is not None:
            site = whole / column.name
            plain = column.kind == "number" and isinstance(site.data, str)  # as uses state it
            change = set_cell(whole, key.name, text if plain else {"formula": text})
            if change is not None:
                self._note(key, cells, site, formula.text, text, (change,))
            else:
                self._refuse_grid(key, formula, place)

    def over_input(
        self, key: Key, quantity: Quantity, site: Site | None, places: Mapping[End, Place]
    ) -> bool:
        """Handle a formula in place of a stated value. Returns whether the input needs no further
        comparison.

        A formula without references, such as `=8*2`, is treated as its value.
        """
        place = places["value"]
        read = self._tokens(input_name(key), place)
        if read is None:
            return True
        if not any(kind in _REFERENCES for kind, _ in read):
            return False
        cell = self.pulling.cell(place)
        phase = quantity.phase if isinstance(quantity, Scalar) else self._phase_of(key)
        text = self._translated(input_name(key), (place, cell, read), phase, None)
        if text is None:
            return True
        if site is None or key.table in FILES:
            message = f"'{input_name(key)}' is stated in a file that holds only values"
            self.pulling.refuse("W006", place, f"{message}; write the value")
            return True
        changes = _formula_for_value(site, text)
        if changes is None:
            message = f"'{input_name(key)}' has a second value for another scenario"
            self.pulling.refuse("W006", place, f"{message}; edit the data")
            return True
        cells: Cells = {"value": (place, cell, read)}
        self._note(key, cells, site, "a value", text, changes)
        return True

    def of_new_row(
        self, table: Table, column: Column, row: str, places: Mapping[End, Place]
    ) -> str | None:
        """The formula of a cell in an added row: empty if it is the column's, None if unknown."""
        name = input_name(Key(column.name, table.name, row))
        read = self._tokens(name, places["value"])
        if read is None:
            return None
        known = self.new.get((table.name, column.name))
        if column.formula is not None and read in (self._printed(column.formula, "value"), known):
            return ""
        own = {formula.text: formula for formula in column.own.values()}
        copied = (t for t, formula in own.items() if read == self._printed(formula, "value"))
        if (text := next(copied, None)) is not None:  # of another row, copied with it
            return text
        cell = self.pulling.cell(places["value"])
        return self._translated(name, (places["value"], cell, read), table.phase, column.formula)

    def of_new_scalar(self, name: str, place: Place) -> tuple[tuple[Token, ...], str] | None:
        """The tokens and the formula of an added figure; None if it cannot be read."""
        read = self._tokens(name, place)
        if read is None:
            return None
        text = self._translated(name, (place, self.pulling.cell(place), read), None, None)
        return None if text is None else (read, text)

    def _phase(self, name: str) -> str | None:
        """The phase of a scalar or cell, given its name in edits."""
        scalar = self.pulling.plan.scalars.get(name)
        if scalar is not None:
            return scalar.phase
        table = self.pulling.tables.get(name.partition("['")[0])
        return table.phase if table is not None else None

    def _phase_of(self, key: Key) -> str | None:
        return self.pulling.tables[key.table].phase if key.table else None

    # -------------------------------------------------------------- comparing

    def _edited(
        self, name: str, formula: Formula, places: Mapping[End, Place], table: str = ""
    ) -> Cells:
        """The ends whose formulas differ from what we would print."""
        result: dict[End, tuple[Place, Cell, tuple[Token, ...]]] = {}
        for end, place in places.items():
            cell = self.pulling.cell(place)
            if cell.formula is None:
                continue
            read = self._tokens(name, place, table)
            if read is not None and read != self._printed(formula, end):
                result[end] = place, cell, read
        if not self.pulling.same and "value" not in result:
            return {}  # something it depends on gained or lost its range since
        if result and not self.pulling.same:
            edited = result["value"]
            place, names = edited[0], self.pulling.workbook.names
            if any(kind == "name" and str(of).casefold() in names for kind, of in edited[2]):
                self.skipped.append(place)  # it reads a step of older data, which has moved since
                return {}
            known = self._translated(name, edited, self._phase(name), formula, quiet=True)
            if known is not None and _alike(known, formula.text):
                return {}
            made = self.pulling.sites.formula(formula.position) is None
            if made and known is not None and self._still(known):
                return {}  # the program's own, as shipped: the calendar changes with every phase
            if not self._still(formula.text):
                text = f"the formula of '{name}' is {quotable(formula.text)} in the data now"
                self.pulling.leave(place, f"{text}; this cell is not merged")
                return {}
        return result

    def _still(self, text: str) -> bool:
        """Whether the workbook was shipped with a formula, which it contains as text."""
        return " ".join(text.split()) in self._told

    @cached_property
    def _told(self) -> frozenset[str]:
        texts = (
            " ".join(cell.value.partition("   — ")[0].split())
            for sheet in self.pulling.workbook.sheets.values()
            for cell in sheet.cells.values()
            if isinstance(cell.value, str)
        )
        return frozenset((*texts, ""))

    def _printed(self, formula: Formula, end: End) -> tuple[Token, ...]:
        try:
            return self.pulling.printer.printed(end_node(formula, end))
        except PrinterError:
            return ()

    def _tokens(self, name: str, place: Place, table: str = "") -> tuple[Token, ...] | None:
        """The tokens of a cell's formula; None if it cannot be read, which is reported."""
        formula = self.pulling.cell(place).formula
        if formula is None:
            return None
        # a column's formulas usually differ only in their row number
        own = str(place.row + 1)
        same = _ROWED.sub(lambda m: f"{m[1]}\0" if m[2] == own else m[0], formula)
        known = self._read.get((table, place.column, same))
        if known is not None and table:
            return known
        try:
            read = tokens(formula, place, self.pulling.meanings)
        except FormulaProblem as problem:
            self.pulling.refuse("W006", place, f"the formula of '{name}': {problem}")
            return None
        if any(token == ("error", "#REF!") for token in read):
            text = f"the formula of '{name}' holds #REF!: something that it reads was deleted"
            self.pulling.refuse("W004", place, f"{text}; put it back")
            return None
        if not any(kind in ("cell", "few", "area", "id", "title") for kind, _ in read):
            self._read[table, place.column, same] = read
        return read

    # -------------------------------------------------------------- values over formulas

    def _typed(
        self, key: Key, quantity: Quantity, formula: Formula, places: Mapping[End, Place]
    ) -> bool:
        """Handle values typed over a formula. Returns whether there are any."""
        cells = {end: self.pulling.cell(place) for end, place in places.items()}
        typed = [end for end, cell in cells.items() if cell.formula is None]
        lacking = "value" not in typed and all(cells[end].blank for end in typed)
        if not typed or (lacking and not self.pulling.same):
            return False  # it may have gained a range since
        name, place = input_name(key), places[typed[0]]
        if all(cells[end].blank for end in typed):
            text = f"'{name}' has lost its formula, {quotable(formula.text)}; copy it back"
            self.pulling.refuse("W004", place, text)
            return True
        if self._nowhere(key, quantity, formula, place):
            return True
        if len(typed) < len(cells):
            text = f"'{name}' has a value over one end of its formula {quotable(formula.text)}"
            remedy = "put the formula back, or write low, expected and high"
            self.pulling.refuse("W006", place, f"{text}; {remedy}")
            return True
        try:
            said_here = said_in(cells, quantity, None)
        except ValueProblem as problem:
            self.pulling.refuse(problem.code, place, f"'{name}' {problem.message}")
            return True
        changes, site = self._value_for_formula(key, quantity, formula, said_here)
        if site is None:
            there = shown(said_here, quantity)
            text = f"'{name}' cannot be {there} in place of {quotable(formula.text)}"
            self.pulling.refuse("W006", place, f"{text}; put the formula back")
            return True
        new = f"{shown(said_here, quantity)} in place of the formula"
        self.pulling.edits.append(Edit(name, str(place), site, formula.text, new, tuple(changes)))
        return True

    def _nowhere(self, key: Key, quantity: Quantity, formula: Formula, place: Place) -> bool:
        """Report a value for a formula that no file can state. Returns whether that is the case."""
        probe = (1.0,) * 3 if quantity.kind == "number" else ""
        if self._value_for_formula(key, quantity, formula, probe)[1] is not None:
            return False
        row = self.pulling.sites.row("phases", str(key.row)) if key.table == "phases" else None
        if row is not None and is_grid((*row.steps, key.name)):
            self._refuse_grid(key, formula, place)
            return True
        text, remedy = "is computed by scalesheet and stands in no file", ""
        if key.table is not None and self.pulling.tables[key.table].each:
            text = "is computed for all rows of a cross table alike"
            remedy = _at(formula, ", or edit it")
        remedy = f"put the formula back{remedy}"
        self.pulling.refuse("W006", place, f"'{input_name(key)}' {text}; {remedy}")
        return True

    def _refuse_grid(self, key: Key, formula: Formula, place: Place) -> None:
        text = f"'{input_name(key)}' is the product of what its runs differ in, `times:`"
        remedy = f"put the formula back{_at(formula, ', and edit that')}"
        self.pulling.refuse("W006", place, f"{text}; {remedy}")

    def _value_for_formula(
        self, key: Key, quantity: Quantity, formula: Formula, text: Any
    ) -> tuple[list[Change], Site | None]:
        if isinstance(text, str):
            value: object = {"reason": text} if quantity.kind == "number" else text
        else:
            low, middle, high = text
            value = middle if low == middle == high else {"value": middle, "low": low, "high": high}
        sites = self.pulling.sites
        if key.table is None:
            site = sites.formula(formula.position)
            if site is None or site.steps[0] == "checks":
                return [], None
            if site.steps[0] == "limits":
                return ([], None) if isinstance(value, dict) else ([Set(site.steps, value)], site)
            if not isinstance(value, dict):
                return [Swap(site.steps, "value", value)], site
            first, *more = value.items()
            ends = (Set((*site.steps[:-1], name), each, "formula") for name, each in more)
            return [Swap(site.steps, *first), *ends], site
        table = self.pulling.tables[key.table]
        row = sites.row(key.table, str(key.row))
        if row is None or table.each or key.table in FILES:
            return [], None
        if quantity.hidden or not isinstance(row.data, Mapping):
            return [], None
        change = set_cell(row, key.name, value)
        return ([], None) if change is None else ([change], row / key.name)

    # -------------------------------------------------------------- translating

    @cached_property
    def _around(self) -> Around:
        constants = self.pulling.constants
        conversions = frozenset(n for n, c in constants.items() if c.kind == "conversion")
        defaults = {n: c.value for n, c in constants.items() if c.kind == "default"}
        return around(conversions, defaults)

    def _translated(
        self,
        name: str,
        edited: tuple[Place, Cell, tuple[Token, ...]],
        phase: str | None,
        formula: Formula | None,
        *,
        quiet: bool = False,
    ) -> str | None:
        """The formula in the language; None if it cannot be expressed, which is reported."""
        place, cell, read = edited
        here = replace(self._around, phase=phase)
        try:
            row = self._row_at(place)
            meant = here.translated(unfolded(self.pulling, read, row))
            if formula is not None:
                printed = self._printed(formula, "value")
                was = unfolded(self.pulling, printed, row) if printed else None
                meant = in_its_words(meant, formula, was, here)
            why = untold(meant)
            if why:
                raise FormulaProblem(why)
            text = formula_text(meant)
            parse_language(text)
            if formula is None or not _alike(text, formula.text):
                self._go_by_ids(cell.formula or "", place)
        except (FormulaProblem, FormulaError) as problem:
            message = f"the formula of '{name}', ={quotable(cell.formula or '')}: {problem}"
            if not quiet:
                self.pulling.refuse("W006", place, message)
            return None
        return text

    def _row_at(self, place: Place) -> str | None:
        """The id of the row that contains a cell."""
        for name in self.pulling.meanings.tables_on.get(place.sheet, ()):
            rows = self.pulling.where.tables[name]
            if rows.holds(place) and (
                id := self.pulling.meanings.ids[name].get(rows.row_of(place))
            ):
                return id
        return None

    def _go_by_ids(self, formula: str, place: Place) -> None:
        """Refuse references by row number if rows are in another order than in the data, since
        these now refer to other rows than before. Raises FormulaProblem.
        """
        sorted_ = self.pulling.reordered
        tables = self.pulling.where.tables
        home = next((name for name in sorted_ if tables[name].holds(place)), "")
        for text, (kind, meant), fixed in pointed(formula, place, self.pulling.meanings):
            table = _table_of(kind, meant)
            held = bool(home) and fixed[tables[home].turned]
            moved = table if table in sorted_ else "" if held else home
            if moved:
                ids = self.pulling.names.tables.get(table, "")
                by = f'by its id: INDEX(column,MATCH("id",{ids},0))' if ids else "by its name"
                raise FormulaProblem(
                    f"{text} goes by row number, and the rows of '{moved}' were sorted; "
                    f"refer to it {by}"
                )

    def _note(
        self,
        key: Key,
        cells: Cells,
        site: Site,
        old: str,
        new: str,
        changes: tuple[Change, ...],
        called: str = "",
    ) -> None:
        place = str(cells["value"][0])
        proof = Proof(key.table, key.row, key.name, cells)
        name = called or input_name(key)
        self.pulling.edits.append(Edit(name, place, site, old, new, changes, proof))


_ROWED = re.compile(r"(?<![\w.$])([A-Za-z]{1,3})([0-9]+)(?![\w(.!])")


def _at(formula: Formula, before: str) -> str:
    """The position of a formula; empty for steps that the program created."""
    at = formula.position
    return f"{before} at {at.path}:{at.line}" if at is not None else ""


def _table_of(kind: str, meant: Any) -> str:
    """The table that a reference to some of its rows leads to."""
    if kind == "few":
        return meant[0][1][0] if meant else ""
    return meant[0] if kind in ("cell", "id", "title") else ""


def _alike(one: str, other: str) -> bool:
    """Whether two formulas are the same except for spaces and brackets."""
    try:
        return parse_language(one) == parse_language(other)
    except FormulaError:
        return False


def _formula_for_value(site: Site, text: str) -> tuple[Change, ...] | None:
    """A formula in place of a value, or where none is stated yet; None for two values."""
    data = site.data
    if not site.there:
        row, column = Site(site.document, site.steps[:-1]), str(site.steps[-1])
        change = set_cell(row, column, {"formula": text})
        return None if change is None else (change,)
    if not isinstance(data, Mapping):
        return (Set(site.steps, {"formula": text}),)
    if "written" in data or site.steps[-1] == "written":
        return None
    stated = [k for k in ("value", "low", "high", "at_least", "at_most", "reason") if k in data]
    dropped = [*stated[1:], *(k for k in ("kind",) if k in data)]
    return (
        Swap((*site.steps, stated[0]), "formula", text),
        *(Drop((*site.steps, k)) for k in dropped),
    )
