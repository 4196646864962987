"""`scalesheet law`: predicts a large run from your own small ones."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scalesheet.codes import GOOD
from scalesheet.commands import UsageError, folder, folder_or_catalogue

if TYPE_CHECKING:
    from scalesheet.book import Book
    from scalesheet.predict.law.answer import Answer

SUMMARY = "fit a loss and throughput law to your own small runs, and predict a larger one"
#: Below these, no loss law is known to hold.
LEAST = {"--size": "3M", "--tokens": "10M"}
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE.csv",
        help="3 or more runs, with columns for size (N), tokens (D), loss and, if known, gpu_hours",
    )
    parser.add_argument("--size", metavar="N", help="parameters of the planned run: 7B")
    parser.add_argument("--tokens", metavar="D", help="tokens of the planned run: 140B")
    parser.add_argument(
        "--write", metavar="NAME", help="write the law to fits/own-NAME.yaml, for plans to use"
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="output format (default: text)"
    )


def run(options: argparse.Namespace) -> int:
    from scalesheet import foreign
    from scalesheet.examine import compile_book
    from scalesheet.predict.cases.catalogue import known
    from scalesheet.predict.law.answer import answer
    from scalesheet.predict.law.forms import forms
    from scalesheet.predict.law.runs import CODE, read_runs
    from scalesheet.render.api.law import as_json
    from scalesheet.render.text.law import as_text as law_text

    planned = _planned(options)
    if options.write is not None and not _NAME.fullmatch(options.write):
        raise UsageError(
            f"--write {options.write}: expected a name of a-z, 0-9 and hyphens, such as my-sweep"
        )
    path = Path(options.file)
    if not path.is_file():
        raise UsageError(f"there is no file '{path}'; name a CSV file with a row for each run")
    data = (folder if options.write else folder_or_catalogue)(options.data)
    book = compile_book(data, plans=())
    catalogue, file = known(book), foreign.read(path, CODE)
    if not forms(book):
        raise UsageError(f"{data} has no loss law; copy 'joint-power-loss' from the catalogue")
    runs = read_runs(file, book, catalogue)
    made = answer(book, catalogue, runs, planned)
    print(as_json(made) if options.format == "json" else law_text(made), end="")
    if options.write is not None:
        _write(data, options.write, foreign.text(file), made, book)
    return GOOD


def _planned(options: argparse.Namespace) -> tuple[float, float] | None:
    """Size and tokens of the planned run: both or neither."""
    from scalesheet.predict.cases.reader import spelled_out

    stated = {"--size": options.size, "--tokens": options.tokens}
    if set(stated.values()) == {None}:
        return None
    numbers = []
    for option, text in stated.items():
        number = spelled_out(text) if text is not None else None
        if number is None or not number >= (spelled_out(LEAST[option]) or 0):
            found = "nothing" if text is None else f"'{text}'"
            raise UsageError(
                f"{option}: expected a number of at least {LEAST[option]}, such as 7B, found "
                f"{found}; a planned run has --size and --tokens"
            )
        numbers.append(number)
    return numbers[0], numbers[1]


def _write(data: Path, name: str, runs: str, made: Answer, book: Book) -> None:
    from scalesheet.examine import save_valid
    from scalesheet.predict.law.file import OWN, written
    from scalesheet.save import content

    path = data / "fits" / f"{OWN}{name}.yaml"
    text = written(book, name, runs, made).encode()
    old = content(path)
    if old != text:
        save_valid(data, {path: (old, text)})
    print(f"{path}: {'unchanged' if old == text else 'written'}", file=sys.stderr)
