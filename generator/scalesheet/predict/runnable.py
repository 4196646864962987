"""Checks whether stated layouts can run: conditions of `training-run` over many cases."""

from __future__ import annotations

import numpy as np

from scalesheet.book import Book
from scalesheet.predict.arrays import Array, Flags, Reasons, given, no_reasons
from scalesheet.predict.cases import Cases
from scalesheet.predict.engine import COMPONENT, figures
from scalesheet.predict.time.steps import Layout

#: In the order in which they are reported.
CONDITIONS = (
    *("stages", "heads", "accelerators", "layers"),
    *("divided_sequence", "divided_experts", "batch", "filled"),
)


def broken(book: Book, cases: Cases) -> Reasons:
    """The first condition that each row's stated layout violates, in the component's words."""
    component = book.components.get(COMPONENT)
    reasons = no_reasons(len(cases))
    if component is None or not len(cases):
        return reasons
    known = component.plan.scalars.keys()
    names = [name for name in CONDITIONS if f"{name}_holds" in known]
    holds = _of(book, cases, [f"{name}_holds" for name in names])
    for name in names:
        rows = (holds[f"{name}_holds"] == 0) & _stated(name, cases) & ~given(reasons)
        if rows.any():  # messages are built row by row, so only where needed
            reasons[rows] = _of(book, cases.only(rows), [f"{name}_says"])[f"{name}_says"]
    return reasons


def _of(book: Book, cases: Cases, names: list[str]) -> dict[str, Array]:
    stated = {
        "gpus": cases.gpus,
        "stage": np.nan_to_num(cases.zero),
        "tensor": cases.tensor,
        "pipeline": cases.pipeline,
        "context": cases.context,
        "experts": cases.expert,
        "model.experts": cases.experts,
        "parameters": cases.parameters,
        "active": cases.active,
        "sequence": Layout(cases).sequence,
        "batch": cases.global_batch,
        # a micro-batch that is not stated is no reason to refuse
        "micro_batch": np.where(np.isnan(cases.micro_batch), 1.0, cases.micro_batch),
        "model.heads": cases.heads,
        "model.layers": cases.layers,
    }
    return figures(book, len(cases), stated, names, {})


def _stated(name: str, cases: Cases) -> Flags:
    """The rows that state everything a condition is about, without estimates."""
    ways = cases.tensor * cases.pipeline * cases.context
    rows: dict[str, Flags] = {
        "stages": ~np.isnan(cases.zero),
        "heads": cases.known & (cases.tensor > 1) & ~np.isnan(cases.heads),
        "layers": cases.known & (cases.pipeline > 1) & ~np.isnan(cases.layers),
        "accelerators": ~np.isnan(cases.gpus) & (ways > 1),
        "divided_experts": cases.known & ~np.isnan(cases.gpus) & (cases.expert > 1),
        "filled": ~np.isnan(cases.gpus) & ~np.isnan(cases.global_batch) & (cases.pipeline > 1),
        "divided_sequence": cases.context > 1,
        "batch": ~np.isnan(cases.gpus) & ~np.isnan(cases.global_batch),
    }
    return rows[name]
