"""Seeded mutations of data files, workbooks and addresses, like those of people and programs.

Each takes a `random.Random` and changes one thing. The result is often nonsense; `test_fuzz.py`
says what must hold even then.
"""

from __future__ import annotations

import json
import random
import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import openpyxl
import yaml
from openpyxl.workbook import Workbook

from scalesheet.schemas import KINDS, written

Random = random.Random

#: Numbers that arithmetic, files or spreadsheets treat as special.
NUMBERS = (
    "0",
    "-0",
    "-0.0",
    "1",
    "-1",
    "0.1",
    "1e-320",
    "5e-324",
    "1e15",
    "1e16",
    "1e150",
    "1e308",
    "-1e308",
    "1.7976931348623157e308",
    "1e309",
    "1e999",
    ".inf",
    "-.inf",
    ".nan",
    "nan",
    "inf",
    "12345678901234567890",
    "1_000",
    "0x10",
    "0b1",
    "0o7",
    "12:30",
    "1.5.2",
    "1,5",
    "٣",
    "１",
    "1e",
    "+5",
    "2026-02-30",
    "2026-11-20",
    "1..2.5",
    "3..1",
    "~",
    "<1",
    ">=3",
    "10%",
    "8 GPU",
    "50k",
    "20GB",
    "-3 days",
    "1e99T",
    "5 GPU-hours",
    "8 as GPU",
    "7 % %",
)
#: Texts that YAML, Markdown, HTML, spreadsheets, file systems or terminals treat as special.
TEXTS = (
    "",
    " ",
    "\u200b",
    "\u00a0",
    "\u202e",
    "\ufeff",
    "no",
    "yes",
    "null",
    "true",
    "=1+1",
    "-2",
    "@x",
    "+1",
    "A1",
    "R1C1",
    "TRUE",
    "Does it fit?",
    "a: b",
    "a # b",
    "- a",
    "[x",
    "{x",
    "'",
    '"',
    "`",
    "```",
    "|",
    ">",
    "%",
    "&a",
    "*a",
    "!x",
    "\\",
    "/",
    "..",
    "../../etc/passwd",
    "CON",
    "<script>alert(1)</script>",
    "<b>",
    "&amp;",
    "javascript:alert(1)",
    "[a](javascript:x)",
    '--8<-- "/etc/hostname"',
    "{{ cost }}",
    "{{ nothing }}",
    "{{",
    "}}",
    "{% x %}",
    "$x$",
    "\U0001f680" * 16,
    "e\u0301" * 40,
    "\u05d0\u05d1",
    "x" * 300,
    "y" * 40_000,
    "a\tb",
    "a\nb",
    "\x07",
    "History",
    "Summary",
    "about",
)
FORMULAS = (
    "1 / -0",
    "1 / 0",
    "cards / (0 * cards)",
    "1 if 1e308 * 10 > 5 else 0",
    "1e308 * 10",
    "1e308 * 10 - 1e308 * 10",
    "0 ** 0",
    "(0 - 1) ** 0.5",
    "ln(0)",
    "sqrt(0 - 1)",
    "ceil(1e300)",
    "cost",
    "cost + cards",
    "unknown",
    "sum(",
    "(" * 60 + "1" + ")" * 60,
    "-" * 60 + "1",
    " + ".join(["1"] * 200),
    "'text'",
    "'a' < 'b'",
    "count(sizes)",
    "low(cards)",
    "between(1, 2)",
    "reason('x')",
    "sizes.steps",
    "sizes['one'].steps",
    "sizes['none'].steps",
    "gpu.memory",
    "max()",
    "round(1.5)",
    "argmax(sizes.steps)",
    "1 as run",
    "paired(price)",
    "not cards",
)
#: Without links to missing pages, which only `build` reports.
PROSE = (
    "{{ nothing }}",
    "{{ table nothing }}",
    "{{ chart }}",
    "{{ formula cost }}",
    "{{ cost.x }}",
    "{{ history }}",
    "{{ recommendations }}",
    "{{ table phases where x }}",
    "{{ ",
    "[a](https://example.org)",
    "[a][none]",
    "[[a]]",
    "# A",
    "---",
    "    {{ nothing }}",
    "`{{ nothing }}`",
    "```",
    "<div>",
    "| a | b |",
    "=== ",
    "!!! note",
)
UNITS = (
    "1",
    "USD",
    "USD / (GPU * hour)",
    "byte",
    "GB",
    "hour ** 99",
    "hour ** -1",
    "hour ** 0.5",
    "GPU * GPU",
    "GPU hour",
    "nothing",
    "()",
    "1 / 1",
    "GB/s",
    "%",
    "$",
    "",
)
KEYS: tuple[str, ...] = tuple(
    sorted(
        {key for kind in KINDS for key in re.findall(r'"([a-z_]+)": \{', json.dumps(written(kind)))}
    )
)


