"""Loss by size and data: one law for all, and one offset for each evaluation set.

A loss depends on the evaluation text and on the tokenizer, which no law knows: that is the offset.
It is learned from published losses on the same set. A set without published losses gets the offset
of its kind of text, or the mean of all, adjusted to the token length of its vocabulary, and a wide
range: there, only differences between rows are meaningful.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from operator import itemgetter

import numpy as np

from scalesheet.book import Book
from scalesheet.predict.arrays import (
    Array,
    Flags,
    Reasons,
    Words,
    among,
    because,
    coded,
    each,
    first_reason,
    given,
    no_reasons,
)
from scalesheet.predict.cases import Cases, needs
from scalesheet.predict.cases.free_text import vocabulary
from scalesheet.predict.fits import Coefficients
from scalesheet.predict.loss.embeddings import without_embeddings
from scalesheet.predict.records import rows_of
from scalesheet.predict.table import Predictions, none_of

#: Coefficients of the law, as `joint-power-loss` names them.
SHAPE = ("size", "data", "alpha", "beta", "joint")
#: Parameters without embeddings. In smaller models the embedding tables do much of the work.
SMALLEST = 3e6
#: The reference for offsets of texts: vocabulary size, and the size and tokens of a typical run.
USUAL, PARAMETERS, TOKENS = 5e4, 1e9, 2e10
#: Parameters without embeddings, and tokens, of the published runs that the fit uses; runs more
#: than FAR times outside are far from them.
SIZES, DATA, FAR = (1.9e7, 1.3e10), (1e9, 5e12), 3.0
#: A fit also has an offset for each set and each kind of text that it knows.
NEEDED = (*SHAPE, "offset_elsewhere", "set_low", "set_high", "new_low", "new_high", "far")
#: Kinds of text that sets consist of -> patterns of set names. The first match wins.
CORPORA: Mapping[str, str] = {
    "pile": r"\bpile\b",
    "c4": r"\bc4\b",
    "redpajama": r"red\s?pajama",
    "web": r"open\s?web\s?text|\bowt\b|web\s?text|refinedweb|fineweb|common\s?crawl",
}
_PER = re.compile(r"byte|char|word|\bbp[bc]\b|bits? per")
_PER_TOKEN = (
    "losses are predicted per token, not per byte, character or word; 'bits-per-byte' "
    "converts where the bytes of a token are known"
)


def unsupported_loss(cases: Cases) -> Reasons:
    """Why a row cannot be predicted, if it cannot."""
    experts = cases.active < 0.99 * cases.parameters
    tuned = among(cases.method, "lora", "qlora", "adapter", "full")
    per = given(each(cases.loss_unit, lambda unit: _PER.search(unit.lower())))
    more = cases.unique > cases.tokens
    tiny = without_embeddings(cases) < SMALLEST
    return first_reason(
        needs("parameters", cases.parameters),
        needs("tokens", cases.tokens),
        because(experts, "a mixture of experts: the laws are for dense models"),
        because(tuned, "a fine-tuned model: the laws are for training from scratch"),
        because(per, _PER_TOKEN),
        because(tiny, "too small: fewer than 3e6 parameters without embeddings"),
        because(more, "more unique tokens than tokens"),
    )


def seen_tokens(book: Book, cases: Cases) -> Array:
    """Training tokens, where repeated tokens count for what they are worth as new ones."""
    repeated = ~np.isnan(cases.unique)
    if not repeated.any():
        return cases.tokens
    unique = np.where(repeated, cases.unique, cases.tokens)
    return rows_of(book, "effective-tokens", tokens=cases.tokens, unique=unique)


def predict_loss(book: Book, cases: Cases, fitted: Coefficients) -> Predictions:
    """Predict the loss in nat per token."""
    if missing := [name for name in NEEDED if name not in fitted]:
        return none_of(len(cases), f"the fit has no '{missing[0]}'; run 'scalesheet fit'")
    shape = {name: fitted[name] for name in SHAPE}
    law = partial(rows_of, book, "joint-power-loss", floor=0.0, **shape)
    by_size = law(parameters=without_embeddings(cases), tokens=seen_tokens(book, cases))
    middle = float(law(parameters=np.array([PARAMETERS]), tokens=TOKENS)[0])
    offsets = coded(cases.evaluation).each(lambda name: _offset(name, fitted))
    offset, known = offsets.numbers(itemgetter(0)), offsets.numbers(itemgetter(1)).astype(bool)
    longer = in_vocabulary(book, np.maximum(middle + offset, 0.0), cases) - middle
    law_loss = by_size + np.where(known, offset, longer)
    most = rows_of(book, "uniform-loss", entries=entries(cases))
    expected = np.clip(law_loss, 0.01, most)
    above = law_loss > most  # the law says nothing there, so the range is that of a new set
    away = fitted["far"] * outside(
        np.log(without_embeddings(cases)), np.log(cases.tokens), *np.log([SIZES, DATA])
    )
    low, high = (
        side * np.hypot(_end(fitted, end, known & ~above), away)
        for end, side in (("low", -1.0), ("high", 1.0))
    )
    method = offsets.each(lambda each: f"joint power law, {each[2]}").column()
    method[~within_fit(cases)] += "; far from the runs of the fit"
    method[above] += "; no more than the loss of a uniform guess"
    return Predictions(
        expected,
        np.maximum(expected + low, 0.01),
        np.minimum(expected + high, most),
        method,
        no_reasons(len(cases)),
    )


def outside(x: Array, y: Array, sizes: Array, data: Array) -> Array:
    """How many e-folds runs lie outside `sizes` and `data`, in total; all are logarithms."""
    gaps = [np.maximum(ends[0] - at, at - ends[1]) for at, ends in ((x, sizes), (y, data))]
    return np.asarray(sum(np.maximum(gap, 0.0) for gap in gaps))


def within_fit(cases: Cases) -> Flags:
    """Whether size and data are within the range of the fit, or not far from it."""
    inside = np.ones(len(cases), dtype=bool)
    for values, (least, most) in ((without_embeddings(cases), SIZES), (cases.tokens, DATA)):
        inside &= (least / FAR <= values) & (values <= most * FAR)
    return inside


def in_vocabulary(book: Book, loss: Array, cases: Cases) -> Array:
    """Convert a loss per token from a vocabulary of USUAL entries to the case's own."""
    return rows_of(book, "vocabulary-loss", loss=loss, entries=entries(cases), from_entries=USUAL)


