"""Compares loss laws: the loss, the error and the optimum that each gives.

Every number comes from a formula of the catalogue with its published coefficients. Two laws refer
to different texts and tokenizers, so only changes between runs can be compared, not the losses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import Array
from scalesheet.predict.fits import coefficients
from scalesheet.predict.loss import SHAPE
from scalesheet.predict.loss.embeddings import without_embeddings
from scalesheet.predict.records import defaults, rows_of
from scalesheet.predict.score import Quality, TaskScore, offsets


@dataclass(frozen=True, slots=True)
class Law:
    """A law of the catalogue. `bare`: it counts parameters without embeddings."""

    record: str
    name: str
    bare: bool


#: The law fitted here is last.
LAWS = (
    Law("kaplan-loss", "Kaplan 2020", True),
    Law("chinchilla-loss", "Hoffmann 2022", False),
    Law("data-constrained-loss", "Muennighoff 2023", False),
    Law("chinchilla-loss-refitted", "Besiroglu 2024", False),
    Law("joint-power-loss", "this fit", True),
)
#: Coefficients for closed forms of the optimum, by law.
_ADDED = {
    "Hoffmann 2022": ("chinchilla-loss", "alpha", "beta"),
    "Muennighoff 2023": ("data-constrained-loss", "alpha", "alpha"),
    "Besiroglu 2024": ("chinchilla-loss-refitted", "alpha", "beta"),
}
GRID = 2001  # sizes searched for an optimum without a closed form


def fitted(book: Book) -> Mapping[str, float]:
    """The coefficients of the fitted law, with the offset for unknown sets; empty without a fit."""
    result = coefficients(book, "loss")
    if "offset_elsewhere" not in result:
        return {}
    return {**{name: result[name] for name in SHAPE}, "floor": result["offset_elsewhere"]}


def laws(book: Book) -> tuple[Law, ...]:
    """The laws whose formula and coefficients the book has."""
    known = [law for law in LAWS if law.record in book.records]
    return tuple(law for law in known if law.record != "joint-power-loss" or fitted(book))


def loss(book: Book, law: Law, parameters: Array, tokens: Array) -> Array:
    """The loss by a law, in nat / token; tokens are unique ones."""
    more: dict[str, Array | float] = {}
    if law.record == "data-constrained-loss":
        parameters = rows_of(book, "effective-parameters", parameters=parameters, unique=tokens)
    if law.record == "joint-power-loss":
        more = dict(fitted(book))
    return rows_of(book, law.record, parameters=parameters, tokens=tokens, **more)


def judged(book: Book, score: TaskScore) -> dict[str, Quality]:
    """The error of each law on the scored rows, after removing one offset per set.

    The fitted law is judged by fits that have not seen the row's family.
    """
    data = score.published
    out = {}
    for law in laws(book):
        if law.record == "joint-power-loss":
            out[law.name] = score.unseen
            continue
        size = without_embeddings(data.cases) if law.bare else data.cases.parameters
        values = loss(book, law, size, data.cases.tokens)
        gap = values + offsets("loss", data, values, score.counted) - data.truth
        own = gap[score.counted & ~np.isnan(gap)]
        error = np.abs(own)
        out[law.name] = Quality(
            len(own),
            float(np.median(error)),
            float(np.quantile(error, 0.9)),
            float(own.mean()),
            None,
        )
    return out


# ------------------------------------------------------------------ the best use of compute


@dataclass(frozen=True, slots=True)
class Best:
    """The sizes and tokens that a law considers best, for each budget; nan if it gives none."""

    name: str
    parameters: Array
    tokens: Array


def optimal(book: Book, compute: Sequence[float]) -> list[Best]:
    """The best parameters and tokens for each FLOP budget by each study, with C = 6 N D."""
    budget = np.array(compute, dtype=np.float64)
    out = []
    if "kaplan-optimal-parameters" in book.records:
        size = rows_of(book, "kaplan-optimal-parameters", compute=budget)
        out.append(Best("Kaplan 2020", size, budget / (6 * size)))
    for name, (record, alpha, beta) in _ADDED.items():
        if record in book.records and "compute-optimal-parameters" in book.records:
            stated = defaults(book, record)
            given = {"a": stated["a"], "b": stated["b"], "alpha": stated[alpha]}
            given["beta"] = stated[beta]
            size = rows_of(book, "compute-optimal-parameters", compute=budget, **given)
            tokens = rows_of(book, "compute-optimal-tokens", compute=budget, **given)
            out.append(Best(name, size, tokens))
    for name, record in (
        ("DeepSeek 2024", "deepseek-optimal-tokens"),
        ("Llama 3 2024", "llama-3-optimal-tokens"),
    ):
        if record in book.records:
            tokens = rows_of(book, record, compute=budget)
            out.append(Best(name, budget / (6 * tokens), tokens))
    result = [law for law in laws(book) if law.record == "joint-power-loss"]
    out += [least(book, law, budget) for law in result]
    return out


def least(book: Book, law: Law, budget: Array) -> Best:
    """The size with the least loss under C = 6 N D, found on a grid."""
    sizes = np.geomspace(1e7, 1e13, GRID)
    best = []
    for compute in budget.tolist():
        tokens = compute / (6 * sizes)
        best.append(sizes[int(np.argmin(loss(book, law, sizes, tokens)))])
    size = np.array(best, dtype=np.float64)
    return Best(law.name, size, budget / (6 * size))


def in_use(book: Book, target: float, demand: Sequence[float], record: str) -> Best:
    """Parameters and training tokens that reach a loss with the least compute for training and use.

    `target` in nat / token, `demand` in tokens read and written in use, `record` a law that is a
    sum of terms. Found on a grid of sizes, with `tokens-for-loss` and `lifetime-flop`.
    """
    stated = defaults(book, record)
    sizes = np.geomspace(1e7, 1e13, GRID)
    tokens = rows_of(
        book,
        "tokens-for-loss",
        loss=target,
        parameters=sizes,
        **{name: stated[name] for name in ("floor", "a", "b", "alpha", "beta")},
    )
    places = []
    for wanted in demand:
        whole = rows_of(book, "lifetime-flop", parameters=sizes, tokens=tokens, demand=wanted)
        places.append(int(np.nanargmin(np.where(np.isfinite(whole), whole, np.nan))))
    return Best(record, sizes[places], tokens[places])
