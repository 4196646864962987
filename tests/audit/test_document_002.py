"""The audit of the scaling estimates, figure by figure: five scales of a multimodal model."""

from __future__ import annotations

import pytest

from audit.printed import Json, counted, ends, ids_of, lacking

PLAN = "multimodal-scaling"
IDS = ids_of("002")


def test_every_figure_of_the_document_has_one_verdict(audit: Json) -> None:
    assert sorted(claim["id"] for claim in audit["claims"]) == IDS
    assert len(IDS) == 548


def test_counts_by_verdict(audit: Json) -> None:
    assert counted(audit["claims"]) == {
        "contradicted": 98,
        "follows": 116,
        "input": 100,
        "reproduced": 217,
        "rounded": 15,
        "underdetermined": 2,
    }


DEFENDED = [
    # figure, verdict, the value it was compared with
    ("002-L037-04", "contradicted", (2.4576e12, 2.4576e12)),  # tokens: samples times 8,192
    ("002-L078-01", "contradicted", (12_288, 12_288)),  # six modalities of 2,048 tokens
    ("002-L053-01", "contradicted", (16, 20)),  # GPU hours: both GPUs for the whole wall-clock time
    ("002-L214-01", "contradicted", (1094.02, 1094.02)),  # the work at an A100's peak rate
    ("002-L364-01", "contradicted", (39_384.6, 39_384.6)),
    ("002-L046-01", "contradicted", (13.8889, 17.3611)),  # samples/s, from the hours below it
    ("002-L048-01", "contradicted", (0.277778, 0.347222)),  # h, from the samples/s above it
    ("002-L424-05", "contradicted", (300.8, 403.2)),  # the node's price, wall-clock hours
    ("002-L510-02", "contradicted", (17.6, 17.6)),  # the price of one GPU for two
    ("002-L086-01", "contradicted", (80, 80)),  # MB: twice the weights, as noted
    ("002-L342-02", "contradicted", (100, 120)),  # GB: the sum of its parts
    ("002-L285-02", "contradicted", (20, 20)),  # checkpoints every 5 %
    ("002-L525-01", "contradicted", (0.111111, 0.111111)),  # at the document's lowest price
    ("002-L324-01", "contradicted", (3.125e6, 3.125e6)),  # as configured, unlike on line 36
    ("002-L127-01", "contradicted", (573_440, 716_800)),  # 2,000 for 2,048
    ("002-L045-01", "contradicted", (16, 20)),
    ("002-L485-05", "follows", (25, 25)),  # GB: "~24" may be off by one
    ("002-L089-01", "follows", (1.7, 1.7)),
    ("002-L383-04", "rounded", (2.4576e12, 2.4576e12)),
    ("002-L517-01", "reproduced", (0.68, 0.68)),  # within 60 to 80 %
    ("002-L395-01", "reproduced", (100, 120)),
    ("002-L438-03", "follows", (2, 10)),
    ("002-L176-02", "follows", (220, 275)),  # a correct product of wrong hours
    ("002-L059-02", "reproduced", (400, 400)),  # W: from the catalogue
]


@pytest.mark.parametrize(("id_", "verdict", "held"), DEFENDED)
def test_verdicts_that_the_author_would_question(
    claims: dict[str, Json], id_: str, verdict: str, held: tuple[float, float]
) -> None:
    claim = claims[id_]
    assert claim["verdict"] == verdict
    assert ends(claim["computed"]) == pytest.approx(held, rel=1e-5)


STATEMENTS = {
    "002-L057-01": "contradicted",  # nearly perfect, although 85 to 90 % is called good
    "002-L288-03": "contradicted",  # the spot node has the lower rate
    "002-L308-01": "follows",
    "002-L368-01": "contradicted",  # a quarter of the hours on twice the GPUs
    "002-L369-01": "follows",
    "002-L536-02": "contradicted",  # one A100 is cheaper in the document's own table
    "002-L544-03": "contradicted",
}


def test_statements_without_a_number_are_conditions(claims: dict[str, Json]) -> None:
    assert {id_: claims[id_]["verdict"] for id_ in STATEMENTS} == STATEMENTS
    assert {claims[id_]["says"]["value"] for id_ in STATEMENTS} == {True}


def test_facts_that_the_document_does_not_state_are_listed(claims: dict[str, Json]) -> None:
    lacks = lacking(claims)
    assert lacks == {
        "002-L258-01": ["how many nodes evaluate"],
        "002-L413-01": ["how many nodes evaluate"],
    }


