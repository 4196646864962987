"""Inputs that are no longer what their document says: their source tells from what they changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from scalesheet.claims import Audit, Claim, cites
from scalesheet.model import Citation, Column, Key, Plan, Scalar, Stated

#: The claims that are inputs of a plan, each with the key of its document, by input.
Said = Mapping[Key, list[tuple[Claim, str]]]


def said_by(audits: Iterable[Audit]) -> Said:
    """What documents say of the inputs of a plan."""
    result: dict[Key, list[tuple[Claim, str]]] = {}
    for audit in audits:
        for claim in audit.claims.values():
            if claim.expect == "input" and claim.target is not None:
                for key in claim.target.inputs:
                    result.setdefault(key, []).append((claim, audit.document.key))
    return result


def moved_on(plan: Plan, then: Plan, audits: Iterable[Audit]) -> Plan:
    """The plan, in which an input that has changed since its documents were audited, and still
    cites the line that says what it was, says so in its source."""
    found: dict[Key, Stated] = {}
    for key, claims in said_by(audits).items():
        now, was = _stated(plan, key), _stated(then, key)
        if now is not None and was is not None and now.citation == was.citation:
            found[key] = _changed(now, was, claims)
    return _with(plan, found)


def with_edits(
    plan: Plan, edits: Mapping[Key, Stated], then: Plan, audits: Iterable[Audit]
) -> Plan:
    """The plan with edited inputs. None cites what states another value; one that a document
    says otherwise names the line."""
    said = said_by(audits)
    found: dict[Key, Stated] = {}
    for key, edit in edits.items():
        now = _stated(plan, key)
        if now is not None and not _same(edit, now):
            was = _stated(then, key) or now
            other = _changed(replace(edit, citation=was.citation), was, said.get(key, []))
            kept = other.citation if other.citation != was.citation else None
            found[key] = replace(other, citation=kept, position=now.position)
    return _with(plan, found)


def _changed(now: Stated, was: Stated, claims: Iterable[tuple[Claim, str]]) -> Stated:
    if _same(now, was):
        return now
    for claim, document in claims:
        if cites(was.citation, document, claim.line):
            locator = f"changed from line {claim.line}, which says {claim.quote}"
            return replace(now, citation=Citation(document, locator))
    return now


def _same(one: Stated, other: Stated) -> bool:
    return _ends(one) == _ends(other)


def _ends(stated: Stated) -> tuple[object, ...]:
    low = stated.value if stated.low is None else stated.low
    high = stated.value if stated.high is None else stated.high
    return stated.value, low, high, stated.reason, stated.at_least, stated.at_most


def _stated(plan: Plan, key: Key) -> Stated | None:
    if key.table is None:
        scalar = plan.scalars.get(key.name)
        return scalar.stated if scalar is not None else None
    table = plan.tables.get(key.table)
    column = table.columns.get(key.name) if table is not None else None
    return column.stated.get(key.row or "") if column is not None else None


def _with(plan: Plan, found: Mapping[Key, Stated]) -> Plan:
    """The plan with other stated values."""
    scalars: dict[str, Scalar] = dict(plan.scalars)
    tables = dict(plan.tables)
    for key, stated in found.items():
        if key.table is None:
            scalars[key.name] = replace(scalars[key.name], stated=stated)
            continue
        table = tables[key.table]
        column: Column = table.columns[key.name]
        column = replace(column, stated={**column.stated, str(key.row): stated})
        tables[key.table] = replace(table, columns={**table.columns, key.name: column})
    return replace(plan, scalars=scalars, tables=tables) if found else plan
