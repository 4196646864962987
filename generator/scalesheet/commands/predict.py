"""`scalesheet predict`: a prediction with its range for each row of a CSV file, or why none."""

from __future__ import annotations

import argparse
from pathlib import Path

from scalesheet.codes import GOOD
from scalesheet.commands import UsageError, folder

SUMMARY = "predict GPU hours, throughput, memory or loss for each row of a CSV file"
#: In the order of the published tables; `predict.tasks` has what they mean.
TASKS = ("runs", "throughput", "memory", "loss")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", metavar="TASK", choices=TASKS, help=f"one of {', '.join(TASKS)}")
    parser.add_argument(
        "file",
        metavar="FILE.csv",
        type=Path,
        help="the cases, with a line of column names; results in it are not read",
    )
    parser.add_argument(
        "--format", choices=("csv", "json"), default="csv", help="how to print (default: csv)"
    )
    parser.add_argument(
        "--no-calibration",
        dest="calibrates",
        action="store_false",
        help="leave out what own records teach of the accelerator, model family and software",
    )


def run(options: argparse.Namespace) -> int:
    import sys

    from scalesheet.examine import compile_book
    from scalesheet.predict.calibration import calibrated
    from scalesheet.predict.cases import cases_of
    from scalesheet.predict.cases.reader import COLUMNS, NotATable, read_csv
    from scalesheet.predict.table import as_csv, as_json, supported
    from scalesheet.predict.tasks import TASKS, predict

    if not options.file.is_file():
        raise UsageError(
            f"there is no file '{options.file}'; name a CSV file with a row for each run"
        )
    try:
        table = read_csv(options.file, options.task)
    except NotATable as error:
        raise UsageError(f"{options.file}: {error}") from None
    book = compile_book(folder(options.data))
    described = cases_of(table, book)
    made = predict(book, options.task, described)
    if options.calibrates:
        made = calibrated(book, options.task, described, made)
    write = as_json if options.format == "json" else as_csv
    print(write(described.ids, made, TASKS[options.task].unit), end="")
    rows, done = len(made), int(supported(made).sum())
    print(f"{rows} row{'s' * (rows != 1)}, {done} predicted", file=sys.stderr)
    if table.unread:
        known = ", ".join(COLUMNS[options.task])
        unread = ", ".join(table.unread)
        print(f"columns that are not read: {unread} (those that are: {known})", file=sys.stderr)
    return GOOD
