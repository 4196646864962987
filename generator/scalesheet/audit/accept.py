"""Writes the verdicts of an audit into its claims file and leaves everything else unchanged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from scalesheet.audit.model import Audited, Judged
from scalesheet.load.document import Steps
from scalesheet.load.reader import parse
from scalesheet.source.patch import Set, patched


def accepted(text: str, audited: Audited) -> str:
    """The text of a claims file with the computed verdicts entered. A column of a table gets the
    most common verdict of its cells, and the other cells state their own. Raises PatchError.
    """
    data = parse(text.encode(), "").data
    columns: dict[tuple[str, str], list[Judged]] = {}
    changes: list[Set] = []
    for judged in audited.claims:
        place = judged.claim.place
        if judged.verdict is None:
            continue
        if place[0] == "tables":
            columns.setdefault((str(place[1]), judged.claim.column), []).append(judged)
        elif _at(data, place)["expect"] != judged.verdict:
            changes.append(Set((*place, "expect"), judged.verdict))
    for (table, column), cells in columns.items():
        changes += _of_column(data, ("tables", table, "columns", column), cells)
    return patched(text, changes)


def _of_column(data: Any, column: Steps, cells: list[Judged]) -> Iterator[Set]:
    before = _at(data, column).get("expect")
    counts = Counter(judged.verdict for judged in cells)
    most = max(counts, key=lambda verdict: (counts[verdict], verdict == before))
    own = [
        isinstance(cell := _at(data, j.claim.place), Mapping) and "expect" in cell for j in cells
    ]
    if most != before and not (before is None and all(own)):
        yield Set((*column, "expect"), most)
    for judged, stated in zip(cells, own, strict=True):
        place, cell = judged.claim.place, _at(data, judged.claim.place)
        if stated:
            if cell["expect"] != judged.verdict:
                yield Set((*place, "expect"), judged.verdict)
        elif judged.verdict != most:
            if isinstance(cell, Mapping):
                yield Set((*place, "expect"), judged.verdict)
            else:
                yield Set(place, {"quote": judged.claim.quote, "expect": judged.verdict})


def _at(data: Any, steps: Steps) -> Any:
    for step in steps:
        data = data[step]
    return data
