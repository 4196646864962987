"""Prose can name figures but not compute; a wrong name is reported at its line and column."""

from __future__ import annotations

import pytest

from render.pages.rendered import plan_page, read
from render.pages.sample_book import book
from scalesheet.prose import problems

PAGE_FILE = "data/plans/demo/page.md"


@pytest.mark.parametrize(
    ("page", "line", "column", "message"),
    [
        (
            "Costs {{ cots }}.",
            1,
            10,
            "there is no figure 'cots' in this plan; did you mean 'cost'?",
        ),
        (
            "One\n\n  {{ table stage }}",
            3,
            6,
            "there is no table 'stage' in this plan; did you mean 'stages'?",
        ),
        (
            "{{ formula need }}",
            1,
            4,
            "there is no formula 'need' in this plan",
        ),
        (
            "{{ tabel stages }}",
            1,
            4,
            "unknown kind 'tabel' before 'stages': expected chart, formula, table; "
            "did you mean 'table'?",
        ),
        ("{{ 1+1 }}", 1, 4, "there is no figure '1+1' in this plan"),
    ],
)
def test_an_unknown_name_is_reported_at_its_line_and_column(
    page: str, line: int, column: int, message: str
) -> None:
    written = book(page)
    (problem,) = problems(written, written.plans["demo"])
    assert (problem.path, problem.line, problem.column) == (PAGE_FILE, line, column)
    assert problem.code == "N001"
    assert problem.message == message


def test_an_unknown_name_is_shown_as_it_was_written() -> None:
    assert "Costs {{ cots }}." in read(plan_page("Costs {{ cots }}.")).text


def test_a_figure_is_the_formatted_result_with_unit_and_range() -> None:
    shown = read(plan_page("It takes {{ stages.total.hours }} in all."))
    assert "It takes 2.5 h (2.0–3.1) in all." in shown.text
    named = {"data-of": "stages.total.hours", "data-as": "figure"}
    link = {"href": "#f.stages.total.hours", **named}
    assert ("a", link) in shown.found


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("steps_per_hour", "2,000 steps/h (1,600–2,500)"),
        ("positive", "yes"),
        ("offer", "Rent a big one"),
        ("offer.node_price", "3.50 USD/(node·h)"),
        ("stages['two'].hours", "2.0 h (1.6–2.5)"),
    ],
)
def test_prose_names_inputs_choices_and_cells(name: str, shown: str) -> None:
    assert f"It is {shown}." in read(plan_page(f"It is {{{{ {name} }}}}.")).text


def test_a_figure_can_be_in_a_markdown_table() -> None:
    shown = read(plan_page("| a | b |\n|---|---|\n| x | {{ need }} |\n"))
    assert "a b x 32 GiB" in shown.text


def test_names_in_code_are_kept_and_markup_is_text() -> None:
    shown = read(
        plan_page("`{{ cost }}` and <b onclick='x()'>bold</b>\n\n```\n<i> {{ cost }}\n```\n")
    )
    assert "{{ cost }} and <b onclick='x()'>bold</b>" in shown.text
    assert "<i> {{ cost }}" in shown.text
    assert not {name for name, _ in shown.found} & {"b", "i"}


def test_a_second_mention_of_a_table_links_to_the_first() -> None:
    page = plan_page("{{ table stages }}\n\n{{ table stages }}\n")
    assert page.count('id="t.stages"') == 1
    assert '<a href="#t.stages">Stages</a>' in page


def test_recommendations_can_name_figures_and_hold_no_markup() -> None:
    shown = read(plan_page("Nothing else."))
    assert "Recommendations" in shown.text
    assert "(7.0000–10.9375) in all, *not* more." in shown.text


def test_recommendations_appear_where_the_prose_names_them() -> None:
    text = read(plan_page("## What to do\n\n{{ recommendations }}\n")).text
    assert text.count("in all, *not* more.") == 1
    assert "Recommendations" not in text
