"""No ordinary edit of a plan is refused. `make test` tries some of each plan's, others with every
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

#: Edits of each sort that `make test` tries of a plan.
FEW = {"input": 2, "dropped": 1, "added": 1}
#: What an edit of rows may be refused for: a line of the plan still names the row that is gone, or
#: a page with a part for each row names what the new one lacks.
NAMED = {"N001", "N002"}
AnyEdit = TypeVar("AnyEdit", Edit, Typed)


def chosen(every: list[AnyEdit]) -> list[AnyEdit]:
    """The edits whose turn it is."""
    taken: list[AnyEdit] = []
    for sort, few in FEW.items():
        of_sort = [each for each in every if each.sort == sort]
        step = max(1, len(of_sort) // few)
        taken += of_sort[ledger.seed()[0] % step :: step][:few]
    return taken


def named(found: list[Diagnostic]) -> bool:
    """Whether the plan's own lines name what is not there, from which all else may follow."""
    return any(each.code in NAMED and "claims" not in each.path for each in found)


@pytest.mark.parametrize("plan", PLANS)
def test_an_ordinary_edit_is_taken(plan: str) -> None:
    refused = []
    every = list(edits_of(plan))
    few = chosen(every)
    # The documents are judged by the plan as it was, which no edit moves: one edit is enough.
    judged = few[ledger.seed()[0] % len(few)]
    for edit in every if THOROUGH else few:
        found = plans().tried(edit, audits=edit is judged or (THOROUGH and edit in few)).refusals
        if edit.sort == "input" or not named(found):
            refused += [f"{edit.what}: {each}" for each in found]
    assert not refused, "\n".join(refused)


#: Plans whose workbooks LibreOffice opens in a moment.
QUICK = ("micro-benchmark", "support-model")


@pytest.mark.parametrize("plan", PLANS if THOROUGH else QUICK[ledger.seed()[0] % 2 :][:1])
def test_an_ordinary_edit_made_in_libreoffice_is_taken_back(
    plan: str, office: Office, tmp_path: Path
) -> None:
    """Saved as xlsx, pulled and compiled, the headlines are those that LibreOffice computed."""
    desk = Desk(subject(plan, tmp_path), office, tmp_path)
    every = typed_edits(desk.subject)
    inputs = [edit for edit in every if edit.sort == "input"]
    few = chosen(inputs) if ledger.seed()[0] % 3 else chosen(every)[-1:]
    found = desk.refused(every if THOROUGH else few)
    refused = [f"{each.edit.what}: {each.why}" for each in found if not each.by_name]
    assert not refused, "\n".join(refused)


def test_an_edit_after_which_another_layout_is_chosen_is_taken_back(
    office: Office, tmp_path: Path
) -> None:
    desk = Desk(subject("support-model", tmp_path), office, tmp_path)
    (edit,) = (each for each in typed_edits(desk.subject) if each.what.endswith("= owned"))
    assert desk.refused([edit]) == []
