"""Judges each claim by itself. The first match wins: contradicted, reproduced, rounded, input,
underdetermined; a claim that matches none has no basis. Figures that follow from errors are found
later.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from typing import Literal

from scalesheet.claims import Audit, Basis, Claim, Figure, Source, Target, Verdict, cites, spans
from scalesheet.frozen import dataclass
from scalesheet.model import Citation, Stated
from scalesheet.units import Unit, Units
from scalesheet.values import Results, Value

EQUAL = 1e-9  # relative
ROUNDED_AT_MOST = 0.18  # of the computed number
CUT_AT_MOST = 0.01  # the same, for a figure whose further digits were cut off

#: How a figure compares with a value.
Match = Literal["equal", "rounded", "cut", "contained", "differs"]
ROUNDINGS: Set[Match] = frozenset({"rounded", "cut"})


@dataclass(frozen=True, slots=True)
class Decided:
    """A verdict, how each basis compares, and the erroneous claims that it is computed from.

    `accused_by` are claims whose `against` is just this one, and differs. `fixed` is the value of
    the figure without the errors that it follows from.
    """

    verdict: Verdict | None
    matches: tuple[Match, ...]
    accused_by: tuple[str, ...] = ()
    inherits: tuple[str, ...] = ()
    fixed: Value | None = None
    crossed: bool = False  # whether it differs because a rounding crosses its limit

    def deciding(self, claim: Claim) -> Basis:
        """The basis that decided: the first that differs, else the first."""
        differing = [b for b, m in zip(claim.bases, self.matches, strict=True) if m == "differs"]
        return (differing or claim.bases)[0]


def decide(audits: Sequence[Audit], results: Results, units: Units) -> dict[str, Decided]:
    """The verdict of every claim in a plan's documents, which may refer to each other's claims.
    `results` are those of the documents' scenario.
    """
    claims = {id_: claim for audit in audits for id_, claim in audit.claims.items()}
    matches = {
        id_: tuple(_compared(claim, basis, results) for basis in claim.bases)
        for id_, claim in claims.items()
    }
    accused = _accused(claims, matches)
    verdicts = {
        id_: _verdict(claim, matches[id_], id_ in accused, audit.document, units)
        for audit in audits
        for id_, claim in audit.claims.items()
    }
    crossed = {
        id_: any(
            found == "differs" and compare(claim, results.scalars[basis.scalar]) in ROUNDINGS
            for basis, found in zip(claim.bases, matches[id_], strict=True)
        )
        for id_, claim in claims.items()
    }
    return {
        id_: Decided(verdicts[id_], matches[id_], accused.get(id_, ()), crossed=crossed[id_])
        for id_ in claims
    }


def _accused(
    claims: Mapping[str, Claim], matches: Mapping[str, tuple[Match, ...]]
) -> dict[str, tuple[str, ...]]:
    """For each claim, the claims that disagree with it: an `against` that names just this claim
    contradicts both sides.
    """
    result: dict[str, tuple[str, ...]] = {}
    for id_, claim in claims.items():
        own = matches[id_][len(claim.bases) - len(claim.against) :]
        for basis, match in zip(claim.against, own, strict=True):
            if match == "differs" and basis.mirror is not None:
                result[basis.mirror] = (*result.get(basis.mirror, ()), id_)
    return result


def _verdict(
    claim: Claim, matches: tuple[Match, ...], accused: bool, source: Source, units: Units
) -> Verdict | None:
    if accused or "differs" in matches:
        return "contradicted"
    if matches:
        return "rounded" if {*matches} & ROUNDINGS else "reproduced"
    if claim.target is not None and not why_no_input(claim, claim.target, source, units):
        return "input"
    return "underdetermined" if claim.lacks else None


def rests_on(claims: Mapping[str, Claim], id_: str) -> list[str]:
    """The claims that a figure is computed from, transitively, nearest first."""
    result: dict[str, None] = {}
    ahead = [id_]
    while ahead:
        claim = claims[ahead.pop(0)]
        for other in claim.source.refers if claim.source else ():
            if other not in result and other != id_:
                result[other] = None
                ahead.append(other)
    return list(result)


# ------------------------------------------------------------------ figures against values


def _compared(claim: Claim, basis: Basis, results: Results) -> Match:
    """Like `compare`, but a rounding that crosses the claim's limit differs."""
    value = results.scalars[basis.scalar]
    found = compare(claim, value)
    limit = results.scalars[claim.limit.scalar].value if claim.limit is not None else None
    if found not in ROUNDINGS or not isinstance(limit, float):
        return found
    ends = (value.low, value.high) if claim.says.ranged else (value.value, value.value)
    written = (claim.says.low, claim.says.high)
    across = any(crosses(one, other, limit) for one, other in zip(written, ends, strict=True))
    return "differs" if across else found


