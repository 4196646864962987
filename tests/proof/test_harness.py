"""Tests of the proof harness itself: it computes, reads exactly, restores and ends."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter
from playwright.sync_api import Page

from proof import browser
from proof import office as office_module
from proof.browser import JavaScriptError
from proof.office import REQUEST_SECONDS, Cell, Office, OfficeError, Workbook

pytest_plugins = ["proof.fixtures"]

TESTS = Path(__file__).parents[1]
EXACT = [0.1, 1 / 3, math.pi, 1e-300, 1.7976931348623157e308, 123456789.12345679, 2.0**53 + 2]


@pytest.fixture
def workbook(office: Office, tmp_path: Path) -> Iterator[Workbook]:
    path = tmp_path / "plan.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        inputs = book.add_worksheet("Inputs")
        results = book.add_worksheet("Results")
        inputs.write_string("A1", "steps")
        inputs.write_number("B1", 1000)
        inputs.write_string("A2", "rate")
        inputs.write_number("B2", 3)
        inputs.write_string("B3", "none")
        book.define_name("steps", "=Inputs!$B$1")
        book.define_name("sft.rate", "=Inputs!$B$2")
        results.write_formula("A1", "=steps/sft.rate", None, 0)
        results.write_formula("A2", "=A1*2", None, 0)
        results.write_formula("A3", "=7", None, 0)
        results.write_formula("A4", '=IF(A2>1,"slow","fast")', None, "")
        results.write_formula("A5", '=""', None, "x")
        results.write_formula("A6", "=1/0", None, 5)
    with office.open(path) as opened:
        yield opened


def test_the_canary_is_recomputed(office: Office, tmp_path: Path) -> None:
    office.check_recalculates(tmp_path)


def test_the_canary_notices_a_libreoffice_that_trusts_stored_values(
    office: Office, tmp_path: Path
) -> None:
    with (
        Office(recalculate_on_load="never") as trusting,
        pytest.raises(AssertionError, match="stored as 3 reads as 3"),
    ):
        trusting.check_recalculates(tmp_path)


def test_values_formulas_and_errors_are_read(workbook: Workbook) -> None:
    cells = workbook.read_all()
    assert list(cells) == workbook.sheets() == ["Inputs", "Results"]
    results = cells["Results"]
    assert results["A1"] == Cell(1000 / 3, "=steps/sft.rate")
    assert results["A4"].value == "slow"
    assert results["A5"] == Cell("", '=""')
    assert (results["A6"].value, results["A6"].error_name) == (None, "#DIV/0!")
    assert cells["Inputs"]["A1"] == Cell("steps")
    assert "C1" not in cells["Inputs"]
    assert workbook.cells([("Results", "A1"), ("Results", "A6"), ("Results", "Z9")]) == [
        results["A1"],
        results["A6"],
        Cell(None),
    ]


def test_every_digit_is_read(workbook: Workbook) -> None:
    workbook.set({("Inputs", f"E{row}"): number for row, number in enumerate(EXACT, 1)})
    cells = workbook.read("Inputs")
    assert [cells[f"E{row}"].value for row in range(1, len(EXACT) + 1)] == EXACT


def test_perturb_returns_what_changes_and_restores(workbook: Workbook) -> None:
    before = workbook.read_all()
    changed = workbook.perturb({("Inputs", "B1"): 1}, check_restored=True)
    assert changed == {
        ("Inputs", "B1"): Cell(1.0),
        ("Results", "A1"): Cell(1 / 3),
        ("Results", "A2"): Cell(2 / 3),
        ("Results", "A4"): Cell("fast"),
    }
    assert workbook.read_all() == before


def test_perturb_restores_a_formula_with_all_its_digits(workbook: Workbook) -> None:
    workbook.set_formula("Results", "B1", "=0.30000000000000004")
    workbook.read_all()
    assert workbook.perturb({("Results", "B1"): 5}, check_restored=True)
    assert workbook.cell("Results", "B1").value == 0.30000000000000004


def test_perturb_into_errors_texts_blanks_and_over_formulas(workbook: Workbook) -> None:
    before = workbook.read_all()
    assert workbook.perturb({("Inputs", "B2"): 0})["Results", "A1"].error_name == "#DIV/0!"
    assert workbook.perturb({("Inputs", "B1"): "7"})["Inputs", "B1"].value == "7"
    assert workbook.perturb({("Inputs", "B3"): None}) == {("Inputs", "B3"): Cell("")}
    assert workbook.perturb({("Inputs", "B3"): "=1+1"})["Inputs", "B3"].value == "=1+1"
    assert workbook.perturb({("Results", "A1"): 5})["Results", "A2"].value == 10
    assert workbook.perturb({("Inputs", "B1"): 1000}) == {}
    assert workbook.perturb({("Inputs", "B1"): 1}, ["Inputs"]).keys() == {("Inputs", "B1")}
    assert workbook.read_all() == before


def test_set_is_permanent(workbook: Workbook) -> None:
    workbook.set({("Inputs", "B1"): 300, ("Inputs", "B2"): 2.5})
    assert workbook.cell("Results", "A1").value == 120
    workbook.set_formula("Results", "A1", "=SUM(steps;1)")
    assert workbook.cell("Results", "A1") == Cell(301.0, "=SUM(steps;1)")
    workbook.recalculate()
    assert workbook.cell("Results", "A2").value == 602


def test_a_block_is_set(workbook: Workbook) -> None:
    workbook.set_block("Inputs", "B1", [[90, "=1"], [9, 1 / 3]])
    assert workbook.cell("Results", "A1").value == 10
    assert workbook.cells([("Inputs", "C1"), ("Inputs", "C2")]) == [Cell("=1"), Cell(1 / 3)]
    with pytest.raises(ValueError, match="rectangle"):
        workbook.set_block("Inputs", "B1", [[1, 2], [3]])


def test_names_follow_inserted_rows_moved_cells_and_renamed_sheets(
    workbook: Workbook, office: Office, tmp_path: Path
) -> None:
    assert workbook.defined_names()["steps"] == "$Inputs.$B$1"
    workbook.insert_rows("Inputs", 1, 2)
    workbook.rename_sheet("Inputs", "My inputs")
    workbook.move_range("My inputs", "B4", "Results", "H9")
    names = workbook.defined_names()
    assert names["steps"] == "$'My inputs'.$B$3"
    assert names["sft.rate"] == "$Results.$H$9"
    assert workbook.cell("Results", "A1").value == 1000 / 3
    stored = workbook.store(tmp_path / "stored.xlsx")
    with stored.open("rb") as file:
        book = openpyxl.load_workbook(file)
    assert book.defined_names["steps"].attr_text == "'My inputs'!$B$3"
    assert book.defined_names["sft.rate"].attr_text == "Results!$H$9"
    with office.open(stored) as again:
        assert again.cell("Results", "A1") == Cell(1000 / 3, "=steps/sft.rate")


def test_a_pdf_is_printed(workbook: Workbook, office: Office, tmp_path: Path) -> None:
    assert workbook.to_pdf(tmp_path / "a.pdf").read_bytes().startswith(b"%PDF-")
    assert office.to_pdf(workbook.path, tmp_path / "b.pdf").stat().st_size > 1000


def test_ods_is_stored(workbook: Workbook, office: Office, tmp_path: Path) -> None:
    with office.open(workbook.store(tmp_path / "plan.ods")) as again:
        assert again.cell("Results", "A1").value == 1000 / 3


def test_a_wrong_request_is_reported_and_harmless(workbook: Workbook, tmp_path: Path) -> None:
    with pytest.raises(OfficeError, match="no sheet 'Nowhere'; there are Inputs, Results"):
        workbook.read("Nowhere")
    with pytest.raises(OfficeError, match="no cell 'B1:B2'"):
        workbook.cell("Inputs", "B1:B2")
    with pytest.raises(OfficeError, match="no cell 'nonsense!'"):
        workbook.perturb({("Inputs", "nonsense!"): 1})
    with pytest.raises(ValueError, match="cannot hold inf"):
        workbook.set({("Inputs", "B1"): math.inf})
    with pytest.raises(OfficeError, match="no file"):
        workbook.office.open(tmp_path / "absent.xlsx")
    (tmp_path / "broken.xlsx").write_bytes(b"PK\x03\x04 no")
    with pytest.raises(OfficeError):
        workbook.office.open(tmp_path / "broken.xlsx")
    assert workbook.cell("Inputs", "B1").value == 1000


def processes_of(group: int) -> list[int]:
    """Processes of a process group that are alive, or dead and not reaped (Linux)."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group:
            found.append(int(stat.parent.name))
    return found


