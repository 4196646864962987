"""`scalesheet choose`: its output, the input it refuses, and the workbook it writes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from openpyxl import load_workbook

from new.test_from_config import CONFIGS
from proof import faces
from proof.office import Office
from scalesheet.book import Book
from scalesheet.choose.answer import FIGURES
from scalesheet.cli import main
from scalesheet.commands.choose import _offers
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.edits import read_edit
from scalesheet.examine import compile_book
from scalesheet.model import Plan
from scalesheet.predict.cases.catalogue import known
from scalesheet.render.workbook.choice import with_inputs
from shipped import ROOT

DATA = str(ROOT / "data")
MODEL = "llama-3-1-8b"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run the command on the shipped book; return status, standard output and standard error."""

    def of(*arguments: str) -> tuple[int, str, str]:
        try:
            status = main(["choose", *arguments, "--data", DATA])
        except SystemExit as ended:
            status = int(ended.code or 0)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return of


def test_a_model_by_its_config_is_chosen_for_like_the_model_by_name(
    run: Any, tmp_path: Path
) -> None:
    file, book = tmp_path / "mine" / "config.json", tmp_path / "answer.xlsx"
    file.parent.mkdir()
    file.write_text(json.dumps(CONFIGS[MODEL]), "utf-8")
    answers = []
    for name in (MODEL, str(file), str(file.parent)):
        status, text, _ = run(name, "--gpus-at-most", "16", "--workbook", str(book))
        assert status == 0
        answers.append(text.splitlines()[1:])
    assert answers[0] == answers[1] == answers[2]
    models = load_workbook(book, read_only=True)["Models"]
    assert "mine-config" in {row[0] for row in models.iter_rows(values_only=True)}
    status, _, told = run(str(tmp_path / "none.json"))
    assert status == 2
    assert "none.json: the path does not exist; name a file" in told


def test_the_answer_comes_first_then_limits_alternatives_and_assumptions(run: Any) -> None:
    status, text, _ = run(MODEL, "--gpus-at-most", "64")
    assert status == 0
    lines = text.splitlines()
    assert lines[0].startswith("Llama 3.1 8B, full fine-tuning or LoRA or QLoRA: 1B tokens")
    places = [
        next(n for n, line in enumerate(lines) if line.startswith(start))
        for start in (*("Preferred: ", "What binds", "Methods", "Alternatives", "Assumptions"),)
    ]
    assert places == sorted(places)
    methods = lines[places[2] + 1 : places[3] - 1]
    assert [line.split("  ")[1] for line in methods] == ["full fine-tuning", "LoRA", "QLoRA"]
    for method in ("full fine-tuning", "QLoRA"):
        assert f"by {method}" in text


def test_a_deadline_is_a_time_or_a_day(run: Any) -> None:
    few = (MODEL, "--offers", "h100", "--method", "lora")
    assert "within 14 days\n" in run(*few, "--deadline", "2 weeks")[1]
    _, text, _ = run(*few, "--deadline", "2999-01-01")
    assert "  deadline: until 2999-01-01, from 20" in text


def test_a_method_may_have_its_name_in_plans(run: Any) -> None:
    few = (MODEL, "--offers", "h100", "--gpus-at-most", "8")
    named = [run(*few, "--method", name)[1] for name in ("pretrain", "pretraining")]
    assert named[0] == named[1]
    assert "8B, pretraining: " in named[0]


def test_only_assumptions_that_matter_to_the_job_are_listed(run: Any) -> None:
    _, tuned, _ = run(MODEL, "--method", "lora", "--term", "spot")
    _, trained, _ = run(MODEL, "--method", "pretrain")
    assert "LoRA rank: 8" in tuned
    assert "Methods" not in tuned  # only one was requested, so there is no choice
    assert "Interruptions per spot node per day" in tuned
    assert "Interruptions per spot node per day" not in trained
    assert "as in published hours" not in tuned
    assert "LoRA rank" not in trained
    assert "fine-tuning" not in trained.partition("Assumptions")[2]
    assert "as in published hours" in trained


