"""The Sensitivity sheet: which inputs move the headline figures most, computed again for each.

On top, for each figure, the inputs that moved it most as shipped, each with its rank as it is now;
below, a block for each input that computes again all that lies between it and the figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scalesheet.defined_names import EQUAL_WITHIN
from scalesheet.evaluate.levers import STEP_NAME, Lever
from scalesheet.evaluate.sensitivity import Effect, Ranking, ranks
from scalesheet.language.syntax import ENDS, End
from scalesheet.model import Key, Quantity
from scalesheet.numbers import excel_format, format_of
from scalesheet.printers.base import PrinterError
from scalesheet.printers.excel import excel
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.context import Context, stored
from scalesheet.render.workbook.formats import Role
from scalesheet.render.workbook.places import (
    KEY,
    TITLE,
    TOP,
    UNIT,
    SheetPlan,
    View,
    absolute,
    prefix,
    relative,
)
from scalesheet.render.workbook.tables import stored_column
from scalesheet.render.workbook.whatif import Block, Part, Within, block, recipe
from scalesheet.values import Value

SHOWN_AT: Mapping[End, int] = {"low": 2, "value": 3, "high": 4}
RESULT_AT: Mapping[End, int] = {"low": 6, "value": 7, "high": 8}
SWING, RANK = 9, 10
FORMULA = 6
WIDTHS = (44, 30, 14, 14, 14, 16, 15, 15, 15, 15, 8)
LIST_HEADINGS = (
    "Input",
    "Name",
    "Input, low side",
    "Input, as it is",
    "Input, high side",
    "Unit",
    "Result, low side",
    "Result, as it is",
    "Result, high side",
    "Swing",
    "Rank",
)
BLOCK_HEADINGS = ("Computed again", "Name", "Low side", "As it is", "High side", "Unit")
MOST_STEP = 0.9
OUTDATED = "Rows were added to a table since; what is computed again leaves them out."


@dataclass(frozen=True)
class Listing:
    """The inputs listed for one figure, from `first` on."""

    ranking: Ranking
    heading: int
    effects: tuple[Effect, ...]

    @property
    def first(self) -> int:
        return self.heading + 2

    @property
    def last(self) -> int:
        return self.first + len(self.effects) - 1

    def area(self, column: int) -> str:
        return f"{absolute(self.first, column)}:{absolute(self.last, column)}"


@dataclass(frozen=True)
class Arrangement:
    """What stands where on the sheet."""

    listings: tuple[Listing, ...]
    blocks: Mapping[Key, Block]


STEP_ROW, OUTDATED_ROW = TOP, TOP + 1


def arrange(context: Context) -> Arrangement:
    """The lists one below the other, then the blocks."""
    assert context.sensitivity is not None
    listings, row = [], TOP + 3
    for ranking in context.sensitivity.rankings:
        effects = tuple(e for e in ranking.shown if e.lever.key in context.sensitivity.trials)
        if effects:
            listings.append(Listing(ranking, row, effects))
            row = listings[-1].last + 4
    blocks = {}
    row += 1
    for key, trial in context.sensitivity.trials.items():
        blocks[key] = block(context, trial, row)
        row = blocks[key].end + 1
    return Arrangement(tuple(listings), blocks)


def write_sensitivity(canvas: Canvas, context: Context, plan: SheetPlan) -> None:
    canvas.widths(*WIDTHS)
    arranged = arrange(context)
    _step(canvas, context)
    for listing in arranged.listings:
        _listing(canvas, context, listing, arranged.blocks)
    for each in arranged.blocks.values():
        _block(canvas, context, each)
    canvas.formula(OUTDATED_ROW, TITLE, outdated(context, arranged, plan.name), "", "count")
    canvas.sheet.freeze_panes(TOP, KEY)


def _step(canvas: Canvas, context: Context) -> None:
    """How far an exact input is moved: an input of this sheet."""
    assert context.sensitivity is not None
    canvas.text(STEP_ROW, TITLE, "An exact input is moved by this share of it", "label")
    canvas.text(STEP_ROW, KEY, STEP_NAME, "key")
    at = SHOWN_AT["low"]
    canvas.number(STEP_ROW, at, context.sensitivity.step, "input", "0.0#%")
    where = f"={prefix(canvas.name)}{absolute(STEP_ROW, at)}"
    canvas.tally.check(canvas.book.define_name(STEP_NAME, where), f"name {STEP_NAME}")
    text = f"A share above 0 and up to {MOST_STEP:.0%}"
    rule = {
        "validate": "decimal",
        "criteria": "between",
        "minimum": 0.001,
        "maximum": MOST_STEP,
        "ignore_blank": False,
        "input_title": "Step",
        "input_message": f"{text}.",
        "error_title": "Not allowed here",
        "error_message": f"{text}.",
    }
    code = canvas.sheet.data_validation(STEP_ROW, at, STEP_ROW, at, rule)
    canvas.tally.check(code, f"validation of {STEP_NAME}")


def outdated(context: Context, arranged: Arrangement, sheet: str) -> str:
    """Says so where a figure that is computed again is no longer the plan's own."""
    where = "" if sheet == context.layout.sheet("sensitivity") else sheet_prefix(context)
    parts = []
    for listing in arranged.listings:
        low, high = listing.area(RESULT_AT["value"]).split(":")
        name = context.layout.names.scalars[listing.ranking.name, "value"]
        parts.append(f"SUMPRODUCT(--({where}{low}:{high}<>{name}))")
    return f'IF({"+".join(parts) or "0"}>0,"{OUTDATED}","")'


