"""Puts the steps of a formula, which have their own cells in a workbook, back into it."""

from __future__ import annotations

from typing import Any

from scalesheet.model import Column, Formula, Scalar
from scalesheet.pull.model import Pulling
from scalesheet.pull.parse import Fn, Lit, Op, Ref, Tree, tree_of
from scalesheet.pull.tokens import Token


def unfolded(pulling: Pulling, read: tuple[Token, ...], row: str | None) -> Tree:
    """The tree of a formula without steps; `row` is the row of its cell. Raises FormulaProblem."""

    def unfold(tree: Tree) -> Tree:
        match tree:
            case Ref():
                formula = _step(pulling, tree, row)
                if formula is None:
                    return tree
                return unfold(tree_of(pulling.printer.printed(formula.ends.value)))
            case Op(op, sides):
                return Op(op, tuple(map(unfold, sides)))
            case Fn("IF", (Op("=", (Ref() as status, Lit())), body, other)) if (
                status == other and _step(pulling, status, row) is not None
            ):
                return unfold(body)  # a status says whether the formula can be computed
            case Fn(name, arguments):
                return Fn(name, tuple(map(unfold, arguments)))
        return tree

    return unfold(tree_of(read))


def _step(pulling: Pulling, ref: Ref, row: str | None) -> Formula | None:
    """The formula of a step; None for any other reference."""
    meaning: Any = ref.meaning
    own = pulling.book.plans[pulling.plan.id]
    if ref.kind == "scalar" and meaning[0] not in own.scalars:
        scalar: Scalar | None = pulling.plan.scalars.get(meaning[0])
        return scalar.formula if scalar is not None else None
    if ref.kind == "own" and meaning[0] in own.tables:
        table, name, _ = meaning
        if name not in own.tables[table].columns:
            column: Column = pulling.plan.tables[table].columns[name]
            return column.own.get(row or "") or column.formula
    return None
