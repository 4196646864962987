"""The conditions of a layout are the same in the plan and in the search over many layouts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from choose.conftest import JOB
from scalesheet.book import Book
from scalesheet.choose.conditions import TABLE, broken, obstacles
from scalesheet.choose.grid import axes_of, grid, stated
from scalesheet.choose.offers import Offers
from scalesheet.evaluate import Overrides, evaluate
from scalesheet.model import Key, Plan
from scalesheet.predict.cases.catalogue import Known

#: A layout that can run, as a base for changes.
RUNS: Mapping[str, float | str] = {
    "model": "llama-3-1-405b",
    "gpus": 128.0,
    "batch": 512.0,
    "trainer": "tuned",
    "stage": 1.0,
    "tensor": 8.0,
    "pipeline": 2.0,
    "micro_batch": 4.0,
}
#: Changes to it, and every reason why it then cannot run.
OBSTACLES: Mapping[str, tuple[Mapping[str, float | str], list[str]]] = {
    "nothing": ({}, []),
    "heads": (
        {"model": "qwen2-0-5b"},
        ["14 heads do not divide evenly among 8 tensor-parallel ranks"],
    ),
    "layers": (
        {"model": "pythia-70m", "pipeline": 16.0, "stage": 0.0},
        ["6 layers are too few for 16 pipeline stages"],
    ),
    "accelerators": (
        {"gpus": 24.0},
        ["24 accelerators do not divide into replicas of 16 (tensor degree 8 × 2 pipeline stages)"],
    ),
    "one accelerator": (
        {"gpus": 1.0, "stage": 0.0},
        ["1 accelerator does not divide into replicas of 16 (tensor degree 8 × 2 pipeline stages)"],
    ),
    "trainer": (
        {"trainer": "general"},
        ["a general trainer cannot split a replica over 16 accelerators; a tuned one can"],
    ),
    "one replica": ({"gpus": 16.0}, ["ZeRO stage 1 needs several replicas to shard over, not 1"]),
    "stage": (
        {"stage": 3.0},
        [
            "ZeRO stage 3 does not work with 2 pipeline stages, "
            "which keep gradients and weights whole"
        ],
    ),
    "batch": (
        {"batch": 100.0},
        ["100 sequences per step do not divide evenly among 8 replicas with a micro-batch of 4"],
    ),
    "a batch of one": (
        {"batch": 1.0, "pipeline": 1.0, "gpus": 16.0},
        ["1 sequence per step does not divide evenly among 2 replicas with a micro-batch of 4"],
    ),
    "pipeline": (
        {"batch": 32.0},
        ["1 micro-batch per replica and step does not fill 2 pipeline stages"],
    ),
    "several": (
        {"model": "pythia-70m", "pipeline": 16.0, "gpus": 8.0, "stage": 0.0},
        [
            "6 layers are too few for 16 pipeline stages",
            "8 accelerators do not divide into replicas of 128 "
            "(tensor degree 8 × 16 pipeline stages)",
        ],
    ),
}


def inputs(changed: Mapping[str, float | str]) -> Overrides:
    return {Key(name): value for name, value in {**RUNS, **changed}.items()}


@pytest.mark.parametrize("name", OBSTACLES)
def test_the_plan_names_every_reason_why_a_layout_cannot_run(
    name: str, book: Book, plan: Plan
) -> None:
    changed, reasons = OBSTACLES[name]
    found = evaluate(book, plan, inputs(changed))
    rows = zip(found.tables[TABLE]["holds"], found.tables[TABLE]["says"], strict=True)
    *layout, (enough, memory) = rows
    assert [says.value for holds, says in layout if not holds.value] == reasons
    assert enough.value == bool(reasons) or str(memory.value).startswith("needs ")
    assert found.scalars["broken"].value == len(reasons)
    assert (found.scalars["verdict"].value == "cannot run") == bool(reasons)


@settings(max_examples=40, deadline=None)
@given(
    model=some.sampled_from(["llama-3-1-405b", "pythia-70m", "mixtral-8x7b"]),
    batch=some.integers(1, 600),
    gpus=some.lists(some.integers(1, 300), min_size=1, max_size=3, unique=True),
)
def test_a_layout_runs_if_everything_divides_and_the_software_supports_it(
    book: Book, catalogue: Known, model: str, batch: int, gpus: list[int]
) -> None:
    place = catalogue.results.rows["models"].index(model)
    names = ("heads", "layers", "experts")
    sizes = (catalogue.results.tables["models"][name].value[place] for name in names)
    heads, layers, routed = (int(size) for size in sizes)
    axes = axes_of(JOB, gpus) | {"trainer": ["general", "tuned"]}
    counts = broken(book, {Key("model"): model, Key("batch"): float(batch)}, axes)
    values = list(axes.values())
    for place_, count in np.ndenumerate(counts):
        cards, trainer, stage, tensor, pipeline, experts, _, micro = (
            of[at] for of, at in zip(values, place_, strict=True)
        )
        ways = tensor * pipeline
        replicas, left = divmod(cards, ways)
        runs = (
            left == 0
            and heads % tensor == 0
            and pipeline * -(-layers // pipeline) <= 1.09 * layers
            and (ways == 1 or trainer == "tuned")
            and (stage == 0 or replicas > 1)
            and (pipeline == 1 or stage <= 1)
            and batch % (replicas * micro) == 0
            and (pipeline == 1 or batch >= replicas * micro * pipeline)
            and (
                experts == 1
                or (routed > 0 and routed % experts == 0 and replicas * tensor % experts == 0)
            )
        )
        if (count == 0) != runs:  # a short message, since pytest would print the repr of the book
            pytest.fail(f"{cards, trainer, stage, tensor, pipeline, experts, micro}: {count}")


def test_the_obstacles_of_the_nearest_layout_are_named(book: Book) -> None:
    axes = axes_of(JOB, [3])
    assert obstacles(book, stated(JOB), axes) == (
        "128 sequences per step do not divide evenly among 3 replicas with a micro-batch of 1",
    )
    assert obstacles(book, stated(JOB), axes_of(JOB, [8])) == ()


def test_if_no_layout_can_run_there_is_no_candidate(book: Book) -> None:
    prices = np.ones(1)
    offers = Offers(
        ("x",), ("X",), ("h100-sxm",), ("spot",), prices * 3, prices, prices, prices, ((3,),)
    )
    assert len(grid(book, JOB, offers, ())) == 0
