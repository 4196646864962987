"""The reference documents every command, field and diagnostic as the program has them."""

from __future__ import annotations

import shlex
from pathlib import Path

import openpyxl
import pytest

from scalesheet.build import build
from scalesheet.cli import main
from scalesheet.codes import CODES
from scalesheet.commands import NAMES
from scalesheet.commands.parser import parser
from scalesheet.examine import compile_book
from scalesheet.examples import Example
from scalesheet.examples import example as example_of
from scalesheet.load import parse
from scalesheet.render.reference import reference_pages, write_reference
from scalesheet.render.reference.commands import commands, example, usage
from scalesheet.render.reference.fields import PAGES, sections
from scalesheet.source.text import block, flow
from small import MINIMAL
from tutorial import follow

BOOK = compile_book(MINIMAL)
PAGE = reference_pages(BOOK, parser())


# ------------------------------------------------------------------ commands


def test_every_command_is_documented_with_all_arguments() -> None:
    shown = PAGE["commands.md"]
    for name, command in commands(parser()).items():
        section = shown.partition(f"{{ #{name} }}")[2].partition("\n## ")[0]
        assert usage(name, command) in section
        for action in command._actions[1:]:
            assert (action.option_strings or [str(action.metavar)])[-1] in section
            assert action.help or action.choices, f"{name}: {action.dest} says nothing"
    assert tuple(commands(parser())) == NAMES


def test_a_usage_line_puts_required_arguments_first() -> None:
    used = {name: usage(name, command) for name, command in commands(parser()).items()}
    lines = {name: " ".join(text.split()) for name, text in used.items()}
    assert all(len(line) <= 80 for text in used.values() for line in text.splitlines())
    assert lines["show"].startswith("scalesheet show [PLAN] [--set NAME=VALUE ...]")
    assert lines["explain"] == "scalesheet explain [CODE] [--data DIR]"