def sheet_prefix(context: Context) -> str:
    return prefix(context.layout.sheet("sensitivity"))


# ------------------------------------------------------------------ lists


def _listing(
    canvas: Canvas, context: Context, listing: Listing, blocks: Mapping[Key, Block]
) -> None:
    name, ranking = listing.ranking.name, listing.ranking
    scalar = context.plan.scalars[name]
    canvas.text(listing.heading, TITLE, figure_title(context, name), "section")
    for at, text in enumerate(LIST_HEADINGS):
        role: Role = "heading" if at <= KEY else "heading_number"
        canvas.text(listing.heading + 1, at, text, "heading_text" if at == UNIT else role)
    fmt = excel_format(format_of(scalar, ranking.values, context.book.units))
    places = ranks([effect.swing for effect in listing.effects])
    for at, (row, effect) in enumerate(
        zip(range(listing.first, listing.last + 1), listing.effects, strict=True)
    ):
        each = blocks[effect.lever.key]
        canvas.text(row, TITLE, effect.lever.title, "label")
        canvas.text(row, KEY, lever_name(context, effect.lever), "key")
        canvas.text(row, UNIT, context.symbol(effect.lever.quantity), "symbol")
        _inputs(canvas, context, row, effect, each)
        results = {"low": effect.low, "value": ranking.value, "high": effect.high}
        for end in ENDS:
            source = absolute(each.figure(name), SHOWN_AT[end])
            value = stored(results[end], "value")
            canvas.formula(row, RESULT_AT[end], source, value, "either", fmt)
        ends = f"{relative(row, RESULT_AT['low'])}:{relative(row, RESULT_AT['high'])}"
        swing = f"IF(COUNT({ends})<COLUMNS({ends}),0,MAX({ends})-MIN({ends}))"
        canvas.formula(row, SWING, swing, effect.swing, "number", fmt)
        text = _rank(context, listing, row)
        canvas.formula(row, RANK, text, float(places[at]), "key_number", "0")
    canvas.text(listing.last + 1, TITLE, rest_in_words(listing), "lead_line")


def _inputs(canvas: Canvas, context: Context, row: int, effect: Effect, block: Block) -> None:
    """The input itself at its two sides: its cells, or for a column how its rows are moved."""
    lever = effect.lever
    if effect.inputs is None:
        for end in ENDS:
            formula, text = how_moved(context, lever, end)
            if formula is None:
                canvas.text(row, SHOWN_AT[end], text, "either")
            else:
                canvas.formula(row, SHOWN_AT[end], formula, text, "either")
        return
    fmt = _input_format(context, lever.quantity, effect.inputs)
    part = block.parts[lever.key.table, lever.key.name, "value"]
    at = part.first + (part.rows.index(lever.rows[0]) if lever.rows else 0)
    for end, value in zip(ENDS, effect.inputs, strict=True):
        where = absolute(at, SHOWN_AT[end])
        canvas.formula(row, SHOWN_AT[end], where, value, "number", fmt)


def _input_format(context: Context, quantity: Quantity, numbers: tuple[float, ...]) -> str:
    """A format with the digits that the moved values need."""
    values = [Value.number(number) for number in numbers]
    return excel_format(format_of(quantity, values, context.book.units))


def how_moved(context: Context, lever: Lever, end: End) -> tuple[str | None, str]:
    """How the rows of a column are moved, as a live text and as it reads now."""
    assert context.sensitivity is not None
    if end == "value":
        return None, "as stated"
    sign, step = ("-" if end == "low" else "+"), f"{context.sensitivity.step * 100:g}%"
    own = f"{end} ends" if lever.own else ""
    if not lever.stepped:
        return None, own
    before = f"{own}, {sign}" if own else sign
    return f'"{before}"&ROUND({STEP_NAME}*100,1)&"%"', f"{before}{step}"


def _rank(context: Context, listing: Listing, row: int) -> str:
    """Larger swings before it, and equal ones above it, plus one; equal as the language has it."""
    equal = context.layout.names.constants[EQUAL_WITHIN]
    all_, own = listing.area(SWING), relative(row, SWING)
    text = f"1+SUMPRODUCT(--({all_}-{own}>{equal}*({all_}+{own})))"
    if row == listing.first:
        return text
    above = f"{absolute(listing.first, SWING)}:{relative(row - 1, SWING)}"
    return f"{text}+SUMPRODUCT(--(ABS({above}-{own})<={equal}*({above}+{own})))"


