"""Steps: what the component needs to know about a run to compute the time per token, and its parts.

If a row does not say how it runs, typical settings are assumed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import Array, Flags, among, coded, each, first_stated
from scalesheet.predict.cases import Cases
from scalesheet.predict.cases.catalogue import ATTENTION, EXPERTS, SIZES
from scalesheet.predict.engine import Partly, assumed, figures
from scalesheet.predict.fits import Coefficients
from scalesheet.predict.records import assumed as table_of_assumptions
from scalesheet.predict.records import rows_of, stored_bits
from scalesheet.vocabulary import METHODS, PRETRAINING

#: Typical values where a row does not say.
SEQUENCE, MICRO_TOKENS, MICRO_BATCHES = 2048.0, 4096.0, 8.0
GPUS_PER_ROOT_OF_1E9 = 64.0
#: Tokens per step of a run of 1e23 FLOP; grows with the cube root of FLOP.
STEP_TOKENS = 4e6
SMALL = ("lora", "qlora", "adapter")
UNFUSED = 5.0  # bytes of a 16-bit score: kept twice, with a mask
SECOND = 1e-3  # per ms, the component's unit

#: The component's quantities that each coefficient scales.
PARTS: Mapping[str, tuple[str, ...]] = {
    "products": ("products_time",),
    "experts": ("experts_time",),
    "attention": ("attention_time",),
    "traffic": ("traffic_time",),
    "again": ("again_time",),
    "cast": ("cast_time",),
    "exposed": ("exposed_time", "ring_time"),
    "tensor": ("tensor_time",),
    "dispatch": ("dispatch_time",),
    "update": ("update_time", "offload_time"),
    "unpack": ("unpack_time",),
    "launch": ("launch_time",),
    "routing": ("routing_time",),
}
#: The parts that any run has, whatever its layout.
COMPUTING = ("products", "experts", "attention", "traffic", "again")


@dataclass(frozen=True)
class Layout:
    """How the rows run: as stated, otherwise as is typical."""

    cases: Cases

    @cached_property
    def sequence(self) -> Array:
        return first_stated(self.cases.sequence, np.full(len(self.cases), SEQUENCE))

    @cached_property
    def gpus(self) -> Array:
        return first_stated(self.cases.gpus, np.ones(len(self.cases)))

    @cached_property
    def replicas(self) -> Array:
        ways = self.cases.tensor * self.cases.pipeline * self.cases.context
        return np.maximum(1.0, self.gpus / ways)

    @cached_property
    def micro_batch(self) -> Array:
        """Sequences per micro-batch that make MICRO_TOKENS; at most a replica's share of a step."""
        most = np.maximum(1.0, MICRO_TOKENS / self.sequence)
        shares = first_stated(self.cases.global_batch / self.replicas, most)
        return first_stated(self.cases.micro_batch, np.clip(shares, 1.0, most))

    @cached_property
    def micro_batches(self) -> Array:
        """Micro-batches of a replica in a step."""
        usual = np.where(self.cases.pipeline > 1, 4 * self.cases.pipeline, MICRO_BATCHES)
        stated = self.cases.global_batch / (self.replicas * self.micro_batch)
        return np.maximum(1.0, first_stated(stated, usual))

    @cached_property
    def small(self) -> Flags:
        """Whether all but a few parameters are frozen."""
        return among(self.cases.method, *SMALL)

    @cached_property
    def fp8(self) -> Flags:
        return among(self.cases.precision, "fp8")

    @cached_property
    def usual_gpus(self) -> Array:
        """The stated number of GPUs, otherwise a typical one for the model's size."""
        usual = GPUS_PER_ROOT_OF_1E9 * np.sqrt(self.cases.active / 1e9)
        return first_stated(self.cases.gpus, usual)

    @cached_property
    def shape(self) -> dict[str, Any]:
        """What the component needs to know about the model, and how it is split."""
        cases = self.cases
        return {
            "parameters": cases.parameters,
            "active": cases.active,
            **{f"model.{name}": getattr(cases, name) for name in _OF_MODEL},
            "sequence": self.sequence,
            "gpus": self.gpus,
            "method": each(
                cases.method, lambda it: METHODS[it].plan if it in METHODS else PRETRAINING
            ),
            "experts": cases.expert,
            **{name: getattr(cases, name) for name in ("tensor", "pipeline", "context")},
            "chunks": Partly(cases.virtual),
        }


_OF_MODEL = (*SIZES, *ATTENTION, *EXPERTS, "gated")


