"""Keeps the plan's own wording in an edited formula, wherever it was not changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from scalesheet.language.parser import parse as parse_language
from scalesheet.language.syntax import Node, children
from scalesheet.language.tokens import FormulaError
from scalesheet.model import Formula
from scalesheet.pull.around import Around
from scalesheet.pull.parse import Tree
from scalesheet.pull.tokens import FormulaProblem


def in_its_words(meant: Node, formula: Formula, printed: Tree | None, here: Around) -> Node:
    """The new tree, with every unchanged part as the plan writes it.

    The written formula and the tree of its printed form are compared part by part. So an expanded
    catalogue formula becomes its call again.
    """
    if printed is None:
        return meant
    try:
        written = parse_language(formula.text)
        was = here.translated(printed)
    except (FormulaProblem, FormulaError):
        return meant
    words: dict[Node, Node] = {}
    _beside(written, was, words)
    return _replaced(meant, words)


def _beside(written: Node, was: Node, words: dict[Node, Node]) -> None:
    words.setdefault(was, written)
    if type(written) is not type(was):
        return
    one, other = list(children(written)), list(children(was))
    if len(one) == len(other):
        for inner, beside in zip(one, other, strict=True):
            _beside(inner, beside, words)


def _replaced(node: Node, words: Mapping[Node, Node]) -> Node:
    known = words.get(node)
    if known is not None:
        return known
    changed: dict[str, Any] = {}
    for each in fields(node):
        value = getattr(node, each.name)
        if isinstance(value, Node):
            changed[each.name] = _replaced(value, words)
        elif isinstance(value, tuple) and any(isinstance(part, Node) for part in value):
            changed[each.name] = tuple(
                _replaced(part, words) if isinstance(part, Node) else part for part in value
            )
    return replace(node, **changed) if changed else node
