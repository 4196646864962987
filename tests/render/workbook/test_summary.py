"""The Summary sheet: each choice is made there, and affects only what it can."""

from __future__ import annotations

import openpyxl
import pytest

from proof.office import Office
from render.workbook.conftest import Made
from scalesheet.evaluate import evaluate
from scalesheet.language.syntax import ENDS
from scalesheet.model import Key, Scalar
from scalesheet.render.workbook.context import stored
from scalesheet.render.workbook.layout import choice_words
from scalesheet.render.workbook.places import absolute
from scalesheet.render.workbook.scalars import NUMBERS
from scalesheet.render.workbook.summary import ALL_WELL


def options(made: Made, scalar: Scalar) -> tuple[str, ...]:
    if scalar.refers_to is not None:
        return made.tables[scalar.refers_to].rows
    return choice_words(scalar)


def test_a_choice_is_made_on_the_summary_and_shown_on_inputs(made: Made) -> None:
    written = openpyxl.load_workbook(made.path)
    inputs = next(sheet for sheet in made.layout.sheets if sheet.kind == "inputs")
    rows = {name: row for group in inputs.groups for row, name in group.rows()}
    assert made.layout.choices
    for choice in made.layout.choices:
        sheet, address = made.layout.scalar_cell(choice.name)
        assert sheet == "Summary"
        assert written[sheet][address].data_type == "s"
        assert not written[sheet][address].protection.locked
        where = absolute(*made.layout.scalars[choice.name].cell("value"))
        shown = written["Inputs"].cell(rows[choice.name] + 1, NUMBERS[1] + 1).value
        assert shown == f'=Summary!{where}&""'


def test_results_listed_as_unaffected_are_the_same_for_every_option(made: Made) -> None:
    """And every other result is affected: none is left out."""
    figures = {n for n in made.plan.headline if made.plan.scalars[n].formula is not None}
    for choice in made.layout.choices:
        assert {*choice.drives, *choice.leaves} == figures
        for option in options(made, made.plan.scalars[choice.name]):
            other = evaluate(made.book, made.plan, {Key(choice.name): option})
            for name in choice.leaves:
                assert other.scalars[name] == made.results.scalars[name], (choice.name, option)


def test_a_choice_made_on_the_summary_changes_the_results_there(made: Made, office: Office) -> None:
    moved = False
    with office.open(made.path) as workbook:
        cells = workbook.read("Summary")
        assert ALL_WELL in [cell.value for cell in cells.values()]
        for choice in made.layout.choices:
            scalar = made.plan.scalars[choice.name]
            for option in options(made, scalar):
                where = made.layout.scalar_cell(choice.name)
                workbook.set({where: option})
                wanted = evaluate(made.book, made.plan, {Key(choice.name): option})
                for name in made.plan.headline:
                    for end in ENDS if made.plan.scalars[name].ranged else ENDS[1:2]:
                        value = stored(wanted.scalars[name], end)
                        shown = workbook.cell(*made.layout.scalar_cell(name, end)).value
                        assert shown == (
                            pytest.approx(value) if isinstance(value, float) else value
                        )
                moved |= wanted.scalars != made.results.scalars
            assert scalar.stated is not None
            workbook.set({made.layout.scalar_cell(choice.name): str(scalar.stated.value)})
    assert moved
