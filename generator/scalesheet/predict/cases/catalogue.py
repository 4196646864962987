"""What the catalogue adds to a case: the accelerator's figures and the model's architecture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from scalesheet.book import Book
from scalesheet.evaluate import evaluate_catalogue
from scalesheet.frozen import dataclass
from scalesheet.model import NO_TABLE
from scalesheet.predict import records
from scalesheet.predict.arrays import (
    Array,
    Flags,
    Places,
    Reasons,
    Words,
    among,
    coded,
    each,
    first_stated,
    no_reasons,
    no_words,
)
from scalesheet.predict.cases import aliases as names
from scalesheet.predict.cases.nodes import Node, node_type, node_types
from scalesheet.values import Results, Series
from scalesheet.vocabulary import counted

#: A name matches a model only if its parameters differ from the stated ones by at most this share.
SAME_MODEL = 0.15
#: The same for the number in the name, which is often rounded, if the row states no parameters.
SAME_NAME = 0.35
#: Assumptions about a decoder of which nothing is known.
TYPICAL = ("width-per-layer", "head-width", "widening", "vocabulary")

SIZES = ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab")
#: Features that most models lack and rows leave out: latent and linear attention, windows, experts.
LINEAR = ("linear_layers", "linear_key_dim", "linear_value_heads", "linear_value_dim")
ATTENTION = (
    *("query_rank", "kv_rank", "rope_dim", "value_dim", "window", "window_layers"),
    *(*LINEAR, "linear_state"),
)
#: What the size of a KV cache depends on.
CACHED = (
    *("layers", "kv_heads", "head_dim", "kv_rank", "rope_dim", "window_layers", "window"),
    *("linear_layers", "linear_state"),
)
EXPERTS = ("experts", "experts_active", "experts_shared", "expert_ffn", "dense_layers")
#: Column of the accelerators -> the unit used in cases.
_FIGURES = {
    "memory": "byte",
    "bandwidth": "byte / second",
    "link": "byte / second",
    "power": "W / GPU",
    "link_domain": "GPU",
    "dense_bf16": "FLOP / (second * GPU)",
    "dense_fp16": "FLOP / (second * GPU)",
    "dense_fp8": "FLOP / (second * GPU)",
    "dense_tf32": "FLOP / (second * GPU)",
    "fp32": "FLOP / (second * GPU)",
    "measured_bf16": "FLOP / (second * GPU)",
}


@dataclass(frozen=True)
class Known:
    """What cases are matched with: the names and figures of the catalogue."""

    hardware: names.Accelerators
    models: names.Models
    figures: Mapping[str, Array]  # of the accelerators, in base units, with nan at the end
    places: Mapping[str, int]  # index of each accelerator in `figures`
    nodes: Mapping[tuple[str, ...], Node]
    results: Results
    book: Book


def known(book: Book) -> Known:
    """Evaluate a book's catalogue once for many tables."""
    results = evaluate_catalogue(book)
    hardware = book.tables.get("hardware", NO_TABLE)
    figures = {}
    for name, unit in _FIGURES.items():
        if name in hardware.columns:
            own = hardware.columns[name].unit
            assert own is not None
            times = float(book.units.factor(own, book.units.parse(unit)))
            figures[name] = np.append(results.tables["hardware"][name].value * times, np.nan)
    called = names.accelerators(hardware)
    return Known(
        called,
        names.models(book.tables.get("models", NO_TABLE)),
        figures,
        {row: place for place, row in enumerate(hardware.rows)},
        node_types(book, called, results),
        results,
        book,
    )


# ------------------------------------------------------------------ accelerators


@dataclass(frozen=True)
class Hardware:
    """Figures of the accelerators that cases name, in base units."""

    memory: Array
    bandwidth: Array
    link: Array
    domain: Array
    power: Array
    peak: Array
    sixteen: Array
    measured: Array
    fused: Flags
    precision: Words  # the precision, with a default where the row states none
    no_peak: Reasons


def named(name: str, catalogue: Known) -> names.NamedAccelerator:
    """The accelerator that a name refers to, or the accelerators of the node type that it names.
    A name that is both, such as DGX H100, counts accelerators.
    """
    result, found = names.accelerator(name, catalogue.hardware), node_type(name, catalogue.nodes)
    if found is None:
        return result
    node, count = found
    if result.row:
        return replace(result, per_node=node.gpus, network=node.network)
    told = f"{counted(int(count), 'node')} of {node.gpus:g} {node.accelerator}"
    return names.NamedAccelerator(
        node.accelerator, count * node.gpus, told, None, node.gpus, node.network
    )


