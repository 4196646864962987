"""A plan's page: the answer first, then its inputs, tables and formulas."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from cases import cases_book
from editions import given
from render.pages.rendered import plan_page, read
from render.pages.sample_book import book, results
from scalesheet.edition import Edition
from scalesheet.model import Column, Stated
from scalesheet.render.pages import write_pages
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.plan.tables import plan_table
from scalesheet.values import Results, Series, Value


def section(text: str, anchor: str) -> str:
    """The Markdown from the heading with this anchor to the next heading of its level."""
    _, _, after = text.partition(f"{{ #{anchor} }}\n")
    return after.partition("\n## ")[0]


def test_defaults_of_components_are_listed_apart_from_the_inputs(tmp_path: Path) -> None:
    book = cases_book(tmp_path)
    write_pages(Edition(book), tmp_path / "pages")
    inputs = section((tmp_path / "pages/plans/cases.md").read_text("utf-8"), "inputs")
    own, _, defaults = inputs.partition("{ #inputs-defaults }")
    assert "runs.all.load" in own
    assert "runs.all.gpus" not in own
    assert "runs.all.gpus" in defaults


def test_an_input_that_two_tables_have_says_of_which_table_it_is(tmp_path: Path) -> None:
    again = "  later:\n    of: energy\n    with: {card: card, load: 1}\n    rows: {a: {hours: 3}}\n"
    book = cases_book(tmp_path, again)
    write_pages(Edition(book), tmp_path / "pages")
    inputs = section((tmp_path / "pages/plans/cases.md").read_text("utf-8"), "inputs")
    titles = re.findall(r'<th scope="row">(Load[^<]*)', inputs)
    assert titles == ["Load, Later", "Load, Runs"]
    page = (tmp_path / "pages/plans/cases.md").read_text("utf-8")
    labels = re.findall(r'class="label">([^<]*)</span>', page)
    assert [each for each in labels if each.startswith("Card")] == ["Card, Later", "Card, Runs"]


def test_markup_in_the_plans_title_is_shown_as_text() -> None:
    shown = read(plan_page())
    assert shown.text.startswith("Demo <plan> with *stars* | pipes")
    assert {a["src"] for name, a in shown.found if name == "script"} == {
        "../assets/runtime.js",
        "../assets/catalogue.js",
        "../assets/demo.js",
        "../assets/live.js",
        "../assets/demo.draws.js",
        "../assets/sure.js",
    }


def test_the_headline_comes_before_everything_else() -> None:
    before, _, _ = plan_page().partition("## How sure")
    assert read(before).text.endswith(
        "Hours in all 2.5 h 2.0–3.1 h 2 inputs, 2 assumed 2 assumptions "
        "Cost 8.7500 USD/node 7.0000–10.9375 USD/node outer bounds "
        "4 inputs, 2 assumed 1 published figure, 2 assumptions and 1 decision "
        "Does not hold: Hours are counted "  # hidden as long as the values are published
        "OfferRent a big one "
        "Figures, tables and charts on this page update. Every number on a yellow background can "
        "be changed in place: the inputs, and those in the tables. Click a figure, or press Enter "
        "on it (Alt+Enter in a field), to see where it comes from. "
        "Workbook with live formulas JSON CSV Edition 2026-11-20 · a1b2c3d4 Edit the plan"
    )


def test_a_table_shows_units_ranges_and_totals() -> None:
    shown = read(plan_page("{{ table stages }}")).text
    assert "Stages Steps Hours h range" in shown
    assert "Stage two 4,000 2.0 1.6–2.5 Total 5,000 2.5 2.0–3.1" in shown
    assert "Counted from the log." in shown


def test_a_cross_table_is_drawn_as_a_grid() -> None:
    shown = read(plan_page("{{ table grid }}")).text
    assert "Stage Big </title><script>alert(1)</script> & `Co` Small | one " in shown
    assert "Stage <one> yes no Stage two yes no" in shown


def test_tables_that_the_prose_does_not_place_come_after_it() -> None:
    tables = section(plan_page(), "tables")
    assert 'id="t.grid"' in tables
    assert 'id="t.stages"' not in tables


def test_an_input_shows_value_range_kind_source_and_note() -> None:
    shown = read(section(plan_page(), "inputs")).text
    assert (
        "Steps per hour 2,000 steps/h 1,600–2,500 assumption section 5: See the log. "
        "Expected value not stated: the middle of the range. edit" in shown
    )


def test_inputs_of_a_phase_are_under_its_title() -> None:
    shown = read(section(plan_page(), "inputs")).text
    assert "Main <b>phase</b>¶ Input Value Kind Source and note Memory needed 32 GiB" in shown


def test_an_input_links_to_its_line_in_the_repository() -> None:
    assert 'href="https://example.org/repo/blob/main/data/plans/demo/plan.yaml#L9"' in plan_page()


def test_a_formula_shows_result_inputs_users_and_text() -> None:
    text = plan_page()
    before, _, after = text.partition('id="f.stages.total.hours"')
    block = after.partition('<details class="formula"')[0]
    assert "<math" in block
    assert read(before).text.endswith("Hours in all = 2.5 h 2.0–3.1")
    shown = read(f"<div {block}").text
    assert "Needs Stages: Hours." in shown
    assert "Used by Cost, Hours are counted." in shown
    assert "sum(stages.hours)" in shown


def test_each_formula_is_folded_with_its_anchor_inside() -> None:
    lines = section(plan_page(), "formulas").split('<details class="formula">')[1:]
    assert len(lines) == 6
    for line in lines:
        assert re.match(r'<summary><strong>.*?</summary><div id="f\.', line)


def test_a_formula_appears_as_written() -> None:
    _, _, after = plan_page().partition('id="f.stages.total.hours"')
    texts = re.search(r'<dl class="notations">(.*?)</dl>', after, re.DOTALL)
    assert texts is not None
    shown = re.findall(r"<dt>(.*?)</dt><dd><code>(.*?)</code></dd>", texts[1])
    assert shown == [("As written", "sum(stages.hours)")]


def test_a_plan_uses_the_full_width_of_the_page() -> None:
    front = plan_page().split("---\n")[1]
    assert "hide: [navigation]\n" in front


def test_a_class_of_several_words_is_shown_in_words() -> None:
    kind = Column("kind", "Class", kind="word", stated={"one": Stated("one_time")})
    sample, shown = book(), results()
    plan = sample.plans["demo"]
    table = replace(plan.tables["stages"], columns={"kind": kind}, totals=())
    columns = {"kind": Series(np.array(["one_time", "per_seed"], dtype=object))}
    plan = replace(plan, tables={"stages": table})
    told = plan_table(
        Context(given(sample, results={"demo": shown})),
        plan,
        table,
        replace(shown, tables={"stages": columns}),
    )
    assert ">one time</td>" in told
    assert ">per seed</td>" in told


def test_outer_bounds_are_marked() -> None:
    shown = read(section(plan_page(), "formulas")).text
    assert "Cost = 8.7500 USD/node 7.0000–10.9375 outer bounds" in shown


def test_a_formula_links_to_the_formulas_and_sources_it_uses() -> None:
    text = section(plan_page(), "formulas")
    assert 'Calls <a href="../formulas/gpu-cost.html">Cost of hours</a>.' in text


def test_checks_say_yes_or_no(tmp_path: Path) -> None:
    assert "Hours are counted yes" in read(section(plan_page(), "checks")).text
    failed = results()
    scalars = {**failed.scalars, "positive": Value(False)}
    write_pages(given(book(), results={"demo": replace(failed, scalars=scalars)}), tmp_path)
    page = (tmp_path / "plans/demo.md").read_text("utf-8")
    assert "Hours are counted no" in read(section(page, "checks")).text


def test_scenarios_are_side_by_side(tmp_path: Path) -> None:
    sample = book()
    plan = replace(sample.plans["demo"], scenarios=("corrected", "written"))
    written: Results = replace(results(), scalars={**results().scalars, "cost": Value.number(10.0)})
    write_pages(
        given(
            replace(sample, plans={"demo": plan}),
            results={"demo": results()},
            scenarios={"demo": {"corrected": results(), "written": written}},
        ),
        tmp_path,
    )
    page = (tmp_path / "plans/demo.md").read_text("utf-8")
    shown = read(section(page, "scenarios")).text
    assert "Figure corrected written" in shown
    assert "Cost 8.7500 USD/node 7.0000–10.9375 10.0000 USD/node" in shown


def test_the_inputs_that_differ_between_scenarios_are_listed(tmp_path: Path) -> None:
    sample = book()
    plan = sample.plans["demo"]
    need = plan.scalars["need"]
    two = {
        f"need.{word}": replace(
            need, name=f"need.{word}", hidden=True, stated=Stated(value, value, value)
        )
        for word, value in (("corrected", 32.0), ("written", 24.0))
    }
    need = replace(need, sides=tuple((name.partition(".")[2], name) for name in two))
    every = {**plan.scalars, **two, "need": need}
    plan = replace(plan, scenarios=("corrected", "written"), scalars=every)
    scalars = {**results().scalars, **{name: Value.number(1.0) for name in two}}
    shown = replace(results(), scalars=scalars)
    written = replace(results(), scalars={**scalars, "need": Value.number(24.0)})
    write_pages(
        given(
            replace(sample, plans={"demo": plan}),
            results={"demo": shown},
            scenarios={"demo": {"corrected": shown, "written": written}},
        ),
        tmp_path,
    )
    page = (tmp_path / "plans/demo.md").read_text("utf-8")
    told = read(section(page, "scenarios")).text
    assert "What makes the difference: Input corrected written Memory needed 32 GiB 24 GiB" in told


def test_used_rows_and_cited_sources_are_linked() -> None:
    assert 'href="../offers/rent.html"' in section(plan_page(), "used")
    assert 'href="../sources/paper.html"' in section(plan_page(), "sources")
