"""Marks inputs that no longer match their document: the source then says what they were."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from scalesheet.claims import Audit, Claim, cites
from scalesheet.model import Citation, Column, Key, Plan, Scalar, Stated

#: The locator of an input that no longer matches its document begins with this.
CHANGED = "changed from "
#: For each input of a plan, the claims that name it, each with the key of its document.
Said = Mapping[Key, list[tuple[Claim, str]]]


def said_by(audits: Iterable[Audit]) -> Said:
    """What documents say about a plan's inputs, beginning with the claim an input is taken from."""
    result: dict[Key, list[tuple[Claim, str]]] = {}
    for audit in audits:
        for claim in audit.claims.values():
            for key in claim.target.inputs if claim.target is not None else ():
                result.setdefault(key, []).append((claim, audit.document.key))
    return {key: sorted(all_, key=lambda c: c[0].expect != "input") for key, all_ in result.items()}


def moved_on(plan: Plan, then: Plan, audits: Iterable[Audit]) -> Plan:
    """The plan, where inputs that have changed since the audit but still cite the old line say so
    in their source.
    """
    found: dict[Key, Stated] = {}
    audits = list(audits)
    said, documents = said_by(audits), {audit.document.key for audit in audits}
    for key, was in _all(then):
        now = stated_at(plan, key)
        if now is not None and now.citation == was.citation:
            changed = _changed(now, was, said.get(key, []), documents)
            found |= {key: changed} if changed is not now else {}
    return _with(plan, found)


def with_edits(
    plan: Plan, edits: Mapping[Key, Stated], then: Plan, audits: Iterable[Audit]
) -> Plan:
    """The plan with edited inputs. An edited input keeps no citation for a different value; if a
    document says something else, the source names the line.
    """
    audits = list(audits)
    said, documents = said_by(audits), {audit.document.key for audit in audits}
    found: dict[Key, Stated] = {}
    for key, edit in edits.items():
        now = stated_at(plan, key)
        if now is not None and not same(edit, now):
            was = stated_at(then, key) or now
            told = replace(edit, citation=was.citation)
            other = _changed(told, was, said.get(key, []), documents)
            kept = other.citation if other.citation != was.citation else None
            found[key] = replace(other, citation=kept, position=now.position)
    return _with(plan, found)


def _changed(
    now: Stated, was: Stated, claims: Iterable[tuple[Claim, str]], documents: Collection[str]
) -> Stated:
    if same(now, was) or was.citation is None:
        return now
    for claim, document in claims:
        if cites(was.citation, document, claim.line):
            locator = f"{CHANGED}line {claim.line}, which says {claim.quote}"
            return replace(now, citation=Citation(document, locator))
    if was.citation.key in documents and was.citation.locator:
        # no claim has this figure: it was read from the line or derived from several
        locator = f"{CHANGED}{was.citation.locator}, where it was {_written(was)}"
        return replace(now, citation=Citation(was.citation.key, locator))
    return now


def _written(stated: Stated) -> str:
    """The value of an input as `show --set` takes it, without its unit."""
    if isinstance(stated.value, float):
        ends = (stated.low, stated.high) if stated.ranged else (stated.value,)
        return "..".join(f"{end:.10g}" for end in ends if end is not None)
    return str(stated.reason or stated.value)


def same(one: Stated, other: Stated) -> bool:
    """Whether two inputs have the same value, whatever their source."""
    return _ends(one) == _ends(other)


def _ends(stated: Stated) -> tuple[object, ...]:
    low = stated.value if stated.low is None else stated.low
    high = stated.value if stated.high is None else stated.high
    return stated.value, low, high, stated.reason, stated.at_least, stated.at_most


def _all(plan: Plan) -> Iterator[tuple[Key, Stated]]:
    """Every stated value of a plan."""
    for scalar in plan.scalars.values():
        if scalar.stated is not None:
            yield Key(scalar.name), scalar.stated
    for table in plan.tables.values():
        for column in table.columns.values():
            for row, stated in column.stated.items():
                yield Key(column.name, table.name, row), stated


def stated_at(plan: Plan, key: Key) -> Stated | None:
    """The value that a plan states at a key."""
    if key.table is None:
        scalar = plan.scalars.get(key.name)
        return scalar.stated if scalar is not None else None
    table = plan.tables.get(key.table)
    column = table.columns.get(key.name) if table is not None else None
    return column.stated.get(key.row or "") if column is not None else None


def _with(plan: Plan, found: Mapping[Key, Stated]) -> Plan:
    """The plan with some stated values replaced."""
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
