"""The command line: reads arguments, runs the program, prints what came of it.

Exit status 0 is good, 1 findings, 2 wrong usage. Nothing but this module prints.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from scalesheet import __version__

if TYPE_CHECKING:
    from scalesheet.diagnostics import Diagnostic
    from scalesheet.model import Book, Key, Plan, Stated

GOOD, FINDINGS, USAGE = 0, 1, 2


class UsageError(Exception):
    """The command was called wrongly; the message says how."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit status."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except UsageError as error:
        print(f"scalesheet: {error}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output went away; nothing is wrong
        return GOOD
    except KeyboardInterrupt:
        print("scalesheet: interrupted; the output is as it was", file=sys.stderr)
        return FINDINGS
    except Exception as error:
        return _failed(error)


def _failed(error: Exception) -> int:
    """Data that was refused, or a fault of our own."""
    from scalesheet.diagnostics import Refused, as_text

    if isinstance(error, Refused):
        print(as_text(error.diagnostics))
        print(_tally(error.diagnostics), file=sys.stderr)
        return FINDINGS
    if isinstance(error, OSError):
        place = error.filename or "a file"
        print(f"scalesheet: {place}: {error.strerror or error}", file=sys.stderr)
        return FINDINGS
    print(
        f"scalesheet: internal error (I001): {type(error).__name__}: {error}\n"
        "This is a fault of scalesheet, not of your data. Nothing was changed. Please report it,\n"
        f"with version {__version__}, the command and what follows:\n\n"
        + "".join(f"  {line}\n" for line in traceback.format_exc().strip().splitlines()),
        file=sys.stderr,
    )
    return FINDINGS


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scalesheet",
        description="A compiler for compute plans: YAML in; workbooks, pages and data out.",
    )
    parser.add_argument("--version", action="version", version=f"scalesheet {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    check = _command(commands, "check", _check, "read everything and say all that is wrong")
    check.add_argument(
        "--format",
        choices=("text", "json", "github"),
        default="text",
        help="text: path:line:col: CODE message; github: annotations of a workflow",
    )

    build = _command(commands, "build", _build, "write the workbooks, the pages and the site")
    build.add_argument(
        "--out", type=Path, default=Path("build"), metavar="DIR", help="where to (default: build)"
    )
    build.add_argument("--no-site", action="store_true", help="workbooks and data only")
    _as_of(build)

    show = _command(commands, "show", _show, "print a plan's results")
    show.add_argument("plan", metavar="PLAN", help="the plan's id")
    show.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="another value for an input, in its unit; may be repeated",
    )
    show.add_argument("--format", choices=("text", "json", "csv"), default="text")
    _as_of(show)
    return parser


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=summary, description=summary.capitalize() + ".")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path("data"),
        metavar="DIR",
        help="the data folder (default: data)",
    )
    parser.set_defaults(run=run)
    return parser


def _as_of(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--as-of",
        type=_date,
        metavar="DATE",
        help="prices in force on this day (default: the edition)",
    )


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a date; write YYYY-MM-DD") from None


def _folder(data: Path) -> Path:
    if not data.is_dir():
        raise UsageError(f"there is no data folder '{data}'; name it with --data DIR")
    return data


# ------------------------------------------------------------------ the commands


def _check(options: argparse.Namespace) -> int:
    from scalesheet.build import diagnose
    from scalesheet.diagnostics import FORMATS, errors

    found = diagnose(_folder(options.data))
    text = FORMATS[options.format](found)
    if text:
        print(text)
    if options.format == "text":
        print(_tally(found), file=sys.stderr)
    return FINDINGS if errors(found) else GOOD


def _tally(found: Sequence[Diagnostic]) -> str:
    from scalesheet.diagnostics import errors

    bad = len(errors(found))
    warnings = len(found) - bad
    if not found:
        return "everything holds"
    counts = ((bad, "error"), (warnings, "warning"))
    return " and ".join(f"{n} {what}{'s' * (n != 1)}" for n, what in counts if n)


def _build(options: argparse.Namespace) -> int:
    from scalesheet.build import build

    data = _folder(options.data)
    project = data.absolute().parent
    if not options.no_site and not (project / "mkdocs.yml").is_file():
        raise UsageError(
            f"there is no mkdocs.yml in '{project}', so there is no site to build; "
            "add one, or build without it: --no-site"
        )
    _refuse_overlap(options.out, data)
    built = build(
        data, options.out, site=not options.no_site, as_of=options.as_of, progress=_progress
    )
    _progress("")
    for finding in built.diagnostics:
        print(finding, file=sys.stderr)
    for path in built.workbooks:
        print(f"wrote {path}")
    if built.site is None:
        print(f"wrote {built.out / 'api'}")
    else:
        print(f"wrote {built.site} ({built.pages} pages)")
        print(f"open  {(built.site / 'index.html').absolute().as_uri()}")
    print(
        f"edition hash {built.edition_hash}: {built.cells:,} cells in the workbooks, "
        f"{built.formulas:,} of them live formulas"
    )
    return GOOD


def _refuse_overlap(out: Path, data: Path) -> None:
    """The output folder is replaced as a whole, so it must hold nothing of the user's."""
    target, source = out.absolute().resolve(), data.absolute().resolve()
    if target == source or source.is_relative_to(target) or target.is_relative_to(source):
        raise UsageError(f"--out '{out}' would replace the data folder '{data}'")
    known = {"workbooks", "site", "api"}
    if target.is_file():
        raise UsageError(f"--out '{out}' is a file; name a folder")
    if target.is_dir() and any(target.iterdir()) and not known & {p.name for p in target.iterdir()}:
        raise UsageError(
            f"--out '{out}' holds files that are not of a build, and would be replaced; "
            "name an empty or new folder"
        )


def _progress(message: str) -> None:
    """One line that is written over, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{message}", end="", file=sys.stderr, flush=True)


def _show(options: argparse.Namespace) -> int:
    from scalesheet.build import examine
    from scalesheet.diagnostics import Refused, errors
    from scalesheet.evaluate import evaluate
    from scalesheet.render.api import as_csv, as_json, plan_json
    from scalesheet.render.terminal import plan_text

    examined = examine(_folder(options.data), options.as_of)
    if examined.book is None or errors(examined.diagnostics):
        raise Refused(examined.diagnostics)
    book = examined.book
    plan = _plan(book, options.plan)
    edits = dict(_edit(book, plan, text) for text in options.set)
    results = evaluate(book, plan, edits) if edits else examined.results[plan.id]
    if options.format == "json":
        print(as_json(plan_json(book, plan, results)), end="")
    elif options.format == "csv":
        print(as_csv(plan, results), end="")
    else:
        print(plan_text(book, plan, results, edits), end="")
    return GOOD


def _plan(book: Book, name: str) -> Plan:
    from scalesheet.diagnostics import nearest

    if name not in book.plans:
        known = ", ".join(book.plans) or "none"
        raise UsageError(f"there is no plan '{name}'{nearest(name, book.plans)} (plans: {known})")
    return book.plans[name]


def _edit(book: Book, plan: Plan, text: str) -> tuple[Key, Stated]:
    from scalesheet.evaluate.edits import EditError, read_edit

    try:
        return read_edit(book, plan, text)
    except EditError as error:
        raise UsageError(f"--set {text}: {error}") from None
