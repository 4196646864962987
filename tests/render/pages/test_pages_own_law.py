"""The page of a scaling law that was fitted to a plan's own runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scalesheet.book import Book
from scalesheet.edition import Edition
from scalesheet.predict.law.file import problems
from scalesheet.render.pages.catalogue.own_law import own_law
from scalesheet.render.pages.context import Context
from shipped import shipped, shipped_book

OWN = "own-marin-delphi"


@pytest.fixture(scope="module")
def context() -> Context:
    edition = shipped().edition
    assert isinstance(edition, Edition)
    return Context(edition)


def test_a_law_shows_curves_residuals_the_optimum_and_the_next_runs(context: Context) -> None:
    page = "".join(map(str, own_law(context, OWN)))
    for anchor in ("forms", "next", "optimal", "residuals"):
        assert f"{{ #{anchor} }}" in page or f'id="{anchor}"' in page
    assert page.count("<figure") == 2
    assert "current law, with the floor of these runs" in page
    assert "1B parameters on 20B tokens" in page


def test_a_law_fitted_to_published_results_has_no_such_section(context: Context) -> None:
    assert list(own_law(context, "loss")) == []


@pytest.mark.parametrize(
    ("old", "new", "code", "says"),
    [
        (",3.40659", ",3.5", "P002", "was fitted to other runs than those in it"),
        (",3.40659", ",-3", "P003", "line 2 of runs: loss: expected a number above 0, found '-3'"),
    ],
)
def test_a_law_whose_runs_were_edited_is_reported(old: str, new: str, code: str, says: str) -> None:
    book = shipped_book()
    fit = book.fits[OWN]
    edited: Book = replace(book, fits={OWN: replace(fit, runs=fit.runs.replace(old, new, 1))})
    (found,) = problems(edited)
    assert found.code == code
    assert says in found.message
