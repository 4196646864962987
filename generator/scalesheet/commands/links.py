"""`scalesheet links`: checks every link of the data; no other command uses the network."""

from __future__ import annotations

import argparse
import sys

from scalesheet.codes import FINDINGS, GOOD
from scalesheet.commands import UsageError, folder, progress, tally

SUMMARY = "check every link of the data; the only command that uses the network"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=("text", "json", "github", "markdown"),
        default="text",
        help="output format, as for check",
    )
    parser.add_argument(
        "--patience",
        type=float,
        default=20.0,
        metavar="SECONDS",
        help="timeout in seconds (default: 20)",
    )
    parser.add_argument(
        "--pause",
        type=float,
        default=1.0,
        metavar="SECONDS",
        help="pause between two requests to one server (default: 1)",
    )


def run(options: argparse.Namespace) -> int:
    from scalesheet.diagnostics import FORMATS, errors
    from scalesheet.links import addresses, look
    from scalesheet.load import load

    if not (0 < options.patience <= 600 and 0 <= options.pause <= 600):
        raise UsageError("--patience and --pause are seconds, at most 600; --patience is above 0")
    documents, unread = load(folder(options.data))
    named = addresses(documents)
    broken = look(named, patience=options.patience, pause=options.pause, progress=progress)
    text = FORMATS[options.format](broken)
    if text:
        print(text)
    if options.format == "text":
        addressed = "address" if len(named) == 1 else "addresses"
        print(f"{len(named)} {addressed} checked: {tally(broken)}", file=sys.stderr)
        if errors(unread):
            print("not all of the data could be read: run 'scalesheet check'", file=sys.stderr)
    return FINDINGS if errors(broken) else GOOD