def gone(group: int, seconds: float = 300) -> bool:
    end = time.monotonic() + seconds
    while processes_of(group) and time.monotonic() < end:
        time.sleep(0.02)
    return not processes_of(group)


linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")


@linux
def test_a_hanging_libreoffice_is_killed_and_the_next_open_starts_another(
    office: Office, workbook: Workbook
) -> None:
    with Office() as own:
        with own.open(workbook.path) as opened:
            group = own.request("hello")["group"]
            own.request_seconds = 0.5  # no later request gets an answer in time
            for process in processes_of(group):
                os.kill(process, signal.SIGSTOP)
            with pytest.raises(OfficeError, match="not answering 'read' within"):
                opened.read_all()
            assert gone(group)
            with pytest.raises(OfficeError, match="not running, it was killed"):
                opened.read_all()
        own.request_seconds = REQUEST_SECONDS
        with own.open(workbook.path) as opened:
            assert opened.cell("Results", "A3").value == 7


@linux
def test_a_crash_is_reported(office: Office, workbook: Workbook) -> None:
    with Office() as own, own.open(workbook.path) as opened:
        group = own.request("hello")["group"]
        os.killpg(group, signal.SIGKILL)
        with pytest.raises(OfficeError, match="LibreOffice ended during 'read'"):
            opened.read_all()
        with pytest.raises(OfficeError, match="not running, it ended by itself"):
            opened.read_all()
    assert gone(group)


