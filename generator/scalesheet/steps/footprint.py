"""Footprint: the memory of one accelerator during a step of a job, by component.

It is counted, not fitted; docs/reference/bench.md explains how.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from scalesheet.book import Book
from scalesheet.predict.cases.catalogue import LINEAR
from scalesheet.predict.engine import figures
from scalesheet.predict.records import rows_of
from scalesheet.steps.architecture import traits_of
from scalesheet.steps.blocks import architecture, facts
from scalesheet.steps.job import Job, Shape

COMPONENT = "step-memory"
SIZES = (
    *("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab"),
    "parameters",
)
#: Memory figures of a record, with the component's quantities for them.
PARTS: Mapping[str, str] = {
    "peak_memory": "peak",
    "weights_memory": "weights",
    "gradients_memory": "gradients",
    "optimizer_memory": "optimizer_states",
    "activations_memory": "activations",
    "working_memory": "working",
}


def evaluated(book: Book, record: str, **given: float) -> float:
    """The result of a catalogue formula, in its declared unit."""
    arrays = {name: np.array([float(value)]) for name, value in given.items()}
    return float(rows_of(book, record, **arrays)[0])


class Footprint:
    """The memory of one accelerator during a step of a job, in bytes.

    `remark` says which parts of the model are only approximated.
    """

    def __init__(self, book: Book, job: Job) -> None:
        self.book, self.job = book, job
        self.kind, self.remark = architecture(book, job.model)

    def of(self, *names: str) -> list[Any]:
        """Values of the component's quantities, in its units."""
        made = figures(self.book, 1, self._given, names, {}, COMPONENT)
        return [made[name].item() for name in names]

    @property
    def peak(self) -> float:
        return float(self.of("peak")[0])

    @property
    def moment(self) -> str:
        """The moment of the peak, in words."""
        return str(self.of("moment")[0])

    @property
    def parts(self) -> dict[str, float]:
        """The memory figures of a record, by key."""
        return dict(zip(PARTS, self.of(*PARTS.values()), strict=True))

    @cached_property
    def _given(self) -> dict[str, Any]:
        """The inputs of the component: the job, with the rows of its model and its block."""
        return {
            **{f"model.{name}": size for name, size in _sizes(self.job.model).items()},
            **{f"block.{name}": fact for name, fact in facts(self.book, self.kind).items()},
            **self.settings,
        }

    @property
    def settings(self) -> dict[str, float | str]:
        """The job as inputs of the component, besides model and block."""
        job = self.job
        return {
            "method": job.method,
            "precision": job.precision,
            "weights_precision": job.weights,
            "device": job.device,
            "gpus": float(job.gpus),
            "strategy": job.strategy,
            "micro_batch": float(job.batch),
            "accumulation": float(job.accumulation),
            "sequence": float(job.length),
            "checkpointing": "full" if job.checkpointing else "none",
            "attention": job.attention,
            "rank": float(job.rank),
        }


def _sizes(shape: Shape) -> dict[str, Any]:
    """A model as a row of the catalogue, even if it is not in there."""
    traits = traits_of(shape)
    return {
        **{name: float(getattr(shape, name)) for name in SIZES},
        "tied": shape.tied,
        "gated": shape.gated,
        "positions": float(traits.positions),
        "experts": float(traits.routed),
        "experts_active": float(traits.active),
        "experts_shared": float(traits.shared),
        "expert_ffn": float(traits.expert_ffn),
        "dense_layers": float(traits.dense_layers),
        **dict.fromkeys(LINEAR, 0.0),  # no measured model has linear attention
    }
