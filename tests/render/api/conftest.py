"""Two APIs, each written once: one of the sample book, with its odd texts, and the real one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from render.api.shapes import Shapes
from render.sample import FILES
from scalesheet.book import Book
from scalesheet.build import build
from scalesheet.examine import compile_book
from shipped import shipped_book

ROOT = Path(__file__).parents[3]

#: Data that the sample lacks: an offer with two prices, a formula, and a small table.
MORE = {
    "rates/cloud.yaml": """
title: "+1 is the title of an offer"
provider: Cloud
instance: big
accelerator: h100
accelerators: 8
term: on-demand
prices:
  - {from: 2024-01-01, price: 32, unit: USD / (node * hour), kind: published, source: {key: paper}}
  - from: 2026-01-01
    price: 22
    low: 20
    high: 24
    unit: USD / (node * hour)
    kind: published
    source: {key: paper, locator: row 7}
  - {from: 2027-01-01, reason: no longer offered, source: {key: paper}}
""",
    "tables/sites.yaml": """
title: Sites
summary: "@ what a facility draws"
columns:
  pue: {unit: 1, source: {key: paper, locator: "=1+1 is a place"}}
  over: {unit: 1, formula: pue - 1}
rows:
  one: {title: "-1 is the title of a site", pue: 1.1}
  two: {title: Two, pue: {reason: not stated}}
""",
    "formulas/machines-needed.yaml": """
title: Machines
inputs:
  cards: GPU
  each: {unit: GPU / node, domain: count, default: 8, title: Cards in a machine}
unit: node
formula: ceil(cards / each)
source: {key: paper, locator: "@ the end"}
examples: [{given: {cards: 20}, expect: 3}]
""",
}


@dataclass(frozen=True)
class Written:
    """An API on disk, and the book that it was written from."""

    book: Book
    root: Path
    shapes: Shapes


def _written(data: Path, out: Path) -> Written:
    build(data, out, site=False)
    root = out / "api" / "v1"
    return Written(compile_book(data), root, Shapes(root))


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("sample")
    for name, text in {**FILES, **MORE}.items():
        path = folder / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return _written(folder / "data", folder / "out")


@pytest.fixture(scope="session")
def shipped(book_site: Path) -> Written:
    root = book_site / "api" / "v1"
    return Written(shipped_book(), root, Shapes(root))
