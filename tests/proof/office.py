"""Drive a real LibreOffice from a test: open a workbook, read it, change inputs, store it.

    with Office() as office, office.open(path) as workbook:
        cells = workbook.read_all()["Summary"]          # {"B3": Cell(value, formula, error)}
        changed = workbook.perturb({("Inputs", "C4"): 64})  # {("Summary", "B3"): Cell, ...}

LibreOffice runs in a helper process (``office_server.py``), because its Python binding belongs
to the system's Python. Every formula is recomputed when a workbook is opened. Every request has a
time limit; when it is exceeded, LibreOffice is killed and the error says so.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import math
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self, TextIO

import xlsxwriter

SERVER = Path(__file__).with_name("office_server.py")
INSTALL = "apt-get install libreoffice-calc python3-uno"
# last resorts, over ten times what is usual: a busy machine is slow, which is not an error
START_SECONDS = 300.0
REQUEST_SECONDS = 600.0
END_SECONDS = 60.0

Value = float | str | None
Address = tuple[str, str]  # sheet, cell

# Errors with a name in a cell; LibreOffice shows the others as Err:number.
ERRORS = {
    503: "#NUM!",
    519: "#VALUE!",
    524: "#REF!",
    525: "#NAME?",
    532: "#DIV/0!",
    32767: "#N/A",
}


class OfficeError(Exception):
    """LibreOffice refused a request, did not answer in time, or is gone."""


@dataclass(frozen=True)
class Cell:
    """A cell: a number, a text or nothing; its formula, if any; its error, or 0."""

    value: Value
    formula: str | None = None
    error: int = 0

    @property
    def error_name(self) -> str | None:
        """The error as a spreadsheet shows it."""
        return ERRORS.get(self.error, f"Err:{self.error}") if self.error else None

    @property
    def number(self) -> float:
        """The value, which must be a number."""
        if not isinstance(self.value, float):
            raise TypeError(f"not a number: {self.error_name or repr(self.value)}")
        return self.value


def find_soffice() -> str | None:
    """The path of LibreOffice: SCALESHEET_SOFFICE, from the search path, or the usual place."""
    named = os.environ.get("SCALESHEET_SOFFICE")
    if named:
        return shutil.which(named)
    places = ("soffice", "libreoffice", "/Applications/LibreOffice.app/Contents/MacOS/soffice")
    return next((found for place in places if (found := shutil.which(place))), None)


@functools.cache
def find_uno_python() -> str | None:
    """A Python that can import uno: SCALESHEET_UNO_PYTHON, the system's, LibreOffice's or ours."""
    candidates: list[str] = []
    named = os.environ.get("SCALESHEET_UNO_PYTHON")
    if named:
        candidates.append(named)
    else:
        candidates.append("/usr/bin/python3")
        soffice = find_soffice()
        if soffice:
            program = Path(soffice).resolve().parent
            candidates.append(str(program / "python"))
            candidates.append(str(program.parent / "Resources" / "python"))
        candidates.append(sys.executable)
    for candidate in candidates:
        found = shutil.which(candidate)
        if not found:
            continue
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            probe = subprocess.run(
                [found, "-c", "import uno"],
                capture_output=True,
                timeout=START_SECONDS,
                env=_environment(),
                check=False,
            )
            if probe.returncode == 0:
                return found
    return None


def missing() -> str | None:
    """What is missing and how to get it, or None if LibreOffice can be used."""
    lacking = []
    if find_soffice() is None:
        lacking.append("LibreOffice Calc (no 'soffice' on the search path)")
    if find_uno_python() is None:
        lacking.append("a Python that can 'import uno'")
    if not lacking:
        return None
    return f"{' and '.join(lacking)} not found; get it with: {INSTALL}"


def _environment() -> dict[str, str]:
    """Our environment, without variables that would lead another Python to our packages."""
    drop = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
    return {key: value for key, value in os.environ.items() if key not in drop}


class Office:
    """A LibreOffice process; a context manager that starts it on entry."""

    def __init__(
        self,
        *,
        recalculate_on_load: Literal["always", "never"] = "always",
        request_seconds: float = REQUEST_SECONDS,
    ) -> None:
        self.recalculate_on_load = recalculate_on_load
        self.request_seconds = request_seconds
        self.version = ""
        self.recalc_mode = -1
        self._process: subprocess.Popen[str] | None = None
        self._group = 0
        self._answers: queue.Queue[str | None] = queue.Queue()
        self._folder: Path | None = None
        self._log: TextIO | None = None
        self._next = 0
        self._why_gone = "it was not started"

    # -- life ---------------------------------------------------------------------------

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def running(self) -> bool:
        """Whether the helper process is running."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start LibreOffice with a fresh profile."""
        if self.running:
            return
        absent = missing()
        soffice, python = find_soffice(), find_uno_python()
        if absent or soffice is None or python is None:
            raise OfficeError(absent or "LibreOffice not found")
        self._folder = Path(tempfile.mkdtemp(prefix="scalesheet-office-"))
        self._log = (self._folder / "log.txt").open("w+", encoding="utf-8")
        command = [python, str(SERVER), "--soffice", soffice]
        command += ["--folder", str(self._folder)]
        command += ["--recalc", self.recalculate_on_load, "--start-timeout", str(START_SECONDS)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            encoding="utf-8",
            env=_environment(),
            start_new_session=True,
        )
        atexit.register(self.close)
        self._answers = queue.Queue()
        threading.Thread(target=_pump, args=(self._process, self._answers), daemon=True).start()
        hello = self._wait(0, "start", START_SECONDS + 15)
        self.version, self.recalc_mode = hello["version"], hello["recalc_mode"]
        self._group = hello["group"]

    def close(self) -> None:
        """Stop LibreOffice and remove its profile; safe to call again."""
        if self.running and self._process is not None:
            with contextlib.suppress(Exception):
                self._send({"id": -1, "do": "quit"})
                self._process.wait(END_SECONDS)
        self._kill("it was closed")

    def _kill(self, why: str) -> None:
        """Kill whatever is left."""
        process, self._process = self._process, None
        if process is None:
            return
        self._why_gone = why
        if process.stdin:
            with contextlib.suppress(OSError):
                process.stdin.close()  # the helper then kills LibreOffice and reaps it
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(END_SECONDS)
        if process.poll() is None:
            groups = [group for group in (self._group, process.pid) if group]
            for group in groups:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(group, signal.SIGKILL)
            process.wait(END_SECONDS)
        self._group = 0
        if process.stdout:
            process.stdout.close()
        if self._log:
            self._log.close()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._folder = self._log = None
        atexit.unregister(self.close)

    # -- requests -----------------------------------------------------------------------

    def request(self, do: str, *, seconds: float | None = None, **arguments: Any) -> Any:
        """Send a request to the helper; return its answer or raise OfficeError."""
        if not self.running:
            if self._process is not None:
                self._kill("its helper process ended")
            raise OfficeError(f"cannot {do!r}: LibreOffice is not running, {self._why_gone}")
        self._next += 1
        try:
            self._send({"id": self._next, "do": do, **arguments})
        except OSError as error:
            tail = self._log_tail()
            self._kill("its helper process ended")
            raise OfficeError(f"cannot {do!r}: LibreOffice is gone ({error}){tail}") from error
        return self._wait(self._next, do, seconds or self.request_seconds)

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message, allow_nan=False) + "\n")
        self._process.stdin.flush()

    def _wait(self, number: int, do: str, seconds: float) -> Any:
        try:
            line = self._answers.get(timeout=seconds)
        except queue.Empty:
            tail = self._log_tail()
            why = f"it was killed for not answering {do!r} within {seconds:g} s"
            self._kill(why)
            raise OfficeError(f"LibreOffice gives no answer: {why}{tail}") from None
        except BaseException:  # an interrupt between request and answer leaves the two out of step
            self._kill(f"it was interrupted in {do!r}")
            raise
        if line is None:
            tail = self._log_tail()
            self._kill("its helper process ended")
            raise OfficeError(f"LibreOffice or its helper ended during {do!r}{tail}")
        answer = json.loads(line)
        if answer["id"] != number:
            self._kill("its answers were out of step")
            raise OfficeError(f"answer {answer['id']} where {number} was expected")
        if answer.get("fatal"):
            tail = self._log_tail()
            self._kill("it ended by itself")
            raise OfficeError(f"{answer['error']}{tail}")
        if "error" in answer:
            raise OfficeError(answer["error"])
        return answer["ok"]

    def _log_tail(self) -> str:
        """The end of what the helper and LibreOffice wrote to standard error."""
        if self._folder is None:
            return ""
        text = (self._folder / "log.txt").read_text(encoding="utf-8", errors="replace").strip()
        return f"\n{text[-2000:]}" if text else ""

    # -- documents ----------------------------------------------------------------------

    def open(self, path: Path | str, *, protected: bool = False) -> Workbook:
        """Open a workbook; restart LibreOffice if it is gone.

        Sheets are unprotected unless they stay `protected`.
        """
        absolute = Path(path).resolve()
        if not absolute.is_file():
            raise OfficeError(f"no file {absolute}")
        self.start()
        answer = self.request("open", path=str(absolute), protected=protected)
        return Workbook(self, int(answer["doc"]), absolute)

    def to_pdf(self, path: Path | str, target: Path | str) -> Path:
        """Print the workbook at path to a PDF file."""
        with self.open(path) as workbook:
            return workbook.to_pdf(target)

    def check_recalculates(self, folder: Path) -> None:
        """The canary: a formula =1+1 stored with the value 3 must come back as 2."""
        path = folder / "canary.xlsx"
        with xlsxwriter.Workbook(str(path)) as book:
            book.add_worksheet("Canary").write_formula("A1", "=1+1", None, 3)
        with self.open(path) as workbook:
            found = workbook.cell("Canary", "A1")
        if found.value != 2:
            raise AssertionError(
                f"LibreOffice {self.version} does not compute on load: =1+1 stored as 3 reads as "
                f"{found.value!r} (OOXMLRecalcMode is {self.recalc_mode}, 0 is needed); "
                "every comparison with it would be empty"
            )


