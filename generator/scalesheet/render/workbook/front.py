"""The sheets around the numbers: About, Units and Sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from scalesheet.edition import HASH
from scalesheet.language.syntax import ENDS, End
from scalesheet.model import Scalar, Stated
from scalesheet.numbers import excel_format, format_of
from scalesheet.render.versions import GONE, by_version, changes, cut_versions
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.catalogue import write_columns
from scalesheet.render.workbook.checks import CHECK, OK, VERDICT, first_wrong
from scalesheet.render.workbook.contents import contents
from scalesheet.render.workbook.context import (
    FIRST_SOURCE_ROW,
    Context,
    cite,
    ends_of,
    stored,
)
from scalesheet.render.workbook.conventions import CONVENTIONS, PROGRAMS, PROTECTION
from scalesheet.render.workbook.formats import Role
from scalesheet.render.workbook.places import (
    CHECK_WRONG,
    TITLE,
    TOP,
    SheetPlan,
    absolute,
    prefix,
    relative,
)
from scalesheet.render.workbook.validation import clipped
from scalesheet.values import Value

#: Labels on About from which `pull` reads the plan, the edition and the digest.
PLAN, EDITION, EDITION_HASH, CONTENTS = "Plan", "Edition", "Edition hash", "Contents"
HEADS: Mapping[End, str] = {"low": "Low", "value": "Expected", "high": "High"}
ABOUT_WIDTHS = (46.0, 14.0, 16.0, 14.0, 16.0, 36.0)
HOW_TO_USE = (
    "Change a yellow cell on Inputs or on a table's sheet; every figure follows at once.",
    "Where a figure is a range it has three cells: low, value (expected) and high. On Inputs, low "
    "and high follow a value that passes one of them, and Remark says so; in a table, change all "
    "three.",
    "An input that is not valid is not used: the workbook computes with its shipped value, and "
    "Checks and Summary say so. Formulas read the values in use, at the end of its row, or for a "
    "table of cases below it. Where a table has reasons instead of numbers, any text is one.",
    "To add a row to a table, lift the sheet's protection, insert the row above the empty row at "
    "the table's end, give it an id and copy all formulas down, up to the last column; totals and "
    "drop-down lists include it, and Checks notes that the table has a row it was not built with.",
    "Checks says whether the workbook is still intact; Changes lists what you changed.",
    "Summary, Inputs, Results, derived figures and the tables that fit A3 print, on ten pages at "
    "most. Every other sheet is for the screen: to print one, clear its print area.",
    "Formulas contain no typed-in numbers: conversions are on Units, assumptions on "
    "Inputs, each with its source.",
)
TO_CHOOSE = (
    "Choose an accelerator, an offer or a scenario from the drop-down list in its cell on Summary; "
    "further choices are on Inputs."
)
TO_ADD_A_CASE = (
    "Where cases stand side by side, a case is a column: to add one, insert a column before the "
    "empty one, copy the column beside it there and give it an id of its own."
)
LEGEND: tuple[tuple[Role, str, str, str], ...] = (
    ("input", "Input", "1,234", "blue on pale yellow, in a frame: yours to change"),
    ("number", "Formula", "1,234", "black: follows from the inputs, leave it as it is"),
    ("outer", "Outer bound", "1,234", "italic: a safe bound, possibly wider than the true range"),
    ("key", "Id, name", "some-id", "small and grey: what formulas look things up by"),
    ("total", "Total", "1,234", "bold, under a line"),
    ("verdict", "Verdict", "ok", "a word: ok, or check where something does not hold"),
)
SHEET_WORDS = {
    "inputs": "everything the plan states",
    "units": "constants, units, and the columns of the catalogue's sheets",
    "catalogue": "catalogue: figures shared by all plans",
    "calculation": "calculation",
    "sensitivity": "which inputs move the results most",
    "actuals": "what runs actually took, and the forecast",
    "summary": "the answer, and the choices",
    "results": "results in full",
    "checks": "what must hold",
    "sources": "sources of the inputs",
    "changes": "changes since the build",
}


def write_about(canvas: Canvas, context: Context, verdict: tuple[str, str]) -> None:
    """Write what this is, how to use it, and the answers. `verdict`: its cell on Checks and its
    text."""
    plan, book = context.plan, context.book
    canvas.widths(*ABOUT_WIDTHS)
    last = len(ABOUT_WIDTHS) - 1
    row = 1
    if plan.summary:
        canvas.merged(row, TITLE, last, plan.summary, "lead")
    row += 2
    facts = [
        ("Book", book.title),
        (PLAN, plan.id),
        *_version(context),
        (EDITION, book.edition.isoformat()),
        (EDITION_HASH, HASH),
    ]
    for label, text in facts:
        canvas.text(row, TITLE, label, "label")
        canvas.text(row, 1, text, "lead_line")
        row += 1
    message = f"{HASH}: two workbooks with the same hash hold the same numbers"
    canvas.text(row - 1, 1, message, "lead_line")
    canvas.text(row, TITLE, CONTENTS, "label")
    canvas.text(row, 1, contents(book, plan), "lead_line")
    row += 1
    canvas.text(row, TITLE, "Checks", "label")
    cell, message = verdict
    canvas.formula(row, 1, cell, message, "count")
    row += 2
    row = write_headline(canvas, context, row)
    row = _write_checks(canvas, context, row)
    turned = any(place.turned for place in context.layout.tables.values())
    first = [TO_CHOOSE] if context.layout.choices else []
    use = (*first, *HOW_TO_USE, *([TO_ADD_A_CASE] if turned else []), *_selections(context))
    row = _listed(canvas, row + 1, "How to use it", use, last)
    row = _listed(canvas, row + 1, "Protection", PROTECTION, last)
    canvas.text(row + 1, TITLE, "Legend", "section")
    row += 2
    for role, label, sample, meaning in LEGEND:
        canvas.text(row, TITLE, label, "label")
        canvas.text(row, 1, sample, role)
        canvas.merged(row, 2, last, meaning, "text")
        row += 1
    canvas.text(row + 1, TITLE, "Sheets, in the order to read them", "section")
    row += 2
    for sheet in context.layout.sheets:
        if sheet.kind != "about":
            canvas.link(row, TITLE, f"internal:{prefix(sheet.name)}A1", sheet.name, "sheet_link")
            canvas.text(row, 1, _about_sheet(context, sheet), "lead_line")
            row += 1
    row = _listed(canvas, row + 1, "Programs", PROGRAMS, last)
    row = _listed(canvas, row + 1, "Conventions, with exceptions", CONVENTIONS, last)
    if plan.history:
        _write_history(canvas, context, row + 1, last)
    if cut_versions(plan):
        _write_versions(canvas, context, row + len(plan.history) + 4, last)


def _selections(context: Context) -> Iterator[str]:
    """Say how much of a catalogue table each sheet has, and how to get the rest."""
    whole = (context.edition.whole or context.edition).book.tables
    for sheet in context.layout.sheets:
        for name in sheet.tables if sheet.kind == "catalogue" else ():
            rows, every = len(context.tables[name].rows), len(whole[name].rows)
            if rows < every:
                yield (
                    f"{sheet.name} has {rows} of the catalogue's {every} rows, those that this "
                    f'plan may use. For all of them, write catalogue: {{{name}: ["*"]}} into '
                    "plan.yaml and build again."
                )


def _write_checks(canvas: Canvas, context: Context, row: int) -> int:
    """Write the plan's checks with their verdicts; return the next free row."""
    if not context.plan.checks:
        return row
    row += 1
    canvas.text(row, TITLE, "Required by the plan", "section")
    first = row + 1
    for row, name in enumerate(context.plan.checks, first):
        spot, scalar = context.layout.scalars[name], context.plan.scalars[name]
        sheet = prefix(spot.sheet)
        link = f"internal:{sheet}{relative(spot.row, VERDICT)}"
        canvas.link(row, TITLE, link, scalar.title or name, "label", "Where it is checked")
        holds = context.results.scalars[name].value is True
        verdict = f"{sheet}{absolute(spot.row, VERDICT)}"
        canvas.formula(row, 1, verdict, OK if holds else CHECK, "verdict")
        if context.plan.otherwise(name):
            wrong = f"{sheet}{absolute(spot.row, CHECK_WRONG)}"
            canvas.formula(row, 2, wrong, first_wrong(context, name), "lead_line")
    canvas.stress(first, row, 1, CHECK)
    return row + 1


