"""Values as HTML: number, unit, range, and the kind of figure."""

from __future__ import annotations

from collections.abc import Sequence

from scalesheet.model import Basis, Stated
from scalesheet.numbers import Format, number, plain, span
from scalesheet.render.pages.html import Html, inline, join, tag
from scalesheet.render.pages.marks import As, mark
from scalesheet.units import unit_of
from scalesheet.values import Value

#: The name of each kind of figure, singular and plural.
KINDS: dict[Basis, tuple[str, str]] = {
    "measured": ("measurement", "measurements"),
    "simulated": ("simulation", "simulations"),
    "vendor": ("vendor's figure", "vendors' figures"),
    "spec": ("specification", "specifications"),
    "published": ("published figure", "published figures"),
    "assumption": ("assumption", "assumptions"),
    "decision": ("decision", "decisions"),
    "derived": ("derived figure", "derived figures"),
}
NBSP = "\u00a0"
LONG = 9  # characters above which a headline figure is set smaller
#: Label of a range whose ends are safe but wider than necessary.
OUTER = tag("span", " outer bounds", class_="note")


def in_words(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def ends(value: Value, fmt: Format) -> str:
    """`326–380`; empty if the ends print like the value."""
    if not value.ranged or value.low is None or value.high is None:
        return ""
    shown = plain(value, fmt)
    if number(value.low, fmt) == shown == number(value.high, fmt):
        return ""
    return span(value.low, value.high, fmt)


def amount(
    value: Value,
    fmt: Format,
    symbol: str = "",
    *,
    range_: bool = True,
    of: str | None = None,
    bare: bool = False,
) -> Html:
    """A value in running text or in a block: number, unit and range, or the reason.

    `bare`: the element around it is styled as a number, so that the number needs none of its own.
    """
    if of is not None:
        shown = amount(value, fmt, symbol, range_=range_, bare=True)
        return tag("span", shown, **mark(of, "amount" if range_ else "figure", usual="amount"))
    if value.reason is not None:
        return tag("span", inline(value.reason), class_="reason")
    shown = inline(plain(value, fmt))
    if not isinstance(value.value, float):
        return shown
    parts: list[Html] = [shown if bare else tag("span", shown, class_="num")]
    if symbol:
        unit = unit_of(plain(value, fmt), symbol)
        parts += [Html(NBSP), tag("span", inline(unit), class_="unit")]
    if range_ and (text := ends(value, fmt)):
        parts += [Html(" "), tag("span", inline(text), class_="range")]
    return join(parts)


def cell(
    value: Value,
    fmt: Format,
    symbol: str = "",
    *,
    input_: bool = False,
    of: str | None = None,
    as_: As | None = None,
) -> Html:
    """A table cell. The unit is in the heading unless given here."""
    live = mark(of, as_ or ("amount" if symbol else "cell"))
    if input_ and of is not None:
        live["data_input"] = ""
    if value.reason is not None:
        return tag("td", value.reason, class_="reason", **live)
    if not isinstance(value.value, float):
        return tag("td", plain(value, fmt), class_="input" if input_ else None, **live)
    shown = plain(value, fmt)
    alone = not symbol and (as_ == "value" or not ends(value, fmt))
    return tag(
        "td",
        inline(shown)
        if alone
        else amount(value, fmt, symbol, range_=as_ != "value", bare=of is None),
        class_="num input" if input_ else "num",
        # for sorting, if the text says less; a cell that follows the inputs sorts by its text
        data_value=None if of else sort_key(shown, value.value),
        **live,
    )


def sort_key(text: str, number: float) -> str | None:
    """What a cell sorts by if its text cannot be read as its number: six digits tell rows apart."""
    return None if _reads_as(text, number) else f"{number:.6g}"


def _reads_as(text: str, number: float) -> bool:
    """Return whether a text is exactly that number."""
    try:
        return float(text.lstrip("×+").replace(",", "").replace("−", "-")) == number
    except ValueError:
        return False


def cells(value: Value, fmt: Format, *, input_: bool = False, of: str | None = None) -> Html:
    """A value and its range as two cells, so that a long table stays narrow."""
    shown = cell(value, fmt, input_=input_, of=of, as_="value")
    alone = value.reason is not None or not isinstance(value.value, float)
    if alone:
        shown = Html(shown.replace("<td", '<td colspan="2"', 1))
    if alone and of is None:
        return shown
    # a cell without a number may get one with other inputs
    beside = tag("td", ends(value, fmt), class_="range", hidden=alone, **mark(of, "range"))
    return join([shown, beside])


def card(
    title: Html | str,
    value: Value,
    fmt: Format,
    symbol: str,
    *,
    outer: bool = False,
    note: Html | str | None = None,
    of: str | None = None,
) -> Html:
    """A headline figure: title, number, range and note."""
    shown = amount(value, fmt, range_=False)
    beside = unit_of(plain(value, fmt), symbol)
    unit = tag("span", beside, class_="unit") if symbol and value.reason is None else None
    shown_range = ends(value, fmt)
    long = len(plain(value, fmt) if value.reason is None else value.reason) > LONG
    ranged = tag(
        "span", f"{shown_range} {symbol}".strip() if shown_range else None, **mark(of, "ends")
    )
    # a details element may not be inside a paragraph
    noted = tag("div" if note and "<details" in note else "p", note, class_="note")
    return tag(
        "section",
        tag("p", title, class_="label"),
        tag(
            "p",
            shown,
            " " if unit else None,
            unit,
            class_="value long" if long else "value",
            **mark(of, "figure"),
        ),
        tag("p", ranged, OUTER if outer else None, class_="range") if shown_range or of else None,
        noted if note else None,
        class_="figure",
    )


def kind(basis: Basis) -> Html:
    """The label for the kind of a figure."""
    return tag("span", basis, class_=f"kind {basis}")


def bound(stated: Stated, fmt: Format, symbol: str) -> Html | None:
    """An open bound, which is never used in computations: `at least 32 GPU`."""
    for word, end in (("at least", stated.at_least), ("at most", stated.at_most)):
        if end is not None:
            return join([f"{word} ", amount(Value.number(end), fmt, symbol)])
    return None
