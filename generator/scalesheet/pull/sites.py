"""Finds where in the files of the data folder a value of the book is stated."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from scalesheet.frozen import dataclass
from scalesheet.load import Document
from scalesheet.load.document import Steps
from scalesheet.load.folder import File, Files, documents_of
from scalesheet.model import ALL, Plan, Position, Table
from scalesheet.resolve.lowering.catalogue_columns import (
    HARDWARE,
    MEASUREMENT,
    MODEL,
    NODE,
    PUBLISHED,
)
from scalesheet.source.patch import Set

#: The catalogue's tables whose rows are files that `pull` edits, and the folders of the files.
FILES = {
    "hardware": "hardware",
    "nodes": "nodes",
    "offers": "rates",
    "models": "models",
    "measurements": "measurements",
}
_PATHS: Mapping[str, Mapping[str, Any]] = {
    "hardware": HARDWARE,
    "nodes": NODE,
    "models": {**MODEL, **PUBLISHED},
    "measurements": MEASUREMENT,
}


@dataclass(frozen=True, slots=True)
class Site:
    """A place in a file; nothing may be stated there yet."""

    document: Document
    steps: Steps

    def __truediv__(self, step: str | int) -> Site:
        return Site(self.document, (*self.steps, step))

    @property
    def data(self) -> Any:
        """The data at the place, or None."""
        data = self.document.data
        for step in self.steps:
            try:
                data = data[step]
            except (KeyError, IndexError, TypeError):
                return None
        return data

    @property
    def there(self) -> bool:
        return self.steps in self.document.places

    @property
    def position(self) -> Position:
        return self.document.at(*self.steps)


def is_grid(steps: Steps) -> bool:
    """Whether a place is the `times:` of a phase."""
    return (steps[0], len(steps), steps[-1]) == ("phases", 3, "times")


def set_cell(row: Site, column: str, said: object) -> Set | None:
    """Change a cell of a row. How often a phase runs is stated by its grid, `times: {run: 2}`;
    returns None if the grid has more than one number.
    """
    grid = row.data.get(column) if isinstance(row.data, Mapping) else None
    if not is_grid((*row.steps, column)):
        return Set((*row.steps, column), said)
    if isinstance(said, Mapping):
        if "formula" not in said:
            return None
        said = said["formula"]
    if grid is None:
        return Set((*row.steps, column), {"run": said})
    (axis, each), *more = grid.items()
    return None if more or isinstance(each, list) else Set((*row.steps, column, axis), said)


@dataclass(frozen=True)
class Sites:
    """The files that a plan's workbook is made from; each is parsed on first use."""

    files: Files
    plan: Plan

    @cached_property
    def _named(self) -> dict[tuple[str, str], File]:
        """Files that hold a single entity, by folder and id."""
        pairs = (each for each in self.files.every if len(each.parts) == 2)
        return {(each.parts[0], each.parts[1].removesuffix(".yaml")): each for each in pairs}

    @cached_property
    def _parsed(self) -> dict[str, Document | None]:
        return {}

    def _document(self, file: File | None) -> Document | None:
        if file is None:
            return None
        if file.name not in self._parsed:
            found, _ = documents_of(Files(self.files.root, (file,)), ())
            self._parsed[file.name] = found[0] if found else None
        return self._parsed[file.name]

    @cached_property
    def _file(self) -> Document:
        place = ("plans", self.plan.id, "plan.yaml")
        found = self._document(next(each for each in self.files.every if each.parts == place))
        assert found is not None
        return found

    def _component(self, id: object) -> Document | None:
        return self._document(self._named.get(("components", str(id))))

    @cached_property
    def _scalars(self) -> Mapping[str, Site]:
        data, result = self._file.data, {}
        places: list[tuple[str, Steps, Any]] = [("", ("scalars",), data.get("scalars", {}))]
        for phase, entry in (data.get("phases") or {}).items():
            places.append((f"{phase}.", ("phases", phase, "scalars"), entry.get("scalars", {})))
        for before, steps, entries in places:
            for name, entry in entries.items():
                site = Site(self._file, (*steps, name))
                result[before + name] = site
                if isinstance(entry, Mapping) and "written" in entry and self.plan.scenarios:
                    first, second = self.plan.scenarios[:2]
                    result[f"{before}{name}.{first}"] = site
                    result[f"{before}{name}.{second}"] = site / "written"
        for name in data.get("limits", {}):
            full = f"phases.{name}" if name.startswith("total.") else name
            result[f"{full}.limit"] = Site(self._file, ("limits", name))
        uses = {"": Site(self._file, ("case",))}
        uses |= {f"{name}.{ALL}.": site for name, site in self._tables.items()}
        for before, site in uses.items():
            component = self._component((site.data or {}).get("of"))
            for name in component.data["inputs"] if component is not None else ():
                result[before + name] = site / "with" / name
        return result

    @cached_property
    def _tables(self) -> Mapping[str, Site]:
        data = self._file.data
        result = {name: Site(self._file, ("tables", name)) for name in data.get("tables", {})}
        for phase, entry in (data.get("phases") or {}).items():
            for name in entry.get("tables", {}):
                result[f"{phase}.{name}"] = Site(self._file, ("phases", phase, "tables", name))
        for (folder, id), file in self._named.items():
            if folder == "tables" and (document := self._document(file)) is not None:
                result[id] = Site(document, ())
        return result

    def scalar(self, name: str) -> Site | None:
        return self._scalars.get(name)

    def new_scalar(self, name: str) -> Site:
        """The place of a new scalar in the plan."""
        return Site(self._file, ("scalars", name))

    def component_of(self, name: str) -> str | None:
        """The file of the component that a scalar belongs to, which no plan can state."""
        table, _, own = name.rpartition(f".{ALL}.")
        site = self._tables.get(table)
        used = (
            site.data.get("of", "")
            if site is not None
            else self._file.data.get("case", {}).get("of", "")
        )
        component = self._component(used)
        there = component is not None and own in component.data.get("quantities", {})
        return component.path if component is not None and there else None

    def table(self, name: str) -> Site | None:
        """The place of a table with its columns and rows, in the plan or its own file."""
        return self._tables.get(name)

    def row(self, table: str, row: str) -> Site | None:
        """The place that states a row: its mapping of cells, its phase, or its file."""
        if table == "phases":
            return Site(self._file, ("phases", row))
        if table in FILES:
            document = self._document(self._named.get((FILES[table], row)))
            return Site(document, ()) if document is not None else None
        site = self.table(table)
        if site is None or (table in self.plan.tables and self.plan.tables[table].each):
            return None  # rows of a cross table combine those of its axes
        return site / "rows" / row

    def paired(self, table: Table) -> str:
        """What to edit instead of a cell of a cross table, whose rows are in no file."""
        axes = " and ".join(f"'{axis}'" for axis in dict.fromkeys(axis for _, axis in table.each))
        site = self.table(table.name)
        at = (site / "rows" / "each").position if site is not None else None
        where = f", or 'each:' at {at.path}:{at.line}" if at is not None else ""
        return f"its rows are those of {axes} combined: edit them there{where}"

    def falls_back(self, site: Site) -> bool:
        """Whether an input of a component still has a value without the one stated there: the
        value given for all rows, or the component's default.
        """
        name, steps = site.steps[-1], site.steps[:-1]
        if not site.there:
            return False
        of_row = len(steps) > 1 and steps[-2] == "rows"
        use = Site(site.document, steps[:-2] if of_row else steps[:-1])
        if not of_row and steps[-1:] != ("with",):
            return False
        component = self._component((use.data or {}).get("of"))
        given = component.data["inputs"].get(name) if component is not None else None
        shared = of_row and (use / "with" / name).there
        return given is not None and (shared or "value" in given or "formula" in given)

    def cell(self, table: str, row: str, column: str, position: Position | None) -> Site | None:
        """The place that states a cell, or could; None if no file does."""
        whole = self.row(table, row)
        if whole is None:
            return None
        if table not in FILES:
            side = self._side(whole, column)
            return side if side is not None else whole / column
        if position is not None and (known := self._at(whole.document, position)):
            return Site(whole.document, known)
        path = getattr(_PATHS.get(table, {}).get(column), "path", ()) or (column,)
        return Site(whole.document, tuple(path))

    def _side(self, row: Site, column: str) -> Site | None:
        """The cell behind one side of a scenario, such as `steps_written`."""
        for number, scenario in enumerate(self.plan.scenarios[:2]):
            base = column.removesuffix(f"_{scenario}")
            cell = row / base
            if base != column and not (row / column).there and cell.there:
                return cell / "written" if number == 1 else cell
        return None

    def formula(self, position: Position | None) -> Site | None:
        """The place of the formula at a position; None if the program created it."""
        if position is None:
            return None
        document = self._document(self._paths.get(position.path))
        steps = self._at(document, position) if document is not None else ()
        if document is not None and steps and (steps[-1] == "formula" or steps[0] == "limits"):
            return Site(document, steps)
        return None

    @cached_property
    def _paths(self) -> Mapping[str, File]:
        return {each.name: each for each in self.files.every}

    def _at(self, document: Document, position: Position) -> Steps:
        return self._by_position(document).get((position.line, position.column), ())

    def _by_position(self, document: Document) -> Mapping[tuple[int, int], Steps]:
        known = self._inverse.get(document.path)
        if known is None:
            known = {mark: steps for steps, mark in document.places.items() if steps}
            self._inverse[document.path] = known
        return known

    @cached_property
    def _inverse(self) -> dict[str, Mapping[tuple[int, int], Steps]]:
        return {}
