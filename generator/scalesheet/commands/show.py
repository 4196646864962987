"""`scalesheet show`: prints a plan's results, also with other inputs, or lists ids and entries."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from scalesheet.codes import GOOD
from scalesheet.commands import UsageError, as_of, folder, plan_of, reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scalesheet.book import Book
    from scalesheet.model import Key, Plan, Stated
    from scalesheet.values import Results

SUMMARY = "print the results of a plan, or list plans and ids"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "plan",
        metavar="PLAN",
        nargs="?",
        help="id of a plan, or of a catalogue table, entry or component (default: list all ids)",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="override an input, in its unit, or as LOW..HIGH; may be repeated",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="also print every input, derived figure and table; with --why, every input of NAME",
    )
    parser.add_argument(
        "--sure",
        action="store_true",
        help="P10, P50, P80 and P90 of each headline, and the chance of staying within each limit",
    )
    parser.add_argument(
        "--why",
        metavar="NAME",
        help="explain a figure: its biggest parts, formula, inputs and sources; or print a table",
    )
    parser.add_argument(
        "--format",
        choices=("text", "json", "csv"),
        default="text",
        help="text for people; json or csv for programs",
    )
    as_of(parser)


def run(options: argparse.Namespace) -> int:
    from scalesheet.actuals.progress import progress
    from scalesheet.choose.job import PLAN
    from scalesheet.choose.layout import layouts, moved, without
    from scalesheet.evaluate import evaluate
    from scalesheet.evaluate.edits import EditError
    from scalesheet.examine import sound_edition
    from scalesheet.kept_plan import with_ranges
    from scalesheet.render.api import as_csv, as_json, plan_json
    from scalesheet.render.text.actuals import actuals_lines
    from scalesheet.render.text.ids import UnknownId, ids_text
    from scalesheet.render.text.plan import plan_text
    from scalesheet.render.text.versions import versions_lines

    data = folder(options.data)
    with reading():
        # including what the score needs, so that a whole book can reuse the cached results
        asked = (options.plan,)
        edition, _ = sound_edition(data, options.as_of, plans=(*asked, PLAN), asked=asked)
        if options.plan not in edition.book.plans:
            edition, _ = sound_edition(data, options.as_of, asked=asked)
    book = edition.book
    if options.plan not in book.plans:
        if options.set or options.why or options.format != "text":
            raise UsageError("name a plan; --set, --why and --format apply to its results")
        try:
            print(ids_text(edition, options.plan), end="")
        except UnknownId as error:
            raise UsageError(str(error)) from None
        return GOOD
    plan = plan_of(book, options.plan)
    edits = dict(_edit(book, plan, text) for text in options.set)
    results, chosen = edition.results[plan.id], {}
    if edits:
        from scalesheet.resolve.claims.changed import with_edits

        try:
            book = with_ranges(edition, plan.id, edits).book
        except EditError as error:
            raise UsageError(f"--set: {error}") from None
        plan = book.plans[plan.id]
        chosen = layouts(book, plan, edits)
        results = evaluate(book, plan, {**edits, **chosen})
        audits = [each for each in book.audits.values() if each.plan == plan.id]
        plan = with_edits(plan, edits, book.compared(plan.id), audits)
    if options.why is not None and options.format != "text":
        raise UsageError(f"--why prints text, not {options.format}; drop one of them")
    if options.sure and (options.format == "csv" or options.why is not None):
        raise UsageError("--sure prints text or json; drop csv or --why")
    if options.sure:
        from scalesheet.render.api.quantiles import quantiles_json
        from scalesheet.render.text.sure import sure_text
        from scalesheet.sure.quantiles import sure

        found = sure(book, plan, {**edits, **chosen})
        if options.format == "json":
            print(as_json(quantiles_json(book, plan, found)), end="")
        else:
            was = edition.sures[plan.id] if edits else None
            print(sure_text(book, plan, results, found, was), end="")
    elif options.format == "json":
        print(as_json(plan_json(book, plan, results)), end="")
    elif options.format == "csv":
        print(as_csv(plan, results), end="")
    elif options.why is not None:
        overrides, every = {**edits, **chosen}, options.all
        print(_why(book, plan, results, options.why, overrides, every=every), end="")
    else:
        again, unfit = moved(plan, chosen), without(plan, chosen)
        stands, every = progress(plan, results), options.all
        took = [] if stands is None else actuals_lines(stands, every=every)
        took += versions_lines(book, plan, results, every=every)
        text = plan_text(book, plan, results, edits, again, unfit, every=every, actuals=took)
        print(text, end="")
    return GOOD


def _why(
    book: Book,
    plan: Plan,
    results: Results,
    name: str,
    edits: Mapping[Key, Stated],
    *,
    every: bool,
) -> str:
    from scalesheet.render.text.why import UnknownName, why_text

    try:
        return why_text(book, plan, results, name, edits, every=every)
    except UnknownName as error:
        raise UsageError(f"--why {name}: {error}") from None


def _edit(book: Book, plan: Plan, text: str) -> tuple[Key, Stated]:
    from scalesheet.evaluate.edits import EditError, read_edit

    try:
        return read_edit(book, plan, text)
    except EditError as error:
        raise UsageError(f"--set {text}: {error}") from None
