"""What weighs most: faults by the share of a headline that putting them right would change."""

from __future__ import annotations

from collections.abc import Mapping

from scalesheet.audit.model import Audited, Judged, Shown
from scalesheet.values import Value


def weight(effects: Mapping[str, Value], totals: Mapping[str, Value]) -> float:
    """The largest share of a headline that something changes."""
    shares = [0.0]
    for name, effect in effects.items():
        total = totals[name].value
        if isinstance(effect.value, float) and isinstance(total, float) and total:
            shares.append(abs(effect.value / total))
    return max(shares)


def contradictions(audited: Audited) -> list[Judged]:
    """The contradicted claims, worst first: by what they do to a headline, then by how far the
    figure is off, then in the order of the document."""
    totals = {each.headline.name: each.written for each in audited.headlines}
    found = [judged for judged in audited.claims if judged.verdict == "contradicted"]
    return sorted(found, key=lambda j: (-weight(j.effects, totals), -_off(j), j.claim.id))


def faults(audited: Audited) -> list[Judged | Shown]:
    """Contradictions and findings together, worst first by what they do to a headline."""
    totals = {each.headline.name: each.written for each in audited.headlines}
    found: list[Judged | Shown] = [*contradictions(audited), *audited.findings]
    return sorted(found, key=lambda fault: -weight(fault.effects, totals))


def _off(judged: Judged) -> float:
    """How far the figure is from the computed, relative to the computed."""
    says, value = judged.claim.says.value, judged.computed.value if judged.computed else None
    if isinstance(says, float) and isinstance(value, float) and value:
        return abs(says / value - 1)
    return 0.0
