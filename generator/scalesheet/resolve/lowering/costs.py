"""The costs of phases as formulas: accelerators by their offer, storage, egress and people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from scalesheet.diagnostics import at
from scalesheet.frozen import dataclass
from scalesheet.model import Domain, Phase, Stated
from scalesheet.pictures import COSTS, Stack
from scalesheet.resolve.drafts import Draft, DraftPlan
from scalesheet.resolve.lowering.schedule import Schedule
from scalesheet.resolve.lowering.values import Lowering

#: A column that refers to the offer a phase runs on, and the table of offers.
OFFER, OFFERS = "offer", "offers"
TOTAL = "cost"
NOT_EVERY = "not every phase has a price"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the cost: its column, the amount that is paid for, its price, and the formula."""

    cost: str
    of: str
    price: str
    formula: str


#: Storage, egress and people, each for one run of a phase.
PRICED = (
    Part(
        "storage_cost",
        "stored",
        "storage_price",
        "storage_cost(size=stored, time=stored_for, price=storage_price)",
    ),
    Part("egress_cost", "egress", "egress_price", "egress_cost(size=egress, price=egress_price)"),
    Part("people_cost", "work", "pay", "people_cost(work=work, pay=pay)"),
)
ACCELERATORS = "accelerator_cost"
#: Keys of a phase that request its costs; so does a price among the plan's scalars.
ASKING = (OFFER, ACCELERATORS, "stored", "egress", "storage_price", "egress_price", "pay")

#: Columns that costs are computed from; the short table leaves them out.
BEHIND = ("stored", "stored_for", "storage_price", "egress", "egress_price", "pay")
#: Columns of the phases table: title, unit, domain.
COST_COLUMNS: Mapping[str, tuple[str, str, Domain]] = {
    "stored": ("Stored", "GB", "non-negative"),
    "stored_for": ("Stored for", "hour", "non-negative"),
    "storage_price": ("Storage price", "USD / (GB * month)", "non-negative"),
    "egress": ("Egress", "GB", "non-negative"),
    "egress_price": ("Egress price", "USD / GB", "non-negative"),
    "pay": ("Pay", "USD / hour", "non-negative"),
    ACCELERATORS: ("Accelerator cost", "USD", "non-negative"),
    "storage_cost": ("Storage cost", "USD", "non-negative"),
    "egress_cost": ("Egress cost", "USD", "non-negative"),
    "people_cost": ("Labor cost", "USD", "non-negative"),
    TOTAL: ("Cost", "USD", "non-negative"),
}


@dataclass(frozen=True, slots=True)
class Costs:
    """What a plan's phases are charged for, and the plan's own prices."""

    accelerators: bool = False
    parts: tuple[Part, ...] = ()
    plans: frozenset[str] = frozenset()

    @property
    def added(self) -> tuple[str, ...]:
        """The columns that add up to a phase's cost."""
        first = (ACCELERATORS,) if self.accelerators else ()
        return (*first, *(part.cost for part in self.parts))

    @property
    def totals(self) -> tuple[str, ...]:
        return (*self.added, TOTAL) if self.added else ()

    @property
    def columns(self) -> frozenset[str]:
        """The columns that costs add to the table of phases, besides the offer."""
        names = {*self.totals, *(each for part in self.parts for each in (part.of, part.price))}
        return frozenset(names | ({"stored_for"} if "stored" in names else set()))

    @property
    def chart(self) -> Stack:
        """What each phase costs, by part."""
        return replace(COSTS, parts=self.added, totals=(TOTAL,))

    def unpriced(self, columns: Mapping[str, Draft]) -> Iterator[tuple[str, str]]:
        """Total costs that lack a price in some phase. Their formulas give a reason instead of an
        incomplete sum.
        """
        known = [(ACCELERATORS, OFFER)] if self.accelerators else []
        known += [(part.cost, part.price) for part in self.parts]
        lacking = {
            cost: f"{NOT_EVERY}: {phase} needs {price}"
            for cost, price in known
            if (phase := next(_lacking(columns[cost], columns[price]), None))
        }
        if lacking:
            lacking[TOTAL] = next(iter(lacking.values()))
        for name, why in lacking.items():
            every = f"count(phases.{name}) == count(phases)"
            yield name, f"sum(phases.{name}) if {every} else reason('{why}')"

    def cells(
        self, phase: Phase, entry: Mapping[str, Any], schedule: Schedule
    ) -> Iterator[tuple[str, str | Stated]]:
        """Fill the cells that a phase does not state: formulas, or why there is no number."""
        on_gpus = phase.id in schedule.on_gpus
        times = " * times" if "times" in schedule.columns else ""
        if self.accelerators:
            unpriced = "no offer is stated" if on_gpus else "no accelerators"
            yield OFFER, OFFER if OFFER in self.plans and on_gpus else Stated(reason=unpriced)
            yield ACCELERATORS, _rented(entry, schedule) if on_gpus else "0"
        for part in self.parts:
            priced = part.price in self.plans
            yield part.price, part.price if priced else Stated(reason="no price is stated")
            charged = priced or part.price in entry or part.of in entry
            yield part.cost, part.formula + times if charged else "0"
        if on_gpus:
            yield "stored_for", "gross_hours"
        if self.added:
            yield TOTAL, " + ".join(self.added)


