"""Cases: what is known in advance about many runs, as arrays in the catalogue's units.

What a row does not state is looked up: peak and memory from the accelerator, the architecture from
the model's name. If the catalogue has no such model, the architecture is estimated from the
parameters and the prediction says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from functools import partial, reduce
from operator import attrgetter, itemgetter, methodcaller
from typing import Any

import numpy as np

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import (
    Array,
    Coded,
    Flags,
    Places,
    Reasons,
    Words,
    among,
    because,
    coded,
    each,
    first_reason,
    first_stated,
    first_word,
    joined,
    no_reasons,
    unstated,
    words,
)
from scalesheet.predict.cases import aliases as names
from scalesheet.predict.cases import catalogue as lookups
from scalesheet.predict.cases import free_text as texts
from scalesheet.predict.cases import unread
from scalesheet.predict.cases.catalogue import Known, known
from scalesheet.predict.cases.reader import Read
from scalesheet.predict.records import defaults, quantised_formats

NO_BF16 = "the accelerator has no bf16 units: use fp16 or another accelerator"
_DEGREES = ("tensor", "pipeline", "context", "expert", "virtual")
#: Fields of the architecture that are copied as they are: numbers and text.
_OF_MODEL = (
    *("model_id", "parameters", "active", "gated", "tied", "known", "usual_vocab"),
    "width_per_layer",
)
_NUMBERS = ("sequence", "tokens", "global_batch", "micro_batch", "compute", "unique")
_TEXTS = ("model", "evaluation", "tokenizer", "counts", "loss_unit")


@dataclass(frozen=True)
class Cases:
    """Rows in the order of the file. nan in arrays and empty text in words mean not stated."""

    task: str
    ids: Words
    unsupported: Reasons
    assumed: Words  # what was assumed for values that are not stated
    kind: Words
    model: Words
    model_id: Words
    accelerator: Words
    gpus: Array
    memory: Array  # byte
    bandwidth: Array  # byte / second
    link: Array  # byte / second, both directions
    domain: Array  # accelerators that this link connects
    per_node: Array  # accelerators of the node type, if it is named
    network: Array  # byte / second, each direction, of an accelerator to other nodes
    power: Array  # W
    no_peak: Reasons  # why the accelerator has no peak at that precision
    peak: Array  # FLOP / second, at the precision of the matrix products
    sixteen: Array  # FLOP / second, at 16 bits
    measured: Array  # FLOP / second, the best measured for such products
    fused: Flags  # of a kind that fused attention kernels exist for
    parameters: Array
    active: Array
    layers: Array
    hidden: Array
    heads: Array
    kv_heads: Array
    head_dim: Array
    ffn: Array
    vocab: Array
    query_rank: Array  # for latent attention; 0 without it
    kv_rank: Array
    rope_dim: Array
    value_dim: Array
    experts: Array  # per layer; 0 for dense models and for models missing from the catalogue
    experts_active: Array  # active per token, and shared by all tokens
    experts_shared: Array
    expert_ffn: Array
    dense_layers: Array  # in a mixture of experts
    window: Array  # tokens; 0 without sliding windows
    window_layers: Array
    linear_layers: Array  # layers with linear attention, and the state each keeps per sequence
    linear_state: Array
    linear_key_dim: Array
    linear_value_heads: Array
    linear_value_dim: Array
    gated: Flags
    tied: Flags
    known: Flags  # whether the architecture is stated or from the catalogue
    usual_vocab: Flags  # whether the vocabulary is assumed
    width_per_layer: Array  # hidden size / layers of a typical model
    sequence: Array
    tokens: Array
    global_batch: Array
    micro_batch: Array
    tensor: Array
    pipeline: Array
    context: Array
    expert: Array
    virtual: Array
    data: Array
    zero: Array
    offload: Words
    checkpointing: Words
    precision: Words
    weights: Words
    pure: Flags
    method: Words
    variant: Words
    framework: Words
    flash: Words
    flat: Flags  # sharded by FSDP, with frozen and trained parameters flattened together
    compiled: Flags
    optimizer: Words
    rank: Array  # of adapters
    loss: Words  # how the trainer stores the logits for the loss
    quantity: Words
    allocated: Flags  # a peak as the allocator counts it, without driver and fragmentation
    evaluation: Words
    tokenizer: Words
    counts: Words
    loss_unit: Words
    compute: Array
    unique: Array  # unique tokens among those trained on
    cache_bytes: Array  # per element of a KV cache
    unread: Array  # number of words that were not understood

    @classmethod
    def single(cls, task: str, **stated: str | float) -> Cases:
        """One case. What is not stated is nan, empty text, False, or no reason."""
        columns: dict[str, Any] = {
            field.name: _SINGLE[str(field.type)](stated.get(field.name))
            for field in fields(cls)
            if field.name != "task"
        }
        assert stated.keys() <= columns.keys(), stated.keys() - columns.keys()
        return cls(task, **columns)

    def __len__(self) -> int:
        return len(self.ids)

    def only(self, rows: Flags | Places | slice) -> Cases:
        """The cases of some rows, selected by flags, a slice, or indices (which may repeat)."""
        arrays = [field.name for field in fields(self) if field.name != "task"]
        return replace(self, **{name: getattr(self, name)[rows] for name in arrays})


_SINGLE: Mapping[str, Callable[[Any], Any]] = {
    "Array": lambda value: np.array([np.nan if value is None else float(value)]),
    "Flags": lambda value: np.array([bool(value)]),
    "Words": lambda value: words([value or ""]),
    "Reasons": lambda value: words([value]),
}


QUANTISED = (
    "full training with quantized weights is not supported; use bf16 or fp8, or lora or qlora"
)
TOO_WIDE = "the layout needs more accelerators than are stated"


def needs(what: str, values: Array) -> Reasons:
    """A reason for each row that does not state a required value."""
    return because(np.isnan(values), f"{what} not stated")


def cases_of(table: Read, book: Book) -> Cases:
    """Build the cases of a table with the catalogue of `book`."""
    return cases(table, known(book))


def cases(table: Read, catalogue: Known) -> Cases:
    """Build the cases of a table and add what the catalogue knows."""
    told_by_name = _sizes(table) if table.task == "loss" else {}

    def number(name: str) -> Array:
        stated = table.numbers[name] if name in table.numbers else unstated(table.rows)
        return first_stated(stated, told_by_name[name]) if name in told_by_name else stated

    kind, written = coded(table.text("kind")), coded(table.text("model"))
    named = coded(table.text("hardware")).each(lambda it: lookups.named(it, catalogue))
    layouts = coded(table.text("layout")).each(texts.layout)
    precisions = coded(table.text("precision_text")).each(texts.precision)
    methods = coded(table.text("kind"), table.text("model")).each(lambda it: texts.method(*it))
    # kinds in loss tables name studies, not methods
    whys = methods.column("reason") if table.task != "loss" else no_reasons(table.rows)
    accelerator = named.column("row")
    gpus = first_stated(number("gpus"), named.numbers(lambda it: it.count or None))
    hardware = lookups.hardware(accelerator, precisions.column("products"), catalogue)
    weights = _weights(methods, precisions)
    whole = among(methods.column("name"), "full", "pretrain")
    bf16 = each(table.text("precision_text"), texts.says_bf16).astype(bool)
    model = lookups.architecture(table.text("model"), number, catalogue)
    degree = layouts.each(attrgetter("degrees"))
    degrees = {name: degree.numbers(methodcaller("get", name)) for name in (*_DEGREES, "data")}
    unread_in = _unread(table, layouts, catalogue)
    ways = {name: np.nan_to_num(degrees[name], nan=1.0) for name in _DEGREES}
    across = gpus / (ways["tensor"] * ways["pipeline"] * ways["context"])

    as_it_is: dict[str, Any] = {
        **{field.name: getattr(hardware, field.name) for field in fields(hardware)},
        **{name: getattr(model, name) for name in _OF_MODEL},
        **model.sizes,
        **{name: number(name) for name in _NUMBERS},
        **{name: table.text(name) for name in _TEXTS},
        **ways,
    }
    return Cases(
        task=table.task,
        ids=table.text("id"),
        unsupported=first_reason(
            table.unsupported,
            whys,
            named.column("reason"),
            # in loss tables, models are names of runs
            model.unknown if table.task != "loss" else no_reasons(table.rows),
            precisions.column("reason"),
            because(degrees["data"] > across, TOO_WIDE),
            because(whole & among(weights, *quantised_formats(catalogue.book)), QUANTISED),
            because(bf16 & ~hardware.fused & ~np.isnan(hardware.sixteen), NO_BF16),
        ),
        assumed=reduce(joined, (named.column("assumed"), model.assumed, *_told(unread_in))),
        unread=sum((words.numbers(len) for words in unread_in.values()), np.zeros(table.rows)),
        kind=kind.each(str.lower).column(),
        accelerator=accelerator,
        gpus=gpus,
        per_node=named.numbers(attrgetter("per_node")),
        network=_network(number("network"), gpus, named, catalogue.book),
        **as_it_is,
        data=np.where(np.isnan(across), degrees["data"], across),
        zero=layouts.numbers(attrgetter("zero")),
        offload=first_word(layouts.column("offload"), kind.each(texts.offload).column()),
        checkpointing=first_word(
            each(table.text("recompute"), texts.checkpointing), layouts.column("checkpointing")
        ),
        weights=weights,
        cache_bytes=precisions.numbers(attrgetter("cache")),
        pure=precisions.column("pure").astype(bool),
        method=methods.column("name"),
        variant=methods.column("variant"),
        framework=layouts.column("framework"),
        flash=first_word(layouts.column("flash"), written.each(texts.flash).column()),
        flat=layouts.column("flat").astype(bool),
        compiled=layouts.column("compiled").astype(bool),
        optimizer=kind.each(texts.optimizer).column(),
        rank=kind.numbers(texts.rank),
        loss=first_word(layouts.column("loss"), kind.each(texts.loss).column()),
        quantity=each(table.text("quantity"), texts.quantity),
        allocated=each(table.text("quantity"), texts.allocated).astype(bool),
    )


def _network(stated: Array, gpus: Array, named: Coded, book: Book) -> Array:
    """Byte / second of each accelerator to other nodes: of its node's network, as stated in Gbit/s,
    or of the node type that is named.
    """
    of_type = named.numbers(attrgetter("network"))
    if np.isnan(stated).all():
        return of_type
    usual = np.fmin(gpus, defaults(book, "group-bandwidth")["domain_size"])
    per_node = first_stated(named.numbers(attrgetter("per_node")), usual)
    units = book.units
    times = float(units.factor(units.parse("Gbit / second"), units.parse("byte / second")))
    return first_stated(stated * times / per_node, of_type)


def _weights(methods: Coded, precisions: Coded) -> Words:
    """The format of the weights in memory. FP8 in inference is that of the weights; in training it
    is that of the products alone.
    """
    stated = first_word(methods.column("weights"), precisions.column("weights"))
    served = (methods.column("name") == "inference") & (precisions.column("products") == "fp8")
    return np.where(served, "fp8", stated)


def _unread(table: Read, layouts: Coded, catalogue: Known) -> Mapping[str, Coded]:
    """The words of each text that were not understood. In loss tables, methods and models are names
    of studies and runs, so they are skipped.
    """

    def column(name: str, known: re.Pattern[str]) -> Coded:
        return coded(table.text(name)).each(lambda text: unread.unread(text, known))

    model = coded(table.text("model")).each(lambda it: names.beyond(it, catalogue.models))
    every = {
        "layout": layouts.each(attrgetter("unread")),
        "precision": column("precision_text", unread.PRECISION),
        "checkpointing": column("recompute", unread.CHECKPOINTING),
    }
    if table.task == "loss":
        return every
    return {
        **every,
        "method": column("kind", unread.METHOD),
        "model's name": model.each(lambda text: unread.unread(text, unread.MODEL)),
    }


def _told(unread_in: Mapping[str, Coded]) -> Iterator[Words]:
    for where, each_ in unread_in.items():
        yield each_.each(partial(unread.told, where)).column()


def _sizes(table: Read) -> dict[str, Array]:
    """Sizes read from the names of runs and tokenizers, as loss studies write them."""
    named = coded(table.text("model")).each(texts.sizes)
    return {
        "hidden": named.numbers(itemgetter(0)),
        "layers": named.numbers(itemgetter(1)),
        "vocab": coded(table.text("tokenizer")).numbers(texts.vocabulary),
    }
