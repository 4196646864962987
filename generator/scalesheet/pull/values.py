"""Stated values: compares an input in the workbook, in the data and as shipped, and finds the
changes of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial

from scalesheet.evaluate.edits import input_name
from scalesheet.hints import date_hint
from scalesheet.language.arithmetic import in_bounds
from scalesheet.language.syntax import ENDS, End
from scalesheet.load.document import Steps, quotable
from scalesheet.model import DOMAINS, Key, Quantity, Stated
from scalesheet.pull.model import Edit, Pulling
from scalesheet.pull.sheets import Cell
from scalesheet.pull.sites import FILES, Site, set_cell
from scalesheet.pull.where import Place
from scalesheet.quantities import DATE, day_as_written, day_number, day_text, is_day
from scalesheet.render.workbook.context import ends_of, stated_ends, stated_text
from scalesheet.source.patch import Append, Change, Drop, Set, Swap
from scalesheet.source.spelling import number_text

#: The value of an input: a text, or low, value and high.
Said = str | tuple[float, float, float]


class ValueProblem(Exception):
    """A cell has an invalid value; `code` and the message say why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


def take_input(
    pulling: Pulling,
    key: Key,
    quantity: Quantity,
    stated: Stated,
    site_of: Callable[[], Site | None],
    places: Mapping[End, Place],
) -> None:
    """Compare one input with the data, and record an edit, a conflict or an error.

    Its site is requested only if it differs, because that parses a file.
    """
    place, name = places["value"], input_name(key)
    cells = {end: pulling.cell(at) for end, at in places.items()}
    symbol, told = symbol_of(pulling, quantity), partial(shown, of=quantity)
    if all(cell.blank for cell in cells.values()):
        site = site_of()
        if site is not None and pulling.sites.falls_back(site):
            _emptied(pulling, key, quantity, stated, site, place)
            return
    ours = said_by(stated, symbol)
    base = ours if pulling.same else _shipped(pulling, key, quantity)
    try:
        theirs, along = _followed(said_in(cells, quantity, stated), base, quantity.domain)
        if same(theirs, ours) or (base is not None and same(theirs, base)):
            return
        _in_order(theirs, places)
    except ValueProblem as problem:
        pulling.refuse(problem.code, place, f"'{name}' {problem.message}")
        return
    if base is None:
        message = f"'{name}' is {told(theirs)} here and {told(ours)} in the data"
        remedy = "which is newer is unknown without the shipped values; edit the data"
        pulling.refuse("W007", place, f"{message}; {remedy}")
        return
    if not same(ours, base):
        message = f"'{name}' was {told(base)}, is {told(theirs)} here and {told(ours)} in the data"
        pulling.refuse("W007", place, f"{message}; enter one of the two in the cell")
        return
    site = site_of()
    if site is None:
        where = "is not in a file written by hand"
        if key.table is not None and pulling.tables[key.table].each:
            where = f"is chosen for each row of a cross table; state '{key.name}' under 'with:'"
        component = pulling.sites.component_of(name)
        if component is not None:
            where = f"is a figure of a component, the same in every plan; edit {component}"
        pulling.leave(place, f"'{name}' {where}")
        return
    try:
        changes, text = changes_of(pulling, key, quantity, stated, site, theirs)
    except ValueProblem as problem:
        pulling.refuse(problem.code, place, f"'{name}' {problem.message}")
        return
    text += along
    if any(cell.formula for cell in cells.values()):
        text += "; what the formula in its cell gives"
    old, new = told(ours), told(theirs) + text
    pulling.edits.append(Edit(name, str(place), site, old, new, tuple(changes)))


def _followed(theirs: Said, base: Said | None, domain: str) -> tuple[Said, str]:
    """Adjust the ends if only the value was edited; also returns a remark.

    If there was no range, the ends equal the value: a column where another row has a range shows
    all three, and people edit the middle one. Ends that the new value has passed are scaled with
    it, within the domain.
    """
    if isinstance(theirs, str) or base is None or isinstance(base, str):
        return theirs, ""
    low, value, high = theirs
    if not same((low, base[1], high), base) or _alike(value, base[1]):
        return theirs, ""
    if base[0] == base[1] == base[2]:
        return (value,) * 3, ""
    if low <= value <= high or base[1] == 0 or value / base[1] <= 0:
        return theirs, ""
    least, most = (float(f"{end * value / base[1]:.12g}") for end in (low, high))
    limit = DOMAINS[domain][2]
    if limit is not None and most > limit >= value:
        return (least, value, limit), f"; low and high follow by the same factor, high to {limit:g}"
    return (least, value, most), "; low and high follow by the same factor"


