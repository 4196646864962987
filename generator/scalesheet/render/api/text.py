"""The bytes of the data API: JSON in one form, and CSV whose text no spreadsheet runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

#: Text that a spreadsheet would take for a formula, also behind apostrophes of ours. The wide
#: forms are turned into the narrow ones by some of them.
_RUNS = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")


def as_json(data: Mapping[str, Any]) -> str:
    """JSON with one key a line, in the order given. Raises ValueError for NaN and infinity."""
    return json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def compact(data: Mapping[str, Any]) -> str:
    """The same in a third less room, for files: a line for each key at the top."""
    dump = partial(json.dumps, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    lines = (f"{dump(key)}:{dump(value)}" for key, value in data.items())
    return "{" + ",\n".join(lines) + "}\n"


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table with quotes by RFC 4180 and a line feed after each line.

    Numbers are written so that they read back as the same float. Nothing is an empty field, a flag
    is yes or no. Text that a spreadsheet would run gets an apostrophe before it.
    """
    table = [header, *([_field(value) for value in row] for row in rows)]
    return "".join(f"{','.join(map(_quoted, line))}\n" for line in table)


def _quoted(field: str) -> str:
    """In quotes where need be; the csv module leaves a bare carriage return without them."""
    return '"' + field.replace('"', '""') + '"' if re.search('[",\r\n]', field) else field


def _field(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float():
            return repr(value)
        case str():
            return inert(value)
    return str(value)


def inert(text: str) -> str:
    """Text that no spreadsheet takes for a formula. `original` undoes it exactly."""
    return f"'{text}" if _RUNS.match(text) else text


def original(field: str) -> str:
    """The text behind a field of ours."""
    return field[1:] if field.startswith("'") and _RUNS.match(field) else field
