"""Ranks errors by how much fixing them would change a headline figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scalesheet.audit.explain import listed
from scalesheet.audit.model import Audited, Judged, Shown, Totals
from scalesheet.frozen import dataclass
from scalesheet.values import Value
from scalesheet.vocabulary import counted


def shares(effects: Mapping[str, Value], totals: Mapping[str, Value]) -> dict[str, float]:
    """The share of each headline that something changes; unchanged headlines are left out."""
    result: dict[str, float] = {}
    for name, effect in effects.items():
        total = totals[name].value
        if isinstance(effect.value, float) and isinstance(total, float) and total and effect.value:
            result[name] = abs(effect.value / total)
    return result


def weight(effects: Mapping[str, Value], totals: Mapping[str, Value]) -> float:
    """The largest share of a headline that something changes."""
    return max(shares(effects, totals).values(), default=0.0)


def contradictions(audited: Audited) -> list[Judged]:
    """The contradicted claims, worst first: by their effect on a headline, then by how far the
    figure is off, then in document order.
    """
    totals = {each.headline.name: each.written for each in audited.headlines}
    contradicted = [judged for judged in audited.claims if judged.verdict == "contradicted"]
    return sorted(contradicted, key=lambda j: (-weight(j.effects, totals), -_off(j), j.claim.id))


def faults(audited: Audited) -> list[Judged | Shown]:
    """Contradictions and findings together, worst first by their effect on a headline."""
    totals = {each.headline.name: each.written for each in audited.headlines}
    every: list[Judged | Shown] = [*contradictions(audited), *audited.findings]
    return sorted(every, key=lambda fault: -weight(fault.effects, totals))


@dataclass(frozen=True, slots=True)
class Group:
    """Errors that affect one headline most; `totals` is None for errors without effect."""

    totals: Totals | None
    faults: tuple[Judged | Shown, ...]

    @property
    def bundles(self) -> list[tuple[Judged | Shown, ...]]:
        """Errors that are really one, in the order of the worst in each.

        Two figures that disagree with each other are one error, and so are all errors in a column
        of claims.
        """
        owner = {id_: id_ for f in self.faults if isinstance(f, Judged) for id_ in [f.claim.id]}

        def root(id_: str) -> str:
            while owner[id_] != id_:
                id_ = owner[id_]
            return id_

        ends = {f.claim.id: f for f in self.faults if isinstance(f, Judged)}
        first: dict[str, str] = {}  # for each column
        for id_, judged in ends.items():
            others = [
                other for other in _named(judged) if other in ends and id_ in _named(ends[other])
            ]
            column = judged.claim.column
            for other in (*others, *([first.setdefault(column, id_)] if column else [])):
                owner[root(id_)] = root(other)
        result: dict[str, list[Judged | Shown]] = {}
        for fault in self.faults:
            key = (
                root(fault.claim.id) if isinstance(fault, Judged) else f"finding {fault.finding.id}"
            )
            result.setdefault(key, []).append(fault)
        return [tuple(each) for each in result.values()]


def bundle_title(judged: Sequence[Judged]) -> str:
    """`Lines 94 and 314: “~30-40 hours” and “0.6 hours”`, or for a column `8 figures of time: lines
    20, 21 ...`; a single figure is quoted, `Line 20, time: “1.5”`.
    """
    lines = [str(line) for line in sorted({each.claim.line for each in judged})]
    columns = sorted({each.claim.column.replace("_", " ") for each in judged})
    named = f"Line{'s' * (len(lines) > 1)} {listed(lines)}"
    if columns == [""]:
        return f"{named}: {listed([f'“{each.claim.quote}”' for each in judged])}"
    if len(judged) == 1:
        return f"{named}, {columns[0]}: “{judged[0].claim.quote}”"
    return f"{counted(len(judged), 'figure')} of {listed(columns)}: {named[0].lower()}{named[1:]}"


def _named(judged: Judged) -> set[str]:
    """The claims that a figure is compared with, and those that accuse it."""
    refers = {id_ for basis in judged.claim.bases for id_ in basis.refers}
    return refers | set(judged.accused_by)


def grouped(audited: Audited) -> list[Group]:
    """Errors by the headline that each changes most, the worst group first and the worst error
    first in each; those without effect come last, sorted by how far their figures are off.
    """
    written = {each.headline.name: each.written for each in audited.headlines}
    by_headline: dict[str | None, list[Judged | Shown]] = {}
    for fault in faults(audited):
        by = shares(fault.effects, written)
        by_headline.setdefault(max(by, key=lambda name: by[name]) if by else None, []).append(fault)
    headlines = {each.headline.name: each for each in audited.headlines}
    rest = by_headline.pop(None, [])
    groups = [Group(headlines[str(name)], tuple(each)) for name, each in by_headline.items()]
    return [*groups, Group(None, tuple(rest))] if rest else groups


def _off(judged: Judged) -> float:
    """The relative distance of the figure from the computed value."""
    says, value = judged.claim.says.value, judged.computed.value if judged.computed else None
    if isinstance(says, float) and isinstance(value, float) and value:
        return abs(says / value - 1)
    return 0.0