@linux
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_is_left_when_the_tests_are_interrupted(
    office: Office, how: signal.Signals
) -> None:
    code = (
        "import time; from proof.office import Office; o = Office(); o.start();"
        "print(o._process.pid, o.request('hello')['group'], o._folder, flush=True);"
        "time.sleep(3600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=TESTS,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as victim:
        assert victim.stdout is not None
        helper, group, folder = victim.stdout.readline().split()
        assert processes_of(int(group))
        victim.send_signal(how)
        victim.wait(300)
    assert gone(int(group))
    assert gone(int(helper))
    assert not Path(folder).exists()


def test_missing_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCALESHEET_SOFFICE", "no-such-program")
    assert "apt-get install libreoffice-calc python3-uno" in str(office_module.missing())
    monkeypatch.setenv("SCALESHEET_CHROMIUM", "no-such-program")
    assert "apt-get install chromium-headless-shell" in str(browser.missing_browser())
    monkeypatch.setenv("SCALESHEET_NODE", "no-such-program")
    assert "apt-get install nodejs" in str(browser.missing_node())


@pytest.mark.parametrize(("ci", "outcome"), [("", "skipped=1"), ("true", "errors=1")])
def test_a_missing_program_skips_a_test_and_fails_it_under_ci(
    tmp_path: Path, ci: str, outcome: str
) -> None:
    (tmp_path / "test_it.py").write_text(
        'pytest_plugins = ["proof.fixtures"]\ndef test_it(office): pass\n'
    )
    environment = {**os.environ, "CI": ci, "SCALESHEET_SOFFICE": "no-such-program"}
    environment["PYTHONPATH"] = str(TESTS)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "NOT PROVED: LibreOffice Calc" in done.stdout
    assert "apt-get install libreoffice-calc python3-uno" in done.stdout
    assert done.returncode == (1 if ci else 0), done.stdout
    word, _, number = outcome.partition("=")
    assert f"{number} {word.removesuffix('s') if word == 'errors' else word}" in done.stdout


JSON_CASES = [
    ("1 / 3", 1 / 3),
    ("const a = [0.1, 'é', null, true]; a", [0.1, "é", None, True]),
    ("({x: -0, y: Infinity, z: [-Infinity]})", {"x": -0.0, "y": math.inf, "z": [-math.inf]}),
    ("undefined", None),
    ("Promise.resolve(5)", 5),
    ("5e-324", 5e-324),
    ("[2 ** 69, -(2 ** 52)]", [2.0**69, -(2**52)]),
]


@pytest.mark.parametrize(("script", "expected"), JSON_CASES)
def test_scripts_return_json(
    run_javascript: Callable[..., Any],
    run_node: Callable[..., Any],
    script: str,
    expected: Any,
) -> None:
    assert repr(run_javascript(script)) == repr(expected)
    assert repr(run_node(script)) == repr(expected)


@pytest.mark.parametrize("engine", ["run_javascript", "run_node"])
def test_scripts_run_as_classic_scripts(engine: str, request: pytest.FixtureRequest) -> None:
    run = request.getfixturevalue(engine)
    assert run("const a = 2; var b = 3; let c = 4;", "a * b * c") == 24
    assert run("this === globalThis") is True
    assert math.isnan(run("0 / 0"))
    with pytest.raises(JavaScriptError, match="boom"):
        run("throw new Error('boom')")
    with pytest.raises(JavaScriptError, match="SyntaxError"):
        run("let a = ;")
    with pytest.raises(JavaScriptError, match="holds a function"):
        run("({f: () => 1})")
    with pytest.raises(JavaScriptError):
        run("for (;;) {}", seconds=1.0)
    assert run("1 + 1") == 2


def test_a_page_can_open_a_local_file(browser_page: Page, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<!doctype html><title>plan</title><script>var hours = 0.1 + 0.2</script>")
    browser_page.goto(page.as_uri())
    assert browser_page.title() == "plan"
    assert browser.run_on_page(browser_page, "hours") == 0.1 + 0.2
