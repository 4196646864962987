"""The page of the commands: usage, options with defaults, exit status, an example of each.

All of it is read from the program's own parser. The examples and their output are in
`examples/commands/`; a test runs them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from textwrap import wrap

from scalesheet.codes import STATUS
from scalesheet.render.pages.html import heading, inline, page, tag

PAGE = "commands.md"


def command_page(whole: argparse.ArgumentParser) -> tuple[str, str]:
    """Return path and text of the page."""
    blocks: list[object] = [
        inline(str(whole.description)),
        "`python -m scalesheet` is the same program. Messages go to standard error, results to "
        "standard output. The examples are from the book of the tutorial “A book of your own”.",
        heading(2, "Exit status", "exit-status"),
        "| status | means |\n|---|---|\n"
        + "\n".join(f"| {status} | {inline(means)} |" for status, means in STATUS.items()),
    ]
    for name, command in commands(whole).items():
        blocks += _command(name, command)
    return PAGE, page("Commands", *blocks)


def commands(whole: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parser of each command, in listed order."""
    (subparsers,) = (a for a in whole._actions if isinstance(a, argparse._SubParsersAction))
    return dict(subparsers.choices)


def example(name: str) -> str:
    """The command line, after `$`, and its output."""
    file = resources.files("scalesheet") / "examples" / "commands" / f"{name}.txt"
    return file.read_text("utf-8")


# ------------------------------------------------------------------ a command


def _command(name: str, command: argparse.ArgumentParser) -> Iterator[object]:
    yield heading(2, tag("code", name), name)
    yield inline(str(command.description))
    yield f"```text\n{usage(name, command)}\n```"
    rows = [_row(action) for action in _actions(command)]
    yield "| argument | means | default |\n|---|---|---|\n" + "\n".join(rows)
    yield f"```console\n{example(name)}```"


def usage(name: str, command: argparse.ArgumentParser) -> str:
    """`scalesheet show [PLAN] [--set NAME=VALUE ...] [--data DIR]`, wrapped."""
    words = [
        "scalesheet",
        name,
        *(_used(action).replace(" ", "\xa0") for action in _actions(command)),
    ]
    lines = wrap(" ".join(words), 80, subsequent_indent=" " * 4, break_on_hyphens=False)
    return "\n".join(lines).replace("\xa0", " ")


def _actions(command: argparse.ArgumentParser) -> list[argparse.Action]:
    """Its arguments: positional ones first, those of every command last."""
    own = [a for a in command._actions if not isinstance(a, argparse._HelpAction)]
    return sorted(own, key=lambda a: (bool(a.option_strings), a.option_strings == ["--data"]))


def _used(action: argparse.Action) -> str:
    if not action.option_strings:
        name = _value(action)
        return f"[{name}{' ...' if action.nargs == '*' else ''}]" if _may_lack(action) else name
    value = "" if action.nargs == 0 else f" {_value(action)}"
    again = " ..." if isinstance(action, argparse._AppendAction) else ""
    return f"[{action.option_strings[-1]}{value}{again}]"


def _may_lack(action: argparse.Action) -> bool:
    return action.nargs in ("?", "*")


def _value(action: argparse.Action) -> str:
    if action.choices is not None and action.metavar is None:
        return "|".join(map(str, action.choices))
    return str(action.metavar or action.dest.upper())


def _row(action: argparse.Action) -> str:
    shown = action.option_strings[-1] if action.option_strings else _value(action)
    if action.option_strings and action.nargs != 0:
        shown += f" {_value(action)}"
    return f"| {tag('code', inline(shown))} | {inline(_help(action))} | {_default(action)} |"


def _help(action: argparse.Action) -> str:
    """The help text without its default, which has a column of its own."""
    text, _, _ = str(action.help or "").partition(" (default:")
    choices = ", ".join(map(str, action.choices)) if action.choices is not None else ""
    return text or (f"one of {choices}" if choices else "")


def _default(action: argparse.Action) -> str:
    """The default, from the parser or from the help text."""
    _, remarked, words = str(action.help or "").partition(" (default: ")
    if remarked:
        return inline(words.rstrip(")"))
    if isinstance(action.default, str | int | Path) and action.default not in (False, True):
        return tag("code", inline(str(action.default)))
    return ""
