"""A measurement as JSON: each component beside its prediction."""

from __future__ import annotations

from scalesheet.model import Quantity
from scalesheet.render.api.values import Object, unit_symbol, value_json
from scalesheet.steps.comparison import Comparison, Pair
from scalesheet.units import Units


def comparison_json(comparison: Comparison, units: Units) -> Object:
    """Return `{"because", "assumed", "note", "twins", "components": {key: both figures and their
    ratio}}`.

    `because` says why there is no prediction; it is null where there is one.
    """
    return {
        "because": comparison.why or None,
        "assumed": list(comparison.assumed),
        "note": comparison.note,
        "twins": list(comparison.twins),
        "components": {key: _component(pair, units) for key, pair in comparison.pairs.items()},
    }


def _component(pair: Pair, units: Units) -> Object:
    quantity = Quantity(pair.key, pair.title, unit=pair.unit)
    return {
        "title": pair.title,
        "symbol": unit_symbol(pair.unit, units),
        "recorded": value_json(pair.recorded, quantity),
        "predicted": value_json(pair.predicted, quantity),
        "ratio": pair.ratio,
        "inside": pair.inside,
    }
