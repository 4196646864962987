"""Rules that every workbook file keeps."""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest
from openpyxl.cell import Cell
from openpyxl.formula import Tokenizer
from openpyxl.workbook import Workbook
from openpyxl.worksheet.formula import ArrayFormula

from editions import given
from render.workbook.conftest import Made, ends
from scalesheet.defined_names import name_problems
from scalesheet.evaluate import evaluate
from scalesheet.language.syntax import Number, walk
from scalesheet.model import Plan, Stated
from scalesheet.render.workbook.layout import lay_out
from scalesheet.render.workbook.steps import stepped
from scalesheet.render.workbook.write import write_workbook

SHARED = {
    "ABS",
    "AND",
    "AVERAGE",
    "AVERAGEIFS",
    "CODE",
    "COLUMN",
    "COUNT",
    "COUNTA",
    "COUNTIF",
    "COUNTIFS",
    "EXACT",
    "EXP",
    "FIXED",
    "IF",
    "IFERROR",
    "INDEX",
    "INT",
    "ISERROR",
    "ISNUMBER",
    "ISTEXT",
    "LEN",
    "LN",
    "LOG10",
    "MATCH",
    "MAX",
    "MID",
    "MIN",
    "N",
    "NOT",
    "OR",
    "REPT",
    "ROUND",
    "ROW",
    "SQRT",
    "SUBSTITUTE",
    "SUM",
    "SUMIF",
    "SUMIFS",
    "SUMPRODUCT",
}
#: Only on Checks; in a program that lacks them, the check says that it could not run.
LATER = {"_xlfn.ISFORMULA", "_xlfn.FORMULATEXT"}


@pytest.fixture(scope="module")
def written(made: Made) -> Workbook:
    return openpyxl.load_workbook(made.path)


@pytest.fixture(scope="module")
def stored(made: Made) -> Workbook:
    return openpyxl.load_workbook(made.path, data_only=True)


def cells(workbook: Workbook) -> Iterator[Cell]:
    for sheet in workbook:
        for row in sheet.iter_rows():
            yield from (cell for cell in row if isinstance(cell, Cell) and cell.value is not None)


def formula_of(cell: Cell) -> str:
    return cell.value.text if isinstance(cell.value, ArrayFormula) else str(cell.value)


def tokens(cell: Cell, kind: str, subtype: str) -> list[str]:
    found = Tokenizer(formula_of(cell)).items
    return [t.value for t in found if (t.type, t.subtype) == (kind, subtype)]


def test_it_is_written_without_a_problem(made: Made) -> None:
    assert made.report.problems == ()
    assert made.report.sheets[:4] == ("Summary", "About", "Inputs", "Results")
    sheets = {sheet.name: sheet.kind for sheet in made.layout.sheets}
    kinds = list(dict.fromkeys(sheets[name] for name in made.report.sheets))
    last = ["units", "catalogue", "sources"]
    assert kinds[4:] == ["calculation", "checks", "changes", *last]
    assert made.report.formulas > 300


def test_every_derived_cell_is_a_formula(made: Made, written: Workbook) -> None:
    for sheet, address in made.formulas():
        assert written[sheet][address].data_type == "f", (sheet, address)


def test_every_formula_is_stored_with_the_value_of_the_evaluator(
    made: Made, stored: Workbook
) -> None:
    for (sheet, address), value in made.values().items():
        assert (stored[sheet][address].value or "") == value, (sheet, address)


def test_numbers_keep_every_digit(made: Made, tmp_path: Path) -> None:
    numbers = (123456789.12345679, 0.1 + 0.2, 1.1 * 1.1, 2.0**-49, 1e22, 5.0)
    name = "price"
    for number in numbers:
        scalar = made.plan.scalars[name]
        stated = Stated(number, number, number)
        plan = replace(
            made.plan, scalars={**made.plan.scalars, name: replace(scalar, stated=stated)}
        )
        path = tmp_path / "digits.xlsx"
        write_workbook(
            given(made.book, results={plan.id: evaluate(made.book, plan)}),
            plan,
            path,
            sensitivity=False,
        )
        sheet, address = made.layout.scalar_cell(name)
        assert openpyxl.load_workbook(path)[sheet][address].value == number


