"""Verdicts: their precedence, what each depends on, and the errors that a figure inherits."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.world import audited, judged, told
from scalesheet.audit.model import Judged

CASES = [
    # the claim, the verdict
    ({"says": "1 GPU", "from": "cards"}, "reproduced"),
    ({"says": "2 hour", "from": "runs['one'].hours * 3.6"}, "rounded"),
    ({"says": "2 hour", "from": "runs['one'].hours"}, "contradicted"),
    ({"says": "1 GPU", "plan": "cards"}, "input"),
    ({"says": "5 hour", "lacks": "[time of loading]"}, "underdetermined"),
    # several apply: the first one counts
    ({"says": "2 GPU", "from": "cards", "plan": "cards", "lacks": "[racks]"}, "contradicted"),
    ({"says": "1 GPU", "from": "cards", "against": "[2 * cards]"}, "contradicted"),
    ({"says": "1 GPU", "from": "cards", "plan": "cards", "lacks": "[racks]"}, "reproduced"),
    ({"says": "1 GPU", "plan": "cards", "lacks": "[racks]"}, "input"),
    ({"says": "10 hour", "from": "10.2 * fast / 10", "against": "[fast]"}, "rounded"),
    # a figure within a range, and a range around a figure
    ({"says": "9 hour", "from": "fast"}, "reproduced"),
    ({"says": "8 hour", "from": "fast"}, "reproduced"),
    ({"says": "7 hour", "from": "fast"}, "contradicted"),
    ({"says": "8 .. 11 hour", "from": "expected(fast)"}, "reproduced"),
    ({"says": "11 .. 14 hour", "from": "expected(fast)"}, "contradicted"),
    # words, yes and no, ids
    ({"says": "adamw", "from": "optimizer"}, "reproduced"),
    ({"says": "sgd", "from": "optimizer"}, "contradicted"),
    ({"says": "AdamW", "plan": "optimizer", "id": "001-L006-01"}, "input"),
    ({"says": "card", "plan": "gpu"}, "input"),
    ({"says": "yes", "from": "need > gpu.memory"}, "reproduced"),
    ({"says": "no", "from": "need > gpu.memory"}, "contradicted"),
    # bounds and containment
    ({"says": "at most 40 GB", "from": "need"}, "reproduced"),
    ({"says": "at most 24 GB", "from": "need"}, "contradicted"),
    ({"says": "at least 30 GB", "role": "bound", "from": "need"}, "reproduced"),
    ({"says": "more than 30 GB", "from": "need"}, "contradicted"),
    ({"says": "at least 32", "plan": "cores"}, "input"),
    ({"says": "5 .. 15 hour", "role": "range", "from": "fast"}, "reproduced"),
    ({"says": "5 .. 15 hour", "from": "fast"}, "contradicted"),
    ({"says": "9.5 .. 15 hour", "role": "range", "from": "fast"}, "contradicted"),
    # a rounding that crosses a limit, and ones that do not
    ({"says": "24 GB", "from": "0.81 * need"}, "rounded"),
    ({"says": "24 GB", "from": "0.81 * need", "limit": "0.8 * need"}, "contradicted"),
    ({"says": "24 GB", "from": "0.79 * need", "limit": "0.8 * need"}, "rounded"),
    ({"says": "25 GB", "from": "0.82 * need", "limit": "0.8 * need"}, "rounded"),
    # ranges are compared end by end, a single figure with the expected value
    ({"says": "8 .. 12 hour", "from": "fast"}, "reproduced"),
    ({"says": "10 hour", "from": "fast"}, "reproduced"),
    ({"says": "12 hour", "from": "high(fast)"}, "reproduced"),
    ({"says": "8 .. 12 hour", "plan": "fast", "id": "001-L008-01"}, "input"),
    # shares and other units of the same dimension
    ({"says": "35 %", "plan": "share", "id": "001-L007-01"}, "input"),
    ({"says": "30 minute", "from": "runs['one'].hours"}, "reproduced"),
    ({"says": "30_000 TFLOP / (second * GPU)", "lacks": "[card]"}, "underdetermined"),
    # the value on either side of `written:`, and any line that the source names
    ({"says": "2000 step / hour", "plan": "speed", "id": "001-L010-01"}, "input"),
    ({"says": "2000 step / hour", "plan": "speed", "id": "001-L005-01"}, "input"),
    ({"says": "1800 .. 2000 step / hour", "plan": "speed", "id": "001-L003-01"}, "input"),
    ({"says": "1000 step", "plan": "runs['one'].steps", "id": "001-L020-01"}, "input"),
]


@pytest.mark.parametrize(("claim", "verdict"), CASES, ids=str)
def test_the_verdict_on_a_claim(tmp_path: Path, claim: dict[str, str], verdict: str) -> None:
    assert judged(tmp_path, **claim).verdict == verdict


def test_names_of_the_plan_refer_to_the_documents_scenario(tmp_path: Path) -> None:
    hours = "runs['three'].hours"
    found = judged(tmp_path, **{"says": "5.0 hour", "from": hours, "plan": hours})
    assert found.computed is not None
    assert found.corrected is not None
    assert (found.verdict, found.computed.value) == ("follows", 5)
    assert found.corrected.value == pytest.approx(10_000 / 1900)


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        ({"says": "1 GPU"}, "it needs 'from', 'against', a 'plan' input of line 4, or 'lacks'"),
        (
            {"says": "2 GPU", "plan": "cards"},
            "'cards' has a different value; keep the document's value",
        ),
        ({"says": "8.42105 hour", "plan": "runs.total.hours"}, "is computed, not an input"),
        (
            {"says": "1 GPU", "plan": "cards", "id": "001-L005-01"},
            "the source of 'cards' is a-paper, line 4, not line 5 of a-paper",
        ),
        ({"says": "1900 step / hour", "plan": "speed", "id": "001-L010-01"}, "a-paper, line 3"),
    ],
)
def test_a_claim_without_a_basis_says_what_it_needs(
    tmp_path: Path, claim: dict[str, str], why: str
) -> None:
    found = judged(tmp_path, **claim)
    assert found.verdict is None
    assert why in found.because


CHAIN = """
claims:
  001-L030-01: {quote: a, says: 35 run, against: [26 as run], expect: contradicted}
  001-L031-01: {quote: b, says: 10 run, lacks: [a list], expect: underdetermined}
  001-L032-01: {quote: c, says: 45 run, from: "@001-L030-01 + @001-L031-01", expect: reproduced}
  001-L033-01: {quote: d, says: 90 run, from: "2 * @001-L032-01", expect: reproduced}
  001-L034-01: {quote: e, says: 12 run, against: ["@001-L031-01 + (2 as run)"], expect: rounded}
