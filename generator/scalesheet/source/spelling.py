"""Writes a value in YAML in the style of the value it replaces, so that it reads back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from scalesheet.load.reader import parse
from scalesheet.quantities import day_text, is_day

WIDTH = 100  # of a new line
_WORDLIKE = re.compile(r"[A-Za-z0-9_./(][^\n#]*")


def lines_of(key: str, value: Any, column: int, shape: str = "flow") -> list[str]:
    """A key and its value as lines; a mapping is in braces if its neighbor is and it fits."""
    pad = " " * column
    if not isinstance(value, Mapping):
        if isinstance(value, list):
            return [f"{pad}{key}: {flowed(value)}"]
        return [f"{pad}{key}: {spelled(value, False, '', '', column + len(key) + 2, column)}"]
    line = f"{pad}{key}: {flowed(value)}"
    if shape != "block" and len(line) <= WIDTH:
        return [line]
    result = [f"{pad}{key}:"]
    for name, inner in value.items():
        result += lines_of(key_text(name), inner, column + 2)
    return result


def flowed(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key_text(k)}: {flowed(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flowed, value)) + "]"
    return spelled(value, True, "", "", 0, 0)


def key_text(name: str) -> str:
    return _text(name, True, "", 0, 0)


def spelled(value: Any, flow: bool, old: str, style: str, column: int, indent: int) -> str:
    """A scalar in the style of the `old` one.

    `style` is its quoting; `flow`: it may be within brackets; `column` is where it starts, on a
    line with this indentation.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int | float):
        return number_text(float(value), old)
    return _text(str(value), flow, style, column, indent)


def number_text(value: float, old: str = "") -> str:
    """A number as people write it, in the style of the old one."""
    whole = value == int(value) and abs(value) < 1e15
    if is_day(old) and whole and value >= 1:  # spreadsheets have no days before that
        return day_text(value)
    text = str(int(value)) if whole else repr(value)
    if "_" in old and whole and abs(value) >= 1000:
        return f"{int(value):_}"
    if re.search("[eE]", old):
        mantissa, _, exponent = f"{value:.16e}".partition("e")
        for digits in range(17):
            short = (
                f"{float(mantissa):.{digits}f}".rstrip("0").rstrip(".")
                if digits
                else (f"{float(mantissa):.0f}")
            )
            message = f"{short}e{int(exponent)}"
            if float(message) == value:
                return message if len(message) <= len(text) + 2 else text
    return text


def _text(text: str, flow: bool, style: str, column: int, indent: int) -> str:
    """Text in its old style: plain, quoted, or folded over several lines."""
    if style in ("|", ">") and not flow and "\n" not in text and text.strip() == text:
        folded = _folded(text, indent + 2)
        if folded is not None:
            return folded
    double = (
        '"'
        + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        + '"'
    )
    single = "'" + text.replace("'", "''") + "'"
    choices = {"": [text, double], '"': [double], "'": [single, double]}.get(style, [text, double])
    for choice in choices:
        if choice is text and not _WORDLIKE.fullmatch(text):
            continue
        if choice is text and flow and "?" in text:
            continue  # within braces, it ends a text for PyYAML's own parser
        if choice is text and not flow and style == "" and column + len(text) > WIDTH + 20:
            folded = _folded(text, indent + 2)
            if folded is not None:
                return folded
        if choice is single and "\n" in text:
            continue
        parsed = parse((f"[{choice}]" if flow else f"- {choice}").encode(), "")
        if not parsed.diagnostics and parsed.data == [text] and type(parsed.data[0]) is str:
            return choice
    return double


def _folded(text: str, indent: int) -> str | None:
    """`>-` and lines, if folding gives the text back; else None."""
    if "  " in text or "\n" in text:
        return None
    lines, line = [], ""
    for word in text.split(" "):
        if line and indent + len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    pad = "\n" + " " * indent
    return f">-{pad}{pad.join([*lines, line])}"
