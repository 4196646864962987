"""Checks that fail after a change, and which of them held before."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.breaches import breaches
from scalesheet.diff.changes import Breached
from scalesheet.diff.matching import Names
from scalesheet.edition import Edition


def breached(base: Edition, head: Edition, names: Names) -> Iterator[Breached]:
    """Every failing check of the new side, plan by plan."""
    before = {
        (names.plans.get(plan.id), each.check.name)
        for plan in base.book.plans.values()
        for each in breaches(plan, base.results[plan.id])
    }
    for plan in head.book.plans.values():
        for each in breaches(plan, head.results[plan.id]):
            new = (plan.id, each.check.name) not in before
            yield Breached(plan.id, each.check.name, each.text, new)
