"""`scalesheet explain`: explains one diagnostic, or lists them all."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING

from scalesheet.codes import GOOD
from scalesheet.commands import UsageError

if TYPE_CHECKING:
    from scalesheet.codes import Code

SUMMARY = "explain a diagnostic, with examples and the fix"

WIDTH = 88


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "code",
        nargs="?",
        metavar="CODE",
        help="a code such as U002; without it, all codes are listed",
    )


def run(options: argparse.Namespace) -> int:
    from scalesheet.codes import CODES

    if options.code is None:
        print("\n".join(listed()))
        return GOOD
    name = options.code.upper()
    if name not in CODES:
        raise UsageError(
            f"there is no diagnostic '{options.code}'{near(name)} (scalesheet explain lists all)"
        )
    print("\n".join(explained(CODES[name])))
    return GOOD


def near(name: str) -> str:
    """The most similar code, preferably with the same letter."""
    from difflib import get_close_matches

    from scalesheet.codes import CODES
    from scalesheet.nearest import nearest

    family = [code for code in CODES if code[0] == name[:1]]
    if not family:
        return nearest(name, CODES)
    return f"; did you mean '{get_close_matches(name, family, n=1, cutoff=0)[0]}'?"


def listed() -> Iterator[str]:
    """Yield every code with its title, by subject."""
    from scalesheet.codes import CODES, FAMILIES

    for letter, about in FAMILIES.items():
        yield f"{letter}: {about}"
        for code in CODES.values():
            if code.code.startswith(letter):
                warning = "" if code.severity == "error" else f"  ({code.severity})"
                yield f"  {code.code}  {code.title}{warning}"


def explained(code: Code) -> Iterator[str]:
    """Yield meaning, bad example and its message, remedy, good example."""
    from scalesheet.examples import Example, example

    shown = example(code.code)
    yield f"{code.code}: {code.title} ({code.severity})"
    yield ""
    yield from wrap(code.meaning, WIDTH)
    yield from wrap(f"Remedy: {code.remedy}", WIDTH)
    yield ""
    if not isinstance(shown, Example):
        yield from wrap(f"Bad: {shown.bad}", WIDTH)
        yield from wrap(f"Good: {shown.good}", WIDTH)
        return
    yield f"Bad, in data/{shown.place}:"
    yield from _indented(shown.bad)
    yield ""
    yield from map(str, shown.says)
    yield ""
    yield f"Good, in data/{shown.good_place}:"
    yield from _indented(shown.good)


def _indented(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield f"    {line}"
