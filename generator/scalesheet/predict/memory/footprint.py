"""Footprint: what the component needs to know about a run to compute its memory.

`Settings` are the settings a row runs with; `settings.py` chooses those that it does not state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import Array, Coded, Flags, Words, among, coded, first_stated
from scalesheet.predict.cases import Cases
from scalesheet.predict.cases.catalogue import CACHED
from scalesheet.predict.engine import Partly, assumed, figures, in_bytes
from scalesheet.predict.fits import Coefficients
from scalesheet.predict.records import assumed as table_of_assumptions
from scalesheet.predict.records import quantised_formats, rows_of, stored_bits
from scalesheet.predict.time.steps import Layout

#: The parts of the peak, and the component's quantities for them.
PARTS: Mapping[str, str] = {
    "weights": "weights",
    "gradients": "gradients",
    "optimizer": "optimizer_states",
    "activations": "activations",
    "working": "working",
    "logits": "logits",
    "cache": "beside",
    "buffers": "buffers",
    "framework": "framework",
}
COMPONENTS = tuple(PARTS)
WHOLE, SPREAD = "all_memory", "memory_spread"
FROZEN = ("lora", "qlora", "adapter")
#: Adapter methods that, like LoRA, work on the weight matrices.
AT_MATRICES = ("ia3", "vera", "loha", "lokr", "oft", "boft", "fourier", "adalora")

#: The format of QLoRA's weights, if it is not stated.
OF_QLORA = "nf4"


@dataclass(frozen=True)
class States:
    """Bytes per trained parameter; `cast` is a 16-bit copy that products read."""

    weights: float
    gradients: float
    moments: float
    moment: float
    master: float
    constant: float = 0.0
    cast: float = 0.0


#: Keyed by the stated precision, or by the saving that makes a run fit.
STATES: Mapping[str, States] = {
    "mixed": States(2, 2, 2, 4, 4),
    "amp": States(4, 4, 2, 4, 0, cast=2),
    "fp32": States(4, 4, 2, 4, 0),
    "pure": States(2, 2, 2, 2, 0),
    "lean": States(2, 0, 2, 1, 0, constant=4),
    "host": States(2, 0, 0, 0, 0),
}
#: What a stated optimizer changes: moments, bytes of each, master weights (None: unchanged),
#: constants.
OPTIMIZERS: Mapping[str, tuple[float, float, float | None, float]] = {
    "adam8": (2, 1, 0, 4),
    "paged8": (0, 0, 0, 0),
    "paged": (0, 0, 0, 0),
    "adafactor": (0, 0, None, 0),
    "lion": (1, 4, None, 0),
    "momentum": (1, 4, None, 0),
    "sgd": (0, 0, None, 0),
}


@dataclass(frozen=True)
class Settings:
    """The settings that rows run with, each an array over the rows."""

    recomputed: Array  # share of the layers
    stage: Array  # ZeRO stage
    states: Words  # key of STATES
    offloaded: Flags  # optimizer states in host memory
    away: Flags  # weights too, except those in use
    batch: Array  # sequences per micro-batch

    def only(self, rows: Flags) -> Settings:
        return Settings(*(getattr(self, field.name)[rows] for field in fields(self)))


@dataclass(frozen=True)
class Footprint:
    """The memory of rows under settings, computed by the component in bytes."""

    book: Book
    cases: Cases
    settings: Settings
    assumed: Mapping[str, float] = field(default_factory=dict)

    def figures(self, at: Coefficients) -> dict[str, Array]:
        """Bytes of each of COMPONENTS and of WHOLE. Only the larger of the working layer and the
        logits counts; the other is 0. `SPREAD` is the standard deviation of the logarithm.
        """
        wanted = [*PARTS.values(), WHOLE, *([SPREAD] if "within" in at else [])]
        made = self._figures(wanted, at)
        sizes = {
            part: in_bytes(self.book, name) * made[name]
            for part, name in {**PARTS, WHOLE: WHOLE}.items()
        }
        return {**sizes, **{name: made[name] for name in wanted if name == SPREAD}}

    def whole(self, at: Coefficients) -> Array:
        return in_bytes(self.book, WHOLE) * self._figures([WHOLE], at)[WHOLE]

    def _figures(self, names: list[str], at: Coefficients) -> dict[str, Array]:
        rows, given = len(self.cases), self._given
        if self.mixed.any():
            made = figures(self.book, rows, given, ["held_parameters", "kept_parameters"], {})
            layers = made["held_parameters"] - made["kept_parameters"]
            given = {**given, "gradient_parameters": Partly(np.where(self.mixed, layers, np.nan))}
        return figures(self.book, rows, given, names, {"memory": at})

    @cached_property
    def layout(self) -> Layout:
        return Layout(self.cases)

    @cached_property
    def frozen(self) -> Flags:
        return among(self.cases.method, *FROZEN)

    @cached_property
    def quantised(self) -> Flags:
        formats = quantised_formats(self.book)
        return among(self.cases.weights, *formats) | among(self.cases.method, "qlora")

    @cached_property
    def mixed(self) -> Flags:
        """Where FSDP flattens a layer with its adapters, so that all of it has a gradient."""
        several = self.layout.replicas * self.cases.context > 1
        return self.cases.flat & self.frozen & ~self.quantised & several

    @cached_property
    def _kinds(self) -> Coded:
        return coded(self.settings.states).each(STATES.__getitem__)

    def _state(self, name: str) -> Array:
        """An attribute of STATES for each row."""
        return self._kinds.numbers(attrgetter(name))

    @cached_property
    def _given(self) -> dict[str, Any]:
        cases, settings = self.cases, self.settings
        training = ~among(cases.method, "inference")
        none = Partly(np.where(training, np.nan, 0.0))
        several = cases.global_batch / (self.layout.replicas * settings.batch)
        return {
            **self.assumed,
            **self.layout.shape,
            **self._states,
            **self._activations,
            **dict.fromkeys(("trained_parameters", "held_activations"), none),
            **dict.fromkeys(("working_layer", "last_logits"), none),
            **self._flat,
            "trains_all": ~self.frozen,
            "precision": np.where(training & among(cases.precision, "fp8"), "FP8", "16 bit"),
            "quantised": self.quantised,
            "stage": settings.stage,
            "recomputed": settings.recomputed,
            "micro_batch": settings.batch,
            "micro_batches": np.maximum(1.0, first_stated(several, cases.pipeline)),
            "rank": first_stated(cases.rank, np.full(len(cases), assumed(self.book, "rank"))),
            "copy_bits": np.where(training, 8 * self._state("cast"), 0.0),
            "libraries": np.where(cases.allocated, 0.0, 1.0),
            "beside": np.where(training, 0.0, self._cache / in_bytes(self.book, "beside")),
            "logit_width": self._logits,
        }

    @cached_property
    def _logits(self) -> Array:
        """Memory of the logits relative to a loss that is computed in one piece."""
        shares = table_of_assumptions(self.book)
        return coded(self.cases.loss).numbers(lambda it: shares[f"logits-{it}"] if it else 1.0)

    @cached_property
    def _states(self) -> dict[str, Any]:
        """Bytes of weights, gradients and moments."""
        moments, moment = self._state("moments"), self._state("moment")
        master, constant = self._state("master"), self._state("constant")
        kinds = self.cases.optimizer
        for name in sorted(set(kinds.tolist()) & OPTIMIZERS.keys()):
            count, size, copy, block = OPTIMIZERS[name]
            is_it = among(kinds, name)
            moments, moment = np.where(is_it, count, moments), np.where(is_it, size, moment)
            master = np.where(is_it, master if copy is None else copy, master)
            constant = np.where(is_it, block, constant)
        stored = stored_bits(self.book)
        packed = coded(self.cases.weights).numbers(lambda it: stored.get(it, stored[OF_QLORA]))
        return {
            "moments": moments,
            "moment_bytes": moment,
            "master_bytes": master,
            "moment_block": constant,
            "states_away": self.settings.offloaded,
            "weights_away": self.settings.away,
            "weight_bits": 8 * self._state("weights"),
            "packed_bits": packed,
            "gradient_bytes": self._state("gradients"),
        }

    @cached_property
    def _flat(self) -> dict[str, Any]:
        """FSDP keeps weights and gradients unsharded while a pipeline's micro-batches pass, and
        gradients in 32 bits between them.
        """
        cases = self.cases
        whole = cases.flat & ~self.frozen & (cases.pipeline > 1)
        each = np.where(self.frozen, 2.0, self._state("gradients"))
        at_once = assumed(self.book, "gathered_layers")
        return {
            "held_gradient_bytes": np.where(whole, 4.0, each),
            "stays": np.where(cases.flat, 1.0, 0.0),
            "gradient_stage": np.where(self.mixed | whole, 0.0, self.settings.stage),
            "gathered_layers": np.where(whole, np.ceil(cases.layers / cases.pipeline), at_once),
        }

    @cached_property
    def _activations(self) -> dict[str, Any]:
        """Fine-tuning trainers copy keys and values for each query head, and compute norms in 32
        bits. Without fused attention each score is kept twice, with a one-byte mask. Accelerators
        up to V100 predate sequence parallelism.
        """
        cases = self.cases
        wide = among(cases.precision, "fp32", "tf32") | among(self.settings.states, "fp32")
        element = np.where(wide, 4.0, 2.0)
        unfused = ~(cases.fused | among(cases.flash, "yes", "first"))
        unfused |= among(cases.framework, "hf") & ~among(cases.flash, "yes", "first")
        unfused |= among(cases.flash, "no")
        unfused &= ~among(cases.checkpointing, "selective") & ~among(cases.framework, "unsloth")
        tuned = self.frozen | among(cases.method, "full")
        copies, wide_norms = (
            assumed(self.book, name) for name in ("query_value_copies", "wide_norm_copies")
        )
        at_matrices = among(cases.method, "lora", "qlora") | among(cases.variant, *AT_MATRICES)
        return {
            "element": element,
            "unfused": np.where(unfused, 2 * element + 1, 0.0),
            "copied_heads": np.where(tuned & ~cases.compiled, cases.heads, cases.kv_heads),
            "copies": (copies * at_matrices + wide_norms * (tuned & cases.gated)) * ~cases.compiled,
            "outputs": np.where(among(cases.variant, "adapterv2"), 1.0, 0.0),
            "sequence_parallel": np.where(cases.fused, cases.tensor, 1.0),
        }

    @cached_property
    def _cache(self) -> Array:
        """The KV cache of sequences at full length; zero in training."""
        cases = self.cases
        whole = rows_of(
            self.book,
            "kv-cache-bytes",
            **{name: getattr(cases, name) for name in CACHED},
            length=self.layout.sequence,
            sequences=self.settings.batch,
            element_bytes=first_stated(cases.cache_bytes, np.full(len(cases), 2.0)),
        )
        ways = ("kv_heads", "kv_rank", "tensor", "pipeline", "context")
        split = {name: getattr(cases, name) for name in ways}
        return rows_of(self.book, "kv-cache-bytes-per-gpu", cache=whole, **split)