def test_a_precision_that_was_not_asked_for_has_no_odds(run: Any) -> None:
    _, text, _ = run(MODEL, "--format", "json")
    data = json.loads(text)
    reasons = [data["best"]["why"], *(row["why"] for row in data["others"])]
    assert "in FP8" in reasons
    odds = dict(zip(reasons, data["odds"], strict=True))
    assert odds.pop("in FP8") is None
    chances = [
        each["chance"] for why, each in zip(reasons, data["odds"], strict=True) if why in odds
    ]
    assert sum(chances) == pytest.approx(1)


def test_json_and_csv_hold_the_same_rows(run: Any) -> None:
    _, text, _ = run(MODEL, "--method", "lora", "--format", "json")
    data = json.loads(text)
    _, table, _ = run(MODEL, "--method", "lora", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(table)))
    every = [data["best"], *data["others"]]
    assert [row["why"] for row in rows] == [row["why"] for row in every]
    for row, said in zip(rows, every, strict=True):
        assert row["offer"] == said["offer"]["value"]
        for name in FIGURES:
            if "reason" in said[name]:  # the energy of an accelerator without a stated power
                assert (row[name], row[f"{name}_high"]) == ("", "")
                continue
            assert float(row[name]) == said[name]["value"]
            assert float(row[f"{name}_high"]) == said[name]["high"]
            assert row[f"{name}_unit"] == said[name]["unit"]
    assert all(row["cost"] for row in rows)
    assert {row["method"] for row in rows} == {"LoRA"}
    assert all(each["saving"] > 0 and each["says"] for each in data["binding"])


def test_names_times_and_numbers_are_read_as_people_write_them(run: Any) -> None:
    _, one, _ = run("Llama 3.1 8B", "--tokens", "1B", "--deadline", "72 h", "--format", "json")
    _, other, _ = run(
        MODEL, "--tokens", "1_000_000_000", "--deadline", "3 days", "--format", "json"
    )
    assert one == other
    _, samples, _ = run(MODEL, "--samples", "1e5", "--sequence", "10000", "--format", "json")
    assert json.loads(samples)["job"]["tokens"] == 1e9


