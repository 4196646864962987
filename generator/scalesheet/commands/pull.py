"""`scalesheet pull`: writes the edits of a workbook into the YAML."""

from __future__ import annotations

import argparse
import gc
import sys
from pathlib import Path

from scalesheet.codes import FINDINGS, GOOD
from scalesheet.commands import UsageError, folder, progress

SUMMARY = "apply the edits of a workbook to the data files"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "workbook", type=Path, metavar="WORKBOOK", help="an edited workbook, made by build"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would change, write nothing"
    )


def run(options: argparse.Namespace) -> int:
    # A pull makes hundreds of thousands of small objects and drops none before it ends: garbage
    # collection would take a sixth of its time.
    gc.disable()
    try:
        return _run(options)
    finally:
        gc.freeze()
        gc.enable()


def _run(options: argparse.Namespace) -> int:
    from scalesheet.pull import read, write
    from scalesheet.render.text.pull import changes, problems

    data, path = folder(options.data), options.workbook
    if not path.is_file():
        raise UsageError(f"there is no workbook '{path}'; name the .xlsx file that was edited")
    progress("reading the workbook")
    pulled = read(data, path)
    progress("")
    if not pulled.sound:
        print(problems(pulled, path))
        print("nothing was written", file=sys.stderr)
        return FINDINGS
    if pulled.edits and not options.dry_run:
        write(data, pulled)
    print(changes(pulled, path, data, written=not options.dry_run))
    return FINDINGS if pulled.left else GOOD
