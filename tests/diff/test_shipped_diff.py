"""`diff` on the shipped book: a cheaper H100 comes first, with its effect on the plan."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from editions import edition_of
from scalesheet.diff import compare
from scalesheet.examine import examine
from shipped import ROOT, shipped


def test_a_cheaper_h100_is_listed_with_its_effects(tmp_path: Path) -> None:
    unread = shutil.ignore_patterns("runs", "score.yaml")
    data = shutil.copytree(ROOT / "data", tmp_path / "data", ignore=unread)
    rate = data / "rates" / "lambda-1x-h100-sxm.yaml"
    rate.write_text(rate.read_text("utf-8").replace("price: 4.29", "price: 3.99"), "utf-8")
    before, after = shipped(("pixelis",)), examine(data, plans=("pixelis",))
    diff = compare(edition_of(before), edition_of(after))

    (price,) = diff.inputs
    assert price.place.name == "offers['lambda-1x-h100-sxm'].node_price"
    assert price.turn.ratio == 3.99 / 4.29
    assert all(e.causes == (price,) for m in diff.moved for e in m.effects)
    cost = next(m for m in diff.moved if m.place.name == "cost_by_offer['lambda-1x-h100-sxm'].cost")
    was, now = (
        each.results["pixelis"].cell("cost_by_offer", "lambda-1x-h100-sxm", "cost").value
        for each in (before, after)
    )
    assert isinstance(was, float)
    assert isinstance(now, float)
    assert cost.turn.ratio == now / was
    assert cost.turn.ratio == pytest.approx(3.99 / 4.29)
    assert [e.causes for e in cost.effects] == [(price,)]
    assert cost.effects[0].through == ("offers.price", "cost_by_offer.price")
