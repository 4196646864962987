"""The prose of a plan: Markdown that may name figures, tables, charts and formulas, and only so.

`{{ total.gpu_hours }}`, `{{ table summary }}`, `{{ chart hours }}`, `{{ formula cost }}`. A name
is looked up and never computed with; a name that does not exist is a diagnostic at its place.
Markup is not taken from prose: `<` is text, and code is shown as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from scalesheet.diagnostics import Diagnostic, at, nearest
from scalesheet.model import Position
from scalesheet.render.pages.html import Html, escape, inline, tag


class Block(Html):
    """Markup that stands by itself, between paragraphs."""

    __slots__ = ()


#: What a name in prose gives, by its kind (empty for a figure): markup, or None if unknown.
Lookup = Callable[[str], Html | None]


@dataclass(frozen=True)
class Names:
    """What prose may name: for each kind a look-up and the names it knows, for near misses."""

    lookups: Mapping[str, Lookup]
    known: Mapping[str, tuple[str, ...]]


_MARKS = re.compile(
    r"^(?P<fence>`{3,}|~{3,})[^\n]*\n(?P<block>.*?)^(?P=fence)[ \t]*$"
    r"|(?<!`)(?P<ticks>`+)(?!`)(?P<code>(?:(?!\n[ \t]*\n).)+?)(?<!`)(?P=ticks)(?!`)"
    r"|\{\{(?P<name>[^\n{}]*)\}\}"
    r"|(?P<less><)",
    re.MULTILINE | re.DOTALL,
)


def prose(text: str, names: Names, start: Position) -> tuple[str, tuple[Diagnostic, ...]]:
    """Markdown with every name replaced. `start` is where the text begins in its file."""
    found: list[Diagnostic] = []

    def replaced(mark: re.Match[str]) -> str:
        if mark["block"] is not None:
            return f"\n\n{tag('pre', tag('code', mark['block']))}\n\n"
        if mark["code"] is not None:
            return tag("code", inline(mark["code"]))
        if mark["less"]:
            return "&lt;"
        given, faults = _named(mark["name"], names, _position(text, mark.start("name"), start))
        found.extend(faults)
        return given

    return _MARKS.sub(replaced, text), tuple(found)


def line(text: str, names: Names, start: Position) -> tuple[Html, tuple[Diagnostic, ...]]:
    """A text of the data in which only names are replaced; everything else is shown as it is."""
    found: list[Diagnostic] = []
    parts: list[str] = []
    for n, part in enumerate(re.split(r"\{\{([^\n{}]*)\}\}", text)):
        if n % 2 == 0:
            parts.append(escape(part))
            continue
        given, faults = _named(part, names, start)
        parts.append(given)
        found += faults
    return Html("".join(parts)), tuple(found)


def fill(text: str, word: Callable[[str], str | None]) -> str:
    """A text in plain words: every name replaced that has a word, the others as they are."""

    def replaced(mark: re.Match[str]) -> str:
        given = word(mark[1].strip())
        return mark[0] if given is None else given

    return re.sub(r"\{\{([^\n{}]*)\}\}", replaced, text)


def named(text: str) -> list[str]:
    """The words of every `{{ }}` of a text, but for those in code."""
    return [mark["name"] for mark in _MARKS.finditer(text) if mark["name"] is not None]


def split(words: str) -> tuple[str, str]:
    """The kind of a name and the name: `table runs`, `table runs where scale`; of a figure the
    kind is empty, and its name may hold blanks as in `runs[scale, 'a100'].hours`."""
    kind, _, name = words.strip().partition(" ")
    return (kind, " ".join(name.split())) if name and "[" not in kind else ("", words.strip())


def _named(words: str, names: Names, position: Position) -> tuple[str, tuple[Diagnostic, ...]]:
    """What `{{ words }}` gives, or the words themselves and why not."""
    kind, name = split(words)
    indent = len(words) - len(words.lstrip())
    position = Position(position.path, position.line, position.column + indent)
    if kind not in names.lookups:
        kinds = sorted(filter(None, names.lookups))
        message = f"prose can name a figure, or a {', '.join(kinds)}, not '{kind}'"
        fault = at(position, "N001", message + nearest(kind, kinds))
        return inline(f"{{{{{words}}}}}"), (fault,)
    given = names.lookups[kind](name)
    if given is None:
        what = kind or "figure"
        message = f"there is no {what} '{name}' in this plan"
        fault = at(position, "N001", message + nearest(name, names.known[kind]))
        return inline(f"{{{{{words}}}}}"), (fault,)
    return (f"\n\n{given}\n\n" if isinstance(given, Block) else given), ()


def _position(text: str, offset: int, start: Position) -> Position:
    """The place of a character of the text in the file."""
    before = text[:offset]
    row = before.count("\n")
    column = offset - (before.rfind("\n") + 1)
    return Position(start.path, start.line + row, column + (start.column if row == 0 else 1))
