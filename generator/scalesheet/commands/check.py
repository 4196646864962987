"""`scalesheet check`: reads everything and reports what is wrong."""

from __future__ import annotations

import argparse
import sys

from scalesheet.codes import FINDINGS, GOOD
from scalesheet.commands import as_of, folder, reading, tally

SUMMARY = "check the book and report errors and warnings"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=("text", "json", "github", "markdown"),
        default="text",
        help="text: path:line:col: CODE message; github: annotations for a workflow; markdown: a "
        "list for an issue",
    )
    as_of(parser)


def run(options: argparse.Namespace) -> int:
    from scalesheet.diagnostics import FORMATS, errors
    from scalesheet.examine import examine

    data = folder(options.data)
    with reading():
        examined = examine(data, options.as_of)
    diagnostics = examined.diagnostics
    text = FORMATS[options.format](diagnostics)
    if text:
        print(text)
    if options.format == "text":
        unseen = "" if examined.edition else "; fixing this may reveal more"
        print(tally(diagnostics) + unseen, file=sys.stderr)
    return FINDINGS if errors(diagnostics) else GOOD
