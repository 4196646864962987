"""The kinds of change between two books: each a small class with the old and the new value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, log
from typing import Literal

from scalesheet.model import Key, Position, Quantity, Stated
from scalesheet.quantities import DATE
from scalesheet.resolve.order import name_of
from scalesheet.values import Value

LEAST = 1e-9
CATALOGUE = ""  # stands for the id of a plan where something is of the catalogue

Fate = Literal["added", "removed", "renamed"]
#: What an entry may be: the words that a text uses.
EntryKind = Literal["plan", "table", "column", "row", "input", "figure", "formula"]


@dataclass(frozen=True, slots=True)
class Place:
    """A quantity or cell of a plan, or of the catalogue."""

    plan: str
    key: Key

    @property
    def name(self) -> str:
        """As `show --set` and formulas write it."""
        return name_of(self.key)

    def __str__(self) -> str:
        return f"{self.plan}: {self.name}" if self.plan else self.name


@dataclass(frozen=True, slots=True)
class Turn:
    """A value on both sides, printed alike, in the unit that it has now."""

    old: Value
    new: Value
    quantity: Quantity = field(repr=False)
    old_text: str
    new_text: str
    symbol: str = ""

    @property
    def ratio(self) -> float | None:
        """New over old, where both are numbers and the old one is not 0; dates have none."""
        return None if self.quantity.unit == DATE else ratio(self.old, self.new)

    @property
    def weight(self) -> float:
        """How far it moved: 0 not at all. What was gained or lost, and words, weigh most; texts,
        which only repeat what moved, least."""
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
    """Something that is only on one side, or has another id on each."""

    kind: EntryKind
    fate: Fate
    plan: str
    name: str  # on the side where it is; where it is on both, the new one
    was: str = ""  # the old name of what was renamed
    title: str = ""
    text: str = ""  # what was stated, with its unit
    position: Position | None = None


@dataclass(frozen=True, slots=True)
class InputChanged:
    """Another value is stated.

    `forth` is the new value in the unit of the old side, `back` the old one in that of the new
    side: what each side is tried with.
    """

    place: Place
    was: Place  # where it stood before
    label: str
    turn: Turn
    position: Position | None
    forth: Stated = field(default=Stated(), repr=False)
    back: Stated = field(default=Stated(), repr=False)

    @property
    def moves(self) -> bool:
        """Whether anything can follow from it: open bounds are shown and not computed with."""
        return self.turn.old != self.turn.new


@dataclass(frozen=True, slots=True)
class StatementChanged:
    """Another source, kind or note (`what`) of a value that is what it was; empty where none is
    stated."""

    place: Place
    label: str
    what: str
    old: str
    new: str
    position: Position | None


@dataclass(frozen=True, slots=True)
class FormulaChanged:
    """Another formula; one side is empty where the other states a value. `place` is None for a
    formula of the catalogue, whose id is `record`."""

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
    """What one cause does alone to a result: all else as it was on the old side.

    `causes` are several where they cannot be separated: formulas that changed together.
    `through` are the names between cause and result, on one shortest way.
    """

    causes: tuple[InputChanged | FormulaChanged | Entry, ...]
    alone: Turn
    through: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResultMoved:
    """A computed figure that is another. `check`: a flag that must be yes."""

    place: Place
    was: Place
    label: str
    turn: Turn
    headline: bool = False
    check: bool = False
    effects: tuple[Effect, ...] = ()

    @property
    def rank(self) -> tuple[bool, bool, bool, float]:
        """The worst sorts first: plans before the catalogue, headlines, checks, then how far."""
        return (not self.place.plan, not self.headline, not self.check, -self.turn.weight)


@dataclass(frozen=True, slots=True)
class VerdictChanged:
    """A claim of an audited document got another verdict; None where the claim is not there."""

    audit: str
    claim: str
    quote: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class ScoreChanged:
    """A figure of the score of a task: `median`, `p90`, `bias`, `coverage` or `rows`."""

    task: str
    figure: str
    old: float | None
    new: float | None


@dataclass(frozen=True, slots=True)
class Breached:
    """A check of a plan that does not hold now, and whether it is new that it does not."""

    plan: str
    check: str
    text: str
    new: bool


@dataclass(frozen=True, slots=True)
class Forecast:
    """The estimate at completion of a plan with actuals, in words; what it was is empty where there
    was none."""

    plan: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Released:
    """A version of a plan that is new, and what changed in it."""

    plan: str
    version: str
    text: str


@dataclass(frozen=True)
class Diff:
    """All that differs. `moved` is sorted worst first; `compared` counts results by plan, and
    `recounted` those beside `moved` that only count rows of which some came or went.
    `breaches` are those of the new side, whether they are new or not."""

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
    likelihoods: tuple[Forecast, ...] = ()  # how sure plans are whose quantiles changed
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
