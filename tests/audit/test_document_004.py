"""The document on hardware for fine-tuning a vision-language model, figure by figure."""

from __future__ import annotations

from typing import Any

import pytest

from audit.printed import Json, counted, ends, ids_of, lacking, printed

PLAN = "vlm-finetune"
IDS = ids_of("004")


def cells(plan: Json, table: str, column: str) -> dict[str, Any]:
    return {row["id"]: row["cells"][column] for row in plan["tables"][table]["rows"]}


def test_every_figure_of_the_document_has_one_verdict(audit: Json) -> None:
    assert sorted(claim["id"] for claim in audit["claims"]) == IDS
    assert len(IDS) == 234


def test_counts_by_verdict(audit: Json) -> None:
    assert counted(audit["claims"]) == {
        "contradicted": 40,
        "follows": 12,
        "input": 106,
        "reproduced": 64,
        "rounded": 3,
        "underdetermined": 9,
    }


DEFENDED = [
    # figure, verdict, the value it was compared with
    ("004-L026-01", "contradicted", (12, 12)),  # an RTX 5070 with 16 GB
    ("004-L027-01", "contradicted", (16, 16)),  # an RTX 5080 with 20 GB
    ("004-L091-01", "contradicted", (36, 36)),  # 18 GB, the sum of 8, 16, 8 and 4
    ("004-L087-02", "contradicted", (1, 1)),  # 2 GB for 2B parameters in 4 bits
    ("004-L101-01", "contradicted", (8, 8)),  # 4 and 8 on the same number of accelerators
    ("004-L122-01", "contradicted", (12, 12)),  # 4 bytes remain; they are not saved
    ("004-L131-03", "contradicted", (2e9, 2.86331e9)),  # 7B on two RTX 4090
    ("004-L140-03", "contradicted", (50.9497e9, 50.9497e9)),  # 175B on eight A100
    ("004-L020-06", "underdetermined", (87.5, 93.6508)),  # from the speed of an RTX 4060 Ti
    ("004-L022-06", "underdetermined", (35.1563, 42.3590)),  # from the speed of an RTX 4080
    ("004-L083-01", "rounded", (2.2089856e9, 2.2089856e9)),  # "2B", including the vision tower
    ("004-L087-01", "follows", (8, 8)),  # in 32 bits
    ("004-L124-01", "reproduced", (16, 16)),  # on very many accelerators
]


@pytest.mark.parametrize(("id_", "verdict", "held"), DEFENDED)
def test_verdicts_that_the_author_would_question(
    claims: dict[str, Json], id_: str, verdict: str, held: tuple[float, float]
) -> None:
    claim = claims[id_]
    assert claim["verdict"] == verdict
    assert ends(claim["computed"]) == pytest.approx(held, rel=1e-5)


def test_times_of_an_unstated_job_lack_the_job(claims: dict[str, Json]) -> None:
    lacks = lacking(claims)
    job = ["how many samples the runs see", "how long their samples are"]
    lines = (20, 21, 22, 23, 24, 25, 26, 29)
    assert lacks == {f"004-L0{line}-06": job for line in lines} | {"004-L032-07": job}


def test_implausible_ratios_of_stated_times_are_a_finding(
    findings: dict[str, Json],
) -> None:
    stated, arithmetic, bandwidth = findings["h100-hardly-faster"]["shows"]
    assert stated["result"]["value"] == 1.5
    assert arithmetic["result"]["value"] > bandwidth["result"]["value"] > 1.5


def test_a_total_inherits_the_errors_of_its_parts(claims: dict[str, Json]) -> None:
    assert claims["004-L091-01"]["inherits"] == [f"004-L0{line}-01" for line in (87, 88, 89)]
    assert claims["004-L091-02"]["inherits"] == [f"004-L0{line}-02" for line in (87, 88, 89)]
    assert claims["004-L026-03"]["inherits"] == ["004-L026-01"]


@pytest.mark.parametrize(
    ("name", "written", "implied", "computed"),
    [
        ("full_memory", 18, 36, 47.5306),
        ("full_sharded", 18, 24, 32.0677),
        ("lora_memory", 6, 12, 11.1960),
        ("qlora_memory", 5, 10, 8.26395),
        ("largest", 7, 2.17698, 1.73509),
        ("largest_eight", 175, 50.9497, 31.8597),
    ],
)
def test_a_headline_has_a_written_an_implied_and_a_computed_value(
    headlines: dict[str, Json], name: str, written: float, implied: float, computed: float
) -> None:
    told = [headlines[name][key]["value"] for key in ("written", "implied", "computed")]
    assert told == pytest.approx([written, implied, computed], rel=1e-4)


def test_a_finding_has_its_effect_on_a_total(findings: dict[str, Json]) -> None:
    assert ends(findings["totals-are-half"]["effects"]["full_memory"]) == (18, 18)
    assert ends(findings["sizes-of-another-method"]["effects"]["largest"]) == pytest.approx(
        (1.73509 - 7, 1.73509 - 7), abs=1e-4
    )


def test_the_document_recommends_a_setup_that_does_not_fit() -> None:
    written = printed("show", "vlm-finetune", "--set", "scenario=written")
    verdicts = cells(written, "answers", "verdict")
    unfit = [setup for setup, word in verdicts.items() if word["value"] == "does not fit"]
    assert unfit == ["rtx5090-4"]
    assert written["quantities"]["check.within_memory"]["value"] is False


def test_every_recommended_configuration_fits_and_none_is_quantized() -> None:
    plan = printed("show", "vlm-finetune")
    assert {cell["value"] for cell in cells(plan, "answers", "verdict").values()} == {"fits"}
    assert {cell["value"] for cell in cells(plan, "answers", "method").values()} == {"full", "lora"}


def test_the_command_follows_from_the_memory() -> None:
    def command(*settings: str) -> str:
        edits = [part for setting in settings for part in ("--set", setting)]
        told: str = printed("show", "vlm-finetune", *edits)["quantities"]["command"]["value"]
        return told

    begin = "uv run deepspeed --num_gpus=2 train_ds.py"
    assert command() == f"{begin} --use-lora --batch-size 2 --gradient-accumulation-steps 4"
    assert command("choice=h100-80gb-2") == (
        f"{begin} --batch-size 2 --gradient-accumulation-steps 4"
    )
    assert command("model=qwen2-vl-7b", "choice=rtx4070-2") == (
        f"{begin} --use-4bit --use-lora --batch-size 1 --gradient-accumulation-steps 8"
    )
    assert "--no-deepspeed" in command("choice=own", "setups['own'].gpus=1")


def test_measures_are_sorted_by_the_memory_they_save() -> None:
    plan = printed("show", "vlm-finetune")
    ranks = [cell["value"] for cell in cells(plan, "measures", "rank").values()]
    assert ranks == sorted(ranks)
    assert cells(plan, "measures", "saved")["accumulation"]["value"] == 0