def _version(context: Context) -> list[tuple[str, str]]:
    """The latest version and the status of the plan, if stated."""
    version, status = context.plan.version, context.plan.status
    result = [("Version", f"{version.version}, {version.date}")] if version else []
    return [*result, ("Status", status)] if status else result


def _write_history(canvas: Canvas, context: Context, row: int, last: int) -> None:
    """Write the versions of the plan, including planned ones."""
    canvas.text(row, TITLE, "Version history", "section")
    for at, text in enumerate(("Version", "Date", "Status", "What changes")):
        canvas.text(row + 1, at, text, "heading")
    for number, each in enumerate(context.plan.history, row + 2):
        canvas.text(number, TITLE, each.version, "label")
        canvas.text(number, 1, each.date, "text")
        canvas.text(number, 2, each.status, "text")
        canvas.merged(number, 3, last, each.text, "text")


def _write_versions(canvas: Canvas, context: Context, row: int, last: int) -> None:
    """Write the headline by version, as fixed values, then what changed in each."""
    figures = by_version(context.book, context.plan, context.results)
    canvas.text(row, TITLE, "Headline by version", "section")
    row += 1
    numbers = ("Low", "Expected", "High")
    canvas.heads(row, ("Figure", "Version", *numbers, "Unit"), numbers)
    for figure in figures:
        fmt = excel_format(format_of(figure.quantity, figure.values.values(), context.book.units))
        gone = f" ({GONE})" if figure.gone else ""
        for version, value in figure.values.items():
            row += 1
            canvas.text(row, TITLE, f"{figure.quantity.title}{gone}", "label")
            canvas.text(row, 1, version, "text")
            if isinstance(value.value, float):
                for at, end in enumerate(ENDS, 2):
                    canvas.number(row, at, float(value.end(end) or 0.0), "shipped", fmt)
                canvas.text(row, last, context.symbol(figure.quantity), "small")
            else:
                canvas.text(row, 3, str(value.reason or value.value), "text")
    row += 2
    for each in cut_versions(context.plan):
        for change in changes(context.book, context.plan, each):
            effects = "; ".join(f"{title} {moved}" for title, moved in change.effects)
            text = f"{change.was} → {change.now} ({change.because}). {effects}".strip()
            canvas.text(row, TITLE, f"{each.version}: {change.title}", "label")
            canvas.merged(row, 1, last, text, "text")
            row += 1