def figure_title(context: Context, name: str) -> str:
    scalar = context.plan.scalars[name]
    symbol = context.symbol(scalar)
    return f"{scalar.title or name} ({symbol})" if symbol else scalar.title or name


def lever_name(context: Context, lever: Lever) -> str:
    """How a formula of the plan writes it."""
    key = lever.key
    if key.table is None:
        return context.layout.names.scalars[key.name, "value"]
    return f"{key.table}.{key.name}" if key.row is None else f"{key.table}.{key.row}.{key.name}"


def rest_in_words(listing: Listing) -> str:
    """What is not listed, as shipped."""
    less = len(listing.ranking.effects) - len(listing.effects)
    still = listing.ranking.still
    parts = [f"{less} more {'input moves' if less == 1 else 'inputs move'} it"] if less else []
    if still:
        parts.append(f"{still} that it rests on {'does' if still == 1 else 'do'} not move it")
    return f"As shipped: {', and '.join(parts)}." if parts else "No other input moves it."


# ------------------------------------------------------------------ blocks


def _block(canvas: Canvas, context: Context, block: Block) -> None:
    canvas.text(block.heading, TITLE, f"When this moves: {block.lever.title}", "section")
    for at, text in enumerate(BLOCK_HEADINGS):
        role: Role = "heading_number" if at in SHOWN_AT.values() else "heading"
        canvas.text(block.heading + 1, at, text, "heading_text" if at == UNIT else role)
    canvas.merged(block.heading + 1, FORMULA, RANK, "Formula", "heading")
    for part in block.parts.values():
        quantity = _quantity(context, part)
        title = quantity.title or quantity.name
        suffix = "" if part.end == "value" else f", {part.end}"
        if part.table is None:
            named = context.layout.names.scalars[part.name, part.end]
            canvas.text(part.first, TITLE, f"{title}{suffix}", "label")
            canvas.text(part.first, KEY, named, "key")
            _row(canvas, context, block, part, None, part.first)
            continue
        table = context.tables[part.table]
        over = f"{table.title}: {title}{suffix}"
        canvas.text(part.first - 1, TITLE, over, "total_label")
        canvas.text(part.first - 1, KEY, f"{part.table}.{part.name}", "key")
        titles = zip(part.rows, table.row_titles, strict=True)
        for at, (row, row_title) in enumerate(titles):
            canvas.text(part.first + at, TITLE, row_title or row, "label")
            canvas.text(part.first + at, KEY, row, "key")
            _row(canvas, context, block, part, row, part.first + at)


def _row(
    canvas: Canvas, context: Context, block: Block, part: Part, row: str | None, at: int
) -> None:
    """The three cells of a scalar or of a column's row, its unit and its formula."""
    quantity = _quantity(context, part)
    text = ""
    for end in ENDS:
        made = recipe(context, block, part, row, end)
        if made is None:
            return
        outside = View(context.layout, canvas.name)
        within = Within(context, outside, block, SHOWN_AT[end], row)
        try:
            printed = excel(made.tree, within if made.formula is not None else outside)
        except PrinterError as error:
            title = quantity.title or quantity.name
            canvas.tally.report(f"sensitivity of '{title}': {error.message}", quantity.position)
            return
        value = _stored(context, block, part, row, "value" if made.stays else end)
        fmt = _format(context, part)
        canvas.formula(at, SHOWN_AT[end], printed.text, value, "either", fmt, printed.array)
        text = made.formula.text if made.formula is not None else text
    canvas.text(at, UNIT, context.symbol(quantity), "symbol")
    if text:
        canvas.merged(at, FORMULA, RANK, " ".join(text.split()), "merged")


def _quantity(context: Context, part: Part) -> Quantity:
    if part.table is None:
        return context.plan.scalars[part.name]
    return context.tables[part.table].columns[part.name]


def _format(context: Context, part: Part) -> str:
    if part.table is None:
        return context.number_format(context.plan.scalars[part.name])
    table = context.tables[part.table]
    column = table.columns[part.name]
    return excel_format(context.column_format(table, column)) if column.kind == "number" else ""


def _stored(context: Context, block: Block, part: Part, row: str | None, at: End) -> float | str:
    """What the evaluator computed for a cell."""
    moved = {"low": block.trial.low, "value": None, "high": block.trial.high}[at]
    if part.table is None:
        own = moved.scalars.get(part.name) if moved is not None else None
        return stored(own or context.results.scalars[part.name], part.end)
    series = moved.columns.get((part.table, part.name)) if moved is not None else None
    if series is None:
        series = context.results.tables[part.table][part.name]
    assert row is not None
    return stored_column(series, part.end)(context.layout.row_numbers[part.table][row])
