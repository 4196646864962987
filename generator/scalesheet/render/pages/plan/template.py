"""The prose of a plan as markup: names become figures, tables, charts and formulas.

Markup is not taken from prose: `<` is text, and code is shown as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from scalesheet.prose import MARKS, NAME, split
from scalesheet.render.pages.html import Html, escape, inline, tag


class Block(Html):
    """Markup that stands by itself, between paragraphs."""

    __slots__ = ()


#: What a name in prose gives: markup, or None if it means nothing.
Lookup = Callable[[str], Html | None]
#: The look-up of each kind of name; that of figures is empty.
Names = Mapping[str, Lookup]


def prose(text: str, names: Names) -> str:
    """Markdown with every name replaced."""

    def replaced(mark: re.Match[str]) -> str:
        if mark["block"] is not None:
            return f"\n\n{tag('pre', tag('code', mark['block']))}\n\n"
        if mark["code"] is not None:
            return tag("code", inline(mark["code"]))
        if mark["less"]:
            return "&lt;"
        given = _named(mark["name"], names)
        return f"\n\n{given}\n\n" if isinstance(given, Block) else given

    return MARKS.sub(replaced, text)


def line(text: str, names: Names) -> Html:
    """A text of the data in which only names are replaced; everything else is shown as it is."""
    parts = NAME.split(text)
    return Html("".join(_named(p, names) if n % 2 else escape(p) for n, p in enumerate(parts)))


def fill(text: str, word: Callable[[str], str | None]) -> str:
    """A text in plain words: every name replaced that has a word, the others as they are."""

    def replaced(mark: re.Match[str]) -> str:
        given = word(mark[1].strip())
        return mark[0] if given is None else given

    return NAME.sub(replaced, text)


def _named(words: str, names: Names) -> Html:
    """What `{{ words }}` gives; the words themselves where they mean nothing."""
    kind, name = split(words)
    given = names[kind](name) if kind in names else None
    return inline(f"{{{{{words}}}}}") if given is None else given
