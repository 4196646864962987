"""`scalesheet show`: prints a plan's results, also under other inputs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from scalesheet.codes import GOOD
from scalesheet.commands import UsageError, as_of, folder, plan_of

if TYPE_CHECKING:
    from scalesheet.book import Book
    from scalesheet.model import Key, Plan, Stated

SUMMARY = "print a plan's results"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", help="the plan's id")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="another value for an input, in its unit, or LOW..HIGH; may be repeated",
    )
    parser.add_argument(
        "--format",
        choices=("text", "json", "csv"),
        default="text",
        help="text to read; json or csv for programs",
    )
    as_of(parser)


def run(options: argparse.Namespace) -> int:
    from scalesheet.diagnostics import Refused, errors
    from scalesheet.evaluate import evaluate
    from scalesheet.examine import examine
    from scalesheet.render.api import as_csv, as_json, plan_json
    from scalesheet.render.text.plan import plan_text

    examined = examine(folder(options.data), options.as_of)
    if examined.edition is None or errors(examined.diagnostics):
        raise Refused(examined.diagnostics)
    book = examined.edition.book
    plan = plan_of(book, options.plan)
    edits = dict(_edit(book, plan, text) for text in options.set)
    results = evaluate(book, plan, edits) if edits else examined.edition.results[plan.id]
    if options.format == "json":
        print(as_json(plan_json(book, plan, results)), end="")
    elif options.format == "csv":
        print(as_csv(plan, results), end="")
    else:
        print(plan_text(book, plan, results, edits), end="")
    return GOOD


def _edit(book: Book, plan: Plan, text: str) -> tuple[Key, Stated]:
    from scalesheet.evaluate.edits import EditError, read_edit

    try:
        return read_edit(book, plan, text)
    except EditError as error:
        raise UsageError(f"--set {text}: {error}") from None
