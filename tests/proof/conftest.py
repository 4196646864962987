"""Fixtures: one subject per plan for the whole run, its workbook opened once, and the ledger."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from proof import ledger
from proof.held import Task, task
from proof.office import Office
from proof.proving import Document, values
from proof.subjects import PLANS, SMALL, Subject, subject


@pytest.fixture(scope="session", name="subject", params=(*PLANS, *SMALL))
def subject_fixture(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Subject:
    """Each shipped plan, and each small book."""
    return subject(request.param, tmp_path_factory.mktemp("proof"))


@pytest.fixture(scope="session")
def entries() -> ledger.Ledger:
    """The stored ledger."""
    return ledger.read()


@pytest.fixture(scope="session")
def workbook_task(subject: Subject, entries: ledger.Ledger, office: Office) -> Task:
    """The task that says whether this run proves the workbook."""
    return task(subject, "workbook", f"LibreOffice {office.version}", entries)


@pytest.fixture(scope="session")
def document(subject: Subject, workbook_task: Task, office: Office) -> Iterator[Document]:
    """The subject's workbook, opened and read once; tests must leave it unchanged."""
    if workbook_task.held:
        pytest.skip(workbook_task.held)
    with office.open(subject.workbook) as workbook:
        cells = {
            (sheet, at): cell
            for sheet, found in workbook.read_all().items()
            for at, cell in found.items()
        }
        errors = [f"{at}: {cell.error_name}" for at, cell in cells.items() if cell.error]
        yield Document(workbook, values(cells), errors)
