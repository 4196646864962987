"""The job to find a configuration for, and the assumptions for all candidates.

Defaults are those of the plan `calculator`, so that its inputs are a job and its answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.model import Key, Plan, Stated
from scalesheet.vocabulary import CALCULATOR, METHODS, PRODUCTS, ROLES

if TYPE_CHECKING:
    from scalesheet.predict.fits import Coefficients

#: The plan that computes one configuration.
PLAN = CALCULATOR
#: Inputs of the plan that apply to every candidate and may be set.
ASSUMED = (
    "tuning_goodput",
    "power_share",
    "host_factor",
    "usable_share",
    "rank",
    "layers_per_chunk",
    "bubble_goal",
    "interruptions",
    "interruption_time",
    "start_time",
    "download_rate",
    "minimum_billing",
)


@dataclass(frozen=True)
class Job:
    """What is to be done, and within which limits. Without `offers`, all with a recently seen price
    are searched.
    """

    model: str
    methods: tuple[str, ...]
    tokens: float
    sequence: float  # token / sequence
    batch: float  # sequence / step
    deadline: float  # hour
    certain: bool  # whether the high end of the hours must meet the deadline, or the expected value
    most_gpus: float
    terms: tuple[str, ...] = ("on-demand",)
    offers: tuple[str, ...] = ()
    trainer: str = ""  # general or tuned; empty means tuned for pretraining
    precision: str = PRODUCTS[0]  # of matrix products, in the plan's words
    wide: bool = True  # whether to try host memory, FP8 and context parallelism, too
    until: str = ""  # the day of the deadline, if it was given as one
    taken: frozenset[str] = frozenset()  # what was not stated and uses the plan's values

    @property
    def precisions(self) -> tuple[str, ...]:
        """The precisions to try: a 16-bit job also shows what FP8 would give."""
        return PRODUCTS if self.wide and self.precision == PRODUCTS[0] else (self.precision,)

    def trainer_of(self, method: str) -> str:
        return self.trainer or METHODS[method].trainer


@dataclass(frozen=True)
class Assumptions:
    """What every candidate is computed with: inputs of the plan, and the fits."""

    stated: Mapping[str, Stated]
    throughput: Coefficients
    runs: Coefficients
    memory: Coefficients
    asked: Coefficients

    def ends(self, name: str) -> tuple[float, float, float]:
        """Low, expected and high value of an input."""
        return ends(self.stated[name])

    @property
    def fits(self) -> Mapping[str, Coefficients]:
        """The fits that the component reads, by task."""
        own = {"throughput": self.throughput, "runs": self.runs, "memory": self.memory}
        return {**own, "asked": self.asked}


def lacking(plan: Plan, roles: Iterable[str]) -> str:
    """What a plan must add so that each role has a figure; empty if nothing."""
    missing = [f"'role: {role}' to {ROLES[role]}" for role in roles if role not in plan.roles]
    file = plan.position.path if plan.position is not None else plan.id
    return f"some figures of {file} have no role: add {', '.join(missing)}" if missing else ""


def assumptions(book: Book, plan: Plan, edits: Mapping[Key, Stated]) -> Assumptions:
    """The plan's assumptions, overridden by edits."""
    stated = {name: edits.get(Key(name)) or _stated(plan, name) for name in ASSUMED}
    from scalesheet.predict.fits import coefficients

    fits = (coefficients(book, task) for task in ("throughput", "runs", "memory", "asked"))
    return Assumptions(stated, *fits)


def stated_in(book: Book, plan: Plan, name: str, unit: str) -> float:
    """The expected value of a plan's input, converted to a unit."""
    own = plan.scalars[name].unit
    assert own is not None
    return ends(_stated(plan, name))[1] * float(book.units.factor(own, book.units.parse(unit)))


def usual_batch(book: Book, plan: Plan, model: str, tokens: float, sequence: float) -> float:
    """Sequences per step that pretraining starts with; grows with compute. Computed for one node,
    so that it divides among many numbers of accelerators.
    """
    from scalesheet.evaluate import evaluate

    def stated(name: str, value: float, unit: str) -> Stated:
        own = plan.scalars[name].unit
        assert own is not None
        each = value * float(book.units.factor(book.units.parse(unit), own))
        return Stated(each, each, each, basis="decision")

    edits = {
        Key("model"): Stated(model, basis="decision"),
        Key("data"): Stated("tokens", basis="decision"),
        Key("tokens"): stated("tokens", tokens, "token"),
        Key("epochs"): stated("epochs", 1.0, "1"),
        Key("sequence"): stated("sequence", sequence, "token / sequence"),
        Key("gpus"): stated("gpus", 8.0, "GPU"),
    }
    value = evaluate(book, plan, edits).scalars[plan.roles["usual_batch"].name].value
    assert isinstance(value, float)
    return value


def _stated(plan: Plan, name: str) -> Stated:
    stated = plan.scalars[name].stated
    assert stated is not None, f"{name} is not an input of {plan.id}"
    return stated


def ends(stated: Stated) -> tuple[float, float, float]:
    """Low, expected and high value; equal if the value is exact."""
    value = stated.value
    assert isinstance(value, float)
    low = value if stated.low is None else stated.low
    return low, value, value if stated.high is None else stated.high
