"""The ordinary edits of a plan as people make them in a spreadsheet: typed into its workbook in
LibreOffice, saved as xlsx, and pulled.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

from plans.ordinary import NEW, NEW_PHASE, Tried, moved_number, plans, rows_of
from proof.faces import Shown, face
from proof.office import Office, Value, Workbook
from proof.subjects import Subject
from scalesheet.language.syntax import ENDS
from scalesheet.load import parse
from scalesheet.model import DOMAINS, Key, Plan, Stated, Table, within
from scalesheet.pull import Pulled, read
from scalesheet.pull.sheets import read_workbook
from scalesheet.pull.where import locate
from scalesheet.render.workbook.layout import lay_out
from scalesheet.render.workbook.places import TablePlace, relative
from scalesheet.render.workbook.steps import stepped
from scalesheet.resolve.lowering.cases import ALL
from scalesheet.resolve.lowering.scalars import SCENARIO
from shipped import DATA

#: How many inputs are edited at once. If one of them is refused, the others are tried separately.
AT_ONCE = 40
#: Factors for numbers: close to 1, so that the plan stays valid when many change at once.
MOVES = {"up": 1.04, "down": 0.97}
#: A spreadsheet saves 15 digits of each input.
SAVED = 1e-9


@dataclass(frozen=True)
class Typed:
    """One edit of a workbook. `sort` is "input", "added" or "dropped"."""

    sort: str
    what: str
    about: Key
    make: Callable[[Workbook], None]
    at: int = 0  # rows are edited from the end of a sheet, so that those above keep their place


@dataclass(frozen=True)
class Refused:
    """An edit that `pull` did not accept as made, and why."""

    edit: Typed
    why: str

    @property
    def by_name(self) -> bool:
        """Whether it is refused because lines of the plan still use the deleted row.

        The message then has the row's name, or LibreOffice's error for a failed lookup.
        """
        named = re.search(r"\bN00[12] |#REF!|#N/A|has no value", self.why)
        return self.edit.sort != "input" and named is not None


# ------------------------------------------------------------------ edits


def typed_edits(subject: Subject) -> list[Typed]:
    """Every ordinary edit of a plan's own inputs and rows."""
    return [*_inputs(subject), *_rows(subject)]


def _inputs(subject: Subject) -> Iterator[Typed]:
    tables = {**subject.book.tables, **subject.plan.tables}
    cells: dict[Key, dict[str, Shown]] = defaultdict(dict)
    for cell in subject.cells:
        if cell.formula is None and cell.key.table in (None, *subject.plan.tables):
            cells[cell.key][cell.end] = cell
    for key, ends in cells.items():
        stated = _stated(subject, tables, key)
        if _of_component(subject, key.name):
            continue  # a figure of the component, the same in all plans
        if stated is not None and stated.reason is None and key.name != SCENARIO:
            for how, entries in _entries(stated, ends, tables):
                yield Typed("input", f"{ends['value'].label} {how}", key, _setting(ends, entries))


def _of_component(subject: Subject, name: str) -> bool:
    """Whether a scalar is a figure of a component and not one of its inputs."""
    table, _, own = name.rpartition(f".{ALL}.")
    data = plans().of(subject.plan.id, "plan").data
    entry = data.get("tables", {}).get(table, {}) if table else data.get("case", {})
    component = DATA / "components" / f"{entry.get('of')}.yaml"
    if not component.exists() or (not table and own in data.get("scalars", {})):
        return False
    return own in parse(component.read_bytes(), str(component)).data["quantities"]


def _stated(subject: Subject, tables: Mapping[str, Table], key: Key) -> Stated | None:
    if key.table is None:
        return subject.plan.scalars[key.name].stated
    table = tables[key.table]
    # the rows of a cross table are in no file
    return None if table.each else table.columns[key.name].stated.get(str(key.row))


def _setting(ends: Mapping[str, Shown], entries: Mapping[str, Value]) -> Callable[[Workbook], None]:
    cells = {ends[end].address: value for end, value in entries.items()}
    return lambda workbook: workbook.set(cells)


