"""The recorded runs of a plan as JSON, in the shape of `schema/api/plan-results.schema.json`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from scalesheet.actuals.progress import Moment, Money, Progress, Row
from scalesheet.model import Attempt
from scalesheet.render.api.values import Object
from scalesheet.values import Value

HOURS = "GPU * hour"
#: Figures of a row, and of the whole plan, in GPU hours.
OF_ROWS = ("planned", "spent", "failed", "committed", "left")
OF_PLANS = ("budget", *OF_ROWS, "outside")


def actuals_json(progress: Progress) -> Object:
    """Return the plan's progress: totals, rows, every attempt and the burn-down."""
    days = progress.calendar
    return {
        **{name: _value(getattr(progress, name)) for name in OF_PLANS},
        "forecast": _value(progress.forecast),
        "over": progress.over,
        "chance": progress.chance,
        "ratio": progress.ratio,
        "finished": progress.finished,
        "cost": _money(progress.money) if progress.money is not None else None,
        "calendar": None
        if days is None
        else {
            "begun": days.begun.isoformat(),
            "status": days.status.isoformat(),
            "per_day": _value(days.per_day, "GPU * hour / day"),
            "exhausted": days.exhausted.date().isoformat() if days.exhausted else None,
            "burned": _moments(days.burned),
            "to_burn": _moments(days.to_burn),
        },
        "rows": [_row(row) for row in progress.rows],
        "attempts": [_attempt(each) for each in progress.actuals.attempts],
    }


def _value(value: Value | float, unit: str = HOURS) -> Object:
    whole = value if isinstance(value, Value) else Value.number(value)
    return {"value": whole.value, "low": whole.low, "high": whole.high, "unit": unit}


def _money(money: Money) -> Object:
    return {
        "spent": _value(money.spent, "USD"),
        "estimated": _value(money.estimated, "USD"),
        "rate": _value(money.rate, "USD / (GPU * hour)"),
        "forecast": _value(money.forecast, "USD"),
        "budget": None if money.budget is None else _value(money.budget, "USD"),
    }


def _moments(points: Sequence[Moment]) -> list[list[object]]:
    return [[moment.isoformat(timespec="minutes"), left] for moment, left in points]


def _row(row: Row) -> Object:
    return {
        "id": row.id,
        "title": row.title,
        "runs": row.runs,
        "done": row.done,
        "running": row.running,
        **{name: _value(getattr(row, name)) for name in OF_ROWS},
        "cost": _value(row.cost, "USD"),
        "ratio": row.ratio,
        "expected": row.expected,
        "forecast": _value(row.forecast),
    }


def _attempt(attempt: Attempt) -> Object:
    """Return the fields of an attempt; fields that are not stated are null."""
    data: Object = {}
    for field in fields(attempt):
        if field.name in ("position", "origin"):
            continue
        value = getattr(attempt, field.name)
        data[field.name] = value.isoformat() if hasattr(value, "isoformat") else value
    return {**data, "from": attempt.origin}
