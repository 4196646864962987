"""What the pages of plans and audits are called, and which would be written over each other."""

from __future__ import annotations

from collections.abc import Container, Iterable

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.model import Plan, Position

Address = tuple[str, Position]


def addresses(plan: Plan) -> list[Address]:
    """What a plan's own pages are called below `plans/`, and where that is said."""
    own = (plan.id, plan.position or Position(plan.id, 1, 1))
    return [own, *((page.id, page.position or page.start) for page in plan.pages)]


def same_addresses(
    plans: Container[str], pages: Iterable[Address], audits: Iterable[Address]
) -> list[Diagnostic]:
    """Pages that would be written over each other: plans and their pages, and audits. A plan keeps
    its own name; what else has it is told of."""
    problems: list[Diagnostic] = []
    for folder, entries in (("plans", pages), ("audit", audits)):
        first: dict[str, Position] = {}
        for id_, position in sorted(entries, key=lambda entry: entry[0] not in plans):
            if id_ in first:
                message = (
                    f"the page '{folder}/{id_}' is made by {first[id_].path} already; "
                    "rename one of the two"
                )
                problems.append(at(position, "N009", message))
            first.setdefault(id_, position)
    return problems