def entries(cases: Cases) -> Array:
    """Vocabulary size; USUAL if neither tokenizer nor model gives it."""
    stated = np.isfinite(coded(cases.tokenizer).numbers(vocabulary))
    stated |= ~among(cases.model_id, "") | ~cases.usual_vocab
    return np.where(stated, cases.vocab, USUAL)


def _end(fitted: Coefficients, end: str, known: Flags) -> Array:
    """The distance from the prediction to an end of the range, by whether the set is known."""
    return np.where(known, fitted[f"set_{end}"], fitted[f"new_{end}"])


# ------------------------------------------------------------------ evaluation sets


def set_name(evaluation: str) -> str:
    """The name of the coefficient that holds an evaluation set's offset."""
    plain = re.sub(r"[^a-z0-9]+", "_", evaluation.lower()).strip("_")
    return f"offset_of_{plain}" if plain else ""


def corpus(evaluation: str) -> str:
    """The kind of text that a set consists of, or empty if its name does not tell.

    Text in brackets is ignored: it describes the model, such as its training data.
    """
    name = evaluation.lower().partition("(")[0]
    return next((kind for kind, pattern in CORPORA.items() if re.search(pattern, name)), "")


def corpora(evaluation: Words) -> Words:
    return each(evaluation, corpus)


def _offset(evaluation: str, fitted: Coefficients) -> tuple[float, bool, str]:
    """The offset of an evaluation set, whether it was learned on that set, and its description."""
    own = set_name(evaluation)
    if own in fitted:
        return fitted[own], True, "offset of its evaluation set"
    text = corpus(evaluation)
    if text and f"offset_in_{text}" in fitted:
        return fitted[f"offset_in_{text}"], False, f"an unknown set: offset of sets of {text}"
    return fitted["offset_elsewhere"], False, "an unknown set: mean offset of all"