"""


def test_an_error_counts_where_it_is_made_and_figures_that_follow_say_so(
    tmp_path: Path,
) -> None:
    found = {each.claim.id: each for each in audited(tmp_path, CHAIN).claims}
    sum_, twice = found["001-L032-01"], found["001-L033-01"]
    assert (sum_.verdict, sum_.inherits, value(sum_)) == ("follows", ("001-L030-01",), 36)
    assert (twice.verdict, twice.inherits, value(twice)) == ("follows", ("001-L030-01",), 72)
    assert twice.because.endswith("as written; follows from 001-L030-01; should be 72 runs.")
    assert (found["001-L034-01"].inherits, value(found["001-L034-01"])) == ((), 12)


def value(judged: Judged) -> object:
    return judged.should_be and judged.should_be.value


FOLLOWS = [
    # correct with the document's 2,000 steps per hour; the plan has 1,900
    ({"from": "runs['three'].hours"}, "follows", 10_000 / 1900),
    # if the claim names a figure of the plan, that one should be there
    ({"from": "runs['three'].hours", "plan": "fast"}, "follows", 10),
    # nothing that it is computed from is wrong
    ({"from": "runs['three'].steps / speed.written"}, "reproduced", 5),
    # an error too small to change the written digits
    ({"from": "runs['three'].hours", "says": "5 hour"}, "reproduced", 5),
]


@pytest.mark.parametrize(("claim", "verdict", "should_be"), FOLLOWS, ids=str)
def test_a_value_that_the_plan_corrects_is_an_error_too(
    tmp_path: Path, claim: dict[str, str], verdict: str, should_be: float
) -> None:
    found = judged(tmp_path, **{"says": "5.0 hour", **claim})
    assert (found.verdict, value(found)) == (verdict, pytest.approx(should_be))


def test_an_input_that_the_plan_corrects_is_inherited(tmp_path: Path) -> None:
    claims = """