def test_every_input_and_every_constant_is_stored_exactly(made: Made, stored: Workbook) -> None:
    for name, constant in made.layout.constants.items():
        assert stored["Units"].cell(constant.row + 1, 2).value == constant.value, name
    for scalar in made.plan.scalars.values():
        if scalar.stated is None or scalar.kind != "number":
            continue
        for end in ends(scalar):
            sheet, address = made.layout.scalar_cell(scalar.name, end)
            value = made.results.scalars[scalar.name]
            if f"{scalar.name}.written" not in made.plan.scalars:
                assert stored[sheet][address].value == value.end(end), scalar.name


def test_a_constant_has_its_unit_kind_and_meaning(made: Made, written: Workbook) -> None:
    units = written["Units"]
    told = {
        row[0].value: tuple(cell.value for cell in row[1:5])
        for row in units.iter_rows(min_row=5, max_row=4 + len(made.layout.constants))
    }
    assert told["minute_per_hour"] == (60, "min/h", "conversion", "minute in one hour")
    assert told["with_reserve_per_cent"] == (
        10,
        None,
        "default",
        "Hours with a reserve: Per cent in reserve",
    )
    assert [kind for _, _, kind, _ in told.values()] == sorted(
        (kind for _, _, kind, _ in told.values()), key=["conversion", "default", "arithmetic"].index
    )


def test_a_conversion_shows_all_its_digits(made: Made, written: Workbook) -> None:
    row = made.layout.constants["GB_per_GiB"].row + 1
    assert written["Units"].cell(row, 2).number_format == "#,##0.000000000"


def test_every_number_on_a_calculation_sheet_is_an_input_or_a_formula(
    made: Made, written: Workbook
) -> None:
    inputs = {
        made.layout.table_cell(table.name, row, column.name, end)
        for table in made.tables.values()
        for column in table.columns.values()
        for row in column.stated
        for end in ("low", "value", "high")
    }
    sheets = {
        plan.name
        for plan in made.layout.sheets
        if plan.kind in ("calculation", "summary", "results")
    }
    for cell in cells(written):
        if cell.data_type == "n" and cell.parent.title in sheets:
            assert (cell.parent.title, cell.coordinate) in inputs


def test_a_formula_holds_only_numbers_written_in_the_plan(made: Made, written: Workbook) -> None:
    for (sheet, address), (formula, _) in made.formulas().items():
        literals = {n.value for tree in formula.ends.trees for n in walk(tree) if type(n) is Number}
        numbers = {float(t) for t in tokens(written[sheet][address], "OPERAND", "NUMBER")}
        assert numbers <= literals | {0.0}, written[sheet][address].value


def test_conversions_are_named_cells(made: Made, written: Workbook) -> None:
    sheet, address = made.layout.scalar_cell("minutes")
    assert written[sheet][address].value == "=few/steps_per_hour*minute_per_hour"
    where = written.defined_names["minute_per_hour"].attr_text
    assert written["Units"][where.partition("!")[2].replace("$", "")].value == 60


def test_only_functions_that_all_spreadsheets_share_are_used(written: Workbook) -> None:
    for sheet in written:
        used = {
            token.removesuffix("(")
            for cell in cells(written)
            if cell.parent is sheet and cell.data_type == "f"
            for token in tokens(cell, "FUNC", "OPEN")
        }
        assert used <= (SHARED | LATER if sheet.title == "Checks" else SHARED), sheet.title


