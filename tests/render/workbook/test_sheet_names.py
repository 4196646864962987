"""Titles as names of sheets: what a title may be, and how much of it a sheet is called."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scalesheet.build import build
from scalesheet.examine import examine
from scalesheet.render.workbook.layout import LONGEST_SHEET_NAME, _sheet_name
from small import HEAD, lay, said


@pytest.mark.parametrize(
    "title",
    ["😀" * 16, "😀" * 31, "a" + "😀" * 15, "a" * 30 + "😀", "a" * 200, "Ab " * 60, "é" * 32],
)
def test_a_sheet_name_is_at_most_31_units_of_utf_16(title: str) -> None:
    taken: set[str] = set()
    for _ in range(12):
        name = _sheet_name(title, taken)
        assert 0 < len(name.encode("utf-16-le")) // 2 <= LONGEST_SHEET_NAME
        assert title.startswith(re.sub(" [0-9]+$", "", name))
    assert len(taken) == 12


@pytest.mark.parametrize(
    ("title", "told"),
    [
        ("a" * 201, "expected a title in words, of at most 200 characters, found the text"),
        (" ", "expected a title in words, of at most 200 characters, found the text"),
        ("\u200b\u2060", "expected a title in words, of at most 200 characters, found the text"),
        ("\u3164", "expected a title in words, of at most 200 characters, found the text"),
        ("😀" * 16, ""),
        ("a" * 200, ""),
    ],
)
def test_a_title_shows_and_is_of_a_length_that_a_sheet_can_have(
    tmp_path: Path, title: str, told: str
) -> None:
    table = f'title: "{title}", columns: {{a: {{unit: 1}}}}, rows: {{one: {{a: 1}}}}'
    data = lay(
        tmp_path,
        {
            "plans/small/page.md": "# A plan\n",
            "plans/small/plan.yaml": f"{HEAD}tables:\n  runs: {{{table}}}\n",
        },
    )
    messages = said(examine(data))
    assert len(messages) == bool(told)
    assert all(told in message for message in messages)
    if not told:
        build(data, tmp_path / "out", site=False)