def word(rng: Random) -> str:
    """A value that somebody might type."""
    return rng.choice((*NUMBERS, *NUMBERS, *TEXTS, *FORMULAS, *UNITS))


# ------------------------------------------------------------------ data files


def mutate_data(rng: Random, folder: Path) -> str:
    """Make one to three changes in a file of a data folder; return a description for the report."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    file = rng.choice(files)
    done = [rng.choice(OF_FILES)(rng, file) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    return f"{file.relative_to(folder).as_posix()}: {'; '.join(done)}"


def _lines(file: Path) -> list[str]:
    return file.read_text("utf-8", errors="surrogateescape").split("\n") if file.exists() else [""]


def _save(file: Path, lines: list[str]) -> None:
    file.write_text("\n".join(lines), "utf-8", errors="surrogatepass")


def another_value(rng: Random, file: Path) -> str:
    """Replace the value of a key, on its own line or within braces."""
    lines = _lines(file)
    places = [(n, m) for n, line in enumerate(lines) for m in re.finditer(r"(?<=: )[^,{}]+", line)]
    if not places:
        return "nothing"
    number, match = rng.choice(places)
    text = word(rng)
    if rng.random() < 0.5:
        text = json.dumps(text)
    lines[number] = lines[number][: match.start()] + text + lines[number][match.end() :]
    _save(file, lines)
    return f"line {number + 1}: {text[:60]!r} for {match[0][:40]!r}"


def another_key(rng: Random, file: Path) -> str:
    lines = _lines(file)
    places = [(n, m) for n, line in enumerate(lines) for m in re.finditer(r"[\w-]+(?=: )", line)]
    if not places:
        return "nothing"
    number, match = rng.choice(places)
    key = rng.choice((*KEYS, *TEXTS[:30]))
    lines[number] = lines[number][: match.start()] + key + lines[number][match.end() :]
    _save(file, lines)
    return f"line {number + 1}: key {key[:60]!r} for {match[0]!r}"


def line_out(rng: Random, file: Path) -> str:
    lines = _lines(file)
    number = rng.randrange(len(lines))
    del lines[number]
    _save(file, lines)
    return f"line {number + 1} is deleted"


def line_twice(rng: Random, file: Path) -> str:
    lines = _lines(file)
    number = rng.randrange(len(lines))
    lines[number:number] = [lines[number]] * rng.choice((1, 1, 2, 50))
    _save(file, lines)
    return f"line {number + 1} is repeated"


def line_in(rng: Random, file: Path) -> str:
    lines = _lines(file)
    number = rng.randrange(len(lines) + 1)
    indent = " " * rng.choice((0, 0, 2, 4))
    what = rng.choice(PROSE) if file.suffix == ".md" else f"{rng.choice(KEYS)}: {word(rng)}"
    lines.insert(number, indent + what)
    _save(file, lines)
    return f"line {number + 1} is new: {lines[number][:60]!r}"


def lines_swapped(rng: Random, file: Path) -> str:
    lines = _lines(file)
    first, second = (rng.randrange(len(lines)) for _ in range(2))
    lines[first], lines[second] = lines[second], lines[first]
    _save(file, lines)
    return f"lines {first + 1} and {second + 1} are swapped"


def indented(rng: Random, file: Path) -> str:
    lines = _lines(file)
    number = rng.randrange(len(lines))
    lines[number] = rng.choice(("  ", " ", "\t")) + lines[number]
    _save(file, lines)
    return f"line {number + 1} is indented"


def cut(rng: Random, file: Path) -> str:
    text = "\n".join(_lines(file))
    at = rng.randrange(len(text) + 1)
    _save(file, [text[:at]])
    return f"cut at {at}"


def bytes_in(rng: Random, file: Path) -> str:
    data = file.read_bytes() if file.exists() else b""
    at = rng.randrange(len(data) + 1)
    new = rng.choice(
        (b"\xff", b"\x00", b"\xc3", b"\r", b"\r\n", b"\xe2\x80\xa8", b"\t", b"<<<<<<< a\n")
    )
    file.write_bytes(data[:at] + new + data[at:])
    return f"{new!r} at {at}"


def entry_out(rng: Random, file: Path) -> str:
    """Remove any key or list item in the file, required or not."""
    found = _parsed(file)
    places = list(_places(found))
    if not places:
        return "nothing"
    holder, key = rng.choice(places)
    del holder[key]
    file.write_text(yaml.safe_dump(found, sort_keys=False, allow_unicode=True), "utf-8")
    return f"{key!r} is left out"


def entry_elsewhere(rng: Random, file: Path) -> str:
    """Replace an entry's value with that of another."""
    found = _parsed(file)
    places = list(_places(found))
    if not places:
        return "nothing"
    (holder, key), (other, with_key) = rng.choice(places), rng.choice(places)
    value = json.loads(json.dumps(other[with_key], default=str))
    holder[key] = value
    file.write_text(yaml.safe_dump(found, sort_keys=False, allow_unicode=True), "utf-8")
    return f"{with_key!r} stands for {key!r}"


