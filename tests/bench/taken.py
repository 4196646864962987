"""A made-up record for tests, with round figures and a model and GPU from the catalogue."""

from __future__ import annotations

from datetime import date
from typing import Any

from scalesheet.book import Book
from scalesheet.steps.job import Job
from scalesheet.steps.record import Figure, Record
from scalesheet.steps.shapes import shape_of

#: The parts of the catalogue that records and simple predictions of steps need.
FEW = (
    *("hardware", "formulas"),
    *(f"models/{name}.yaml" for name in ("pythia-14m", "smollm2-135m", "gpt-2", "llama-3-1-8b")),
)
DAY = date(2026, 11, 22)
FIGURES = {
    "accelerators": Figure(1, "GPU"),
    "batch_size": Figure(8, "sequence / step"),
    "micro_batch": Figure(4, "sequence / step"),
    "accumulation": Figure(2, "1"),
    "sequence_length": Figure(256, "token / sequence"),
    "steps": Figure(40, "step"),
    "step_time": Figure(0.5, "second / step", 0.49, 0.51),
    "step_spread": Figure(0.031, "1"),
    "data_loading_share": Figure(0.01, "1"),
    "forward_share": Figure(0.33, "1"),
    "backward_share": Figure(0.6, "1"),
    "optimizer_share": Figure(0.06, "1"),
    "tokens_per_second": Figure(4096, "token / second"),
    "samples_per_second": Figure(16, "sequence / second"),
    "peak_memory": Figure(4e9, "byte"),
    "weights_memory": Figure(538060032, "byte"),
    "gradients_memory": Figure(538060032, "byte"),
    "optimizer_memory": Figure(1076120064, "byte"),
    "activations_memory": Figure(1.5e9, "byte"),
}


def job(book: Book, **more: Any) -> Job:
    shape = shape_of(book, "smollm2-135m")
    settings = {"precision": "fp32", "batch": 4, "accumulation": 2, "length": 256, **more}
    return Job(shape, "rtx4090", "cuda", **settings)


def record(book: Book, how: Any = "measured", **more: Any) -> Record:
    return Record(
        job=more.pop("job", None) or job(book),
        how=how,
        day=DAY,
        command="scalesheet bench run smollm2-135m --precision fp32 --batch 4",
        figures=dict(FIGURES),
        environment="a machine of a test",
        libraries={"torch": "2.13.0"},
        **more,
    )