def crosses(written: object, computed: object, limit: float) -> bool:
    """Whether a limit separates two numbers; a number equal to the limit is within it."""
    assert isinstance(written, float)
    assert isinstance(computed, float)
    kept = [n < limit or match(n, limit, 0.0) == "equal" for n in (written, computed)]
    return kept[0] != kept[1]


def compare(claim: Claim, value: Value) -> Match:
    """How a claim's figure compares with a computed value in the same unit."""
    says = claim.says
    if not isinstance(value.value, float) or isinstance(says.value, bool | str):
        return "equal" if _same_word(says.value, value.value) else "differs"
    if says.bound is not None:
        return "equal" if _keeps(says, value.value) else "differs"
    assert value.low is not None
    assert value.high is not None
    assert says.low is not None
    assert says.high is not None
    if not says.ranged:
        near = match(says.low, value.value, says.steps[0], says.approximate)
        return "contained" if near == "differs" and value.low <= says.low <= value.high else near
    ends = (
        match(says.low, value.low, says.steps[0], says.approximate),
        match(says.high, value.high, says.steps[1], says.approximate),
    )
    if "differs" not in ends:
        return next((found for found in ("rounded", "cut") if found in ends), "equal")
    low = ends[0] != "differs" or value.low > says.low
    high = ends[1] != "differs" or value.high < says.high
    return "contained" if low and high and (claim.within or not value.ranged) else "differs"


def match(written: float, computed: float, step: float, approximate: bool = True) -> Match:
    """Whether a written number equals the computed one, or rounds it by at most `step`; a number
    that is not `approximate` may also cut off further digits.
    """
    off = abs(written - computed)
    if off <= EQUAL * max(abs(written), abs(computed)):
        return "equal"
    if off <= step * (1 + EQUAL) and off <= ROUNDED_AT_MOST * abs(computed) * (1 + EQUAL):
        return "rounded"
    cut = not approximate and abs(written) < abs(computed) and off < 2 * step
    return "cut" if cut and off <= CUT_AT_MOST * abs(computed) else "differs"


def _keeps(bound: Figure, computed: float) -> bool:
    """Whether a number respects an open bound."""
    end = bound.low if bound.bound in ("at least", "more than") else bound.high
    assert end is not None
    if match(end, computed, 0.0) == "equal":
        return bound.bound in ("at least", "at most")
    return computed > end if bound.bound in ("at least", "more than") else computed < end


def _same_word(says: object, value: object) -> bool:
    """Whether words are the same except for case and punctuation; flags must be equal."""
    if isinstance(says, bool) or isinstance(value, bool):
        return says is value
    return _letters(says) == _letters(value)


def _letters(word: object) -> str:
    return re.sub(r"\W", "", str(word)).casefold()


# ------------------------------------------------------------------ inputs


def why_no_input(claim: Claim, target: Target, source: Source, units: Units) -> str:
    """Why a claim is not the input named by `plan:`; empty if it is."""
    if not target.stated:
        return f"'{target.text}' is computed, not an input"
    same = [stated for stated in target.stated if states(stated, claim.says, target.unit, units)]
    if not same:
        remedy = "keep the document's value as its 'written:', or fix the claim"
        return f"'{target.text}' has a different value; {remedy}"
    if not any(cites(stated.citation, source.key, claim.line) for stated in same):
        text = ", ".join(
            dict.fromkeys(
                f"{s.citation.key}, {s.citation.locator}".rstrip(", ") for s in same if s.citation
            )
        )
        return (
            f"the source of '{target.text}' is {text or 'not stated'}, "
            f"not line {claim.line} of {source.key}"
        )
    return ""


def states(stated: Stated, says: Figure, unit: Unit | None, units: Units) -> bool:
    """Whether an input's stated value equals the figure."""
    if isinstance(says.value, bool | str):
        return _same_word(says.value, stated.value)
    scale = 1.0
    if unit is not None and says.unit is not None:
        scale = float(units.factor(unit, says.unit))
    if says.bound is not None:
        upward = says.bound in ("at least", "more than")
        end = stated.at_least if upward else stated.at_most
        return _close(
            stated.value if end is None else end, says.low if upward else says.high, scale
        )
    if says.ranged:
        return _close(stated.low, says.low, scale) and _close(stated.high, says.high, scale)
    return _close(stated.value, says.value, scale)


def _close(stated: object, written: object, scale: float) -> bool:
    if not isinstance(stated, float) or not isinstance(written, float):
        return False
    return match(written, stated * scale, 0.0) == "equal"


def lines_of(citation: Citation) -> tuple[int, ...]:
    """The first line of each span that a locator names."""
    return tuple(first for first, _ in spans(citation))
