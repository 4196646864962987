"""Describes the actuals of a plan in words: in one line, and in a few."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.actuals.progress import Progress, Row
from scalesheet.numbers import Format, number, span
from scalesheet.values import Value
from scalesheet.vocabulary import counted


def amount(value: float, unit: str = "GPU h") -> str:
    """`11,200 GPU h`, `41.5 GPU h`."""
    return f"{number(value, Format(0 if abs(value) >= 100 else 1, least=0))} {unit}".rstrip()


def interval(value: Value) -> str:
    """`10,100–12,400`: the 80 % interval; empty if it is a single value."""
    if not value.ranged:
        return ""
    assert value.low is not None
    assert value.high is not None
    return span(value.low, value.high, Format(0 if value.high >= 100 else 1, least=0))


def percent(share: float) -> str:
    return f"{number(abs(share) * 100, Format(0 if abs(share) >= 0.01 else 1, least=0))} %"


def over(share: float) -> str:
    """`3 % over`, `12 % under`, `on budget`."""
    if abs(share) < 0.0005:
        return "on budget"
    return f"{percent(share)} {'over' if share > 0 else 'under'}"


def in_short(progress: Progress) -> str:
    """`forecast 11,200 of 10,827 GPU h: 3 % over`"""
    forecast = amount(float(progress.forecast.value or 0.0), "")
    return f"forecast {forecast} of {amount(progress.budget)}: {over(progress.over)}"


def figures(progress: Progress) -> Iterator[tuple[str, str, str]]:
    """Name, figure and remark for each line about the whole plan."""
    shown = progress
    yield "Budget", amount(shown.budget), _budget(shown)
    share = percent(shown.spent / shown.budget) + " of the budget" if shown.budget else ""
    yield "Spent", amount(shown.spent), share
    if shown.failed:
        yield "of which failed", amount(shown.failed), "attempts that failed or were cancelled"
    if shown.outside:
        yield "of which outside", amount(shown.outside), "runs that match no row of the plan"
    yield "Committed", amount(shown.committed), "what running runs are still expected to take"
    yield "Left", amount(shown.left), "budget - spent - committed"
    said = _with_interval(shown.forecast, over(shown.over))
    yield "Forecast", amount(float(shown.forecast.value or 0.0)), said
    yield "Chance to stay within budget", percent(shown.chance), ""
    if shown.ratio is not None:
        runs = counted(shown.finished, "finished run")
        yield "Actual / planned", number(shown.ratio, Format(2)), f"of {runs}, failures included"
    if shown.calendar is not None:
        days = number(shown.calendar.days, Format(0))
        rate = f"{amount(shown.calendar.per_day)} a day, the mean of the last {days} days"
        day = shown.calendar.exhausted
        yield "Budget used up", day.date().isoformat() if day else "never", f"at {rate}"
    if shown.money is not None:
        yield from _money(shown)


def _budget(progress: Progress) -> str:
    if progress.actuals.budget:
        return f"{progress.budget_title}; the rows of the plan sum to {amount(progress.planned)}"
    return "the sum of the rows of the plan"


def _money(progress: Progress) -> Iterator[tuple[str, str, str]]:
    money = progress.money
    assert money is not None
    rate = f"{number(money.rate, Format(2))} USD per GPU h"
    guessed = f"{amount(money.estimated, 'USD')} of it estimated, at {rate}"
    yield "Cost so far", amount(money.spent, "USD"), guessed if money.estimated else ""
    value = float(money.forecast.value or 0.0)
    against = f"at {rate}"
    if money.budget:
        against += f"; {over(value / money.budget - 1)} of {amount(money.budget, 'USD')}"
    yield "Cost forecast", amount(value, "USD"), _with_interval(money.forecast, against)


def _with_interval(forecast: Value, said: str) -> str:
    return f"80 % interval {interval(forecast)}; {said}" if forecast.ranged else said


#: The columns of the table of rows.
COLUMNS = (
    "Planned",
    "Runs",
    "Spent",
    "Failed",
    "Committed",
    "Left",
    "Actual / planned",
    "Coming runs",
    "Forecast",
    "80 % interval",
)


def cells(row: Row) -> tuple[str, ...]:
    """The cells of a plan's row under those columns."""
    runs = f"{row.done}{f' + {row.running}' * bool(row.running)} of {row.runs}"
    return (
        amount(row.planned, ""),
        runs,
        amount(row.spent, ""),
        amount(row.failed, ""),
        amount(row.committed, ""),
        amount(row.left, ""),
        "" if row.ratio is None else number(row.ratio, Format(2)),
        number(row.expected, Format(2)),
        amount(float(row.forecast.value or 0.0), ""),
        interval(row.forecast),
    )


def total(progress: Progress) -> tuple[str, ...]:
    """The line below the rows, including what was spent outside them."""
    done, running, runs = (
        sum(getattr(row, name) for row in progress.rows) for name in ("done", "running", "runs")
    )
    return (
        amount(progress.planned, ""),
        f"{done}{f' + {running}' * bool(running)} of {runs}",
        amount(progress.spent, ""),
        amount(progress.failed, ""),
        amount(progress.committed, ""),
        amount(progress.planned - progress.spent - progress.committed, ""),
        "" if progress.ratio is None else number(progress.ratio, Format(2)),
        "",
        amount(float(progress.forecast.value or 0.0), ""),
        interval(progress.forecast),
    )


def method(progress: Progress) -> str:
    """Describe how the forecast was made, with its numbers."""
    return (
        f"The forecast is what was spent, plus what running runs will still take, plus the plan "
        "of the remaining runs times their expected ratio. That ratio is 1 before any run is "
        "finished; each of "
        f"the {progress.finished} finished runs pulls it toward what was observed, first in its "
        "own "
        "phase, then in all. The hours of a finished run include its failed attempts."
    )
