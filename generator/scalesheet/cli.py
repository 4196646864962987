"""The command line: reads arguments, runs a command, and says what came of it.

Exit status 0 is good, 1 findings, 2 wrong usage. Nothing but this module and `commands` prints.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

from scalesheet import __version__
from scalesheet.commands import FINDINGS, GOOD, NAMES, USAGE, UsageError, tally


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit status."""
    _print_anywhere()
    whole = parser()
    options, unknown = whole.parse_known_args(arguments)
    if unknown:
        options.command.misplaced(unknown[0])
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
        return failed(error)


def _print_anywhere() -> None:
    """Output is UTF-8 as files are, whatever the locale; a terminal shows what it can."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


class Parser(argparse.ArgumentParser):
    """A parser that names the nearest of what could have been meant."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Called for each word of an argument that has choices, commands too."""
        from scalesheet.nearest import nearest

        if action.choices is not None and value not in action.choices:
            known = [str(each) for each in action.choices]
            said = f"'{value}' is none of {', '.join(known)}{nearest(str(value), known)}"
            raise argparse.ArgumentError(action, said)

    def misplaced(self, word: str) -> NoReturn:
        """Leaves, saying that a word of the command line has no place in it."""
        from scalesheet.nearest import nearest

        if not word.startswith("-"):
            self.error(f"'{word}' is one argument too many; leave it out, or quote what has blanks")
        name = word.partition("=")[0]
        every = [each for action in self._actions for each in action.option_strings]
        known = [each for each in every if each.startswith("--") and each != "--help"]
        self.error(f"there is no option '{name}'{nearest(name, known, 'options')}")


def parser() -> Parser:
    """Every command with its arguments."""
    whole = Parser(
        prog="scalesheet",
        description="A compiler for compute plans: YAML in; workbooks, pages and data out.",
    )
    whole.add_argument("--version", action="version", version=f"scalesheet {__version__}")
    commands = whole.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in NAMES:
        module = import_module(f"scalesheet.commands.{name}")
        summary = module.SUMMARY
        command = commands.add_parser(
            name, help=summary, description=summary[0].upper() + summary[1:] + "."
        )
        command.add_argument(
            "--data",
            type=Path,
            default=Path("data"),
            metavar="DIR",
            help="the data folder (default: data)",
        )
        module.arguments(command)
        command.set_defaults(run=module.run, command=command)
    return whole


def failed(error: Exception) -> int:
    """Says what went wrong: data that was refused, or a fault of our own."""
    from scalesheet.diagnostics import Refused, as_text
    from scalesheet.disk import described

    if isinstance(error, Refused):
        print(as_text(error.diagnostics))
        print(tally(error.diagnostics), file=sys.stderr)
        return FINDINGS
    if (problem := described(error)) is not None:
        place, said, remedy = problem
        print(f"scalesheet: {place}: {said}{remedy and f'; {remedy}'}", file=sys.stderr)
        return FINDINGS
    print(
        f"scalesheet: internal error (I001): {type(error).__name__}: {error}\n"
        "This is a fault of scalesheet, not of your data. Nothing was changed. Please report it,\n"
        f"with version {__version__}, the command and what follows:\n\n"
        + "".join(f"  {line}\n" for line in traceback.format_exc().strip().splitlines()),
        file=sys.stderr,
    )
    return FINDINGS