def _parsed(file: Path) -> Any:
    try:
        return yaml.safe_load(file.read_text("utf-8"))
    except (yaml.YAMLError, ValueError, OSError):
        return None


def _places(found: Any) -> list[tuple[Any, Any]]:
    """Every place in parsed data, as its container and its key or index."""
    entries: list[tuple[Any, Any]] = []
    if isinstance(found, dict | list):
        keys = list(found) if isinstance(found, dict) else list(range(len(found)))
        for key in keys:
            entries.append((found, key))
            entries += _places(found[key])
    return entries


def file_out(rng: Random, file: Path) -> str:
    file.unlink(missing_ok=True)
    return "deleted"


def file_renamed(rng: Random, file: Path) -> str:
    name = (
        rng.choice(("a", "A b", "é", "x" * 80, "CON", ".hidden", "a.yaml.yaml", "1")) + file.suffix
    )
    if file.exists():
        file.rename(file.with_name(name))
    return f"renamed {name!r}"


def file_twice(rng: Random, file: Path) -> str:
    name = f"other-{rng.randrange(9)}{file.suffix}"
    if file.exists():
        file.with_name(name).write_bytes(file.read_bytes())
    return f"copied to {name}"


OF_FILES: tuple[Callable[[Random, Path], str], ...] = (
    *(another_value,) * 8,
    another_key,
    line_out,
    line_out,
    line_twice,
    line_in,
    line_in,
    lines_swapped,
    indented,
    cut,
    bytes_in,
    *(entry_out,) * 5,
    *(entry_elsewhere,) * 3,
    file_out,
    file_renamed,
    file_twice,
)


# ------------------------------------------------------------------ workbooks

_NAMED = re.compile(r"'?([^'!]+)'?!\$([A-Z]+)\$([0-9]+)")


def mutate_workbook(rng: Random, shipped: Path, out: Path) -> str:
    """Save the workbook with one to four edits, or as a broken file; return a description."""
    if rng.random() < 0.15:
        return _broken(rng, shipped, out)
    workbook = openpyxl.load_workbook(shipped)
    done = [rng.choice(OF_WORKBOOKS)(rng, workbook) for _ in range(rng.choice((1, 1, 2, 4)))]
    workbook.save(out)
    return "; ".join(done)


def _broken(rng: Random, shipped: Path, out: Path) -> str:
    data = bytearray(shipped.read_bytes())
    match rng.randrange(4):
        case 0:
            out.write_bytes(data[: rng.randrange(len(data))])
            return "the file is cut"
        case 1:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            out.write_bytes(data)
            return "a bit is flipped"
        case 2:
            with zipfile.ZipFile(shipped) as old, zipfile.ZipFile(out, "w") as new:
                gone = rng.choice(old.namelist())
                for name in old.namelist():
                    if name != gone:
                        new.writestr(name, old.read(name))
            return f"{gone} is missing"
    with zipfile.ZipFile(shipped) as old, zipfile.ZipFile(out, "w") as new:
        changed = rng.choice(old.namelist())
        for name in old.namelist():
            content = old.read(name)
            if name == changed:
                at = rng.randrange(len(content))
                content = (
                    content[:at] + rng.choice((b"<", b"&", b"", b"1e999", b'"')) + content[at + 1 :]
                )
            new.writestr(name, content)
    return f"{changed} has another byte"


def cell_typed(rng: Random, workbook: Workbook) -> str:
    sheet = rng.choice(workbook.worksheets)
    cell = sheet.cell(rng.randrange(1, sheet.max_row + 3), rng.randrange(1, sheet.max_column + 2))
    text = word(rng)
    try:
        value: Any = float(text)
    except ValueError:
        value = re.sub(r"[\x00-\x08\x0b-\x1f]", "", text)[:32_000]
    if rng.random() < 0.3:
        value = f"={rng.choice(SHEET_FORMULAS)}"
    if type(cell).__name__ != "MergedCell":
        cell.value = value
    return f"{sheet.title}!{cell.coordinate} = {str(value)[:60]!r}"


def input_typed(rng: Random, workbook: Workbook) -> str:
    """Type into the cell of a defined name, which is an input or a result."""
    names = sorted(workbook.defined_names)
    name = rng.choice(names)
    place = workbook.defined_names[name].attr_text
    match = _NAMED.fullmatch(place or "")
    if match is None or match[1] not in workbook.sheetnames:
        return "nothing"
    text = word(rng)
    try:
        value: Any = float(text)
    except ValueError:
        value = re.sub(r"[\x00-\x08\x0b-\x1f]", "", text)[:32_000]
    workbook[match[1]][f"{match[2]}{match[3]}"].value = value
    return f"{name} = {str(value)[:60]!r}"


