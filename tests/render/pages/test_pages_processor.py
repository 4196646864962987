"""A processor in the catalogue shows its measurements and cannot be chosen as an accelerator."""

import pytest

from editions import given
from render.pages.rendered import read
from scalesheet.render.pages.catalogue.pages import catalogue_pages
from scalesheet.render.pages.compare.accelerators import comparison, peers, usual
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.plan.live import PROCESSORS, shown
from shipped import shipped, shipped_book


@pytest.fixture(scope="module")
def context() -> Context:
    found = shipped()
    return Context(given(shipped_book(), results=found.results, scores=found.scores))


@pytest.fixture(scope="module")
def processors(context: Context) -> list[str]:
    table = context.book.tables["hardware"]
    kinds = table.columns["kind"].stated
    return [row for row in table.rows if kinds[row].value == "processor"]


def test_its_page_has_the_measured_rates(context: Context, processors: list[str]) -> None:
    written = dict(catalogue_pages(context))
    assert processors
    for row in processors:
        text = read(written[f"hardware/{row}.md"]).text
        assert "Best measured FP32 matrix products" in text
        assert "Measured memory bandwidth, triad" in text
        assert "GiB measured" in text
        assert "Kind processor" in text
        assert "Compare with" not in text


def test_it_is_not_compared_with_accelerators(context: Context, processors: list[str]) -> None:
    compared = comparison(context).accelerators
    assert not set(processors) & set(compared)
    assert not set(processors) & set(usual(context))
    assert all(peers(context, row) == () for row in processors)
    assert not set(processors) & {other for row in compared for other in peers(context, row)}


def test_lists_group_processors_separately(context: Context, processors: list[str]) -> None:
    book = context.book
    text = shown(book.plans["calculator"], book)
    rows = list(book.tables["hardware"].rows)
    places = ",".join(str(rows.index(row)) for row in processors)
    assert f"{PROCESSORS}:[{places}]" in text.replace('"', "")
