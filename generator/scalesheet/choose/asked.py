"""Predicts published runs from only what the front page asks for.

A row gives model, method, precision, tokens, accelerator and count, and may say whether it
recomputes. Sequence and batch are the front page's defaults, and the layout is the fastest that
fits. Published runs take longer than that; by how much is fitted to those of other families.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from scalesheet.book import Book
from scalesheet.choose.conditions import broken_in, figure_in, of_models
from scalesheet.choose.job import PLAN, Assumptions, assumptions, stated_in
from scalesheet.choose.search import taken
from scalesheet.evaluate import computed
from scalesheet.frozen import dataclass
from scalesheet.model import Key
from scalesheet.predict.arrays import (
    Array,
    Flags,
    Places,
    Reasons,
    Words,
    among,
    because,
    first_reason,
    given,
    no_words,
    unstated,
    words,
)
from scalesheet.predict.cases import Cases, cases
from scalesheet.predict.cases.catalogue import Known
from scalesheet.predict.engine import Partly
from scalesheet.predict.fits import Coefficients
from scalesheet.predict.fits.holdout import folds, interval_of_families, quantile, sizes
from scalesheet.predict.score import Asked, TaskScore, asked_of, fitted_rows
from scalesheet.predict.score.truth import Published, described_by, published
from scalesheet.predict.table import Predictions
from scalesheet.predict.tasks import unsupported
from scalesheet.predict.time.efficiency import whole_hours
from scalesheet.predict.time.steps import Layout
from scalesheet.vocabulary import AXES, METHODS

#: What a row gives: model and its sizes, method, data, accelerator and count; recomputation; and
#: whether its hours are those of the steps alone.
GIVEN = frozenset(
    (
        *("id", "model", "kind", "hardware", "gpus", "tokens", "parameters", "active"),
        *("precision_text", "recompute", "quantity"),
        *("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab"),
    )
)
#: The parts of the layout that are searched; the front page does not split its default sequences.
LAYOUT = ("stage", "tensor", "pipeline", "experts", "micro_batch")
#: Degrees that are mentioned if they are above 1.
DIVIDED = ("tensor", "pipeline", "experts")
TITLE = "GPU hours of runs as asked"
NO_COUNT = "the number of accelerators is not stated"
NO_METHOD = "its training method cannot be asked for"
NO_ROOM = "no layout in the search fits"
NOT_DESCRIBED = "not supported as described"


@dataclass(frozen=True)
class Answers:
    """The answers to some questions: expected GPU hours in the fastest layout, the standard
    deviation of their logarithm, and the layout; nan and a reason if there is no answer.
    """

    hours: Array
    spread: Array
    layouts: Words
    whys: Reasons


def as_asked(book: Book, score: TaskScore, catalogue: Known) -> Asked | None:
    """Answers for the published runs, each with the interval that the other families give."""
    data = score.published
    made = _answers(book, data, catalogue)
    rows = ~given(made.whys)
    hours, low, high = (unstated(len(rows)) for _ in range(3))
    for others, own in folds(data.family[rows]):
        at, places = np.flatnonzero(rows)[own], np.flatnonzero(rows)[others]
        slower, *ends = _ends(made, data, places)
        hours[at] = made.hours[at] * np.exp(slower)
        low[at], high[at] = (hours[at] * np.exp(end * made.spread[at]) for end in ends)
    return asked_of(score, Predictions(hours, low, high, made.layouts, made.whys))


def fit(book: Book, catalogue: Known) -> tuple[Coefficients, Published, Flags]:
    """Fit how much longer runs take than in the fastest layout, and the ends of an answer's
    interval in standard deviations; also returns the rows used.
    """
    data = published(book, "runs", catalogue)
    made = _answers(book, data, catalogue)
    rows = ~given(made.whys)
    if len(set(data.family[rows].tolist())) < 2:
        return {}, data, rows
    fitted = _ends(made, data, np.flatnonzero(rows))
    return dict(zip(("slower", "low", "high"), fitted, strict=True)), data, rows


def _ends(made: Answers, data: Published, rows: Places) -> tuple[float, float, float]:
    """The logarithm by which published hours exceed the answers in the median of families, and the
    ends of the interval around it.
    """
    family = data.family[rows]
    off = np.log(data.truth[rows] / made.hours[rows])
    slower = quantile(off, 0.5, 1 / sizes(family))
    return slower, *interval_of_families((off - slower) / made.spread[rows], family)


def _answers(book: Book, data: Published, catalogue: Known) -> Answers:
    """Answer the questions of published runs."""
    asked = cases(described_by(data.rows, "runs", GIVEN), catalogue)
    whys = first_reason(
        data.unscored,
        because(~fitted_rows("runs", data), NOT_DESCRIBED),
        unsupported("runs", asked),
        because(~among(asked.method, *METHODS), NO_METHOD),
        because(np.isnan(asked.gpus), NO_COUNT),
    )
    assumed = assumptions(book, book.plans[PLAN], {})
    return answers(book, asked, whys, assumed, catalogue)


@np.errstate(all="ignore")  # values that are not finite are not answers
def answers(
    book: Book, asked: Cases, whys: Reasons, assumed: Assumptions, catalogue: Known
) -> Answers:
    """Answer each question without a reason against it, with the fastest layout that fits."""
    rows = np.flatnonzero(~given(whys))
    questions = _begun(book, asked.only(rows), catalogue)
    at, layout, checkpointing = _layouts(book, questions)
    trainers = words([METHODS[name].trainer for name in questions.method.tolist()])
    run, shape = questions.only(at), Layout(questions.only(at)).shape
    del shape["chunks"]
    inputs = {
        **shape,
        **layout,
        "product_parameters": Partly(np.where(run.known, np.nan, run.active)),
        "trained_tokens": run.tokens / 1e6,
        "batch": run.global_batch,
        "method": words([METHODS[name].plan for name in run.method.tolist()]),
        "trainer": trainers[at],
        "precision": np.where(among(run.precision, "fp8"), "FP8", "16 bit"),
        "checkpointing": checkpointing,
        "fits.runs.gross": assumed.fits["runs"]["gross"] * whole_hours(run),
        "fits.asked.slower": 0.0,
    }
    made = taken(book, catalogue, run.accelerator, inputs, assumed)
    hours, spread = made.hours, made.spread
    fits = np.isfinite(hours) & (made.most <= made.usable)
    places = np.flatnonzero(fits)
    order = places[np.lexsort((places, hours[places], at[places]))]
    best = order[np.unique(at[order], return_index=True)[1]]
    result = Answers(unstated(len(asked)), unstated(len(asked)), no_words(len(asked)), whys.copy())
    result.whys[rows] = NO_ROOM
    found = rows[at[best]]
    result.hours[found], result.spread[found] = hours[best], spread[best]
    result.layouts[found] = [
        layout_in_words({name: float(layout[name][place]) for name in LAYOUT}, checkpointing[place])
        for place in best.tolist()
    ]
    result.whys[found] = None
    return result


def _begun(book: Book, questions: Cases, catalogue: Known) -> Cases:
    """Questions with the default sequence and batch of the front page: those of the plan, with the
    sequence limited to the model's longest; for pretraining, the usual batch.
    """
    plan, rows = book.plans[PLAN], catalogue.results.rows.get("models", ())
    longest = dict(zip(rows, catalogue.results.tables["models"]["max_sequence"].value, strict=True))
    most = np.array([longest.get(name, np.nan) for name in questions.model_id.tolist()])
    sequence = np.fmin(stated_in(book, plan, "sequence", "token / sequence"), most)
    state = computed(book, plan, {Key("data"): "tokens", Key("epochs"): 1.0})
    unit = plan.scalars["tokens"].unit
    assert unit is not None
    sizes = {"parameters": questions.parameters, "active_parameters": questions.active}
    inputs = {
        "model": of_models(state, sizes),
        "tokens": questions.tokens / float(book.units.factor(unit, book.units.parse("token"))),
        "sequence": sequence,
        "gpus": questions.gpus,
    }
    usual = figure_in(book, state, "usual_batch", inputs)
    other = stated_in(book, plan, "batch", "sequence / step")
    batch = np.where(among(questions.method, "pretrain"), usual, other)
    return replace(questions, sequence=sequence, global_batch=batch)


def _layouts(book: Book, questions: Cases) -> tuple[Places, Mapping[str, Array], Words]:
    """All layouts that can run, plainer first: index of the question, LAYOUT, checkpointing."""
    axes = [np.array(AXES[name], dtype=np.float64) for name in LAYOUT]
    sizes = (len(questions), *map(len, axes))
    at, *places = np.unravel_index(np.arange(math.prod(sizes)), sizes)
    layout = {name: axis[place] for name, axis, place in zip(LAYOUT, axes, places, strict=True)}
    state = computed(book, book.plans[PLAN])
    trainers = words([METHODS[name].trainer for name in questions.method.tolist()])
    counts = {"parameters": questions.parameters, "active_parameters": questions.active}
    named = {name: getattr(questions, name) for name in ("heads", "layers", "experts")}
    ids = of_models(state, {**counts, **named})
    inputs = {
        "model": ids[at],
        "trainer": trainers[at],
        "gpus": questions.gpus[at],
        "batch": questions.global_batch[at],
        **layout,
    }
    can = np.flatnonzero(broken_in(book, state, inputs) == 0)
    ways = AXES["checkpointing"]
    which, said = np.tile(can, len(ways)), words(np.repeat(ways, len(can)).tolist())
    stated = questions.checkpointing[at[which]]
    kept = (stated == said) | ~among(stated, *ways)
    which, said = which[kept], said[kept]
    return at[which], {name: values[which] for name, values in layout.items()}, said


def layout_in_words(layout: Mapping[str, float], checkpointing: str) -> str:
    """`ZeRO 3, tensor 4, micro-batch 4, checkpointing`."""
    parts = [f"ZeRO {layout['stage']:.0f}"] if layout["stage"] else []
    parts += [f"{name} {layout[name]:.0f}" for name in DIVIDED if layout[name] > 1]
    parts += [f"micro-batch {layout['micro_batch']:.0f}"]
    return ", ".join([*parts, "checkpointing" if checkpointing == "full" else "no checkpointing"])
