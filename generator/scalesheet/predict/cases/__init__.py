"""Cases: what is known of many runs before they are made, as arrays in the units of the catalogue.

What a row does not state is looked up: peak and memory by the accelerator, the architecture by the
model's name. Where the catalogue has no such model it is estimated from the parameters, and said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from scalesheet.book import Book
from scalesheet.predict.arrays import (
    Array,
    Flags,
    Places,
    Reasons,
    Words,
    among,
    because,
    each,
    first_reason,
    first_stated,
    first_word,
    joined,
    paired,
    unstated,
    words,
)
from scalesheet.predict.cases import aliases as names
from scalesheet.predict.cases import catalogue as lookups
from scalesheet.predict.cases import free_text as texts
from scalesheet.predict.cases.catalogue import Known, known
from scalesheet.predict.cases.reader import Read

_DEGREES = ("tensor", "pipeline", "context", "expert", "virtual")
#: What is read as it stands: of the architecture, numbers and texts.
_OF_MODEL = ("model_id", "parameters", "active", "gated", "tied", "known")
_NUMBERS = ("sequence", "tokens", "global_batch", "micro_batch", "compute", "unique")
_TEXTS = ("model", "evaluation", "tokenizer", "counts", "loss_unit")


@dataclass(frozen=True)
class Cases:
    """Rows in the order of the file. In arrays nan means not stated, in words the empty text."""

    task: str
    ids: Words
    unsupported: Reasons
    assumed: Words  # what was taken in place of what is not stated
    kind: Words
    model: Words
    model_id: Words
    accelerator: Words
    gpus: Array
    memory: Array  # byte
    bandwidth: Array  # byte / second
    link: Array  # byte / second, both directions
    domain: Array  # accelerators that this link connects
    power: Array  # W
    no_peak: Reasons  # why the accelerator has no peak of that precision
    peak: Array  # FLOP / second, of the precision of the matrix products
    sixteen: Array  # FLOP / second, of products of 16 bits
    measured: Array  # FLOP / second, the best that such products were measured at
    fused: Flags  # of a kind that kernels of fused attention were made for
    parameters: Array
    active: Array
    layers: Array
    hidden: Array
    heads: Array
    kv_heads: Array
    head_dim: Array
    ffn: Array
    vocab: Array
    gated: Flags
    tied: Flags
    known: Flags  # whether the architecture is stated or of the catalogue
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
    flat: Flags  # sharded by FSDP, frozen parameters and others as one
    optimizer: Words
    rank: Array  # of adapters
    quantity: Words
    evaluation: Words
    tokenizer: Words
    counts: Words
    loss_unit: Words
    compute: Array
    unique: Array  # tokens that differ, of those trained on

    @classmethod
    def single(cls, task: str, **stated: str | float) -> Cases:
        """One case. What is not stated is nan, the empty text, false, or no reason."""
        columns: dict[str, Any] = {
            field.name: _SINGLE[str(field.type)](stated.get(field.name))
            for field in fields(cls)
            if field.name != "task"
        }
        assert stated.keys() <= columns.keys(), stated.keys() - columns.keys()
        return cls(task, **columns)

    def __len__(self) -> int:
        return len(self.ids)

    def only(self, rows: Flags | Places) -> Cases:
        """The cases of some rows, by flags or by places, of which one may come often."""
        arrays = [field.name for field in fields(self) if field.name != "task"]
        return replace(self, **{name: getattr(self, name)[rows] for name in arrays})


_SINGLE: Mapping[str, Callable[[Any], Any]] = {
    "Array": lambda value: np.array([np.nan if value is None else float(value)]),
    "Flags": lambda value: np.array([bool(value)]),
    "Words": lambda value: words([value or ""]),
    "Reasons": lambda value: words([value]),
}


def needs(what: str, values: Array) -> Reasons:
    """A reason for each row that does not state what it needs."""
    return because(np.isnan(values), f"{what} not stated")


def cases_of(table: Read, book: Book) -> Cases:
    """A table as read, against the catalogue of a book."""
    return cases(table, known(book))


def cases(table: Read, catalogue: Known) -> Cases:
    """A table as read, with everything that the catalogue adds to it."""
    told_by_name = _sizes(table) if table.task == "loss" else {}

    def number(name: str) -> Array:
        stated = table.numbers[name] if name in table.numbers else unstated(table.rows)
        return first_stated(stated, told_by_name[name]) if name in told_by_name else stated

    named = each(table.text("hardware"), lambda name: names.accelerator(name, catalogue.hardware))
    layouts = each(table.text("layout"), texts.layout)
    precisions = each(table.text("precision_text"), texts.precision)
    methods = paired(table.text("kind"), table.text("model"), texts.method)
    accelerator = _words(named, "row")
    gpus = first_stated(number("gpus"), _numbers([each.count or None for each in named.tolist()]))
    hardware = lookups.hardware(accelerator, _words(precisions, "products"), catalogue)
    model = lookups.architecture(table.text("model"), number, catalogue)
    degrees = {
        name: _numbers([each.degrees.get(name) for each in layouts.tolist()])
        for name in (*_DEGREES, "data")
    }
    ways = {name: np.nan_to_num(degrees[name], nan=1.0) for name in _DEGREES}
    across = gpus / (ways["tensor"] * ways["pipeline"] * ways["context"])

    def of_kind(read: Callable[[str], Any]) -> Words:
        return each(table.text("kind"), read)

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
            _words(methods, "reason"),
            _stated_only(_words(named, "reason"), table.text("hardware")),
            _words(precisions, "reason"),
        ),
        assumed=joined(_words(named, "assumed"), model.assumed),
        kind=of_kind(str.lower),
        accelerator=accelerator,
        gpus=gpus,
        **as_it_is,
        data=np.where(np.isnan(across), degrees["data"], across),
        zero=_numbers([each.zero for each in layouts.tolist()]),
        offload=first_word(_words(layouts, "offload"), of_kind(texts.offload)),
        checkpointing=first_word(
            each(table.text("recompute"), texts.checkpointing), _words(layouts, "checkpointing")
        ),
        weights=first_word(_words(methods, "weights"), _words(precisions, "weights")),
        pure=_words(precisions, "pure").astype(bool),
        method=_words(methods, "name"),
        variant=_words(methods, "variant"),
        framework=_words(layouts, "framework"),
        flash=first_word(_words(layouts, "flash"), each(table.text("model"), texts.flash)),
        flat=_words(layouts, "flat").astype(bool),
        optimizer=of_kind(texts.optimizer),
        rank=of_kind(texts.rank).astype(np.float64),
        quantity=each(table.text("quantity"), texts.quantity),
    )


def _words(column: Words, name: str) -> Words:
    """One attribute of what was read of each text."""
    return words([getattr(each, name) for each in column.tolist()])


def _numbers(values: Sequence[float | None]) -> Array:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _sizes(table: Read) -> dict[str, Array]:
    """Sizes in the names of runs and tokenizers, as studies of losses give them."""
    named = each(table.text("model"), texts.sizes).tolist()
    entries = each(table.text("tokenizer"), texts.vocabulary).tolist()
    width, layers = np.array(named, dtype=np.float64).reshape(-1, 2).T
    return {"hidden": width, "layers": layers, "vocab": np.array(entries, dtype=np.float64)}


def _stated_only(reasons: Reasons, written: Words) -> Reasons:
    """A row that names no accelerator is for the prediction to judge: not all need one."""
    out = reasons.copy()
    out[among(written, "")] = None
    return out
