"""The workbook of an answer of `choose`: the plan `calculator` with the chosen row as its
inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from scalesheet.book import Book
from scalesheet.diagnostics import Refused
from scalesheet.edition import Edition
from scalesheet.model import Key, Plan, Stated
from scalesheet.render.workbook.write import WorkbookReport, write_workbook


def with_inputs(plan: Plan, edits: Mapping[Key, Stated]) -> Plan:
    """Return the plan with these stated values; positions and source notes stay."""
    scalars = dict(plan.scalars)
    for key, stated in edits.items():
        old = scalars[key.name].stated
        assert key.table is None, key
        assert old is not None, key
        scalars[key.name] = replace(
            scalars[key.name], stated=replace(stated, position=old.position, note=old.note)
        )
    return replace(plan, scalars=scalars)


def write_answer(book: Book, plan: Plan, edits: Mapping[Key, Stated], path: Path) -> WorkbookReport:
    """Write the workbook. Raises Refused if it would be unsound, OSError if it cannot be
    written."""
    changed = with_inputs(plan, edits)
    edition = Edition(replace(book, plans={**book.plans, plan.id: changed}))
    report = write_workbook(edition, changed, path, sensitivity=False)
    if report.problems:
        raise Refused(report.problems)
    return report
