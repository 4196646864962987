"""Serve one headless LibreOffice to the tests: JSON lines in, JSON lines out.

Run it with a Python that can import ``uno`` (the system's), never with the project's own. Apart
from ``office_process.py``, it imports only the standard library. ``office.py`` is the client, and
nothing else should speak this protocol:

    request   {"id": 7, "do": "read", "doc": 1, "sheets": ["Inputs"]}
    answer    {"id": 7, "ok": ...}  or  {"id": 7, "error": "what went wrong"}

LibreOffice starts in a fresh profile with ``OOXMLRecalcMode`` 0, so that it recomputes every
formula of a loaded workbook: by default it trusts the stored values. When standard input ends,
LibreOffice is killed and this process exits, whatever it was doing.
"""

from __future__ import annotations

import argparse
import contextlib
import glob
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException
from com.sun.star.lang import DisposedException
from com.sun.star.sheet import TableFilterField
from com.sun.star.sheet.FilterOperator import EQUAL
from com.sun.star.table import CellAddress, CellRangeAddress, TableSortField
from com.sun.star.table.CellContentType import EMPTY, FORMULA, TEXT, VALUE
from com.sun.star.uno import Exception as UnoException
from office_process import adopt_orphans, own_pipes, start_soffice

FORMULA_FLAG = 16  # com.sun.star.sheet.CellFlags.FORMULA
FIRST_START_EXIT = 81  # soffice.bin asks to be restarted after creating a profile
FILTERS = {
    "xlsx": "Calc MS Excel 2007 XML",
    "ods": "calc8",
    "pdf": "calc_pdf_Export",
    "csv": "Text - txt - csv (StarCalc)",
}
DataArray = tuple[tuple[Any, ...], ...]


class Open:
    """An open document, with a cache of its objects: fetching one takes about 1 ms."""

    def __init__(self, document: Any) -> None:
        self.document = document
        self.forget()

    def forget(self) -> None:
        """Forget everything fetched or read, which is invalid after a change of structure."""
        self.sheets: dict[str, Any] = {}
        self.cells: dict[tuple[str, str], Any] = {}
        self.read: dict[str, tuple[Any, DataArray, bool]] = {}  # area, values, has formulas

    def names(self) -> list[str]:
        """The names of the sheets, in order."""
        return list(self.document.Sheets.ElementNames)

    def sheet(self, name: str) -> Any:
        if name not in self.sheets:
            if not self.document.Sheets.hasByName(name):
                raise ValueError(f"no sheet {name!r}; there are {', '.join(self.names())}")
            self.sheets[name] = self.document.Sheets.getByName(name)
        return self.sheets[name]

    def cell(self, sheet: str, address: str) -> Any:
        if (sheet, address) not in self.cells:
            try:
                area = self.sheet(sheet).getCellRangeByName(address)
                where = area.RangeAddress
            except UnoException as error:
                raise ValueError(f"no cell {address!r} on sheet {sheet!r}") from error
            if (where.StartColumn, where.StartRow) != (where.EndColumn, where.EndRow):
                raise ValueError(f"no cell {address!r} on sheet {sheet!r}")
            self.cells[sheet, address] = area.getCellByPosition(0, 0)
        return self.cells[sheet, address]


def column_name(index: int) -> str:
    """0 is A, 25 is Z, 26 is AA."""
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(65 + rest) + name
    return name


