"""The data types of claims: what a document states, and what each figure is compared with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from scalesheet.model import Citation, Key, Position, Scalar, Stated
from scalesheet.units import Unit

Verdict = Literal["contradicted", "follows", "reproduced", "rounded", "input", "underdetermined"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
#: What people read. Data and programs have the verdicts themselves.
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
    """What a claim says: a number with its ends in `unit`, yes or no, or text (no unit).

    `steps` are how far a rounding of each end may be away, in `unit`: half of the last digit, or
    all of it where the figure is `approximate`. `bound` makes it open.
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
    """An expression that a claim is compared with; `scalar` is the quantity that holds its value.

    `refers` are the claims it names, and `mirror` the claim that it consists of, if one alone.
    """

    text: str
    scalar: str
    refers: tuple[str, ...] = ()
    mirror: str | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """What `plan:` names: an input with all the values stated for it, or a computed quantity.

    `scalar` holds its value; None where that is an open bound, which has none.
    """

    text: str
    scalar: str | None
    unit: Unit | None
    stated: tuple[Stated, ...] = ()
    inputs: tuple[Key, ...] = ()  # where these stand


@dataclass(frozen=True, slots=True)
class Claim:
    """One figure of a document. `within`: the computed must lie within the range written. `limit`:
    what no rounding crosses."""

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
    place: tuple[str | int, ...] = ()  # in its file
    column: str = ""  # of a table of claims

    @property
    def bases(self) -> tuple[Basis, ...]:
        return (*((self.source,) if self.source else ()), *self.against)


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault that no single figure carries; `lines` may be unknown where a check found it."""

    id: str
    title: str
    lines: tuple[int, ...]
    shows: tuple[Basis, ...]
    effects: Mapping[str, str]  # headline -> scalar
    note: str = ""
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Headline:
    """A total three times: as the document states it, from its own lines, as the plan
    computes it."""

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

    `id` is the plan's, followed by the name of the document's file where that is not claims.yaml.
    `scalars` and `order` are computed on top of the plan's own and are shared by all documents of
    a plan; each claim's figure is the scalar `@<id>`. `day` is that of the plan as it was audited,
    empty where it has not changed since.
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
    """The lines that a locator names: `line 13`, `lines 35-43`, `lines 5 and 12`."""
    return [(int(a), int(b or a)) for a, b in _LINES.findall(citation.locator)]


def cites(citation: Citation | None, document: str, line: int) -> bool:
    """Whether a source is a document, by its key, at a line."""
    if citation is None or citation.key != document:
        return False
    return any(first <= line <= last for first, last in spans(citation))
