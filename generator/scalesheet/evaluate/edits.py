"""Reads an edit of an input as people write it: `batch_size=16`, `steps_per_hour=1800..2000`."""

from __future__ import annotations

import re
from functools import partial

from scalesheet.book import Book
from scalesheet.evaluate.routes import PHASES
from scalesheet.hints import date_hint, number_hint, share_hint
from scalesheet.language.arithmetic import NOT_A_NUMBER
from scalesheet.language.syntax import End
from scalesheet.model import DOMAIN_WORDS, Key, Plan, Quantity, Stated, within
from scalesheet.nearest import nearest
from scalesheet.quantities import DATE, behind, day_number, is_day
from scalesheet.quantities import quantity as written
from scalesheet.short_names import in_full
from scalesheet.units import Unit, UnitError, Units

_CELL = re.compile(r"(?P<table>[a-z0-9_.]+)\['?(?P<row>[a-z0-9_-]+)'?\]\.(?P<column>[a-z0-9_]+)")


class EditError(ValueError):
    """An edit that names no input, or an invalid value."""


def input_name(key: Key, end: End = "value") -> str:
    """The name of an input in edits, such as `runs['small'].steps`; its ends as `low(...)`."""
    name = key.name if key.table is None else f"{key.table}['{key.row}'].{key.name}"
    return name if end == "value" else f"{end}({name})"


def read_edit(book: Book, plan: Plan, text: str) -> tuple[Key, Stated]:
    """The key and value of `name=value`, `name=low..high` or `table['row'].column=value`.

    Raises EditError for an unknown name, a derived quantity, or a value outside the domain.
    """
    name, sign, value = (part.strip() for part in text.partition("="))
    if not sign or not value:
        raise EditError("write NAME=VALUE")
    key, quantity, stated = _input(book, plan, in_edits(plan, name))
    return key, _value(book, plan, quantity, stated, value)


def in_edits(plan: Plan, name: str) -> str:
    """The name in edits of what plans call `total.cost`, `phases.sft.hours` or `sft.hours`."""
    name = in_full(name, plan.scalars)
    if name in plan.scalars or PHASES not in plan.tables:
        return name
    row, _, column = name.removeprefix(f"{PHASES}.").rpartition(".")
    phases = plan.tables[PHASES]
    known = row in phases.rows and column in phases.columns
    return f"{PHASES}['{row}'].{column}" if known else name


def _input(book: Book, plan: Plan, name: str) -> tuple[Key, Quantity, Stated]:
    match = _CELL.fullmatch(name)
    if match is not None:
        return _cell(book, plan, match["table"], match["row"], match["column"])
    scalar = plan.scalars.get(name)
    if scalar is not None and scalar.stated is not None:
        return Key(name), scalar, scalar.stated
    inputs = [n for n, s in plan.scalars.items() if s.stated is not None]
    if scalar is None:
        near = nearest(name, inputs) or f"; 'scalesheet show {plan.id} --all' lists the inputs"
        raise EditError(f"there is no input '{name}'{near}")
    sides = [n for n in inputs if n.startswith(f"{name}.")]
    hint = f"; its inputs are {' and '.join(sides)}" if sides else ""
    raise EditError(f"'{name}' is derived, and changes with its inputs{hint}")


def _cell(
    book: Book, plan: Plan, table: str, row: str, column: str
) -> tuple[Key, Quantity, Stated]:
    tables = {**book.tables, **plan.tables}
    if table not in tables:
        raise EditError(f"there is no table '{table}'{nearest(table, tables)}")
    result = tables[table]
    if row not in result.rows:
        raise EditError(f"'{row}' is not a row of {table}{nearest(row, result.rows)}")
    quantity = result.columns.get(column)
    if quantity is None and (shared := f"{table}.all.{column}") in plan.scalars:
        raise EditError(f"all rows of {table} share '{column}'; set {shared}")
    if quantity is None:
        raise EditError(f"'{column}' is not a column of {table}{nearest(column, result.columns)}")
    if row not in quantity.stated:
        raise EditError("this cell is derived, and changes with its inputs")
    return Key(column, table, row), quantity, quantity.stated[row]


def _value(book: Book, plan: Plan, quantity: Quantity, stated: Stated, text: str) -> Stated:
    if quantity.kind == "number":
        return _numbers(quantity, text, book.units)
    if quantity.kind == "flag":
        if text not in ("yes", "no"):
            raise EditError(f"expected yes or no, found '{text}'")
        return Stated(text == "yes")
    allowed = quantity.words
    if quantity.refers_to is not None:
        allowed = {**book.tables, **plan.tables}[quantity.refers_to].rows
    if allowed and text not in allowed:
        few = f" (one of {', '.join(allowed)})" if len(allowed) <= 8 else ""
        raise EditError(f"'{text}' is not possible here{nearest(text, allowed)}{few}")
    return Stated(text)


def _numbers(quantity: Quantity, text: str, units: Units) -> Stated:
    low, sign, high = text.partition("..")
    if quantity.unit != DATE and sign and behind(high) and not behind(low):
        low = f"{low.strip()} {behind(high)}"  # `1 .. 2 TB`: the high end's unit applies to both
    read = _day if quantity.unit == DATE else partial(_number, unit=quantity.unit, units=units)
    lowest = read(low)
    highest = read(high) if sign else lowest
    if lowest > highest:
        raise EditError(f"the low end {low} is above the high end {high}; swap them")
    middle = (lowest + highest) / 2
    for which, number in (("", lowest), ("", highest), ("the middle of ", middle)):
        if not within(quantity.domain, number):
            message = f"{which}{text} is outside the domain '{quantity.domain}'"
            hint = share_hint(quantity.domain, number)
            remedy = hint or f"; write a number that is {DOMAIN_WORDS[quantity.domain]}"
            raise EditError(f"{message}{remedy}")
    return Stated(middle, lowest, highest, midpoint=bool(sign))


def _day(text: str) -> float:
    if not is_day(text):
        raise EditError(
            f"expected a date such as 2026-03-31, found '{text.strip()}'{date_hint(text)}"
        )
    try:
        return day_number(text)
    except ValueError as error:
        raise EditError(f"'{text.strip()}' {error}") from None


def _number(text: str, unit: Unit | None, units: Units) -> float:
    """A number in a unit, or with its own letter or unit: `50k`, `20GB`."""
    text = text.strip()
    try:
        return written(text, unit, units)
    except ValueError as error:
        reason = f": {error.message}" if isinstance(error, UnitError) else f" {error}"
        if str(error) != NOT_A_NUMBER:
            raise EditError(f"'{text}'{reason}") from None
        symbol = units.symbol(unit) if unit is not None else ""
        wanted = f"a number in {symbol}" if symbol else "a number"
        raise EditError(f"expected {wanted}, found '{text}'{number_hint(text)}") from None
