"""A lookup of a lookup: if the first has no row, its reason reaches the end of the chain."""

from __future__ import annotations

from pathlib import Path

import pytest

from scalesheet.language.syntax import Lookup, walk
from small import plan, said

TABLES = """
tables:
  cards:
    columns: {hours: {unit: hour}}
    rows:
      fast: {hours: 1}
      slow: {hours: 5}
  offers_here:
    columns: {card: {ref: cards}, price: {unit: USD}}
    rows:
      cheap: {card: slow, price: 1}
      dear: {card: fast, price: 9}
  wishes:
    columns:
      most: {unit: USD}
      offer: {ref: offers_here, formula: argmax(offers_here.price where price <= most)}
      hours: {unit: hour, formula: offer.card.hours}
    rows:
      rich: {most: 10}
      poor: {most: 0}
"""


def test_a_reason_passes_through_every_lookup(tmp_path: Path) -> None:
    examined = plan(tmp_path, TABLES)
    assert said(examined) == []
    results = examined.results["small"]
    assert results.cell("wishes", "rich", "hours").value == 1
    assert results.cell("wishes", "poor", "hours").reason == "no rows"


def test_each_lookup_of_the_chain_can_give_a_reason(tmp_path: Path) -> None:
    examined = plan(tmp_path, TABLES)
    assert examined.book is not None
    formula = examined.book.plans["small"].tables["wishes"].columns["hours"].formula
    assert formula is not None
    found = [node for node in walk(formula.ends.value) if isinstance(node, Lookup)]
    assert {node.table: node.open for node in found} == {"cards": True, "offers_here": True}


THROUGH_A_COLUMN = """
      card: {ref: cards, formula: CHOSEN}
      left: {unit: hour, formula: card.hours}
      sort: {words: [light, heavy], formula: card.sort}
"""


@pytest.mark.parametrize("chosen", ["offer.card", "offer.card if most >= 0 else offer.card"])
def test_a_reason_passes_through_a_column_in_between(chosen: str, tmp_path: Path) -> None:
    """A guard cannot tell the column's ids from a reason, so whatever reads it has to know."""
    text = TABLES + THROUGH_A_COLUMN.replace("CHOSEN", chosen)
    text = text.replace(
        "{hours: {unit: hour}}", "{hours: {unit: hour}, sort: {words: [light, heavy]}}"
    )
    text = text.replace("{hours: 1}", "{hours: 1, sort: light}")
    text = text.replace("{hours: 5}", "{hours: 5, sort: heavy}")
    lines = text.splitlines()
    moved = lines[-len(THROUGH_A_COLUMN.splitlines()) + 1 :]  # into the columns, before the rows
    at = lines.index("    rows:", lines.index("  wishes:"))
    lines = [*lines[:at], *moved, *lines[at : -len(moved)]]
    examined = plan(tmp_path, "\n".join(lines) + "\n")
    assert said(examined) == []
    results = examined.results["small"]
    assert results.cell("wishes", "rich", "sort").value == "light"
    assert results.cell("wishes", "poor", "sort").reason == "no rows"
    assert examined.book is not None
    columns = examined.book.plans["small"].tables["wishes"].columns
    for name in ("left", "sort"):
        formula = columns[name].formula
        assert formula is not None
        found = [node for node in walk(formula.ends.value) if isinstance(node, Lookup)]
        assert found
        assert all(node.open for node in found), name


def test_a_cross_table_needs_stated_columns(tmp_path: Path) -> None:
    drawn = TABLES + "    show: {down: offer, across: most, cell: hours}\n"
    assert said(plan(tmp_path, drawn)) == [
        "F004 'offer' is computed; lay the table out by stated columns"
    ]
