"""Text of the data API: JSON in one form, and CSV without text that a spreadsheet would run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

#: Text that a spreadsheet would take for a formula, also after apostrophes that we added. Some
#: spreadsheets convert the full-width characters to the normal ones.
_RUNS = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")


def as_json(data: Mapping[str, Any]) -> str:
    """Return JSON with one key per line, in the order given. Raises ValueError for NaN and
    infinity."""
    return json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def compact(data: Mapping[str, Any]) -> str:
    """Return compact JSON for files, a third smaller: one line for each top-level key, whole
    numbers without a decimal point."""
    dump = partial(json.dumps, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    lines = (f"{dump(key)}:{dump(_shortest(value))}" for key, value in data.items())
    return "{" + ",\n".join(lines) + "}\n"


def _shortest(data: Any) -> Any:
    match data:
        case dict():
            return {key: _shortest(value) for key, value in data.items()}
        case list() | tuple():
            return [_shortest(value) for value in data]
        case float() if (text := repr(data)).endswith(".0") and text != "-0.0":
            return int(data)
    return data


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table quoted by RFC 4180, with a line feed after each line.

    Numbers read back as the same float. None is an empty field, a boolean is yes or no. Text that a
    spreadsheet would run gets an apostrophe in front.
    """
    table = [header, *([_field(value) for value in row] for row in rows)]
    return "".join(f"{','.join(map(_quoted, line))}\n" for line in table)


def _quoted(field: str) -> str:
    """Quote a field where needed; the csv module does not quote a bare carriage return."""
    return '"' + field.replace('"', '""') + '"' if re.search('[",\r\n]', field) else field


def _field(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float():
            return repr(value).removesuffix(".0")
        case str():
            return inert(value)
    return str(value)


def inert(text: str) -> str:
    """Return text that no spreadsheet takes for a formula; `original` undoes it exactly."""
    return f"'{text}" if _RUNS.match(text) else text


def original(field: str) -> str:
    """Undo `inert`."""
    return field[1:] if field.startswith("'") and _RUNS.match(field) else field
