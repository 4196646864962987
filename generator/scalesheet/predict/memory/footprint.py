"""Footprint: what the memory of one accelerator is made of, at the peak of a step.

Each part is a formula of the catalogue, in bytes. `Settings` are what a row runs with; where it
does not say, `settings.py` chooses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from scalesheet.book import Book
from scalesheet.predict.arrays import Array, Flags, Words, among, first_stated
from scalesheet.predict.cases import Cases
from scalesheet.predict.records import rows_of
from scalesheet.predict.time.steps import Layout

#: What `parts` returns, in this order.
COMPONENTS = (
    "weights",
    "gradients",
    "optimizer",
    "activations",
    "working",
    "logits",
    "cache",
    "buffers",
    "framework",
)
FROZEN = ("lora", "qlora", "adapter")
RANK = 8.0  # of adapters, where a row does not say
AT_ONCE = 2.0  # layers gathered at stage 3
COPIES = 2.0  # of a block's input: adapters on query and value
WIDE = 2.0  # the same for norms that are computed in 32 bit
#: Small methods that, like LoRA, work on the matrices themselves.
AT_MATRICES = ("ia3", "vera", "loha", "lokr", "oft", "boft", "fourier", "adalora")
SEVERAL = 1.5  # what libraries for several accelerators take, over those for one
GB = 1e9

#: Weights that are packed: bits of each, and constants of their blocks (the default is that of
#: double quantisation).
NF4: Mapping[str, tuple[float, Mapping[str, float]]] = {
    "nf4": (4, {"constant_bits": 32.0, "second_bits": 0.0}),
    "nf4-dq": (4, {}),
    "int4": (4, {"constant_bits": 32.0, "second_bits": 0.0}),
    "int8": (8, {"constant_bits": 0.0, "second_bits": 0.0}),
    "int2": (2, {"constant_bits": 32.0, "second_bits": 0.0}),
}
QUANTISED = tuple(NF4)


@dataclass(frozen=True)
class States:
    """Bytes for each trained parameter; `cast` is a 16-bit copy that products read."""

    weights: float
    gradients: float
    moments: float
    moment: float
    master: float
    constant: float = 0.0
    cast: float = 0.0


#: By what the text of a precision says, or by what a run is made to fit with.
STATES: Mapping[str, States] = {
    "mixed": States(2, 2, 2, 4, 4),
    "amp": States(4, 4, 2, 4, 0, cast=2),
    "fp32": States(4, 4, 2, 4, 0),
    "pure": States(2, 2, 2, 2, 0),
    "lean": States(2, 0, 2, 1, 0, constant=4),
    "host": States(2, 0, 0, 0, 0),
}
#: What a stated optimizer changes: moments, bytes of each, master weights or None, constants.
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
    """What rows run with, each an array over them."""

    recomputed: Array  # share of the layers
    stage: Array  # of ZeRO
    states: Words  # of STATES
    offloaded: Flags  # optimizer states in host memory
    away: Flags  # weights too, but for what is at work
    batch: Array  # sequences of a micro-batch

    def only(self, rows: Flags) -> Settings:
        return Settings(*(getattr(self, field.name)[rows] for field in fields(self)))


#: Coefficients that are fitted: what kernels that are not fused keep over what fused ones do; a
#: layer at work over its activations; bytes of a logit; GB of driver, libraries and fragments.
Factors = Mapping[str, float]


class Footprint:
    """The parts of rows under settings."""

    def __init__(self, book: Book, cases: Cases, settings: Settings) -> None:
        self.book, self.cases, self.settings = book, cases, settings
        self.layout = Layout(cases)

    def _rows(self, record: str, **given: Array | float) -> Array:
        return rows_of(self.book, record, **given)

    # -------------------------------------------------------------- what there is

    @cached_property
    def frozen(self) -> Flags:
        return among(self.cases.method, *FROZEN)

    @cached_property
    def training(self) -> Flags:
        return ~among(self.cases.method, "inference")

    @cached_property
    def length(self) -> Array:
        """Tokens of a sequence on one accelerator."""
        return self.layout.sequence / self.cases.context

    @cached_property
    def shards(self) -> Array:
        """Accelerators that states are divided among: context parallelism has them all too."""
        return self.layout.replicas * self.cases.context

    @cached_property
    def spread(self) -> Array:
        """What divides the inputs of blocks: the tensor degree with sequence parallelism, which
        came with accelerators after V100."""
        return np.where(self.cases.fused, self.cases.tensor, 1.0)

    @cached_property
    def lookup(self) -> Array:
        """Parameters of an embedding table, never more than the model can have."""
        cases = self.cases
        return np.minimum(cases.vocab * cases.hidden, 0.25 * cases.parameters)

    @cached_property
    def tables(self) -> Array:
        """1 where input and output share a table: what closes the count of parameters better."""
        cases = self.cases
        width = cases.head_dim * (cases.heads + cases.kv_heads)
        layer = cases.hidden * (2 * width + np.where(cases.gated, 3.0, 2.0) * cases.ffn)
        rest = cases.active - cases.layers * layer
        apart = np.abs(rest - 2 * self.lookup) < np.abs(rest - self.lookup)
        return np.where(apart, 2.0, 1.0)

    @cached_property
    def own(self) -> Array:
        """Parameters on one accelerator before sharding."""
        cases = self.cases
        return self._rows(
            "parameters-per-gpu",
            parameters=cases.parameters,
            active=cases.active,
            lookup=self.lookup,
            tables=self.tables,
            tensor=cases.tensor,
            pipeline=cases.pipeline,
            expert=cases.expert,
        )

    @cached_property
    def ffn(self) -> Array:
        """Feed-forward width that a token meets: of a mixture, that of all its experts at work."""
        cases = self.cases
        mixed = cases.active < 0.99 * cases.parameters
        attention = 2 * cases.hidden * cases.head_dim * (cases.heads + cases.kv_heads)
        rest = (cases.active - self.tables * self.lookup) / cases.layers - attention
        met = rest / (np.where(cases.gated, 3.0, 2.0) * cases.hidden)
        return np.where(mixed, np.maximum(met, 1.0), cases.ffn)

    @cached_property
    def adapters(self) -> Array:
        """Trained parameters of adapters on one accelerator; 0 where all is trained."""
        cases = self.cases
        rank = np.where(np.isnan(cases.rank), RANK, cases.rank)
        trained = self._rows(
            "lora-all-linear-parameters",
            rank=rank,
            layers=cases.layers,
            hidden=cases.hidden,
            heads=cases.heads,
            kv_heads=cases.kv_heads,
            head_dim=cases.head_dim,
            ffn=self.ffn,
            ffn_matrices=np.where(cases.gated, 3.0, 2.0),
        )
        return np.where(self.frozen, trained, 0.0) / (cases.tensor * cases.pipeline)

    @cached_property
    def _kinds(self) -> dict[str, Flags]:
        return {name: among(self.settings.states, name) for name in STATES}

    def _state(self, name: str) -> Array:
        """A figure of STATES for each row."""
        figures = [getattr(STATES[kind], name) for kind in self._kinds]
        return np.select(list(self._kinds.values()), figures, np.nan)

    # -------------------------------------------------------------- states

    @cached_property
    def weight_bits(self) -> Array:
        """Bits of a parameter that is kept as it is."""
        return 8 * self._state("weights")

    @cached_property
    def quantised(self) -> Flags:
        return among(self.cases.weights, *QUANTISED) | among(self.cases.method, "qlora")

    @cached_property
    def all_weights(self) -> Array:
        """Bytes of the weights of one accelerator before sharding, without adapters."""
        rows = len(self.cases)
        nf4 = [
            self._rows("nf4-bits-per-parameter", bits=np.full(rows, float(bits)), **constants)
            for bits, constants in NF4.values()
        ]
        kinds = self.cases.weights.tolist()
        place = [list(NF4).index(kind) if kind in NF4 else 0 for kind in kinds]
        bits = np.choose(np.array(place), nf4)
        tables = np.where(self.cases.pipeline > 1, 1.0, self.tables)
        kept = tables * self.lookup / self.cases.tensor
        packed = self._rows(
            "quantised-weight-bytes",
            quantised=self.own - kept,
            bits_per_parameter=bits,
            kept=kept,
            kept_bits=16.0,
        )
        plain = self._rows("weight-bytes", parameters=self.own, bits_per_parameter=self.weight_bits)
        return np.where(self.quantised, packed, plain)

    @cached_property
    def among_experts(self) -> Array:
        """Share of the parameters of one accelerator that expert parallelism divides."""
        cases = self.cases
        beyond = (cases.parameters - cases.active) / cases.expert
        return beyond / (cases.active + beyond)

    def _sharded(self, parameters: Array, each: Array, since: float, stage: Array) -> Array:
        """States of a kind. Those of experts are divided by what expert parallelism leaves."""
        left = np.maximum(1.0, self.shards / self.cases.expert)
        shares = (1 - self.among_experts, self.shards), (self.among_experts, left)
        dense, experts = (
            self._rows(
                "state-bytes",
                parameters=parameters * share,
                bytes_per_parameter=each,
                stage=stage,
                sharded_from=since,
                shards=shards,
            )
            for share, shards in shares
        )
        return dense + experts

    @cached_property
    def weights(self) -> Array:
        stage = self.settings.stage
        base = self._sharded(self.own, self.all_weights / self.own, 3.0, stage)
        base = np.where(self.settings.away, 0.0, base)
        return base + self._sharded(self.adapters, np.full(len(base), 2.0), 3.0, stage)

    @cached_property
    def trained(self) -> Array:
        """Trained parameters on one accelerator."""
        return np.where(self.training, np.where(self.frozen, self.adapters, self.own), 0.0)

    @cached_property
    def mixed(self) -> Flags:
        """Where FSDP makes one parameter of a layer and its adapters: all of it has a gradient."""
        return self.cases.flat & self.frozen & ~self.quantised & (self.shards > 1)

    @cached_property
    def whole(self) -> Flags:
        """Where FSDP keeps weights and gradients whole while micro-batches of a pipeline pass."""
        return self.cases.flat & ~self.frozen & (self.cases.pipeline > 1)

    @cached_property
    def gradients(self) -> Array:
        """They are whole too as long as FSDP accumulates batches, and in 32 bit while they wait."""
        each = np.where(self.frozen, 2.0, self._state("gradients"))
        each = np.where(self.whole, 4.0, each)
        stage = np.where(self.mixed | self.whole, 0.0, self.settings.stage)
        return self._sharded(np.where(self.mixed, self.own, self.trained), each, 2.0, stage)

    @cached_property
    def optimizer(self) -> Array:
        moments, moment = self._state("moments"), self._state("moment")
        master, constant = self._state("master"), self._state("constant")
        kinds = self.cases.optimizer
        for name in sorted(set(kinds.tolist()) & OPTIMIZERS.keys()):
            count, size, copy, block = OPTIMIZERS[name]
            is_it = among(kinds, name)
            moments, moment = np.where(is_it, count, moments), np.where(is_it, size, moment)
            master = np.where(is_it, master if copy is None else copy, master)
            constant = np.where(is_it, block, constant)
        each = self._rows(
            "optimizer-bytes-per-parameter",
            moments=moments,
            moment_bytes=moment,
            master_bytes=master,
            constant_bytes=constant,
        )
        held = self._sharded(self.trained, each, 1.0, self.settings.stage)
        return np.where(self.settings.offloaded, 0.0, held)

    # -------------------------------------------------------------- activations

    @cached_property
    def element(self) -> Array:
        """Bytes of an element of the activations."""
        wide = among(self.cases.precision, "fp32", "tf32") | among(self.settings.states, "fp32")
        return np.where(wide, 4.0, 2.0)

    @cached_property
    def per_layer(self) -> Array:
        """Activations of a layer, nothing recomputed and kernels fused.

        Trainers for fine-tuning copy keys and values for each query head, and compute norms in 32
        bit. Without fused attention a score is kept twice, with a mask of one byte.
        """
        cases = self.cases
        unfused = ~(cases.fused | among(cases.flash, "yes"))
        unfused |= among(cases.framework, "hf") & ~among(cases.flash, "yes")
        unfused |= among(cases.flash, "no")
        unfused &= ~among(cases.checkpointing, "selective") & ~among(cases.framework, "unsloth")
        tuned = self.frozen | among(cases.method, "full")
        at_matrices = among(cases.method, "lora", "qlora") | among(cases.variant, *AT_MATRICES)
        return self._rows(
            "block-activation-bytes",
            batch=self.settings.batch,
            length=self.length,
            hidden=cases.hidden,
            heads=cases.heads,
            kv_heads=np.where(tuned, cases.heads, cases.kv_heads),
            head_dim=cases.head_dim,
            ffn=self.ffn,
            gated=cases.gated.astype(np.float64),
            trained=np.where(self.frozen & ~self.quantised, 0.0, 1.0),
            element_bytes=self.element,
            score_bytes=np.where(unfused, 2 * self.element + 1, 0.0),
            copies=COPIES * at_matrices + WIDE * (tuned & cases.gated),
            tensor=cases.tensor,
            spread=self.spread,
        )

    def held(self, unfused: float, in_flight: Array | float) -> Array:
        """What layers hold for the backward pass."""
        cases = self.cases
        boundary = self._rows(
            "activation-bytes-full",
            batch=self.settings.batch,
            length=self.length,
            hidden=cases.hidden,
            layers=1.0,
        )
        return self._rows(
            "held-activation-bytes",
            per_layer=self.per_layer,
            boundary=boundary * self.element / 2 / self.spread,
            layers=cases.layers,
            pipeline=cases.pipeline,
            in_flight=in_flight,
            recomputed=self.settings.recomputed,
            unfused=unfused,
        )

    @cached_property
    def in_flight(self) -> Array:
        """Micro-batches of which the first stage holds activations; an interleaved schedule has
        part of a further one."""
        cases = self.cases
        several = cases.global_batch / (self.layout.replicas * self.settings.batch)
        whole = np.minimum(cases.pipeline, np.maximum(1.0, first_stated(several, cases.pipeline)))
        part = (cases.pipeline - 1) / (cases.pipeline * cases.virtual)
        return whole * np.where(cases.virtual > 1, 1 + part, 1.0)

    def logits(self, each: float, held: Array) -> Array:
        """Of the last stage, less what the first one holds beyond it."""
        cases = self.cases
        whole = self._rows(
            "logit-bytes",
            batch=self.settings.batch,
            length=self.length,
            vocab=cases.vocab / cases.tensor,
            bytes_per_logit=each,
        )
        return np.maximum(0.0, whole - held * (1 - 1 / self.in_flight))

    @cached_property
    def cache(self) -> Array:
        """Keys and values of sequences at their full length; training has none."""
        cases = self.cases
        each = self._rows(
            "kv-cache-bytes-per-token",
            layers=cases.layers,
            kv_heads=cases.kv_heads,
            head_dim=cases.head_dim,
        )
        whole = self._rows(
            "kv-cache-bytes", per_token=each, length=self.length, sequences=self.settings.batch
        )
        return np.where(self.training, 0.0, whole / (cases.tensor * cases.pipeline))

    # -------------------------------------------------------------- the rest

    @cached_property
    def buffers(self) -> Array:
        """Exchanges of data parallelism, one matrix unpacked, copies in 16 bit, a layer that is
        fetched from the host."""
        cases = self.cases
        layers = np.ceil(cases.layers / cases.pipeline)
        exchanged = self._rows(
            "exchange-buffer-bytes",
            trained=self.trained,
            own=self.all_weights,
            layers=layers,
            gradient_bytes=self._state("gradients"),
            stage=self.settings.stage,
            shards=self.shards,
            at_once=np.where(self.whole, layers, AT_ONCE),
        )
        matrix = self._rows("weight-bytes", parameters=cases.hidden * self.ffn / cases.tensor)
        unpacked = np.where(self.quantised, matrix, 0.0)
        copied = self._rows(
            "weight-bytes", parameters=self.own, bits_per_parameter=8 * self._state("cast")
        )
        cast = np.where(self.training, copied, 0.0)
        away = self.settings.away & (self.shards <= 1)
        fetched = np.where(away, 2 * self.all_weights / layers, 0.0)
        return exchanged + unpacked + cast + fetched

    def parts(self, at: Factors) -> dict[str, Array]:
        """Bytes of each of COMPONENTS. Of the layer at work and the logits only the larger counts,
        and the other is 0."""
        held = self.held(at["unfused"], self.in_flight)
        working = at["working"] * self.per_layer
        logits = self.logits(at["logits"], held)
        held, working, logits = (np.where(self.training, x, 0.0) for x in (held, working, logits))
        several = np.where(self.layout.gpus > 1, SEVERAL, 1.0)
        return {
            "weights": self.weights,
            "gradients": self.gradients,
            "optimizer": self.optimizer,
            "activations": held,
            "working": np.where(working >= logits, working, 0.0),
            "logits": np.where(working >= logits, 0.0, logits),
            "cache": self.cache,
            "buffers": self.buffers,
            "framework": at["framework"] * GB * several,
        }


def total(book: Book, parts: Mapping[str, Array]) -> Array:
    """The peak of an accelerator, in bytes."""
    return rows_of(book, "memory-per-gpu", **parts)
