"""The plan `calculator` computes what `predict` does, and its inputs answer its own job."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scalesheet.book import Book
from scalesheet.choose.answer import DECIDED
from scalesheet.choose.job import PLAN, Assumptions, Job, stated_in
from scalesheet.choose.search import search
from scalesheet.evaluate import evaluate
from scalesheet.model import Key, Plan
from scalesheet.predict import memory
from scalesheet.predict.arrays import Words
from scalesheet.predict.cases import Cases, cases_of
from scalesheet.predict.cases.catalogue import Known
from scalesheet.predict.cases.reader import read_csv
from scalesheet.predict.memory.footprint import PARTS
from scalesheet.predict.tasks import predict
from scalesheet.predict.time import efficiency
from scalesheet.vocabulary import METHODS, TUNING

EXACT = 1e-12

#: Configurations; missing settings are those of the first.
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "LoRA on one": {
        "model": "llama-3-1-8b",
        "method": "lora",
        "offer": "runpod-community-rtx4090",
        "gpus": 1,
        "stage": 0,
        "tensor": 1,
        "pipeline": 1,
        "micro_batch": 2,
        "checkpointing": "full",
        "trainer": "general",
        "sequence": 2048,
        "batch": 64,
    },
    "full on a node": {"method": "full", "offer": "lambda-8x-h100-sxm", "gpus": 8, "stage": 3},
    "pretraining on 64": {
        "method": "pretrain",
        "trainer": "tuned",
        "offer": "lambda-8x-h100-sxm",
        "gpus": 64,
        "stage": 1,
        "tensor": 4,
        "pipeline": 2,
        "checkpointing": "none",
        "sequence": 4096,
        "batch": 512,
    },
    "shared table": {"model": "qwen2-0-5b", "method": "pretrain", "trainer": "tuned"},
    "QLoRA, packed": {
        "model": "llama-3-1-70b",
        "method": "qlora",
        "offer": "aws-p5-48xlarge",
        "gpus": 8,
    },
    "experts": {
        "model": "mixtral-8x7b",
        "method": "full",
        "offer": "runpod-secure-mi300x",
        "gpus": 8,
        "stage": 2,
    },
    "no BF16": {
        "offer": "aws-p3-2xlarge",
        "micro_batch": 1,
        "model": "qwen2-0-5b",
        "method": "full",
    },
}


def configuration(name: str) -> dict[str, Any]:
    return {**CONFIGURATIONS["LoRA on one"], **CONFIGURATIONS[name]}


def edits(inputs: Mapping[str, Any]) -> dict[Key, Any]:
    """A configuration as edits of the plan."""
    named = {**inputs, "method": METHODS[inputs["method"]].plan}
    return {Key(k): float(v) if isinstance(v, int) else v for k, v in named.items()}


@pytest.fixture(params=CONFIGURATIONS)
def inputs(request: pytest.FixtureRequest) -> dict[str, Any]:
    return configuration(request.param)


@pytest.fixture
def cells(book: Book, plan: Plan, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    return evaluate(book, plan, edits(inputs)).scalars


@pytest.fixture
def case(book: Book, inputs: Mapping[str, Any], cells: Mapping[str, Any], tmp_path: Path) -> Cases:
    """A configuration as a row of a file for `predict`."""
    offer = inputs["offer"]
    accelerator = str(book.tables["offers"].columns["accelerator"].stated[offer].value)
    wide = book.tables["hardware"].columns["dense_bf16"].stated[accelerator].reason is None
    kind = {"pretrain": "pretrain", "full": "finetune-full", "lora": "finetune-lora"}
    row = {
        "id": "r",
        "model": inputs["model"],
        "hardware": accelerator,
        "n_gpus": inputs["gpus"],
        "seq_len": inputs["sequence"],
        "global_batch_seqs": inputs["batch"],
        "micro_batch": inputs["micro_batch"],
        "act_ckpt": inputs["checkpointing"],
        "parallelism": f"TP{inputs['tensor']} PP{inputs['pipeline']} VP{cells['chunks'].value:.0f}",
        "precision": "bf16" if wide else "fp16",
        "task": kind.get(inputs["method"], "lora-nf4-dq"),
    }
    path = tmp_path / "row.csv"
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, list(row))
        table.writeheader()
        table.writerow(row)
    read = cases_of(read_csv(path, "throughput"), book)

    def word(text: str) -> Words:
        return np.array([text], dtype=object)

    return replace(
        read,
        zero=np.array([float(inputs["stage"])]),
        optimizer=word("adam"),
        flash=word("yes" if wide else ""),
        framework=word("hf" if inputs["trainer"] == "general" else ""),
    )


def close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=EXACT)


def test_throughput_and_its_range_match_predict(
    book: Book, case: Cases, cells: Mapping[str, Any]
) -> None:
    made = predict(book, "throughput", case)
    assert made.unsupported.tolist() == [None]
    value = cells["throughput"]
    assert close(value.value, made.predicted[0])
    assert close(value.low, made.low[0])
    assert close(value.high, made.high[0])


def test_memory_with_its_range_and_parts_matches_predict(
    book: Book,
    plan: Plan,
    case: Cases,
    cells: Mapping[str, Any],
    inputs: Mapping[str, Any],
    assumed: Assumptions,
) -> None:
    made = predict(book, "memory", case)
    value = cells["needed_memory"]
    assert close(value.value * 2**30, made.predicted[0])
    assert close(value.low * 2**30, made.low[0])
    assert close(value.high * 2**30, made.high[0])
    most = memory.most_memory(book, case, assumed.memory)
    assert close(cells["most_memory"].value * 2**30, most[0])
    fits = memory.fits(book, case, assumed.memory)[0]
    assert (cells["verdict"].value == "fits") == fits
    results = evaluate(book, plan, edits(inputs))
    for name, part in memory.memory_components(book, case, assumed.memory).items():
        own = results.cell("memory", PARTS[name], "value").value
        assert own == pytest.approx(part[0] / 2**30, rel=1e-12), name


def test_every_coefficient_of_the_plan_is_read_from_a_fit(plan: Plan, book: Book) -> None:
    """Editing a fit changes the plan, so no coefficient is copied into it."""
    fits = book.tables["fits"]
    text = " ".join(s.formula.text for s in plan.scalars.values() if s.formula is not None)
    for table in plan.tables.values():
        for column in table.columns.values():
            text += " ".join(own.text for own in column.own.values())
    for name in efficiency.OF_STEPS:
        assert f"fits['throughput'].{name}" in text, name
        assert f"fits['throughput'].{name}_varies" in text, name
        assert name in fits.columns
    for name in memory.FITTED:
        assert f"fits['memory'].{name}" in text, name


def test_the_shipped_configuration_is_the_answer_to_the_shipped_job(
    book: Book, plan: Plan, catalogue: Known, assumed: Assumptions
) -> None:
    """The answer of `scalesheet choose llama-3-1-8b`; if it changes, change the plan's inputs."""
    own = {
        name: stated.value
        for name in (*DECIDED, "model", "trainer")
        if (stated := plan.scalars[name].stated) is not None
    }
    job = Job(
        model=str(own["model"]),
        methods=TUNING,
        tokens=stated_in(book, plan, "tokens", "token"),
        sequence=stated_in(book, plan, "sequence", "token / sequence"),
        batch=stated_in(book, plan, "batch", "sequence / step"),
        deadline=stated_in(book, plan, "deadline", "hour"),
        certain=True,
        most_gpus=1024.0,
    )
    found = search(book, catalogue, job, assumed)
    best = found.best(found.good)
    assert best is not None
    made, at = found.grid, found.at[best]
    answer = {
        "method": METHODS[made.method[at]].plan,
        "offer": found.offers.ids[found.of[best]],
        "gpus": made.gpus[at],
        "stage": made.stage[at],
        "tensor": made.tensor[at],
        "pipeline": made.pipeline[at],
        "experts": made.experts[at],
        "context": made.context[at],
        "offload": made.offload[at],
        "precision": made.precision[at],
        "micro_batch": made.micro_batch[at],
        "checkpointing": made.checkpointing[at],
    }
    assert answer == {name: own[name] for name in DECIDED}, f"inputs of {PLAN} to be renewed"
    assert job.trainer_of(made.method[at]) == own["trainer"]
