"""`scalesheet predict`: predicts each row of a CSV file, with a range, or says why it cannot."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scalesheet.codes import GOOD
from scalesheet.commands import UsageError, folder_or_catalogue, reading
from scalesheet.vocabulary import counted

if TYPE_CHECKING:
    from scalesheet.predict.cases.reader import Read

SUMMARY = "predict GPU hours, throughput, memory or loss of one case or of each row of a CSV file"
#: In the order of the published tables; `predict.tasks` explains them.
TASKS = ("runs", "throughput", "memory", "loss")
STANDARD_INPUT = "-"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", metavar="TASK", choices=TASKS, help=f"one of {', '.join(TASKS)}")
    parser.add_argument(
        "file",
        metavar="FILE.csv",
        nargs="?",
        help="cases with a header line; rows without an id are numbered; - reads standard input",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="COLUMN=VALUE",
        help="describe one case instead of a file: model=llama-3-1-8b (or a config.json), "
        "hardware=h100-sxm, gpus=8, sequence=4096, precision=bf16, layout=FSDP8, ...; an unknown "
        "column lists all of them; may be repeated",
    )
    parser.add_argument(
        "--format",
        choices=("text", "csv", "json"),
        help="output format (default: text on a terminal, otherwise csv)",
    )
    parser.add_argument(
        "--no-calibration",
        dest="calibrates",
        action="store_false",
        help="do not apply corrections from own records of the accelerator, model family and "
        "software",
    )


def run(options: argparse.Namespace) -> int:
    from scalesheet.examine import compile_book
    from scalesheet.predict.calibration import calibrated
    from scalesheet.predict.cases import cases_of
    from scalesheet.predict.cases.reader import COLUMNS
    from scalesheet.predict.configs import with_configs
    from scalesheet.predict.table import as_csv, as_json, supported
    from scalesheet.predict.tasks import TASKS, predict
    from scalesheet.predict.told import told
    from scalesheet.render.text.prediction import as_text

    table = _table(options)
    data = folder_or_catalogue(options.data)
    with reading():
        book = compile_book(data, plans=())
    table, catalogue = with_configs(table, book, data)
    described = cases_of(table, catalogue)
    made = predict(book, options.task, described)
    if options.calibrates:
        made = calibrated(book, options.task, described, made)
    made = told(book, options.task, described, made)
    form = options.format or ("text" if sys.stdout.isatty() else "csv")
    rows, done = len(made), int(supported(made).sum())
    if form == "text":
        print(as_text(book, options.task, described, made), end="")
    else:
        write = as_json if form == "json" else as_csv
        print(write(described.ids, made, TASKS[options.task].unit), end="")
    if form != "text" or rows != 1:
        print(f"{counted(rows, 'row')}, {done} predicted", file=sys.stderr)
    if table.unread:
        known = ", ".join(COLUMNS[options.task])
        unread = ", ".join(table.unread)
        print(f"ignored columns: {unread} (known columns: {known})", file=sys.stderr)
    return GOOD


def _table(options: argparse.Namespace) -> Read:
    """The cases from the file, from standard input, or from the flags."""
    from scalesheet.foreign import standard_input
    from scalesheet.predict.cases.reader import CODE, read_csv, read_table

    if options.set:
        if options.file is not None:
            raise UsageError("--set describes a single case; use either --set or a file")
        return _one(options.task, options.set)
    if options.file is None:
        raise UsageError(
            "no cases: name a CSV file, or - for standard input, or describe one case with "
            "--set model=llama-3-1-8b and more"
        )
    if options.file != STANDARD_INPUT and not Path(options.file).is_file():
        raise UsageError(
            f"there is no file '{options.file}'; name a CSV file with a row for each run"
        )
    if options.file == STANDARD_INPUT:
        return read_table(standard_input(CODE), options.task)
    return read_csv(Path(options.file), options.task)


def _one(task: str, texts: list[str]) -> Read:
    """The case that `COLUMN=VALUE` texts describe."""
    from scalesheet.nearest import nearest
    from scalesheet.predict.cases.reader import COLUMNS, MEANT, as_known, meant, of_columns

    stated = {"id": "case"}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            raise UsageError(f"--set '{text}': expected COLUMN=VALUE, such as model=llama-3-1-8b")
        if (name := as_known(name, task)) not in COLUMNS[task]:
            other = meant(name, task)
            near = f"; {MEANT} '{other}'?" if other else nearest(name, COLUMNS[task])
            raise UsageError(
                f"--set {text}: '{name}' is not a column of {task}{near} "
                f"(columns: {', '.join(COLUMNS[task])})"
            )
        stated[name] = value
    return of_columns({name: [value] for name, value in stated.items()}, 1, task)
