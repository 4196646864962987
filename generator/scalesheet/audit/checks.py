"""Findings from the plan's own checks that fail with the document's figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from scalesheet.audit.explain import arithmetic
from scalesheet.audit.model import Shown
from scalesheet.audit.verdicts import lines_of
from scalesheet.claims import Audit, Basis, Finding
from scalesheet.evaluate.findings import MOST_ROWS, broken_rows, wrongs
from scalesheet.language.syntax import Aggregate, Cell, Column, Node
from scalesheet.model import Formula, Plan, Scalar
from scalesheet.units import Units
from scalesheet.values import Results, Value

NOTE = "A check of the plan that fails with the document's figures."


def broken_checks(
    plan: Plan, audits: Sequence[Audit], results: Results, units: Units
) -> Mapping[str, list[Shown]]:
    """The failing checks of each audit; `results` are those of the document's scenario.

    A check belongs to the document that it cites as its source, else to the plan's first.
    """
    result: dict[str, list[Shown]] = {audit.id: [] for audit in audits}
    by_source = {audit.document.key: audit.id for audit in reversed(audits)}
    for name in plan.checks:
        check, value = plan.scalars[name], results.scalars[name]
        if value.value is True or check.formula is None:
            continue
        cited = check.formula.citation
        own = cited.key if cited and cited.key in by_source else audits[0].document.key
        owner = by_source[own]
        failures = list(_because(plan, check, check.formula, results, units))
        finding = Finding(
            id=name.replace(".", "-").replace("_", "-"),
            title=_title(wrongs(plan, name, results), check.title),
            lines=tuple(_lines(plan, check, results, own)),
            shows=tuple(Basis(formula, name) for formula, _, _ in failures),
            effects={},
            note=check.note or NOTE,
            position=check.position,
        )
        because, values = tuple(t for _, t, _ in failures), tuple(v for _, _, v in failures)
        result[owner].append(Shown(finding, because, values, {}))
    return result


def _title(wrong: Sequence[str], title: str) -> str:
    """What is wrong; for several rows, the first one."""
    if not wrong:
        return f"Does not hold: {title}"
    first = wrong[0][:1].upper() + wrong[0][1:]
    return first + (", and more rows" if len(wrong) > 1 else "")


def _lines(plan: Plan, check: Scalar, results: Results, document: str) -> Iterable[int]:
    """The document lines that a check cites, else those cited by the rows that fail it."""
    cited = check.formula.citation if check.formula else None
    if cited is not None:
        return lines_of(cited) if cited.key == document else ()
    rows = broken_rows(plan, check.name, results)
    columns = plan.tables[plan.row_checks[check.name]].columns.values() if rows else ()
    stated = [column.stated[row] for row in rows for column in columns if row in column.stated]
    citations = [each.citation for each in stated if each.citation is not None]
    return sorted({n for c in citations if c.key == document for n in lines_of(c)})


def _because(
    plan: Plan, check: Scalar, formula: Formula, results: Results, units: Units
) -> Iterator[tuple[str, str, Value]]:
    """The formula, the formula with its numbers, and its result; for a check of every row, the same
    for each row that fails it.
    """
    rows = broken_rows(plan, check.name, results)
    if not rows:
        basis = Basis(formula.text, check.name)
        yield (
            formula.text,
            arithmetic(basis, check, formula, results, units),
            results.scalars[check.name],
        )
        return
    table = plan.tables[plan.row_checks[check.name]]
    column = table.columns[plan.row_column(check.name)]
    assert column.formula is not None
    titles = dict(zip(table.rows, table.row_titles, strict=True))
    for number, row in enumerate(rows):
        if number == MOST_ROWS:
            more = f"and {len(rows) - MOST_ROWS} more rows of {table.title}"
            yield column.formula.text, more, results.scalars[check.name]
            return
        here = replace(column.formula, tree=_at(column.formula.tree, table.name, row))
        at_row = replace(results, scalars={**results.scalars, check.name: Value(False)})
        filled = arithmetic(Basis(column.formula.text, check.name), check, here, at_row, units)
        yield column.formula.text, f"{titles[row]}: {filled}", Value(False)


def _at(node: Node, table: str, row: str) -> Node:
    """Turn a formula for all rows of a table into the formula of one row."""
    if isinstance(node, Column) and node.table == table:
        return Cell(table, row, node.column, node.end, span=node.span)
    if isinstance(node, Aggregate):
        return node  # its condition refers to the rows that it aggregates
    changed: dict[str, Any] = {}
    for item in fields(node):
        part = getattr(node, item.name)
        if isinstance(part, Node):
            changed[item.name] = _at(part, table, row)
        elif item.name == "arguments":
            changed[item.name] = tuple(_at(argument, table, row) for argument in part)
    return replace(node, **changed) if changed else node
