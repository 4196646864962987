"""Pages of nodes and small tables: figures with sources, and links between rows."""

import re

import pytest

from editions import given
from resolve.test_nodes import ALL_UNITS, EIGHT, NODE
from resolve.test_small_tables import FLEETS, SITES
from scalesheet.examine import examine
from scalesheet.render.pages.catalogue.pages import catalogue_pages
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.markdown import as_markdown
from small import lay


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Context:
    files = {
        "nodes/machine.yaml": NODE,
        "units.yaml": ALL_UNITS,
        "rates/offer.yaml": EIGHT,
        "tables/sites.yaml": SITES,
        "tables/fleets.yaml": FLEETS,
    }
    examined = examine(lay(tmp_path_factory.mktemp("tables"), files))
    assert examined.book is not None, examined.diagnostics
    return Context(given(examined.book, results=examined.results))


@pytest.fixture(scope="module")
def pages(context: Context) -> dict[str, str]:
    return dict(catalogue_pages(context))


def test_the_index_of_tables_lists_each_with_its_summary(pages: dict[str, str]) -> None:
    index = pages["tables/index.md"]
    assert '<a href="../sites/index.html">Sites</a>' in index
    assert "What a facility draws for its computers." in index


def test_a_table_has_an_index_and_a_page_for_each_row(pages: dict[str, str]) -> None:
    assert '<a href="one.html">One</a>' in pages["sites/index.md"]
    page = pages["sites/one.md"]
    assert page.startswith("# One\n")
    assert "table 1" in page
    # the formula of a computed column is on the index, which the row's page links to
    place = re.search(r'<a href="index.html#([^"]+)">formula</a>', page)
    assert place is not None
    explained = pages["sites/index.md"].partition(f'id="{place[1]}"')[2]
    assert "<code>pue - 1</code>" in explained.partition("</details>")[0]
    assert ">assumption</" in pages["sites/two.md"]


def test_a_row_links_to_the_rows_that_refer_to_it(pages: dict[str, str]) -> None:
    assert '<a href="../sites/one.html">One</a>' in pages["fleets/all.md"]
    assert '<a href="../nodes/machine.html">A machine</a>' in pages["hardware/card.md"]
    assert '<a href="../nodes/machine.html">A machine</a>' in pages["offers/offer.md"]


def test_a_node_shows_its_resources_per_accelerator(pages: dict[str, str]) -> None:
    page = pages["nodes/machine.md"]
    assert "Network per accelerator, each direction" in page
    assert "Power besides the accelerators" in page
    assert "Cores of the host" not in page  # stated nowhere


def test_the_plain_texts_say_the_same(pages: dict[str, str]) -> None:
    texts = {name: as_markdown(page) for name, page in pages.items()}
    assert "| [Sites](../sites/index.md) | What a facility draws" in texts["tables/index.md"]
    assert "PUE" in texts["sites/one.md"]
    assert "Power besides the accelerators" in texts["nodes/machine.md"]


def test_a_book_without_tables_has_an_empty_index(tmp_path_factory: pytest.TempPathFactory) -> None:
    examined = examine(lay(tmp_path_factory.mktemp("none"), {}))
    assert examined.book is not None
    pages = dict(catalogue_pages(Context(given(examined.book, results=examined.results))))
    assert "<table" not in pages["tables/index.md"]
    assert pages["nodes/index.md"].startswith("---\nhide: [toc]\n---\n\n# Nodes\n")