class Server:
    """A LibreOffice, its open documents, and requests on them."""

    def __init__(self, soffice: str, folder: str, recalc: str, start_timeout: float) -> None:
        self.pipe = f"scalesheet_{os.getpid()}_{os.urandom(4).hex()}"
        adopt_orphans()
        self.folder = folder
        self.arguments = (soffice, os.path.join(folder, "profile"), self.pipe, recalc)
        self.process = start_soffice(*self.arguments)
        self.documents: dict[int, Open] = {}
        self.next_document = 1
        self.deadline = time.monotonic() + start_timeout
        self.killing = threading.Lock()

    # -- life ---------------------------------------------------------------------------

    def connect(self) -> None:
        """Wait until LibreOffice answers."""
        local = uno.getComponentContext()
        resolver = local.ServiceManager.createInstanceWithContext(
            "com.sun.star.bridge.UnoUrlResolver", local
        )
        url = f"uno:pipe,name={self.pipe};urp;StarOffice.ComponentContext"
        while True:
            try:
                context = resolver.resolve(url)
                break
            except NoConnectException:
                pass
            code = self.process.poll()
            if code == FIRST_START_EXIT:
                self.process = start_soffice(*self.arguments)
            elif code is not None:
                raise RuntimeError(f"LibreOffice left with exit code {code} while starting")
            if time.monotonic() > self.deadline:
                raise RuntimeError("LibreOffice did not answer in time after its start")
            time.sleep(0.02)
        self.desktop = context.ServiceManager.createInstanceWithContext(
            "com.sun.star.frame.Desktop", context
        )
        provider = context.ServiceManager.createInstanceWithContext(
            "com.sun.star.configuration.ConfigurationProvider", context
        )
        access = provider.createInstanceWithArguments(
            "com.sun.star.configuration.ConfigurationAccess", (argument("nodepath", "/"),)
        )
        self.version = str(
            access.getByHierarchicalName("org.openoffice.Setup/Product/ooSetupVersionAboutBox")
        )
        self.recalc_mode = int(
            access.getByHierarchicalName("org.openoffice.Office.Calc/Formula/Load/OOXMLRecalcMode")
        )

    def is_dead(self, error: Exception) -> bool:
        """Whether an error means that LibreOffice is gone, not just that it refused."""
        if isinstance(error, DisposedException):
            return True
        if isinstance(error, UnoException):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(2)
        return self.process.poll() is not None

    def quit(self) -> None:
        """Ask LibreOffice to quit and wait a moment; ``kill`` is for when it does not."""
        for document in self.documents.values():
            with contextlib.suppress(Exception):
                document.document.close(True)
        with contextlib.suppress(Exception):
            self.desktop.terminate()
        with contextlib.suppress(Exception):
            self.process.wait(60)

    def kill(self) -> None:
        """Kill LibreOffice, and reap whatever it left."""
        with self.killing:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            with contextlib.suppress(Exception):
                self.process.wait(60)
            end = time.monotonic() + 20
            while time.monotonic() < end:
                try:
                    if os.waitpid(-1, os.WNOHANG) == (0, 0):
                        time.sleep(0.01)
                except ChildProcessError:
                    break
            for name in (self.pipe, *own_pipes(self.arguments[1])):
                for path in glob.glob(f"/tmp/OSL_PIPE_*_{name}"):
                    with contextlib.suppress(OSError):
                        os.unlink(path)

    # -- helpers ------------------------------------------------------------------------

    def opened(self, request: dict[str, Any]) -> Open:
        document = self.documents.get(request["doc"])
        if document is None:
            raise ValueError(f"document {request['doc']} is not open")
        return document

    def used(self, sheet: Any) -> Any:
        """The range from A1 to the last used cell."""
        cursor = sheet.createCursor()
        cursor.gotoEndOfUsedArea(False)
        end = cursor.RangeAddress
        return sheet.getCellRangeByPosition(0, 0, end.EndColumn, end.EndRow)

    def put(self, cell: Any, value: Any) -> None:
        """Put a number, a text (as text, whatever it looks like), or null for nothing in a cell."""
        if value is None:
            cell.setFormula("")
        elif isinstance(value, bool):
            raise ValueError("a cell takes a number, a text or null; write a flag as yes/no")
        elif isinstance(value, int | float):
            cell.setValue(float(value))
        else:
            cell.setString(value)

    def content(self, cell: Any) -> tuple[str, Any]:
        """The content of a cell, in a form that can be restored."""
        kind = cell.Type
        if kind == EMPTY:
            return ("value", None)
        if kind == VALUE:
            return ("value", cell.getValue())
        if kind == TEXT:
            return ("value", cell.getString())
        if cell.getFormula().startswith("{"):
            raise ValueError("a cell of an array formula cannot be perturbed")
        return ("tokens", cell.getTokens())  # the text of a formula has only 15 digits

    def restore(self, cell: Any, content: tuple[str, Any]) -> None:
        if content[0] == "tokens":
            cell.setTokens(content[1])
        else:
            self.put(cell, content[1])

    # -- requests -----------------------------------------------------------------------

    def do_hello(self, request: dict[str, Any]) -> Any:
        return {
            "version": self.version,
            "recalc_mode": self.recalc_mode,
            "group": self.process.pid,
        }

    def do_open(self, request: dict[str, Any]) -> Any:
        path = request["path"]
        properties = (argument("Hidden", True), argument("UpdateDocMode", 0))
        document = self.desktop.loadComponentFromURL(
            uno.systemPathToFileUrl(path), "_blank", 0, properties
        )
        if document is None or not hasattr(document, "Sheets"):
            if document is not None:
                document.close(True)
            raise ValueError(
                f"LibreOffice cannot open {path} as a spreadsheet; is libreoffice-calc installed?"
            )
        if not request.get("protected"):  # as a person does from the menu; there is no password
            for name in document.Sheets.ElementNames:
                document.Sheets.getByName(name).unprotect("")
        number = self.next_document
        self.next_document += 1
        self.documents[number] = Open(document)
        return {"doc": number, "sheets": list(document.Sheets.ElementNames)}

    def do_sheets(self, request: dict[str, Any]) -> Any:
        return self.opened(request).names()

    def do_recalculate(self, request: dict[str, Any]) -> Any:
        self.opened(request).document.calculateAll()
        return None

    def do_read(self, request: dict[str, Any]) -> Any:
        """Read every used cell of the sheets (null: all), and remember it for perturb."""
        opened = self.opened(request)
        names = request.get("sheets")
        answer = {}
        for name in opened.names() if names is None else names:
            sheet = opened.sheet(name)
            area = self.used(sheet)
            end = area.RangeAddress
            data = area.getDataArray()
            formulas = area.getFormulaArray()
            of_formula = set()
            for block in area.queryContentCells(FORMULA_FLAG).getRangeAddresses():
                for row in range(block.StartRow, block.EndRow + 1):
                    for column in range(block.StartColumn, block.EndColumn + 1):
                        of_formula.add((row, column))
            opened.read[name] = (area, data, bool(of_formula))
            columns = [column_name(index) for index in range(end.EndColumn + 1)]
            cells = {}
            for row, values in enumerate(data):
                texts = formulas[row]
                for column, value in enumerate(values):
                    is_formula = (row, column) in of_formula
                    if not is_formula and value == "" and texts[column] == "":
                        continue
                    error = 0
                    if value is None:
                        error = sheet.getCellByPosition(column, row).getError()
                    cells[f"{columns[column]}{row + 1}"] = {
                        "value": value,
                        "formula": texts[column] if is_formula else None,
                        "error": error,
                    }
            answer[name] = cells
        return answer

    def do_read_cells(self, request: dict[str, Any]) -> Any:
        """Read these cells in order: [[sheet, address], ...]."""
        opened = self.opened(request)
        answer = []
        for sheet, address in request["cells"]:
            cell = opened.cell(sheet, address)
            error = cell.getError()
            kind = cell.Type
            value: Any = None
            if error == 0 and kind != EMPTY:
                value = cell.getDataArray()[0][0]
            answer.append(
                {
                    "value": value,
                    "formula": cell.getFormula() if kind == FORMULA else None,
                    "error": error,
                }
            )
        return answer

    def do_set(self, request: dict[str, Any]) -> Any:
        opened = self.opened(request)
        for sheet, address, value in request["set"]:
            self.put(opened.cell(sheet, address), value)
        return None

    def do_set_block(self, request: dict[str, Any]) -> Any:
        """Put numbers and texts into a rectangle in one call."""
        rows = request["rows"]
        opened = self.opened(request)
        first = opened.cell(request["sheet"], request["cell"]).CellAddress
        area = opened.sheet(request["sheet"]).getCellRangeByPosition(
            first.Column,
            first.Row,
            first.Column + len(rows[0]) - 1,
            first.Row + len(rows) - 1,
        )
        area.setDataArray(
            tuple(
                tuple(float(value) if isinstance(value, int) else value for value in row)
                for row in rows
            )
        )
        return None

    def do_set_formula(self, request: dict[str, Any]) -> Any:
        cell = self.opened(request).cell(request["sheet"], request["cell"])
        cell.setFormula(request["formula"])
        return None

    def do_perturb(self, request: dict[str, Any]) -> Any:
        """Set cells, return the values that then differ from the last full read, and restore."""
        opened = self.opened(request)
        names = request.get("read")
        names = opened.names() if names is None else names
        missing = [name for name in names if name not in opened.read]
        if missing:
            self.do_read({"doc": request["doc"], "sheets": missing})
        changes = [(opened.cell(sheet, at), value) for sheet, at, value in request["set"]]
        before = [(cell, self.content(cell)) for cell, _ in changes]
        # A sheet without formulas changes only where a cell is set.
        touched = {sheet for sheet, _, _ in request["set"]}
        names = [name for name in names if opened.read[name][2] or name in touched]
        try:
            for cell, value in changes:
                self.put(cell, value)
            answer = {name: self.differences(opened, name) for name in names}
        finally:
            for cell, content in reversed(before):
                self.restore(cell, content)
        if request.get("check_restored"):
            for name in names:
                left = self.differences(opened, name)
                if left:
                    raise ValueError(f"sheet {name!r} was not restored: {sorted(left)[:5]}")
        return {name: cells for name, cells in answer.items() if cells}

    def differences(self, opened: Open, name: str) -> dict[str, Any]:
        """The cells whose values differ from the last full read."""
        area, old, _ = opened.read[name]
        cells: dict[str, Any] = {}
        for row, (new_row, old_row) in enumerate(zip(area.getDataArray(), old, strict=True)):
            if new_row == old_row:
                continue
            for column, (value, was) in enumerate(zip(new_row, old_row, strict=True)):
                if value == was:
                    continue
                error = 0
                if value is None:
                    error = area.getCellByPosition(column, row).getError()
                cells[f"{column_name(column)}{row + 1}"] = {"value": value, "error": error}
        return cells

    def do_names(self, request: dict[str, Any]) -> Any:
        """Defined names; names local to a sheet are given as Sheet!name."""
        document = self.opened(request).document
        names = {}
        for name in document.NamedRanges.ElementNames:
            names[name] = document.NamedRanges.getByName(name).getContent()
        for sheet_name in document.Sheets.ElementNames:
            local = document.Sheets.getByName(sheet_name).NamedRanges
            for name in local.ElementNames:
                names[f"{sheet_name}!{name}"] = local.getByName(name).getContent()
        return names

    def do_insert_rows(self, request: dict[str, Any]) -> Any:
        """Insert empty rows; row is the number of the first new row, counted from 1."""
        opened = self.opened(request)
        sheet = opened.sheet(request["sheet"])
        opened.forget()
        sheet.Rows.insertByIndex(request["row"] - 1, request.get("count", 1))
        return None

    def do_insert_columns(self, request: dict[str, Any]) -> Any:
        """Insert empty columns, like do_insert_rows."""
        opened = self.opened(request)
        sheet = opened.sheet(request["sheet"])
        opened.forget()
        sheet.Columns.insertByIndex(request["column"] - 1, request.get("count", 1))
        return None

    def do_delete_rows(self, request: dict[str, Any]) -> Any:
        """Delete rows from row."""
        opened = self.opened(request)
        sheet = opened.sheet(request["sheet"])
        opened.forget()
        sheet.Rows.removeByIndex(request["row"] - 1, request.get("count", 1))
        return None

    def do_undo(self, request: dict[str, Any]) -> Any:
        """Undo the last change of structure."""
        opened = self.opened(request)
        opened.forget()
        opened.document.getUndoManager().undo()
        return None

    def do_copy_range(self, request: dict[str, Any]) -> Any:
        """Copy a block of cells, like copy and paste."""
        sheet = self.opened(request).sheet(request["sheet"])
        source = sheet.getCellRangeByName(request["range"]).RangeAddress
        target = sheet.getCellRangeByName(request["to_cell"]).RangeAddress
        sheet.copyRange(CellAddress(target.Sheet, target.StartColumn, target.StartRow), source)
        return None

    def do_delete_columns(self, request: dict[str, Any]) -> Any:
        """Delete columns from column."""
        opened = self.opened(request)
        sheet = opened.sheet(request["sheet"])
        opened.forget()
        sheet.Columns.removeByIndex(request["column"] - 1, request.get("count", 1))
        return None

    def do_move_range(self, request: dict[str, Any]) -> Any:
        """Move a block of cells, like cut and paste."""
        opened = self.opened(request)
        sheet = opened.sheet(request["sheet"])
        source = sheet.getCellRangeByName(request["range"])
        target = opened.cell(request["to_sheet"], request["to_cell"])
        opened.forget()
        address = source.RangeAddress
        block = CellRangeAddress(
            address.Sheet,
            address.StartColumn,
            address.StartRow,
            address.EndColumn,
            address.EndRow,
        )
        sheet.moveRange(target.CellAddress, block)
        return None

    def do_sort(self, request: dict[str, Any]) -> Any:
        """Sort the rows of a block in descending order by one of its columns, counted from 0."""
        opened = self.opened(request)
        block = opened.sheet(request["sheet"]).getCellRangeByName(request["range"])
        opened.forget()
        field = TableSortField()
        field.Field, field.IsAscending = request["column"], False
        fields = uno.Any("[]com.sun.star.table.TableSortField", (field,))
        opened.document.enableAutomaticCalculation(False)  # until a client asks to recalculate
        block.sort((argument("SortFields", fields), argument("ContainsHeader", False)))
        return None

    def do_filter(self, request: dict[str, Any]) -> Any:
        """Hide the rows of a block without `text` in a column, counted from 0."""
        opened = self.opened(request)
        block = opened.sheet(request["sheet"]).getCellRangeByName(request["range"])
        opened.forget()
        field = TableFilterField()
        field.Field, field.IsNumeric = request["column"], False
        field.Operator, field.StringValue = EQUAL, request["text"]
        descriptor = block.createFilterDescriptor(True)
        descriptor.ContainsHeader = False
        descriptor.setFilterFields((field,))
        block.filter(descriptor)
        return None

    def do_rename_sheet(self, request: dict[str, Any]) -> Any:
        opened = self.opened(request)
        if request["to"] in opened.names():
            raise ValueError(f"there is already a sheet {request['to']!r}")
        sheet = opened.sheet(request["sheet"])
        opened.forget()
        sheet.setName(request["to"])
        return None

    def do_validation(self, request: dict[str, Any]) -> Any:
        """The data validation of one cell."""
        cell = self.opened(request).cell(request["sheet"], request["cell"])
        rule = cell.Validation
        return {
            "type": rule.Type.value,
            "formula1": rule.getFormula1(),
            "formula2": rule.getFormula2(),
            "input_title": rule.InputTitle,
            "input_message": rule.InputMessage,
            "error_message": rule.ErrorMessage,
        }

    def do_store(self, request: dict[str, Any]) -> Any:
        document = self.opened(request).document
        path = request["path"]
        suffix = path.rpartition(".")[2].lower()
        if suffix not in FILTERS:
            raise ValueError(f"cannot store {path}: the suffix is none of {', '.join(FILTERS)}")
        document.storeToURL(
            uno.systemPathToFileUrl(path), (argument("FilterName", FILTERS[suffix]),)
        )
        return None

    def do_close(self, request: dict[str, Any]) -> Any:
        opened = self.opened(request)
        del self.documents[request["doc"]]
        opened.document.close(True)
        return None

    def handle(self, request: dict[str, Any]) -> Any:
        action = getattr(self, f"do_{request['do']}", None)
        if action is None:
            raise ValueError(f"unknown request {request['do']!r}")
        return action(request)


