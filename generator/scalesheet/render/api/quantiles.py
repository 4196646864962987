"""Quantiles of a plan's headline figures, as JSON."""

from __future__ import annotations

from math import isfinite

from scalesheet.book import Book
from scalesheet.model import Plan
from scalesheet.render.api.values import Object
from scalesheet.sure.draws import Unknown
from scalesheet.sure.quantiles import LEVELS, Quantiles, Sure
from scalesheet.sure.spread import REPLICATES, SEED


def quantiles_json(book: Book, plan: Plan, found: Sure) -> Object:
    """Return the quantiles of each figure with their errors, reserves and causes, and the chance of
    each limit."""
    return {
        "plan": plan.id,
        "edition": book.edition.isoformat(),
        "draws": found.draws,
        "replicates": REPLICATES,
        "seed": SEED,
        "unknowns": [_unknown(each) for each in found.unknowns],
        "figures": {name: _figure(plan, name, found) for name in found.figures},
        "limits": dict(found.limits),
        "contingencies": [
            {"name": each.name, "on": each.on, "share": each.share}
            | {"covers": each.covers, "needed": each.needed}
            for each in found.contingencies
        ],
        "as_needed": _number(found.as_needed),
        "measured": list(found.measured),
        "reserve_before": _number(found.before),
        "find_out_first": found.first or None,
        "left_out": list(found.left_out),
    }


def _unknown(unknown: Unknown) -> Object:
    names = (".".join(filter(None, (key.table, key.row, key.name))) for key in unknown.keys)
    members = [
        {"name": name, "title": title} for name, title in zip(names, unknown.titles, strict=True)
    ]
    return {"name": unknown.name, "members": members, "predicted": unknown.made} | (
        {"found_by": unknown.found_by} if unknown.found_by else {}
    )


def _figure(plan: Plan, name: str, found: Sure) -> Object:
    each, unit = found.figures[name], plan.scalars[name].unit
    return {
        "unit": str(unit) if unit else "1",
        **{level: each.values[level] for level in (*LEVELS, "mean")},
        "errors": {level: _number(each.errors[level]) for level in (*LEVELS, "mean")},
        "reserve": each.reserve,
        "more_is_better": each.falls,
        "expected_covers": _number(each.expected),
        "without": each.without,
        "partial": name in found.partial,
        "causes": _causes(each),
    }


def _causes(each: Quantiles) -> list[Object]:
    return [
        {"unknown": one.unknown.name, "share": one.share, "total": one.total}
        | {"saves": one.saves, "worth": one.saves * each.reserve}
        for one in each.causes
    ]


def _number(value: float) -> float | None:
    return value if isfinite(value) else None
