"""`scalesheet diff`: shows what a change of the data does to the numbers."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from scalesheet.codes import FINDINGS, GOOD
from scalesheet.commands import UsageError, as_of, tally

if TYPE_CHECKING:
    from scalesheet.diff import Diff
    from scalesheet.diff.sides import Side
    from scalesheet.examine import Examined

SUMMARY = "show what a change to the data does to the numbers"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "base",
        metavar="BASE",
        help="the state to compare with: a git revision of the data, or a folder",
    )
    parser.add_argument(
        "head",
        metavar="HEAD",
        nargs="?",
        help="the new state, also a revision or folder (default: the data folder as it is)",
    )
    parser.add_argument(
        "--format",
        choices=("text", "markdown", "json"),
        default="text",
        help="text for people; markdown for a pull request; json for programs",
    )
    parser.add_argument(
        "--threshold",
        type=_share,
        default=0.001,
        metavar="SHARE",
        help="smallest relative change to report: 0.1%% or 0.001 (default: 0.1%%)",
    )
    parser.add_argument(
        "--most",
        type=_whole,
        default=20,
        metavar="N",
        help="entries to list per kind (default: 20)",
    )
    as_of(parser)


def _share(text: str) -> float:
    body, percent = text.removesuffix("%"), text.endswith("%")
    try:
        share = float(body) / (100 if percent else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a share; write 0.1% or 0.001")
    return share


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or not int(text):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of 1 or more")
    return int(text)


def run(options: argparse.Namespace) -> int:
    from scalesheet.diff import Diff, compare
    from scalesheet.diff.sides import SideError, same_bytes, sides
    from scalesheet.examine import examine

    try:
        with sides(options.base, options.head, options.data) as (base, head):
            if same_bytes(base, head):  # nothing to evaluate; errors are up to `check`
                _tell(options, (base, None), (head, None), Diff(options.threshold))
                return GOOD
            before, after = (
                examine(side.data, options.as_of, label=side.label) for side in (base, head)
            )
            status = _faults((base, before), (head, after))
            if before.edition is not None and after.edition is not None:
                diff = compare(before.edition, after.edition, options.threshold)
                _tell(options, (base, before), (head, after), diff)
            return status
    except SideError as error:
        raise UsageError(str(error)) from None


def _faults(*examined: tuple[Side, Examined]) -> int:
    """Report errors of each side: all of them if it cannot be evaluated, else their number."""
    from scalesheet.diagnostics import as_text, errors

    status = GOOD
    for side, what in examined:
        failures = errors(what.diagnostics)
        if failures:
            status = FINDINGS
            print(as_text(failures), file=sys.stderr)
            so = "cannot be evaluated" if what.book is None else "does not pass check"
            print(f"scalesheet: '{side.name}' {so}: {tally(failures)}; fix it", file=sys.stderr)
    return status


def _tell(
    options: argparse.Namespace,
    base: tuple[Side, Examined | None],
    head: tuple[Side, Examined | None],
    diff: Diff,
) -> None:
    from scalesheet.render.api import as_json
    from scalesheet.render.api.diff import diff_json, side_json
    from scalesheet.render.text.diff import Sides, as_markdown, as_text

    if options.format == "json":
        sides = (side_json(side.name, examined) for side, examined in (base, head))
        print(as_json(diff_json(diff, *sides)), end="")
        return
    names = Sides(_named(*base), _named(*head))
    if options.format == "markdown":
        print(as_markdown(diff, names, options.most), end="")
    else:
        print(as_text(diff, names, options.most), end="")


def _named(side: Side, examined: Examined | None) -> str:
    """`HEAD~1 (edition 2026-11-20)`, with the date of prices if that differs."""
    if examined is None or examined.book is None:
        return side.name
    book = examined.book
    prices = f", prices of {book.as_of}" if book.as_of != book.edition else ""
    return f"{side.name} (edition {book.edition}{prices})"
