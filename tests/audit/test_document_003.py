"""The first audited document, figure by figure: GPU hours for experiments with Qwen2-0.5B."""

from __future__ import annotations

import pytest

from audit.printed import Json, counted, ends, ids_of, lacking

PLAN = "qwen2-finance"
IDS = ids_of("003")


def test_every_figure_of_the_document_has_one_verdict(audit: Json) -> None:
    assert sorted(claim["id"] for claim in audit["claims"]) == IDS
    assert len(IDS) == 215


def test_counts_by_verdict(audit: Json) -> None:
    assert counted(audit["claims"]) == {
        "contradicted": 6,
        "follows": 79,
        "input": 75,
        "reproduced": 47,
        "rounded": 5,
        "underdetermined": 3,
    }


DEFENDED = [
    # figure, verdict, the value it was compared with
    ("003-L007-01", "contradicted", (512, 568.89)),  # tokens/s, from the steps per hour
    ("003-L013-01", "contradicted", (703.125, 878.906)),  # steps/h, from the tokens/s
    ("003-L118-01", "contradicted", (26, 26)),  # 35 experiments; headings and rows have 26
    ("003-L125-01", "contradicted", (2.95, 2.95)),  # the node; 2.48 leaves out the host
    ("003-L142-03", "contradicted", (0.220588, 0.220588)),  # 40 %; the maximum is 22 %
    ("003-L119-01", "follows", (72, 72)),  # a correct sum of a wrong figure
    ("003-L119-02", "follows", (341.7, 341.7)),
    ("003-L028-01", "reproduced", (1.7, 1.7)),  # ten times the stated 0.17 hours
    ("003-L006-01", "reproduced", (24, 24)),  # vendors' GB are GiB
    ("003-L126-01", "reproduced", (3.06, 3.06)),  # while the node was offered
    ("003-L004-01", "rounded", (494_032_768, 494_032_768)),
    ("003-L005-03", "contradicted", (2_199_552, 2_199_552)),  # all linear layers
    ("003-L132-03", "follows", (153.765, 153.765)),
    ("003-L157-01", "rounded", (81.7, 81.7)),
    ("003-L164-03", "rounded", (1.79167, 1.79167)),  # 43 hours, written as 2 days
]


@pytest.mark.parametrize(("id_", "verdict", "held"), DEFENDED)
def test_verdicts_that_the_author_would_question(
    claims: dict[str, Json], id_: str, verdict: str, held: tuple[float, float]
) -> None:
    claim = claims[id_]
    assert claim["verdict"] == verdict
    assert ends(claim["computed"]) == pytest.approx(held, rel=1e-5)


def test_facts_that_the_document_does_not_state_are_listed(claims: dict[str, Json]) -> None:
    lacks = lacking(claims)
    assert lacks == {
        "003-L127-01": ["which offer of Lambda this is and on which day"],
        "003-L155-02": ["which pretraining experiments are the key ones"],
        "003-L156-02": ["which fine-tuning experiments are the key ones"],
    }


def test_an_error_counts_where_it_is_made_and_is_inherited_by_later_figures(
    claims: dict[str, Json],
) -> None:
    assert claims["003-L119-01"]["inherits"] == ["003-L118-01"]
    assert claims["003-L125-03"]["inherits"] == ["003-L125-01", "003-L013-01"]
    assert claims["003-L028-01"]["inherits"] == []


def test_all_training_hours_inherit_the_wrong_speed(claims: dict[str, Json]) -> None:
    rows = [f"003-L{line:03d}-03" for line in (*range(35, 44), *range(49, 61), *range(102, 108))]
    rows += [f"003-L{line:03d}-02" for line in (*range(19, 24), *range(66, 72), *range(87, 97))]
    assert {tuple(claims[row]["inherits"]) for row in rows} == {("003-L013-01",)}
    assert {claims[row]["verdict"] for row in rows} == {"follows", "reproduced"}
    # the plan allows 5.3 for "5.0 hours"; "5 hours" in the table of steps is a rounding of that
    consistent = [row for row in rows if claims[row]["verdict"] == "reproduced"]
    assert consistent == ["003-L019-02", "003-L021-02", "003-L022-02"]


def test_the_headline_has_the_written_implied_and_computed_total(audit: Json) -> None:
    first = audit["headlines"][0]
    assert (first["name"], first["written"]["unit"]) == ("gpu_hours", "GPU * hour")
    assert ends(first["written"]) == (341.7, 341.7)
    assert ends(first["implied"]) == pytest.approx((341.667, 379.444), abs=1e-3)
    assert ends(first["computed"]) == pytest.approx((341.667, 379.444), abs=1e-3)


def test_further_headlines_have_the_other_speed_and_totals(
    headlines: dict[str, Json],
) -> None:
    slow = headlines["gpu_hours_at_throughput"]
    assert ends(slow["implied"]) == pytest.approx((775.356, 968.778), abs=1e-3)
    counted = headlines["experiments"]
    assert [counted[k]["value"] for k in ("written", "implied", "computed")] == [72, 63, 63]
    assert ends(headlines["cost_aws"]["computed"]) == pytest.approx((1170.96, 1534.51), abs=0.01)


@pytest.mark.parametrize(
    ("finding", "headline", "effect"),
    [
        ("fast-end-of-the-range", "gpu_hours", (0, 37.778)),
        ("price-of-another-card", "cost_aws", (125.52, 336.394)),
        ("experiments-without-hours", "gpu_hours", (39.808, 39.808)),
        ("training-without-evaluation", "gpu_hours", (8.833, 8.833)),
    ],
)
def test_a_finding_has_its_effect_on_a_total(
    findings: dict[str, Json], finding: str, headline: str, effect: tuple[float, float]
) -> None:
    assert ends(findings[finding]["effects"][headline]) == pytest.approx(effect, abs=1e-3)
