"""Own records correct only predictions for their accelerator, model family and software."""

from __future__ import annotations

import math
import random
import shutil
from pathlib import Path

import pytest

from made_up import MEASURED, lay
from scalesheet.book import Book
from scalesheet.cli import main
from scalesheet.evaluate import evaluate
from scalesheet.examine import compile_book
from scalesheet.predict.calibration import Factor, calibration, factors, left_out
from scalesheet.predict.cases.catalogue import known
from scalesheet.predict.score.own import owned

SITE = ("h100-sxm", "Qwen2", "hf")
CASES = """\
id,model,method,accelerator,gpus,sequence,global_batch,micro_batch,layout,precision,checkpointing
same,qwen2-0-5b,LoRA,h100-sxm,1,2048,16,16,hf,bf16,none
kin,qwen2-1-5b,LoRA,h100-sxm,1,1024,8,8,hf,bf16,none
other-gpu,qwen2-0-5b,LoRA,a100-sxm-80gb,1,1024,8,8,hf,bf16,none
other-model,llama-3-1-8b,LoRA,h100-sxm,1,1024,8,8,hf,bf16,none
other-software,qwen2-0-5b,LoRA,h100-sxm,1,1024,8,8,megatron,bf16,none
"""
BIAS, NOISE = 1.3, 0.1


def records(folder: Path, count: int) -> dict[str, str]:
    """Records of a site whose runs take about 1.3 times the predicted time and memory."""
    draw = random.Random(7)
    shapes = [(batch, length) for batch in (4, 8, 16) for length in (512, 1024, 2048)][:count]
    plain = {
        f"record-{n}": MEASURED.replace(
            "value: 8, unit: sequence", f"value: {batch}, unit: sequence"
        ).replace("value: 1024, unit: token", f"value: {length}, unit: token")
        for n, (batch, length) in enumerate(shapes)
    }
    book = compile_book(lay(folder / "plain", plain))
    foretold = {task: owned(book, task, known(book)) for task in ("throughput", "memory")}
    made = {}
    for n, (id, text) in enumerate(plain.items()):
        speed, memory = (float(own.made.predicted[n]) for own in foretold.values() if own)
        speed /= BIAS * math.exp(draw.gauss(0, NOISE))
        memory *= BIAS * math.exp(draw.gauss(0, NOISE))
        made[id] = text.replace("value: 16384", f"value: {speed:.6g}").replace(
            "value: 10, unit: GiB", f"value: {memory:.6g}, unit: byte"
        )
    return made


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    return lay(folder / "biased", records(folder, 6))


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay(tmp_path_factory.mktemp("bare"), {})


@pytest.fixture(scope="module")
def book(site: Path) -> Book:
    return compile_book(site)


