"""The Checks sheet: what the plan requires, and what must hold in every intact workbook."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from scalesheet.defined_names import CHECK_WITHIN
from scalesheet.evaluate.findings import broken_rows, wrongs
from scalesheet.language.syntax import ENDS, Aggregate, End
from scalesheet.model import DOMAINS, Column, Scalar, Table
from scalesheet.render.workbook.built import UNSEEN, Check, Used, built
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.context import Context
from scalesheet.render.workbook.layout import totals_of
from scalesheet.render.workbook.places import (
    CHECK_VALUE,
    CHECK_WRONG,
    KEY,
    TITLE,
    TOP,
    Group,
    SheetPlan,
    View,
    absolute,
    prefix,
    relative,
)
from scalesheet.render.workbook.scalars import REMARK, VALID, judged, write_ends
from scalesheet.render.workbook.validation import DOMAIN_IN_WORDS

SHOULD, VERDICT, LEAST, MOST, NOTE, FIRST = 3, 4, 6, 7, 8, 9
HEADINGS = (
    "Check",
    "Where",
    "Found",
    "Should be",
    "Verdict",
    "What is wrong",
    "Min",
    "Max",
    "Note",
    "First row that fails",
)
WIDTHS = (58, 30, 16, 16, 11, 60, 8, 8, 60, 18)
OK, CHECK, NOT_SO = "ok", "check", "does not hold"
OUT_OF_ORDER = "low, value and high are out of order"
BUILT = "Unchanged since the build"
ALL_HOLD, SOME_FAIL = "all checks hold", "a check fails: see Checks"


def write_checks(
    canvas: Canvas, context: Context, plan: SheetPlan, used: Mapping[str, Used]
) -> tuple[str, str]:
    """Write the sheet; return the cell of the overall verdict and its text.

    `used`: what was written to each other sheet.
    """
    canvas.widths(*WIDTHS)
    numbers = {"Found", "Should be", "Min", "Max", "First row that fails"}
    canvas.heads(TOP, HEADINGS, numbers, flush=KEY + 1)
    row = TOP + 1
    held: list[bool] = []
    if context.plan.checks:
        canvas.text(row, TITLE, "Required by the plan", "section")
        for name in context.plan.checks:
            row = context.layout.scalars[name].row
            held.append(_plan_check(canvas, context, context.plan.scalars[name], row))
        row += 2
    of_inputs = [*_inputs(context), *_domains(context)]
    causes = range(row + 1, row + 1 + len(of_inputs))
    for title, checks in (
        ("Required of every workbook", chain(of_inputs, _automatic(context, used))),
        (BUILT, built(context, used)),
    ):
        canvas.text(row, TITLE, title, "section")
        seen = absolute(row + 1, CHECK_VALUE)
        for check in checks:
            row += 1
            held.append(_automatic_check(canvas, context, check, row, seen))
        row += 2
    row -= 2
    area = f"{absolute(TOP + 1, VERDICT)}:{absolute(row + 1, VERDICT)}"
    message = ALL_HOLD if all(held) else SOME_FAIL
    canvas.text(TOP - 1, TITLE, "Overall: checks that hold, of all checks", "label")
    count = f'COUNTIF({area},"{OK}")+COUNTIF({area},"{UNSEEN}")'
    canvas.formula(TOP - 1, CHECK_VALUE, count, float(sum(held)), "check_value", "0")
    canvas.number(TOP - 1, SHOULD, float(len(held)), "check_value", "0")
    holding, built_with = relative(TOP - 1, CHECK_VALUE), relative(TOP - 1, SHOULD)
    text = f'IF({holding}={built_with},"{ALL_HOLD}","{SOME_FAIL}")'
    canvas.formula(TOP - 1, KEY, text, message, "flag")
    _write_first(canvas, context, held, row, causes)
    canvas.stress(TOP + 1, row, VERDICT, CHECK)
    canvas.stress(TOP - 1, TOP - 1, KEY, SOME_FAIL)
    canvas.sheet.freeze_panes(TOP + 1, KEY)
    return f"{prefix(canvas.name)}{absolute(TOP - 1, KEY)}", message


def _plan_check(canvas: Canvas, context: Context, scalar: Scalar, row: int) -> bool:
    canvas.text(row, TITLE, scalar.title or scalar.name, "label")
    canvas.text(row, KEY, context.layout.names.scalars[scalar.name, "value"], "key")
    write_ends(canvas, context, scalar, "check_value")
    canvas.text(row, SHOULD, "yes", "check_value")
    holds = context.results.scalars[scalar.name].value is True
    result, should = relative(row, CHECK_VALUE), relative(row, SHOULD)
    canvas.formula(row, VERDICT, f'IF({result}={should},"{OK}","{CHECK}")', _word(holds), "verdict")
    _write_wrong(canvas, context, scalar.name, row)
    text = scalar.formula.text if scalar.formula else ""
    canvas.text(row, NOTE, " — ".join(filter(None, (text, scalar.note))), "formula")
    return holds


def first_failing(context: Context) -> str:
    """The first failing check of the plan with its message; empty if all pass."""
    for check in context.plan.checks:
        if context.results.scalars[check].value is not True:
            return f"{context.plan.scalars[check].title or check}: {first_wrong(context, check)}"
    return ""


def _write_first(
    canvas: Canvas, context: Context, held: Sequence[bool], last: int, causes: range
) -> None:
    """Write the first failing check with its message, which the Summary shows.

    `causes`: the rows of the checks of inputs. They come first, since a wrong input fails others.
    """
    verdicts, wrong, titles = (
        f"{absolute(TOP + 1, at)}:{absolute(last, at)}" for at in (VERDICT, CHECK_WRONG, TITLE)
    )
    first = relative(TOP - 1, FIRST)
    text = f'IFERROR(MATCH("{CHECK}",{verdicts},0),0)'
    if causes:
        top, bottom = (absolute(causes[at], VERDICT) for at in (0, -1))
        above = f"ROW({top})-ROW({absolute(TOP + 1, VERDICT)})"
        text = f'IFERROR(MATCH("{CHECK}",{top}:{bottom},0)+{above},{text})'
    stored = next((at for at, holds in enumerate(held, 2) if not holds), 0)
    canvas.formula(TOP - 1, FIRST, text, float(stored), "check_value", "0")
    text = f'IF({first}=0,"",INDEX({titles},{first})&": "&INDEX({wrong},{first}))'
    canvas.formula(TOP - 1, CHECK_WRONG, text, first_failing(context), "text")


def _write_wrong(canvas: Canvas, context: Context, check: str, row: int) -> None:
    """Write the message of a failing check.

    For a row check: the message of the first failing row, and how many more fail.
    """
    key = context.plan.otherwise(check)
    if key is None:
        said = f'IF({relative(row, VERDICT)}="{CHECK}","{NOT_SO}","")'
        canvas.formula(row, CHECK_WRONG, said, first_wrong(context, check), "text")
        return
    if key.table is None:
        write_ends(canvas, context, context.plan.scalars[key.name], "text")
        return
    view = View(context.layout, context.layout.sheet("checks"))
    holds = view.range(key.table, context.plan.row_column(check), "value")
    first, more = relative(row, FIRST), f'COUNTIF({holds},"no")'
    broken = broken_rows(context.plan, check, context.results)
    at = context.plan.tables[key.table].rows.index(broken[0]) + 1 if broken else 0
    canvas.formula(row, FIRST, f'IFERROR(MATCH("no",{holds},0),0)', float(at), "check_value", "0")
    said = f"INDEX({view.range(key.table, key.name, 'value')},{first})"
    text = f'INDEX({view.titles(key.table)},{first})&": "&{said}'
    text = f'IF({first}=0,"",{text}&IF({more}>1,"; and "&{more}-1&" more",""))'
    canvas.formula(row, CHECK_WRONG, text, first_wrong(context, check), "text")


def first_wrong(context: Context, check: str) -> str:
    """The message for the first row that fails the check; empty if it passes."""
    if context.plan.otherwise(check) is None:
        return "" if context.results.scalars[check].value is True else NOT_SO
    said = wrongs(context.plan, check, context.results)
    more = len(broken_rows(context.plan, check, context.results)) - 1
    return "".join(said[:1]) + (f"; and {more} more" if more > 0 else "")


def _automatic_check(canvas: Canvas, context: Context, check: Check, row: int, seen: str) -> bool:
    """Write an automatic check. `seen`: the cell that says whether formulas can be seen."""
    canvas.text(row, TITLE, check.title, "label")
    canvas.text(row, KEY, check.where, "key")
    least, most = relative(row, LEAST), relative(row, MOST)
    names = {
        "{least}": least,
        "{most}": most,
        "{should}": relative(row, SHOULD),
        "{seen}": seen,
        "{first}": relative(row, FIRST),
    }
    result = check.found
    for name, cell in names.items():
        result = result.replace(name, cell)
    fmt = "#,##0.######" if check.should else "0"
    canvas.formula(row, CHECK_VALUE, result, check.stored, "check_value", fmt, check.array)
    if check.should is None:
        canvas.number(row, SHOULD, check.stored_should, "check_value", fmt)
    else:
        canvas.formula(row, SHOULD, check.should, check.stored_should, "check_value", fmt)
    for at, bound in ((LEAST, check.least), (MOST, check.most)):
        if bound is not None:
            canvas.number(row, at, bound, "shipped")
    for at, (formula, stored) in zip((LEAST, MOST), check.words, strict=False):
        text = formula.replace("{first}", names["{first}"])
        canvas.formula(row, at, text, stored, "shipped")
    holds = abs(check.stored - check.stored_should) <= 1e-9 * abs(check.stored_should)
    cells = relative(row, CHECK_VALUE), relative(row, SHOULD)
    within = f"{context.layout.names.constants[CHECK_WITHIN]}*ABS({cells[1]})"
    text = f'IF(ABS({cells[0]}-{cells[1]})<={within},"{OK}","{CHECK}")'
    if check.may_be_unseen:
        text = f'IF({cells[0]}="{UNSEEN}","{UNSEEN}",{text})'
    canvas.formula(row, VERDICT, text, _word(holds), "verdict")
    if check.first:
        first = check.first.replace("{least}", least).replace("{most}", most)
        canvas.formula(row, FIRST, first, 0.0, "check_value", "0")
    wrong = (check.wrong or f'"{NOT_SO}"').replace("{first}", names["{first}"])
    text = f'IF({relative(row, VERDICT)}="{CHECK}",{wrong},"")'
    canvas.formula(row, CHECK_WRONG, text, "", "text")
    canvas.text(row, NOTE, check.note, "small")
    return holds


def _word(holds: bool) -> str:
    return OK if holds else CHECK


# ------------------------------------------------------------------ automatic checks


def _automatic(context: Context, used: Mapping[str, Used]) -> Iterator[Check]:
    for table in context.tables.values():
        yield from _sums(context, table)
        for column in table.columns.values():
            yield from _order(context, table, column)
    for sheet in context.layout.sheets:
        for group in sheet.groups:
            if sheet.kind != "inputs":
                yield from _group_order(context, sheet.name, group)
    for name, written in used.items():
        yield Check("No error values", name, f"SUMPRODUCT(--ISERROR({written.area(name)}))", 0.0)


def _domains(context: Context) -> Iterator[Check]:
    for table in context.tables.values():
        yield from _rows_in_use(context, table)
        for column in table.columns.values():
            yield from _domain(context, table, column)


def _inputs(context: Context) -> Iterator[Check]:
    """Check that all inputs are present and valid; name the first that is not."""
    sheet = next(plan for plan in context.layout.sheets if plan.kind == "inputs")
    rows = [row for group in sheet.groups for row, _ in group.rows()]
    scalars = [context.plan.scalars[name] for group in sheet.groups for name in group.scalars]
    number = float(sum(judged(context, scalar) for scalar in scalars))
    if number:
        titles, remarks, verdicts = (
            f"{prefix(sheet.name)}{absolute(min(rows), at)}:{absolute(max(rows), at)}"
            for at in (TITLE, REMARK, VALID)
        )
        gone = '"an input is gone: put its row back"'
        why = f'INDEX({titles},{{first}})&": "&INDEX({remarks},{{first}})'
        yield Check(
            "Every input is present and valid",
            sheet.name,
            f'COUNTIF({verdicts},"{OK}")',
            number,
            stored_should=number,
            note="Counts the inputs that say ok under Valid?",
            first=f'IFERROR(MATCH("{CHECK}",{verdicts},0),0)',
            wrong=f"IF({{first}}=0,{gone},{why})",
        )


def _sums(context: Context, table: Table) -> Iterator[Check]:
    """Check that a total is the sum of the rows with ids: none missing, none without an id."""
    place = context.layout.tables[table.name]
    for _, name in totals_of(table, context.plan):
        scalar = context.plan.scalars[name]
        tree = scalar.formula.ends.value if scalar.formula else None
        if not (isinstance(tree, Aggregate) and tree.function == "sum" and tree.where is None):
            continue
        if tree.column is None or tree.table != table.name:
            continue
        view = View(context.layout, context.layout.sheet("checks"))
        area = view.range(table.name, tree.column, "value")
        values = context.results.tables[table.name][tree.column]
        total = context.results.scalars[name].value
        yield Check(
            f"The total is the sum of the rows: {table.columns[tree.column].title}",
            place.sheet,
            f'SUMIF({view.ids(table.name)},"<>",{area})',
            math.fsum(v.value for v in values if isinstance(v.value, float)),
            context.layout.names.scalars[name, "value"],
            total if isinstance(total, float) else 0.0,
        )


def _rows_in_use(context: Context, table: Table) -> Iterator[Check]:
    """Check that rows that were added have their values in use, which formulas read."""
    place = context.layout.tables[table.name]
    whole = (name for name in place.used if len(table.columns[name].stated) == len(table.rows))
    name = next(whole, None)
    if name is None:
        return
    view = View(context.layout, context.layout.sheet("checks"))
    used = view.looked_up(table.name, name, "value")
    missing = f'({view.ids(table.name)}<>"")*({used}="")'
    told = '": copy all formulas of another row, up to the last column"'
    yield Check(
        f"Values in use: {table.title or table.name}",
        place.sheet,
        f"SUMPRODUCT({missing})",
        0.0,
        note="Counts the rows without one.",
        first=f"IFERROR(MATCH(1,INDEX({missing},0),0),0)",
        wrong=f'IF({{first}},INDEX({view.titles(table.name)},{{first}})&{told},"an error")',
    )


def _domain(context: Context, table: Table, column: Column) -> Iterator[Check]:
    """Check for rows with a number outside the domain, and rows without a required number.

    Where reasons or words are valid, every cell counts that is not in use.
    """
    used = column.name in context.layout.tables[table.name].used
    if not column.stated or not (used or column.kind == "number"):
        return
    least, closed, most, whole = DOMAINS[column.domain]
    view = View(context.layout, context.layout.sheet("checks"))
    ends: tuple[End, ...] = ("low", "high") if column.ranged else ("value",)
    ids, area = view.ids(table.name), view.range(table.name, column.name, "value")
    values = context.results.tables[table.name][column.name]
    numbers = all(isinstance(value.value, float) for value in values)
    words = column.kind != "number"
    parts, fits = [], [f"ISNUMBER({area})"] if numbers else []
    for end in () if words else ends:
        each = view.range(table.name, column.name, end)
        if least is not None and end != "high":
            parts.append(f'COUNTIF({each},"{"<" if closed else "<="}"&{{least}})')
            fits.append(f"({each}>{'=' if closed else ''}{{least}})")
        if most is not None and end != "low":
            parts.append(f'COUNTIF({each},">"&{{most}})')
            reason = "" if numbers else f"+ISTEXT({each})"
            fits.append(f"(({each}<={{most}}){reason})")
        if whole and not column.may_reason:
            parts.append(f"IFERROR(SUMPRODUCT(--(INT({each})<>{each})),0)")
    if numbers:
        parts.append(f"COUNTA({ids})-COUNT({area})")
    rows = f'({ids}<>"")*(1-{"*".join(fits) or "1"})=1'
    if used and not numbers:
        three = ENDS if column.ranged else ("value",)
        pairs = (
            (view.range(table.name, column.name, end), view.looked_up(table.name, column.name, end))
            for end in three
        )
        rows = f'({ids}<>"")*({"+".join(f"({typed}<>{own})" for typed, own in pairs)})>0'
        parts = [f"SUMPRODUCT(--({rows}))"]
    if parts:
        must = f"must be {'in the list' if words else DOMAIN_IN_WORDS[column.domain]}"
        must = f"; {must}{'; shipped value used' if used else ''}"
        told = (f"INDEX({each},{{first}})" for each in (view.titles(table.name), area))
        said = '&": \'"&'.join(told) + f'&"\'{must}"'
        yield Check(
            f"Values inside their domain ({'words' if words else column.domain}): {column.title}",
            context.layout.tables[table.name].sheet,
            "+".join(parts),
            0.0,
            least=None if words else least,
            most=None if words else most,
            note="Counts the rows outside, and those without a value.",
            first=f"IFERROR(MATCH(TRUE,INDEX({rows},0),0),0)",
            wrong=f'IF({{first}},{said},"{"not whole" if whole else "an error"}")',
        )


def _order(context: Context, table: Table, column: Column) -> Iterator[Check]:
    if column.kind != "number" or not column.ranged:
        return
    view = View(context.layout, context.layout.sheet("checks"))
    low, value, high = (view.looked_up(table.name, column.name, end) for end in ENDS)
    if column.may_reason:
        out = f"({low}>{value})+({value}>{high})"
    else:
        slack = f"{context.layout.names.constants[CHECK_WITHIN]}*ABS({value})"
        out = f"({low}-{value}>{slack})+({value}-{high}>{slack})"
    series = context.results.tables[table.name][column.name]
    wrong = 0
    if series.low is not None and series.high is not None:
        slack_ = 1e-9 * np.abs(series.value)
        wrong = int(np.sum(series.low - series.value > slack_))
        wrong += int(np.sum(series.value - series.high > slack_))
    place = context.layout.tables[table.name]
    row = f"INDEX({view.titles(table.name)},{{first}})"
    found = f"SUMPRODUCT({out})"
    if column.stated and column.name not in place.used:
        found = f"IFERROR({found},1)"  # a text
    yield Check(
        f"low ≤ value ≤ high: {column.title}",
        place.sheet,
        found,
        float(wrong),
        note="Counts the rows out of order.",
        first=f"IFERROR(MATCH(TRUE,INDEX(({out})>0,0),0),0)",
        wrong=f'IF({{first}},{row}&": {OUT_OF_ORDER}","an error")',
    )


def _group_order(context: Context, sheet: str, group: Group) -> Iterator[Check]:
    """Check low ≤ value ≤ high for a list of derived scalars; exact ones have no ends to check."""
    if not any(context.plan.scalars[name].ranged for name in group.scalars):
        return
    first, last = group.heading + 1, group.heading + len(group.scalars)
    low, value, high = (
        f"{prefix(sheet)}{absolute(first, at)}:{absolute(last, at)}" for at in (2, 3, 4)
    )
    result = (
        f"SUMPRODUCT(ISNUMBER({low})*({low}>{value}))+SUMPRODUCT(ISNUMBER({high})*({value}>{high}))"
    )
    where = f"{sheet}: {group.title}" if group.title else sheet
    yield Check(
        "low ≤ value ≤ high: derived figures",
        where,
        result,
        0.0,
        note="Counts the figures out of order.",
    )