def _about_sheet(context: Context, sheet: SheetPlan) -> str:
    """Describe a sheet in one line."""
    parts = [sheet.title] if sheet.title != sheet.name else []
    parts.append(SHEET_WORDS[sheet.kind])
    titles = [context.tables[name].title for name in sheet.tables]
    parts += [title for title in titles if title not in (sheet.title, sheet.name)]
    text = ": ".join(parts[:2]) if len(parts) <= 2 else f"{parts[0]}: {', '.join(parts[1:])}"
    return clipped(text[0].upper() + text[1:], 110)


def _listed(canvas: Canvas, row: int, title: str, texts: tuple[str, ...], last: int) -> int:
    canvas.text(row, TITLE, title, "section")
    for number, text in enumerate(texts, 1):
        message = f"{number}.  {text}"
        canvas.merged(row + number, TITLE, last, message, "plain")
    return row + len(texts) + 1


def write_headline(
    canvas: Canvas, context: Context, row: int, ends: Sequence[End] = ENDS, more: Sequence[str] = ()
) -> int:
    """Write the headline figures, live, with `more` headings after them; return the next free
    row."""
    canvas.text(row, TITLE, "Results", "section")
    numbers = [HEADS[end] for end in ends]
    canvas.heads(row + 1, ("Figure", *numbers, "Unit", *more), numbers)
    row += 2
    for name in context.plan.headline:
        scalar, spot = context.plan.scalars[name], context.layout.scalars[name]
        link = f"internal:{prefix(spot.sheet)}{spot.at('value')}".replace("$", "")
        canvas.link(
            row, TITLE, link, scalar.title or name, "headline_label", "Where it is computed"
        )
        for at, end in enumerate(ends, 1):
            if end not in ends_of(scalar):
                canvas.text(row, at, "", "headline")
                continue
            value = stored(context.results.scalars[name], end)
            where = context.layout.names.scalars[name, end]
            role: Role = "headline" if end == "value" else "headline_end"
            canvas.formula(row, at, where, value, role, context.number_format(scalar))
        canvas.text(row, 4, context.symbol(scalar), "headline_text")
        row += 1
    return row


