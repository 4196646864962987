"""Values with earlier ones: which holds on which day, and how they are listed."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from editions import given
from scalesheet.examine import Examined, examine
from scalesheet.render.api.changes import changes_feed, changes_json
from scalesheet.render.history import days, events
from scalesheet.render.pages.catalogue.earlier import earlier_section, of_plan, of_row
from scalesheet.render.pages.changes import changes_page
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.markdown import as_markdown
from small import MINIMAL, lay, said

PLAN = """
title: A plan
summary: For a test.
source: a-paper
headline: [cost]
scalars:
  hours: {value: 10, unit: GPU * hour, was: [
    {until: 2026-01-10, value: 6, why: guessed},
    {until: 2026-05-01, low: 7, high: 9, why: measured again,
     source: {key: a-vendor, locator: page 9}}]}
  gpu: {ref: hardware, value: card, title: Card, was: [
    {until: 2026-03-01, reason: none chosen, why: it was bought}]}
  price: {value: 2, unit: USD / (GPU * hour), kind: decision}
  cost: {unit: USD, formula: hours * price, title: Cost}
"""
MEMORY = "memory: {value: 24, unit: GiB, kind: spec, source: {key: a-vendor, locator: page 1}"
SLIP = ", was: [{until: 2026-02-01, value: 22, why: a slip of the table}]"
CARD = (MINIMAL / "hardware" / "card.yaml").read_text("utf-8").replace(MEMORY, MEMORY + SLIP)
FILES = {"plans/small/plan.yaml": PLAN, "plans/small/page.md": "# A\n", "hardware/card.yaml": CARD}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay(tmp_path_factory.mktemp("earlier"), FILES)


def on(data: Path, day: str) -> Examined:
    examined = examine(data, date.fromisoformat(day))
    assert examined.book is not None, said(examined)
    return examined


@pytest.mark.parametrize(
    ("day", "hours", "cost", "memory"),
    [
        ("2026-01-09", (6, 6, 6), 12, 22),
        ("2026-01-10", (7, 8, 9), 16, 22),
        ("2026-02-01", (7, 8, 9), 16, 24),
        ("2026-04-30", (7, 8, 9), 16, 24),
        ("2026-05-01", (10, 10, 10), 20, 24),
    ],
)
def test_a_day_uses_the_values_that_held_on_it(
    data: Path, day: str, hours: tuple[float, float, float], cost: float, memory: float
) -> None:
    results = on(data, day).results["small"]
    found = results.scalars["hours"]
    assert (found.low, found.value, found.high) == hours
    assert results.scalars["cost"].value == cost
    assert results.cell("hardware", "card", "memory").value == memory


def test_the_edition_is_the_book_without_a_day(data: Path) -> None:
    plain = examine(data)
    dated = on(data, "2026-11-20")
    assert plain.book is not None
    assert dated.book is not None
    for name in ("plans", "tables", "prices"):
        assert getattr(plain.book, name) == getattr(dated.book, name)
    assert plain.results["small"].scalars == dated.results["small"].scalars


def test_an_earlier_value_inherits_what_it_does_not_state(data: Path) -> None:
    book = on(data, "2026-11-20").book
    assert book is not None
    stated = book.plans["small"].scalars["hours"].stated
    assert stated is not None
    first, second = stated.was
    assert (first.until, first.why, first.stated.citation) == (
        "2026-01-10",
        "guessed",
        stated.citation,
    )
    assert second.stated.citation is not None
    assert (second.stated.citation.key, second.stated.citation.locator) == ("a-vendor", "page 9")
    assert (second.stated.since, stated.since) == ("2026-01-10", "2026-05-01")
    memory = book.tables["hardware"].columns["memory"].stated["card"].was[0].stated
    assert (memory.basis, memory.citation.key if memory.citation else "") == ("spec", "a-vendor")


def test_a_choice_can_have_an_earlier_value(data: Path) -> None:
    reasons = [on(data, d).results["small"].scalars["gpu"] for d in ("2026-02-28", "2026-03-01")]
    assert [each.reason or each.value for each in reasons] == ["none chosen", "card"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "until: 2026-05-01, low",
            "until: 2026-01-10, low",
            "V007 scalars.hours.was[1].until: 2026-01-10 repeats",
        ),
        (
            "until: 2026-05-01, low",
            "until: 2027-01-01, low",
            "O006 scalars.hours.was[1].until: holds until 2027-01-01",
        ),
        ("value: 6, why: guessed", "value: 6", "S002 scalars.hours.was[0] lacks the key 'why'"),
        ("value: 6,", "value: -6,", "V002 scalars.hours, was[0]: expected 0 or more (domain"),
        ("low: 7, high: 9", "low: 9, high: 7", "V001 scalars.hours, was[1]: low 9 is above high 7"),
        (
            "key: a-vendor",
            "key: a-vender",
            "N006 scalars.hours.was[1].source.key: the source 'a-vender'",
        ),
        ("formula: hours * price,", "formula: hours * price, was: [],", "S001 unknown key 'was'"),
    ],
)
def test_an_error_in_an_earlier_value_is_reported(
    tmp_path: Path, old: str, new: str, says: str
) -> None:
    text = PLAN.replace(old, new)
    assert text != PLAN
    found = said(examine(lay(tmp_path, {**FILES, "plans/small/plan.yaml": text})))
    assert any(says in each for each in found), found


def test_a_check_may_fail_on_another_day(tmp_path: Path) -> None:
    checked = "checks:\n  dear: {title: It takes long, formula: low(cost) > 18 * dollar}\n"
    dollar = "  dollar: {value: 1, unit: USD, kind: decision}\n"
    data = lay(tmp_path, {**FILES, "plans/small/plan.yaml": PLAN + dollar + checked})
    assert said(examine(data)) == []
    (told,) = said(examine(data, date(2026, 4, 30)))
    assert told.startswith("V005 the check 'It takes long' does not hold")


# ------------------------------------------------------------------ the change log of the data


def test_every_dated_entry_is_listed_newest_first(data: Path) -> None:
    book = on(data, "2026-11-20").book
    assert book is not None
    found = events(book)
    assert [e.day for e in found] == sorted((e.day for e in found), reverse=True)
    assert len({e.id for e in found}) == len(found)
    told = {(e.day, e.title, e.change, e.why) for e in found if e.sort == "value"}
    assert told == {
        ("2026-05-01", "A plan: Hours", "8 [7–9] GPU·h → 10 GPU·h", "measured again"),
        ("2026-01-10", "A plan: Hours", "6 GPU·h → 8 [7–9] GPU·h", "guessed"),
        ("2026-03-01", "A plan: Card", "none chosen → A card", "it was bought"),
        ("2026-02-01", "A card: Memory", "22 GiB → 24 GiB", "a slip of the table"),
    }
    prices = [e for e in found if e.sort == "price"]
    assert len(prices) == sum(len(each) for each in book.prices.values())
    assert prices[0].old
    assert not prices[-1].old
    assert list(days(found)) == list(dict.fromkeys(e.day for e in found))
    earlier = on(data, "2026-02-15").book
    assert earlier is not None
    assert {e.id for e in events(earlier)} == {e.id for e in found if e.day <= "2026-02-15"}


def test_the_feed_is_valid_and_depends_only_on_the_data(data: Path) -> None:
    from xml.etree import ElementTree

    book = on(data, "2026-11-20").book
    assert book is not None
    text = changes_feed(book, pages=True, site_url="https://a.example/site")
    assert text == changes_feed(book, pages=True, site_url="https://a.example/site")
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ElementTree.fromstring(text)
    entries = feed.findall(f"{atom}entry")
    listed = [c for c in changes_json(book)["changes"] if c["sort"] != "source"]
    assert len(entries) == len(listed) > 4
    ids = [each.findtext(f"{atom}id") or "" for each in (feed, *entries)]
    assert len(set(ids)) == len(ids)
    assert all(id.startswith("tag:") and " " not in id and "[" not in id for id in ids)
    for each in (feed, *entries):  # required by RFC 4287
        assert each.findtext(f"{atom}title")
        assert (each.findtext(f"{atom}updated") or "").endswith("T00:00:00Z")
        assert {link.get("rel") for link in each.findall(f"{atom}link")} >= {"alternate"}
    assert feed.findtext(f"{atom}author/{atom}name")
    assert (
        feed.get("{http://www.w3.org/XML/1998/namespace}base") == "https://a.example/site/api/v1/"
    )
    assert feed.findtext(f"{atom}updated") == f"{listed[0]['day']}T00:00:00Z"


def test_pages_show_earlier_values_and_reasons(data: Path) -> None:
    examined = on(data, "2026-11-20")
    assert examined.book is not None
    context = Context(given(examined.book, results=examined.results))
    plan = examined.book.plans["small"]
    shown = " ".join(map(str, earlier_section(context, of_plan(plan))))
    text = as_markdown(shown)
    for part in ("8 [7–9] GPU·h", "2026-01-10", "2026-05-01", "measured again", "page 9"):
        assert part in shown
        assert part.replace("[", "\\[").replace("]", "\\]") in text
    card = of_row(examined.book.tables["hardware"], "card")
    assert "a slip of the table" in " ".join(map(str, earlier_section(context, card)))
    empty = of_row(examined.book.tables["models"], examined.book.tables["models"].rows[0])
    assert list(earlier_section(context, empty)) == []
    ((place, page),) = changes_page(context)
    assert place == "changes/index.md"
    assert page.index("{ #day-2026-05-01 }") < page.index("{ #day-2026-02-01 }")
    assert '<a href="../plans/small.html">A plan: Hours</a>' in page
