"""Cell formats by role: one small table of looks, each made once for each number format.

Colour never speaks alone: an input is also unlocked and stands under the word "input" or on a
sheet of inputs, and a verdict is a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import xlsxwriter  # type: ignore[import-untyped]
from xlsxwriter.format import Format as CellFormat  # type: ignore[import-untyped]

Role = Literal[
    "title", "lead", "lead_line", "section",
    "heading", "heading_number", "heading_symbol", "unit", "unit_number", "name", "name_number",
    "label", "text", "advice", "small", "symbol", "formula", "merged", "key", "key_number",
    "link", "address",
    "input", "input_text", "input_reason", "shipped", "shipped_text",
    "number", "either", "word", "outer", "count", "flag", "verdict", "check_value",
    "total", "total_label", "total_text",
    "headline", "headline_end", "headline_label", "headline_text",
]  # fmt: skip

FONT = "Arial"
INK, QUIET, RULE = "#1A1A1A", "#595959", "#BFBFBF"
INPUT_INK, INPUT_PAPER = "#0000C8", "#FFFBE0"
HEAD_PAPER, TOTAL_PAPER = "#E8ECF1", "#F3F5F8"
DEEP = "#1F3A5F"

_BODY: dict[str, Any] = {"font_name": FONT, "font_size": 10, "font_color": INK, "valign": "top"}
_RIGHT = {"align": "right"}
_WRAP = {"text_wrap": True}
_INPUT = {
    "font_color": INPUT_INK, "bg_color": INPUT_PAPER, "border": 1, "border_color": RULE,
    "locked": False,
}  # fmt: skip
_HEAD = {"bold": True, "bg_color": HEAD_PAPER, "text_wrap": True, "valign": "bottom"}
_UNDER = {"bg_color": HEAD_PAPER, "font_color": QUIET, "font_size": 9}
_TINY = {"bg_color": HEAD_PAPER, "font_color": QUIET, "font_size": 8, "bottom": 1,
         "bottom_color": RULE}  # fmt: skip
_TOTAL = {"bold": True, "top": 1, "bg_color": TOTAL_PAPER}
_HEADLINE = {"bold": True, "font_size": 12, "bg_color": TOTAL_PAPER}

LOOKS: Mapping[Role, dict[str, Any]] = {
    "title": {"bold": True, "font_size": 16, "font_color": DEEP},
    "lead": {"font_color": QUIET, **_WRAP},
    "section": {"bold": True, "font_size": 12, "font_color": DEEP},
    "heading": _HEAD,
    "heading_number": _HEAD | _RIGHT,
    "unit": _UNDER,
    "unit_number": _UNDER | _RIGHT,
    "name": _TINY,
    "name_number": _TINY | _RIGHT,
    "label": _WRAP,
    "text": _WRAP,
    "advice": _WRAP,
    "small": {"font_color": QUIET, "font_size": 9, **_WRAP},
    "symbol": {"font_color": QUIET, "font_size": 9, "indent": 1, **_WRAP},
    "heading_symbol": _HEAD | {"indent": 1},
    "key": {"font_color": QUIET, "font_size": 9},
    "link": {"font_color": DEEP, "underline": 1},
    "input": _INPUT | _RIGHT,
    "input_reason": _INPUT | _RIGHT | _WRAP | {"font_size": 9},
    "input_text": _INPUT | _WRAP,
    "number": _RIGHT,
    "word": _WRAP,
    "either": _RIGHT | _WRAP,
    "outer": _RIGHT | {"font_color": QUIET, "italic": True},
    "shipped": _RIGHT | {"font_color": QUIET, "font_size": 9},
    "shipped_text": {"font_color": QUIET, "font_size": 9},
    "total": _TOTAL | _RIGHT,
    "total_label": _TOTAL,
    "total_text": _TOTAL | _RIGHT | {"bold": False, "font_color": QUIET, "font_size": 9},
    "flag": {"bold": True, "align": "center"},
    "verdict": {"bold": True, "align": "center"},
    "formula": {"font_size": 9, **_WRAP},
    "headline": _HEADLINE | _RIGHT,
    "headline_label": _HEADLINE | _WRAP,
    "headline_text": {"font_color": QUIET, "bg_color": TOTAL_PAPER, "indent": 1, **_WRAP},
    "headline_end": _HEADLINE | _RIGHT | {"bold": False, "font_size": 10},
    "lead_line": {"font_color": QUIET},
    "address": {"font_color": DEEP, "underline": 1, "font_size": 9, **_WRAP},
    "check_value": _RIGHT,
    "count": {"bold": True, "align": "left"},
    "key_number": {"font_color": QUIET, "font_size": 9, **_RIGHT},
    "merged": {**_WRAP, "font_size": 9},
}

#: Roles whose text wraps; their rows must be high enough.
WRAPPING: frozenset[str] = frozenset(r for r, look in LOOKS.items() if look.get("text_wrap")) - {
    "advice"
}


class Formats:
    """The cell formats of one workbook, each made at its first use."""

    def __init__(self, book: xlsxwriter.Workbook) -> None:
        self._book = book
        self._made: dict[tuple[str, str], CellFormat] = {}

    def __call__(self, role: Role, number: str = "") -> CellFormat:
        made = self._made.get((role, number))
        if made is None:
            look = _BODY | LOOKS[role]
            if number:
                look = look | {"num_format": number}
            made = self._made[role, number] = self._book.add_format(look)
        return made