def _in_order(theirs: Said, places: Mapping[End, Place]) -> None:
    """Check that a value is between its ends. Raises ValueProblem."""
    if isinstance(theirs, str):
        return
    low, value, high = theirs
    if low <= value <= high:
        return
    past, word, end = (low, "below", "low") if value < low else (high, "above", "high")
    at = {str(name): place for name, place in places.items()}.get(end, places["value"])
    text = f"is {number_text(value)}, {word} its {end} end of {number_text(past)}"
    remedy = f"change {at} too, or empty both ends where it has no range now"
    raise ValueProblem("W005", f"{text}; {remedy}")


def _emptied(
    pulling: Pulling, key: Key, quantity: Quantity, stated: Stated, site: Site, place: Place
) -> None:
    """Remove an input that a use of a component states."""
    ours, name = said_by(stated, symbol_of(pulling, quantity)), input_name(key)
    told = partial(shown, of=quantity)
    base = ours if pulling.same else _shipped(pulling, key, quantity)
    if base is None or not same(ours, base):
        message = f"'{name}' is empty here and {told(ours)} in the data, which has changed since"
        pulling.refuse(
            "W007", place, f"{message}; put {told(ours)} into the cell, or edit the data"
        )
        return
    new = "the default"
    pulling.edits.append(Edit(name, str(place), site, told(ours), new, (Drop(site.steps),)))


def symbol_of(pulling: Pulling, quantity: Quantity) -> str:
    if quantity.unit is None or quantity.show.percent:
        return ""
    return pulling.book.units.symbol(quantity.unit)


# ------------------------------------------------------------------ what is said


def said_by(stated: Stated, symbol: str) -> Said:
    text = stated_text(stated, symbol)
    return stated_ends(stated) if text is None else text


def stated_as(quantity: Quantity, said: Said) -> object:
    """A new row's cells in the form in which a file states them."""
    if isinstance(said, str):
        return {"reason": said} if quantity.kind == "number" else said
    low, value, high = said
    return value if low == value == high else {"value": value, "low": low, "high": high}


def said_in(cells: Mapping[End, Cell], quantity: Quantity, stated: Stated | None) -> Said:
    """Read the cells of an input. Raises ValueProblem."""
    for cell in cells.values():
        if cell.error is not None:
            lost = cell.error == "#REF!"
            text = f"shows {cell.error}; put its value back"
            raise ValueProblem("W004" if lost else "W005", text)
        if cell.formula is not None and cell.value is None:
            text = "holds a formula that is not computed; save it from a spreadsheet program"
            raise ValueProblem("W005", f"{text}, or write the value")
    typed = {end: _day(cell.value, quantity) for end, cell in cells.items()}
    value = typed["value"]
    if quantity.kind != "number":
        return _text(value, quantity)
    if isinstance(value, str) and value.strip():
        return _reason(value, quantity, stated)
    numbers = {}
    for end in ENDS:
        each = typed.get(end, value)
        if each in (None, ""):
            each = value  # a missing end equals the value
        which = f"has a {end} end that " if end in typed and end != "value" else ""
        if isinstance(each, bool) or not isinstance(each, float):
            raise ValueProblem("W005", f"{which}{_no_number(each, quantity, stated)}")
        try:
            numbers[end] = in_bounds(each)
        except ValueError as error:
            raise ValueProblem("W005", f"{which}is {each:g}, which {error}") from None
    return numbers["low"], numbers["value"], numbers["high"]


def _day(value: object, quantity: Quantity) -> object:
    """A day that was typed as text, in the form in which spreadsheets store days."""
    if quantity.unit != DATE or not isinstance(value, str):
        return value
    days = (value,) if is_day(value) else day_as_written(value)
    with suppress(ValueError):
        return day_number(days[0]) if len(days) == 1 else value
    return value


def _wanted(quantity: Quantity) -> str:
    return "a date such as 2026-03-31" if quantity.unit == DATE else "a number"


def _no_number(value: object, quantity: Quantity, stated: Stated | None) -> str:
    if value in (None, ""):
        reason = ", or a reason why there is none" if _may_reason(quantity, stated) else ""
        return f"is empty; write {_wanted(quantity)}{reason}"
    wanted = _wanted(quantity)
    return f"is {quotable(str(value))!r}, which is not {wanted}; write {wanted}"


def _reason(text: str, quantity: Quantity, stated: Stated | None) -> str:
    """Text in place of a number: a reason, if it can be one and does not look like a typo."""
    if stated is not None and text == stated.reason:
        return text
    bare = text.strip().replace("\u00a0", "").replace(" ", "").replace("'", "")
    if bare[:1] in "+-0123456789.,≥≤" and any(c in "0123456789" for c in bare):
        if bare[:1] in "≥≤" and stated is not None and stated_text(stated, "") is not None:
            return text
        as_ = date_hint(text) or f"; write it as {_wanted(quantity)}"
        raise ValueProblem("W005", f"is the text {quotable(text)!r}{as_}")
    if not _may_reason(quantity, stated):
        wanted = _wanted(quantity)
        message = f"is the text {quotable(text)!r}, not {wanted}"
        raise ValueProblem("W005", f"{message}, and this cell cannot hold a reason; write {wanted}")
    return text.strip()


