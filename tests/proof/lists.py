"""The lists of the Sensitivity sheet, cell by cell: what the evaluator says of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from proof import faces
from proof.faces import Address
from scalesheet.evaluate.sensitivity import Sensitivity, ranks
from scalesheet.language.syntax import ENDS
from scalesheet.render.workbook.places import relative
from scalesheet.render.workbook.sensitivity import (
    OUTDATED_ROW,
    RANK,
    RESULT_AT,
    SHOWN_AT,
    SWING,
    Arrangement,
)

SHEET = "Sensitivity"


@dataclass(frozen=True)
class Expected:
    """What a cell must show, and the largest number that it is computed from."""

    value: float | str | None
    magnitude: float = 0.0


def expected(arranged: Arrangement, now: Sensitivity) -> dict[Address, Expected]:
    """Every live cell of the lists, by the evaluator."""
    found: dict[Address, Expected] = {(SHEET, relative(OUTDATED_ROW, 0)): Expected(None)}
    rankings = {ranking.name: ranking for ranking in now.rankings}
    for listing in arranged.listings:
        ranking = rankings[listing.ranking.name]
        effects = {effect.lever.key: effect for effect in ranking.effects}
        base = ranking.value
        rows = range(listing.first, listing.last + 1)
        swings = []
        for row, effect in zip(rows, listing.effects, strict=True):
            moved = effects.get(effect.lever.key)
            results = (moved.low, base, moved.high) if moved else (base, base, base)
            shown = [faces.face(value, "value") for value in results]
            largest = max((abs(x) for x in shown if isinstance(x, float)), default=0.0)
            for end, value in zip(ENDS, shown, strict=True):
                found[SHEET, relative(row, RESULT_AT[end])] = Expected(value)
            swings.append(moved.swing if moved else 0.0)
            found[SHEET, relative(row, SWING)] = Expected(swings[-1], largest)
            if moved is not None and moved.inputs is not None:
                for end, number in zip(ENDS, moved.inputs, strict=True):
                    found[SHEET, relative(row, SHOWN_AT[end])] = Expected(number)
        if _apart(swings, base.value):
            for row, rank in zip(rows, ranks(swings), strict=True):
                found[SHEET, relative(row, RANK)] = Expected(float(rank))
    return found


def _apart(swings: list[float], base: object) -> bool:
    """Whether no two swings are so near to each other that rounding decides their order."""
    size = abs(base) if isinstance(base, float) else 0.0
    near = 1e-9 * max([size, *swings])
    ordered = sorted(swings)
    return all(b - a > near or b == a for a, b in pairwise(ordered))


def wrong(want: Mapping[Address, Expected], shown: Mapping[Address, Any]) -> Iterator[str]:
    for address, each in want.items():
        if not faces.agree(each.value, shown.get(address), each.magnitude):
            yield f"{address}: {each.value!r}, shown {shown.get(address)!r}"