claims:
  001-L005-01: {quote: a, says: 2000 step / hour, plan: speed, expect: input}
  001-L006-01: {quote: b, says: 2.5 hour, from: "runs['two'].steps / @001-L005-01", expect: follows}
"""
    one, two = audited(tmp_path, claims).claims
    assert (one.verdict, two.verdict) == ("input", "follows")
    assert (two.inherits, value(two)) == (("001-L005-01",), pytest.approx(5000 / 1900))


def test_both_sides_of_a_disagreement_are_contradicted(tmp_path: Path) -> None:
    claims = """
claims:
  001-L004-01: {quote: one, says: 1 GPU, plan: cards, expect: contradicted}
  001-L005-01: {quote: two, says: 2 GPU, against: ["@001-L004-01"], expect: contradicted}
"""
    one, two = audited(tmp_path, claims).claims
    assert (one.verdict, two.verdict) == ("contradicted", "contradicted")
    assert one.because == "disagrees with 001-L005-01."
    assert told(tmp_path / "again", claims) == []


@pytest.mark.parametrize(
    ("claim", "because"),
    [
        (
            {"says": "5 hour", "from": "@001-L004-02 / speed", "note": "Fine."},
            "@001-L004-02 / speed = 10,000 / 2,000 = 5 h, as written. Fine.",
        ),
        (
            {"says": "5 hour", "from": "@001-L004-02 / high(speed.corrected)"},
            "@001-L004-02 / high(speed.corrected) = 10,000 / 2,000 = 5 h, as written.",
        ),
        (
            {"says": "300 minute", "from": "@001-L004-02 / speed"},
            "@001-L004-02 / speed = 10,000 / 2,000 * 60 = 300 min, as written.",
        ),
        ({"says": "24 GiB", "from": "gpu.memory"}, "gpu.memory = 24 GiB, as written."),
        (
            {"says": "17 hour", "from": "1.4 * high(fast)"},
            "1.4 * high(fast) = 1.4 * 12 = 16.8 h, rounded to 17 h.",
        ),
        (
            {"says": "at most 24 GB", "from": "need"},
            "need = 30 GB, which violates 'at most 24 GB'.",
        ),
        (
            {"says": "9.5 .. 15 hour", "role": "range", "from": "fast"},
            "fast = 10 [8–12] h, not 9.5–15 h.",
        ),
        ({"says": "1 hour", "lacks": "[a, b, c]"}, "the document does not state a, b and c."),
        ({"says": "1 GPU", "plan": "cards"}, "stated; an input of the plan, cards."),
    ],
)
def test_because_shows_the_numbers(tmp_path: Path, claim: dict[str, str], because: str) -> None:
    more = "".join(f"    {key}: {_quoted(value)}\n" for key, value in claim.items())
    claims = (
        "claims:\n  001-L004-01:\n    quote: x\n    expect: input\n"
        + more
        + "  001-L004-02: {quote: y, says: 10_000 step, lacks: [z], expect: underdetermined}\n"
    )
    assert audited(tmp_path, claims).claims[0].because == because


def _quoted(value: str) -> str:
    return f'"{value}"' if value.startswith("@") else value


def test_a_mismatch_across_a_limit_says_which(tmp_path: Path) -> None:
    found = judged(tmp_path, says="24 GB", **{"from": "0.81 * need", "limit": "0.8 * need"})
    assert found.because == (
        "0.81 * need = 0.81 * 30 = 24.3 GB, not 24 GB; "
        "not rounding: the limit 0.8 * need = 24 GB lies between them."
    )
