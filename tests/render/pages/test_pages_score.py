"""The score's pages show every published row once, beside its prediction."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from editions import given
from scalesheet.predict.score import TaskScore
from scalesheet.render.api.score import score_json
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.score.pages import score_pages
from scalesheet.render.scores import error, family_titles, figure, shown_rows, spelled
from shipped import shipped


@pytest.fixture(scope="module")
def context() -> Context:
    examined = shipped()
    assert examined.book is not None
    return Context(given(examined.book, results=examined.results, scores=examined.scores))


@pytest.fixture(scope="module")
def pages(context: Context) -> dict[str, str]:
    return dict(score_pages(context))


def test_there_is_a_page_for_each_task_and_an_index(
    context: Context, pages: dict[str, str]
) -> None:
    tasks = {f"score/{task}.md" for task in context.edition.scores}
    assert set(pages) == {"score/index.md", "score/laws.md", *tasks, "assets/filtered.js"}


@pytest.mark.parametrize("task", ["runs", "throughput", "memory", "loss"])
def test_every_scored_row_is_a_point_that_can_be_filtered_and_hovered(
    task: str, context: Context, pages: dict[str, str]
) -> None:
    score = context.edition.scores[task]
    figure = pages[f"score/{task}.md"].partition("data-filtered=")[2].partition("</figure>")[0]
    off = [float(each) for each in re.findall(r'data-off="([^"]+)"', figure)]
    assert sorted(off) == pytest.approx(sorted(score.error[score.counted].tolist()), rel=1e-5)
    families = re.findall(r'data-facet-2="([^"]+)"', figure)
    assert sorted(families) == sorted(score.published.family[score.counted].tolist())
    assert figure.count("published, ") == len(off)


def test_the_score_starts_with_the_error_of_the_median_prediction(
    context: Context, pages: dict[str, str]
) -> None:
    first = pages["score/index.md"].partition('class="lead"')[2].partition("</p>")[0]
    memory = context.edition.scores["memory"].unseen.median
    assert f"{100 * (memory - 1):.0f} % for memory per accelerator" in first


def test_families_are_titled_by_their_models_or_publications(context: Context) -> None:
    titles = family_titles(context.book)
    assert (titles["llama3"], titles["mt-nlg"]) == ("Llama 3", "Megatron-Turing NLG 530B")
    assert titles["gpt3"] == "gpt3"  # its publication has a second family
    assert len(set(titles.values())) == len(titles)


@pytest.mark.parametrize("task", ["runs", "throughput", "memory", "loss"])
def test_every_published_row_is_on_its_page_once(
    task: str, context: Context, pages: dict[str, str]
) -> None:
    page = pages[f"score/{task}.md"]
    ids = re.findall(r'<tr id="row-([a-z0-9-]+)"', page)
    assert sorted(ids) == sorted(row.id for row in context.edition.scores[task].published.rows)


@pytest.mark.parametrize("task", ["runs", "throughput", "memory", "loss"])
def test_a_row_is_scored_or_says_why_not(task: str, context: Context) -> None:
    for row in shown_rows(context.edition.scores[task]):
        assert (row.error is None) == bool(row.because)
        assert (row.inside is None) == bool(row.because)


def test_every_row_has_its_source_beside_it(context: Context, pages: dict[str, str]) -> None:
    rows = re.findall(r'<tr id="row-.*?</tr>', pages["score/throughput.md"], re.DOTALL)
    assert len(rows) > 300
    assert all('href="../sources/' in row for row in rows)


def test_figures_of_other_tools_have_a_source(context: Context, pages: dict[str, str]) -> None:
    section = pages["score/index.md"].partition("{ #peers }")[2]
    assert section.count("<li>") == len(context.book.peers) > 0
    assert section.count('href="../sources/') == len(context.book.peers)


def test_a_book_without_published_rows_says_so(context: Context) -> None:
    bare = Context(given(replace(context.book, publications={}, peers=())))
    (path, page), *laws = score_pages(bare)
    assert [name for name, _ in laws] == ["score/laws.md"]
    assert path == "score/index.md"
    assert "Nothing is scored yet." in page


def test_both_pictures_have_a_dot_for_each_scored_row(
    context: Context, pages: dict[str, str]
) -> None:
    for task, score in context.edition.scores.items():
        assert pages[f"score/{task}.md"].count("<circle") == 2 * score.counted.sum()


def test_json_says_what_the_page_says(context: Context, pages: dict[str, str]) -> None:
    found = score_json(context.edition)["tasks"]["runs"]
    score: TaskScore = context.edition.scores["runs"]
    assert found["unseen"]["median"] == score.unseen.median
    assert len(found["rows"]) == len(score.published.rows)
    by_id = {row["id"]: row for row in found["rows"]}
    assert by_id["llama2-7b"]["published"] == 184320
    source = by_id["llama2-7b"]["source"]
    assert (source["key"], source["locator"]) == ("llama2-card", "carbon footprint")
    assert f"<q>{source['quote']}</q>" in pages["score/runs.md"]
    assert "error" not in by_id["glm-130b"]
    assert "upper bound" in by_id["glm-130b"]["not_scored_because"]


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (1234567, "1,230,000"),
        (184320, "184,000"),
        (99.94, "99.9"),
        (0.5, "0.500"),
        (100, "100"),
        (9.999, "10.0"),
        (0.00012345, "0.000123"),
        (2e-7, "0.000000200"),
        (0.0, "0"),
    ],
)
def test_numbers_are_shown_with_three_digits(number: float, shown: str) -> None:
    assert spelled(number, 3) == shown


def test_unknown_values_are_a_dash() -> None:
    assert figure("runs", None) == error("runs", None) == error("loss", float("nan")) == "–"
    assert error("runs", 1.234) == "×1.23"
    assert error("loss", 0.0123) == "0.012"
    assert figure("memory", 17.46e9) == "17.5"