def test_an_error_counts_where_it_is_made_and_is_inherited_by_later_figures(
    claims: dict[str, Json],
) -> None:
    assert claims["002-L268-02"]["inherits"] == ["002-L214-01", "002-L217-01", "002-L215-01"]
    assert claims["002-L392-02"]["inherits"] == ["002-L392-01", "002-L391-01"]
    assert claims["002-L330-01"]["inherits"] == ["002-L328-01", "002-L329-01", "002-L324-01"]
    assert claims["002-L076-01"]["inherits"] == []


HOURS = [
    # wall-clock time and throughput of the same run
    ("002-L048-01", "002-L046-01"),
    ("002-L056-01", "002-L054-01"),
    ("002-L064-01", "002-L062-01"),
    ("002-L120-01", "002-L118-01"),
    ("002-L128-01", "002-L126-01"),
    ("002-L136-01", "002-L134-01"),
    ("002-L201-01", "002-L199-01"),
    ("002-L209-01", "002-L207-01"),
    ("002-L217-01", "002-L215-01"),
    ("002-L299-01", "002-L297-01"),
    ("002-L307-01", "002-L305-01"),
    ("002-L315-01", "002-L313-01"),
    ("002-L346-02", "002-L347-01"),
    ("002-L355-02", "002-L356-01"),
    ("002-L364-02", "002-L365-01"),
]


@pytest.mark.parametrize(("wall", "throughput"), HOURS)
def test_hours_and_throughput_contradict_each_other(
    claims: dict[str, Json], wall: str, throughput: str
) -> None:
    assert claims[wall]["verdict"] == claims[throughput]["verdict"] == "contradicted"
    assert throughput in claims[wall]["inherits"]


def test_a_configuration_and_a_table_that_disagree_are_both_contradicted(
    claims: dict[str, Json],
) -> None:
    pairs = [("002-L324-01", "002-L036-03"), ("002-L328-01", "002-L036-02")]
    for configured, tabled in pairs:
        assert claims[configured]["verdict"] == claims[tabled]["verdict"] == "contradicted"
        assert f"disagrees with {configured}" in claims[tabled]["because"]


def test_the_headline_has_the_written_implied_and_computed_total(audit: Json) -> None:
    first = audit["headlines"][0]
    assert (first["name"], first["written"]["unit"]) == ("gpu_hours", "GPU * hour")
    assert ends(first["written"]) == (2240, 2745)
    assert ends(first["implied"]) == (3488, 4484)
    assert first["computed"]["low"] > 40 * first["written"]["high"]


def test_each_recommendation_is_a_further_headline(
    headlines: dict[str, Json],
) -> None:
    assert ends(headlines["xl_gpu_hours"]["written"]) == (375, 500)
    assert ends(headlines["xl_gpu_hours"]["implied"]) == pytest.approx((1960.78, 2380.95), rel=1e-5)
    assert ends(headlines["medium_gpu_hours"]["implied"]) == pytest.approx(
        (126.263, 154.321), rel=1e-5
    )
    assert [headlines["tokens"][k]["value"] for k in ("written", "implied", "computed")] == [
        pytest.approx(19.2),
        pytest.approx(2457.6),
        pytest.approx(2457.6),
    ]
    assert headlines["large_days"]["computed"]["low"] > 365


@pytest.mark.parametrize(
    ("finding", "headline", "effect"),
    [
        ("wall-hours-called-gpu-hours", "gpu_hours", (967, 2010)),
        ("machine-price-times-gpu-hours", "xl_cost", (-2899.2, -1996.8)),
        ("bf16-over-32-bit", "xl_memory", (-12, -12)),
        ("no-room-for-interruptions", "xl_cost", (126.316, 1371.43)),
    ],
)
def test_a_finding_has_its_effect_on_a_total(
    findings: dict[str, Json], finding: str, headline: str, effect: tuple[float, float]
) -> None:
    assert ends(findings[finding]["effects"][headline]) == pytest.approx(effect, rel=1e-5)


def test_checks_of_the_plan_that_fail_as_written_are_findings(findings: dict[str, Json]) -> None:
    assert {id_ for id_ in findings if id_.startswith("check-")} >= {
        "check-not-beyond-the-peak",
        "check-larger-is-slower",
        "check-more-cards-more-gpu-hours",
    }
