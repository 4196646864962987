"""The workbook at work in LibreOffice: it computes, follows its inputs, and says what changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import openpyxl
import pytest

from proof.office import Cell, Office, Workbook
from render.workbook.conftest import Address, Made
from scalesheet.evaluate import Overrides
from scalesheet.language.syntax import End
from scalesheet.model import Key, Stated, within
from scalesheet.render.workbook.checks import SOME_FAIL
from scalesheet.render.workbook.context import stated_ends
from scalesheet.render.workbook.places import relative
from scalesheet.render.workbook.scalars import CHANGED, REMARK, SPREAD, VALID

WITHIN = 1e-12


@pytest.fixture
def live(made: Made, office: Office) -> Iterator[Workbook]:
    with office.open(made.path) as workbook:
        yield workbook


def differing(
    cells: Mapping[str, Mapping[str, Cell]], expected: Mapping[Address, float | str]
) -> list[tuple[Address, object, object]]:
    wrong = []
    for (sheet, address), want in expected.items():
        cell = cells[sheet].get(address)
        got = cell.value if cell and not cell.error else (cell.error_name if cell else "")
        if isinstance(want, float) and isinstance(got, float):
            if abs(got - want) > WITHIN * max(abs(got), abs(want)):
                wrong.append(((sheet, address), want, got))
        elif (got or "") != want:
            wrong.append(((sheet, address), want, got))
    return wrong


def test_every_stored_value_is_what_libreoffice_computes(made: Made, live: Workbook) -> None:
    computed = live.read_all()
    stored = openpyxl.load_workbook(made.path, data_only=True)
    written = openpyxl.load_workbook(made.path)
    expected = {
        (sheet.title, cell.coordinate): (
            float(value) if isinstance(value, int | float) else value or ""
        )
        for sheet in written
        for row in sheet.iter_rows()
        for cell in row
        if cell.data_type == "f"
        for value in [stored[sheet.title][cell.coordinate].value]
    }
    assert len(expected) == made.report.formulas
    assert differing(computed, expected) == []


@pytest.mark.parametrize(
    ("changes", "overrides"),
    [
        ({"gpu": "t4"}, {Key("gpu"): "t4"}),
        ({"scenario": "written"}, {Key("scenario"): "written"}),
        ({"cards": 16.0}, {Key("cards"): 16.0}),
        ({"price": 3.75}, {Key("price"): 3.75}),
    ],
)
def test_a_changed_input_gives_the_evaluators_figures(
    made: Made, live: Workbook, changes: Mapping[str, float | str], overrides: Overrides
) -> None:
    live.set({made.layout.scalar_cell(name): value for name, value in changes.items()})
    assert differing(live.read_all(), made.values(overrides)) == []


def test_a_changed_range_changes_low_value_and_high(made: Made, live: Workbook) -> None:
    name = "steps_per_hour.corrected"
    ends: dict[End, float] = {"low": 1000.0, "value": 1500.0, "high": 2500.0}
    live.set({made.layout.scalar_cell(name, end): value for end, value in ends.items()})
    stated = Stated(1500.0, 1000.0, 2500.0)
    assert differing(live.read_all(), made.values({Key(name): stated})) == []


def test_a_changed_cell_of_a_table_changes_its_total(made: Made, live: Workbook) -> None:
    live.set({made.layout.table_cell("train.runs", "first", "steps"): 40_000.0})
    override = {Key("steps", "train.runs", "first"): 40_000.0}
    assert differing(live.read_all(), made.values(override)) == []


def test_an_inserted_row_counts_in_total_count_and_maximum(made: Made, live: Workbook) -> None:
    place = made.layout.tables["train.runs"]
    row = place.spacer + 1
    live.insert_rows(place.sheet, row)
    live.set({(place.sheet, f"B{row}"): "third", (place.sheet, f"C{row}"): 75_000.0})
    assert live.cell(place.sheet, f"C{place.total + 2}").value == 100_000.0
    sheet, address = made.layout.scalar_cell("train.largest")
    assert live.cell(sheet, address).value == 75_000.0


def test_a_change_is_flagged_listed_and_counted(made: Made, live: Workbook) -> None:
    _, address = made.layout.scalar_cell("cards")
    live.set({("Inputs", address): 16.0})
    assert live.cell("Inputs", relative(int(address[1:]) - 1, CHANGED)).value == "changed"
    changes = live.read("Changes")
    first = [changes[f"{column}8"].value for column in "BCDEF"]
    assert first == ["Cards", "Inputs", address, 8.0, 16.0]
    assert changes["C4"].value == 1.0
    assert changes["B9"].value == ""


def test_a_change_of_a_row_is_counted_in_its_column(made: Made, live: Workbook) -> None:
    table = made.plan.tables[next(t for t in made.layout.tables if t in made.plan.tables)]
    column, row = next(
        (c, r)
        for c in table.columns.values()
        if c.kind == "number"
        for r, stated in c.stated.items()
        if isinstance(stated.value, float | int)
    )
    cell = made.layout.table_cell(table.name, row, column.name)
    before = live.cell(*cell).value
    assert isinstance(before, float)
    assert live.cell("Changes", "C4").value == 0.0
    live.set({cell: before + 1.0})
    assert live.cell("Changes", "C4").value == 1.0
    changes = live.read("Changes")
    shipped, now = (changes[f"{at}8"].value for at in "EF")
    assert isinstance(shipped, float)
    assert now == shipped - 1.0


@pytest.mark.parametrize("value", ["many", None, 0.0, -1.0, 2.5])
@pytest.mark.parametrize("name", ["cards", "price", "gpu", "scenario"])
def test_an_invalid_input_leaves_every_figure_as_shipped(
    made: Made, live: Workbook, name: str, value: float | str | None
) -> None:
    """No figure becomes an error, on any sheet; Inputs, Checks and the light say what is wrong."""
    scalar, cell = made.plan.scalars[name], made.layout.scalar_cell(name)
    if scalar.kind == "number" and isinstance(value, float) and within(scalar.domain, value):
        pytest.skip("no slip: the number is in the domain")
    before = live.read_all()
    moved = live.perturb({cell: value})
    assert not [at for at, now in moved.items() if now.error]
    after = {
        sheet: {at: moved.get((sheet, at), shown) for at, shown in of.items()}
        for sheet, of in before.items()
    }
    assert differing(after, made.values({})) == []
    assert SOME_FAIL in [shown.value for shown in after["About"].values()]


def test_low_and_high_follow_a_value_outside_them(made: Made, live: Workbook) -> None:
    """As in `pull`; Valid? stays ok, and the remark says that they follow."""
    name = "steps_per_hour.corrected"
    stated = made.plan.scalars[name].stated
    assert stated is not None
    low, value, high = stated_ends(stated)
    new, cell = high * 2, made.layout.scalar_cell(name)
    live.set({cell: new})
    scaled = Stated(new, low * new / value, high * new / value)
    assert differing(live.read_all(), made.values({Key(name): scaled})) == []
    row = int(cell[1][1:]) - 1
    assert live.cell("Inputs", relative(row, VALID)).value == "ok"
    assert "follow" in str(live.cell("Inputs", relative(row, REMARK)).value)
    spread = [live.cell("Inputs", relative(row, at)).value for at in SPREAD]
    assert spread == pytest.approx([low / value - 1, high / value - 1])


def test_low_above_high_is_reported_in_words(made: Made, live: Workbook) -> None:
    name = "steps_per_hour.corrected"
    stated = made.plan.scalars[name].stated
    assert stated is not None
    live.set({made.layout.scalar_cell(name, "low"): stated_ends(stated)[2] * 2})
    said = [str(cell.value) for cell in live.read("Checks").values()]
    assert any("low ≤ value ≤ high does not hold" in each for each in said)


@pytest.mark.parametrize("value", [-1.0, 2.5, "many"])
def test_an_input_outside_its_domain_fails_a_check_on_the_first_sheet(
    made: Made, live: Workbook, value: float | str
) -> None:
    live.set({made.layout.scalar_cell("cards"): value})
    texts = [cell.value for cell in live.read("About").values()]
    assert "a check fails: see Checks" in texts


def test_an_id_that_is_not_in_the_catalogue_fails_a_check(made: Made, live: Workbook) -> None:
    live.set({made.layout.scalar_cell("gpu"): "h900"})
    assert "a check fails: see Checks" in [cell.value for cell in live.read("About").values()]


def test_the_drop_down_of_the_accelerator_offers_the_catalogue(made: Made, live: Workbook) -> None:
    sheet, address = made.layout.scalar_cell("gpu")
    rule = live.validation(sheet, address)
    assert rule["type"] == "LIST"
    assert rule["formula1"] == "hardware_id"
    assert rule["input_title"] == "Accelerator"
