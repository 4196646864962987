"""Cases: what is known of many runs before they are made, as arrays in the units of the catalogue.

What a row does not state is looked up: peak and memory by the accelerator, the architecture by the
model's name. Where the catalogue has no such model it is estimated from the parameters, and said.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from scalesheet.book import Book
from scalesheet.predict.arrays import (
    Array,
    Flags,
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
from scalesheet.predict.cases.catalogue import SIZES, Known, known
from scalesheet.predict.cases.reader import Read

_DEGREES = ("tensor", "pipeline", "context", "expert", "virtual")


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

    def __len__(self) -> int:
        return len(self.ids)

    def only(self, rows: Flags) -> Cases:
        """The cases of some rows."""
        arrays = [field.name for field in fields(self) if field.name != "task"]
        return replace(self, **{name: getattr(self, name)[rows] for name in arrays})


def needs(what: str, values: Array) -> Reasons:
    """A reason for each row that does not state what it needs."""
    return because(np.isnan(values), f"{what} not stated")


def cases_of(table: Read, book: Book) -> Cases:
    """A table as read, against the catalogue of a book."""
    return cases(table, known(book))


def cases(table: Read, catalogue: Known) -> Cases:
    """A table as read, with everything that the catalogue adds to it."""
    rows = table.rows

    told_by_name = _sizes(table) if table.task == "loss" else {}

    def number(name: str) -> Array:
        stated = table.numbers[name] if name in table.numbers else unstated(rows)
        return first_stated(stated, told_by_name[name]) if name in told_by_name else stated

    result = each(table.text("hardware"), lambda name: names.accelerator(name, catalogue.hardware))
    layouts = each(table.text("layout"), texts.layout)
    precisions = each(table.text("precision_text"), texts.precision)
    methods = paired(table.text("kind"), table.text("model"), texts.method)
    kinds = words([text.lower() for text in table.text("kind").tolist()])
    accelerator = words([each.row for each in result.tolist()])
    counted = np.array([each.count or np.nan for each in result.tolist()], dtype=np.float64)
    gpus = first_stated(number("gpus"), counted)

    message = words([each.products for each in precisions.tolist()])
    hardware = lookups.hardware(accelerator, message, catalogue)
    named = lookups.architecture(table.text("model"), number, catalogue)
    degrees = {name: _degree(layouts, name) for name in (*_DEGREES, "data")}
    ways = {name: np.nan_to_num(degrees[name], nan=1.0) for name in _DEGREES}
    across = gpus / (ways["tensor"] * ways["pipeline"] * ways["context"])
    adapters = words([each.weights for each in methods.tolist()])
    weights = words([each.weights for each in precisions.tolist()])
    recompute = each(table.text("recompute"), texts.checkpointing)
    asked = each(table.text("quantity"), texts.quantity)
    return Cases(
        task=table.task,
        ids=table.text("id"),
        unsupported=first_reason(
            table.unsupported,
            words([each.reason for each in methods.tolist()]),
            _stated_only(words([each.reason for each in result.tolist()]), table.text("hardware")),
            words([each.reason for each in precisions.tolist()]),
        ),
        assumed=joined(words([each.assumed for each in result.tolist()]), named.assumed),
        kind=kinds,
        model=table.text("model"),
        accelerator=accelerator,
        gpus=gpus,
        memory=hardware.memory,
        bandwidth=hardware.bandwidth,
        link=hardware.link,
        domain=hardware.domain,
        power=hardware.power,
        peak=hardware.peak,
        sixteen=hardware.sixteen,
        measured=hardware.measured,
        fused=hardware.fused,
        no_peak=hardware.no_peak,
        model_id=named.model_id,
        parameters=named.parameters,
        active=named.active,
        **{name: named.sizes[name] for name in SIZES},
        gated=named.gated,
        tied=named.tied,
        known=named.known,
        sequence=number("sequence"),
        tokens=number("tokens"),
        global_batch=number("global_batch"),
        micro_batch=number("micro_batch"),
        **ways,
        data=np.where(np.isnan(across), degrees["data"], across),
        zero=np.array(
            [np.nan if each.zero is None else each.zero for each in layouts.tolist()],
            dtype=np.float64,
        ),
        offload=first_word(
            words([each.offload for each in layouts.tolist()]),
            each(table.text("kind"), texts.offload),
        ),
        checkpointing=first_word(
            recompute, words([each.checkpointing for each in layouts.tolist()])
        ),
        precision=hardware.precision,
        weights=first_word(adapters, weights),
        pure=np.array([each.pure for each in precisions.tolist()], dtype=bool),
        method=words([each.name for each in methods.tolist()]),
        variant=words([each.variant for each in methods.tolist()]),
        framework=words([each.framework for each in layouts.tolist()]),
        flash=first_word(
            words([each.flash for each in layouts.tolist()]),
            each(table.text("model"), texts.flash),
        ),
        flat=np.array([each.flat for each in layouts.tolist()], dtype=bool),
        optimizer=each(table.text("kind"), texts.optimizer),
        rank=each(table.text("kind"), texts.rank).astype(np.float64),
        quantity=asked,
        evaluation=table.text("evaluation"),
        tokenizer=table.text("tokenizer"),
        counts=table.text("counts"),
        loss_unit=table.text("loss_unit"),
        compute=number("compute"),
        unique=number("unique"),
    )


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


def _degree(layouts: Words, name: str) -> Array:
    return np.array([each.degrees.get(name, np.nan) for each in layouts.tolist()], dtype=np.float64)
