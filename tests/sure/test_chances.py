"""How chances and unknowns are named in words."""

from __future__ import annotations

import pytest

from scalesheet.model import Key
from scalesheet.render.sureness import called, some
from scalesheet.sure.draws import Unknown
from scalesheet.sure.words import chance

SAID = {
    0.0: "0 %",
    1 / 4096: "less than 0.1 %",
    0.0007: "0.1 %",
    0.986: "98.6 %",
    0.999: "99.9 %",
    4095 / 4096: "more than 99.9 %",
    1.0: "100 %",
}


@pytest.mark.parametrize("share", SAID)
def test_only_a_chance_that_all_draws_agree_on_reads_as_certain(share: float) -> None:
    assert chance(share) == SAID[share]


def test_one_prediction_has_one_name_and_several_inputs_are_listed() -> None:
    keys, titles = (Key("a"), Key("b")), ("Gross GPU hours", "Net GPU hours")
    assert called(Unknown("x", keys, titles, made=True)) == "Gross GPU hours (predicted)"
    assert called(Unknown("x", keys, titles)) == "Gross GPU hours and Net GPU hours"
    assert some(("a", "b", "c", "d")) == "a, b and 2 more"
