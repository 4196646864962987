"""Checks that a translated formula gives the value in the workbook.

This is certain if the compiled formula prints as exactly the tokens of the cell. Otherwise, since
the same formula can be written in several ways, its value must match the one that the workbook
shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from scalesheet.edition import Edition
from scalesheet.language.syntax import End
from scalesheet.model import Formula
from scalesheet.printers.base import PrinterError
from scalesheet.pull.model import Edit, Finding, Proof, Pulling
from scalesheet.pull.steps import unfolded
from scalesheet.pull.tokens import FormulaProblem, Printer, Token
from scalesheet.pull.translate import around
from scalesheet.render.workbook.context import end_node
from scalesheet.render.workbook.steps import stepped
from scalesheet.resolve.lowering.scalars import SCENARIO
from scalesheet.values import Results, Value

WITHIN = 1e-9  # relative to the value; a workbook saved by LibreOffice has 15 digits


def unproven(pulling: Pulling, edition: Edition, edits: Sequence[Edit]) -> Iterator[Finding]:
    """The formulas of edits that give another result in the data than in the workbook."""
    proofs = [(edit, edit.proof) for edit in edits if edit.proof is not None]
    if not proofs:
        return
    book = edition.book
    plan = stepped(book, book.plans[pulling.plan.id])
    after = replace(pulling, book=book, plan=plan)
    printer, results = after.printer, _results(pulling, edition)
    for edit, proof in proofs:
        formula = _formula(after, proof)
        if formula is None:
            text = f"'{edit.name}' has no formula in the changed data"
            yield Finding("W006", edit.place, text, edit.site.position)
            continue
        for end, (place, cell, read) in proof.cells.items():
            printed = _printed(printer, formula, end)
            if printed == read or _same_form(after, printed, pulling, read, proof.row):
                continue
            value = _value(pulling, results, proof)
            shown = value.reason if value.reason is not None else value.end(end)
            if not _alike(shown, cell.value):
                text = f"'{edit.name}' would be {edit.new}, which gives {_told(shown)}"
                here = "is not computed" if cell.value is None else f"shows {_told(cell.value)}"
                hint = (
                    "; save it from a spreadsheet program"
                    if cell.value is None
                    else ("; write it in the data, or in a form nearer to the old one")
                )
                text = f"{text}, and the cell {here}{hint}"
                yield Finding("W006", str(place), text, edit.site.position)
                break


def _results(pulling: Pulling, edition: Edition) -> Results:
    """The results in the scenario that the workbook shows."""
    place = pulling.where.scalars.get((SCENARIO, "value"))
    word = str(pulling.cell(place).value) if place is not None else ""
    results = edition.results[pulling.plan.id]
    own = results.scalars.get(SCENARIO)
    if own is None or own.value == word:
        return results
    return edition.scenarios[pulling.plan.id].get(word, results)


def _formula(pulling: Pulling, proof: Proof) -> Formula | None:
    if proof.table is None:
        return pulling.plan.scalars[proof.name].formula
    column = pulling.tables[proof.table].columns[proof.name]
    row = pulling.renamed.get((proof.table, str(proof.row)), str(proof.row))
    return column.own.get(row) or column.formula


def _printed(printer: Printer, formula: Formula, end: End) -> tuple[Token, ...]:
    try:
        return printer.printed(end_node(formula, end))
    except PrinterError:
        return ()


def _same_form(
    after: Pulling,
    printed: tuple[Token, ...],
    before: Pulling,
    read: tuple[Token, ...],
    row: str | None,
) -> bool:
    """Whether two formulas are equal except for brackets, steps, tolerances and guards; conversions
    must be in both.
    """
    plain = around(frozenset(), {})
    try:
        return plain.translated(unfolded(after, printed, row)) == plain.translated(
            unfolded(before, read, row)
        )
    except FormulaProblem:
        return False


def _value(pulling: Pulling, results: Results, proof: Proof) -> Value:
    if proof.table is None:
        return results.scalars[proof.name]
    row = pulling.renamed.get((proof.table, str(proof.row)), str(proof.row))
    return results.cell(proof.table, row, proof.name)


def _alike(one: object, other: object) -> bool:
    if isinstance(one, bool):
        one = "yes" if one else "no"
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= WITHIN * max(abs(one), abs(other))
    return one == other


def _told(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.10g}" if isinstance(value, float) else repr(value)
