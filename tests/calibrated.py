"""The small book of cases with own records, which correct the predictions of its component."""

from __future__ import annotations

from pathlib import Path

from cases import ENERGY, TABLE
from scalesheet.book import Book
from scalesheet.examine import Examined, examine
from small import HEAD, MINIMAL, lay

OWN = "sum(calibration.power where accelerator == card)"
COUNT = "count(calibration.power where accelerator == card)"
CORRECTED = ENERGY.replace(
    "conditions:\n",
    "calibrated:\n"
    "  own_power:\n"
    "    of: drawn\n"
    "    title: Power over predicted, by own records\n"
    f"    formula: {OWN} if {COUNT} > 0 else 1\n"
    "conditions:\n",
)
CALIBRATION = """\
title: Own records
summary: What own records teach.
columns:
  accelerator: {ref: hardware}
  power: {unit: 1, domain: positive, kind: measured}
source: a-paper
rows:
  card: {title: The card, accelerator: card, power: {value: 1.18, low: 1.05, high: 1.32}}
"""


def calibrated(folder: Path, table: str = CALIBRATION, book: str = "") -> Examined:
    """The book with its component, and with the table unless it is empty."""
    files = {
        "components/energy.yaml": CORRECTED,
        "hardware/other.yaml": (MINIMAL / "hardware" / "card.yaml").read_text("utf-8"),
        "plans/calibrated/page.md": "# A plan\n",
        "plans/calibrated/plan.yaml": HEAD + TABLE,
        **({"tables/calibration.yaml": table} if table else {}),
    }
    data = lay(folder, files)
    own = data / "book.yaml"
    own.write_text(own.read_text("utf-8") + book, "utf-8")
    return examine(data)


def calibrated_book(folder: Path) -> Book:
    examined = calibrated(folder)
    assert [d.message for d in examined.diagnostics if d.severity == "error"] == []
    assert examined.book is not None
    return examined.book
