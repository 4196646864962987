"""Converts the parameters that a row counts to parameters without embeddings, as loss laws count.

Embedding tables add parameters but hardly any capacity. In small models they are most of the model,
so whether two models are similar in size depends on how many tables there are.
"""

from __future__ import annotations

import re

import numpy as np

from scalesheet.predict.arrays import Array, Flags, Words, among, each, given
from scalesheet.predict.cases import Cases

_BARE = re.compile(r"non.?embed|(?:without|no|excl\w*)\s(?:the\s)?embed")
_HEAD = re.compile(r"(?:without|no|excl\w*)\s(?:the\s)?input")
#: If subtracting two tables leaves less than this share of the usual size of the blocks (twelve
#: times layers times squared width), input and output share one table.
LEFT = 0.6
#: Models with fewer parameters and unknown dimensions are assumed to share one table.
SHARED = 1e9
NEWTON = 30
LEAST = 0.05  # of all parameters: every decoder has more outside its tables


def without_embeddings(cases: Cases, usual: bool | None = None) -> Array:
    """Parameters of each case without its embedding tables, input and output.

    `usual` is whether both share a table if a case does not tell; by size unless given.

    Rows that count parameters differently say so under `counts`. Width, vocabulary and tying are as
    stated, from the catalogue's model, or typical for the size.
    """
    by_size = cases.parameters < SHARED if usual is None else usual
    shared = np.where(cases.known, _tied(cases), by_size)
    width = np.where(cases.known, cases.hidden, _usual_width(cases, shared))
    table = cases.vocab * width
    tables = np.where(shared, table, 2 * table)
    counts = each(cases.counts, str.lower)
    tables = np.where(_says(counts, _HEAD), table, tables)
    tables = np.where(_says(counts, _BARE), 0.0, tables)
    return np.maximum(cases.parameters - tables, LEAST * cases.parameters)


def _usual_width(cases: Cases, shared: Flags) -> Array:
    """The width at which blocks of the usual shape and the tables add up to all parameters.

    Newton's method on a cubic that rises everywhere, starting from a width that is too large.
    """
    cubic, linear = 12 / cases.width_per_layer, cases.vocab * np.where(shared, 1.0, 2.0)
    width = np.cbrt(cases.parameters / cubic)
    for _ in range(NEWTON):
        over = cubic * width**3 + linear * width - cases.parameters
        width = width - over / (3 * cubic * width**2 + linear)
    return width


def _tied(cases: Cases) -> Flags:
    """Whether input and output share a table: by the catalogue, else by what the layers leave."""
    table = cases.vocab * cases.hidden
    usual = 12 * cases.layers * cases.hidden**2
    with np.errstate(invalid="ignore"):
        fits: Flags = cases.parameters - 2 * table < LEFT * usual
    return np.where(among(cases.model_id, ""), fits, cases.tied)


def _says(counts: Words, pattern: re.Pattern[str]) -> Flags:
    return given(each(counts, pattern.search))
