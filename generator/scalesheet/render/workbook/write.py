"""Writes the whole workbook: sheets, defined names, print setup, properties."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime, time
from functools import partial
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import xlsxwriter

from scalesheet.carried import edition_of
from scalesheet.diagnostics import Diagnostic, at
from scalesheet.edition import HASH, Edition
from scalesheet.forks import spread
from scalesheet.frozen import dataclass
from scalesheet.model import Plan, Position
from scalesheet.render.workbook.actuals import write_actuals
from scalesheet.render.workbook.built import Used
from scalesheet.render.workbook.canvas import Canvas, PlainBook, PlainSheet, Problem, Tally
from scalesheet.render.workbook.changes import kept, write_changes
from scalesheet.render.workbook.checks import write_checks
from scalesheet.render.workbook.context import Context
from scalesheet.render.workbook.formats import FONT, Formats
from scalesheet.render.workbook.front import write_about, write_sources, write_units
from scalesheet.render.workbook.layout import lay_out
from scalesheet.render.workbook.places import TITLE, TOP, SheetKind, SheetPlan, absolute
from scalesheet.render.workbook.places import prefix as sheet_prefix
from scalesheet.render.workbook.results import write_results
from scalesheet.render.workbook.scalars import in_use, write_calculation, write_inputs
from scalesheet.render.workbook.sensitivity import write_sensitivity
from scalesheet.render.workbook.steps import stepped_once
from scalesheet.render.workbook.summary import headline, write_summary
from scalesheet.render.workbook.tables import write_tables

FREE: frozenset[SheetKind] = frozenset({"changes", "actuals"})  # sheets without protection
#: The sheets that print; the rest is for the screen.
PRINTED: frozenset[SheetKind] = frozenset({"summary", "inputs", "results", "calculation"})
TABS: Mapping[SheetKind, str] = {
    "inputs": "#E6C200",
    "units": "#E6C200",
    "catalogue": "#E6C200",
    "calculation": "#7F8C9A",
    "sensitivity": "#7F8C9A",
    "summary": "#1F3A5F",
    "about": "#1F3A5F",
    "results": "#1F3A5F",
    "checks": "#B4540A",
    "changes": "#B4540A",
}
WRITERS: Mapping[SheetKind, Callable[[Canvas, Context, SheetPlan], None]] = {
    "inputs": write_inputs,
    "units": write_units,
    "catalogue": write_tables,
    "sensitivity": write_sensitivity,
    "actuals": write_actuals,
    "results": write_results,
    "sources": write_sources,
    "changes": write_changes,
}


@dataclass(frozen=True, slots=True)
class WorkbookReport:
    """What was written. A file with problems must not be published."""

    path: Path
    cells: int
    formulas: int
    sheets: tuple[str, ...]
    problems: tuple[Diagnostic, ...] = ()


def write_workbook(
    edition: Edition,
    plan: Plan,
    path: Path,
    *,
    sensitivity: bool = True,
    created: datetime | None = None,
) -> WorkbookReport:
    """Write the workbook of a plan of the edition.

    `sensitivity` adds its sheet, and the top inputs on the Summary. `created` is the date in the
    file's properties, by default the day of the edition.
    """
    report, content = _workbook(edition, plan, path, sensitivity, created)
    _compressed(content, path, edition.hash)
    return report


def _workbook(
    edition: Edition, plan: Plan, path: Path, sensitivity: bool, created: datetime | None
) -> tuple[WorkbookReport, bytes]:
    """The workbook's file, with HASH instead of the edition's hash."""
    whole, edition = edition, edition_of(edition, plan)
    plan = stepped_once(whole, edition.book, plan)
    layout = lay_out(edition.book, plan, sensitivity=sensitivity)
    context = Context(edition, plan, layout)
    context = replace(context, kept=kept(context))
    tally = Tally()
    with tally.listening():
        written = BytesIO()
        workbook = PlainBook(written, {"strings_to_urls": False})
        _properties(workbook, edition, plan, created)
        formats = Formats(workbook)
        canvases = {
            sheet.name: Canvas(
                workbook, workbook.add_worksheet(sheet.name, PlainSheet), formats, tally
            )
            for sheet in layout.sheets
        }
        _define_names(workbook, context, tally)
        _write_sheets(canvases, context)
        workbook.close()
    problems = tuple(_diagnostic(problem, plan) for problem in tally.problems)
    names = tuple(canvases)
    report = WorkbookReport(path, tally.cells, tally.formulas, names, problems)
    return report, written.getvalue()


def _compressed(content: bytes, path: Path, edition_hash: str) -> None:
    """Put the hash into a workbook's file, and compress it as much as zlib can, for which
    XlsxWriter has no setting: saves 4 %.
    """
    with (
        ZipFile(BytesIO(content)) as plain,
        ZipFile(path, "w", ZIP_DEFLATED, compresslevel=9) as packed,
    ):
        for name in plain.namelist():
            with packed.open(name, "w") as target:
                target.write(plain.read(name).replace(HASH.encode(), edition_hash.encode()))


def write_workbooks(
    edition: Edition,
    folder: Path,
    created: datetime | None,
    ids: Collection[str],
    progress: Callable[[str], None] = lambda message: None,
) -> AbstractContextManager[Callable[[], list[WorkbookReport]]]:
    """Start writing the workbooks of plans into a new folder; the block's value waits for them."""
    folder.mkdir(parents=True)
    numbers = {id_: number for number, id_ in enumerate(ids, 1)}

    def write(id_: str) -> WorkbookReport:
        progress(f"writing workbook {numbers[id_]} of {len(ids)}: {id_}")
        path = folder / f"{id_}.xlsx"
        make = partial(_workbook, edition, edition.book.plans[id_], path, True, created)
        report, content = edition.keep(f"workbook {created}", make, id_)
        _compressed(content, path, edition.hash)
        return replace(report, path=path)

    return spread(write, list(ids))