def argument(name: str, value: Any) -> Any:
    """One named argument of a UNO call."""
    return PropertyValue(name, 0, value, 0)


def message_of(error: Exception) -> str:
    """An error on one line; UNO's own errors have a Message."""
    text = getattr(error, "Message", None) or str(error)
    if isinstance(error, ValueError):
        return str(text)
    return f"{type(error).__name__}: {text}".strip().replace("\n", " ")


def read_requests(server: Server, requests: queue.Queue[str]) -> None:
    """Feed the queue; the end of the input means that the client is gone."""
    for line in sys.stdin:
        requests.put(line)
    server.kill()
    shutil.rmtree(server.folder, ignore_errors=True)
    os._exit(0)


def main() -> None:
    """Start LibreOffice and answer requests until told to quit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--soffice", required=True)
    parser.add_argument("--folder", required=True, help="for the profile; removed if left alone")
    parser.add_argument("--recalc", choices=["always", "never"], default="always")
    parser.add_argument("--start-timeout", type=float, default=300.0)
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the client decides when to stop
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    server = Server(options.soffice, options.folder, options.recalc, options.start_timeout)
    requests: queue.Queue[str] = queue.Queue()
    threading.Thread(target=read_requests, args=(server, requests), daemon=True).start()
    try:
        try:
            server.connect()
        except Exception as error:
            print(json.dumps({"id": 0, "error": message_of(error)}), flush=True)
            return
        print(json.dumps({"id": 0, "ok": server.do_hello({})}), flush=True)
        while True:
            request = json.loads(requests.get())
            if request["do"] == "quit":
                server.quit()
                print(json.dumps({"id": request["id"], "ok": None}), flush=True)
                return
            try:
                done = server.handle(request)
                answer = json.dumps({"id": request["id"], "ok": done})
            except Exception as error:
                dead = server.is_dead(error)
                text = f"LibreOffice ended during {request['do']!r}" if dead else message_of(error)
                answer = json.dumps({"id": request["id"], "error": text, "fatal": dead})
            print(answer, flush=True)
    finally:
        server.kill()


if __name__ == "__main__":
    main()
