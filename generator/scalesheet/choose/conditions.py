"""Checks which layouts can run: the conditions of the plan `calculator`, over many layouts at once.

The plan's table `conditions` defines them, with their numbers. The search and the front page both
read them from there; the front page with `render/live/layouts.js`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalesheet.book import Book
from scalesheet.choose.job import PLAN
from scalesheet.choose.side_by_side import Axes, combinations, figures_of
from scalesheet.evaluate import Overrides, computed, evaluate
from scalesheet.evaluate.parts import Filled, State
from scalesheet.model import Key

TABLE = "conditions"
HOLDS = "holds"
SAYS = "says"
#: The role of the number of conditions that a layout breaks.
BROKEN = "broken"
Counts = NDArray[np.int64]


def broken(book: Book, edits: Overrides, axes: Axes) -> Counts:
    """Count the conditions that each combination of inputs breaks. The result has an axis for each
    input, in the given order. `edits` were made to the other inputs.
    """
    state = computed(book, book.plans[PLAN], edits)
    inputs, shape = combinations(axes)
    return broken_in(book, state, inputs).reshape(shape)


def broken_in(book: Book, state: State, inputs: Mapping[str, NDArray[Any]]) -> Counts:
    """The same for many values of some inputs, side by side."""
    return figure_in(book, state, BROKEN, inputs).astype(np.int64)


def figure_in(
    book: Book, state: State, role: str, inputs: Mapping[str, NDArray[Any]]
) -> NDArray[np.float64]:
    """A figure of the plan for many values of some inputs, side by side."""
    plan = book.plans[PLAN]
    (figure,) = figures_of(plan, state, (plan.roles[role].name,), inputs)
    return figure


def of_models(state: State, models: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """Replace the catalogue's models by others, given by columns; returns their ids."""
    (rows,) = {len(values) for values in models.values()}
    ids = np.array([f"{place}" for place in range(rows)], dtype=object)
    state.rows["models"] = {id_: place for place, id_ in enumerate(ids.tolist())}
    for name, values in models.items():
        state.columns["models", name] = Filled({"value": values})
    return ids


def obstacles(book: Book, edits: Overrides, axes: Axes) -> tuple[str, ...]:
    """What keeps the combination with the fewest broken conditions from running, with its numbers:
    `6 layers are too few for 16 pipeline stages`. The first such combination counts.
    """
    plan = book.plans[PLAN]
    count = broken(book, edits, axes)
    place = np.unravel_index(np.argmin(count), count.shape)
    places = zip(axes.items(), place, strict=True)
    chosen = {Key(name): values[int(at)] for (name, values), at in places}
    result = evaluate(book, plan, {**edits, **chosen}).tables[TABLE]
    pairs = zip(result[HOLDS], result[SAYS], strict=True)
    return tuple(str(says.value) for holds, says in pairs if not holds.value)