@dataclass(frozen=True)
class Work(Layout):
    """What the rows compute and transfer, according to the component."""

    book: Book

    def figures(
        self, names: Sequence[str], fits: Mapping[str, Coefficients], **more: Any
    ) -> dict[str, Array]:
        """Quantities of the component, with the coefficients of some tasks."""
        return figures(self.book, len(self.cases), {**self._given, **more}, names, fits)

    @cached_property
    def _given(self) -> dict[str, Any]:
        cases = self.cases
        return {
            **self.shape,
            "product_parameters": Partly(np.where(cases.known, np.nan, cases.active)),
            "gpu.bandwidth": cases.bandwidth / 1e9,
            "gpu.link": cases.link / 1e9,
            "gpu.link_domain": cases.domain,
            "fast_domain": Partly(np.fmax(cases.per_node, cases.domain) + 0 * cases.per_node),
            "beyond_node": self.beyond_node,
            "gpu.measured_bf16": cases.measured / 1e12,
            "peak": cases.sixteen / 1e12,
            "product_peak": cases.peak / 1e12,
            "trains_all": ~self.small,
            "states_away": ~among(cases.offload, ""),
            "weights_away": among(cases.offload, "both"),
            "quantised": among(cases.method, "qlora"),
            "stage": np.nan_to_num(cases.zero),
            "micro_batch": self.micro_batch,
            "micro_batches": self.micro_batches,
            "trainer": np.where(among(cases.framework, "hf"), "general", "tuned"),
            "precision": np.where(self.fp8, "FP8", "16 bit"),
            "element": np.where(among(cases.precision, "fp32", "tf32"), 4.0, 2.0),
            "attention_kernel": self.kernel,
            "unfused_traffic": np.where(self.fused, 0.0, UNFUSED),
        }

    @cached_property
    def beyond_node(self) -> Array:
        """The share of the link that each accelerator has between nodes; of the node type if it is
        named.
        """
        cases, rows = self.cases, len(self.cases)
        link = first_stated(cases.link / 1e9, np.full(rows, assumed(self.book, "plain_link")))
        own = rows_of(self.book, "network-share", network=cases.network / 1e9, link=link)
        return first_stated(own, np.full(rows, assumed(self.book, "beyond_node")))

    @cached_property
    def product_parameters(self) -> Array:
        """Parameters used in matrix products; all of them if the architecture is estimated."""
        return self.figures(["product_parameters"], {})["product_parameters"]

    @cached_property
    def fused(self) -> Flags:
        """Whether attention kernels are fused: as stated, otherwise if they exist for the
        accelerator. For general-purpose trainers it must be stated.
        """
        cases = self.cases
        usual = cases.fused & ~among(cases.framework, "hf")
        return among(cases.flash, "yes", "first") | (usual & ~among(cases.flash, "no"))

    @cached_property
    def kernel(self) -> Array:
        """The time of the attention kernels relative to those of FlashAttention 2."""
        first = table_of_assumptions(self.book)["attention-first"]
        return np.where(among(self.cases.flash, "first"), first, 1.0)

    @cached_property
    def recomputed(self) -> Array:
        """The share of a forward pass that is recomputed.

        If a row does not say: all of it when fine-tuning with a stock trainer or on one
        accelerator, as their default settings do; otherwise as much as memory requires.
        """
        cases = self.cases
        stock = (among(cases.framework, "hf", "unsloth") | (self.gpus == 1)) & ~among(
            cases.method, "pretrain", ""
        )
        full = among(cases.checkpointing, "full")
        open_ = among(cases.checkpointing, "")
        shards = np.where(np.isnan(cases.zero) | (cases.zero >= 1), self.replicas, 1.0)
        whole = np.where(cases.zero == 3, 18 / self.replicas, 6 + 12 / shards)
        stored = stored_bits(self.book) if self.small.any() else {}
        frozen = coded(cases.weights).numbers(lambda it: stored.get(it, 16.0) / 8)
        frozen = frozen / np.where(cases.zero == 3, self.replicas, 1.0)
        states = cases.parameters / (cases.tensor * cases.pipeline)
        states = states * np.where(self.small, frozen, whole)
        kept = self.figures(["kept"], {})["kept"] * 1e6
        activations = kept * self.micro_batch * self.sequence / (cases.tensor * cases.context)
        short = np.clip(1 - (0.9 * cases.memory - states) / activations, 0.0, 1.0)
        short = np.where(np.isnan(cases.micro_batch), 0.0, np.nan_to_num(short))
        share = table_of_assumptions(self.book)["selective-products"]
        some = np.where(among(cases.checkpointing, "selective") & cases.flat, share, 0.0)
        return np.where(full, 1.0, np.where(open_, np.where(stock, 1.0, short), some))

    @cached_property
    def step_tokens(self) -> Array:
        """Tokens per step and accelerator of a whole run."""
        cases = self.cases
        usual = STEP_TOKENS * np.cbrt(6 * cases.active * cases.tokens / 1e23)
        stated = cases.global_batch * self.sequence
        return np.minimum(first_stated(stated, usual), cases.tokens) / self.usual_gpus


#: Parts of the time per token (GPU second / token), keyed by coefficient.
Parts = Mapping[str, Array]


def computing(work: Work, at: Coefficients) -> dict[str, Array]:
    """Matrix products, attention, and memory traffic, which any run has. Products of experts and
    recomputed ones take as long as others.
    """
    parts = _parts(work, COMPUTING, {**at, "experts": 1.0, "again": 1.0}, work.recomputed)
    kind = np.where(work.fp8, at["products_fp8"], at["products"])
    experts = (parts.pop("experts") + parts.pop("again")) * kind
    parts["products"] = parts["products"] + np.where(work.fp8, 0.0, experts)
    parts["products_fp8"] = parts["products_fp8"] + np.where(work.fp8, experts, 0.0)
    return parts


def stated(work: Work, at: Coefficients) -> dict[str, Array]:
    """All parts of a stated configuration."""
    return _parts(work, tuple(PARTS), at, work.recomputed)


def _parts(work: Work, parts: Sequence[str], at: Coefficients, again: Array) -> dict[str, Array]:
    names = [name for part in parts for name in PARTS[part]]
    times = work.figures(names, {"throughput": at}, recomputed=again)
    made = {part: np.sum([times[name] for name in PARTS[part]], axis=0) * SECOND for part in parts}
    products = made.pop("products")
    return {
        "products": np.where(work.fp8, 0.0, products),
        "products_fp8": np.where(work.fp8, products, 0.0),
        **made,
    }


def of_run(book: Book, layout: Work, at: Mapping[str, float]) -> dict[str, Array]:
    """The fixed cost of each step of a whole run, however little it computes."""
    return {
        "step": rows_of(
            book,
            "launch-time",
            layers=layout.cases.layers,
            tokens=layout.step_tokens,
            per_layer=at["step"],
        )
    }
