"""One value as JSON, and its quantity: unit, kind, source and formula."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from scalesheet.model import Citation, Formula, Likelihood, Quantity, Stated
from scalesheet.quantities import DATE, day_text
from scalesheet.units import Unit, Units
from scalesheet.values import Value

Object = dict[str, Any]


def without_blanks(data: Object) -> Object:
    """Return an object without keys that say nothing: null, and empty texts, lists and objects."""
    return {key: said for key, said in data.items() if said not in (None, "", [], {})}


def brief(data: Object) -> Object:
    """A value of a collection: an exact number without ends."""
    if {data.get("low"), data.get("high")} != {data.get("value")}:
        return data
    return {key: said for key, said in data.items() if key not in ("low", "high")}


def value_json(value: Value, quantity: Quantity) -> Object:
    """Return a number as `{"value", "low", "high", "unit"}`, any other value as `{"value"}`, and
    `{"reason", "code"}` where there is none.

    A number that is a date also has `"date"`, the day as text.
    """
    if value.reason is not None:
        return {"reason": value.reason, "code": reason_code(value.reason)}
    if quantity.kind != "number" or value.value is None:
        return {"value": value.value}
    number = value.value
    dated: Object = {}
    if quantity.unit == DATE and isinstance(number, float):
        dated = {"date": day_text(number)}
    return dated | {
        "value": value.value,
        "low": value.low,
        "high": value.high,
        "unit": str(quantity.unit) if quantity.unit is not None else "1",
    }


def reason_code(reason: str) -> str:
    """Return the first words of a reason as an identifier, such as `not-offered`.

    They end at a colon. Numbers are left out, so that the same reason always has the same code.
    """
    words = "".join(c if c.isalnum() else " " for c in reason.split(":")[0].lower()).split()
    return "-".join(word for word in words if not word.isdigit())[:40]


def quantity_json(
    value: Value,
    quantity: Quantity,
    units: Units,
    *,
    stated: Stated | None,
    formula: Formula | None,
) -> Object:
    """Return a value with its description and origin."""
    return (
        value_json(value, quantity)
        | described(quantity, units)
        | origin_json(stated, formula)
        | ({"note": quantity.note} if quantity.note and not (stated and stated.note) else {})
    )


def described(quantity: Quantity, units: Units) -> Object:
    """Return the title, type and printed unit of a scalar or column."""
    data: Object = {
        "title": quantity.title,
        "type": quantity.kind,
    }
    if quantity.kind == "number":
        data["symbol"] = unit_symbol(quantity.unit, units)
    if quantity.words:
        data["words"] = list(quantity.words)
    if quantity.refers_to is not None:
        data["refers_to"] = quantity.refers_to
    if quantity.hidden:
        data["hidden"] = True
    return data


def unit_symbol(unit: Unit | None, units: Units) -> str:
    """Return a symbol such as `USD/(GPU·h)`; empty for a pure number."""
    return units.symbol(unit) if unit is not None else ""


def origin_json(stated: Stated | None, formula: Formula | None) -> Object:
    """Return the origin of a value, without what is not stated: its kind, source and formula."""
    if stated is not None:
        return _stated(stated)
    if formula is None:
        return {}
    data: Object = {"kind": "derived", **_source(formula.citation), "formula": formula.text}
    if formula.uses:
        data["uses"] = list(formula.uses)
    if formula.outer:
        data["outer"] = True
    return data


def _stated(stated: Stated) -> Object:
    data: Object = {"kind": stated.basis, **_source(stated.citation)}
    bounds = {"at_least": stated.at_least, "at_most": stated.at_most}
    data |= {name: bound for name, bound in bounds.items() if bound is not None}
    if stated.midpoint:
        data["midpoint"] = True
    if stated.note:
        data["note"] = stated.note
    if stated.likelihood != Likelihood():
        data["likelihood"] = _likelihood(stated.likelihood)
    return data


def _likelihood(of: Likelihood) -> Object:
    """Return what the plan states about a likelihood, without defaults."""
    said = {"spread": of.spread, "moves_with": of.moves_with, "found_by": of.found_by}
    data: Object = {name: text for name, text in said.items() if text}
    if of.percentiles != Likelihood().percentiles:
        data["percentiles"] = [100 * each for each in of.percentiles]
    return data | ({"event": asdict(of.event)} if of.event is not None else {})


def _source(citation: Citation | None) -> Object:
    return {} if citation is None else {"source": source_json(citation)}


def source_json(citation: Citation | None) -> Object | None:
    """Return a source's key, the place within it, and the quoted text if that is on file."""
    if citation is None:
        return None
    text: Object = {"key": citation.key, "locator": citation.locator}
    return {**text, "quote": citation.quote} if citation.quote else text
