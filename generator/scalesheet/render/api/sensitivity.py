"""The inputs that a plan's headline figures depend on most, as JSON."""

from __future__ import annotations

from scalesheet.book import Book
from scalesheet.evaluate.sensitivity import Effect, Ranking, Sensitivity
from scalesheet.model import Plan
from scalesheet.render.api.values import Object, value_json


def sensitivity_json(book: Book, plan: Plan, sensitivity: Sensitivity) -> Object:
    """Return `{"plan", "edition", "step", "figures": {name: {"inputs": [...], "without_effect"}}}`.

    The largest effect comes first. An input is `{"name", "title", "at", "low", "high", "swing"}`:
    `at` has its low, current and high value (null for a column, whose cells move together); `low`
    and `high` are the figure's expected value at either end.
    """
    return {
        "plan": plan.id,
        "edition": book.edition.isoformat(),
        "step": sensitivity.step,
        "figures": {each.name: _ranking(plan, each) for each in sensitivity.rankings},
    }


def _ranking(plan: Plan, ranking: Ranking) -> Object:
    return {
        "inputs": [_effect(plan, ranking.name, effect) for effect in ranking.effects],
        "without_effect": ranking.still,
    }


def _effect(plan: Plan, figure: str, effect: Effect) -> Object:
    key = effect.lever.key
    names = [key.table, key.row, key.name]
    unit = effect.lever.quantity.unit
    at: Object | None = None
    if effect.inputs is not None:
        low, value, high = effect.inputs
        at = {"value": value, "low": low, "high": high, "unit": str(unit) if unit else "1"}
    return {
        "name": ".".join(name for name in names if name is not None),
        "title": effect.lever.title,
        "at": at,
        "low": value_json(effect.low, plan.scalars[figure]),
        "high": value_json(effect.high, plan.scalars[figure]),
        "swing": effect.swing,
    }