@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_a_command_prints_what_the_page_shows(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command, *shown = example(name).splitlines()
    arguments = shlex.split(command.removeprefix("$ scalesheet "))
    assert arguments[0] == name
    if not shown:
        return  # the command runs until it is stopped
    monkeypatch.chdir(tmp_path)
    follow(tmp_path, lambda step: None, fix=name != "check")
    if name == "pull":
        edited_workbook()
    if name == "lock":
        extending_book(tmp_path / "ours", monkeypatch)
        capsys.readouterr()
    main(arguments)
    printed = capsys.readouterr()
    lines = (printed.out + printed.err).splitlines()
    if shown[-1] == "...":
        shown.pop()
        lines = lines[: len(shown)]
    if name == "build":
        shown, lines = (
            shown[:-1],
            lines[:-1],
        )  # the hash changes with any change to pages, workbook or API
    assert lines == shown


def extending_book(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A book that extends the catalogue and has no lock yet."""
    main(["init", str(folder)])
    monkeypatch.chdir(folder)
    Path("data/book.lock").unlink()


def edited_workbook() -> None:
    """The tutorial's workbook, built and then edited as in the example."""
    build(Path("data"), Path("build"), site=False)
    path = Path("build/workbooks/tuning.xlsx")
    book = openpyxl.load_workbook(path)
    sheet = book["Inputs"]
    row = next(cell.row for cell in sheet["B"] if cell.value == "need")
    for column, value in zip("CDE", (20, 24, 28), strict=True):
        sheet[f"{column}{row}"] = value
    book.save(path)


# ------------------------------------------------------------------ the format


def test_every_kind_has_a_page_with_all_fields() -> None:
    for kind in PAGES:
        page = PAGE[f"format/{kind}.md"]
        for section in sections(kind):
            owner = section.name or kind
            for field in section.fields:
                assert f"{{ #{owner}.{field.name} }}" in page
                for bad in field.bad[:1]:
                    assert f">{bad.says[0].code}</a>" in page


def test_a_field_shows_whether_it_is_optional_and_its_default() -> None:
    page = PAGE["format/common.md"]
    domain = page.partition("{ #value.domain }")[2].partition("\n### ")[0]
    assert "optional" in domain
    assert "default: non-negative" in domain
    assert '<a href="common.html#domain">' in domain


@pytest.mark.parametrize("kind", PAGES)
def test_the_yaml_on_a_page_parses_to_its_example(kind: str) -> None:
    for section in sections(kind):
        for each in [*section.good, *(bad.value for bad in section.bad)]:
            assert parse(flow({"a": each}).encode(), "").data == {"a": each}
            assert each is None or parse(block(each).encode(), "").data == each
        for field in section.fields:
            for each in [*field.good, *(bad.value for bad in field.bad)]:
                assert parse(block({"a": each}).encode(), "").data == {"a": each}


def test_yaml_looks_handwritten() -> None:
    value = {"value": 1e9, "unit": "step / hour", "title": "no, 12:30", "by": {"a": ["yes", 1.5]}}
    assert flow(value) == '{value: 1e9, unit: step / hour, title: "no, 12:30", by: {a: [yes, 1.5]}}'
    long = {"first": {"note": "x" * 80, "value": 2}, "then": [1, 2]}
    assert block(long) == f"first:\n  note: {'x' * 80}\n  value: 2\nthen: [1, 2]\n"


def test_the_fields_for_formulas_are_the_columns_of_the_catalogue() -> None:
    for kind, table in [("hardware", "hardware"), ("rate", "offers"), ("model", "models")]:
        section = PAGE[f"format/{kind}.md"].partition("{ #in-formulas }")[2]
        for column in BOOK.tables[table].columns.values():
            assert (f"`x.{column.name}`" in section) is not column.hidden
    assert "| `x.price` | Price per GPU hour |" in PAGE["format/rate.md"]


def test_the_page_says_how_the_loader_reads_plain_words() -> None:
    index = PAGE["format/index.md"]
    for written, read in [
        ("1e9", "the number 1,000,000,000.0"),
        ("yes", "text"),
        ("12:30", "text"),
    ]:
        assert f"| `{written}` | {read} |" in index


# ------------------------------------------------------------------ diagnostics


@pytest.mark.parametrize("code", CODES)
def test_every_diagnostic_has_a_page_with_examples_and_remedy(code: str) -> None:
    page = PAGE[f"diagnostics/{code}.md"]
    assert page.startswith(f"# {code}")
    assert "Remedy:" in page
    assert "## Bad" in page
    assert "## Good" in page
    assert f"[{code}]({code}.md)" in PAGE["diagnostics/index.md"]
    shown = example_of(code)
    if isinstance(shown, Example):
        assert shown.bad in page
        assert shown.good in page


def test_fixed_lines_are_highlighted() -> None:
    page = PAGE["diagnostics/U002.md"]
    assert page.count('```yaml title="data/plans/example/plan.yaml" hl_lines="7"') == 2


def test_explain_takes_a_code_in_any_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "u002"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("U002: wrong dimension (error)\n")
    assert "data/plans/example/plan.yaml:7:30: U002 'cost' is declared in USD" in out
    assert "cost: {unit: USD, formula: price * gpu_hours / cards}" in out


def test_explain_describes_in_words_what_no_file_can_show(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["explain", "Y004"]) == 0
    assert "Bad: A file saved in Latin-1" in capsys.readouterr().out


def test_explain_without_a_code_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 0
    out = capsys.readouterr().out
    assert [code for code in CODES if f"  {code}  " not in out] == []
    assert "R005  outer bound  (warning)" in out


@pytest.mark.parametrize(("unknown", "near"), [("U022", "U002"), ("S10", "S00"), ("X9", "X00")])
def test_explain_suggests_the_nearest_code_with_the_same_letter(
    unknown: str, near: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", unknown]) == 2
    assert f"there is no diagnostic '{unknown}'; did you mean '{near}" in capsys.readouterr().err


# ------------------------------------------------------------------ the files


def test_the_written_pages_are_the_rendered_ones(tmp_path: Path) -> None:
    write_reference(BOOK, tmp_path, parser())
    files = {p.relative_to(tmp_path).as_posix(): p for p in tmp_path.rglob("*.md")}
    assert {name: path.read_text("utf-8") for name, path in files.items()} == PAGE


def test_code_within_guidance_keeps_its_spaces() -> None:
    assert (
        "a row of the table <code>phases</code> and has its own namespace" in PAGE["format/plan.md"]
    )
