"""The budget of Pixelis and the summary of its round, figure by figure."""

from __future__ import annotations

import pytest

from audit.printed import Json, counted, ends, ids_of, lacking

PLAN = "pixelis"
IDS = {document: ids_of(document) for document in ("000", "001")}
BUDGET = "Computational Budget Document - Pixelis Project"
SUMMARY = "Phase 0 Round 4: Feasibility Assessment and Resource Planning - Summary"


@pytest.fixture(scope="module")
def headlines(audit: Json) -> dict[tuple[str, str], Json]:
    return {(each["document"], each["name"]): each for each in audit["headlines"]}


def of(document: str, claims: dict[str, Json]) -> list[Json]:
    return [claim for id_, claim in claims.items() if id_.startswith(f"{document}-")]


@pytest.mark.parametrize(("document", "number"), [("000", 202), ("001", 59)])
def test_every_figure_of_a_document_has_one_verdict(
    audit: Json, document: str, number: int
) -> None:
    found = [c["id"] for c in audit["claims"] if c["id"].startswith(f"{document}-")]
    assert sorted(found) == IDS[document]
    assert len(found) == number


@pytest.mark.parametrize(
    ("document", "counts"),
    [
        (
            "000",
            {
                "contradicted": 13,
                "follows": 17,
                "input": 81,
                "reproduced": 74,
                "rounded": 8,
                "underdetermined": 9,
            },
        ),
        ("001", {"contradicted": 5, "follows": 12, "input": 6, "reproduced": 33, "rounded": 3}),
    ],
)
def test_counts_by_verdict(claims: dict[str, Json], document: str, counts: dict[str, int]) -> None:
    assert counted(of(document, claims)) == counts


DEFENDED = [
    # figure, verdict, the value it was compared with
    ("000-L014-01", "contradicted", (2335, 2335)),  # the heading; the sums end at 2,335
    ("000-L029-02", "contradicted", (16.58433, 16.58433)),  # GB of weights, from the checkpoint
    ("000-L051-01", "contradicted", (0.1666667, 0.1666667)),  # h/epoch, from the projection
    ("000-L052-01", "contradicted", (192, 240)),  # 3 epochs of 8-10 hours on 8 accelerators
    ("000-L095-01", "contradicted", (1200, 3200)),  # 5-10k steps, 30-40 h per thousand, 8 GPUs
    ("000-L197-01", "contradicted", (13.33333, 13.33333)),  # 40 is for three seeds
    ("000-L293-01", "contradicted", (18.9924, 22.1296)),  # GiB, at least the weights
    ("000-L298-01", "contradicted", (0.3828125, 0.3828125)),  # inputs of 28 layers
    ("000-L308-01", "contradicted", (468.75, 937.5)),  # optimizer steps of three epochs
    ("000-L309-04", "contradicted", (24, 30)),  # hours of three epochs, as planned
    ("000-L204-09", "follows", (1335, 1335)),  # a correct sum of wrong figures
    ("000-L208-01", "follows", (1535, 1535)),
    ("000-L223-01", "follows", (2335, 2335)),
    ("000-L146-01", "follows", (500, 500)),
    ("000-L294-01", "reproduced", (13.45, 13.45)),  # "average" means the sum of the parts
    ("000-L054-01", "follows", (37.95, 50.6)),  # includes overhead and contingency
    ("000-L097-01", "follows", (207, 276)),
    ("000-L139-01", "rounded", (57.6, 57.6)),
    ("000-L207-01", "follows", (200.25, 200.25)),
    ("000-L302-01", "rounded", (4841.608, 4841.608)),  # from the step time, not 2.36 per second
    ("001-L047-01", "contradicted", (1, 1)),  # 1 TB per cycle here, 2 TB further below
    ("001-L131-01", "contradicted", (0.460725, 0.507128)),  # 70 % by checkpointing
    ("001-L111-01", "contradicted", (203.322, 203.322)),  # six FLOP per parameter in the name
    ("001-L115-02", "rounded", (0.1727941, 0.1727941)),
    ("001-L059-01", "follows", (2800, 3500)),  # repeated from the budget's heading
]


@pytest.mark.parametrize(("id_", "verdict", "ends_"), DEFENDED)
def test_verdicts_that_the_author_would_question(
    claims: dict[str, Json], id_: str, verdict: str, ends_: tuple[float, float]
) -> None:
    claim = claims[id_]
    assert claim["verdict"] == verdict
    assert ends(claim["computed"]) == pytest.approx(ends_, rel=1e-5)


def test_facts_that_the_documents_do_not_state_are_listed(claims: dict[str, Json]) -> None:
    lacks = lacking(claims)
    assert sorted(lacks) == [
        "000-L031-01",
        "000-L032-01",
        "000-L072-01",
        "000-L147-01",
        "000-L158-01",
        "000-L164-01",
        "000-L170-01",
        "000-L215-03",
        "000-L216-02",
    ]
    assert lacks["000-L031-01"] == ["which parameters supervised fine-tuning trains"]


def test_the_total_inherits_the_errors_of_its_parts(claims: dict[str, Json]) -> None:
    wrong = {"000-L051-01", "000-L052-01", "000-L094-02", "000-L095-01", "000-L197-01"}
    assert set(claims["000-L208-01"]["inherits"]) == wrong
    assert set(claims["001-L050-01"]["inherits"]) == wrong
    assert set(claims["000-L197-03"]["inherits"]) == {"000-L197-01"}
    assert claims["000-L126-01"]["inherits"] == []


def test_figures_repeated_in_the_summary_are_compared_with_the_budget(
    claims: dict[str, Json],
) -> None:
    repeated = [c for c in of("001", claims) if c.get("from", "").startswith("@000-")]
    assert len(repeated) > 40
    assert {c["verdict"] for c in repeated} == {"reproduced", "follows", "rounded", "contradicted"}


@pytest.mark.parametrize("document", [BUDGET, SUMMARY])
@pytest.mark.parametrize(
    ("name", "written", "implied", "computed"),
    [
        ("base", (1535, 1535), (6088.56, 14551.85), (6088.56, 14553.28)),
        ("extended", (2335, 2335), (6888.56, 15351.85), (7008.56, 15473.28)),
        ("total", (2800, 3500), (2335, 2335), (7008.56, 15473.28)),
    ],
)
def test_the_written_implied_and_computed_totals(
    headlines: dict[tuple[str, str], Json],
    document: str,
    name: str,
    written: tuple[float, float],
    implied: tuple[float, float],
    computed: tuple[float, float],
) -> None:
    headline = headlines[document, name]
    assert headline["written"]["unit"] == "GPU * hour"
    assert ends(headline["written"]) == written
    assert ends(headline["implied"]) == pytest.approx(implied, abs=0.1)
    assert ends(headline["computed"]) == pytest.approx(computed, abs=0.1)


@pytest.mark.parametrize(
    ("finding", "headline", "effect"),
    [
        ("contingency-in-the-parts-and-in-the-sum", "base", -132.75),
        ("ablations-without-training", "base", 287.5),
        ("sweep-cheaper-than-a-run", "extended", 225),
        ("no-contingency-on-the-additions", "extended", 120),
        ("storage-of-one-run", "storage", 350),
    ],
)
def test_a_finding_has_its_effect_on_a_total(
    findings: dict[str, Json], finding: str, headline: str, effect: float
) -> None:
    assert findings[finding]["effects"][headline]["value"] == pytest.approx(effect)