def printed(
    data: Path, task: str, folder: Path, capsys: pytest.CaptureFixture[str], *more: str
) -> dict[str, list[str]]:
    file = folder / "cases.csv"
    file.write_text(CASES, "utf-8")
    assert main(["predict", task, str(file), "--data", str(data), *more]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    return {line.split(",")[0]: line.split(",") for line in lines}


@pytest.mark.parametrize("task", ["throughput", "memory"])
def test_a_known_bias_is_recovered(book: Book, task: str) -> None:
    found = calibration(book, task)
    assert list(found) == [SITE]
    factor = found[SITE]
    assert factor.records == 6
    assert factor.low < BIAS < factor.high
    assert 1.15 < factor.value < 1.4
    off = left_out(book, task)
    assert off is not None
    assert off.records == 6
    assert off.after < 1.15 < off.before


@pytest.mark.parametrize("task", ["throughput", "memory"])
def test_it_corrects_only_its_own_accelerator_family_and_software(
    site: Path, book: Book, task: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = printed(site, task, tmp_path, capsys, "--no-calibration")
    after = printed(site, task, tmp_path, capsys)
    factor = calibration(book, task)[SITE]
    times = 1 / factor.value if task == "throughput" else factor.value
    for id in ("same", "kin"):
        assert float(after[id][1]) == pytest.approx(float(before[id][1]) * times, rel=1e-5)
        assert float(after[id][2]) < float(after[id][1]) < float(after[id][3])
        assert factor.said(SITE) in ",".join(after[id])
    for id in ("other-gpu", "other-model", "other-software"):
        assert after[id] == before[id]


def test_without_own_records_nothing_changes(
    site: Path, bare: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for task in ("throughput", "memory"):
        plain = printed(bare, task, tmp_path, capsys)
        assert plain == printed(bare, task, tmp_path, capsys, "--no-calibration")
        assert plain == printed(site, task, tmp_path, capsys, "--no-calibration")


def test_a_book_can_switch_it_off(
    site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = printed(site, "memory", tmp_path, capsys, "--no-calibration")
    file = site / "book.yaml"
    text = file.read_text("utf-8")
    file.write_text(text + "calibrated: no\n", "utf-8")
    try:
        assert printed(site, "memory", tmp_path, capsys) == before
    finally:
        file.write_text(text, "utf-8")


def test_a_left_out_record_has_no_effect(book: Book) -> None:
    every, fewer = (calibration(book, "memory", without=id) for id in ("", "record-0"))
    assert fewer[SITE].records == every[SITE].records - 1
    assert fewer[SITE] != every[SITE]


def of_one_site(ratios: list[float]) -> Factor:
    return factors([SITE] * len(ratios), ratios)[SITE]


def test_the_range_narrows_with_the_number_of_records() -> None:
    wide = [of_one_site([BIAS] * n) for n in (1, 3, 10, 30)]
    spans = [factor.high / factor.low for factor in wide]
    assert spans == sorted(spans, reverse=True)
    assert [factor.value for factor in wide] == sorted(factor.value for factor in wide)
    assert wide[-1].value == pytest.approx(BIAS, rel=0.02)


@pytest.mark.parametrize("count", [1, 3, 6])
def test_the_range_covers_the_truth_of_500_sites(count: int) -> None:
    """It is an 80 % interval: sites deviate from 1, and their runs scatter, as much as assumed."""
    draw = random.Random(count)
    covered = of_runs = 0
    for _ in range(500):
        truth = draw.gauss(0, math.hypot(0.3, 0.2))
        factor = of_one_site([math.exp(truth + draw.gauss(0, 0.2)) for _ in range(count)])
        covered += factor.low <= math.exp(truth) <= factor.high
        of_runs += factor.run_low <= math.exp(truth + draw.gauss(0, 0.2)) <= factor.run_high
    assert 0.75 <= covered / 500 <= 0.92
    assert 0.75 <= of_runs / 500 <= 0.92


CASE = """\
title: A run
summary: One run.
headline: [needed_memory, token_time]
case:
  of: training-run
  with: {model: qwen2-0-5b, method: LoRA, tokens: 100M, offer: OFF, gpus: 1}
"""


def test_the_table_of_own_records_changes_a_plan(
    site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    shutil.copytree(site, data)
    for offer in ("lambda-1x-h100-sxm", "lambda-1x-a10"):
        folder = data / "plans" / offer
        folder.mkdir(parents=True)
        (folder / "plan.yaml").write_text(CASE.replace("OFF", offer), "utf-8")
        (folder / "page.md").write_text("# A run\n", "utf-8")

    def shown(offer: str) -> list[float]:
        book = compile_book(data)
        results = evaluate(book, book.plans[offer]).scalars
        return [float(results[name].value or 0) for name in ("token_time", "needed_memory")]

    before = {offer: shown(offer) for offer in ("lambda-1x-h100-sxm", "lambda-1x-a10")}
    assert main(["fit", "--own", "--check", "--data", str(data)]) == 1
    assert main(["fit", "--own", "--data", str(data)]) == 0
    assert main(["fit", "--own", "--check", "--data", str(data)]) == 0
    said = capsys.readouterr().out
    assert "memory: 6 own records, each corrected by the others: median error 1.0" in said
    table = (data / "tables" / "calibration.yaml").read_text("utf-8")
    assert "h100-sxm-qwen2-general:" in table
    assert table.count("note: from 6 own records") == 2
    book = compile_book(site)
    times = [calibration(book, task)[SITE].value for task in ("throughput", "memory")]
    assert shown("lambda-1x-h100-sxm") == pytest.approx(
        [value * by for value, by in zip(before["lambda-1x-h100-sxm"], times, strict=True)],
        rel=1e-3,
    )
    assert shown("lambda-1x-a10") == pytest.approx(before["lambda-1x-a10"], rel=1e-12)
    (data / "book.yaml").write_text(
        (data / "book.yaml").read_text("utf-8") + "calibrated: no\n", "utf-8"
    )
    assert shown("lambda-1x-h100-sxm") == before["lambda-1x-h100-sxm"]


def test_a_book_without_own_records_needs_no_table(
    bare: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", "--own", "--data", str(bare)]) == 0
    assert "no records and no finished runs with a prediction" in capsys.readouterr().out
    assert not (bare / "tables" / "calibration.yaml").exists()


RUNS = """\
title: Runs
summary: Runs of one kind.
headline: [hours]
actuals: {table: runs, gpu_hours: gross_gpu_hours}
scalars:
  hours: {title: Hours, unit: GPU * hour, formula: sum(runs.gross_gpu_hours)}
tables:
  runs:
    of: training-run
    with: {method: LoRA, offer: lambda-1x-h100-sxm, gpus: 1, tokens: 100M}
    rows: {one: {model: qwen2-0-5b}, two: {model: qwen2-1-5b}, three: {model: qwen2-0-5b}}
"""


def hours_of(data: Path) -> list[float]:
    book = compile_book(data, plans=["runs"])
    column = evaluate(book, book.plans["runs"]).tables["runs"]["gross_gpu_hours"]
    return [float(value.value or 0) for value in column]


def test_finished_runs_of_a_plan_correct_the_time_of_the_next(
    bare: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They took twice the predicted time, so the next run gets twice; applying them again changes
    nothing."""
    data = tmp_path / "data"
    shutil.copytree(bare, data)
    folder = data / "plans" / "runs"
    (folder / "actuals").mkdir(parents=True)
    (folder / "plan.yaml").write_text(RUNS, "utf-8")
    (folder / "page.md").write_text("# Runs\n", "utf-8")
    plain = hours_of(data)
    lines = [f"{row},done,{2 * hours}" for row, hours in zip(["one", "two"], plain, strict=False)]
    text = "\n".join(["phase,state,gpu_hours", *lines, "three,failed,9"])
    (folder / "actuals" / "typed.csv").write_text(text + "\n", "utf-8")
    assert main(["fit", "--own", "--data", str(data)]) == 0
    table = (data / "tables" / "calibration.yaml").read_text("utf-8")
    assert "from 2 own records" in table
    assert "memory: {reason: no own record of it}" in table
    taught = factors([SITE] * 2, [2.0, 2.0])[SITE].value
    assert 1.4 < taught < 2
    assert hours_of(data) == pytest.approx([taught * each for each in plain], rel=1e-3)
    assert main(["fit", "--own", "--check", "--data", str(data)]) == 0
    assert "is up to date" in capsys.readouterr().out
