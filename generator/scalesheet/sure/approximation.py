"""Approximates P80 from the effect of each unknown alone, for a workbook, which cannot draw.

Works with logarithms of the figure: unknowns that move together add up, independent ones add as
squares. An input's effect is its swing in the tornado; a prediction's effect is its share of the
draws' spread.
"""

from __future__ import annotations

from math import isfinite, log, sqrt

from scalesheet.evaluate.sensitivity import Ranking
from scalesheet.sure.quantiles import Quantiles
from scalesheet.sure.shapes import NORMAL, P90

P80 = NORMAL.inv_cdf(0.8)


def p80_over_expected(each: Quantiles, ranking: Ranking) -> float | None:
    """The logarithm of P80 over the expected value. None if the expected value or P10 is not
    positive, or if more of the figure is better.
    """
    value = ranking.value.value
    if each.falls or not isinstance(value, float) or value <= 0 or each.values["p10"] <= 0:
        return None
    widths: dict[str, float] = {}
    for cause in each.causes:
        unknown = cause.unknown
        own = [one for one in ranking.effects if one.lever.own and one.lever.key in unknown.keys]
        ends = [(one.low.value, one.high.value) for one in own]
        if unknown.made or not ends:
            spread = log(each.values["p90"] / each.values["p10"]) / 2
            widths[unknown.name] = sqrt(cause.share) * spread
        else:
            widths[unknown.name] = sum(
                log(max(end for end in both if isinstance(end, float)) / value) for both in ends
            )
    total = sqrt(sum(width**2 for width in widths.values())) * P80 / P90
    return total if isfinite(total) else None
