"""Pages of providers: statements with sources, offers with prices, and warnings about old ones."""

import re
from pathlib import Path

import pytest

from editions import given
from scalesheet.examine import examine
from scalesheet.render.pages.catalogue.pages import catalogue_pages
from scalesheet.render.pages.catalogue.sources import source_pages
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.markdown import as_markdown
from small import lay

PROVIDER = """
title: A provider
url: https://example.org/prices
billing: {says: By the minute., source: {key: a-vendor, locator: page 3}}
traps:
  - {says: Half of it is a slice., source: {key: a-vendor, locator: page 4}}
  - {says: The host is apart., source: a-vendor}
note: It was called otherwise.
"""
OLD = """
title: A provider's eight cards
provider: A provider
instance: eight
accelerator: card
accelerators: 8
term: on-demand
prices:
  - {from: 2025-01-01, price: 8, unit: USD / (node * hour), kind: published, source: a-vendor,
     confirmed: {key: a-paper, locator: row 2}}
unusual: {age: No newer one is known.}
"""


def folder(tmp_path: Path, **files: str) -> Path:
    places = {"providers/seller.yaml": PROVIDER, "rates/eight.yaml": OLD}
    return lay(tmp_path, {**places, **files})


@pytest.fixture
def pages(tmp_path: Path) -> dict[str, str]:
    examined = examine(folder(tmp_path))
    assert examined.book is not None, examined.diagnostics
    computed = {r.id: [0.0] * len(r.examples) for r in examined.book.records.values()}
    context = Context(given(examined.book, results=examined.results, examples=computed))
    made = {**dict(catalogue_pages(context)), **dict(source_pages(context))}
    return made | {f"plain/{path}": as_markdown(text) for path, text in made.items()}


def test_each_statement_has_its_source(pages: dict[str, str]) -> None:
    page = pages["providers/seller.md"]
    assert page.startswith("# A provider\n")
    assert 'href="https://example.org/prices"' in page
    assert "It was called otherwise." in page
    for words, place in (("By the minute.", "page 3"), ("Half of it is a slice.", "page 4")):
        row = next(line for line in page.splitlines() if words in line)
        assert "../sources/a-vendor.html" in row
        assert place in row
    assert "What a price is for" not in page  # no statement about it


def test_its_offers_are_listed_with_price_and_age(pages: dict[str, str]) -> None:
    page = pages["providers/seller.md"]
    (eight,) = [line for line in page.splitlines() if "../offers/eight.html" in line]
    assert "2025-01-01, old" in page
    assert re.search(r'<td class="num"(?: data-value="1.0")?>1(?:\.00?)?<', eight), eight
    assert "2026-11-01</td>" in page
    changed = page[page.index("Prices that changed") :]
    assert "../offers/offer.html" in changed
    assert "../offers/eight.html" not in changed  # the offer has a single price


def test_an_offer_says_how_old_it_is_and_which_source_confirms_it(pages: dict[str, str]) -> None:
    page = pages["offers/eight.md"]
    assert "An old price." in page
    assert "688 days before 2026-11-20; after 180 days" in page
    assert 'href="../providers/seller.html"' in page
    assert "; also " in page
    assert "../sources/a-paper.html" in page
    assert "No newer one is known." in pages["plain/offers/eight.md"]
    assert "An old price." not in pages["offers/offer.md"]


def test_a_second_source_counts_as_used(pages: dict[str, str]) -> None:
    assert "../offers/eight.html" in pages["sources/a-paper.md"]


def test_the_index_counts_their_offers(pages: dict[str, str]) -> None:
    index = pages["providers/index.md"]
    assert '<td class="num">2</td>' in index
    assert "By the minute." in index
    assert "seller.md" in pages["plain/providers/index.md"]


def test_a_book_without_providers_has_an_empty_index(tmp_path: Path) -> None:
    examined = examine(lay(tmp_path, {}))
    assert examined.book is not None
    context = Context(given(examined.book, results=examined.results))
    assert "providers/index.md" in dict(catalogue_pages(context))


def test_an_offer_of_an_unknown_provider_is_an_error(tmp_path: Path) -> None:
    offer = OLD.replace("provider: A provider", "provider: A provder")
    found = examine(folder(tmp_path, **{"rates/eight.yaml": offer})).diagnostics
    (told,) = [d for d in found if d.code == "N002"]
    assert (told.line, told.column) == (3, 11)
    assert told.message == "'A provder' is not in providers; did you mean 'A provider'?"
