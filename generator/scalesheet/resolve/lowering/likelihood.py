"""Lowers the likelihood of a stated value: the shape of its range, its group, its event."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.model import DOMAINS, Event, Likelihood, Stated
from scalesheet.nearest import nearest
from scalesheet.resolve.drafts import Draft, DraftPlan

KEYS = ("spread", "percentiles", "moves_with", "event", "found_by")
#: Shapes that are bounded, so low and high can be their ends.
WITH_ENDS = ("triangular", "uniform", "pert")


def likelihood(
    draft: Draft, made: Stated, data: Mapping[str, Any], wrong: Callable[[str, str, str], None]
) -> Likelihood:
    """Read a value's likelihood. Reports problems to `wrong` with a code, a message and a key."""
    spread = str(data.get("spread", ""))
    first, last = data.get("percentiles", (10, 90))
    event = data.get("event")

    def say(code: str, what: str, key: str) -> None:
        wrong(code, f"'{draft.name}': {what}", key)

    if first >= last:
        say(
            "V001",
            f"percentile {first} of low is not below {last} of high; swap them",
            "percentiles",
        )
    elif (first == 0 or last == 100) and spread not in WITH_ENDS:
        shapes = ", ".join(WITH_ENDS)
        what = f"percentiles 0 and 100 are ends, and {spread or 'this shape'} has none"
        say("V018", f"{what}; add spread: one of {shapes}, or state others", "percentiles")
    if spread == "lognormal" and made.low is not None and made.low <= 0:
        what = f"a lognormal range is above 0, found low {made.low:g}"
        say("V018", f"{what}; raise it, or write spread: normal or triangular", "spread")
    if event is not None and not (draft.kind == "number" and DOMAINS[draft.domain or "signed"][3]):
        what = f"an event adds to a count, found the domain {draft.domain or 'non-negative'}"
        say("V018", f"{what}; add domain: whole, or leave the event out", "event")
    return Likelihood(
        spread,
        (first / 100, last / 100),
        str(data.get("moves_with", "")),
        None if event is None else Event(**event),
        str(data.get("found_by", "")),
    )


#: The quantities in each group, by its name.
Groups = dict[str, set[tuple[str, str]]]


def groups_of(drafts: Iterable[Draft]) -> Groups:
    """The groups that quantities belong to. The name of an input with a range is also a group."""
    groups: Groups = {}
    for draft in drafts:
        members = {draft.moves_with} if draft.formulas and not draft.sides else set()
        if any(each.ranged for each in draft.stated.values()):
            members.add(f"{draft.table}.{draft.name}" if draft.table else draft.name)
        members |= {each.likelihood.moves_with for each in draft.stated.values()}
        for name in members - {""}:
            place = (draft.table or "", draft.side_of or draft.name)
            groups.setdefault(name.lstrip("-"), set()).add(place)
    return groups


def lonely_groups(
    plan: DraftPlan, catalogue: Mapping[str, Iterable[tuple[str, str]]], problems: list[Diagnostic]
) -> None:
    """Warn of groups with a single member, which are most likely typos. `catalogue` are the groups
    of the catalogue.
    """
    columns = (each for table in plan.tables.values() for each in table.columns.values())
    drafts = (*plan.scalars.values(), *columns)
    groups = groups_of(drafts)
    for name, members in catalogue.items():
        groups.setdefault(name, set()).update(members)
    for draft in drafts:
        for each in draft.stated.values():
            name = each.likelihood.moves_with.lstrip("-")
            cells = len(draft.stated) if draft.table == "phases" else 1
            if name and len(groups[name]) == 1 and cells == 1 and each.position is not None:
                others = nearest(name, [other for other in groups if other != name])
                what = f"'{draft.name}' moves with '{name}', and nothing else belongs to that group"
                remedy = "; give another input the same group, or leave it out"
                problems.append(at(each.position, "N001", what + (others or remedy)))
                break
