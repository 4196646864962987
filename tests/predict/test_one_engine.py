"""One engine: `predict` gives a published row the same number as a plan that states it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.model import Key
from scalesheet.predict.arrays import Flags, among
from scalesheet.predict.cases import Cases
from scalesheet.predict.cases.catalogue import SIZES, Known
from scalesheet.predict.engine import COMPONENT
from scalesheet.predict.memory.settings import chosen
from scalesheet.predict.records import assumed
from scalesheet.predict.score.truth import published
from scalesheet.predict.tasks import predict
from scalesheet.predict.time.steps import Work
from scalesheet.vocabulary import METHODS

Case = dict[Key, float | str]
#: What is offloaded to host memory, in a plan's words; other words mean the optimizer states.
AWAY = {"": "none", "both": "states and weights"}


def of_catalogue(cases: Cases, catalogue: Known) -> Cases:
    """The rows whose model is in the catalogue with the same sizes, since a plan names a model."""
    rows = catalogue.results.rows["models"]
    cases = cases.only(np.isin(cases.model_id.astype(str), rows))
    places = [rows.index(name) for name in cases.model_id.tolist()]
    table = catalogue.results.tables["models"]
    sizes = {name: table[name].value[places].astype(np.float64) for name in SIZES}
    counts = {
        "parameters": table["parameters"].value[places],
        "active": table["active_parameters"].value[places],
    }
    flags = {
        "gated": table["gated"].value[places].astype(bool),
        "known": np.full(len(places), True),
    }
    return replace(cases, **sizes, **counts, **flags)


def statable(book: Book, cases: Cases) -> Flags:
    """The rows for which a plan can state every input of `predict`."""
    work = Work(cases, book)
    products = (cases.peak == cases.sixteen) | among(cases.precision, "fp8")
    return (
        ~among(cases.accelerator, "")
        & products
        & ~among(cases.precision, "fp32", "tf32")
        & among(cases.method, *METHODS)
        & (work.fused == cases.fused)
        & (cases.pipeline == 1)
        & ~among(cases.weights, "int8", "int4", "nf4", "fp32")
        & among(cases.optimizer, "", "adam")
    )


def case(cases: Cases, at: int, **more: float | str) -> Case:
    """A row as inputs of the component."""
    method = METHODS[cases.method[at]].plan
    stated = {
        "model": str(cases.model_id[at]),
        "method": method,
        "trainer": "general" if cases.framework[at] == "hf" else "tuned",
        "tokens": 1e3,
        "supply": "owned",
        "owned_gpu": str(cases.accelerator[at]),
        "offer": "runpod-community-rtx4090",  # required, but without effect
        "tensor": float(cases.tensor[at]),
        "context": float(cases.context[at]),
        "experts": float(cases.expert[at]),
        "offload": AWAY.get(str(cases.offload[at]), "states"),
        "precision": "FP8" if cases.precision[at] == "fp8" else "16 bit",
        **more,
    }
    return {Key(name): value for name, value in stated.items()}


def throughputs(book: Book, cases: Cases) -> Iterator[tuple[int, Case]]:
    work = Work(cases, book)
    can = statable(book, cases) & np.isin(work.recomputed, (0.0, 1.0))
    for at in np.flatnonzero(can).tolist():
        each = float(work.micro_batch[at])
        yield (
            at,
            case(
                cases,
                at,
                gpus=float(work.gpus[at]),
                sequence=float(work.sequence[at]),
                stage=float(np.nan_to_num(cases.zero[at])),
                micro_batch=each,
                batch=each * float(work.micro_batches[at] * work.replicas[at]),
                checkpointing="full" if work.recomputed[at] else "none",
                attention_kernel=float(work.kernel[at]),
            ),
        )


def memories(book: Book, cases: Cases) -> Iterator[tuple[int, Case]]:
    work = Work(cases, book)
    settings, _ = chosen(book, cases)
    can = statable(book, cases) & among(settings.states, "mixed", "pure") & ~cases.flat
    can &= ~cases.compiled & ~among(cases.variant, "adapterv2")
    can &= np.isin(settings.recomputed, (0.0, 1.0)) & ~settings.offloaded & ~settings.away
    usual = assumed(book)
    can &= ~among(cases.method, "qlora") | among(cases.weights, "nf4-dq")
    for at in np.flatnonzero(can).tolist():
        yield (
            at,
            case(
                cases,
                at,
                gpus=float(work.gpus[at]),
                sequence=float(work.sequence[at]),
                stage=float(settings.stage[at]),
                micro_batch=float(settings.batch[at]),
                checkpointing="full" if settings.recomputed[at] else "none",
                rank=float(np.nan_to_num(cases.rank[at], nan=8.0)),
                logit_width=usual[f"logits-{loss}"] if (loss := cases.loss[at]) else 1.0,
                libraries=0.0 if cases.allocated[at] else 1.0,
                optimizer="Adam" if settings.states[at] == "mixed" else "16-bit Adam",
            ),
        )


@pytest.mark.parametrize(
    ("task", "least", "rows", "quantity", "unit"),
    [
        ("throughput", 70, throughputs, "token_time", lambda ms: 1000 / ms),
        ("memory", 25, memories, "all_memory", lambda size: size * 2**30),
    ],
)
def test_a_published_row_has_the_same_number_in_a_plan(
    book: Book,
    catalogue: Known,
    task: str,
    least: int,
    rows: Callable[[Book, Cases], Iterator[tuple[int, Case]]],
    quantity: str,
    unit: Callable[[float], float],
) -> None:
    cases = of_catalogue(published(book, task, catalogue).cases, catalogue)
    made = predict(book, task, cases).predicted
    plan = book.components[COMPONENT].plan
    same = 0
    for at, given in rows(book, cases):
        if np.isnan(made[at]):
            continue
        value = evaluate(book, plan, given).scalars[quantity].value
        assert isinstance(value, float)
        assert unit(value) == pytest.approx(made[at], rel=1e-12), cases.ids[at]
        same += 1
    assert same >= least
