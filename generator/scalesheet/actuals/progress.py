"""The state of a plan: planned, spent, committed and remaining amounts per phase and in total, and
the estimate at completion.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from scalesheet.actuals.learning import NORMAL, P90, Learnt, learn, still_takes, to_come
from scalesheet.diagnostics import Diagnostic, at
from scalesheet.frozen import dataclass
from scalesheet.model import Actuals, Attempt, Plan, Stated
from scalesheet.values import Results, Value

#: The last days whose spending counts as the current rate.
RECENT = 28
#: Hours that a plan's calendar is shown for, a thousand years.
AHEAD = 24 * 365.25 * 1_000
#: Spent over planned hours of a row that are hardly right.
TOO_MUCH = 10
#: Points in a burn-down.
POINTS = 60

Moment = tuple[datetime, float]


@dataclass(frozen=True, slots=True)
class Row:
    """A phase, or a row of the plan's table, in GPU hours. `runs` is the plan's number of runs,
    `begun` the share of the planned hours that its finished and running runs cover, `ratio` that of
    actual to planned for finished runs, and `expected` that of future ones. `forecast` is the
    estimate at completion with its 80 % interval.
    """

    id: str
    title: str
    planned: float
    runs: int
    done: int
    running: int
    begun: float
    spent: float
    failed: float
    committed: float
    cost: float
    ratio: float | None
    expected: float
    forecast: Value

    @property
    def left(self) -> float:
        """The planned hours that are neither spent nor committed; negative if over."""
        return self.planned - self.spent - self.committed


@dataclass(frozen=True, slots=True)
class Money:
    """The same in USD. Hours without a stated cost are counted at `rate`, USD per GPU hour; rows
    without GPU hours at what the plan pays for them.
    """

    spent: float
    estimated: float  # the part that is counted at the rate
    rate: float
    forecast: Value
    budget: float | None


@dataclass(frozen=True, slots=True)
class Calendar:
    """The burn-down from `begun`, the start of the first run, to `status`, the latest time in the
    actuals. Each point of `burned` is the remaining budget, and each of `to_burn` what the plan
    expects it to be. At `per_day`, the mean of the last `days`, nothing is left at `exhausted`.
    """

    begun: datetime
    status: datetime
    days: float
    per_day: float
    exhausted: datetime | None
    burned: tuple[Moment, ...]
    to_burn: tuple[Moment, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """The actuals of a plan, in GPU hours. `budget` is the limit, `planned` the sum of its rows;
    `outside` was spent on runs that belong to no row. `hours` are those of each attempt.
    """

    actuals: Actuals
    hours: tuple[float, ...]
    rows: tuple[Row, ...]
    budget: float
    budget_title: str
    planned: float
    spent: float
    failed: float
    outside: float
    committed: float
    forecast: Value
    chance: float  # of staying within the budget
    ratio: float | None
    finished: int
    money: Money | None
    calendar: Calendar | None

    @property
    def left(self) -> float:
        """The budget that is neither spent nor committed."""
        return self.budget - self.spent - self.committed

    @property
    def over(self) -> float:
        """The share of the budget by which the forecast exceeds it; negative if it is below."""
        total = float(self.forecast.value or 0.0)
        return total / self.budget - 1 if self.budget else 0.0


@dataclass(frozen=True, slots=True)
class _Run:
    """The attempts of one run: done if one is done, else running if one is running, else failed."""

    attempts: tuple[Attempt, ...]
    planned: float
    hours: float

    @property
    def state(self) -> str:
        states = {each.state for each in self.attempts}
        return next((s for s in ("done", "running") if s in states), "failed")


def progress(plan: Plan, results: Results) -> Progress | None:
    """The state of a plan, or None if it has no actuals."""
    actuals = plan.actuals
    if actuals is None or not actuals.attempts:
        return None
    status = max((m for each in actuals.attempts for m in _known(each)), default=None)
    hours = [_hours(each, status) for each in actuals.attempts]
    table = plan.tables[actuals.table]
    column = results.tables[table.name]
    planned = {
        row: _number(column[actuals.gpu_hours][place]) for place, row in enumerate(table.rows)
    }
    counts = {
        row: max(1, round(_number(column[actuals.runs][place]))) if actuals.runs else 1
        for place, row in enumerate(table.rows)
    }
    runs = {row: _runs(actuals, hours, row, planned[row], counts[row]) for row in table.rows}
    done = {row: [r for r in each if r.state == "done"] for row, each in runs.items()}
    learnt = learn(
        {
            row: [r.hours / r.planned for r in each if r.hours and r.planned]
            for row, each in done.items()
        }
    )
    parts = [
        _row(plan, actuals, row, hours, planned[row], counts[row], runs[row], learnt)
        for row in table.rows
    ]
    rows = tuple(row for row, *_ in parts)
    ahead = {row.id: left for row, left, _ in parts if left[0] > 0}
    mean, variance = to_come(learnt, ahead)
    mean += sum(row.committed for row in rows)
    variance += sum(of_running for *_, of_running in parts)
    inside = sum(row.spent for row in rows)
    spent = math.fsum(hours)
    forecast = _forecast(learnt, spent, mean, variance)
    scalar = plan.scalars[actuals.budget] if actuals.budget else None
    budget = _number(results.scalars[actuals.budget]) if actuals.budget else sum(planned.values())
    finished = [r for each in done.values() for r in each if r.planned]
    return Progress(
        actuals=actuals,
        hours=tuple(hours),
        rows=rows,
        budget=budget,
        budget_title=scalar.title if scalar else "Planned",
        planned=sum(planned.values()),
        spent=spent,
        failed=_failed(actuals.attempts, hours),
        outside=spent - inside if any(a.phase not in planned for a in actuals.attempts) else 0.0,
        committed=sum(row.committed for row in rows),
        forecast=forecast,
        chance=_chance(learnt, budget - spent, mean, variance),
        ratio=_ratio(finished),
        finished=len(finished),
        money=_money(actuals, results, hours, forecast, budget, planned),
        calendar=_calendar(actuals, results, hours, status, budget, planned),
    )


def estimates(progress: Progress) -> dict[str, Stated]:
    """The estimate at completion of each row and the spending outside the rows, as inputs."""
    values = {row.id: row.forecast for row in progress.rows}
    values["outside"] = Value.number(progress.outside)
    return {
        row: Stated(value.value, value.low, value.high, basis="measured")
        for row, value in values.items()
    }


def _number(value: Value) -> float:
    return value.value if isinstance(value.value, float) else 0.0


def problems(progress: Progress) -> Iterator[Diagnostic]:
    """Report rows whose finished and running runs cover more than the plan has, or took so much
    more than planned that a duration is probably wrong.
    """
    for row in progress.rows:
        own = [a.position for a in progress.actuals.attempts if a.phase == row.id and a.position]
        if row.spent > TOO_MUCH * row.planned > 0:
            times = row.spent / row.planned
            message = (
                f"'{row.id}' took {row.spent:,.4g} GPU hours so far, {times:,.3g} times the "
                f"{row.planned:,.4g} planned; check the durations of its runs"
            )
            yield at(own[0], "A006", message)
        if row.begun > 1 + 1e-9:
            position = own[0]
            message = (
                f"'{row.id}' has {row.done} finished and {row.running} running runs, which are "
                f"{row.begun:.3g} times what the plan has ({row.runs}); raise the number of "
                "runs in the plan, or fill in the share of the phase that each run covers"
            )
            yield at(position, "A004", message)


# ------------------------------------------------------------------ runs


def _known(attempt: Attempt) -> Iterable[datetime]:
    """The times that a line of a run states, or that follow from its hours."""
    times = () if attempt.is_refund else (attempt.start, _last(attempt))
    yield from (m for m in times if m is not None)


def _last(attempt: Attempt) -> datetime | None:
    """When a run ended or was last seen, computed from its hours and GPUs if necessary."""
    if attempt.end or not (attempt.start and attempt.gpu_hours and attempt.gpus):
        return attempt.end
    return attempt.start + timedelta(hours=attempt.gpu_hours / attempt.gpus)


def _hours(attempt: Attempt, status: datetime | None) -> float:
    if attempt.gpu_hours is not None:
        return attempt.gpu_hours
    assert attempt.start is not None
    assert attempt.gpus is not None
    assert status is not None
    return attempt.gpus * (status - attempt.start).total_seconds() / 3600


def _runs(
    actuals: Actuals, hours: Sequence[float], row: str, planned: float, count: int
) -> list[_Run]:
    """The runs of a row, each with all its attempts."""
    grouped: dict[tuple[str, str], list[tuple[Attempt, float]]] = {}
    for attempt, took in zip(actuals.attempts, hours, strict=True):
        if attempt.phase == row and not attempt.is_refund:
            grouped.setdefault((attempt.run, attempt.seed), []).append((attempt, took))
    return [
        _Run(
            tuple(attempt for attempt, _ in each),
            planned * next((a.share for a, _ in each if a.share is not None), 1 / count),
            math.fsum(took for _, took in each),
        )
        for each in grouped.values()
    ]


def _ratio(runs: Sequence[_Run]) -> float | None:
    planned = math.fsum(run.planned for run in runs)
    return math.fsum(run.hours for run in runs) / planned if planned else None


def _failed(attempts: Sequence[Attempt], hours: Sequence[float]) -> float:
    pairs = zip(attempts, hours, strict=True)
    return math.fsum(took for each, took in pairs if each.state in ("failed", "cancelled"))


def _row(
    plan: Plan,
    actuals: Actuals,
    id_: str,
    hours: Sequence[float],
    planned: float,
    count: int,
    runs: Sequence[_Run],
    learnt: Learnt,
) -> tuple[Row, tuple[float, int], float]:
    """A row, its future runs as planned amount and count, and the variance of what its running runs
    will still take.
    """
    done = [r for r in runs if r.state == "done"]
    running = [r for r in runs if r.state == "running"]
    still = [still_takes(learnt, id_, r.planned, r.hours) for r in running if r.planned]
    begun = [r.planned for r in (*done, *running)]
    left = max(0.0, planned - math.fsum(begun))
    if left <= 1e-9 * planned:
        left = 0.0
    usual = math.fsum(begun) / len(begun) if begun else planned / count
    to_make = max(1, math.ceil(left / usual - 1e-9)) if usual else 1
    mean, variance = to_come(learnt, {id_: (left, to_make)}) if left else (0.0, 0.0)
    spent = math.fsum(r.hours for r in runs)
    committed = math.fsum(each for each, _ in still)
    of_running = math.fsum(each for _, each in still)
    own = [(a, h) for a, h in zip(actuals.attempts, hours, strict=True) if a.phase == id_]
    table = plan.tables[actuals.table]
    row = Row(
        id=id_,
        title=table.row_titles[table.rows.index(id_)],
        planned=planned,
        runs=count,
        done=len(done),
        running=len(running),
        begun=math.fsum(begun) / planned if planned else 0.0,
        spent=spent,
        failed=_failed([a for a, _ in own], [h for _, h in own]),
        committed=committed,
        cost=math.fsum(a.cost or 0.0 for a, _ in own),
        ratio=_ratio(done),
        expected=learnt.ratio(id_),
        forecast=_forecast(learnt, spent, mean + committed, variance + of_running),
    )
    return row, (left, to_make), of_running


# ------------------------------------------------------------------ forecast


def _forecast(learnt: Learnt, spent: float, mean: float, variance: float) -> Value:
    """The estimate at completion: spent hours plus those expected from running and future runs."""
    ends = (learnt.quantile(mean, variance, z) for z in (-P90, P90))
    low, high = (spent + end for end in ends)
    return Value(spent + mean, low, high)


def _chance(learnt: Learnt, left: float, mean: float, variance: float) -> float:
    """The chance that all further spending is within what is left, by bisection of the quantile."""
    if mean <= 0 or variance <= 0:
        return 1.0 if mean <= left else 0.0
    low, high = -6.0, 6.0
    for _ in range(50):
        z = (low + high) / 2
        low, high = (z, high) if learnt.quantile(mean, variance, z) <= left else (low, z)
    return NORMAL.cdf(low)


def _money(
    actuals: Actuals,
    results: Results,
    hours: Sequence[float],
    forecast: Value,
    may_take: float,
    planned: Mapping[str, float],
) -> Money | None:
    """The amounts in USD; None if neither the actuals nor the plan state any. Hours without a cost
    are priced like the others, or else by the plan's budget.
    """
    budget = _number(results.scalars[actuals.cost]) if actuals.cost else None
    costs = results.tables[actuals.table].get("cost")
    apart = {  # what the plan pays for rows without GPU hours, such as people's work
        row: _number(costs[place])
        for place, (row, planned_hours) in enumerate(planned.items())
        if costs is not None and not planned_hours
    }
    known = [
        (a, took) for a, took in zip(actuals.attempts, hours, strict=True) if a.cost is not None
    ]
    stated = math.fsum(a.cost or 0.0 for a, _ in known)
    priced = math.fsum(took for _, took in known)
    if priced:
        rate = math.fsum(a.cost or 0.0 for a, took in known if took) / priced
    elif budget is not None and may_take:
        rate = max(0.0, budget - sum(apart.values())) / may_take
    else:
        return None
    spent = math.fsum(hours)
    estimated = rate * (spent - priced)
    paid = {a.phase for a, _ in known if not a.is_refund}
    to_pay = math.fsum(cost for row, cost in apart.items() if row not in paid)
    value, low, high = (
        stated + estimated + to_pay + rate * (float(end or 0.0) - spent)
        for end in (forecast.value, forecast.low, forecast.high)
    )
    return Money(stated + estimated, estimated, rate, Value(value, low, high), budget)


# ------------------------------------------------------------------ calendar


def _calendar(
    actuals: Actuals,
    results: Results,
    hours: Sequence[float],
    status: datetime | None,
    budget: float,
    planned: Mapping[str, float],
) -> Calendar | None:
    """The burn-down, if runs state when they took place. A run's hours are spread evenly from its
    start to its end; those without a start count as spent from the beginning.
    """
    starts = (each.start for each in actuals.attempts if each.start and not each.is_refund)
    begun = min(starts, default=None)
    if begun is None or status is None or begun >= status:
        return None
    spans = [
        (a.start or begun, (_last(a) or status) if a.start else begun, took)
        for a, took in zip(actuals.attempts, hours, strict=True)
    ]
    recent = max(begun, status - timedelta(days=RECENT))
    days = max(1.0, (status - recent).total_seconds() / 86_400)
    spent = _burned(spans, status)
    per_day = (spent - _burned(spans, recent)) / days
    burned = [(m, budget - _burned(spans, m)) for m in _moments(begun, status)]
    exhausted = next((m for m, left in burned if left <= 0), None)
    if exhausted is None and per_day > 0:
        more = (budget - spent) / per_day
        exhausted = status + timedelta(days=more) if more < 36_500 else None
    by_plan = _planned(results, begun, budget, planned) if actuals.table == "phases" else ()
    return Calendar(begun, status, days, per_day, exhausted, tuple(burned), tuple(by_plan))


def _moments(begin: datetime, end: datetime) -> list[datetime]:
    return [begin + (end - begin) * place / POINTS for place in range(POINTS + 1)]


def _burned(spans: Sequence[tuple[datetime, datetime, float]], at: datetime) -> float:
    """The hours spent until a time."""
    return math.fsum(
        took if end <= at else took * ((at - start) / (end - start))
        for start, end, took in spans
        if start <= at
    )


def _planned(
    results: Results, begun: datetime, budget: float, planned: Mapping[str, float]
) -> Iterable[Moment]:
    """The burn-down according to the plan's calendar, from the start of the first run."""
    table = results.tables["phases"]

    def later(column: str, place: int) -> datetime:
        hours = _number(table[column][place])
        return begun + timedelta(hours=min(hours, AHEAD))

    spans = [
        (later("start", place), later("end", place), hours)
        for place, hours in enumerate(planned.values())
    ]
    last = max(end for _, end, _ in spans)
    for moment in _moments(begun, last):
        yield moment, budget - _burned(spans, moment)