def input_scaled(rng: Random, workbook: Workbook) -> str:
    """Change the number of an input, as a planner does."""
    inputs = [
        cell
        for sheet in workbook
        for row in sheet.iter_rows()
        for cell in row
        if cell.data_type == "n" and cell.value and not cell.protection.locked
    ]
    if not inputs:
        return "nothing"
    cell = rng.choice(inputs)
    cell.value = round(cell.value * rng.choice((0.5, 0.9, 1.1, 2, 3)), 3)
    return f"{cell.parent.title}!{cell.coordinate} = {cell.value}"


def rows_out(rng: Random, workbook: Workbook) -> str:
    sheet = rng.choice(workbook.worksheets)
    row = rng.randrange(1, sheet.max_row + 1)
    sheet.delete_rows(row, rng.choice((1, 1, 3)))
    return f"{sheet.title}: row {row} is deleted"


def rows_in(rng: Random, workbook: Workbook) -> str:
    sheet = rng.choice(workbook.worksheets)
    row = rng.randrange(1, sheet.max_row + 2)
    sheet.insert_rows(row)
    sheet.cell(row, 1).value = word(rng)[:100].replace("\x07", "")
    return f"{sheet.title}: row {row} is new"


def sheet_renamed(rng: Random, workbook: Workbook) -> str:
    sheet = rng.choice(workbook.worksheets)
    old, sheet.title = sheet.title, f"S{rng.randrange(99)}"
    return f"{old} is now {sheet.title}"


def sheet_out(rng: Random, workbook: Workbook) -> str:
    sheet = rng.choice(workbook.worksheets)
    if len(workbook.sheetnames) > 1:
        workbook.remove(sheet)
    return f"{sheet.title} is deleted"


def name_out(rng: Random, workbook: Workbook) -> str:
    name = rng.choice(sorted(workbook.defined_names))
    del workbook.defined_names[name]
    return f"the name {name} is deleted"


SHEET_FORMULAS = (
    "1/0",
    "A1",
    "Inputs!B5",
    "SUM(A:A)",
    "-" * 8_000 + "1",
    "+".join(["1"] * 4_000),
    "NA()",
    "(",
    "cost*2",
    'INDIRECT("A1")',
    "cards",
    "[1]Sheet!A1",
    "1E+999",
    "{1,2}",
    "IF(1,2,3)",
    '"x"',
)
OF_WORKBOOKS: tuple[Callable[[Random, Workbook], str], ...] = (
    *(cell_typed,) * 4,
    *(input_typed,) * 4,
    *(input_scaled,) * 8,
    rows_out,
    rows_in,
    sheet_renamed,
    sheet_out,
    name_out,
)


# ------------------------------------------------------------------ names, addresses, requests


def edit_of(rng: Random, names: tuple[str, ...]) -> str:
    """An argument of `show --set`, or a part of a page's address."""
    name = rng.choice((*names, *names, *names, "", "nothing", "scenario", rng.choice(TEXTS)))
    return f"{name}{rng.choice(('=', '=', '=', '', '=='))}{word(rng)[:2_000]}"


def request_of(rng: Random, places: tuple[str, ...]) -> tuple[str, str, Mapping[str, str]]:
    """Method, target and headers of a request that a server might receive."""
    target = rng.choice(
        (
            *(rng.choice(places) for _ in range(4)),
            "/",
            "//",
            "/../../etc/passwd",
            "/%2e%2e/a",
            "/%00",
            "/%",
            "/%zz",
            "/" + "a" * rng.choice((10, 300, 5_000)),
            "/-scalesheet-/state.json",
            "/-scalesheet-/../x",
            "*",
            "http://other/",
            "/\\..\\x",
            "/é".encode().decode("latin-1"),
        )
    )
    target += rng.choice(("", "", "", "/", "?x=1", "#y", "/.", "%20"))
    host = rng.choice(
        (
            "localhost",
            "127.0.0.1",
            "localhost",
            "[::1",
            "[::1]",
            "evil.example",
            "",
            "a:b:c",
            ":",
            "[",
        )
    )
    headers = {"Host": host}
    if rng.random() < 0.3:
        headers[rng.choice(("Range", "If-Modified-Since", "Content-Length", "Connection"))] = (
            word(rng)[:100].encode("ascii", "ignore").decode().translate(dict.fromkeys(range(32)))
        )
    return rng.choice(("GET", "GET", "GET", "HEAD", "POST", "PUT", "X")), target, headers