# ------------------------------------------------------------------ units

LONGEST_SHOWN = 66  # characters shown of an address; the link itself is complete
UNIT_COLUMNS = ("Constant", "Value", "Unit", "Kind", "Meaning")


def write_units(canvas: Canvas, context: Context, plan: SheetPlan) -> None:
    """Write the named constants, the units in use with their symbols, and the catalogue's
    columns."""
    canvas.widths(46, 22, 26, 14, 74, 62)
    canvas.heads(TOP, UNIT_COLUMNS, ("Value",))
    row = TOP
    for name, constant in context.layout.constants.items():
        row, stated = constant.row, Stated(constant.value)
        shown = Scalar(name, name, stated=stated, domain="signed")
        fmt = format_of(shown, [Value.number(constant.value)], context.book.units)
        canvas.text(row, TITLE, context.layout.names.constants[name], "label")
        canvas.number(row, 1, constant.value, "number", excel_format(fmt))
        canvas.text(row, 2, constant.unit, "symbol")
        canvas.text(row, 3, constant.kind, "small")
        canvas.text(row, 4, constant.meaning, "small")
    row += 2
    canvas.text(row, TITLE, "Units in this workbook", "section")
    for at, text in enumerate(("Unit", "Symbol", "Measures", "", "")):
        canvas.text(row + 1, at, text, "heading_text" if at else "heading")
    row += 2
    for declared in context.units_used:
        title = (
            declared.title
            if declared.title == declared.name
            else (f"{declared.name}: {declared.title}")
        )
        canvas.text(row, TITLE, title, "label")
        canvas.text(row, 1, declared.symbol, "text")
        message = ". ".join(filter(None, (declared.dimension, declared.note)))
        canvas.merged(row, 2, len(UNIT_COLUMNS) - 1, message, "small")
        row += 1
    write_columns(canvas, context, row + 1)
    canvas.sheet.freeze_panes(TOP + 1, 0)


# ------------------------------------------------------------------ sources


def write_sources(canvas: Canvas, context: Context, plan: SheetPlan) -> None:
    """Write every cited source, with a link where there is one."""
    canvas.widths(32, 56, 24, 12, 12, 60, 44)
    headings = ("Key", "Title", "Publisher", "Date", "Last read", "Address", "Note")
    canvas.row_of(FIRST_SOURCE_ROW - 1, headings[:1], "heading")
    canvas.row_of(FIRST_SOURCE_ROW - 1, headings[1:], "heading_text", 1)
    for row, key in enumerate(context.sources, FIRST_SOURCE_ROW):
        source = context.book.sources[key]
        canvas.text(row, 0, source.key, "label")
        canvas.text(row, 1, source.title, "text")
        canvas.text(row, 2, source.publisher, "small")
        canvas.text(row, 3, source.date, "small")
        canvas.text(row, 4, source.accessed, "small")
        if source.url:
            canvas.link(row, 5, source.url, clipped(source.url, LONGEST_SHOWN), "address")
        canvas.text(row, 6, source.note, "small")
    canvas.sheet.freeze_panes(FIRST_SOURCE_ROW, 1)
    if context.plan.citation is not None:
        text = f"The plan itself: {cite(context.plan.citation)}."
        canvas.text(TOP - 1, TITLE, text, "key")
