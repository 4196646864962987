"""The prose of a plan as markup: names become figures, tables, charts and formulas.

Prose cannot contain markup: `<` is text, and code is shown as written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from scalesheet.prose import MARKS, NAME, split
from scalesheet.render.pages.html import Html, escape, in_line, inline, tag


class Block(Html):
    """Markup of its own block, between paragraphs."""

    __slots__ = ()


#: Resolves a name in prose to markup, or to None if it is unknown.
Lookup = Callable[[str], Html | None]
#: The lookup for each kind of name; the kind of figures is empty.
Names = Mapping[str, Lookup]


def prose(text: str, names: Names) -> str:
    """Return Markdown with every name replaced."""

    def replaced(mark: re.Match[str]) -> str:
        if mark["block"] is not None:
            return f"\n\n{tag('pre', tag('code', mark['block']))}\n\n"
        if mark["code"] is not None:
            return tag("code", inline(mark["code"]))
        if mark["less"]:
            return "&lt;"
        given = _named(mark["name"], names)
        return f"\n\n{given}\n\n" if isinstance(given, Block) else in_line(given)

    return MARKS.sub(replaced, text)


def line(text: str, names: Names) -> Html:
    """A text of the data in which only names are replaced; everything else is literal."""
    parts = NAME.split(text)
    return Html("".join(_named(p, names) if n % 2 else escape(p) for n, p in enumerate(parts)))


def fill(text: str, word: Callable[[str], str | None]) -> str:
    """A text in plain words: every name that `word` knows is replaced, the others stay."""

    def replaced(mark: re.Match[str]) -> str:
        given = word(mark[1].strip())
        return mark[0] if given is None else given

    return NAME.sub(replaced, text)


def _named(words: str, names: Names) -> Html:
    """Resolve `{{ words }}`; unknown words stay as they are."""
    kind, name = split(words)
    given = names[kind](name) if kind in names else None
    return inline(f"{{{{{words}}}}}") if given is None else given
