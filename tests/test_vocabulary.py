"""The vocabulary matches the words of schemas, of records and of the calculator plan."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

import scalesheet
from scalesheet import schemas
from scalesheet.choose.job import PLAN
from scalesheet.steps import job
from scalesheet.vocabulary import (
    AXES,
    METHODS,
    PRECISIONS,
    RECORDED,
    ROLES,
    TERMS,
    TRAINERS,
    VERDICTS,
    WEIGHTS_PRECISIONS,
    gpu_hours,
    title_of,
)
from shipped import shipped_book


@pytest.mark.parametrize(
    ("kind", "field", "words"),
    [
        ("rate", "term", tuple(TERMS)),
        ("measurement", "method", RECORDED),
        ("measurement", "precision", PRECISIONS),
        ("measurement", "weights_precision", WEIGHTS_PRECISIONS),
    ],
)
def test_schemas_allow_exactly_these_words(kind: str, field: str, words: tuple[str, ...]) -> None:
    assert tuple(schemas.written(kind)["properties"][field]["enum"]) == words


def test_the_words_of_a_job_are_those_of_a_record() -> None:
    assert get_args(job.Method) == RECORDED
    assert set(get_args(job.Precision)) <= set(PRECISIONS)


def test_the_calculator_uses_the_same_words() -> None:
    plan = shipped_book().plans[PLAN]
    words = {name: plan.scalars[name].words for name in ("method", "trainer", "checkpointing")}
    assert set(words["method"]) == {method.plan for method in METHODS.values()}
    assert set(words["trainer"]) == set(TRAINERS)
    assert set(words["checkpointing"]) >= set(AXES["checkpointing"])


def test_the_schema_of_plans_lists_the_roles_with_their_requirements() -> None:
    role = schemas.written("plan")["$defs"]["role"]
    assert role["enum"] == list(ROLES)
    meanings = "; ".join(f"`{name}`: {must_be}" for name, must_be in ROLES.items())
    assert role["description"].endswith(f", which must be: {meanings}.")


def test_the_four_verdicts_on_memory_are_used_everywhere() -> None:
    """The verdicts of plans, those of predictions, and those that the pages color."""
    book = shipped_book()
    quantities = [q for plan in book.plans.values() for q in plan.scalars.values()]
    quantities += [
        column
        for plan in book.plans.values()
        for table in plan.tables.values()
        for column in table.columns.values()
    ]
    of_memory = [q.words for q in quantities if {*VERDICTS} & {*q.words}]
    assert of_memory
    fitting = {word for words in of_memory for word in words if re.search("fits?$|tight", word)}
    assert fitting == {*VERDICTS}
    package = Path(scalesheet.__file__).parent
    for name in ("render/live/answer.js", "predict/memory/__init__.py"):
        text = (package / name).read_text(encoding="utf-8")
        said = set(re.findall(r'"((?:probably )?(?:fits|does not fit)|tight|may not fit)"', text))
        assert said <= {*VERDICTS}, name
        assert {"probably fits", "probably does not fit"} <= said, name


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("gpu_hours", "GPU hours"),
        ("hours_per_gpu", "Hours per GPU"),
        ("qwen3-8b", "Qwen3 8b"),
        ("phases.rl", "Phases RL"),
        ("x", "X"),
    ],
)
def test_a_title_made_from_a_name_keeps_abbreviations(name: str, title: str) -> None:
    assert title_of(name) == title


def test_gpu_hours_are_not_rounded_to_one_and_have_a_plural() -> None:
    shown = [gpu_hours(hours) for hours in (0.6, 1.0, 9.96, 184_320.0)]
    assert shown == ["0.6 GPU hours", "1 GPU hour", "10 GPU hours", "184,320 GPU hours"]
