"""Steps split long formulas into readable ones and change no value."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proof.subjects import PLANS
from scalesheet.book import Book
from scalesheet.edition import cells
from scalesheet.evaluate import evaluate
from scalesheet.model import Plan, Quantity, formulas_of
from scalesheet.printers.excel import excel
from scalesheet.render.workbook.layout import lay_out
from scalesheet.render.workbook.places import View
from scalesheet.render.workbook.steps import lookups, nesting, stepped
from shipped import shipped, shipped_book
from small import scalars


def steps_of(folder: Path, lines: str) -> dict[str, str]:
    """The formulas in the workbook of a plan of scalars."""
    book, plan = small(folder, lines)
    layout = lay_out(book, plan)
    view = View(layout, "Calculation")
    return {
        name: excel(scalar.formula.ends.value, view).text
        for name, scalar in plan.scalars.items()
        if scalar.formula is not None
    }


def small(folder: Path, lines: str) -> tuple[Book, Plan]:
    book = scalars(folder, lines).book
    assert book is not None
    return book, stepped(book, book.plans["small"])


@pytest.fixture(scope="module", params=PLANS)
def shipped_plan(request: pytest.FixtureRequest) -> tuple[Plan, Plan]:
    """A shipped plan, without and with its steps."""
    book = shipped_book()
    plan = book.plans[request.param]
    return plan, stepped(book, plan)


def test_steps_change_no_value_of_a_plan(shipped_plan: tuple[Plan, Plan]) -> None:
    book = shipped_book()
    plan, steps = shipped_plan
    after = evaluate(book, steps)
    for table, row, quantity, value in cells(plan, shipped().results[plan.id]):
        again = after.cell(table, row, quantity.name) if table else after.scalars[quantity.name]
        assert repr(again) == repr(value), (table, row, quantity.name)
    assert len(steps.order) > len(plan.order)


def test_no_formula_of_a_plan_is_an_array_formula(shipped_plan: tuple[Plan, Plan]) -> None:
    _, plan = shipped_plan
    layout = lay_out(shipped_book(), plan)
    places: list[tuple[Quantity, str]] = [
        (s, layout.scalars[s.name].sheet) for s in plan.scalars.values() if s.formula
    ]
    places += [
        (column, layout.tables[table.name].sheet)
        for table in plan.tables.values()
        for column in table.columns.values()
    ]
    arrays = [
        quantity.name
        for quantity, sheet in places
        for formula in formulas_of(quantity)
        for tree in formula.ends.trees
        if excel(tree, View(layout, sheet)).array
    ]
    assert arrays == []


def test_a_value_used_by_several_formulas_is_looked_up_once(tmp_path: Path) -> None:
    found = steps_of(
        tmp_path,
        """
        gpu: {ref: hardware, value: card}
        half: {unit: GiB, formula: gpu.memory / 2}
        third: {unit: GiB, formula: gpu.memory / 3}
        """,
    )
    assert found == {
        "half": "gpu_memory/2",
        "third": "gpu_memory/3",
        "gpu_memory": "INDEX(hardware_memory,MATCH(gpu,hardware_id,0))",
    }


def test_a_step_has_a_description_and_if_looked_up_a_unit(tmp_path: Path) -> None:
    _, plan = small(
        tmp_path,
        """
        gpu: {ref: hardware, value: card, title: Card}
        half: {unit: GiB, formula: gpu.memory / 2}
        third: {unit: GiB, formula: gpu.memory / 3}
        """,
    )
    step = plan.scalars["gpu_memory"]
    assert (step.title, str(step.unit), step.hidden) == ("Card: Memory", "GiB", True)


def test_a_short_formula_has_no_steps(tmp_path: Path) -> None:
    assert steps_of(tmp_path, "a: {value: 2, unit: 1}\nb: {unit: 1, formula: a * 2}") == {
        "b": "a*2"
    }


def test_a_status_tests_several_reasons_once(tmp_path: Path) -> None:
    names = [f"share_of_the_whole_programme_number_{n}" for n in range(1, 5)]
    lines = "\n".join(f"{name}: {{unit: 1, reason: not known}}" for name in names)
    found = steps_of(tmp_path, f"{lines}\nall: {{unit: 1, formula: {' + '.join(names)}}}")
    assert re.fullmatch(r'IF\((all_status\w*)="ok",.*,\1\)', found["all"])


def test_a_guarded_expression_stays_with_its_guard(tmp_path: Path) -> None:
    """A quotient alone in a cell would be an error when the divisor is zero."""
    name = "how_much_of_the_memory_of_the_accelerator_is_left"
    found = steps_of(
        tmp_path,
        f"""
        {name}: {{value: 0, unit: 1}}
        {name}_twice: {{value: 2, unit: 1}}
        a: {{unit: 1, formula: 1 + {name}_twice / {name} * ({name}_twice + {name})}}
        """,
    )
    assert sum("/" in text for text in found.values()) > 0
    assert all("division by zero" in text for text in found.values() if "/" in text)


@pytest.mark.parametrize(
    ("text", "depth"), [("a+b", 0), ("MAX(a,(b+c)*2)", 1), ('IF(a="(",MAX(INT(b),1),0)', 3)]
)
def test_nesting_is_the_depth_of_functions_within_functions(text: str, depth: int) -> None:
    assert nesting(text) == depth


def test_whole_lookups_are_found() -> None:
    one = 'INDEX(a,MATCH("x)",b,0))'
    assert lookups(f"{one}+INDEX(c,1)*{one}") == [one, "INDEX(c,1)", one]
