"""Every plan's page, with inputs changed in the browser, equals the page built from those inputs:
figures, cells, words, verdicts, charts, formulas with their numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from proof.browser import Chromium
from proof.ledger import share
from render.live.parts import sample, write_site
from render.live.reading import differences, open_read
from scalesheet.book import Book
from scalesheet.model import DOMAINS, Plan
from shipped import shipped_book

DATA = Path(__file__).parents[3] / "data"
PLANS = sorted(folder.name for folder in (DATA / "plans").iterdir() if folder.is_dir())
#: Plans with more than one scenario.
READ_TWICE = [
    name
    for name in PLANS
    if "\nscenarios:" in (DATA / "plans" / name / "plan.yaml").read_text("utf-8")
]
Compare = Callable[[Book, str, list[str]], list[str]]


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped_book()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Book:
    return sample(tmp_path_factory.mktemp("small"))


@pytest.fixture
def compare(
    chromium: Chromium, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Compare:
    """The differences between the live and the built pages of a plan after edits."""

    def run(book: Book, name: str, edits: list[str]) -> list[str]:
        plan = book.plans[name]
        live = _published(book, plan, tmp_path_factory)
        query = "?" + "&".join(edit.replace("'", "") for edit in edits)
        found: list[str] = []
        built = write_site(book, plan, tmp_path / "built", edits)
        further = sorted(page for page in built.iterdir() if page.stem != plan.id)
        for page in [built / f"{plan.id}.html", *share(further, 4)]:
            mine = open_read(chromium, live / page.name, query)
            theirs = open_read(chromium, page, scripts=False)
            assert mine.marks or page.stem != plan.id  # a page of plain text has no marks
            found += [f"{page.name}: {each}" for each in differences(mine, theirs)]
        return found

    return run


_PUBLISHED: dict[int, Path] = {}  # by the plan's `id()`; the books live as long as this module


def _published(book: Book, plan: Plan, folders: pytest.TempPathFactory) -> Path:
    """A plan's pages as published, written once."""
    if id(plan) not in _PUBLISHED:
        _PUBLISHED[id(plan)] = write_site(book, plan, folders.mktemp(plan.id) / "published")
    return _PUBLISHED[id(plan)]


def another_row(book: Book, plan: Plan) -> list[str]:
    """Edits that move each choice of the plan to the next row."""
    edits = []
    for scalar in plan.scalars.values():
        if scalar.refers_to is not None and scalar.stated is not None and not scalar.phase:
            rows = {**book.tables, **plan.tables}[scalar.refers_to].rows
            at = rows.index(str(scalar.stated.value))
            edits.append(f"{scalar.name}={rows[(at + 1) % len(rows)]}")
    return edits


def other_numbers(plan: Plan) -> list[str]:
    """Edits that raise every stated number of the plan by half, where its domain allows it."""
    edits = []
    for scalar in plan.scalars.values():
        if scalar.stated is not None and scalar.kind == "number":
            edits.append(_more(scalar.name, scalar.stated.value, scalar.domain))
    for table in plan.tables.values():
        for column in table.columns.values():
            for row, stated in column.stated.items():
                if column.kind == "number":
                    name = f"{table.name}['{row}'].{column.name}"
                    edits.append(_more(name, stated.value, column.domain))
    return [edit for edit in edits if edit]


def _more(name: str, value: object, domain: str) -> str:
    _, _, most, whole = DOMAINS[domain]
    if not isinstance(value, float) or value == 0:
        return ""
    more = value * 1.5 if not whole else float(int(value * 1.5) or 2)
    return f"{name}={more!r}" if most is None or more <= most else ""


@pytest.mark.parametrize("plan", share(PLANS, 3))
def test_every_input_at_once_is_on_the_page(plan: str, book: Book, compare: Compare) -> None:
    chosen = book.plans[plan]
    scenario = [f"scenario={word}" for word in chosen.scenarios[-1:]]
    assert (
        compare(book, plan, [*scenario, *another_row(book, chosen), *other_numbers(chosen)]) == []
    )


@pytest.mark.weekly  # every run makes these edits together
@pytest.mark.parametrize("plan", READ_TWICE)
def test_another_scenario_is_on_the_page(plan: str, book: Book, compare: Compare) -> None:
    word = book.plans[plan].scenarios[-1]
    assert compare(book, plan, [f"scenario={word}"]) == []


@pytest.mark.weekly
@pytest.mark.parametrize("plan", PLANS)
def test_other_choices_are_on_the_page(plan: str, book: Book, compare: Compare) -> None:
    edits = another_row(book, book.plans[plan])
    assert compare(book, plan, edits) == []


@pytest.mark.weekly
@pytest.mark.parametrize("plan", PLANS)
def test_other_numbers_are_on_the_page(plan: str, book: Book, compare: Compare) -> None:
    edits = other_numbers(book.plans[plan])
    assert len(edits) > 1
    assert compare(book, plan, edits) == []


@pytest.mark.parametrize(
    "edits",
    [
        ["scenario=written"],
        ["gpu=t4", "cards=3"],
        ["limit=70..90"],
        ["sizes['one'].steps=9000", "sizes['two'].steps=1"],
        ["steps_per_hour.corrected=0.001..3e9", "price=0", "reserve=1"],
        ["scenario=written", "steps_per_hour.written=7", "train.runs['first'].steps=1"],
    ],
    ids=lambda edits: "&".join(re.sub(r"[^\w=.]", "", each) for each in edits),
)
def test_a_small_plan_follows_every_edit(edits: list[str], small: Book, compare: Compare) -> None:
    assert compare(small, "small", edits) == []
