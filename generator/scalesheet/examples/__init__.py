"""A bad and a good example for each diagnostic: one file for a code, `U002.yaml`.

    # bad: plans/example/plan.yaml
    # says: 7:30 U002 'cost' is declared in USD, but the formula gives ...
    title: A plan
    ...
    # good:
    title: A plan
    ...

`bad:` says where in a small sound book the file belongs, `good:` where its mended form does, if
elsewhere. Line and column are those of the example itself, without what stands above it. What no
single text file can show is told in `in_words.yaml`.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

import yaml

from scalesheet.codes import CODES
from scalesheet.diagnostics import Diagnostic
from scalesheet.frozen import dataclass

_FILE = re.compile(r"# bad: (.+)\n((?:# says: .+\n)+)((?s:.*))# good:(.*)\n((?s:.*))")
_SAYS = re.compile(r"# says: ([0-9]+):([0-9]+) ([A-Z][0-9]{3}) (.+)")


@dataclass(frozen=True, slots=True)
class Example:
    """A file that is refused, all that is reported about it, and the file fixed."""

    place: str
    bad: str
    says: tuple[Diagnostic, ...]
    good_place: str
    good: str


@dataclass(frozen=True, slots=True)
class InWords:
    """A bad and a good example of what no single text file can show."""

    bad: str
    good: str


@cache
def in_words() -> dict[str, InWords]:
    """By code, those that are not about what a file's text says."""
    text = (resources.files("scalesheet") / "examples" / "in_words.yaml").read_text("utf-8")
    return {code: InWords(**each) for code, each in yaml.safe_load(text).items()}


@cache
def example(code: str) -> Example | InWords:
    """The example of a known code."""
    if code in in_words():
        return in_words()[code]
    file = resources.files("scalesheet") / "examples" / f"{code}.yaml"
    return read(file.read_text("utf-8"))


def read(text: str) -> Example:
    """An example from the text of its file."""
    match = _FILE.fullmatch(text)
    assert match is not None, text
    place, says, bad, good_place, good = match.groups()
    told = [
        Diagnostic(f"data/{place}", int(line), int(column), code, message)
        for line, column, code, message in _SAYS.findall(says)
    ]
    assert all(each.code in CODES for each in told), says
    return Example(place, bad, tuple(told), good_place.strip() or place, good)
