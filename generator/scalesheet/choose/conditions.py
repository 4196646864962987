"""Which layouts can run: the conditions of the plan `calculator`, over many layouts at once.

The plan's table `conditions` is where they are said, with their numbers. The search and the front
page read them there, as `render/live/layouts.js` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalesheet.book import Book
from scalesheet.choose.job import PLAN
from scalesheet.evaluate import Overrides, computed, evaluate
from scalesheet.evaluate.interpret import Here, Part, interpret
from scalesheet.evaluate.routes import graph
from scalesheet.model import Key

TABLE = "conditions"
HOLDS = "holds"
SAYS = "says"
#: The role of how many of them a layout breaks.
BROKEN = "broken"
Counts = NDArray[np.int64]
#: Values of some inputs, of which each combination is a layout.
Axes = Mapping[str, Sequence[float | str]]


def broken(book: Book, edits: Overrides, axes: Axes) -> Counts:
    """How many conditions each combination of some inputs breaks: an axis of the result for each
    input, in the order in which they are named. `edits` were made to the other inputs."""
    plan = book.plans[PLAN]
    state = computed(book, plan, edits)
    grids = np.meshgrid(*(_array(values) for values in axes.values()), indexing="ij")
    for name, grid in zip(axes, grids, strict=True):
        state.scalars[name] = {"value": Part(grid.ravel())}
    count = np.zeros(grids[0].size, dtype=np.int64)
    count_of = plan.roles[BROKEN].name
    needed = {key for key, _ in graph(book, plan, (count_of,)).readers}
    conditions = plan.tables[TABLE].columns[HOLDS].own
    for key in plan.order:
        if key not in needed or key.name == count_of:
            continue
        if key.row is not None:
            tree = conditions[key.row].ends.value
            count += ~np.asarray(interpret(tree, Here(state)).data, dtype=bool)
        else:
            formula = plan.scalars[key.name].formula
            assert formula is not None
            state.scalars[key.name] = {"value": interpret(formula.ends.value, Here(state))}
    return count.reshape(grids[0].shape)


def obstacles(book: Book, edits: Overrides, axes: Axes) -> tuple[str, ...]:
    """What keeps the combination that breaks fewest conditions from running, with its numbers:
    `6 layers are too few for 16 pipeline stages`. Of equal ones the first counts."""
    plan = book.plans[PLAN]
    count = broken(book, edits, axes)
    place = np.unravel_index(np.argmin(count), count.shape)
    places = zip(axes.items(), place, strict=True)
    chosen = {Key(name): values[int(at)] for (name, values), at in places}
    result = evaluate(book, plan, {**edits, **chosen}).tables[TABLE]
    pairs = zip(result[HOLDS], result[SAYS], strict=True)
    return tuple(str(says.value) for holds, says in pairs if not holds.value)


def _array(values: Sequence[float | str]) -> NDArray[Any]:
    words = any(isinstance(value, str) for value in values)
    return np.array(values, dtype=object if words else np.float64)