def hardware(rows: Words, precision: Words, catalogue: Known) -> Hardware:
    """Look up accelerators by id (or empty). 16-bit products use bf16 where it is supported."""
    place = _places(rows, catalogue.places)
    nowhere = np.full(len(catalogue.places) + 1, np.nan)

    def figure(name: str) -> Array:
        result: Array = catalogue.figures.get(name, nowhere)[place]
        return result

    sixteen = np.where(np.isnan(figure("dense_bf16")), figure("dense_fp16"), figure("dense_bf16"))
    used = np.where(among(precision, ""), "16-bit", precision)
    peak = np.full(len(rows), np.nan)
    for text, values in (
        ("16-bit", sixteen),
        ("bf16", sixteen),
        ("fp16", figure("dense_fp16")),
        ("fp8", figure("dense_fp8")),
        ("tf32", figure("dense_tf32")),
        ("fp32", figure("fp32")),
    ):
        peak = np.where(among(used, text), values, peak)
    no_peak = no_reasons(len(rows))
    for at in np.flatnonzero(np.isnan(peak) & (place >= 0)).tolist():
        no_peak[at] = f"the catalogue has no dense {used[at]} peak of {rows[at]}"
    return Hardware(
        figure("memory"),
        figure("bandwidth"),
        figure("link"),
        figure("link_domain"),
        figure("power"),
        peak,
        sixteen,
        figure("measured_bf16"),
        ~np.isnan(figure("dense_bf16")),
        used,
        no_peak,
    )


# ------------------------------------------------------------------ models


@dataclass(frozen=True)
class Architecture:
    """Sizes of the models that cases name."""

    model_id: Words
    parameters: Array
    active: Array
    sizes: Mapping[str, Array]
    gated: Flags
    tied: Flags
    known: Flags
    usual_vocab: Flags
    width_per_layer: Array
    assumed: Words
    unknown: Reasons


def architecture(written: Words, stated: Callable[[str], Array], catalogue: Known) -> Architecture:
    """What rows state about their models, then what the catalogue knows by name, then what is
    typical for that many parameters.
    """
    rows = catalogue.results.rows.get("models", ())
    table = catalogue.results.tables.get("models", {})

    def column(name: str) -> Array:
        """A column of the models, with nan at the end for names that match no model."""
        values = table[name].value if name in table else np.full(len(rows), np.nan)
        return np.append(values, np.nan)

    called = coded(written)
    model_id = called.each(lambda name: names.model(name, catalogue.models)).column()
    place = _places(model_id, {row: place for place, row in enumerate(rows)})
    count, meets = column("parameters"), column("active_parameters")
    parameters, active = stated("parameters"), stated("active")

    other = np.zeros(len(written), dtype=bool)
    named = called.numbers(lambda name: _named(name, catalogue.models))
    told_count = first_stated(parameters, named)
    within = np.log1p(np.where(np.isnan(parameters), SAME_NAME, SAME_MODEL))
    off = np.abs(np.log(told_count / count[place])) > within
    other |= off & (np.abs(np.log(told_count / meets[place])) > within)
    for name in ("layers", "hidden"):
        other |= ~np.isnan(stated(name)) & (stated(name) != column(name)[place])
    model_id = np.where(other, "", model_id)
    place = np.where(other, -1, place)

    by_name = np.isnan(parameters) & (place < 0) & ~np.isnan(named)
    parameters = first_stated(first_stated(parameters, count[place]), named)
    experts = meets[place] < 0.99 * count[place]  # mixtures activate only part per token
    met = np.where(by_name, called.numbers(names.active), np.nan)
    mixed = (by_name & ~np.isnan(met)) | (stated("active") < 0.99 * parameters)
    active = first_stated(first_stated(active, met), np.where(experts, meets[place], parameters))
    halves = called.each(names.two_halves).column().astype(bool) & (active > 0.99 * parameters)
    active = np.where(halves, active / 2, active)
    sizes: dict[str, Array] = {}
    for name in SIZES:
        sizes[name] = first_stated(stated(name), column(name)[place])
    complete = ~np.isnan(sizes["layers"]) & ~np.isnan(sizes["hidden"])
    no_vocab = np.isnan(sizes["vocab"])
    usual = records.assumed(catalogue.book) if len(written) else dict.fromkeys(TYPICAL, np.nan)
    sizes = _completed(usual, sizes, active)
    sizes |= {name: np.nan_to_num(column(name)[place]) for name in (*ATTENTION, *EXPERTS)}
    if (unknown := mixed & (sizes["experts"] == 0)).any():
        sizes |= _usual_experts(usual, sizes, unknown, parameters, active)
    gated = _flag(table, "gated", place) | ((place < 0) & _looks_gated(usual, sizes))
    estimated = ~complete & ~np.isnan(active)
    looked_up = (place >= 0) & (np.isnan(stated("layers")) | np.isnan(stated("parameters")))
    nameless = np.isnan(parameters) & np.isnan(active)
    unknown_models = no_reasons(len(written))
    unknown_models[nameless] = each(
        written[nameless], lambda name: names.unknown(name, catalogue.models)
    )
    assumed = no_words(len(written))
    assumed[looked_up] = each(model_id[looked_up], "architecture of {}".format)
    assumed[estimated] = "architecture estimated from the parameters"
    assumed[halves] = "an encoder and a decoder: half of the parameters are active for a token"
    assumed[by_name] = "parameters taken from the model's name, architecture estimated"
    return Architecture(
        model_id,
        parameters,
        active,
        sizes,
        gated,
        _flag(table, "tied", place),
        complete,
        no_vocab,
        np.full(len(written), usual["width-per-layer"]),
        assumed,
        unknown_models,
    )


