"""The law of units on every face: shipped plans with all inputs in other units."""

from __future__ import annotations

import json
from functools import cache

import pytest

from project import THOROUGH
from proof.browser import Chromium
from proof.office import Office
from proof.other_faces import of_script
from proof.proving import differing, values
from proof.subjects import PLANS, Subject, subject_of
from resolve.rewritten import resolve_rewritten
from resolve.spaces import documents
from scalesheet.book import Book
from scalesheet.render.script import runtime

SEED = 7


@cache
def rewritten() -> Book:
    return resolve_rewritten(documents(), SEED)[0]


#: The weekly run takes all plans, others the smallest two.
SOME = PLANS if THOROUGH else PLANS[-2:]


@pytest.fixture(scope="module", params=SOME)
def subject(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """A plan whose values `test_law_of_units` compares with those of the plan as it ships."""
    return subject_of(rewritten(), request.param, tmp_path_factory.mktemp("rewritten"))


def test_a_workbook_with_inputs_in_other_units_computes_the_same(
    subject: Subject, office: Office
) -> None:
    with office.open(subject.workbook) as workbook:
        cells = {
            (sheet, at): cell
            for sheet, found in workbook.read_all().items()
            for at, cell in found.items()
        }
    assert differing(subject, subject.results, values(cells)) == []


def test_a_page_with_inputs_in_other_units_computes_the_same(
    subject: Subject, chromium: Chromium
) -> None:
    call = f"scalesheet.plans[{json.dumps(subject.plan.id)}]"
    computed = chromium.run_javascript(runtime(), subject.script, f"{call}.compute({call}.inputs)")
    assert differing(subject, subject.results, of_script(subject, computed)) == []
