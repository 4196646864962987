"""The commands, one module each: `SUMMARY`, `arguments(parser)` and `run(options) -> status`.

A module imports what it needs inside `run`, so that `--help` loads none of it.
"""

from __future__ import annotations

import argparse
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from scalesheet import __version__
from scalesheet.codes import FINDINGS

if TYPE_CHECKING:
    from scalesheet.book import Book
    from scalesheet.diagnostics import Diagnostic
    from scalesheet.model import Plan

#: The default data folder.
DATA = Path("data")
#: In the order of the help.
NAMES = (
    "init",
    "check",
    "build",
    "serve",
    "show",
    "audit",
    "predict",
    "choose",
    "fit",
    "law",
    "diff",
    "actuals",
    "cut",
    "lock",
    "pull",
    "new",
    "bench",
    "links",
    "explain",
)


class UsageError(Exception):
    """Raised if the command line is wrong; the message says how."""


def as_of(parser: argparse.ArgumentParser) -> None:
    """Add the option `--as-of`."""
    parser.add_argument(
        "--as-of",
        type=_date,
        metavar="DATE",
        help="use prices and values in force on this day (default: the edition)",
    )


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a date; write YYYY-MM-DD") from None


def folder(data: Path) -> Path:
    """Return the data folder, after completing or undoing what a killed command was saving in it.

    Raises UsageError if there is no such folder, OSError if recovery fails.
    """
    from scalesheet.save import recover

    if not data.is_dir():
        raise UsageError(f"there is no data folder '{data}'; name it with --data DIR")
    recover(data)
    return data


def folder_or_catalogue(data: Path) -> Path:
    """Return the data folder, or, if none was named and there is none here, the shipped catalogue.

    Prints a note about the latter. Raises what `folder` raises.
    """
    from scalesheet.shipped import CATALOGUE

    if data != DATA or data.is_dir():
        return folder(data)
    print(
        f"no book here; using the catalogue of scalesheet {__version__}; "
        "'scalesheet init' creates a book",
        file=sys.stderr,
    )
    return CATALOGUE


def plan_of(book: Book, name: str) -> Plan:
    """Return the plan with that id. Raises UsageError with the nearest one."""
    from scalesheet.nearest import nearest

    if name not in book.plans:
        known = ", ".join(book.plans) or "none"
        raise UsageError(f"there is no plan '{name}'{nearest(name, book.plans)} (plans: {known})")
    return book.plans[name]


def model_of(book: Book, name: str) -> str:
    """Return the id of a catalogue model, given that or a common name.

    Raises UsageError with the nearest one.
    """
    from scalesheet.model import NO_TABLE
    from scalesheet.nearest import nearest
    from scalesheet.predict.cases.aliases import model, models

    table = book.tables.get("models", NO_TABLE)
    row = model(name, models(table))
    if not row:
        if of_size := _of_size(book, name):
            raise UsageError(of_size)
        every = (*table.rows, *table.row_titles)
        raise UsageError(f"there is no model '{name}'{nearest(name, every, 'models')}")
    return row


#: A size alone, such as 8B; and how far the models that are named for it may be from it.
_SIZE = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?) ?(?P<letter>[MBT])", re.IGNORECASE)
_SIZE_WITHIN, _MOST_OF_SIZE = 0.2, 8


def _of_size(book: Book, name: str) -> str:
    """The models of about a size such as `8B`, if a name is only a size; else empty."""
    from scalesheet.evaluate import evaluate_catalogue
    from scalesheet.quantities import amount

    match = _SIZE.fullmatch(name.strip())
    if match is None:
        return ""
    size = float(amount(match["number"], match["letter"].upper()))
    counts = evaluate_catalogue(book).tables["models"]["parameters"].value.tolist()
    rows = zip(counts, book.tables["models"].rows, strict=True)
    apart = sorted((abs(number / size - 1), row) for number, row in rows)
    near = [(far, row) for far, row in apart if far <= _SIZE_WITHIN]
    which = ", ".join(row for _, row in near[:_MOST_OF_SIZE]) or "none in the catalogue"
    return f"'{name}' is a size, and the architecture matters; models of about that size: {which}"


def tally(problems: Sequence[Diagnostic]) -> str:
    """`2 errors, 1 breach and 1 warning`, or `everything holds`."""
    from scalesheet.codes import SEVERITIES
    from scalesheet.diagnostics import counted

    if not problems:
        return "everything holds"
    counts = [(sum(d.severity == each for d in problems), each) for each in SEVERITIES]
    parts = [f"{n} {counted(n, severity)}" for n, severity in counts if n]
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def progress(message: str) -> None:
    """Overwrite the progress line, on a terminal only; an empty message clears it."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{message}", end="", file=sys.stderr, flush=True)


@contextmanager
def reading() -> Iterator[None]:
    """Show on a terminal that the book is being read, which takes seconds without a cache."""
    progress("reading and checking the data")
    try:
        yield
    finally:
        progress("")


def failed(error: Exception) -> int:
    """Report refused data, or an error of our own."""
    from scalesheet.diagnostics import Refused, as_text
    from scalesheet.disk import described

    if isinstance(error, Refused):
        print(as_text(error.diagnostics))
        print(tally(error.diagnostics), file=sys.stderr)
        return FINDINGS
    if (problem := described(error)) is not None:
        place, text, remedy = problem
        print(f"scalesheet: {place}: {text}{remedy and f'; {remedy}'}", file=sys.stderr)
        return FINDINGS
    print(
        f"scalesheet: internal error (I001): {type(error).__name__}: {error}\n"
        "This is a bug in scalesheet, not in your data. Nothing was changed. Please report it,\n"
        f"with version {__version__}, the command and what follows:\n\n"
        + "".join(f"  {line}\n" for line in traceback.format_exc().strip().splitlines()),
        file=sys.stderr,
    )
    return FINDINGS
