"""A model's page says what it takes to train it, with the same answers as the front page."""

from __future__ import annotations

import re

import pytest

from render.pages.rendered import pages
from scalesheet.choose.job import PLAN
from scalesheet.choose.search import search
from scalesheet.edition import Edition
from scalesheet.examine import sound_edition
from scalesheet.render.pages.catalogue.training import (
    Training,
    case_of,
    job_of,
    job_part,
    training,
    training_section,
)
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.front.question import answered, question_script
from shipped import DATA

MODEL = "llama-3-1-8b"


@pytest.fixture(scope="module")
def context() -> Context:
    edition: Edition = sound_edition(DATA, plans=(PLAN,))[0]
    return Context(edition)


@pytest.fixture(scope="module")
def shared(context: Context) -> Training:
    made = training(context)
    assert made is not None
    return made


def flat(tree: object) -> str:
    """The text of a tree `[tag, attributes, ...content]`."""
    if isinstance(tree, list):
        return " ".join(flat(part) for part in tree[2:])
    return tree if isinstance(tree, str) else ""


@pytest.mark.parametrize("method", ["full", "lora", "qlora"])
def test_the_front_page_answers_the_same(context: Context, shared: Training, method: str) -> None:
    found = search(context.book, shared.catalogue, job_of(context, shared, MODEL), shared.assumed)
    best = found.best(found.good & (found.grid.method[found.at] == method))
    assert best is not None
    stated = case_of(found, best) | job_part(shared, found.job)

    answer = answered(question_script(context.book, shared.plan, stated))

    shown = flat(answer["answer"])
    for label, amount in (("Hours", found.wall[best]), ("Cost", found.cost[best])):
        number = re.search(rf"{label}.*?(\d[\d,]*\.?\d*)", shown)
        assert number is not None
        # both round as the figure's range allows
        assert float(number[1].replace(",", "")) == pytest.approx(amount, rel=0.01)


def test_each_answer_links_to_its_case_and_a_missing_one_says_why(
    context: Context, shared: Training
) -> None:
    text = "".join(map(str, training_section(context, shared, "llama-3-1-70b")))
    assert 'data-methods="full+fine-tuning,LoRA,QLoRA"' in text
    assert re.search(r"<td><a>\d GPUs: [\d.,]+\u00a0h, [\d,.]+\u00a0USD</a></td>", text)
    assert re.search(r'<a data-case="method=LoRA&amp;gpu=[\w-]+&amp;gpus=\d">', text)
    assert 'data-job="model=llama-3-1-70b&amp;data=tokens' in text
    assert "doesn&#x27;t fit on 8 GPUs" in text
    assert "needs more than 8 GPUs" in text
    assert "16 GPUs" not in text


def test_the_first_on_demand_offer_is_the_cheapest(context: Context, shared: Training) -> None:
    found = search(context.book, shared.catalogue, job_of(context, shared, MODEL), shared.assumed)
    text = "".join(map(str, training_section(context, shared, MODEL))).partition("#cheapest")[2]
    first = re.search(r"offers/([\w.-]+)\.html", text)
    assert first is not None
    place = found.offers.ids.index(first[1])
    rows = found.good & (found.of == place)
    assert found.cost[rows].min() == found.cost[found.good].min()
    # the search is wider than the table
    assert set(found.offers.accelerators) - set(shared.accelerators)


def test_a_book_without_the_plan_has_no_such_section() -> None:
    assert not any('id="training"' in page or "#training" in page for page in pages().values())
