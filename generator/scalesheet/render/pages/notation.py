"""Scratch until the printers are there."""

from __future__ import annotations

from scalesheet.language.syntax import Node
from scalesheet.model import Key, Plan, Record
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.html import Html
from scalesheet.values import Results


def mathml(context: Context, plan: Plan, title: str, node: Node) -> Html:
    return Html("<math display='block'><mi>x</mi></math>")


def with_numbers(
    context: Context, plan: Plan, results: Results, key: Key, row: str | None, node: Node
) -> Html:
    return Html("<math display='block'><mn>1</mn></math>")


def latex(context: Context, plan: Plan, node: Node) -> str:
    return "x"


def texts(context: Context, plan: Plan, node: Node) -> list[tuple[str, str]]:
    return []


def record_mathml(context: Context, record: Record) -> Html:
    return Html("<math display='block'><mi>x</mi></math>")


def record_latex(context: Context, record: Record) -> str:
    return "x"


def record_texts(context: Context, record: Record) -> list[tuple[str, str]]:
    return []