def test_an_assumption_can_be_set(run: Any) -> None:
    def cost(*arguments: str) -> float:
        _, text, _ = run(MODEL, "--format", "json", *arguments)
        return float(json.loads(text)["best"]["cost"]["value"])

    def cheapest(*arguments: str) -> float:
        """The line of the cheapest answer, whether it is the preferred one or not."""
        _, text, _ = run(MODEL, "--format", "json", *arguments)
        data = json.loads(text)
        every = [data["best"], *data["others"]]
        return min(row["cost"]["value"] for row in every if row["why"] in ("cheapest", "preferred"))

    usual = cost()
    assert cost("--set", "tuning_goodput=0.45") == pytest.approx(2 * usual, rel=0.2)
    least = cheapest()
    assert cheapest("--set", "usable_share=0.3") > least
    assert cheapest("--deadline-end", "expected") <= least
    assert cheapest("--term", "any") <= least


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("llama-31-8b",), "there is no model 'llama-31-8b'; did you mean 'llama-3-1-8b'?"),
        ((MODEL, "--deadline", "3 lightyears"), "expected a time such as '3 days', '36 hours' or"),
        ((MODEL, "--deadline", "11.01.2027"), "'11.01.2027': write 2027-01-11 or 2027-11-01"),
        ((MODEL, "--deadline", "2001-01-01"), "expected a day after that of the prices, 20"),
        ((MODEL, "--set", "gpus=4"), "--set gpus=4: use --gpus-at-most 4 instead"),
        ((MODEL, "--method", "lorra"), "'lorra' is not a method; did you mean 'lora'?"),
        (("8b",), "'8b' is a size, and the architecture matters; models of about that size: lla"),
        ((MODEL, "--deadline", "0 h"), "expected a time such as '3 days', '36 hours' or"),
        ((MODEL, "--deadline", "5 GB"), "expected a time such as '3 days', '36 hours' or"),
        (
            (MODEL, "--offers", "lamda"),
            "'lamda' is not an offer, provider or accelerator that is sold; did you mean 'lambda'?",
        ),
        ((MODEL, "--offers", "zzz"), "that is sold; write an id, or a family such as a100"),
        ((MODEL, "--offers", "v100 64gb"), "'v100 64gb' is not an offer, provider or accelerator"),
        ((MODEL, "--offers", "epyc"), "the catalogue has no offer of epyc-9005-2-cores"),
        ((MODEL, "--offers", " , "), "--offers names nothing"),
        ((MODEL, "--tokens", "1e9", "--samples", "5"), "use either --tokens or --samples"),
        ((MODEL, "--tokens", "many"), "'many' is not a number above 0; write 15e9 or 1B"),
        ((MODEL, "--batch", "1.5"), "'1.5' is not a whole number"),
        ((MODEL, "--sequence", "1e6"), "supports sequences of at most 131072 tokens"),
        ((MODEL, "--set", "cards=4"), "'cards' is not an assumption"),
        ((MODEL, "--set", "power_share=2"), "outside the domain"),
        ((MODEL, "--method", "magic"), "expected one of pretrain"),
    ],
)
def test_wrong_usage_says_what_is_expected(run: Any, arguments: tuple[str, ...], says: str) -> None:
    status, out, err = run(*arguments)
    assert status == 2
    assert out == ""
    assert says in " ".join(err.split())


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        ("a100", {"a100-pcie-40gb", "a100-pcie-80gb", "a100-sxm-40gb", "a100-sxm-80gb"}),
        ("NVIDIA A100", {"a100-pcie-40gb", "a100-pcie-80gb", "a100-sxm-40gb", "a100-sxm-80gb"}),
        ("A100 80 GB", {"a100-pcie-80gb", "a100-sxm-80gb"}),
        ("h100, l40", {"h100-nvl", "h100-pcie", "h100-sxm", "l40"}),
        ("h200", {"h200-nvl", "h200-sxm"}),
        ("a10", {"a10"}),
    ],
)
def test_a_family_stands_for_all_offers_of_its_accelerators(named: str, meant: set[str]) -> None:
    book = compile_book(ROOT / "data")
    offers = book.tables["offers"]
    of = {row: stated.value for row, stated in offers.columns["accelerator"].stated.items()}
    sold = {row for row in offers.rows if of[row] in meant}
    assert sold
    assert set(_offers(named, book, known(book))) == sold


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("llama-3-1-405b", "--method", "full", "--offers", "rtx4090"), "memory: full fine-tuning"),
        ((MODEL, "--tokens", "1e15", "--deadline", "1 hour"), "deadline: "),
        ((MODEL, "--offers", "vast.ai", "--term", "reserved"), "no offer of this term has a price"),
        ((MODEL, "--offers", "aws-p4d-24xlarge-reserved"), "in force; use --term reserved"),
        (
            (
                MODEL,
                "--offers",
                "rtx4090",
                "--batch",
                "7",
                "--gpus-at-most",
                "1",
                "--sequence",
                "100000",
            ),
            "need up to",
        ),
    ],
)
def test_if_nothing_fits_the_status_is_1_and_the_nearest_is_named(
    run: Any, arguments: tuple[str, ...], says: str
) -> None:
    status, text, _ = run(*arguments)
    assert status == 1
    assert "Nothing fits." in text
    assert says in text


def test_an_unfinished_plan_in_the_book_does_not_matter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    copytree(DATA, data)
    (data / "plans/pixelis/plan.yaml").write_text("title: Unfinished\n", "utf-8")
    options = ("--offers", "lambda-1x-h100-sxm", "--method", "lora", "--gpus-at-most", "1")
    assert main(["choose", MODEL, *options, "--data", str(data)]) == 0
    assert "The cheapest that fits: " in capsys.readouterr().out


def test_only_missing_settings_are_assumed(run: Any) -> None:
    _, text, _ = run(MODEL, "--method", "lora", "--tokens", "1B", "--batch", "128")
    (line,) = (line for line in text.splitlines() if "not given" in line)
    assert line.endswith("4,096 tokens in a sequence, a deadline of 3 days")
    _, text, _ = run("gpt-2", "--samples", "1000", "--deadline", "1 day", "--format", "json")
    job = json.loads(text)["job"]
    assert job["assumed"] == ["batch", "sequence"]
    assert job["sequence"] == 1024, "no longer than the model takes"


