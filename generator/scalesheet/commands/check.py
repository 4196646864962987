"""`scalesheet check`: reads everything and says all that is wrong."""

from __future__ import annotations

import argparse
import sys

from scalesheet.codes import FINDINGS, GOOD
from scalesheet.commands import as_of, folder, tally

SUMMARY = "read everything and say all that is wrong"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=("text", "json", "github", "markdown"),
        default="text",
        help="text: path:line:col: CODE message; github: annotations of a workflow; "
        "markdown: a list for an issue",
    )
    as_of(parser)


def run(options: argparse.Namespace) -> int:
    from scalesheet.diagnostics import FORMATS, errors
    from scalesheet.examine import diagnose

    found = diagnose(folder(options.data), options.as_of)
    text = FORMATS[options.format](found)
    if text:
        print(text)
    if options.format == "text":
        print(tally(found), file=sys.stderr)
    return FINDINGS if errors(found) else GOOD
