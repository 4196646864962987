"""Pages of hardware, offers, formulas and sources answer first and say where they are used."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import hypothesis
from hypothesis import strategies as st

from editions import given
from render.pages.rendered import pages, read
from render.pages.sample_book import book
from scalesheet.model import Citation, Stated
from scalesheet.render.api.values import source_json
from scalesheet.render.pages.catalogue.accelerator import MOST_RUNS, spread
from scalesheet.render.pages.catalogue.pages import catalogue_pages
from scalesheet.render.pages.context import Context, cite


def shown(name: str) -> str:
    return read(pages()[name]).text


def test_the_page_of_an_accelerator_starts_with_its_figures() -> None:
    text = shown("hardware/big.md")
    assert text.startswith("Big </title><script>alert(1)</script> & `Co`")
    assert "Memory 80 GiB spec" in text
    assert "Vendor Acme *Inc* {{ x }}" in text


def test_an_accelerator_shows_its_note_and_everyday_names() -> None:
    text = shown("hardware/big.md")
    assert "Also called Biggie, the *large* one Sold out <since> spring." in text
    assert "Also called" not in shown("hardware/small.md")


def test_a_missing_first_figure_is_called_missing() -> None:
    sample = book()
    offers = sample.tables["offers"]
    price = replace(
        offers.columns["node_price"],
        name="price",
        stated={"rent": Stated(reason="no longer offered")},
    )
    offers = replace(offers, columns={**offers.columns, "price": price})
    context = Context(given(replace(sample, tables={**sample.tables, "offers": offers}, plans={})))
    page = dict(catalogue_pages(context))["offers/rent.md"]
    assert (
        "Price per node hour no longer offered assumption Price per node hour 3.50"
        in read(page).text
    )


def test_a_contested_figure_says_so() -> None:
    sample = book()
    hardware = sample.tables["hardware"]
    memory = hardware.columns["memory"]
    other = Stated(96.0, 96.0, 96.0, basis="published", citation=Citation("paper", "table 2"))
    stated = {**memory.stated, "big": replace(memory.stated["big"], contested=(other,))}
    columns = {**hardware.columns, "memory": replace(memory, stated=stated)}
    tables = {**sample.tables, "hardware": replace(hardware, columns=columns)}
    context = Context(given(replace(sample, tables=tables, plans={})))
    text = read(dict(catalogue_pages(context))["hardware/big.md"]).text
    assert "Contested: 96 GiB in" in text
    assert "table 2" in text


def test_a_missing_figure_says_why() -> None:
    assert "Dense FP8 no FP8 units" in shown("hardware/small.md")


def test_a_citation_shows_the_quoted_text_beside_the_page() -> None:
    sample = book()
    cited = Citation("paper", "section 5", "M = <b>16 N")
    assert str(cite(Context(given(sample)), cited)).endswith(
        '<span class="locator">section 5</span>: <q>M = &lt;b&gt;16 N</q>'
    )
    assert str(cite(Context(given(sample)), cited, within=cited)).endswith(
        "section 5</a>: <q>M = &lt;b&gt;16 N</q>"
    )
    assert source_json(cited) == {"key": "paper", "locator": "section 5", "quote": "M = <b>16 N"}
    assert source_json(Citation("paper")) == {"key": "paper", "locator": ""}


def test_an_accelerator_lists_the_offers_and_plans_that_use_it() -> None:
    page = pages()["hardware/big.md"]
    assert '<a href="../offers/rent.html">Rent a big one</a>' in page
    assert '<a href="../plans/demo.html#t.grid">What fits</a>' in page


def test_the_index_has_a_row_for_each_accelerator() -> None:
    text = shown("hardware/index.md")
    assert "Small | one 24 Acme no FP8 units" in text


def test_an_offer_shows_its_price_and_accelerator() -> None:
    text = shown("offers/rent.md")
    assert "Price per node hour 3.50 USD/(node·h) published" in text
    assert 'href="../hardware/big.html"' in pages()["offers/rent.md"]


def test_a_formula_page_has_every_notation_and_its_examples() -> None:
    page, text = pages()["formulas/gpu-cost.md"], shown("formulas/gpu-cost.md")
    assert "<math" in page
    assert "hours * price" in text
    assert "Valid for any number of hours" in text
    assert (
        "Quantity Unit two hours Hours h 2 Price USD/(node·h) 3.50 Expected USD/node 7.00 "
        "Computed USD/node 7.00 Difference none" in text
    )
    assert '<a href="../plans/demo.html#f.cost">Cost</a>' in page


def test_a_source_lists_what_cites_it() -> None:
    page = pages()["sources/paper.md"]
    assert 'href="https://example.org/paper"' in page
    assert '<a href="../formulas/gpu-cost.html">Cost of hours</a>' in page
    assert '<a href="../plans/demo.html#i.steps_per_hour">Steps per hour</a>' in page


def test_only_web_addresses_become_links() -> None:
    assert "javascript:alert(1)" in shown("sources/datasheet.md")
    assert 'href="javascript' not in pages()["sources/datasheet.md"]


@hypothesis.given(st.integers(1, 400))
def test_an_accelerator_shows_more_than_its_best_runs(count: int) -> None:
    ranked = list(range(count))
    shown = spread(ranked)
    assert list(shown) == sorted(set(shown))
    assert (shown[0], shown[-1]) == (0, count - 1)
    assert len(shown) == min(count, MOST_RUNS)
    steps = {b - a for a, b in pairwise(shown)}
    assert not steps or max(steps) - min(steps) <= 1