def _lacking(cost: Draft, price: Draft) -> Iterator[str]:
    """The phases that are charged for something without a price."""
    for phase, stated in price.stated.items():
        if phase and stated.reason and phase in cost.formulas and cost.formulas[phase].text != "0":
            yield phase


def _rented(entry: Mapping[str, Any], schedule: Schedule) -> str:
    """The cost of whole nodes for as long as runs take, or as long as a stated budget lasts."""
    needed, hours = schedule.needed(), f"gross_hours{schedule.rounds}"
    if "budget" in entry or "gross_gpu_hours" in entry:
        hours = f"gross_gpu_hours / ({needed})"
    machines = f"node_hours(gpus={needed}, gpus_per_node={OFFER}.gpus, hours={hours})"
    return f"node_cost(node_hours={machines}, price={OFFER}.node_price)"


def costs_of(plan: DraftPlan, low: Lowering, dated: bool) -> Costs:
    """What the phases are charged for. Nothing unless a phase, a price or the plan's total asks for
    it; an offer alone may be there only for comparison.
    """
    data = low.document.data
    phases = data["phases"]
    stated = {key for entry in phases.values() for key in entry}
    prices = {part.price for part in PRICED if _is_priced(plan, low, part.price)}
    named = {*data.get("headline", ()), *data.get("limits", ())}
    asked = f"total.{TOTAL}" in named or TOTAL in data.get("total", ())
    if not (asked or prices or stated & set(ASKING)):
        return Costs()
    for name, entry in phases.items():
        if "stored" in entry and "stored_for" not in entry and not on_gpus(entry):
            message = (
                "storage needs a duration, since the phase has no accelerator time; "
                "add stored_for, as in stored_for: 3 months"
            )
            low.say("S002", message, "phases", name, "stored")
    own = plan.scalars.get(OFFER)
    offered = own is not None and own.refers_to == OFFERS
    parts = tuple(part for part in PRICED if part.of in stated and (part.of != "work" or dated))
    return Costs(
        accelerators=offered or bool({OFFER, ACCELERATORS} & stated),
        parts=parts,
        plans=frozenset(prices | ({OFFER} if offered else set())),
    )


def _is_priced(plan: DraftPlan, low: Lowering, name: str) -> bool:
    """Whether the plan has this price for all phases. Its unit is checked here, since each phase
    would report it.
    """
    price, unit = plan.scalars.get(name), low.units.parse(COST_COLUMNS[name][1])
    if price is None or price.unit is None or low.units.compatible(price.unit, unit):
        return price is not None
    message = f"'{name}' is what the phases pay: expected {unit}, found {price.unit}"
    low.problems.append(at(price.position, "U002", f"{message}; give it in {unit}"))
    return False


def on_gpus(entry: Mapping[str, Any]) -> bool:
    """Whether a phase needs accelerators. Working people or stored or moved data do not."""
    return not {"work", "stored", "egress"} & set(entry) or bool(
        {"hours", "gpu_hours"} & set(entry)
    )
