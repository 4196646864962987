"""Parameters without embeddings, which loss laws count, from what a row counts.

A look-up in a table of tokens adds parameters and hardly any capacity. In small models the tables
are most of the model, so their number decides whether two models are alike in size.
"""

from __future__ import annotations

import re

import numpy as np

from scalesheet.predict.arrays import Array, Flags, Words, among, each, given
from scalesheet.predict.cases import Cases
from scalesheet.predict.cases.catalogue import WIDTH_PER_LAYER

_BARE = re.compile(r"non.?embed|(?:without|no|excl\w*)\s(?:the\s)?embed")
_HEAD = re.compile(r"(?:without|no|excl\w*)\s(?:the\s)?input")
#: Of twelve times layers and squared width, which blocks of the usual kind have, the least that
#: must be left when two tables are taken off; where less is left, one table serves both ends.
LEFT = 0.6
#: Below so many parameters, models whose sizes are not known are taken to share one table.
SHARED = 1e9
NEWTON = 30
LEAST = 0.05  # of all parameters: no decoder has fewer than these outside of its tables


def without_embeddings(cases: Cases, usual: bool | None = None) -> Array:
    """Parameters of each case without its tables of tokens, input and head.

    `usual` is whether both ends share a table where a case does not tell; by size unless stated.

    A row that counts otherwise says so under `counts`. Width, vocabulary and whether both ends
    share one table are those stated, of the catalogue's model, or the usual for its size.
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
    """The width with which blocks of the usual shape and the tables make up all parameters.

    Newton's method on a cubic that rises everywhere, from a width that is too large.
    """
    cubic, linear = 12 / WIDTH_PER_LAYER, cases.vocab * np.where(shared, 1.0, 2.0)
    width = np.cbrt(cases.parameters / cubic)
    for _ in range(NEWTON):
        over = cubic * width**3 + linear * width - cases.parameters
        width = width - over / (3 * cubic * width**2 + linear)
    return width


def _tied(cases: Cases) -> Flags:
    """Whether input and head share a table: by the catalogue, else by what fits the layers."""
    table = cases.vocab * cases.hidden
    usual = 12 * cases.layers * cases.hidden**2
    with np.errstate(invalid="ignore"):
        fits: Flags = cases.parameters - 2 * table < LEFT * usual
    return np.where(among(cases.model_id, ""), fits, cases.tied)


def _says(counts: Words, pattern: re.Pattern[str]) -> Flags:
    return given(each(counts, pattern.search))
