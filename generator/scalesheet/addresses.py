"""The addresses of pages of plans and audits, and which of them collide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.model import Plan, Position

Address = tuple[str, Position]


def addresses(plan: Plan) -> list[Address]:
    """The names of a plan's pages below `plans/`, with the place that sets each name."""
    own = (plan.id, plan.position or Position(plan.id, 1, 1))
    return [own, *((page.id, page.position or page.start) for page in plan.pages)]


def same_addresses(
    pages: Mapping[str, Iterable[Address]], audits: Mapping[str, Iterable[Address]]
) -> list[Diagnostic]:
    """Report pages that would overwrite each other: those of plans, and of audits.

    A plan keeps its own name; anything else with that name is reported.
    """
    problems: list[Diagnostic] = []
    for folder, of_plans in (("plans", pages), ("audit", audits)):
        entries = [(plan != each[0], each) for plan in of_plans for each in of_plans[plan]]
        first: dict[str, Position] = {}
        for _, (id_, position) in sorted(entries, key=lambda entry: entry[0]):
            if id_ in first:
                message = (
                    f"the page '{folder}/{id_}' is made by {first[id_].path} already; rename one "
                    "of them"
                )
                problems.append(at(position, "N009", message))
            first.setdefault(id_, position)
    return problems
