"""Small tables: a file declares columns and facts, and plans refer to its rows."""

from pathlib import Path

import pytest

from scalesheet.examine import Examined
from small import plan, said

SITES = """\
title: Sites
summary: What a facility draws for its computers.
source: {key: a-paper, locator: table 1}
columns:
  pue: {unit: 1, domain: positive, title: PUE}
  best: {unit: 1, title: Best site}
  over: {unit: 1, title: Above one, formula: pue - 1}
  card: {ref: hardware, title: Card}
  fleet: {ref: fleets, title: Fleet}
usual: {pue: {low: 1, high: 3}}
rows:
  one: {title: One, pue: 1.1, best: {reason: not stated}, card: card, fleet: all}
  two: {title: Two, pue: {value: 1.5, kind: assumption}, best: 1.2, card: card, fleet: all}
"""
FLEETS = """\
title: Fleets
summary: Who has them.
columns: {sites: {unit: 1, kind: assumption}}
rows: {all: {title: All, sites: 2}}
"""


def book(folder: Path, scalars: str = "x: {unit: 1, value: 1}", sites: str = SITES) -> Examined:
    files = {"tables/sites.yaml": sites, "tables/fleets.yaml": FLEETS}
    return plan(folder, f"scalars:\n  site: {{ref: sites, value: one}}\n  {scalars}\n", files)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("site.pue", 1.1),
        ("site.over", 0.1),
        ("sites['two'].pue", 1.5),
        ("site.fleet.sites", 2),
        ("max(sites.pue)", 1.5),
    ],
)
def test_a_plan_computes_with_a_row(tmp_path: Path, formula: str, value: float) -> None:
    examined = book(tmp_path, f'x: {{unit: 1, formula: "{formula}"}}')
    assert said(examined) == []
    assert examined.results["small"].scalars["x"].value == pytest.approx(value)


def test_a_row_can_have_a_reason(tmp_path: Path) -> None:
    examined = book(tmp_path, "x: {unit: 1, formula: site.best * 2}")
    assert examined.results["small"].scalars["x"].reason == "not stated"


def test_a_cell_is_published_unless_it_says_otherwise(tmp_path: Path) -> None:
    found = book(tmp_path).book
    assert found is not None
    stated = found.tables["sites"].columns["pue"].stated
    assert [stated[row].basis for row in ("one", "two")] == ["published", "assumption"]
    assert stated["one"].citation is not None
    assert stated["one"].citation.locator == "table 1"
    assert found.tables["sites"].note == "What a facility draws for its computers."


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "card: card, fleet: all}\n  two",
            "card: cart, fleet: all}\n  two",
            "N002 'cart' is not in",
        ),
        ("ref: fleets", "ref: fleet", "N001 'fleet' is not a table to refer to"),
        ("pue: 1.1", "puee: 1.1", "S001 row 'one' has the key 'puee', which is not a column"),
        ("pue: 1.1", "pue: -1", "V002 the file, row 'one', column 'pue': expected above 0"),
        ("pue: 1.1", "pue: high", "S003 row 'one', column 'pue': expected a number"),
        ("usual: {pue:", "usual: {puee:", "N001 'sites' has no column 'puee'"),
        ("pue - 1", "puee - 1", "N001 unknown name 'puee'"),
        ("summary:", "sumary:", "S001 unknown key 'sumary'"),
    ],
)
def test_a_bad_table_is_reported(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in SITES
    found = said(book(tmp_path, sites=SITES.replace(old, new, 1)))
    assert any(each.startswith(message) for each in found), found


@pytest.mark.parametrize("name", ["offers", "nodes", "plans"])
def test_a_table_cannot_be_named_like_a_part_of_the_site(tmp_path: Path, name: str) -> None:
    found = said(
        plan(tmp_path, "scalars: {x: {unit: 1, value: 1}}\n", {f"tables/{name}.yaml": FLEETS})
    )
    taken = f"the address of a table '{name}' is taken by another part of the site"
    assert found == [f"N009 {taken}; rename the file"]
