"""The pictures of a plan, as its author asks for them: what is drawn, by the names of the plan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

ChartKind = Literal["bar", "column", "calendar"]


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture of one numeric column of a table over its rows.

    A calendar's bars begin at the column `start` rather than at 0. The column `deadline`, if the
    table has it, says by the end of which day each should be over.
    """

    id: str
    title: str
    kind: ChartKind
    table: str
    column: str
    alt: str
    start: str = ""
    deadline: str = ""


#: The chart of any plan with phases that has no calendar of its own.
CALENDAR = Chart(
    "calendar",
    "The phases in order",
    "calendar",
    "phases",
    "end",
    "Each phase from its start to its end, counted from the beginning of the plan",
    "start",
)


#: The same where the plan says on which day it begins: a Gantt chart.
DATED = replace(
    CALENDAR,
    column="end_date",
    alt="Each phase from the day on which it starts to the day on which it ends",
    start="start_date",
    deadline="deadline",
)


@dataclass(frozen=True, slots=True)
class Stack:
    """Bars made of parts, against a capacity.

    Either each row is a bar and `parts` are columns, or `bars` are columns and the rows their
    parts. `totals` are what the parts of a bar add up to: one column of the table with `parts`, a
    scalar for each bar with `bars`. `capacity` is a column, a scalar or nothing.
    """

    id: str
    title: str
    table: str
    alt: str
    parts: tuple[str, ...] = ()
    bars: tuple[str, ...] = ()
    totals: tuple[str, ...] = ()
    capacity: str = ""
    kind: Literal["stack"] = "stack"


#: What each phase costs, by part, in any plan whose phases have costs.
COSTS = Stack(
    "cost_by_phase",
    "Cost by phase",
    "phases",
    "What each phase costs, by accelerators, storage, egress and people as far as they are charged",
)


@dataclass(frozen=True, slots=True)
class Scatter:
    """The rows of a table as points on two of its columns, of which less is better."""

    id: str
    title: str
    table: str
    x: str
    y: str
    alt: str
    kind: Literal["scatter"] = "scatter"


@dataclass(frozen=True, slots=True)
class Sweep:
    """The scalar `figure` over values of the input `input`, all else being as it is.

    `capacity` is a scalar that the figure is compared with, or nothing.
    """

    id: str
    title: str
    input: str
    values: tuple[float, ...]
    figure: str
    alt: str
    capacity: str = ""
    kind: Literal["sweep"] = "sweep"


#: A picture of a plan.
Picture = Chart | Stack | Scatter | Sweep
