"""The front page and `choose` find the calculator's figures by role, not by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest

from choose.conftest import JOB, Find
from editions import given
from scalesheet.book import Book
from scalesheet.choose.answer import NEEDED, answer
from scalesheet.choose.conditions import TABLE, broken
from scalesheet.choose.grid import axes_of, stated
from scalesheet.choose.job import PLAN, lacking
from scalesheet.cli import main
from scalesheet.language import syntax
from scalesheet.model import Key, Plan, Scalar
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.front.page import front_page
from scalesheet.render.pages.front.question import FIGURES, answered, question_script
from scalesheet.render.text.choice import Teller
from scalesheet.vocabulary import ROLES
from shipped import ROOT

#: Cases of the front page: one that fits, one that does not, one that nobody rents out, and
#: pretraining, whose batch is a figure.
ASKED: Mapping[str, Mapping[str, str]] = {
    "fits": {"model": "llama-3-1-8b", "method": "LoRA", "gpu": "h100-sxm", "gpus": "2"},
    "does not fit": {
        "model": "llama-3-1-8b",
        "method": "full fine-tuning",
        "gpu": "rtx4090",
        "gpus": "1",
    },
    "without offers": {
        "model": "qwen2-0-5b",
        "method": "QLoRA",
        "gpu": "rtx4080",
        "gpus": "1",
        "sequence": "1024",
    },
    "pretraining": {"model": "qwen2-0-5b", "method": "pretraining", "gpu": "h100-sxm", "gpus": "1"},
}


def changed(whole: Any, change: Callable[[Any], Any]) -> Any:
    """A value with its parts changed at any depth."""
    if isinstance(whole, tuple):
        return tuple(changed(each, change) for each in whole)
    if isinstance(whole, Mapping):
        return {key: changed(each, change) for key, each in whole.items()}
    if not is_dataclass(whole) or isinstance(whole, type):
        return whole
    inside = {f.name: getattr(whole, f.name) for f in fields(whole)}
    others = {name: changed(each, change) for name, each in inside.items()}
    same = all(others[name] is inside[name] for name in inside)
    return change(whole if same else replace(whole, **others))


@pytest.fixture(scope="module")
def renamed(book: Book, plan: Plan) -> Book:
    """The book with every figure of the calculator that has a role renamed."""
    names = {scalar.name: f"own_{scalar.name}" for scalar in plan.roles.values()}

    def change(part: Any) -> Any:
        of_plan = isinstance(part, syntax.Scalar | Scalar) or part == Key(getattr(part, "name", ""))
        return replace(part, name=names[part.name]) if of_plan and part.name in names else part

    parts = changed((plan.scalars, plan.tables, plan.order), change)
    scalars = {scalar.name: scalar for scalar in parts[0].values()}
    assert not set(names) & set(scalars)
    return with_plan(book, replace(plan, scalars=scalars, tables=parts[1], order=parts[2]))


def with_plan(book: Book, plan: Plan) -> Book:
    return replace(book, plans={**book.plans, PLAN: plan})


@pytest.mark.parametrize("name", ASKED)
def test_the_front_page_has_the_same_figures_whatever_their_names(
    name: str, book: Book, renamed: Book
) -> None:
    one, other = (
        answered(question_script(each, each.plans[PLAN], ASKED[name])) for each in (book, renamed)
    )
    assert "answer" in one
    assert other != one  # since links to formulas contain their names
    assert without_links(other) == without_links(one)


def without_links(drawn: Any) -> Any:
    """A drawing without the anchors of its links."""
    return re.sub(r"#f\.\w+", "", repr(drawn))


def test_choose_answers_the_same_whatever_the_names(book: Book, renamed: Book, find: Find) -> None:
    def told(of: Book) -> tuple[str, ...]:
        plan = of.plans[PLAN]
        teller = Teller(of, plan, found, {})
        made = answer(of, plan, found, {})
        return teller.as_text(made), teller.as_json(made), teller.as_csv(made)

    found = find()
    assert told(renamed) == told(book)


def test_layouts_break_the_same_conditions_whatever_the_names(book: Book, renamed: Book) -> None:
    axes = axes_of(JOB, [3, 8])
    counts = broken(book, stated(JOB), axes)
    assert (broken(renamed, stated(JOB), axes) == counts).all()
    assert 0 < counts.max() <= len(book.plans[PLAN].tables[TABLE].rows)


def test_every_role_is_used_and_filled_by_the_calculator(plan: Plan) -> None:
    assert set(NEEDED) | set(FIGURES) == set(ROLES) == set(plan.roles)
    assert lacking(plan, ROLES) == ""


@pytest.fixture
def without(book: Book, plan: Plan) -> Book:
    """The book with a calculator in which no figure has the role of the cost."""
    scalars = dict(plan.scalars)
    cost = plan.roles["cost"].name
    scalars[cost] = replace(scalars[cost], role="")
    return with_plan(book, replace(plan, scalars=scalars))


SAYS = "data/plans/calculator/plan.yaml have no role: add 'role: cost' to the cost of the run"


def test_the_front_page_names_the_role_that_is_missing(without: Book) -> None:
    written = (ROOT / "docs" / "index.md").read_text("utf-8")
    question = f"{written[: written.index('---', 3)]}---\n\n{{{{ question }}}}\n"
    (problem,) = front_page(Context(given(without)), question, "docs/index.md").problems
    assert problem.code == "X002"
    assert problem.message.endswith(SAYS)


def test_choose_names_the_role_that_is_missing(
    without: Book, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("scalesheet.examine.sound_edition", lambda *_, **__: (given(without), ()))
    assert main(["choose", "llama-3-1-8b"]) == 2
    assert SAYS in capsys.readouterr().err