def _entries(
    stated: Stated, ends: Mapping[str, Shown], tables: Mapping[str, Table]
) -> Iterator[tuple[str, Mapping[str, Value]]]:
    """Values that somebody might type instead of a stated one."""
    quantity, value = ends["value"].quantity, stated.value
    words: Sequence[str] = quantity.words
    if (
        ends["value"].key.name == "class"
    ):  # another class may need seeds that the plan does not have
        column = tables["phases"].columns["class"].stated.values()
        words = [str(each.value) for each in column]
    if quantity.refers_to is not None:
        words = tables[quantity.refers_to].rows
    if isinstance(value, bool):
        yield "turned", {"value": "no" if value else "yes"}
    elif words:
        other = next((each for each in words if each != value), None)
        if other is not None and stated.basis != "published":
            yield f"= {other}", {"value": other}
    elif quantity.kind == "date":
        yield "a day later", {"value": str(date.fromisoformat(str(value)) + timedelta(1))}
    elif isinstance(value, str):
        yield "= other", {"value": "Something else"}
    elif value is not None:
        numbers = {end: float(getattr(stated, end)) for end in ENDS if end in ends}
        domain = quantity.domain
        if ends["value"].key == Key("times", "phases", ends["value"].key.row):
            domain = "count"  # people would delete a phase that takes no time
        for how, factor in MOVES.items():
            new = {e: float(moved_number(n, factor, domain)) for e, n in numbers.items()}
            if list(new.values()) != sorted(new.values()):  # whole numbers stay whole
                new = {e: float(f"{n * factor:.6g}") for e, n in numbers.items()}
            if new != numbers and all(within(domain, n) for n in new.values()):
                yield how, new
        least, open_end = DOMAINS[domain][:2]
        if open_end and least in (0.0, None) and any(numbers.values()):
            yield "= 0", dict.fromkeys(numbers, 0.0)


def _rows(subject: Subject) -> Iterator[Typed]:
    """One more row at the end of each table, and each row deleted."""
    places = lay_out(subject.book, stepped(subject.book, subject.plan)).tables
    for name in stated_tables(subject.plan.id):
        table = subject.plan.tables[name]
        place = places[name]
        last = place.first + len(table.rows) - 1
        new = NEW_PHASE if name == "phases" else NEW
        yield Typed("added", name, Key("", name, new), _adding(place, last, new), last + 1)
        for number, row in enumerate(table.rows if len(table.rows) > 1 else ()):
            at = place.first + number
            yield Typed("dropped", f"{name}['{row}']", Key("", name, row), _dropping(place, at), at)


def stated_tables(plan: str) -> Iterator[str]:
    """The tables of a plan whose rows are in its file, including its phases."""
    for steps, _ in rows_of(plans().of(plan, "plan").data):
        if steps == ("phases",):
            yield "phases"
            continue
        yield ".".join(str(step) for step in steps if step not in ("tables", "rows")).removeprefix(
            "phases."
        )


def _adding(place: TablePlace, last: int, id: str) -> Callable[[Workbook], None]:
    """Copy the last row, as a person does, and give the copy an id and a title."""

    def make(workbook: Workbook) -> None:
        insert = workbook.insert_columns if place.turned else workbook.insert_rows
        insert(place.sheet, last + 2)
        corners = [relative(*place.at(last, column)) for column in (0, 300)]
        block = ":".join(corners)
        workbook.copy_range(place.sheet, block, relative(*place.at(last + 1, 0)))
        cells = {
            (place.sheet, relative(*place.at(last + 1, place.ids))): id,
            (place.sheet, relative(*place.at(last + 1, place.titles))): "One more",
        }
        workbook.set(cells)

    return make


def _dropping(place: TablePlace, at: int) -> Callable[[Workbook], None]:
    def make(workbook: Workbook) -> None:
        delete = workbook.delete_columns if place.turned else workbook.delete_rows
        delete(place.sheet, at + 1)

    return make


# ------------------------------------------------------------------ pulling edits