class Workbook:
    """An open workbook; a context manager that closes it."""

    def __init__(self, office: Office, number: int, path: Path) -> None:
        self.office = office
        self.path = path
        self._number = number
        self._is_open = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _ask(self, do: str, *, seconds: float | None = None, **arguments: Any) -> Any:
        if not self._is_open:
            raise OfficeError(f"{self.path.name} is closed")
        return self.office.request(do, doc=self._number, seconds=seconds, **arguments)

    def close(self) -> None:
        """Close the workbook without saving it."""
        if self._is_open and self.office.running:
            self._ask("close")
        self._is_open = False

    def sheets(self) -> list[str]:
        """The names of the sheets, in order."""
        return list(self._ask("sheets"))

    def recalculate(self) -> None:
        """Recompute every formula."""
        self._ask("recalculate")

    def read(self, sheet: str) -> dict[str, Cell]:
        """Every used cell of one sheet, by address."""
        return self.read_all([sheet])[sheet]

    def read_all(self, sheets: Sequence[str] | None = None) -> dict[str, dict[str, Cell]]:
        """Every used cell of all (or these) sheets, with which later perturbations compare."""
        answer = self._ask("read", sheets=list(sheets) if sheets is not None else None)
        return {
            sheet: {address: Cell(**cell) for address, cell in cells.items()}
            for sheet, cells in answer.items()
        }

    def cell(self, sheet: str, address: str) -> Cell:
        """One cell."""
        return self.cells([(sheet, address)])[0]

    def cells(self, addresses: Iterable[Address]) -> list[Cell]:
        """Some cells, in order."""
        answer = self._ask("read_cells", cells=[list(address) for address in addresses])
        return [Cell(**cell) for cell in answer]

    def set(self, values: Mapping[Address, Value]) -> None:
        """Set cells permanently: numbers, texts (as text, whatever they look like) or nothing."""
        self._ask("set", set=_settings(values))

    def set_block(self, sheet: str, address: str, rows: Sequence[Sequence[float | str]]) -> None:
        """Set a rectangle of numbers and texts permanently; far faster than cell by cell."""
        if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
            raise ValueError("a block is a rectangle of at least one cell")
        for row in rows:
            for value in row:
                _settings({(sheet, address): value})
        block = [list(row) for row in rows]
        self._ask("set_block", sheet=sheet, cell=address, rows=block)

    def set_formula(self, sheet: str, address: str, formula: str) -> None:
        """Set a formula in LibreOffice's own grammar, with ';' between arguments."""
        self._ask("set_formula", sheet=sheet, cell=address, formula=formula)

    def perturb(
        self,
        values: Mapping[Address, Value],
        read: Sequence[str] | None = None,
        *,
        check_restored: bool = False,
    ) -> dict[Address, Cell]:
        """Set cells, return each cell whose value then differs from the last read, and restore.

        The result includes the cells set. A cell that becomes an error has the value None and its
        error; formulas are not returned. Without an earlier read, one is made first. Cells outside
        the area in use at that read are not noticed.
        """
        answer = self._ask(
            "perturb",
            set=_settings(values),
            read=list(read) if read is not None else None,
            check_restored=check_restored,
        )
        return {
            (sheet, address): Cell(cell["value"], None, cell["error"])
            for sheet, cells in answer.items()
            for address, cell in cells.items()
        }

    def defined_names(self) -> dict[str, str]:
        """Defined names and their targets; names local to a sheet are given as Sheet!name."""
        return dict(self._ask("names"))

    def validation(self, sheet: str, address: str) -> dict[str, str]:
        """The data validation of a cell: type, formula1, formula2 and its messages."""
        return dict(self._ask("validation", sheet=sheet, cell=address))

    def insert_rows(self, sheet: str, row: int, count: int = 1) -> None:
        """Insert empty rows; the first one gets the number `row`, counted from 1."""
        self._ask("insert_rows", sheet=sheet, row=row, count=count)

    def insert_columns(self, sheet: str, column: int, count: int = 1) -> None:
        """Insert empty columns; the first one gets the number `column`, counted from 1."""
        self._ask("insert_columns", sheet=sheet, column=column, count=count)

    def undo(self) -> None:
        """Undo the last change of structure."""
        self._ask("undo")

    def delete_rows(self, sheet: str, row: int, count: int = 1) -> None:
        """Delete rows from the number `row`, counted from 1."""
        self._ask("delete_rows", sheet=sheet, row=row, count=count)

    def delete_columns(self, sheet: str, column: int, count: int = 1) -> None:
        """Delete columns from the number `column`, counted from 1."""
        self._ask("delete_columns", sheet=sheet, column=column, count=count)

    def copy_range(self, sheet: str, block: str, to_cell: str) -> None:
        """Copy a block of cells within its sheet, like copy and paste."""
        self._ask("copy_range", sheet=sheet, range=block, to_cell=to_cell)

    def move_range(self, sheet: str, block: str, to_sheet: str, to_cell: str) -> None:
        """Move a block of cells, like cut and paste."""
        self._ask("move_range", sheet=sheet, range=block, to_sheet=to_sheet, to_cell=to_cell)

    def sort(self, sheet: str, block: str, column: int) -> None:
        """Sort the rows of a block in descending order by one of its columns, counted from 0."""
        self._ask("sort", sheet=sheet, range=block, column=column)

    def filter(self, sheet: str, block: str, column: int, text: str) -> None:
        """Hide the rows of a block without `text` in a column, counted from 0."""
        self._ask("filter", sheet=sheet, range=block, column=column, text=text)

    def rename_sheet(self, sheet: str, to: str) -> None:
        """Rename a sheet."""
        self._ask("rename_sheet", sheet=sheet, to=to)

    def store(self, target: Path | str) -> Path:
        """Save a copy in the format of the suffix: xlsx, ods, pdf, csv (first sheet)."""
        path = Path(target).resolve()
        self._ask("store", path=str(path), seconds=max(180.0, self.office.request_seconds))
        if not path.is_file() or path.stat().st_size == 0:
            raise OfficeError(f"LibreOffice wrote nothing to {path}")
        return path

    def to_pdf(self, target: Path | str) -> Path:
        """Print every sheet to a PDF file."""
        path = Path(target)
        if path.suffix.lower() != ".pdf":
            raise ValueError(f"{path} does not end in .pdf")
        return self.store(path)


def _settings(values: Mapping[Address, Value]) -> list[list[Value]]:
    """The cells to set, after refusing values that JSON or a spreadsheet would change."""
    settings: list[list[Value]] = []
    for (sheet, address), value in values.items():
        if isinstance(value, bool):
            raise TypeError(f"{sheet}!{address}: a flag is a text, yes or no")
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{sheet}!{address}: a cell cannot hold {value}")
        settings.append([sheet, address, value])
    return settings


def _pump(process: subprocess.Popen[str], answers: queue.Queue[str | None]) -> None:
    """Move the helper's answers into a queue, so that waiting can have a time limit."""
    assert process.stdout is not None
    with contextlib.suppress(ValueError, OSError):
        for line in process.stdout:
            answers.put(line)
    answers.put(None)