def _named(name: str, known: names.Models) -> float:
    """The parameters in a name. Names in the catalogue are skipped, as an id such as `qwen2-0-5b`
    would read as 5B.
    """
    return np.nan if names.is_whole(name, known) else names.parameters(name)


def _completed(
    usual: Mapping[str, float], sizes: dict[str, Array], active: Array
) -> dict[str, Array]:
    """Derive each missing size from the others and from the active parameters."""
    hidden, layers = sizes["hidden"], sizes["layers"]
    typical = np.cbrt(active * usual["width-per-layer"] / 12)
    hidden = first_stated(first_stated(hidden, np.sqrt(active / (12 * layers))), typical)
    layers = first_stated(layers, np.maximum(1.0, np.round(active / (12 * hidden**2))))
    heads = first_stated(sizes["heads"], np.maximum(1.0, np.round(hidden / usual["head-width"])))
    return {
        "layers": layers,
        "hidden": hidden,
        "heads": heads,
        "kv_heads": first_stated(sizes["kv_heads"], heads),
        "head_dim": first_stated(sizes["head_dim"], hidden / heads),
        "ffn": first_stated(sizes["ffn"], usual["widening"] * hidden),
        "vocab": first_stated(
            sizes["vocab"], np.where(np.isnan(hidden), np.nan, usual["vocabulary"])
        ),
    }


def _usual_experts(
    usual: Mapping[str, float],
    sizes: Mapping[str, Array],
    rows: Flags,
    parameters: Array,
    active: Array,
) -> dict[str, Array]:
    """Estimate the experts of a mixture from its parameters alone, with three matrices each."""
    each, met = usual["mixture-experts"], usual["mixture-share"] * active
    made = {
        "experts": each * (parameters - active + met) / met,
        "experts_active": np.full(len(active), each),
        "expert_ffn": met / (each * 3 * sizes["layers"] * sizes["hidden"]),
    }
    return {name: np.where(rows, values, sizes[name]) for name, values in made.items()}


def _looks_gated(usual: Mapping[str, float], sizes: Mapping[str, Array]) -> Flags:
    """Whether the feed-forward layers look gated: they do not widen as plain ones do."""
    ratio = sizes["ffn"] / sizes["hidden"]
    return ~np.isnan(ratio) & (np.abs(ratio - usual["widening"]) > 0.01)


def _places(ids: Words, rows: Mapping[str, int]) -> Places:
    return coded(ids).numbers(lambda id: rows.get(id, -1)).astype(np.int64)


def _flag(table: Mapping[str, Series], name: str, place: Places) -> Flags:
    values = table[name].value.tolist() if name in table else []
    flags: Flags = np.array([value is True for value in values] + [False])
    return flags[np.where(place < len(values), place, -1)]
