"""No page of the shipped book pads a number with zeros that nobody stated or computed."""

from __future__ import annotations

import re
from pathlib import Path

#: `0.423000`, `5.00000000%`; but a ratio near 1 may have three decimals, and 0 several.
PADDED = re.compile(r"(?<![\w.×/-])(?=[\d,.]*[1-9])\d[\d,]*\.\d*000(?![\d.])")

#: A necessary condition for such a number, found in a tenth of the time.
NOUGHTS = re.compile(r"\.\d*000(?![\d.])")

#: Everything on a page that is not text.
MARKUP = re.compile(r"<(script|style|code|pre)\b.*?</\1>|<[^>]*>", re.DOTALL)


def test_padded_numbers_are_found() -> None:
    padded = "0.423000 s/step, 5.00000000% and 4,841.00000"
    assert PADDED.findall(padded) == ["0.423000", "5.00000000", "4,841.00000"]
    assert PADDED.findall("0.423, ×1.000, 0.000, 1,000, 2402.03300v1, 0.0005") == []


def test_no_page_pads_its_numbers(book_site: Path) -> None:
    book = book_site / "book"
    pages = [p for p in book.rglob("*.html") if p.relative_to(book).parts[0] != "reference"]
    found = {
        f"{path.relative_to(book)}: {number}"
        for path in pages
        if NOUGHTS.search(text := path.read_text("utf-8"))
        for number in PADDED.findall(MARKUP.sub(" ", text))
    }
    assert pages
    assert found == set()
