"""Finds counts and ranks that moved only because a row was added or removed."""

from __future__ import annotations

from collections.abc import Iterable

from scalesheet.book import Book
from scalesheet.diff.changes import Entry, ResultMoved
from scalesheet.diff.matching import plan_of
from scalesheet.evaluate.references import formulas_at
from scalesheet.language.syntax import Aggregate, Cell, Lookup, Node, walk


def recounted(head: Book, entries: Iterable[Entry], moved: ResultMoved) -> bool:
    """Whether a result only counts rows of a table that gained or lost some, and no edit within
    that table contributed. Headlines and checks are always reported.
    """
    if moved.headline or moved.check:
        return False
    plan = moved.place.plan
    tables = {
        each.name.partition("[")[0]
        for each in entries
        if each.kind == "row" and each.fate != "renamed" and each.plan in ("", plan)
    }
    causes = [cause for effect in moved.effects for cause in effect.causes]
    places = [None if isinstance(cause, Entry) else cause.place for cause in causes]
    edited = {place.key.table for place in places if place is not None}
    formulas = list(formulas_at(head, plan_of(head, plan), moved.place.key))
    return bool(formulas) and all(_counts(formula.tree, tables - edited) for formula in formulas)


def _counts(tree: Node, tables: set[str]) -> bool:
    """Whether it reads one of the tables, and only to count its rows."""
    nodes = list(walk(tree))
    counts = [each for each in nodes if isinstance(each, Aggregate) and each.function == "count"]
    inside = {id(part) for each in counts for part in walk(each)}
    others = (n for n in nodes if isinstance(n, Aggregate | Cell | Lookup) and id(n) not in inside)
    return any(each.table in tables for each in counts) and not any(
        each.table in tables for each in others
    )
