"""The score of the front page: published runs, asked as a reader would, without their layout."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as some

from project import draws
from scalesheet.book import Book
from scalesheet.choose.asked import GIVEN, answers, as_asked
from scalesheet.choose.asked import fit as fit_of_asked
from scalesheet.choose.job import PLAN, Assumptions
from scalesheet.predict.cases import cases
from scalesheet.predict.cases.catalogue import Known
from scalesheet.predict.fits import coefficients
from scalesheet.predict.fits.holdout import COVERAGE, interval_of_families
from scalesheet.predict.score import Asked, TaskScore, score_of
from scalesheet.predict.score.truth import described_by, published
from scalesheet.render.pages.front.question import answered, question_script
from scalesheet.render.pages.html import drawn as drawn_by
from shipped import shipped, shipped_book


@pytest.fixture(scope="module")
def runs() -> TaskScore:
    return shipped().scores["runs"]


@pytest.fixture(scope="module")
def asked(runs: TaskScore) -> Asked:
    assert runs.asked is not None
    return runs.asked


def place(runs: TaskScore, id_: str) -> int:
    return runs.published.cases.ids.tolist().index(id_)


#: Published runs as cases of the front page.
QUESTIONS = {
    "deepseek-v3": {
        "model": "deepseek-v3",
        "tokens": "14.8e12",
        "gpu": "h800-sxm",
        "gpus": "2048",
        "precision": "FP8",
    },
    "llama3-1-405b": {
        "model": "llama-3-1-405b",
        "tokens": "15.6e12",
        "gpu": "h100-sxm",
        "gpus": "16384",
    },
    "falcon-180b": {
        "model": "falcon-180b",
        "tokens": "3.5e12",
        "gpu": "a100-sxm-40gb",
        "gpus": "4096",
    },
}


@cache
def hours_of(id_: str) -> tuple[float, ...]:
    """Expected, low and high hours from the front page."""
    book = shipped_book()
    stated = {"method": "pretraining", "data": "tokens", **QUESTIONS[id_]}
    page = drawn_by(answered(question_script(book, book.plans[PLAN], stated))["answer"])
    numbers = re.findall(r"[\d,.]+", re.sub("<[^>]*>", " ", page.partition("figure hours")[2]))
    return tuple(float(number.replace(",", "")) for number in numbers[:3])


@pytest.mark.parametrize("id_", QUESTIONS)
def test_the_score_gives_the_hours_of_the_front_page(
    id_: str, runs: TaskScore, asked: Asked
) -> None:
    hours = asked.made.predicted[place(runs, id_)] / float(QUESTIONS[id_]["gpus"])
    said = hours_of(id_)[0]
    assert said == pytest.approx(hours, rel=0.02)  # the publication's model sizes


@pytest.mark.parametrize("id_", ["deepseek-v3", "llama3-1-405b"])
def test_the_largest_published_runs_are_within_the_pages_interval(
    id_: str, runs: TaskScore
) -> None:
    _, low, high = hours_of(id_)
    hours = runs.published.truth[place(runs, id_)] / float(QUESTIONS[id_]["gpus"])
    assert low <= hours <= high


def test_both_scores_use_the_same_rows_and_four_of_five_are_in_the_interval(
    asked: Asked, runs: TaskScore
) -> None:
    assert asked.quality.rows == asked.described.rows > 40
    assert asked.quality.coverage is not None
    assert 0.75 <= asked.quality.coverage <= 0.87
    assert asked.quality.median < runs.thumb.median
    assert not (asked.counted & ~runs.counted).any()


def test_the_layout_of_a_row_changes_no_answer(
    book: Book, runs: TaskScore, asked: Asked, catalogue: Known
) -> None:
    def silent(of: Book) -> Book:
        rows = {
            id_: replace(
                each,
                rows=tuple(
                    replace(
                        row,
                        words={k: v for k, v in row.words.items() if k in GIVEN},
                        numbers={k: v for k, v in row.numbers.items() if k in GIVEN},
                    )
                    for row in each.rows
                ),
            )
            for id_, each in of.publications.items()
        }
        return replace(of, publications=rows)

    other = score_of(silent(book), "runs", catalogue)
    assert other is not None
    made = as_asked(silent(book), other, catalogue)
    assert made is not None
    both = made.counted & asked.counted
    assert both.sum() > 40
    assert made.made.predicted[both].tolist() == asked.made.predicted[both].tolist()


def test_more_tokens_never_take_less_time(
    book: Book, asked: Asked, catalogue: Known, assumed: Assumptions
) -> None:
    """Twice the tokens take about twice the hours, since the batch stays the same."""
    data = published(book, "runs", catalogue)
    once = cases(described_by(data.rows, "runs", GIVEN), catalogue)
    twice = replace(once, tokens=2 * once.tokens)
    whys = asked.made.unsupported
    hours = [answers(book, each, whys, assumed, catalogue).hours for each in (once, twice)]
    known = ~np.isnan(hours[0]) & ~np.isnan(hours[1])
    assert (hours[1][known] > 1.5 * hours[0][known]).all()


def test_the_stored_fit_follows_from_the_published_runs(book: Book, catalogue: Known) -> None:
    made, _, rows = fit_of_asked(book, catalogue)
    assert made == pytest.approx(coefficients(book, "asked"), rel=1e-4)
    assert rows.sum() == 49


@settings(max_examples=draws(30), deadline=None)
@drawn(seed=some.integers(0, 10_000), families=some.integers(12, 40))
def test_the_interval_covers_future_families_as_often_as_claimed(seed: int, families: int) -> None:
    """On average over many simulated sets of families, coverage is at least as claimed."""
    random = np.random.default_rng(seed)
    shares = []
    for _ in range(40):
        values = random.normal(size=families)
        low, high = interval_of_families(values, np.arange(families).astype(object))
        further = random.normal(size=200)
        shares.append(np.mean((low <= further) & (further <= high)))
    assert np.mean(shares) >= COVERAGE - 0.04
