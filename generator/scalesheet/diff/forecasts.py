"""The forecasts of plans with actuals, before and after a change."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.actuals.words import in_short
from scalesheet.diff.changes import Forecast
from scalesheet.diff.matching import Names
from scalesheet.edition import Edition


def forecasts(base: Edition, head: Edition, names: Names) -> Iterator[Forecast]:
    """Every forecast of the new side, plan by plan."""
    was = {names.plans.get(id_): in_short(each) for id_, each in base.progress.items()}
    for id_, each in head.progress.items():
        yield Forecast(id_, was.get(id_, ""), in_short(each))
