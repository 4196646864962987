"""No ordinary edit of a plan is refused. `make test` tries a few per plan, different ones for each
commit; the weekly run tries all.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import pytest

from plans.in_office import Desk, Typed, typed_edits
from plans.ordinary import Edit, edits_of, plans
from project import THOROUGH
from proof import ledger
from proof.office import Office
from proof.subjects import PLANS, subject
from scalesheet.diagnostics import Diagnostic

#: How many edits of each sort `make test` tries per plan.
FEW = {"input": 2, "dropped": 1, "added": 1}
#: Acceptable reasons to refuse an edit of rows: a line of the plan still names the deleted row, or
#: a page with a part for each row names something that the new row lacks.
NAMED = {"N001", "N002"}
AnyEdit = TypeVar("AnyEdit", Edit, Typed)


def chosen(every: list[AnyEdit]) -> list[AnyEdit]:
    """The edits to try in this commit."""
    taken: list[AnyEdit] = []
    for sort, few in FEW.items():
        of_sort = [each for each in every if each.sort == sort]
        step = max(1, len(of_sort) // few)
        taken += of_sort[ledger.seed()[0] % step :: step][:few]
    return taken


def named(found: list[Diagnostic]) -> bool:
    """Whether lines of the plan name something missing, which may cause all other errors."""
    return any(each.code in NAMED and "claims" not in each.path for each in found)


@pytest.mark.parametrize("plan", PLANS)
def test_ordinary_edits_are_accepted(plan: str) -> None:
    refused = []
    every = list(edits_of(plan))
    few = chosen(every)
    # Documents are compared with the frozen plan, which no edit changes: one edit is enough.
    judged = few[ledger.seed()[0] % len(few)]
    for edit in every if THOROUGH else few:
        found = plans().tried(edit, audits=edit is judged or (THOROUGH and edit in few)).refusals
        if edit.sort == "input" or not named(found):
            refused += [f"{edit.what}: {each}" for each in found]
    assert not refused, "\n".join(refused)


#: Plans whose workbooks LibreOffice opens quickly.
QUICK = ("micro-benchmark", "support-model")


@pytest.mark.parametrize("plan", PLANS if THOROUGH else QUICK[ledger.seed()[0] % 2 :][:1])
def test_ordinary_edits_in_libreoffice_can_be_pulled(
    plan: str, office: Office, tmp_path: Path
) -> None:
    """After saving as xlsx, pulling and compiling, the headlines match LibreOffice."""
    desk = Desk(subject(plan, tmp_path), office, tmp_path)
    every = typed_edits(desk.subject)
    inputs = [edit for edit in every if edit.sort == "input"]
    few = chosen(inputs) if ledger.seed()[0] % 3 else chosen(every)[-1:]
    found = desk.refused(every if THOROUGH else few)
    refused = [f"{each.edit.what}: {each.why}" for each in found if not each.by_name]
    assert not refused, "\n".join(refused)


def test_an_edit_that_changes_the_chosen_layout_can_be_pulled(
    office: Office, tmp_path: Path
) -> None:
    desk = Desk(subject("support-model", tmp_path), office, tmp_path)
    (edit,) = (each for each in typed_edits(desk.subject) if each.what.endswith("= owned"))
    assert desk.refused([edit]) == []
