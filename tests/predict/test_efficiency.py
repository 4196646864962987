"""GPU hours and throughput: laws that every prediction obeys, and the fits and their accuracy."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from made_up import lay as lay_records
from scalesheet.book import Book
from scalesheet.cli import main
from scalesheet.predict.arrays import Array
from scalesheet.predict.cases import Cases
from scalesheet.predict.cases.catalogue import Known
from scalesheet.predict.engine import assumed
from scalesheet.predict.fits import ROWS_ON, coefficients
from scalesheet.predict.fitting import DESCRIPTIONS, written
from scalesheet.predict.records import assumed as assumptions
from scalesheet.predict.score import TaskScore, fit, score_of
from scalesheet.predict.score.truth import published
from scalesheet.predict.table import Predictions
from scalesheet.predict.tasks import TASKS, predict
from scalesheet.predict.time import efficiency
from scalesheet.vocabulary import chip
from small import lay

DATA = Path(__file__).parents[2] / "data"
RUN = {
    "model": "Llama 2 7B",
    "params_total": "6738417664",
    "tokens": "2e12",
    "hardware": "A100-80GB",
    "seq_len": "4096",
    "precision": "bf16",
    "kind": "pretrain",
}
STATED = {
    "model": "Llama 2 7B",
    "params": "6738417664",
    "seq_len": "4096",
    "hardware": "H100-80GB",
    "n_gpus": "64",
    "precision": "bf16",
    "task": "pretrain-bench",
    "micro_batch": "2",
    "global_batch_seqs": "512",
    "act_ckpt": "none",
    "parallelism": "FSDP",
}
CHIPS = {
    "a100-sxm-80gb": "a100",
    "h100-pcie": "h100",
    "gb200": "gb200",
    "rtx-a6000": "rtx_a6000",
    "rtx-pro-6000-ws": "rtx_pro_6000",
    "rtx6000-ada": "rtx6000",
    "tpu-v5e": "tpu_v5e",
}
Described = Several = Callable[..., Cases]


@pytest.fixture(scope="module")
def described(several: Several) -> Described:
    return lambda task, *at, **more: several(task, RUN if task == "runs" else STATED, *at, **more)


@pytest.fixture(scope="module")
def scores(book: Book, catalogue: Known) -> dict[str, TaskScore]:
    found = {task: score_of(book, task, catalogue) for task in ("runs", "throughput")}
    return {task: made for task, made in found.items() if made is not None}


def numbers(book: Book, task: str, rows: Cases) -> Array:
    made = predict(book, task, rows)
    assert not any(made.unsupported.tolist()), made.unsupported
    return made.predicted


# ------------------------------------------------------------------ laws


def test_more_accelerators_never_take_fewer_gpu_hours(book: Book, described: Described) -> None:
    counts = tuple(str(2**power) for power in range(15))
    hours = numbers(book, "runs", described("runs", "n_gpus", counts))
    assert np.all(np.diff(hours) >= 0)
    assert hours[-1] > hours[3]


def test_gpu_hours_are_proportional_to_tokens(book: Book, described: Described) -> None:
    hours = numbers(book, "runs", described("runs", "tokens", ("1e12", "3e12")))
    assert hours[1] == pytest.approx(3 * hours[0], rel=0.03)
    assert hours[1] < 3 * hours[0]  # longer runs take larger steps
    given = described("runs", "tokens", ("1e12", "3e12"), global_batch_seqs="2048")
    hours = numbers(book, "runs", given)
    assert hours[1] == pytest.approx(3 * hours[0])


@pytest.mark.parametrize("task", ["runs", "throughput"])
@given(times=some.floats(1.0, 10.0), what=some.sampled_from(["products", "bandwidth", "link"]))
def test_a_faster_accelerator_is_not_slower(
    book: Book, described: Described, task: str, times: float, what: str
) -> None:
    rows = described(task)
    quicker: dict[str, Any] = {
        "products": {
            "peak": rows.peak * times,
            "sixteen": rows.sixteen * times,
            "measured": rows.measured * times,
        },
        "bandwidth": {"bandwidth": rows.bandwidth * times},
        "link": {"link": rows.link * times},
    }[what]
    before, after = numbers(book, task, rows), numbers(book, task, replace(rows, **quicker))
    assert (after <= before if task == "runs" else after >= before).all()


def test_newer_accelerators_take_fewer_hours(book: Book, described: Described) -> None:
    names = ("A100-80GB", "H100-80GB", "B200")  # all with bf16 units
    hours = numbers(book, "runs", described("runs", "hardware", names))
    assert np.all(np.diff(hours) < 0)


@pytest.mark.parametrize("task", ["runs", "throughput"])
def test_efficiency_is_above_0_and_at_most_the_achievable_one(
    book: Book, scores: dict[str, TaskScore], task: str
) -> None:
    made, rows = scores[task].made.predicted, scores[task].published.cases
    small = np.isin(rows.method.astype(str), ("lora", "qlora", "adapter"))
    rate = made if task == "throughput" else rows.tokens / (made * 3600)
    used = rate * rows.active * np.where(small, 4, 6) / rows.peak
    achievable = np.where(
        np.isnan(rows.measured), assumed(book, "usual_achievable"), rows.measured / rows.sixteen
    )
    of = ~np.isnan(used)
    assert of.sum() > 40
    assert np.all((used[of] > 0) & (used[of] <= achievable[of]))


@pytest.mark.parametrize("task", ["runs", "throughput"])
def test_every_range_contains_its_point(scores: dict[str, TaskScore], task: str) -> None:
    made = scores[task].made
    of = ~np.isnan(made.predicted)
    assert np.all((made.low[of] < made.predicted[of]) & (made.predicted[of] < made.high[of]))


def test_missing_inputs_widen_the_range(book: Book, described: Described) -> None:
    def width(rows: Cases) -> float:
        made = predict(book, "throughput", rows)
        return float(np.log(made.high / made.low)[0])

    assert width(described("throughput")) < width(described("throughput", micro_batch=""))


STEPS = [
    ("recomputation costs time", "act_ckpt", ("none", "full")),
    ("a pipeline has a bubble", "parallelism", ("TP1 PP1", "TP1 PP8")),
    ("small micro-batches pay for gathers", "micro_batch", ("8", "1")),
    ("16 bits take longer than 8", "precision", ("fp8", "bf16")),
    ("training all costs more than LoRA", "task", ("finetune-lora", "finetune-full")),
    ("weights of 4 bits must be unpacked", "task", ("finetune-lora", "finetune-lora-nf4")),
    ("longer sequences cost attention", "seq_len", ("2048", "32768")),
    ("scores that are not fused are moved", "model", ("a model FA2", "a model noFA")),
    ("32 bits take longer than 16", "precision", ("bf16", "fp32")),
]


@pytest.mark.parametrize(("says", "column", "values"), STEPS, ids=[says for says, *_ in STEPS])
def test_the_first_is_faster(
    book: Book, described: Described, says: str, column: str, values: tuple[str, str]
) -> None:
    speed = numbers(book, "throughput", described("throughput", column, values))
    assert speed[0] > speed[1], says


def test_tensor_parallelism_collapses_across_nodes(book: Book, described: Described) -> None:
    layouts = ("TP8 PP1", "TP32 PP1")
    speed = numbers(book, "throughput", described("throughput", "parallelism", layouts))
    assert speed[1] < speed[0] / 2


# ------------------------------------------------------------------ unsupported cases

UNKNOWN = [
    ("throughput", "task", "finetune-prompt_tuning", "cost per token is not known"),
    ("throughput", "task", "finetune-boft", "cost per token is not known"),
    ("throughput", "task", "time-to-quality", "the number of tokens is not known"),
    ("throughput", "hardware", "H101", "unknown accelerator 'H101'"),
    ("runs", "tokens", "", "tokens not stated"),
    ("runs", "kind", "pretrain by pruning and distillation", "its teacher"),
    ("runs", "kind", "RLHF", "training generates answers"),
    ("runs", "kind", "dpo", "training compares answers"),
    ("runs", "kind", "evaluation", "not training"),
    ("runs", "model", "Mamba 2.8B", "layers without attention"),
]


@pytest.mark.parametrize(("task", "column", "value", "says"), UNKNOWN)
def test_unknown_cases_are_not_predicted(
    book: Book, described: Described, task: str, column: str, value: str, says: str
) -> None:
    made = predict(book, task, described(task, column, (value,)))
    assert says in made.unsupported[0]
    assert np.isnan(made.predicted[0])


@pytest.mark.parametrize("predicted", [efficiency.predict_runs, efficiency.predict_throughput])
def test_a_fit_of_another_model_is_not_used(
    book: Book, described: Described, predicted: Callable[..., Predictions]
) -> None:
    made = predicted(book, described("runs"), {"utilisation": 0.35})
    assert made.unsupported.tolist() == [efficiency.OLD_FIT]


# ------------------------------------------------------------------ fits and figures


@pytest.mark.parametrize("task", ["runs", "throughput"])
def test_the_stored_fit_follows_from_the_data_to_the_digit(
    book: Book, catalogue: Known, task: str
) -> None:
    text = written(book, task, TASKS[task].title, fit(book, task, catalogue))
    assert text == (DATA / "fits" / f"{task}.yaml").read_text()


@pytest.mark.parametrize("task", ["runs", "throughput"])
def test_every_coefficient_has_a_description(book: Book, task: str) -> None:
    described = {name for name in coefficients(book, task) if ROWS_ON not in name}
    assert described == set(DESCRIPTIONS[task].notes)


@pytest.mark.parametrize("task", ["runs", "throughput"])
def test_unseen_families_are_predicted_better_than_by_the_rule_of_thumb(
    scores: dict[str, TaskScore], task: str
) -> None:
    unseen, thumb = scores[task].unseen, scores[task].thumb
    assert unseen.median < thumb.median
    assert unseen.p90 < thumb.p90


@pytest.mark.parametrize("task", ["runs", "throughput"])
def test_four_of_five_rows_of_unseen_families_are_in_range(
    scores: dict[str, TaskScore], task: str
) -> None:
    coverage = scores[task].unseen.coverage
    assert coverage is not None
    assert 0.75 <= coverage <= 0.86


@pytest.mark.weekly
@pytest.mark.parametrize("task", ["runs", "throughput"])
def test_a_hundred_thousand_rows_take_seconds(book: Book, catalogue: Known, task: str) -> None:
    rows = published(book, task, catalogue).cases
    names = [field.name for field in fields(rows) if field.name != "task"]
    columns: dict[str, Any] = {name: np.resize(getattr(rows, name), 100_000) for name in names}
    many = replace(rows, **columns)
    start = time.process_time()
    predict(book, task, many)
    assert time.process_time() - start < 60


def test_a_fit_of_an_unknown_task_suggests_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "throughputs", "--data", str(DATA)]) == 2
    assert "did you mean 'throughput'?" in capsys.readouterr().err


def test_a_book_without_published_results_has_nothing_to_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", "runs", "--check", "--data", str(lay(tmp_path, {}))]) == 0
    assert "runs: a fit needs published results of at least two families" in capsys.readouterr().err


def test_a_fit_that_is_out_of_date_is_reported(
    book: Book, catalogue: Known, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = lay_records(tmp_path, {}, "runs")
    path = data / "fits" / "runs.yaml"
    path.write_text(path.read_text().replace("products: 1.", "products: 2."))
    assert main(["fit", "runs", "--check", "--data", str(data)]) == 1
    assert "is out of date" in capsys.readouterr().out
    assert main(["fit", "runs", "--data", str(data)]) == 0
    assert path.read_text() == (DATA / "fits" / "runs.yaml").read_text()


def test_forms_and_memories_of_one_chip_have_one_name() -> None:
    assert {accelerator: chip(accelerator) for accelerator in CHIPS} == CHIPS


@pytest.mark.parametrize("task", ["runs", "throughput"])
def test_an_accelerator_without_rows_has_a_wider_interval(
    book: Book, described: Described, task: str
) -> None:
    known = coefficients(book, task)
    assert known[ROWS_ON + "a100"] > 30
    new = {name: value for name, value in known.items() if name != ROWS_ON + "a100"}
    seen, unseen = (
        predict(book, task, described(task, hardware="A100-80GB"), fitted)
        for fitted in (known, new)
    )
    assert unseen.predicted == seen.predicted
    wide, wider = (np.log(each.high / each.predicted) / known["high"] for each in (seen, unseen))
    assert wider**2 - wide**2 == pytest.approx(known["new_chip"] ** 2)


def test_a_plan_knows_which_accelerators_have_rows(book: Book) -> None:
    rows = book.tables["hardware"].columns["throughput_rows"].stated
    assert rows["h200-nvl"].value == rows["h200-sxm"].value == 2
    assert rows["mi300x"].value == 0


def test_a_typical_model_is_what_most_of_the_catalogue_is_like(
    book: Book, catalogue: Known
) -> None:
    models = catalogue.results.tables["models"]
    size = {n: models[n].value for n in ("hidden", "layers", "head_dim", "ffn")}
    ratios = {
        "width-per-layer": size["hidden"] / size["layers"],
        "head-width": size["head_dim"],
        "widening": size["ffn"] / size["hidden"],
    }
    usual = assumptions(book)
    for name, values in ratios.items():
        found, counts = np.unique(np.round(values, 6), return_counts=True)
        assert found[counts.argmax()] == usual[name], name
