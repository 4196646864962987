"""A step's memory is counted to the byte for each kind of block under many settings."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.tiny_job import block_of
from scalesheet.book import Book
from scalesheet.evaluate import evaluate, evaluate_catalogue
from scalesheet.model import Key
from scalesheet.steps.comparison import Comparison, compared
from scalesheet.steps.footprint import COMPONENT, PARTS, Footprint
from scalesheet.steps.job import Job
from scalesheet.steps.shapes import shape_of
from scalesheet.steps.simulate import simulated
from shipped import shipped_book

#: Counts from the earlier Python implementation, which agreed with measured steps.
COUNTED = Path(__file__).with_name("step_memory.csv")
HALF: dict[str, Any] = {"weights": "bf16"}
LORA: dict[str, Any] = {"method": "LoRA", "rank": 4}
SETTINGS: dict[str, dict[str, Any]] = {
    "autocast": {},
    "half": HALF,
    "32 bits": {"precision": "fp32"},
    "checkpointing": {"checkpointing": True, "batch": 4},
    "scores": {**HALF, "attention": "eager", "batch": 2, "length": 512},
    "scores again": {"attention": "eager", "checkpointing": True, "length": 1024},
    "grouped on CUDA": {"device": "cuda", "precision": "tf32", "batch": 3},
    "accumulation": {"accumulation": 4, "batch": 8},
    "copies": {**HALF, "gpus": 4, "strategy": "ddp"},
    "shards": {"gpus": 4, "strategy": "fsdp", "length": 64},
    "adapters": {**LORA, **HALF},
    "adapters cast": {**LORA, "precision": "fp16"},
    "adapters again": {**LORA, **HALF, "checkpointing": True, "attention": "eager", "batch": 2},
    "packed": {**LORA, "method": "QLoRA", "weights": "nf4", "batch": 2},
    "packed on CUDA": {
        **LORA,
        "method": "QLoRA",
        "weights": "nf4",
        "device": "cuda",
        "gpus": 2,
        "strategy": "fsdp",
    },
    "few words": {**HALF, "vocab": 64, "checkpointing": True, "batch": 4},
    "few words, scores": {**HALF, "vocab": 64, "checkpointing": True, "attention": "eager"},
    "long, little else": {**LORA, **HALF, "length": 4096, "checkpointing": True},
}


def job(kind: str, settings: str) -> Job:
    given = {"vocab": 2000, **SETTINGS[settings]}
    model = replace(block_of(kind), vocab=given.pop("vocab"))
    return replace(Job(model, "epyc-9005-2-cores", length=128), **given)


def counted() -> list[dict[str, str]]:
    with COUNTED.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped_book()


@pytest.mark.parametrize("settings", SETTINGS)
def test_each_block_is_counted_to_the_byte(book: Book, settings: str) -> None:
    rows = [row for row in counted() if row["settings"] == settings]
    assert {row["block"].replace("_", "-") for row in rows} == set(book.tables["blocks"].rows)
    for row in rows:
        made = Footprint(book, job(row["block"], settings))
        assert made.kind == row["block"].replace("_", "-")
        assert {**made.parts, "moment": made.moment} == {
            **{part: float(row[part]) for part in PARTS},
            "moment": row["moment"],
        }, row["block"]


def test_each_moment_of_a_step_is_the_peak_of_some_job() -> None:
    """The grid covers all seven."""
    assert len({row["moment"] for row in counted()}) == 7


def test_simulated_records_can_be_reproduced(book: Book) -> None:
    """The figures of the catalogue's simulated records match the book's count to their digits."""
    records = compared(book, simulated).values()
    own = [each for each in records if each.how == "simulated" and _says_all(each)]
    assert len(own) >= 13
    for each in own:
        for part in PARTS:
            pair = each.pairs[part]
            assert pair.recorded.value == pytest.approx(pair.predicted.value, rel=1e-9), each.id


def _says_all(record: Comparison) -> bool:
    """Whether a record has all parts; records of runs elsewhere have only the peak."""
    return all(key in record.pairs and record.pairs[key].recorded.value for key in PARTS)


def test_a_plan_gives_the_simulated_memory(book: Book) -> None:
    """The component in a plan and `bench` give the same count for models of the catalogue."""
    plan, results = book.components[COMPONENT].plan, evaluate_catalogue(book)
    settings = list(SETTINGS.values())
    for at, id in enumerate(book.tables["models"].rows[::7]):
        given = {key: value for key, value in settings[at % 16].items() if key != "vocab"}
        made = replace(Job(shape_of(book, id, results), "h200-sxm", length=128), **given)
        footprint = Footprint(book, made)
        stated = {Key(name): value for name, value in footprint.settings.items()}
        stated |= {Key("model"): id, Key("block"): footprint.kind}
        scalars = evaluate(book, plan, stated).scalars
        assert {part: scalars[name].value for part, name in PARTS.items()} == footprint.parts, id
        assert scalars["moment"].value == footprint.moment
