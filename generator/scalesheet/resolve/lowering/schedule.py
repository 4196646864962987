"""The schedule of phases as formulas: dependencies, shared accelerators, working days."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from itertools import islice

from scalesheet.frozen import dataclass
from scalesheet.model import Phase

#: The plan's scalars for its start and for working hours per day.
BEGIN, WORKED = "begin", "hours_per_day"
#: The table of days off, and its column.
HOLIDAYS, DAY = "holidays", "day"
#: The plan's key for the first and last day of the working week.
WEEK = "week"
#: The number of accelerators that phases share.
SHARED = "gpus_to_share"
#: The most sets of phases running at the same time; beyond that, phases are simply added up.
MOST_SETS = 32


@dataclass(frozen=True, slots=True)
class Schedule:
    """What the formulas of all phases depend on: existing columns and scalars, phases where people
    work, and phases that need accelerators.
    """

    phases: tuple[Phase, ...]
    columns: frozenset[str]
    shared: bool
    off: bool  # whether there are holidays
    week: str | None  # the working week, if the plan states one
    people: frozenset[str]
    on_gpus: frozenset[str]

    def start(self, phase: Phase, not_before: bool) -> str | None:
        """The start of a phase: when everything it waits for is over. People begin in the morning
        of a working day.
        """
        ready = self._ready(phase, not_before)
        if phase.id in self.on_gpus or phase.id not in self.people:
            return ready
        moment = f"ceil({BEGIN} + {ready})" if ready else f"ceil({BEGIN})"
        return f"workday({moment}, 1{self._off}) - {BEGIN}"

    def _ready(self, phase: Phase, not_before: bool) -> str | None:
        terms = [f"phases['{other}'].end" for other in phase.after]
        terms += [f"max(0, not_before - {BEGIN})"] if not_before else []
        if self.shared and phase.id in self.on_gpus:
            terms += self._queued(phase)
        return terms[0] if len(terms) == 1 else f"max({', '.join(terms)})" if terms else None

    def end(self, phase: Phase) -> str:
        """The end of a phase. Its runs follow each other, as many in parallel as it says; people
        finish at the end of their last day.
        """
        ends = [f"start + gross_hours{self.rounds}"] if phase.id in self.on_gpus else []
        if phase.id in self.people:
            begun = f"{BEGIN} + start"
            first = f"ceil({begun})" if phase.id in self.on_gpus else f"floor({begun})"
            last = f"workday({first}, workdays{self._off})"
            ends.append(f"{last} - {BEGIN} + {WORKED} * min(1, workdays)")
        return f"max({', '.join(ends)})" if len(ends) > 1 else ends[0] if ends else "start"

    @property
    def rounds(self) -> str:
        """The factor from the hours of one run to those of all its successive runs."""
        if "times" not in self.columns:
            return ""
        return " * ceil(times / at_once)" if "at_once" in self.columns else " * times"

    @property
    def _off(self) -> str:
        off = f", {HOLIDAYS}.{DAY}" if self.off else ""
        return f"{off}, '{self.week}'" if self.week else off

    # -------------------------------------------------------------- accelerators

    def needed(self) -> str:
        """The accelerators that the phase needs while it runs."""
        if "at_once" not in self.columns:
            return "gpus"
        return "gpus * min(at_once, times)" if "times" in self.columns else "gpus * at_once"

    def _sum(self, phases: Sequence[str], own: str) -> str:
        def term(other: str) -> str:
            if other == own:
                return self.needed()
            return re.sub(r"\b(gpus|at_once|times)\b", rf"phases['{other}'].\1", self.needed())

        return " + ".join(term(each) for each in phases if each in self.on_gpus)

    def _most(self, sets: Iterator[list[str]], own: str) -> str:
        few = list(islice(sets, MOST_SETS + 1))
        if len(few) > MOST_SETS:
            few = [sorted(set().union(*few))]
        sums = [each for each in (self._sum(members, own) for members in few) if each] or ["0"]
        return sums[0] if len(sums) == 1 else f"max({', '.join(sums)})"

    def at_once(self, phase: Phase) -> str:
        """The most GPUs that can be needed while the phase runs.

        Phases that do not wait for each other may run at the same time, however long each takes. So
        this is the largest sum over sets of phases that do not wait for each other. Phases that
        share accelerators never use more together than there are.
        """
        most = self._most(beside(self.phases, phase.id), phase.id)
        if not self.shared:
            return most
        own = self.needed() if phase.id in self.on_gpus else "0"
        return f"max({own}, min({most}, {SHARED}))"

    def _queued(self, phase: Phase) -> Iterator[str]:
        """The ends of earlier phases in the queue that cannot run together with this one, because
        they would need more accelerators than are shared, alone or with phases in between.

        Among phases that run at the same time, the last in the queue does not wait for the first,
        so all of them fit. Fewer accelerators only make a phase wait for more phases, so none ends
        earlier.
        """
        waits = waits_of(self.phases)
        order = in_queue(self.phases)
        ahead = order[: next(n for n, each in enumerate(order) if each.id == phase.id)]

        def apart(one: str, other: str) -> bool:
            return one not in waits[other] and other not in waits[one]

        for n, first in enumerate(ahead):
            if first.id not in self.on_gpus or not apart(first.id, phase.id):
                continue
            between = [
                each
                for each in ahead[n + 1 :]
                if apart(each.id, first.id) and apart(each.id, phase.id)
            ]
            members = [first, *between, phase]
            alone = [replace(each, after=tuple(waits[each.id])) for each in members]
            need = self._most(beside(alone, phase.id), phase.id)
            yield f"phases['{first.id}'].end if {need} > {SHARED} else 0"


def in_queue(phases: Sequence[Phase]) -> list[Phase]:
    """Phases in written order, each after everything it waits for."""
    known = {phase.id: phase for phase in phases}
    order: list[Phase] = []
    sorter = TopologicalSorter({p.id: [o for o in p.after if o in known] for p in phases})
    try:
        sorter.prepare()
    except CycleError:
        return list(phases)  # reported when formulas are ordered
    places = {name: n for n, name in enumerate(known)}
    ready: list[str] = []
    while sorter.is_active():
        ready = sorted([*ready, *sorter.get_ready()], key=places.__getitem__)
        first = ready.pop(0)
        order.append(known[first])
        sorter.done(first)
    return order


def beside(phases: Sequence[Phase], phase: str) -> Iterator[list[str]]:
    """Every maximal set of phases that includes this one and where none waits for another."""
    waits = waits_of(phases)
    free = {
        one: {o for o in waits if o != one and o not in waits[one] and one not in waits[o]}
        for one in waits
    }
    order = list(waits)

    def grown(members: set[str], open_: set[str], closed: set[str]) -> Iterator[list[str]]:
        if not open_ and not closed:
            yield sorted(members, key=order.index)
        for one in sorted(open_, key=order.index):
            yield from grown(members | {one}, open_ & free[one], closed & free[one])
            open_, closed = open_ - {one}, closed | {one}

    yield from grown({phase}, free[phase], set())


def waits_of(phases: Sequence[Phase]) -> Mapping[str, set[str]]:
    """For each phase, everything that must be over before it, directly or indirectly."""
    direct = {phase.id: set(phase.after) for phase in phases}
    waits: dict[str, set[str]] = {}

    def of(one: str, seen: frozenset[str]) -> set[str]:
        if one not in waits and one not in seen:
            inner = (of(other, seen | {one}) for other in direct.get(one, ()))
            waits[one] = direct.get(one, set()).union(*inner)
        return waits.get(one, set())

    for phase in phases:
        of(phase.id, frozenset())
    return {phase.id: waits.get(phase.id, set()) for phase in phases}