def test_every_name_is_unique_and_points_at_a_cell_with_its_value(
    made: Made, written: Workbook, stored: Workbook
) -> None:
    folded = [name.casefold() for name in written.defined_names]
    assert len(folded) == len(set(folded))
    for name, scalar in made.plan.scalars.items():
        for end in ("low", "value", "high") if scalar.ranged else ("value",):
            text = made.layout.names.scalars[name, end]
            sheet, _, address = written.defined_names[text].attr_text.rpartition("!")
            value = stored[sheet.strip("'")][address.replace("$", "")].value
            expected = made.results.scalars[name].end(end)
            assert value == {True: "yes", False: "no"}.get(expected, expected), text


def test_the_name_of_a_tables_ids_includes_the_empty_row_below(
    made: Made, written: Workbook
) -> None:
    sheet, _, area = written.defined_names["hardware_id"].attr_text.partition("!")
    column = [row[0].value for row in written[sheet][area.replace("$", "")]]
    assert column == ["h100", "t4", None]


def test_text_that_looks_like_a_formula_stays_text(written: Workbook) -> None:
    texts = {
        cell.value
        for cell in cells(written)
        if cell.data_type == "s" and isinstance(cell.value, str) and cell.value[0] in "=@-"
    }
    assert {"=1 run", "=1+1 is a title", "@home", "=HYPERLINK(1) is a note"} <= texts


def test_a_reason_that_looks_like_a_new_function_is_not_an_array_formula(
    made: Made, written: Workbook, stored: Workbook
) -> None:
    sheet, address = made.layout.table_cell("sizes", "one", "spare")
    assert stored[sheet][address].value == "see SORT(x)"
    assert "_xlfn" not in str(written[sheet][address].value)


def test_a_plan_of_one_number_has_a_workbook(made: Made, tmp_path: Path) -> None:
    name = "cards"
    plan = Plan(
        "one", "One", "", {name: made.plan.scalars[name]}, {}, (), (), (), (), (), (), (), ""
    )
    results = evaluate(made.book, plan)
    report = write_workbook(
        given(made.book, results={plan.id: results}), plan, tmp_path / "one.xlsx", sensitivity=False
    )
    assert report.problems == ()
    fixed = ("Summary", "About", "Inputs", "Results", "Checks", "Changes", "Units", "Sources")
    assert report.sheets == fixed


def test_links_go_to_the_web_or_within_the_workbook(written: Workbook) -> None:
    links = [cell.hyperlink for cell in cells(written) if cell.hyperlink]
    targets = [link.target for link in links if link.target]
    assert "https://example.org/a?b=1&c=2" in targets
    assert all(target.startswith(("https://", "http://")) for target in targets)
    for link in links:
        if link.location:
            sheet, mark, _ = link.location.rpartition("!")
            known = written.sheetnames if mark else written.defined_names
            assert (sheet.strip("'") or link.location) in known


def test_an_input_shows_unit_source_and_allowed_values(made: Made, written: Workbook) -> None:
    sheet, address = made.layout.scalar_cell("steps_per_hour.corrected")
    rules = [r for r in written[sheet].data_validations.dataValidation if address in r.sqref]
    assert [(r.type, r.operator, r.formula1) for r in rules] == [("decimal", "greaterThan", "0")]
    said = "Unit: steps/h. Allowed: a number above 0. Kind: assumption. Source: memo, line 13."
    assert rules[0].prompt == said
    assert not rules[0].allow_blank


def test_drop_down_lists_come_from_ranges(made: Made, written: Workbook) -> None:
    lists = {
        rule.formula1
        for sheet in written
        for rule in sheet.data_validations.dataValidation
        if rule.type == "list"
    }
    assert "hardware_id" in lists
    assert any(re.fullmatch(r"'?Inputs'?!\$B\$\d+:\$B\$\d+", text) for text in lists)
    assert not any('"' in text for text in lists)


