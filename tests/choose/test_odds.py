"""The probability of being the cheapest, and regret: closed forms and properties."""

from __future__ import annotations

from math import log, sqrt
from statistics import NormalDist

import pytest

from scalesheet.choose.odds import odds
from scalesheet.render.live.engine import Engine
from scalesheet.sure.shapes import P90
from scalesheet.values import Value


def test_the_chance_of_two_independent_costs_follows_from_their_ratio() -> None:
    one, two = odds(
        [("a", Value.number(100.0, 50.0, 200.0)), ("b", Value.number(130.0, 65.0, 260.0))]
    )
    assert one is not None
    assert two is not None
    expected = NormalDist().cdf(log(1.3) / (sqrt(2) * log(2) / P90))
    assert one.chance == pytest.approx(expected, abs=0.02)
    assert one.chance + two.chance == pytest.approx(1)
    assert 0 < one.regret < two.regret


def test_costs_with_a_common_error_have_a_certain_order() -> None:
    one, two = odds(
        [("a", Value.number(100.0, 50.0, 200.0)), ("a", Value.number(130.0, 65.0, 260.0))]
    )
    assert one is not None
    assert two is not None
    assert (one.chance, one.regret, two.chance) == (1, 0, 0)


def test_equal_costs_share_the_chance_and_without_a_cost_there_is_none() -> None:
    same = Value.number(10.0, 8.0, 12.0)
    one, two, three = odds([("a", same), ("a", same), ("b", Value(reason="does not fit"))])
    assert one == two
    assert one is not None
    assert (one.chance, one.regret, three) == (0.5, 0, None)


def test_chances_add_up_and_the_page_computes_the_same() -> None:
    costs = [
        ("a", Value.number(100.0, 50.0, 200.0)),
        ("a", Value.number(110.0, 80.0, 150.0)),
        ("b", Value.number(130.0, 65.0, 260.0)),
        ("c", Value(reason="does not fit")),
        ("d", Value.number(115.0)),
    ]
    found = odds(costs)
    assert sum(each.chance for each in found if each) == pytest.approx(1)
    candidates = [
        {"name": name, "cost": {"value": cost.value, "low": cost.low, "high": cost.high}}
        for name, cost in costs
    ]
    shown = Engine().call("scalesheet.odds", candidates)
    assert [each and (each["chance"], each["regret"]) for each in shown] == [
        each and (pytest.approx(each.chance, rel=1e-12), pytest.approx(each.regret, rel=1e-12))
        for each in found
    ]
