"""The data types of an audit: verdicts on claims, with the figures behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from scalesheet.claims import VERDICTS, Audit, Claim, Finding, Headline, Verdict
from scalesheet.frozen import dataclass
from scalesheet.model import Quantity
from scalesheet.values import Value


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with its verdict; `verdict` is None if it has no basis.

    `computed` is what it was compared with, in the unit of `says`; `corrected` is the quantity
    named by `plan:`; `should_be` is the correct figure: without the errors that it follows from,
    else what it was compared with; `effects` is the effect of fixing it on each headline.
    `accused_by` are claims whose `against` is just this one, and differs.
    """

    claim: Claim
    verdict: Verdict | None
    computed: Value | None
    corrected: Value | None
    should_be: Value | None
    inherits: tuple[str, ...]
    because: str
    effects: Mapping[str, Value] = field(default_factory=dict)
    accused_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A finding with its values: each expression explained, and its effect on each headline."""

    finding: Finding
    because: tuple[str, ...]
    values: tuple[Value, ...]
    effects: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Totals:
    """A headline with its three values."""

    headline: Headline
    written: Value
    implied: Value
    computed: Value
    because: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A headline figure of the plan at the time of the audit, and now; `now` is None if the plan no
    longer has it.
    """

    quantity: Quantity
    then: Value
    now: Value | None


@dataclass(frozen=True)
class Audited:
    """An audit with all its results; findings and contradictions are sorted worst first. `moved` is
    the headline of a plan that has changed since.
    """

    audit: Audit
    claims: tuple[Judged, ...]
    findings: tuple[Shown, ...]
    headlines: tuple[Totals, ...]
    moved: tuple[Moved, ...] = ()

    def counts(self) -> dict[Verdict, int]:
        """The number of claims with each verdict, in the order of the verdicts."""
        verdicts = [judged.verdict for judged in self.claims]
        return {verdict: verdicts.count(verdict) for verdict in VERDICTS}
