"""The choices of a plan on its Summary, and what each of them affects."""

from __future__ import annotations

from scalesheet.book import Book
from scalesheet.evaluate.routes import graph
from scalesheet.frozen import dataclass
from scalesheet.language.syntax import ENDS
from scalesheet.model import Key, Plan
from scalesheet.resolve.lowering.scalars import SCENARIO

MOST = 9  # choices on Summary; the rest are on Inputs


@dataclass(frozen=True, slots=True)
class Choice:
    """A stated word, id or flag.

    `drives` are the headline figures that depend on it; `leaves` are those that do not.
    """

    name: str
    drives: tuple[str, ...]
    leaves: tuple[str, ...]


def choices_of(book: Book, plan: Plan) -> tuple[Choice, ...]:
    """The choices that headline figures depend on: the scenario, then those that affect most."""
    figures = [name for name in plan.headline if plan.scalars[name].formula is not None]
    routes = graph(book, plan, figures, ENDS)
    found = []
    for scalar in plan.scalars.values():
        if scalar.stated is None or scalar.phase is not None or scalar.hidden:
            continue
        if "." in scalar.name or scalar.kind not in ("word", "flag", "reference"):
            continue
        reached = {key.name for key, _ in routes.route([(Key(scalar.name), "value")])}
        drives = tuple(name for name in figures if name in reached)
        leaves = tuple(name for name in figures if name not in reached)
        if drives:
            found.append(Choice(scalar.name, drives, leaves))
    found.sort(key=lambda each: (each.name != SCENARIO, -len(each.drives)))
    return tuple(found[:MOST])
