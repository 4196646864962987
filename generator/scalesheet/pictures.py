"""The charts of a plan as its author defines them, in terms of the plan's names."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from scalesheet.frozen import dataclass

ChartKind = Literal["bar", "column", "calendar"]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of one numeric column of a table over its rows.

    A calendar's bars begin at the column `start` instead of 0. The column `deadline`, if the table
    has it, is the day by whose end each bar should be over.
    """

    id: str
    title: str
    kind: ChartKind
    table: str
    column: str
    alt: str
    start: str = ""
    deadline: str = ""


#: The default calendar of a plan with phases.
CALENDAR = Chart(
    "calendar",
    "The phases in order",
    "calendar",
    "phases",
    "end",
    "Each phase from its start to its end, counted from the beginning of the plan",
    "start",
)


#: The same if the plan has a start date: a Gantt chart.
DATED = replace(
    CALENDAR,
    column="end_date",
    alt="Each phase from the day on which it starts to the day on which it ends",
    start="start_date",
    deadline="deadline",
)


@dataclass(frozen=True, slots=True)
class Stack:
    """Stacked bars, compared with a capacity.

    Either each row is a bar and `parts` are columns, or `bars` are columns and the rows their
    parts. `totals` are the sums of the parts: one column of the table with `parts`, a scalar for
    each bar with `bars`. `capacity` is a column, a scalar or nothing.
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


#: The cost of each phase by part, in any plan whose phases have costs.
COSTS = Stack(
    "cost_by_phase",
    "Cost by phase",
    "phases",
    "What each phase costs, by accelerators, storage, egress and people as far as they are charged",
)


@dataclass(frozen=True, slots=True)
class Scatter:
    """The rows of a table as points on two of its columns, where less is better."""

    id: str
    title: str
    table: str
    x: str
    y: str
    alt: str
    kind: Literal["scatter"] = "scatter"


@dataclass(frozen=True, slots=True)
class Sweep:
    """The scalar `figure` over values of the input `input`, with everything else fixed.

    `capacity` is a scalar to compare the figure with, or nothing.
    """

    id: str
    title: str
    input: str
    values: tuple[float, ...]
    figure: str
    alt: str
    capacity: str = ""
    kind: Literal["sweep"] = "sweep"


Picture = Chart | Stack | Scatter | Sweep
