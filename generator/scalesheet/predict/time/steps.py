"""Steps: what the time of a token is made of, from what is known of a run before it is made.

Each part is a formula of the catalogue. Where a row leaves open how it runs, the usual is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scalesheet.book import Book
from scalesheet.predict.arrays import Array, Flags, among, first_stated
from scalesheet.predict.cases import Cases
from scalesheet.predict.records import rows_of

#: What is usual where a row does not say.
SEQUENCE, MICRO_TOKENS, MICRO_BATCHES = 2048.0, 4096.0, 8.0
GPUS_PER_ROOT_OF_1E9 = 64.0
#: Tokens of a step of a run of 1e23 FLOP. They grow with the cube root of it.
STEP_TOKENS = 4e6
ACHIEVABLE = 0.8  # of the dense peak, where no measurement is in the catalogue
PLAIN_LINK = 64e9  # byte / second, both directions: a 16-lane slot of 2020
#: Accelerators that one fast link connects, and what is left of it between nodes for each.
NODE, BETWEEN_NODES = 8.0, 1 / 12
SMALL = ("lora", "qlora", "adapter")


@dataclass(frozen=True)
class Layout:
    """How the rows are run: as stated, else as is usual."""

    cases: Cases

    @cached_property
    def sequence(self) -> Array:
        return first_stated(self.cases.sequence, np.full(len(self.cases), SEQUENCE))

    @cached_property
    def gpus(self) -> Array:
        return first_stated(self.cases.gpus, np.ones(len(self.cases)))

    @cached_property
    def ways(self) -> Array:
        """Accelerators that hold one replica."""
        return self.cases.tensor * self.cases.pipeline * self.cases.context

    @cached_property
    def replicas(self) -> Array:
        return np.maximum(1.0, self.gpus / self.ways)

    @cached_property
    def micro_batch(self) -> Array:
        """Sequences; as many as make MICRO_TOKENS, and no more than a replica has in a step."""
        most = np.maximum(1.0, MICRO_TOKENS / self.sequence)
        shares = first_stated(self.cases.global_batch / self.replicas, most)
        return first_stated(self.cases.micro_batch, np.clip(shares, 1.0, most))

    @cached_property
    def micro_tokens(self) -> Array:
        return self.micro_batch * self.sequence

    @cached_property
    def micro_batches(self) -> Array:
        """Of a replica in a step."""
        usual = np.where(self.cases.pipeline > 1, 4 * self.cases.pipeline, MICRO_BATCHES)
        stated = self.cases.global_batch / (self.replicas * self.micro_batch)
        return np.maximum(1.0, first_stated(stated, usual))

    @cached_property
    def small(self) -> Flags:
        """Whether all but few parameters are frozen."""
        return among(self.cases.method, *SMALL)

    @cached_property
    def fp8(self) -> Flags:
        return among(self.cases.precision, "fp8")

    @cached_property
    def usual_gpus(self) -> Array:
        """As stated, else as many as runs of such a model use."""
        usual = GPUS_PER_ROOT_OF_1E9 * np.sqrt(self.cases.active / 1e9)
        return first_stated(self.cases.gpus, usual)


@dataclass(frozen=True)
class Work(Layout):
    """What the rows compute and move, by formulas of the catalogue."""

    book: Book

    @cached_property
    def product_parameters(self) -> Array:
        """Parameters that matrix products use; all of them where the architecture is estimated."""
        cases = self.cases
        counted = rows_of(
            self.book,
            "product-parameters",
            active=cases.active,
            layers=cases.layers,
            hidden=cases.hidden,
            heads=cases.heads,
            kv_heads=cases.kv_heads,
            head_dim=cases.head_dim,
            ffn=cases.ffn,
            vocab=cases.vocab,
            ffn_matrices=np.where(cases.gated, 3.0, 2.0),
        )
        return np.where(cases.known, counted, cases.active)

    @cached_property
    def fused(self) -> Flags:
        """Whether attention is in fused kernels: as stated, else where they were made for the
        accelerator; of a trainer of general use it must be stated.
        """
        cases = self.cases
        usual = cases.fused & ~among(cases.framework, "hf")
        return among(cases.flash, "yes") | (usual & ~among(cases.flash, "no"))

    @cached_property
    def kept(self) -> Array:
        """Bytes of activations that a token leaves in all layers, by our count of a block."""
        cases = self.cases
        wide = np.where(among(cases.precision, "fp32", "tf32"), 2.0, 1.0)
        return wide * rows_of(
            self.book,
            "kept-bytes-per-token",
            layers=cases.layers,
            hidden=cases.hidden,
            heads=cases.heads,
            kv_heads=cases.kv_heads,
            head_dim=cases.head_dim,
            ffn=cases.ffn,
            per_ffn=np.where(cases.gated, 6.0, 4.5),
            context=self.sequence,
            per_score=np.where(self.fused, 0.0, 5.0),
        )

    @cached_property
    def recomputed(self) -> Array:
        """Share of a forward pass that is made twice.

        Where a row does not say: all of it in fine-tuning by a stock trainer or on one accelerator,
        whose settings have it so; else as much as memory is short of.
        """
        cases = self.cases
        stock = (among(cases.framework, "hf", "unsloth") | (self.gpus == 1)) & ~among(
            cases.method, "pretrain", ""
        )
        full = among(cases.checkpointing, "full")
        open_ = among(cases.checkpointing, "")
        shards = np.where(np.isnan(cases.zero) | (cases.zero >= 1), self.replicas, 1.0)
        whole = np.where(cases.zero == 3, 18 / self.replicas, 6 + 12 / shards)
        packed = among(cases.weights, "nf4", "nf4-dq", "int4")
        frozen = np.where(packed, 0.55, np.where(among(cases.weights, "int8"), 1.0, 2.0))
        frozen = frozen / np.where(cases.zero == 3, self.replicas, 1.0)
        states = cases.parameters / (cases.tensor * cases.pipeline)
        states = states * np.where(self.small, frozen, whole)
        activations = self.kept * self.micro_tokens / (cases.tensor * cases.context)
        short = np.clip(1 - (0.9 * cases.memory - states) / activations, 0.0, 1.0)
        short = np.where(np.isnan(cases.micro_batch), 0.0, np.nan_to_num(short))
        return np.where(full, 1.0, np.where(open_, np.where(stock, 1.0, short), 0.0))

    def across(self, group: Array | float) -> Array:
        """Byte / second for each accelerator within a group that may span nodes."""
        nodes = np.full(len(self.cases), NODE)
        link = first_stated(self.cases.link, np.full(len(self.cases), PLAIN_LINK))
        rate = rows_of(
            self.book,
            "group-bandwidth",
            link=link / 1e9,
            group=group,
            beyond=BETWEEN_NODES,
            domain_size=np.maximum(first_stated(self.cases.domain, nodes), NODE),
        )
        return rate * 1e9

    @cached_property
    def step_tokens(self) -> Array:
        """Tokens of a step on one accelerator of a whole run."""
        cases = self.cases
        usual = STEP_TOKENS * np.cbrt(6 * cases.active * cases.tokens / 1e23)
        stated = cases.global_batch * self.sequence
        return np.minimum(first_stated(stated, usual), cases.tokens) / self.usual_gpus


#: A part of the time of a token (GPU second / token) at a coefficient, by the name of the latter.
Parts = Mapping[str, Array]


def computing(
    book: Book, layout: Work, at: Mapping[str, float], again: Array | float = 0.0
) -> dict[str, Array]:
    """Products, attention, and traffic of memory, which any run has.

    `again`: the share of the forward pass of attention that is made twice.
    """
    cases = layout.cases
    flop = rows_of(
        book,
        "training-flop-per-token",
        parameters=layout.product_parameters,
        layers=1.0,
        width=1.0,
        context=1.0,
        per_parameter=np.where(layout.small, 4.0, 6.0),
        per_score=0.0,
    )
    peak, sixteen = cases.peak / 1e12, cases.sixteen / 1e12
    share = first_stated(cases.measured / cases.sixteen, np.full(len(cases), ACHIEVABLE))
    products = {
        name: rows_of(
            book,
            "product-time",
            flop=np.where(rows, flop, 0.0),
            peak=peak,
            achievable=share,
            slowdown=at[name],
        )
        for name, rows in (("products", ~layout.fp8), ("products_fp8", layout.fp8))
    }
    attention = rows_of(
        book,
        "attention-time",
        layers=cases.layers,
        width=cases.heads * cases.head_dim,
        context=layout.sequence,
        per_score=7 + 2 * again,
        peak=sixteen,
        bandwidth=cases.bandwidth / 1e9,
        slowdown=at["attention"],
    )
    kept = rows_of(
        book,
        "activation-traffic",
        kept=layout.kept,
        vocab=cases.vocab,
        tensor=cases.tensor,
        passes=np.where(layout.small, 2 / 3, 1.0),
    )
    traffic = _moved(book, kept, cases.bandwidth, at["traffic"])
    return {**products, "attention": attention, "traffic": traffic}


def stated(book: Book, layout: Work, at: Mapping[str, float]) -> dict[str, Array]:
    """What else a stated configuration tells of."""
    cases = layout.cases
    tokens = layout.micro_tokens
    own = cases.parameters / (cases.tensor * cases.pipeline)  # parameters on one accelerator
    each = layout.ways / tokens  # accelerators for each token of a micro-batch
    trained = np.where(layout.small, 0.0, 1.0)
    spread = layout.across(layout.ways * layout.replicas)

    again = rows_of(
        book,
        "product-time",
        flop=2 * layout.recomputed * layout.product_parameters,
        peak=cases.peak / 1e12,
        slowdown=at["again"],
        achievable=first_stated(cases.measured / cases.sixteen, np.full(len(cases), ACHIEVABLE)),
    )
    exchanged = rows_of(
        book,
        "data-parallel-traffic",
        parameters=own,
        trained=trained,
        replicas=layout.replicas,
        stage=np.nan_to_num(cases.zero),
        tokens=1 / each,
        micro_batches=layout.micro_batches,
    )
    rings = 4 * cases.layers * cases.kv_heads * cases.head_dim * 2 * (cases.context - 1)
    per_micro_batch = rows_of(
        book,
        "tensor-parallel-traffic",
        batch=layout.micro_batch,
        length=layout.sequence,
        hidden=cases.hidden,
        layers=cases.layers,
        tensor=cases.tensor,
    )
    split = per_micro_batch / tokens * cases.tensor * (1 + layout.recomputed / 2)
    shards = np.where(cases.zero >= 1, layout.replicas, 1.0)
    updated = rows_of(
        book,
        "update-traffic",
        parameters=own,
        trained=trained,
        shards=shards,
        tokens=1 / each,
        micro_batches=layout.micro_batches,
    )
    unpacked = rows_of(
        book, "unpacking-traffic", parameters=own, recomputed=layout.recomputed, tokens=1 / each
    )
    unpacked = np.where(among(cases.method, "qlora"), unpacked, 0.0)
    cast = layout.kept * np.where(layout.fp8, 1.0, 0.0)
    return {
        "again": again,
        "cast": _moved(book, cast, cases.bandwidth, at["cast"]),
        "exposed": _moved(book, exchanged, spread, at["exposed"])
        + _moved(book, rings, layout.across(1.0), at["exposed"]),
        "tensor": _moved(book, split, layout.across(cases.tensor), at["tensor"]),
        "update": _moved(book, updated, cases.bandwidth, at["update"]),
        "unpack": _moved(book, unpacked, cases.bandwidth, at["unpack"]),
        "launch": rows_of(
            book,
            "launch-time",
            layers=cases.layers / cases.pipeline,
            tokens=1 / each,
            per_layer=at["launch"],
        ),
    }


def of_run(book: Book, layout: Work, at: Mapping[str, float]) -> dict[str, Array]:
    """What each step of a whole run takes, however little there is to compute in it."""
    return {
        "step": rows_of(
            book,
            "launch-time",
            layers=layout.cases.layers,
            tokens=layout.step_tokens,
            per_layer=at["step"],
        )
    }


def uneven(layout: Work) -> Array:
    """Layers of the longest pipeline stage over the mean: all others wait for it."""
    layers, stages = layout.cases.layers, layout.cases.pipeline
    return np.where(stages > 1, np.ceil(layers / stages) * stages / layers, 1.0)


def bubble(book: Book, layout: Work) -> Array:
    return rows_of(
        book,
        "pipeline-bubble",
        stages=layout.cases.pipeline,
        microbatches=layout.micro_batches,
        chunks=layout.cases.virtual,
    )


def _moved(book: Book, traffic: Array, bandwidth: Array, slowdown: float) -> Array:
    return rows_of(
        book, "traffic-time", traffic=traffic, bandwidth=bandwidth / 1e9, slowdown=slowdown
    )
