"""Lowers a plan's subpages: one per file, or one per row of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scalesheet.addresses import Address
from scalesheet.diagnostics import Diagnostic, at
from scalesheet.load import Document
from scalesheet.model import Page, PageRow, Position
from scalesheet.nearest import nearest
from scalesheet.resolve.claims import audit_id
from scalesheet.resolve.drafts import DraftPlan, DraftTable, Space


def pages_of(
    documents: Sequence[Document], plan: DraftPlan, space: Space, problems: list[Diagnostic]
) -> tuple[Page, ...]:
    """All subpages, ordered by number, then by name, then by row."""
    ordered = sorted(documents, key=lambda d: (d.data.get("order", float("inf")), d.part))
    return tuple(page for d in ordered for page in _pages(d, plan, space, problems))


def _pages(
    document: Document, plan: DraftPlan, space: Space, problems: list[Diagnostic]
) -> Iterator[Page]:
    each: Mapping[str, Any] | None = document.data.get("each")
    if each is None:
        yield _page(document, document.part, plan, None)
        return
    ((word, axis),) = each.items()
    name = str(axis["table"] if isinstance(axis, Mapping) else axis)
    table = plan.tables.get(name) or space.catalogue.get(name)
    if table is None:
        known = [*plan.tables, *space.catalogue]
        message = f"unknown table '{name}'{nearest(name, known)}"
        problems.append(at(document.at("each", word), "N001", message))
        return
    for row in _rows(document, word, axis, table, problems):
        yield _page(document, row, plan, PageRow(word, name, row))


def _rows(
    document: Document, word: str, axis: Any, table: DraftTable, problems: list[Diagnostic]
) -> Iterator[str]:
    if not isinstance(axis, Mapping):
        yield from table.rows
        return
    for index, row in enumerate(axis["rows"]):
        if row in table.rows:
            yield row
            continue
        message = f"'{row}' is not in {table.name}{nearest(row, table.rows, 'known there')}"
        problems.append(at(document.at("each", word, "rows", index), "N002", message))


def _page(document: Document, name: str, plan: DraftPlan, row: PageRow | None) -> Page:
    data = document.data
    return Page(
        id=f"{plan.id}-{name}",
        title=str(data["title"]),
        summary=str(data.get("summary", "")),
        headline=tuple(
            (str(each), document.at("headline", index))
            for index, each in enumerate(data.get("headline", ()))
        ),
        text=document.text,
        start=Position(document.path, document.text_line, 1),
        row=row,
        position=document.at(),
    )


def audited_at(documents: Sequence[Document]) -> list[Address]:
    """The names of a plan's audit pages below `audit/`."""
    claims = sorted((d for d in documents if d.kind == "claims"), key=lambda d: bool(d.part))
    return [(audit_id(document), document.at()) for document in claims]
