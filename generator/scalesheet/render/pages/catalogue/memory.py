"""Memory to load, run and train models, and the largest model that an accelerator trains.

Memory to train is that of the component `training-run` in the leanest layout of the search: one
sequence at a time, activation checkpointing, and ZeRO stage 3 on several accelerators.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import urlencode

import numpy as np

from scalesheet.book import Book
from scalesheet.choose.job import ASSUMED, PLAN, Assumptions, stated_in
from scalesheet.evaluate.examples import call
from scalesheet.frozen import dataclass
from scalesheet.model import Plan
from scalesheet.predict.arrays import Array, Flags, Words, words
from scalesheet.predict.cases.catalogue import CACHED, Known
from scalesheet.predict.engine import figures, in_bytes, properties
from scalesheet.render.pages.context import Context, to
from scalesheet.render.pages.html import Html, heading, link, tag
from scalesheet.render.pages.tables import grid, heading_cell
from scalesheet.render.people import counted, gib, people
from scalesheet.vocabulary import METHODS, TUNING

COUNTS = (1, 8)  # accelerators: one, and a node of them
CONTEXT = 8192.0  # token / sequence, for running a model
_FRONT = "../../index.html"
_READ = ("needed_memory", "most_memory", "usable_memory", "peak_holds")


@dataclass(frozen=True)
class Held:
    """Memory needs of models, as arrays over (model, method, count).

    Models are in the order of the catalogue, methods in that of TUNING, counts in that of COUNTS;
    `needed` is in bytes.
    """

    models: tuple[str, ...]
    needed: Array
    most: Array
    sequence: Array  # token / sequence, of each model


def held(
    book: Book, catalogue: Known, plan: Plan, assumed: Assumptions, accelerator: str
) -> tuple[Held, Array, Flags]:
    """Return the needs of all models on an accelerator, its usable memory, and whether it has a
    peak."""
    results = catalogue.results
    models = tuple(results.rows["models"])
    shape = (len(models), len(TUNING), len(COUNTS))
    model, method, count = (each.ravel() for each in np.indices(shape))
    longest = results.tables["models"]["max_sequence"].value
    usual = stated_in(book, plan, "sequence", "token / sequence")
    sequence = np.where(np.isnan(longest), usual, np.minimum(usual, longest))
    gpus = np.array(COUNTS, dtype=np.float64)[count]
    names = words([METHODS[name].plan for name in TUNING])
    given = {
        **properties(results, "model", "models", _of(models)[model]),
        **properties(results, "gpu", "hardware", _of((accelerator,) * len(model))),
        "trained_tokens": stated_in(book, plan, "tokens", "Mtoken"),
        "sequence": sequence[model],
        "batch": stated_in(book, plan, "batch", "sequence / step"),
        "method": names[method],
        "trainer": words([METHODS[name].trainer for name in TUNING])[method],
        "gpus": gpus,
        "stage": np.where(gpus > 1, 3.0, 0.0),
        "tensor": 1.0,
        "pipeline": 1.0,
        "micro_batch": 1.0,
        "checkpointing": _of(("full",) * len(model)),
        **{name: assumed.ends(name)[1] for name in ASSUMED},
        "broken": 0.0,
        "obstacle": "",
        "possible": True,
        "status": "",
    }
    made = figures(book, len(model), given, _READ, assumed.fits)
    needed, most, usable = (made[name].reshape(shape) * in_bytes(book, name) for name in _READ[:3])
    peak: Flags = made["peak_holds"].reshape(shape) > 0
    return Held(models, needed, most, sequence), usable, peak


def _of(names: tuple[str, ...]) -> Words:
    return words(list(names))


# ------------------------------------------------------------------ a model


def size_cards(context: Context, model: str) -> Html:
    """The number of parameters, and the memory to load and to run the model."""
    table = context.book.tables["models"]
    columns = context.catalogue["models"]

    def value(name: str) -> float:
        given = columns[name][table.rows.index(model)].value if name in columns else None
        return given if isinstance(given, float) else 0.0

    parameters, active = value("parameters"), value("active_parameters")
    cards = [("Parameters", people(parameters), _active(parameters, active))]
    loaded = _computed(context, "weight-bytes", {"parameters": parameters})
    if loaded:
        packed = _computed(context, "nf4-bits-per-parameter", {})
        note = f"{gib(parameters * packed / 8)} in NF4" if packed else ""
        cards.append(("Memory to load, 16-bit", gib(loaded), note))
    length = min(CONTEXT, value("max_sequence") or CONTEXT)
    cache = _computed(
        context, "kv-cache-bytes", {**{name: value(name) for name in CACHED}, "length": length}
    )
    if loaded and cache:
        cards.append(
            (
                f"Memory to run, {length:,.0f} tokens",
                gib(loaded + cache),
                f"including {gib(cache)} KV cache per sequence",
            )
        )
    return tag("div", *(_card(*each) for each in cards), class_="hero")


def memory_section(context: Context, of: Held, model: str) -> Iterator[object]:
    """Show the memory to train a model by each method, on one accelerator and on a node."""
    at = of.models.index(model)
    yield heading(2, "Memory to train", "memory")
    head = [heading_cell("Method")]
    head += [heading_cell(f"On {counted(count, 'GPU')}, each", number=True) for count in COUNTS]
    body = [
        [
            tag("th", METHODS[name].title, scope="row"),
            *(tag("td", gib(of.needed[at, n, m]), class_="num") for m in range(len(COUNTS))),
        ]
        for n, name in enumerate(TUNING)
    ]
    yield grid(head, body)
    yield tag(
        "p",
        f"Expected, in the leanest layout: one sequence of {of.sequence[at]:,.0f} tokens at a "
        "time, with activation checkpointing; on 8 GPUs everything sharded (ZeRO stage 3). ",
        tag("a", "Any other model, from its config.json", href="../compare/any-model.html"),
        class_="note",
    )


def _active(parameters: float, active: float) -> str:
    mixture = 0 < active < 0.99 * parameters
    return f"{people(active)} active per token" if mixture else f"{parameters:,.0f}"


def _computed(context: Context, id_: str, given: Mapping[str, float]) -> float:
    """The result of a catalogue formula with its defaults; 0 if the book lacks it."""
    record = context.book.records.get(id_)
    if record is None:
        return 0.0
    known = {each.name for each in record.inputs}
    value = call(record, {name: x for name, x in given.items() if name in known}).value
    return value if isinstance(value, float) else 0.0


def _card(title: str, value: str, note: str) -> Html:
    return tag(
        "section",
        tag("p", title, class_="label"),
        tag("p", value, class_="value"),
        tag("p", note, class_="note"),
        class_="figure",
    )


# ------------------------------------------------------------------ an accelerator


def largest_section(
    context: Context, catalogue: Known, assumed: Assumptions, accelerator: str
) -> Iterator[object]:
    """Show the largest model that fits, by method, on one accelerator and on a node."""
    plan = context.book.plans[PLAN]
    of, usable, peak = held(context.book, catalogue, plan, assumed, accelerator)
    table = context.book.tables["models"]
    size = catalogue.results.tables["models"]["parameters"].value
    with np.errstate(invalid="ignore"):
        fits = (of.most <= usable) & peak
    yield heading(2, "What it can train", "largest")
    if not fits.any():
        yield tag("p", "No model in the catalogue fits, or the peak is unknown.", class_="note")
        return
    head = [
        heading_cell("Method"),
        *(heading_cell(f"On {counted(count, 'GPU')}") for count in COUNTS),
    ]
    body = []
    for n, name in enumerate(TUNING):
        cells = []
        for m, count in enumerate(COUNTS):
            sizes = np.where(fits[:, n, m], size, -1.0)
            best = int(np.argmax(sizes))
            if sizes[best] < 0:
                cells.append(tag("td", "none in the catalogue", class_="reason"))
                continue
            model = of.models[best]
            asked = {
                "model": model,
                "method": METHODS[name].plan,
                "gpu": accelerator,
                "gpus": count,
            }
            cells.append(
                tag(
                    "td",
                    link(to("models", model), context.row_title(table, model)),
                    f", {people(float(size[best]))} · ",
                    tag("a", "details", href=f"{_FRONT}?{urlencode(asked)}"),
                )
            )
        body.append([tag("th", METHODS[name].title, scope="row"), *cells])
    yield grid(head, body)
    yield tag(
        "p",
        "The largest model of the catalogue that fits, in the leanest layout: one sequence at a "
        "time, of 4,096 tokens where the model supports them, with activation checkpointing; on 8 "
        "GPUs everything sharded (ZeRO stage 3). ",
        tag("a", "All models on this GPU", href=f"../compare/fits.html?gpu={accelerator}"),
        class_="note",
    )
