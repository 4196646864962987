"""The parser of the command line: every command with its arguments."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from scalesheet import __version__
from scalesheet.commands import DATA, NAMES


class Parser(argparse.ArgumentParser):
    """A parser that suggests the nearest known word."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Check a word against the choices of its argument; also called for commands."""
        from scalesheet.nearest import nearest

        if action.choices is not None and value not in action.choices:
            known = [str(each) for each in action.choices]
            text = f"expected one of {', '.join(known)}, found '{value}'"
            text += nearest(str(value), known)
            raise argparse.ArgumentError(action, text)

    def late(self, options: argparse.Namespace, words: list[str]) -> list[str]:
        """Assign words after an option to optional positional arguments; return the words left
        over.

        In `predict memory --format text FILE`, argparse considers FILE absent before it gets there.
        """
        for action in self._actions:
            free = not action.option_strings and getattr(options, action.dest, 0) == action.default
            if words and free and action.nargs == "?" and not words[0].startswith("-"):
                setattr(options, action.dest, words[0])
                words = words[1:]
        return words

    def misplaced(self, word: str) -> NoReturn:
        """Exit with an error about a word that does not belong in the command line."""
        from scalesheet.nearest import nearest

        if not word.startswith("-"):
            self.error(
                f"'{word}' is an unexpected argument; remove it, or put text with spaces in quotes"
            )
        name = word.partition("=")[0]
        every = [each for action in self._actions for each in action.option_strings]
        known = [each for each in every if each.startswith("--") and each != "--help"]
        self.error(f"there is no option '{name}'{nearest(name, known, 'options')}")


def parser() -> Parser:
    """Build the parser with every command and its arguments."""
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
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            allow_abbrev=False,  # `choose --gpus 4` would be `--gpus-at-most 4`
        )
        command.add_argument(
            "--data",
            type=Path,
            default=DATA,
            metavar="DIR",
            help="the data folder (default: data)",
        )
        module.arguments(command)
        command.set_defaults(run=module.run, command=command, parser=whole)
    return whole
