"""The score rates predictions for families that the fit has not seen, and must not fall."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scalesheet.book import Book
from scalesheet.examine import Examined
from scalesheet.kept_edition import PRICES
from scalesheet.model import Expected, Position
from scalesheet.predict.cases.catalogue import known
from scalesheet.predict.fits import digest
from scalesheet.predict.fits.holdout import evenly, folds, interval, quantile
from scalesheet.predict.score import TaskScore, fit, fitted_rows, score_of
from scalesheet.predict.score import score as every_score
from scalesheet.predict.score.expected import problems
from scalesheet.predict.score.regimes import ALONE, PLAIN, WITHOUT, regimes
from scalesheet.predict.score.truth import published
from scalesheet.predict.tasks import TASKS

#: Tables of offers and their providers.
PRICED = ("offers", "providers")
HERE = Position("data/score.yaml", 1, 1)


def with_results_times(book: Book, factor: float, family: str) -> Book:
    """The book as if one family had other results."""
    changed = {
        id_: replace(
            publication,
            rows=tuple(
                replace(row, result={k: float(v) * factor for k, v in row.result.items()})
                if row.family == family and "gpu_hours" in row.result
                else row
                for row in publication.rows
            ),
        )
        for id_, publication in book.publications.items()
    }
    return replace(book, publications=changed)


@pytest.fixture(scope="session")
def runs(examined: Examined) -> TaskScore:
    return examined.scores["runs"]


def test_every_task_is_scored(examined: Examined) -> None:
    assert list(examined.scores) == list(TASKS)
    assert all(each.unseen.rows > 40 for each in examined.scores.values())


def test_a_family_is_predicted_without_its_own_results(book: Book, runs: TaskScore) -> None:
    changed = score_of(with_results_times(book, 3.0, "llama2"), "runs", known(book))
    assert changed is not None
    own = runs.published.family == "llama2"
    assert own.any()
    assert changed.left_out.predicted[own].tolist() == runs.left_out.predicted[own].tolist()
    assert changed.published.truth[own].tolist() == (3 * runs.published.truth[own]).tolist()
    others = runs.counted & ~own
    assert changed.left_out.predicted[others].tolist() != runs.left_out.predicted[others].tolist()


def test_rows_that_could_not_be_read_are_shown_and_not_scored(book: Book) -> None:
    found = published(book, "throughput", known(book))
    unread = [
        row.id
        for row, why in zip(found.rows, found.unscored, strict=True)
        if why and "not read" in why
    ]
    assert "fa2-1-3b-2048-fa2" in unread
    assert not fitted_rows("throughput", found)[[row.id in unread for row in found.rows]].any()


def test_every_published_row_has_a_source_in_the_data(book: Book) -> None:
    for publication in book.publications.values():
        for row in publication.rows:
            assert row.citation is not None
            assert row.citation.key in book.sources


def test_a_flop_rate_is_converted_to_tokens_as_its_source_counts_flop(book: Book) -> None:
    found = published(book, "throughput", known(book))
    truth = dict(zip((row.id for row in found.rows), found.truth.tolist(), strict=True))
    # 137 TFLOP/s in hardware FLOP: 8 per parameter and token, plus attention
    assert truth["narayanan-1-7b"] == pytest.approx(137e12 / (8 * 1.7e9), rel=0.2)
    assert truth["narayanan-1-7b"] < 137e12 / (8 * 1.7e9)
    # 60.1 s per step of 1,920 sequences on 2,240 accelerators
    assert truth["mtnlg-280n"] == pytest.approx(1920 * 2048 / 60.1 / 2240)


def test_the_figures_follow_from_their_rows(runs: TaskScore) -> None:
    rows = runs.counted
    ratio = runs.left_out.predicted[rows] / runs.published.truth[rows]
    assert runs.unseen.median == pytest.approx(np.median(np.maximum(ratio, 1 / ratio)))
    assert runs.unseen.bias == pytest.approx(np.exp(np.mean(np.log(ratio))))
    inside = (runs.left_out.low <= runs.published.truth) & (
        runs.published.truth <= runs.left_out.high
    )
    assert runs.unseen.coverage == pytest.approx(inside[rows].mean())
    for what, found in runs.groups.items():
        of_rows = sum(each.rows for each in found.values())
        assert of_rows == rows.sum() if what != "regime" else of_rows >= rows.sum()


def test_each_family_counts_once_in_the_figures_by_family(examined: Examined) -> None:
    for score in examined.scores.values():
        families = score.groups["family"]
        assert score.unseen.families == len(families)
        covered = [each.coverage for each in families.values() if each.coverage is not None]
        assert score.unseen.family_coverage == pytest.approx(np.mean(covered))
        for alone in families.values():
            assert alone.families == 1
            assert alone.family_coverage == pytest.approx(alone.coverage)


def test_every_scored_row_has_a_regime(runs: TaskScore) -> None:
    regime = runs.groups["regime"]
    assert {PLAIN, ALONE, "mixture of experts", "more than 1,024 accelerators"} <= regime.keys()
    found = regimes("runs", runs.published, runs.counted)
    assert (np.logical_or.reduce(list(found.values())) == runs.counted).all()
    assert not (found[PLAIN] & found[ALONE]).any()


@pytest.mark.parametrize("task", ["runs", "throughput", "memory"])
def test_intervals_hold_on_accelerators_that_are_left_out(examined: Examined, task: str) -> None:
    without = examined.scores[task].groups["regime"][WITHOUT]
    assert without.rows == examined.scores[task].counted.sum()
    assert without.families >= 6  # accelerators
    assert without.family_coverage is not None
    assert 0.75 <= without.family_coverage <= 0.85


def test_the_rule_of_thumb_is_a_utilization_of_0_3(runs: TaskScore) -> None:
    (place,) = [n for n, row in enumerate(runs.published.rows) if row.id == "llama2-7b"]
    hours = 6 * 6738417664 * 2e12 / (312e12 * 0.3) / 3600
    assert runs.rule[place] == pytest.approx(hours)


def test_losses_are_scored_after_subtracting_one_offset_per_set(examined: Examined) -> None:
    found = examined.scores["loss"]
    sets = found.published.cases.evaluation
    gap = found.published.truth - (found.left_out.predicted - found.offset)
    for name in set(sets[found.counted].tolist()):
        own = found.counted & (sets == name)
        others = (gap[own].sum() - gap[own]) / (own.sum() - 1)
        assert found.offset[own] == pytest.approx(others)
        assert found.error[own] == pytest.approx(np.abs(gap[own] - found.offset[own]))


# ------------------------------------------------------------------ families


def test_each_family_is_left_out_once() -> None:
    family = np.array(["b", "a", "b", "c"], dtype=object)
    left = [(others.tolist(), own.tolist()) for others, own in folds(family)]
    assert left == [
        ([True, False, True, True], [False, True, False, False]),
        ([False, True, False, True], [True, False, True, False]),
        ([True, True, True, False], [False, False, False, True]),
    ]
    assert list(folds(np.array(["a", "a"], dtype=object))) == []


def test_a_large_family_weighs_more_than_a_small_one_and_less_than_its_rows() -> None:
    weights = evenly(np.array(["a"] * 16 + ["b"], dtype=object))
    assert weights.sum() == pytest.approx(17)
    assert weights[0] * 16 == pytest.approx(4 * weights[16])


def test_an_interval_covers_eight_of_ten_rows() -> None:
    values = np.linspace(-1, 1, 101)
    low, high = interval(values, np.array(["a"] * 101, dtype=object))
    assert np.mean((low <= values) & (values <= high)) == pytest.approx(0.8, abs=0.02)
    assert quantile(values, 0.5) == pytest.approx(0.0)


# ------------------------------------------------------------------ the kept score


def expecting(book: Book, **figures: float) -> Book:
    best = Expected(rows=1, median=9.9, p90=99.0, coverage_least=0.0, coverage_most=1.0)
    expected = {"runs": replace(best, **figures, position=HERE)}
    return replace(book, expected=expected, expected_own={}, fits={})


@pytest.mark.parametrize(
    ("figures", "says"),
    [
        ({"rows": 10_000}, "rows are scored, expected 10000"),
        ({"median": 1.001}, "(median), expected at most 1.001"),
        ({"p90": 1.001}, "(nine tenths), expected at most 1.001"),
        ({"coverage_least": 1.0}, "within their 80 % interval, expected 100% to 100%"),
        ({"coverage_most": 0.0}, "within their 80 % interval, expected 0% to 0%"),
    ],
)
def test_a_score_that_fell_is_an_error(
    figures: dict[str, float], says: str, book: Book, examined: Examined
) -> None:
    (told,) = problems(expecting(book, **figures), examined.scores)
    assert (told.code, told.severity) == ("P001", "error")
    assert says in told.message


def test_a_score_as_expected_is_not_reported(book: Book, examined: Examined) -> None:
    assert list(problems(expecting(book), examined.scores)) == []


def test_an_expected_score_without_rows_is_an_error(book: Book) -> None:
    (told,) = problems(expecting(book), {})
    assert told.message == "runs: no rows are scored, expected 1"


def test_a_fit_made_from_other_rows_is_reported(book: Book, examined: Examined) -> None:
    stale = {"runs": replace(book.fits["runs"], digest="0" * 12)}
    (told,) = problems(replace(book, fits=stale, expected={}), examined.scores)
    assert (told.code, told.severity) == ("P002", "warning")


def test_the_digest_and_the_fit_change_with_the_rows(book: Book) -> None:
    found = []
    for each in (book, with_results_times(book, 2.0, "llama2")):
        learnt, data, rows = fit(each, "runs", known(each))
        found.append((learnt, digest(data.cases.only(rows), data.truth[rows])))
    assert found[0][0] != found[1][0]
    assert found[0][1] != found[1][1]


def test_no_prediction_reads_data_outside_the_key_of_the_cached_score(
    book: Book, examined: Examined
) -> None:
    assert PRICES == ("rates/", "providers/")
    tables = {name: each for name, each in book.tables.items() if name not in PRICED}
    order = tuple(key for key in book.order if key.table in tables)
    made = every_score(replace(book, tables=tables, order=order))
    for task, each in examined.scores.items():
        np.testing.assert_array_equal(made[task].error, each.error)
        np.testing.assert_array_equal(made[task].left_out.high, each.left_out.high)
