"""The page about quantiles says what the program does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests import small

from scalesheet.render.pages.quantiles import quantiles_page
from scalesheet.schemas import written
from scalesheet.sure.quantiles import sure
from scalesheet.sure.shapes import SHAPES

_, TEXT = quantiles_page()


def test_its_pictures_match_its_text() -> None:
    """80 dots are at or below P80; nine independent parts have a narrower total than nine that move
    together."""
    assert (TEXT.count('class="series-1"'), TEXT.count('class="point"')) == (80, 20)
    alone, same = re.findall(r"P50 ([0-9]+) %, P80 ([0-9]+) %</text>", TEXT)
    assert alone[0] == same[0] == "100"
    assert (int(same[1]) - 100) / (int(alone[1]) - 100) == pytest.approx(3, rel=0.15)


def test_it_explains_quantiles_in_ten_sentences() -> None:
    explained = re.sub(r"<figure.*?</figure>", "", TEXT.split("## Ranges")[0], flags=re.DOTALL)
    prose = " ".join(explained.split("\n", 1)[1].split())
    assert len(re.findall(r"[a-z*]\.(?= |$)", prose)) == 10


def test_it_lists_every_shape_and_the_default_of_each_domain() -> None:
    shapes = re.findall(r"^\| `([a-z-]+)` \| [^|]*\| (?:the m|not used)", TEXT, re.MULTILINE)
    assert set(shapes) == set(SHAPES)
    defaults = dict(re.findall(r"^\| `([a-z-]+)` \| `([a-z]+)`", TEXT, re.MULTILINE))
    assert defaults == written("common")["$defs"]["spread"]["x-by-domain"]


def test_its_example_is_a_plan_with_a_reserve(tmp_path: Path) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    cost = """\
  ours: {value: 1, unit: GPU, kind: decision}
  stored: {value: 9, unit: GB, kind: decision}
  long: {value: 5, unit: hour, kind: decision}
  runs: {value: 12, unit: run, kind: decision}
  hourly: {unit: USD / hour, formula: price * ours / utilization + storage_price * stored}
  cost: {unit: USD * run, formula: hourly * long * (runs + failed_runs) * last_phase}
headline: [cost]
"""
    examined = small.plan(tmp_path, example + cost)
    assert examined.book is not None, small.said(examined)
    figure = sure(examined.book, examined.book.plans["small"]).figures["cost"]
    causes = {each.unknown.name for each in figure.causes}
    assert {"market", "utilization", "last_phase"} <= causes
