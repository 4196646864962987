"""The data types of claims: what a document states, and what each figure is compared with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Literal, get_args

from scalesheet.frozen import dataclass
from scalesheet.model import Citation, Key, Position, Scalar, Stated
from scalesheet.units import Unit

Verdict = Literal["contradicted", "follows", "reproduced", "rounded", "input", "underdetermined"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
#: Display words. Data and programs use the verdicts themselves.
WORDS: Mapping[str, str] = {
    "contradicted": "mismatch",
    "follows": "follows from an error",
    "reproduced": "consistent",
    "rounded": "rounded",
    "input": "input",
    "underdetermined": "not derivable",
}
Bound = Literal["at least", "more than", "at most", "less than"]


@dataclass(frozen=True, slots=True)
class Figure:
    """The value of a claim: a number with its range in `unit`, yes or no, or text (no unit).

    `steps` are the largest rounding errors of the ends, in `unit`: half of the last digit, or the
    whole digit if the figure is `approximate`. `bound` makes it open.
    """

    value: float | bool | str
    low: float | None = None
    high: float | None = None
    unit: Unit | None = None
    steps: tuple[float, float] = (0.0, 0.0)
    bound: Bound | None = None
    percent: bool = False
    approximate: bool = False

    @property
    def ranged(self) -> bool:
        return self.low is not None and self.low != self.high


@dataclass(frozen=True, slots=True)
class Basis:
    """An expression that a claim is compared with; `scalar` is the quantity with its value.

    `refers` are the claims it names; `mirror` is the claim, if the expression is only that.
    """

    text: str
    scalar: str
    refers: tuple[str, ...] = ()
    mirror: str | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """What `plan:` names: an input with all the values stated for it, or a computed quantity.

    `scalar` has its value; None for an open bound, which has none.
    """

    text: str
    scalar: str | None
    unit: Unit | None
    stated: tuple[Stated, ...] = ()
    inputs: tuple[Key, ...] = ()  # their places


@dataclass(frozen=True, slots=True)
class Claim:
    """One figure of a document.

    `within`: the computed value must be within the written range. `limit`: a bound that rounding
    must not cross.
    """

    id: str
    line: int
    quote: str
    says: Figure
    expect: Verdict
    source: Basis | None = None
    against: tuple[Basis, ...] = ()
    target: Target | None = None
    lacks: tuple[str, ...] = ()
    within: bool = False
    limit: Basis | None = None
    effects: Mapping[str, str] = field(default_factory=dict)  # headline -> scalar
    note: str = ""
    position: Position | None = field(default=None, compare=False)
    place: tuple[str | int, ...] = ()  # in the file
    column: str = ""  # of a table of claims

    @property
    def bases(self) -> tuple[Basis, ...]:
        return (*((self.source,) if self.source else ()), *self.against)


@dataclass(frozen=True, slots=True)
class Finding:
    """An error that is not in a single figure; `lines` may be unknown if a check found it."""

    id: str
    title: str
    lines: tuple[int, ...]
    shows: tuple[Basis, ...]
    effects: Mapping[str, str]  # headline -> scalar
    note: str = ""
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Headline:
    """A total in three versions: as stated, from the document's own lines, and computed by the
    plan."""

    name: str
    title: str
    unit: Unit
    written: Basis
    implied: Basis
    computed: Basis
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Source:
    """The audited document: its id in claims, its title, its key in sources.yaml, its file."""

    id: str
    title: str
    key: str
    file: str = ""


@dataclass(frozen=True)
class Audit:
    """All claims of one document of a plan, bound.

    `id` is the plan's, followed by the name of the document's file unless that is claims.yaml.
    `scalars` and `order` extend those of the plan and are shared by all of its documents; each
    claim's figure is the scalar `@<id>`. `day` is the date of the audited plan, empty if the plan
    has not changed since.
    """

    id: str
    plan: str
    document: Source
    claims: Mapping[str, Claim]
    findings: tuple[Finding, ...]
    headlines: tuple[Headline, ...]
    scalars: Mapping[str, Scalar]
    order: tuple[Key, ...]
    path: str = ""  # of its file
    day: str = ""  # ISO


_LINES = re.compile(r"([0-9]+)(?:\s*[-–]\s*([0-9]+))?")


def spans(citation: Citation) -> list[tuple[int, int]]:
    """The line ranges that a locator names: `line 13`, `lines 35-43`, `lines 5 and 12`."""
    return [(int(a), int(b or a)) for a, b in _LINES.findall(citation.locator)]


def cites(citation: Citation | None, document: str, line: int) -> bool:
    """Return whether a citation is of a document (by its key) at a line."""
    if citation is None or citation.key != document:
        return False
    return any(first <= line <= last for first, last in spans(citation))