def test_a_node_that_is_paid_for_as_a_whole_says_so(run: Any) -> None:
    options = ("--method", "lora", "--gpus-at-most", "1", "--deadline", "30 day")
    _, text, _ = run(MODEL, "--offers", "lambda-8x-h100-sxm", *options)
    assert "(the whole node of 8 is paid for)" in text
    _, text, _ = run(MODEL, "--offers", "lambda-1x-h100-sxm", *options)
    assert "whole node of" not in text


def test_the_answer_has_its_evidence_and_the_published_run(run: Any) -> None:
    asked = ("--tokens", "14.8T", "--batch", "16384", "--deadline", "400 day", "--gpus-at-most")
    options = ("--method", "pretrain", "--offers", "lambda-8x-h100-sxm", *asked, "2048")
    _, text, _ = run("deepseek-v3", *options)
    assert "published runs like this, typical error " in text
    assert "Published: DeepSeek-V3 671B took 2,664,000 GPU hours on 2,048 × NVIDIA H800" in text
    _, text, _ = run("deepseek-v3", *options, "--format", "json")
    data = json.loads(text)
    assert data["evidence"]["of"] == "runs"
    assert data["evidence"]["rows"] > 0
    assert [each["id"] for each in data["published"]] == ["deepseek-v3"]


def test_an_answer_that_does_not_fit_has_no_hours_and_no_cost(run: Any) -> None:
    options = ("--method", "full", "--offers", "rtx4090", "--format", "json")
    _, text, _ = run("llama-3-1-405b", *options)
    (miss,) = json.loads(text)["nearest"]
    assert miss["row"]["cost"]["reason"] == miss["row"]["hours"]["reason"] == "does not fit"
    assert miss["row"]["needed_memory"]["value"] > 24


def test_without_the_calculator_it_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copytree(ROOT / "tests/invalid/minimal", tmp_path / "data")
    assert main(["choose", "tiny", "--data", str(tmp_path / "data")]) == 2
    assert "there is no plan 'calculator'" in capsys.readouterr().err


def test_the_workbook_has_the_chosen_row_and_the_numbers_of_the_search(
    run: Any, tmp_path: Path, office: Office, book: Book, plan: Plan
) -> None:
    path = tmp_path / "answer.xlsx"
    wishes = (
        "llama-3-1-70b",
        "--method",
        "pretrain",
        "--tokens",
        "1e10",
        "--batch",
        "512",
        "--deadline",
        "9 day",
        "--set",
        "power_share=0.7",
        "--term",
        "any",
    )
    status, text, _ = run(*wishes, "--format", "json", "--workbook", str(path))
    assert status == 0
    best = json.loads(text)["best"]
    job = {
        "model": "llama-3-1-70b",
        "tokens": 1e10,
        "batch": 512,
        "deadline": 9,
        "trainer": "tuned",
        "power_share": 0.7,
    }
    chosen = {name: best[name]["value"] for name in best if name != "why"}
    inputs = {
        name: value
        for name, value in {**chosen, **job}.items()
        if plan.scalars[name].stated is not None
    }
    edits = dict(read_edit(book, plan, f"{name}={value}") for name, value in inputs.items())
    changed = with_inputs(plan, edits)
    with office.open(path) as workbook:
        sheets = workbook.read_all()
    results = evaluate(book, changed)
    seen = 0
    for cell in faces.cells(book, changed):
        found = sheets[cell.address[0]].get(cell.address[1])
        theirs = None if found is None else faces.said(cell, found.value)
        mine = faces.expected(results, cell)
        assert faces.agree(mine, theirs) or faces.agree(
            mine, theirs, faces.operands(results, cell)
        ), cell.label
        if cell.key.table is None and cell.key.name in FIGURES:
            assert float(str(theirs)) == pytest.approx(best[cell.key.name][cell.end], rel=1e-12)
            seen += 1
    assert seen >= len(FIGURES)