def test_validation_messages_stay_within_limits_for_the_longest_titles(
    made: Made, tmp_path: Path
) -> None:
    scalar = made.plan.scalars["cards"]
    long = replace(scalar, title="Title " * 60, note="Note. " * 2000)
    plan = replace(made.plan, scalars={**made.plan.scalars, "cards": long}, title="A & B " * 60)
    report = write_workbook(
        given(made.book, results={plan.id: made.results}),
        plan,
        tmp_path / "long.xlsx",
        sensitivity=False,
    )
    assert report.problems == ()


def test_a_name_that_looks_like_a_cell_is_reported_before_writing(made: Made) -> None:
    scalar = replace(made.plan.scalars["cards"], name="h100")
    plan = replace(made.plan, scalars={**made.plan.scalars, "h100": scalar})
    assert [(f.code, f.message) for f in name_problems(made.book, plan)] == [
        ("N004", "'h100' is the address of a spreadsheet cell; give it another name")
    ]


def test_an_error_of_the_writer_is_reported_with_its_place(made: Made, tmp_path: Path) -> None:
    scalar = replace(made.plan.scalars["cards"], note="x" * 40_000)
    plan = replace(made.plan, scalars={**made.plan.scalars, "cards": scalar})
    report = write_workbook(
        given(made.book, results={plan.id: made.results}),
        plan,
        tmp_path / "long.xlsx",
        sensitivity=False,
    )
    where = lay_out(made.book, stepped(made.book, plan)).scalar_cell("cards")
    assert {problem.code for problem in report.problems} == {"X001"}
    row = re.sub(r"\D", "", where[1])
    assert re.search(rf"Inputs![A-Z]+{row}: the text was not written", str(report.problems[0]))


def test_two_writes_give_the_same_bytes(made: Made, tmp_path: Path) -> None:
    again = tmp_path / "again.xlsx"
    write_workbook(
        given(made.book, hash="0123abcd", results={made.plan.id: made.results}),
        made.plan,
        again,
        sensitivity=False,
    )
    assert again.read_bytes() == made.path.read_bytes()


def test_the_chart_is_native_and_says_what_it_shows(made: Made) -> None:
    with zipfile.ZipFile(made.path) as archive:
        parts = {n: archive.read(n).decode() for n in archive.namelist() if "xl/drawings/d" in n}
        charts = [archive.read(n).decode() for n in archive.namelist() if "xl/charts/chart" in n]
    assert any('descr="Training is most."' in drawing for drawing in parts.values())
    assert any("<c:f>'Phases and sizes'!$A$8:$A$9</c:f>" in chart for chart in charts)


def test_the_first_sheet_says_which_edition_it_is(written: Workbook, stored: Workbook) -> None:
    about = [cell.value for row in written["About"].iter_rows() for cell in row if cell.value]
    assert "2026-11-20" in about
    assert any(str(text).startswith("0123abcd: ") for text in about)
    shown = [cell.value for row in stored["About"].iter_rows() for cell in row if cell.value]
    assert "all checks hold" in shown
    assert any(isinstance(v, float | int) and math.isclose(v, 104.0) for v in shown)


def test_only_the_plans_own_sheets_print_with_the_edition(
    written: Workbook,
) -> None:
    silent = {"About", "Checks", "Changes", "Units", "Hardware", "Sources"}
    for sheet in written:
        fitted = sheet.sheet_properties.pageSetUpPr
        assert bool(fitted and fitted.fitToPage) == (sheet.title not in silent), sheet.title
        assert "0123abcd" in (sheet.oddFooter.left.text or "")
        if sheet.title in silent:
            area = sheet.print_area.rpartition("!")[2].replace("$", "").partition(":")[0]
            assert sheet[area].value is None


def test_inputs_are_unlocked_and_formulas_are_not(made: Made, written: Workbook) -> None:
    sheet, address = made.layout.scalar_cell("cards")
    assert not written[sheet][address].protection.locked
    assert written[sheet][address].font.color.rgb == "FF0000C8"
    sheet, address = made.layout.scalar_cell("cost")
    assert written[sheet][address].protection.locked
