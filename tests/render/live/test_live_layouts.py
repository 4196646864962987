"""A page says that its layouts are not searched again once an input that they depend on changes."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from cases import JOB, JOBS
from proof.browser import Chromium
from render.live.parts import write_site
from small import plan

PRICED = JOBS.replace("tables:", "  price: {value: 2, unit: USD / hour}\ntables:", 1).replace(
    "scalars:", "scalars:\n  cost: {unit: USD, formula: jobs.total.hours * price}", 1
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("jobs")
    book = plan(folder, PRICED, {"components/job.yaml": JOB}).book
    assert book is not None
    return (write_site(book, book.plans["small"], folder / "site") / "small.html").as_uri()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("data=35", True),
        ("jobs.all.room=3", True),
        ("jobs[free].parts=2", True),  # the rest of the layout stays as published
        ("price=3", False),
    ],
)
def test_it_says_that_layouts_are_as_published(
    chromium: Chromium, address: str, change: str, says: bool
) -> None:
    page = chromium.visit(f"{address}?{change}").page
    status = page.get_by_role("status")
    expect(status).to_contain_text("figures of the plan differ from the published ones")
    assert ("does not search for better ones" in str(status.text_content())) is says
    assert chromium.leave() == []
