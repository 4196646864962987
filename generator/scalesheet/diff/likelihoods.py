"""Compares how certain plans are, before and after a change."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.diff.changes import Forecast
from scalesheet.diff.matching import Names
from scalesheet.edition import Edition
from scalesheet.sure.words import in_short


def likelihoods(
    base: Edition, head: Edition, names: Names, plans: frozenset[str]
) -> Iterator[Forecast]:
    """The first figure of each of the plans (by new id), if its quantiles changed."""
    old_ids = {new: old for old, new in names.plans.items()}
    for id_ in sorted(plans & head.book.plans.keys()):
        now = in_short(head.book, head.book.plans[id_], head.sures[id_])
        was, old = "", old_ids.get(id_)
        if old is not None and old in base.book.plans:
            was = in_short(base.book, base.book.plans[old], base.sures[old])
        if now != was:
            yield Forecast(id_, was, now or "no figure shown is uncertain")
