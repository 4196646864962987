"""Plans made straight from formulas, without files, and the ground that shipped plans build on."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from functools import cache

from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic
from scalesheet.language.parser import parse
from scalesheet.load import Document
from scalesheet.load.folder import load
from scalesheet.model import Domain, Plan, Position, Stated
from scalesheet.resolve.book import Ground, grounded
from scalesheet.resolve.compile import compile_space, scalar
from scalesheet.resolve.drafts import Draft, Space, Written
from scalesheet.units import PURE, Declared, Unit, Units
from shipped import DATA

HERE = Position("plan.yaml", 1, 1)
UNITS = Units([Declared("second", "time", Fraction(1), "second", "s", False)])
Ends = tuple[float, float, float]


def exact(number: float) -> Ends:
    return (number, number, number)


def pure_plan(
    inputs: Mapping[str, tuple[Ends, Domain]], formulas: Mapping[str, str]
) -> tuple[Book, Plan, list[Diagnostic]]:
    """A book with one plan of pure numbers: inputs with ranges and domains, formulas in order."""
    drafts = {
        name: Draft(
            name,
            name,
            HERE,
            unit=PURE,
            domain=domain,
            stated={None: Stated(ends[1], ends[0], ends[2])},
        )
        for name, (ends, domain) in inputs.items()
    }
    for name, text in formulas.items():
        drafts[name] = Draft(
            name, name, HERE, unit=Unit(), formulas={None: Written(text, parse(text), HERE)}
        )
    found: list[Diagnostic] = []
    compiled = compile_space(Space(UNITS, {}, {}, scalars=drafts), {}, found)
    if any(d.severity == "error" for d in found):
        done = {}
    else:
        done = {name: scalar(draft, compiled) for name, draft in drafts.items()}
    plan = Plan("p", "P", "", done, {}, (), compiled.order, (), (), (), (), (), "")
    book = Book("B", date(2026, 1, 1), date(2026, 1, 1), UNITS, {}, {}, (), {}, {"p": plan})
    return book, plan, found


@cache
def documents() -> list[Document]:
    """The documents of the shipped book."""
    found, problems = load(DATA)
    assert problems == []
    return found


@cache
def ground() -> Ground:
    """What plans of the shipped book build on."""
    made = grounded(documents(), None, [])
    assert made is not None
    return made