def _write_sheets(canvases: Mapping[str, Canvas], context: Context) -> None:
    """Write all sheets. Checks reads the others, and About shows its verdict, so they come last."""
    plans = {sheet.kind: sheet for sheet in context.layout.sheets}
    for sheet in context.layout.sheets:
        canvas = canvases[sheet.name]
        _set_up(canvas, context, sheet)
        if sheet.kind == "calculation":
            write = (
                write_tables if sheet.tables or sheet.name != "Calculation" else (write_calculation)
            )
            write(canvas, context, sheet)
        elif sheet.kind in WRITERS:
            WRITERS[sheet.kind](canvas, context, sheet)
    used = {
        name: Used(canvas.sheet.dim_rowmax, canvas.sheet.dim_colmax, tuple(canvas.formulas))
        for name, canvas in canvases.items()
        if name not in (plans["summary"].name, plans["about"].name, plans["checks"].name)
    }
    if context.plan.headline:
        used[plans["summary"].name] = headline(context)
    checks = plans["checks"]
    verdict = write_checks(canvases[checks.name], context, checks, used)
    about = canvases[plans["about"].name]
    write_about(about, context, verdict)
    summary = canvases[plans["summary"].name]
    write_summary(summary, context, plans["summary"])
    summary.sheet.activate()
    for sheet in context.layout.sheets:
        canvases[sheet.name].finish(prints=sheet.kind in PRINTED)
        if sheet.kind not in FREE:
            canvases[sheet.name].protect()


def _set_up(canvas: Canvas, context: Context, plan: SheetPlan) -> None:
    """Write title and lead, and the header and footer of printed pages."""
    sheet, book = canvas.sheet, context.book
    if not any(context.layout.tables[name].plain for name in plan.tables):
        canvas.text(0, TITLE, plan.title, "title")
        canvas.height(0, 26)
    if plan.lead:
        canvas.text(1, TITLE, plan.lead, "lead_line")
    sheet.hide_gridlines(2)
    title = context.plan.title.replace("&", "&&")[:100]
    name = canvas.name.replace("&", "&&")
    stamp = f"edition {book.edition.isoformat()}, hash {HASH}"
    tally = canvas.tally
    tally.check(sheet.set_header(f'&L&"{FONT},Bold"&9{title}&R&9{name}'), f"{name}: header")
    tally.check(sheet.set_footer(f"&L&9{stamp}&R&9Page &P of &N"), f"{name}: footer")
    if color := TABS.get(plan.kind):
        sheet.set_tab_color(color)
    if plan.kind not in PRINTED:
        return
    if len(plan.tables) == 1 and not plan.groups:
        place = context.layout.tables[plan.tables[0]]
        rows = (place.titles, place.ids) if place.turned else (place.heading, place.names)
        sheet.repeat_rows(*rows)
    elif plan.kind == "inputs" or plan.name == "Calculation":
        sheet.repeat_rows(TOP)


def _define_names(workbook: xlsxwriter.Workbook, context: Context, tally: Tally) -> None:
    """Define the names. An input's name refers to its effective cell."""
    layout = context.layout
    used = in_use(context)
    for (name, end), text in layout.names.scalars.items():
        spot = used.get(name) or layout.scalars[name]
        if text == layout.names.scalars[name, "value"] and end != "value":
            continue
        where = f"={sheet_prefix(spot.sheet)}{spot.at(end)}"
        tally.check(workbook.define_name(text, where), f"name {text}")
    for name, text in layout.names.tables.items():
        place = layout.tables[name]
        area = place.area(place.ids)
        tally.check(workbook.define_name(text, f"={sheet_prefix(place.sheet)}{area}"), text)
    for (table, column, end), text in layout.names.columns.items():
        if end != "value" and text == layout.names.columns.get((table, column, "value")):
            continue
        place = layout.tables[table]
        area = place.area(place.read(column, end))
        tally.check(workbook.define_name(text, f"={sheet_prefix(place.sheet)}{area}"), text)
    units = sheet_prefix(layout.sheet("units"))
    for name, constant in layout.constants.items():
        text, where = layout.names.constants[name], absolute(constant.row, 1)
        tally.check(workbook.define_name(text, f"={units}{where}"), text)
    for problem in layout.problems:
        tally.report(problem.message)


def _properties(
    workbook: xlsxwriter.Workbook, edition: Edition, plan: Plan, created: datetime | None
) -> None:
    book = edition.book
    workbook.set_properties(
        {
            "title": plan.title[:255],
            "subject": plan.summary[:255],
            "author": book.title[:255],
            "comments": f"Edition {book.edition.isoformat()}, hash {HASH}",
            "created": created or datetime.combine(book.edition, time()),
        }
    )
    workbook.set_size(2200, 1400)


def _diagnostic(problem: Problem, plan: Plan) -> Diagnostic:
    position = problem.position or plan.position or Position(plan.id, 1, 1)
    return at(position, "X001", problem.message)
