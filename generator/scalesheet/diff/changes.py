"""The kinds of change between two books: each a small class with the old and the new value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from math import inf, log
from typing import Literal

from scalesheet.choose.layout import RULES
from scalesheet.frozen import dataclass
from scalesheet.model import Key, Position, Quantity, Stated
from scalesheet.quantities import DATE
from scalesheet.resolve.order import name_of
from scalesheet.values import Value

LEAST = 1e-9
CATALOGUE = ""  # used as the id of a plan for the catalogue

Fate = Literal["added", "removed", "renamed"]
#: Kinds of entries, in the words that texts use.
EntryKind = Literal["plan", "table", "column", "row", "input", "figure", "formula"]


@dataclass(frozen=True, slots=True)
class Place:
    """A quantity or cell in a plan or in the catalogue."""

    plan: str
    key: Key

    @property
    def name(self) -> str:
        """The name in `show --set` and in formulas."""
        return name_of(self.key)

    def __str__(self) -> str:
        return f"{self.plan}: {self.name}" if self.plan else self.name


@dataclass(frozen=True, slots=True)
class Turn:
    """A value on both sides, in the same format and in its present unit."""

    old: Value
    new: Value
    quantity: Quantity = field(repr=False)
    old_text: str
    new_text: str
    symbol: str = ""

    @property
    def ratio(self) -> float | None:
        """New over old, if both are numbers and the old one is not 0; None for dates."""
        return None if self.quantity.unit == DATE else ratio(self.old, self.new)

    @property
    def weight(self) -> float:
        """How far the value moved; 0 if it did not. Gained, lost and changed words weigh most; text
        weighs least, because it only repeats what moved.
        """
        if self.old == self.new:
            return 0.0
        if self.quantity.kind == "text" or (self.old.reason and self.new.reason):
            return LEAST
        of = self.ratio
        return abs(log(of)) if of is not None and of > 0 else inf


def ratio(old: Value, new: Value) -> float | None:
    if not isinstance(old.value, float) or not isinstance(new.value, float) or not old.value:
        return None
    return new.value / old.value


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that is on only one side, or has different ids."""

    kind: EntryKind
    fate: Fate
    plan: str
    name: str  # on the side that has it; the new name if both do
    was: str = ""  # the old name if it was renamed
    title: str = ""
    text: str = ""  # the stated value with its unit
    position: Position | None = None


@dataclass(frozen=True, slots=True)
class InputChanged:
    """A changed stated value.

    `forth` is the new value in the old side's unit, `back` is the old value in the new side's unit;
    these are used in trials.
    """

    place: Place
    was: Place  # its old place
    label: str
    turn: Turn
    position: Position | None
    forth: Stated = field(default=Stated(), repr=False)
    back: Stated = field(default=Stated(), repr=False)

    @property
    def moves(self) -> bool:
        """Whether it can have consequences. Open bounds are shown but not used in computations; a
        layout that was chosen again is a consequence itself.
        """
        return self.turn.old != self.turn.new and not {self.forth.rule, self.back.rule} <= RULES


@dataclass(frozen=True, slots=True)
class StatementChanged:
    """A new source, kind or note (`what`) for an unchanged value; empty if not stated."""

    place: Place
    label: str
    what: str
    old: str
    new: str
    position: Position | None


@dataclass(frozen=True, slots=True)
class FormulaChanged:
    """A changed formula; one side is empty if it states a value instead. `place` is None for a
    formula of the catalogue, whose id is `record`.
    """

    place: Place | None
    record: str
    label: str
    old: str
    new: str
    position: Position | None

    def __str__(self) -> str:
        return str(self.place) if self.place is not None else f"the formula {self.record}"


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of one cause alone on a result, with everything else as on the old side.

    There are several `causes` if they cannot be separated: formulas that changed together.
    `through` are the names between cause and result, along one shortest path.
    """

    causes: tuple[InputChanged | FormulaChanged | Entry, ...]
    alone: Turn
    through: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResultMoved:
    """A computed figure that changed. `check`: it is a flag that must be yes."""

    place: Place
    was: Place
    label: str
    turn: Turn
    headline: bool = False
    check: bool = False
    effects: tuple[Effect, ...] = ()

    @property
    def rank(self) -> tuple[bool, bool, bool, float]:
        """Sorts the worst first: plans before the catalogue, headlines, checks, largest move."""
        return (not self.place.plan, not self.headline, not self.check, -self.turn.weight)


@dataclass(frozen=True, slots=True)
class VerdictChanged:
    """A claim of an audited document with a new verdict; None on a side that lacks the claim."""

    audit: str
    claim: str
    quote: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class ScoreChanged:
    """A figure in the score of a task: `median`, `p90`, `bias`, `coverage` or `rows`."""

    task: str
    figure: str
    old: float | None
    new: float | None


@dataclass(frozen=True, slots=True)
class Breached:
    """A check of a plan that fails now. `new`: it did not fail before."""

    plan: str
    check: str
    text: str
    new: bool


@dataclass(frozen=True, slots=True)
class Forecast:
    """The estimate at completion of a plan with actuals, in words; `old` is empty if it had
    none. Likelihoods of plans are reported in the same form.
    """

    plan: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Released:
    """A new version of a plan, and what changed in it."""

    plan: str
    version: str
    text: str


@dataclass(frozen=True)
class Diff:
    """Everything that differs. `moved` is sorted worst first; `compared` counts results by plan,
    and `recounted` those that are not in `moved` because they only count added or removed rows.
    `breaches` are all of the new side, new or not.
    """

    threshold: float
    entries: tuple[Entry, ...] = ()
    inputs: tuple[InputChanged, ...] = ()
    statements: tuple[StatementChanged, ...] = ()
    formulas: tuple[FormulaChanged, ...] = ()
    moved: tuple[ResultMoved, ...] = ()
    compared: Mapping[str, int] = field(default_factory=dict)
    recounted: int = 0
    verdicts: tuple[VerdictChanged, ...] = ()
    scores: tuple[ScoreChanged, ...] = ()
    breaches: tuple[Breached, ...] = ()
    forecasts: tuple[Forecast, ...] = ()
    likelihoods: tuple[Forecast, ...] = ()  # likelihoods of plans whose quantiles changed
    versions: tuple[Released, ...] = ()

    def __bool__(self) -> bool:
        kinds = (self.entries, self.inputs, self.statements, self.formulas)
        forecasts = [each for each in self.forecasts if each.old != each.new]
        return any(
            (
                *kinds,
                self.moved,
                self.verdicts,
                self.scores,
                self.versions,
                forecasts,
                self.likelihoods,
            )
        )
