"""A range for an input of a component: it holds, or is reported at that input and nowhere else."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pytest

from resolve.spaces import documents, ground
from scalesheet.diagnostics import Diagnostic
from scalesheet.load import Document
from scalesheet.load.document import Mark
from scalesheet.resolve.book import with_plans
from scalesheet.resolve.proving.integers import WHOLE

COMPONENTS = sorted(each.id for each in documents() if each.kind == "component")
FIRST = 10  # the line of the first input


def _ranges(component: str) -> dict[str, Mapping[str, float]]:
    """A range within the domain for each number among the inputs of a component's example."""
    draft = ground().space.components[component]
    given = draft.document.data["examples"][0]["given"]
    made = {}
    for name, each in draft.inputs.items():
        default = each.stated.get(None)
        value = given.get(name, default.value if default else 0.5)
        if each.kind != "number" or not isinstance(value, int | float):
            continue
        high = value + 1 if each.domain in WHOLE else (1 + value) / 2 if value < 1 else 1.5 * value
        made[name] = {"low": value, "value": value, "high": high}
    return made


def _problems(
    component: str, ranged: Mapping[str, Any]
) -> tuple[list[Diagnostic], Collection[int]]:
    """What is reported for a case with these ranges, and the lines that have one."""
    draft = ground().space.components[component]
    given = {**draft.document.data["examples"][0]["given"], **ranged}
    table = {"of": component, "with": given, "rows": {"a-case": {}}}
    data = {"title": "P", "summary": "P", "tables": {"cases": table}}
    lines = {name: FIRST + number for number, name in enumerate(given)}
    keys = {("tables", "cases", "with", name): Mark(line, 1) for name, line in lines.items()}
    problems: list[Diagnostic] = []
    with_plans(ground(), [Document("plan", "p", "plans/p/plan.yaml", data, keys, keys)], problems)
    return problems, {lines[name] for name in ranged}


@pytest.mark.parametrize("component", COMPONENTS)
def test_a_range_is_taken_or_reported_at_its_input(component: str) -> None:
    for name, ends in _ranges(component).items():
        problems, lines = _problems(component, {name: ends})
        assert {(each.path, each.line) for each in problems} <= {("plans/p/plan.yaml", *lines)}
        assert len(problems) <= 1, (name, problems)


@pytest.mark.parametrize("component", COMPONENTS)
def test_ranges_of_all_inputs_are_reported_at_inputs(component: str) -> None:
    problems, lines = _problems(component, _ranges(component))
    assert {each.path for each in problems} <= {"plans/p/plan.yaml"}
    assert {each.line for each in problems} <= set(lines)


def test_a_range_that_only_widens_the_ends_is_no_error() -> None:
    """How many questions an evaluation has may be uncertain."""
    (problem,), _ = _problems("evaluation-run", {"questions": {"low": 1_000, "high": 2_000}})
    assert (problem.code, problem.severity) == ("R005", "warning")
    assert problem.message.startswith("the range of 'questions' enters this component in mixed")