class Desk:
    """A workbook open in LibreOffice, whose edits are pulled."""

    def __init__(self, subject: Subject, office: Office, folder: Path) -> None:
        self.subject, self.office, self.folder = subject, office, folder
        self.workbook = office.open(subject.workbook)

    def refused(self, edits: Sequence[Typed], at_once: int = AT_ONCE) -> list[Refused]:
        """The edits that `pull` refuses; inputs are edited many at a time, rows one per table."""
        found: list[Refused] = []
        for round_ in rounds(edits, at_once):
            found += self._apart(round_)
        return found

    def _apart(self, edits: Sequence[Typed]) -> list[Refused]:
        why = self.why(edits)
        if why is None:
            return []
        if len(edits) == 1:
            return [Refused(edits[0], why)]
        named = [e for e in edits if f"'{e.about.row}' is not a row of {e.about.table}" in why]
        if named and len(named) < len(edits):  # try the others without them
            rest = [edit for edit in edits if edit not in named]
            return [*(Refused(edit, why) for edit in named), *self._apart(rest)]
        half = len(edits) // 2
        found = [*self._apart(edits[:half]), *self._apart(edits[half:])]
        both = Typed(
            "together", ", ".join(each.what for each in edits), edits[0].about, lambda _: None
        )
        return found or [Refused(both, why)]

    def why(self, edits: Sequence[Typed]) -> str | None:
        """Why the edits fail, or None if they are pulled and give LibreOffice's figures."""
        for edit in sorted(edits, key=lambda edit: -edit.at):
            edit.make(self.workbook)  # dependent cells are recomputed, as when a person types
        path = self.workbook.store(self.folder / f"{self.subject.plan.id}-edited.xlsx")
        self.workbook.close()
        self.workbook = self.office.open(self.subject.workbook)
        pulled = read(DATA, path)
        if pulled.errors or pulled.left:
            return "; ".join(
                f"{f.code} {f.place} {f.message}" for f in (*pulled.errors, *pulled.left)
            )
        if not pulled.sound:
            return "; ".join(str(d) for d in pulled.diagnostics if d.severity == "error")
        if len(pulled.edits) != len(edits):
            return f"{len(edits)} edits were made and {[e.name for e in pulled.edits]} taken"
        if any(edit.about.table in axes(self.subject) for edit in edits if edit.sort != "input"):
            return None  # only the next build adds the rows of a cross table
        if any((edit.about.table, edit.about.name) == ("phases", "class") for edit in edits):
            return None  # and the multiplier of a class
        return _differs(self.subject, pulled, path)


def axes(subject: Subject) -> set[str]:
    """The tables whose rows are paired in a cross table."""
    return {axis for table in subject.plan.tables.values() for _, axis in table.each}


def rounds(edits: Sequence[Typed], at_once: int) -> Iterator[Sequence[Typed]]:
    """Groups of edits to make together, each of different inputs or of different tables."""
    waiting: dict[tuple[str, object], list[Typed]] = defaultdict(list)
    for edit in edits:
        sort = "phase" if edit.sort == "dropped" and edit.about.table == "phases" else edit.sort
        waiting[sort, edit.about if sort == "input" else edit.about.table].append(edit)
    for sort in (
        "input",
        "added",
        "dropped",
        "phase",
    ):  # a deleted phase takes rows of tables with it
        queues = [queue for (kind, _), queue in waiting.items() if kind == sort]
        while any(queues):
            turn = [queue.pop(0) for queue in queues if queue]
            yield from (turn[n : n + at_once] for n in range(0, len(turn), at_once))


def after(plan: str, pulled: Pulled) -> Tried:
    """The plan after pulling, compiled without audits, since only its headlines are needed."""
    document = plans().of(plan, "plan")
    ((_, new),) = pulled.files.values()
    parsed = parse(new, document.path)
    edited = replace(document, data=parsed.data, places=parsed.places, keys=parsed.keys)
    return plans().compiled(edited, audits=False)


def _differs(subject: Subject, pulled: Pulled, path: Path) -> str | None:
    """Where a headline of the changed data differs from LibreOffice, or None."""
    plan = subject.plan
    edition = after(plan.id, pulled).edition
    assert edition is not None
    if _ruled(edition.book.plans[plan.id]) != _ruled(plan):
        return None  # pull searches layouts again, a workbook does not
    written = stepped(subject.book, plan)
    workbook = read_workbook(path)
    places = locate(workbook, subject.book, written, lay_out(subject.book, written).names).scalars
    for name in plan.headline:
        for end in ENDS:
            place = places.get((name, end))
            if place is None:
                continue
            cell = workbook.sheets[place.sheet].at(place.row, place.column)
            mine = face(edition.results[plan.id].scalars[name], end)
            theirs = cell.error or cell.value
            if not _alike(mine, theirs):
                return f"{name} ({end}) is {mine} and {theirs} in LibreOffice"
    return None


def _ruled(plan: Plan) -> dict[Key, object]:
    """The values chosen by rules: layouts and records of measurements."""
    return {
        Key(column.name, table.name, row): stated.value
        for table in plan.tables.values()
        for column in table.columns.values()
        for row, stated in column.stated.items()
        if stated.rule
    } | {Key(s.name): s.stated.value for s in plan.scalars.values() if s.stated and s.stated.rule}


def _alike(mine: object, theirs: object) -> bool:
    if isinstance(mine, float) and isinstance(theirs, float):
        return abs(mine - theirs) <= SAVED * max(abs(mine), abs(theirs))
    return (mine or None) == (theirs or None)