def _may_reason(quantity: Quantity, stated: Stated | None) -> bool:
    return quantity.may_reason or (stated is not None and stated.reason is not None)


def cell_text(value: object, quantity: Quantity) -> str:
    """The text of a cell, or empty; a date stored as a number, as text."""
    return "" if value is None or value == "" else _text(value, quantity)


def _text(value: object, quantity: Quantity) -> str:
    """The text of a cell with words, ids, text or dates."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if quantity.kind == "date" and value == int(value) and 0 < value < 100_000:
            return day_text(value)
        return str(int(value)) if value == int(value) else repr(value)
    text = str(value or "")
    if not text.strip() and quantity.kind not in ("text", "date"):
        raise ValueProblem("W005", "is empty; choose from the list")
    return text


def _shipped(pulling: Pulling, key: Key, quantity: Quantity) -> Said | None:
    """The value that the workbook was shipped with; None if unknown."""
    if quantity.kind in ("text", "date") and key.table is not None:
        return None
    cells = {}
    for end in ends_of(quantity):
        cell = pulling.where.shipped.get(input_name(key, end))
        if cell is not None:
            cells[end] = cell
    value = cells.get("value", Cell()).value
    if isinstance(value, str):
        return value
    if not isinstance(value, float):
        return None
    low, high = (cells[end].value if end in cells else value for end in ("low", "high"))
    if not isinstance(low, float) or not isinstance(high, float):
        return None
    return low, value, high


def same(one: Said, other: Said) -> bool:
    """Whether values agree in the 15 digits that LibreOffice saves; text except for whitespace."""
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str) and one.split() == other.split()
    return all(_alike(a, b) for a, b in zip(one, other, strict=True))


def shown(text: Said, of: Quantity | None = None) -> str:
    """A value in a line of the report."""
    if isinstance(text, str):
        return quotable(text) if text else "nothing"
    old = "2026-01-01" if of is not None and of.unit == DATE else ""
    low, value, high = (number_text(each, old) for each in text)
    return value if low == high == value else f"{value} ({low} to {high})"


# ------------------------------------------------------------------ what changes


def changes_of(
    pulling: Pulling, key: Key, quantity: Quantity, stated: Stated, site: Site, theirs: Said
) -> tuple[list[Change], str]:
    """The changes of the file, and a remark for the report. Raises ValueProblem."""
    if key.table == "offers" and key.name == "node_price":
        return _new_price(pulling, site, theirs), ", as a new entry of its prices"
    if not site.there:
        return _new_value(pulling, key, quantity, site, theirs)
    data = site.data
    sourced = isinstance(data, Mapping) and "source" in data
    text = "; its source and kind are those of the old value" if sourced else ""
    if isinstance(data, Mapping) and "rule" in data and isinstance(theirs, str):
        return [Swap((*site.steps, "rule"), "value", theirs)], ", in place of the rule"
    if isinstance(theirs, str):
        return _text_changes(quantity, stated, site, data, theirs), text
    changes = _number_changes(pulling, quantity, site, data, theirs)
    if key.table in FILES and isinstance(data, Mapping) and "reason" in data:
        more = {k: v for k, v in _by_assumption(quantity).items() if k not in data}
        changes += [Set((*site.steps, k), v) for k, v in more.items()]
        text = ", as an assumption" + text if "kind" in more else text
    return changes, text


def _text_changes(
    quantity: Quantity, stated: Stated, site: Site, data: object, theirs: str
) -> list[Change]:
    if quantity.kind == "number" and theirs[:1] in "≥≤":
        raise ValueProblem("W006", "is an open bound, which is edited in the data")
    if not isinstance(data, Mapping):
        if quantity.kind == "number":
            return [Set(site.steps, {"reason": theirs})]
        return [Set(site.steps, _word(data, theirs))]
    if quantity.kind == "number":
        if "reason" in data:
            return [Set((*site.steps, "reason"), theirs)]
        numbers = [k for k in ("value", "low", "high", "at_least", "at_most") if k in data]
        return [
            Swap((*site.steps, numbers[0]), "reason", theirs),
            *(Drop((*site.steps, k)) for k in numbers[1:]),
        ]
    if "reason" in data:
        return [Swap((*site.steps, "reason"), "value", theirs)]
    return [Set((*site.steps, "value"), _word(data.get("value"), theirs))]


def _word(old: object, new: str) -> object:
    """Convert yes and no to true and false if the file has them."""
    return new == "yes" if isinstance(old, bool) and new in ("yes", "no") else new


def _number_changes(
    pulling: Pulling,
    quantity: Quantity,
    site: Site,
    data: object,
    theirs: tuple[float, float, float],
) -> list[Change]:
    low, value, high = _in_unit(pulling, quantity, data, theirs)
    if not isinstance(data, Mapping):
        if low == value == high:
            return [Set(site.steps, value)]
        return [Set(site.steps, {"value": value, "low": low, "high": high})]
    changes: list[Change] = []
    steps = site.steps
    swapped = next((k for k in ("reason", "at_least", "at_most") if k in data), None)
    if swapped is not None:
        changes.append(Swap((*steps, swapped), "value", value))
        ends = [("low", low), ("high", high)] if not low == value == high else []
        return [*changes, *(Set((*steps, k), v, swapped) for k, v in ends)]
    key = "price" if "price" in data else "value"
    old = data.get(key)
    if low == value == high and ("low" in data or "high" in data):
        return _without_ends(steps, data, key, value)
    if old is not None:
        if isinstance(old, str) or not _alike(old, value):
            changes.append(Set((*steps, key), value))
    elif not _alike((low + high) / 2, value):
        changes.append(Set((*steps, key), value, "high"))
    for name, end in (("low", low), ("high", high)):
        if name in data:
            if isinstance(data[name], str) or not _alike(data[name], end):
                changes.append(Set((*steps, name), end))
        elif not _alike(value, end):
            changes.append(Set((*steps, name), end, "low" if "low" in data else key))
    return changes


def _without_ends(steps: Steps, data: Mapping[str, object], key: str, value: float) -> list[Change]:
    """Replace a range by a single number."""
    ends = [name for name in ("low", "high") if name in data]
    first: Change = Set((*steps, key), value)
    if key not in data:
        first = Swap((*steps, ends.pop(0)), key, value)
    return [first, *(Drop((*steps, name)) for name in ends)]


def _alike(one: float, other: float) -> bool:
    """Whether two numbers agree in the 15 digits that LibreOffice saves."""
    return abs(one - other) <= 1e-14 * max(abs(one), abs(other))


def _in_unit(
    pulling: Pulling, quantity: Quantity, data: object, numbers: tuple[float, float, float]
) -> tuple[float, float, float]:
    """Convert the numbers to the unit that the file uses."""
    units = pulling.book.units
    if not isinstance(data, Mapping) or "unit" not in data or quantity.unit is None:
        return numbers
    own = units.parse(str(data["unit"]))
    if own == quantity.unit:
        return numbers
    factor = float(units.factor(own, quantity.unit))
    low, value, high = (float(f"{number / factor:.15g}") for number in numbers)
    return low, value, high


def _new_value(
    pulling: Pulling, key: Key, quantity: Quantity, site: Site, theirs: Said
) -> tuple[list[Change], str]:
    """Add a key that no file states yet."""
    above = Site(site.document, site.steps[:-1])
    if not isinstance(above.data, Mapping):
        raise ValueProblem("W006", "is not stated in any file yet; state it in the data")

    def first(said: object) -> list[Change]:
        change = set_cell(above, str(site.steps[-1]), said)
        return [] if change is None else [change]

    if isinstance(theirs, str):
        return first({"reason": theirs} if quantity.kind == "number" else theirs), ""
    low, value, high = theirs
    whole: dict[str, object] = {"value": value}
    if not low == value == high:
        whole |= {"low": low, "high": high}
    if key.table in FILES and _by_assumption(quantity):
        whole |= _by_assumption(quantity)
        return [Set(site.steps, whole)], ", as an assumption"
    return first(whole if len(whole) > 1 else value), ""


def _by_assumption(quantity: Quantity) -> dict[str, str]:
    """What a catalogue file says about a figure that was not stated before."""
    if quantity.unit is None or quantity.unit.pure:
        return {}
    return {"unit": str(quantity.unit), "kind": "assumption"}


def _new_price(pulling: Pulling, site: Site, theirs: Said) -> list[Change]:
    """Append a price that holds from the edition's date on; no price is overwritten."""
    if isinstance(theirs, str) or not site.steps or site.steps[0] != "prices":
        raise ValueProblem("W006", "has no price to go by; add an entry to its prices in the data")
    low, value, high = theirs
    entries, at = site.document.data["prices"], site.steps[1]
    last, day = entries[-1], pulling.book.edition.isoformat()
    if entries[at] is not last or str(last["from"]) >= day:
        text = f"has a price from {last['from']}, and a new one would hold from {day}"
        raise ValueProblem("W006", f"{text}, the edition; edit its prices in the data")
    entry: dict[str, object] = {"from": day, "price": value}
    if not low == value == high:
        entry |= {"low": low, "high": high}
    entry |= {"unit": last["unit"], "kind": "assumption", "note": "from an edited workbook"}
    return [Append(("prices",), entry)]
