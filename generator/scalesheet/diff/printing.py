"""Formats the values of both sides alike, with enough digits to show the difference."""

from __future__ import annotations

from scalesheet.book import Book
from scalesheet.diff.changes import Turn
from scalesheet.model import Citation, Quantity, Stated
from scalesheet.numbers import format_of, text
from scalesheet.values import Value, stated_value

DIGITS = (6, 9, 17)  # tried in order if the usual ones show no difference


def value_of(stated: Stated) -> Value:
    """A stated value in the form that results have; open bounds become text."""
    if stated.value is None and (stated.at_least is not None or stated.at_most is not None):
        return Value(reason=_bound(stated))
    return stated_value(stated)


def _bound(stated: Stated) -> str:
    ends = (("at least", stated.at_least), ("at most", stated.at_most))
    return " and ".join(f"{word} {end:g}" for word, end in ends if end is not None)


def symbol_of(book: Book, quantity: Quantity) -> str:
    return book.units.symbol(quantity.unit) if quantity.unit is not None else ""


def stated_text(book: Book, quantity: Quantity, stated: Stated) -> str:
    """A stated value with its unit."""
    value = value_of(stated)
    return text(value, format_of(quantity, [value], book.units), symbol_of(book, quantity))


def said(book: Book, stated: Stated) -> str:
    """`assumption`, `published, NVIDIA L4, page 2`, or why a layout was chosen."""
    if stated.rule:
        return stated.rule
    return ", ".join([stated.basis, *([_cited(book, stated.citation)] if stated.citation else [])])


def _cited(book: Book, citation: Citation) -> str:
    source = book.sources.get(citation.key)
    title = source.title if source is not None else citation.key
    return f"{title}, {citation.locator}" if citation.locator else title


def turn(book: Book, quantity: Quantity, old: Value, new: Value) -> Turn:
    """Both values in a common format, in the unit that the quantity has in the book."""
    fmt = format_of(quantity, [old, new], book.units)
    first, second = text(old, fmt), text(new, fmt)
    if first == second and isinstance(old.value, float) and isinstance(new.value, float):
        for digits in DIGITS:
            first, second = f"{old.value:.{digits}g}", f"{new.value:.{digits}g}"
            if first != second:
                break
        else:  # only the ends moved
            first, second = (f"{v.value!r} [{v.low!r} to {v.high!r}]" for v in (old, new))
    numbers = old.reason is None and new.reason is None
    symbol = symbol_of(book, quantity) if numbers and quantity.kind == "number" else ""
    return Turn(old, new, quantity, first or "nothing", second or "nothing", symbol)


def percent(of: float | None) -> str:
    """`-16.7 %`, `+0.02 %`, `12 times`; empty without a ratio."""
    if of is None:
        return ""
    if of >= 10:
        return f"{of:.3g} times"
    change = (of - 1) * 100
    shown = f"{change:+.1f}" if abs(change) >= 0.95 else f"{change:+.2g}"
    return f"{shown} %"
