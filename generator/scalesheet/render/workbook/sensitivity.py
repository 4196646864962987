"""The Sensitivity sheet: the inputs that affect the headline figures most, for the shipped plan.

Each figure has its top inputs, each changed alone, as computed by the build; and its current value,
so that any other change can be tried in the inputs themselves.
"""

from __future__ import annotations

from collections.abc import Mapping

from scalesheet.evaluate.levers import Lever
from scalesheet.evaluate.sensitivity import Effect, Ranking, ranks
from scalesheet.frozen import dataclass
from scalesheet.language.syntax import ENDS, End
from scalesheet.model import Quantity
from scalesheet.numbers import excel_format, format_of
from scalesheet.quantities import DATE
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.changes import CHANGED_CELLS
from scalesheet.render.workbook.context import Context, stored
from scalesheet.render.workbook.formats import Role
from scalesheet.render.workbook.places import KEY, TITLE, TOP, UNIT, SheetPlan, prefix
from scalesheet.values import Value

SHOWN_AT: Mapping[End, int] = {"low": 2, "value": 3, "high": 4}
RESULT_AT: Mapping[End, int] = {"low": 6, "value": 7, "high": 8}
SWING, RANK = 9, 10
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
OUTDATED = "Inputs were changed since; the effects shown are those of the plan as shipped."


@dataclass(frozen=True)
class Listing:
    """The inputs listed for one figure, from `first` on."""

    ranking: Ranking
    heading: int
    effects: tuple[Effect, ...]

    @property
    def now(self) -> int:
        """The row with the current value of the figure."""
        return self.heading + 2

    @property
    def first(self) -> int:
        return self.heading + 3

    @property
    def last(self) -> int:
        return self.first + len(self.effects) - 1


def arrange(context: Context) -> tuple[Listing, ...]:
    """Place the lists below one another."""
    assert context.sensitivity is not None
    listings, row = [], TOP + 2
    for ranking in context.sensitivity.rankings:
        if ranking.shown:
            listings.append(Listing(ranking, row, ranking.shown))
            row = listings[-1].last + 4
    return tuple(listings)


def write_sensitivity(canvas: Canvas, context: Context, plan: SheetPlan) -> None:
    canvas.widths(*WIDTHS)
    canvas.formula(TOP, TITLE, outdated(context), "", "count")
    for listing in arrange(context):
        _listing(canvas, context, listing)
    canvas.sheet.freeze_panes(TOP, KEY)


def outdated(context: Context) -> str:
    """A formula for the note that an input differs from the shipped one."""
    return f'IF({prefix(context.layout.sheet("changes"))}{CHANGED_CELLS}>0,"{OUTDATED}","")'


def sheet_prefix(context: Context) -> str:
    return prefix(context.layout.sheet("sensitivity"))


# ------------------------------------------------------------------ lists


def _listing(canvas: Canvas, context: Context, listing: Listing) -> None:
    name, ranking = listing.ranking.name, listing.ranking
    scalar = context.plan.scalars[name]
    canvas.text(listing.heading, TITLE, figure_title(context, name), "section")
    for at, text in enumerate(LIST_HEADINGS):
        role: Role = "heading" if at <= KEY else "heading_number"
        canvas.text(listing.heading + 1, at, text, "heading_text" if at == UNIT else role)
    fmt = excel_format(format_of(scalar, ranking.values, context.book.units))
    defined = context.layout.names.scalars[name, "value"]
    canvas.text(listing.now, TITLE, "With the inputs as they are now", "label")
    canvas.text(listing.now, KEY, defined, "key")
    value = stored(ranking.value, "value")
    canvas.formula(listing.now, RESULT_AT["value"], defined, value, "either", fmt)
    places = ranks([effect.swing for effect in listing.effects])
    for row, effect, place in zip(
        range(listing.first, listing.last + 1), listing.effects, places, strict=True
    ):
        canvas.text(row, TITLE, effect.lever.title, "label")
        canvas.text(row, KEY, lever_name(context, effect.lever), "key")
        canvas.text(row, UNIT, context.symbol(effect.lever.quantity), "symbol")
        for end, shown in zip(ENDS, inputs(context, effect), strict=True):
            number_format = _input_format(context, effect.lever.quantity, effect.inputs)
            _put(canvas, row, SHOWN_AT[end], shown, number_format)
        for end, result in zip(ENDS, (effect.low, ranking.value, effect.high), strict=True):
            _put(canvas, row, RESULT_AT[end], stored(result, "value"), fmt)
        canvas.number(row, SWING, effect.swing, "number", "0.0" if scalar.unit == DATE else fmt)
        canvas.number(row, RANK, float(place), "key_number", "0")
    canvas.text(listing.last + 1, TITLE, rest_in_words(listing), "lead_line")


def _put(canvas: Canvas, row: int, column: int, value: float | str, fmt: str) -> None:
    if isinstance(value, str):
        canvas.text(row, column, value, "either")
    else:
        canvas.number(row, column, value, "either", fmt)


def inputs(context: Context, effect: Effect) -> tuple[float | str, ...]:
    """The input at its low side, as stated, and at its high side; for a column, how its rows
    change."""
    if effect.inputs is not None:
        return effect.inputs
    return tuple(_how_moved(context, effect.lever, end) for end in ENDS)


def _input_format(context: Context, quantity: Quantity, numbers: tuple[float, ...] | None) -> str:
    """A format with as many digits as the changed values need."""
    values = [Value.number(number) for number in numbers or ()]
    return excel_format(format_of(quantity, values, context.book.units))


def _how_moved(context: Context, lever: Lever, end: End) -> str:
    """Describe how the rows of a column change."""
    assert context.sensitivity is not None
    if end == "value":
        return "as stated"
    sign, step = ("-" if end == "low" else "+"), f"{context.sensitivity.step * 100:g}%"
    own = f"{end} ends" if lever.own else ""
    moved = f"{sign}{step}" if lever.stepped else ""
    return ", ".join(filter(None, (own, moved)))


def figure_title(context: Context, name: str) -> str:
    scalar = context.plan.scalars[name]
    symbol = context.symbol(scalar)
    return f"{scalar.title or name} ({symbol})" if symbol else scalar.title or name


def lever_name(context: Context, lever: Lever) -> str:
    """Its name in the plan's formulas."""
    key = lever.key
    if key.table is None:
        return context.layout.names.scalars[key.name, "value"]
    return f"{key.table}.{key.name}" if key.row is None else f"{key.table}.{key.row}.{key.name}"


def rest_in_words(listing: Listing) -> str:
    """Say how many inputs are not listed."""
    less = len(listing.ranking.effects) - len(listing.effects)
    still = listing.ranking.still
    parts = [f"{less} more {'input moves' if less == 1 else 'inputs move'} it"] if less else []
    if still:
        parts.append(f"{still} {'input does' if still == 1 else 'inputs do'} not move it")
    return f"As shipped: {', and '.join(parts)}." if parts else "No other input moves it."
