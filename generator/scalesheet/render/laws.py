"""Tables of the loss laws, computed from the catalogue, for all outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.predict.records import defaults, rows_of
from scalesheet.predict.score import TaskScore, laws
from scalesheet.render.lines import Line, Lines
from scalesheet.render.scores import spelled

LEAD = (
    "How the loss of a language model falls with size and data, according to the published laws "
    "and to the one that our predictions use. The laws were fitted on different texts and "
    "tokenizers: compare how losses change, not their values."
)
RUNS = (
    (1e8, 2e9),
    (1e9, 2e10),
    (1e9, 1e12),
    (7e9, 1.4e11),
    (7e9, 2e12),
    (70e9, 1.4e12),
    (70e9, 15e12),
)
MIDDLE = (1e9, 2e10)  # the run that others are compared with
BUDGETS = (1e20, 1e21, 1e22, 1e23, 1e24, 1e25)
EPOCHS = (1, 2, 4, 8, 16, 40, 100)
UNIQUE = 25e9  # unique tokens, in the table of epochs
MODEL = 3e9  # parameters of the model in that table
DEMAND = (0.0, 1e12, 1e13, 1e14)
TRAINED = 5.76e23  # FLOP of the model whose loss is the goal
BY = "chinchilla-loss-refitted"  # the law that weighs training against use


@dataclass(frozen=True)
class Section:
    """A heading, a text and a table; `records` has the catalogue formula of each row."""

    title: str
    anchor: str
    text: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    records: tuple[str, ...] = ()
    curves: Lines | None = None


def sections(book: Book, scores: Mapping[str, TaskScore]) -> Iterator[Section]:
    """Yield the tables that the book has formulas for."""
    known = laws.laws(book)
    if known:
        yield _laws(book, known, scores.get("loss"))
        yield _losses(book, known)
    if best := laws.optimal(book, BUDGETS):
        yield _optimal(best)
    if {"effective-tokens", "effective-parameters", "data-constrained-loss"} <= set(book.records):
        yield _epochs(book)
    if {BY, "tokens-for-loss", "lifetime-flop", "compute-optimal-parameters"} <= set(book.records):
        yield _use(book)


def _laws(book: Book, known: tuple[laws.Law, ...], score: TaskScore | None) -> Section:
    quality = laws.judged(book, score) if score is not None else {}
    rows = []
    for law in known:
        record = book.records[law.record]
        counts = "without embeddings" if law.bare else "with embeddings"
        own = quality.get(law.name)
        figures = ("", "") if own is None else (f"{own.median:.3f}", f"{own.p90:.3f}")
        rows.append((law.name, counts, *figures, record.valid))
    return Section(
        "The laws",
        "laws",
        "Errors of the scored rows in nat per token, after one offset per evaluation set from its "
        "other rows. The published laws were fitted without these rows; our fit is scored without "
        "the row's family.",
        ("Law", "Parameters", "Median error", "9 of 10 within", "Valid"),
        tuple(rows),
        tuple(law.record for law in known),
    )


def _losses(book: Book, known: tuple[laws.Law, ...]) -> Section:
    size, tokens = (np.array(column, dtype=np.float64) for column in zip(*RUNS, strict=True))
    losses = np.array([laws.loss(book, law, size, tokens) for law in known])
    falls = losses[:, [RUNS.index(MIDDLE)]] - losses
    rows = []
    for place, (parameters, data) in enumerate(RUNS):
        low, high = falls[:, place].min(), falls[:, place].max()
        apart = "–" if (parameters, data) == MIDDLE else f"{low:+.2f} to {high:+.2f}"
        rows.append(
            (large(parameters), large(data), *(f"{x:.3f}" for x in losses[:, place]), apart)
        )
    return Section(
        "Loss of example runs",
        "runs",
        "Nat per token, without embeddings. The last column shows how far the laws disagree: the "
        f"smallest and the largest drop in loss from {large(MIDDLE[0])} parameters on "
        f"{large(MIDDLE[1])} tokens.",
        ("Parameters", "Tokens", *(law.name for law in known), "Lower by"),
        tuple(rows),
    )


def _optimal(best: list[laws.Best]) -> Section:
    rows = []
    for place, compute in enumerate(BUDGETS):
        cells = (f"{large(each.parameters[place])} on {large(each.tokens[place])}" for each in best)
        rows.append((exponent(compute), *cells))
    return Section(
        "Compute-optimal size and data",
        "optimal",
        "Parameters and tokens with the lowest loss for a budget C = 6 N D, in FLOP. Kaplan and "
        "this fit count parameters without embeddings; DeepSeek's FLOP include attention. Each law "
        "was fitted on budgets far below the largest here; its formula states them.",
        ("FLOP", *(each.name for each in best)),
        tuple(rows),
        curves=_sizes(best),
    )


def _sizes(best: list[laws.Best]) -> Lines:
    """The best size by budget, with one curve per law; no point where a law has no answer."""
    lines = []
    for each in best:
        points = [
            (compute, size)
            for compute, size in zip(BUDGETS, each.parameters.tolist(), strict=True)
            if size == size
        ]
        if points:
            ends = (points[0], points[-1])
            text = ", ".join(f"{large(size)} for {exponent(at)}" for at, size in ends)
            lines.append(Line(each.name, text, (tuple(points),), points[-1][1]))
    axes = ("Budget (FLOP)", "Parameters")
    ticks = tuple((at, exponent(at)) for at in BUDGETS)
    alt = f"{axes[1]} by {axes[0]}"
    return Lines("optimal", "Compute-optimal size", alt, axes, ticks, None, tuple(lines))


def _epochs(book: Book) -> Section:
    tokens = UNIQUE * np.array(EPOCHS, dtype=np.float64)
    worth = rows_of(book, "effective-tokens", tokens=tokens, unique=UNIQUE)
    size, more = (
        rows_of(book, "effective-parameters", parameters=MODEL, unique=unique)
        for unique in (np.full(len(tokens), UNIQUE), tokens)
    )
    repeated = rows_of(book, "data-constrained-loss", parameters=size, tokens=worth)
    new = rows_of(book, "data-constrained-loss", parameters=more, tokens=tokens)
    rows = [
        (
            f"{epochs}",
            large(worth[n]),
            f"{worth[n] / tokens[n]:.0%}".replace("%", " %"),
            f"{repeated[n]:.3f}",
            f"{new[n]:.3f}",
        )
        for n, epochs in enumerate(EPOCHS)
    ]
    return Section(
        "Repeated tokens",
        "epochs",
        f"A model with {large(MODEL)} parameters on {large(UNIQUE)} unique tokens, according to "
        "Muennighoff 2023: what repeated tokens are worth in new ones, and the loss.",
        ("Epochs", "Worth in new tokens", "Of those trained on", "Loss", "Loss on new tokens"),
        tuple(rows),
    )


def _use(book: Book) -> Section:
    given = defaults(book, BY)
    best = {name: given[name] for name in ("a", "b", "alpha", "beta")}
    compute = np.array([TRAINED])
    size = rows_of(book, "compute-optimal-parameters", compute=compute, **best)
    tokens = rows_of(book, "compute-optimal-tokens", compute=compute, **best)
    target = float(rows_of(book, BY, parameters=size, tokens=tokens)[0])
    sizes = laws.in_use(book, target, DEMAND, BY)
    rows = []
    for place, demand in enumerate(DEMAND):
        ratio = sizes.tokens[place] / sizes.parameters[place]
        rows.append(
            (
                large(demand),
                large(sizes.parameters[place]),
                large(sizes.tokens[place]),
                spelled(ratio, 2),
            )
        )
    return Section(
        "Best size when a model is also used",
        "use",
        f"The least compute for training and use together that reaches a loss of {target:.3f}, the "
        f"best for {exponent(TRAINED)} FLOP of training alone, by Besiroglu 2024 and Sardana 2024. "
        "The more a model is used, the smaller it should be, and the longer it should train.",
        ("Tokens in use", "Parameters", "Training tokens", "Tokens per parameter"),
        tuple(rows),
    )


def large(number: float) -> str:
    """7e9 as `7B`, 1.4e12 as `1.4T`."""
    for scale, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if number >= scale * 0.9995:
            return f"{number / scale:.3g}{letter}"
    return f"{number:.3g}"


def exponent(number: float) -> str:
    """`1e20`, without a sign before the exponent."""
    return f"{number:.3g}".replace("e+", "e")
