"""Cell formats by role: one small table of looks, each made once for each number format.

Color is never the only sign: an input is also unlocked and is under the word "input" or on a sheet
of inputs, and a verdict is a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import xlsxwriter
from xlsxwriter.format import Format as CellFormat

Role = Literal[
    "title",
    "lead",
    "lead_line",
    "section",
    "heading",
    "heading_number",
    "heading_text",
    "unit",
    "unit_number",
    "name",
    "name_text",
    "name_number",
    "label",
    "text",
    "free",
    "plain",
    "advice",
    "small",
    "note",
    "symbol",
    "formula",
    "formula_line",
    "merged",
    "key",
    "key_number",
    "link",
    "sheet_link",
    "address",
    "input",
    "input_text",
    "input_reason",
    "shipped",
    "shipped_text",
    "number",
    "either",
    "word",
    "outer",
    "count",
    "flag",
    "verdict",
    "alarm",
    "good",
    "light",
    "choice_text",
    "check_value",
    "total",
    "total_label",
    "total_note",
    "total_text",
    "headline",
    "headline_end",
    "headline_label",
    "headline_text",
]

FONT = "Arial"
INK, QUIET, RULE = "#1A1A1A", "#595959", "#BFBFBF"
INPUT_INK, INPUT_PAPER = "#0000C8", "#FFFBE0"
HEAD_PAPER, TOTAL_PAPER = "#E8ECF1", "#F3F5F8"
DEEP = "#1F3A5F"

_BODY: dict[str, Any] = {"font_name": FONT, "font_size": 10, "font_color": INK, "valign": "vcenter"}
_RIGHT = {"align": "right"}
_WRAP = {"text_wrap": True}
_IN = {"align": "left", "indent": 1}  # text that may be right of a number
_INPUT = {
    "font_color": INPUT_INK,
    "bg_color": INPUT_PAPER,
    "border": 1,
    "border_color": RULE,
    "locked": False,
}
_HEAD = {"bold": True, "bg_color": HEAD_PAPER, "text_wrap": True, "valign": "bottom"}
_UNDER = {"bg_color": HEAD_PAPER, "font_color": QUIET, "font_size": 9}
_TINY = {
    "bg_color": HEAD_PAPER,
    "font_color": QUIET,
    "font_size": 8,
    "bottom": 1,
    "bottom_color": RULE,
}
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
    "name_text": _TINY | _IN,
    "name_number": _TINY | _RIGHT,
    "label": _WRAP,
    "text": _IN | _WRAP,
    "free": _IN | _WRAP | {"locked": False},
    "plain": _WRAP,
    "advice": _WRAP,
    "small": {"font_color": QUIET, "font_size": 9, **_IN, **_WRAP},
    "note": {"font_color": QUIET, "font_size": 9, **_IN, **_WRAP, "locked": False},
    "symbol": {"font_color": QUIET, "font_size": 9, **_IN, **_WRAP},
    "heading_text": _HEAD | _IN,
    "key": {"font_color": QUIET, "font_size": 9},
    "link": {"font_color": DEEP, "underline": 1, **_IN},
    "input": _INPUT | _RIGHT,
    "input_reason": _INPUT | _RIGHT | _WRAP | {"font_size": 9},
    "input_text": _INPUT | _IN | _WRAP,
    "number": _RIGHT,
    "word": _IN | _WRAP,
    "either": _RIGHT | _WRAP,
    "outer": _RIGHT | {"font_color": QUIET, "italic": True},
    "shipped": _RIGHT | {"font_color": QUIET, "font_size": 9},
    "shipped_text": {"font_color": QUIET, "font_size": 9},
    "total": _TOTAL | _RIGHT,
    "total_label": _TOTAL,
    "total_note": {"bg_color": TOTAL_PAPER, "font_color": QUIET, "font_size": 9},
    "total_text": {"bg_color": TOTAL_PAPER, "font_color": QUIET, "font_size": 9, **_RIGHT},
    "flag": {"bold": True, "align": "center"},
    "verdict": {"bold": True, "align": "center"},
    "formula": {"font_size": 9, **_IN, **_WRAP},
    "formula_line": {"font_size": 9, **_IN},
    "headline": _HEADLINE | _RIGHT,
    "headline_label": _HEADLINE | _WRAP,
    "headline_text": {"font_color": QUIET, "bg_color": TOTAL_PAPER, **_IN, **_WRAP},
    "headline_end": _HEADLINE | _RIGHT | {"bold": False, "font_size": 10},
    "lead_line": {"font_color": QUIET},
    "sheet_link": {"font_color": DEEP, "underline": 1},
    "address": {"font_color": DEEP, "underline": 1, "font_size": 9, **_IN, **_WRAP},
    "check_value": _RIGHT,
    "count": {"bold": True, "align": "left"},
    "key_number": {"font_color": QUIET, "font_size": 9, "align": "center"},
    "alarm": {"font_color": "#8B0000", "bg_color": "#FBE3E0"},
    "good": {"font_color": "#0B5D2A", "bg_color": "#E2F3E6"},
    "light": {"bold": True, "font_size": 14, "align": "center", "bg_color": "#E2F3E6"},
    "choice_text": {**_IN, **_WRAP, "font_size": 9},
    "merged": {**_WRAP, "font_size": 9},
}

#: Roles whose text wraps; their rows must be high enough.
WRAPPING: frozenset[str] = frozenset(r for r, look in LOOKS.items() if look.get("text_wrap")) - {
    "advice"
}
#: Roles whose cells exist without text: they have a color or a rule, or can be filled in.
SEEN_EMPTY = {r for r, look in LOOKS.items() if look.keys() & {"bg_color", "top", "locked"}}


class Formats:
    """The cell formats of one workbook, each made on first use."""

    def __init__(self, book: xlsxwriter.Workbook) -> None:
        self._book = book
        self._made: dict[tuple[str, str], CellFormat] = {}

    def __call__(self, role: Role, number: str = "") -> CellFormat:
        made = self._made.get((role, number))
        if made is None:
            look = LOOKS[role] if role in ("alarm", "good") else _BODY | LOOKS[role]
            if number:
                look = look | {"num_format": number}
            made = self._made[role, number] = self._book.add_format(look)
        return made
