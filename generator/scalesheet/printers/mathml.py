"""Presentation MathML (Core): a tree as markup that browsers draw without scripts or fonts.

It has no inline styles and loads nothing, so any policy allows it. A case distinction is an
`mtable` of class `cases`, which the site's style sheet aligns.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from scalesheet.language.syntax import Node
from scalesheet.printers.notation import Markup, Naming, Shown, notation
from scalesheet.printers.symbols import split_symbol


def mathml(node: Node, naming: Naming) -> str:
    """The markup of one side of an equation; `equation` wraps it in an element."""
    return notation(node, _MARKUP, naming)


def shown(what: Shown) -> str:
    """The markup of a single name or number, for the other side of an equation."""
    return _name(what)


def equation(*sides: str, display: bool = True, description: str = "") -> str:
    """A `math` element: the sides joined by equals signs, and a description in words."""
    kind = ' display="block"' if display else ""
    text = f' alttext="{escape(description)}"' if description else ""
    return f"<math{kind}{text}>{''.join(map(_inner, _joined(sides)))}</math>"


def _joined(sides: Sequence[str]) -> list[str]:
    parts = list(sides[:1])
    for side in sides[1:]:
        parts += [_operator("="), side]
    return parts


def _element(tag: str, content: str, attributes: str = "") -> str:
    return f"<{tag}{attributes}>{content}</{tag}>"


def _text(text: str) -> str:
    return _element("mtext", escape(text, quote=False))


def _number(digits: str) -> str:
    return _element("mn", escape(digits, quote=False))


def _symbol(symbol: str) -> str:
    base, below = split_symbol(symbol)
    letter = _element("mi", escape(base, quote=False))
    return _subscript(letter, _element("mi", escape(below, quote=False))) if below else letter


def _name(what: Shown) -> str:
    if what.symbol:
        return _symbol(what.symbol)
    if not what.number:
        # an identifier: MathML takes a row of texts and signs for one stretchy operator
        return _element("mi", escape(what.text, quote=False))
    if not what.unit:
        return _number(what.number)
    return _row([_number(what.number), _text(f"\u00a0{what.unit}")])


def _operator(sign: str) -> str:
    attributes = ' separator="true"' if sign == "," else ""
    return _element("mo", escape(sign, quote=False), attributes)


class _Row(str):
    """A row that looks the same as part of a longer row.

    One that begins with a sign does not: a fence would stretch, a minus would stand between two.
    """

    __slots__ = ()


def _row(pieces: Sequence[str]) -> str:
    if len(pieces) == 1:
        return pieces[0]
    content = "".join(map(_inner, pieces))
    row = _element("mrow", content)
    return row if content.startswith("<mo") else _Row(row)


def _inner(piece: str) -> str:
    """A piece for a longer row."""
    return (
        piece.removeprefix("<mrow>").removesuffix("</mrow>") if isinstance(piece, _Row) else piece
    )


def _fence(opening: str, content: str, closing: str) -> str:
    """MathML's dictionary says that signs at the ends of a row are fences and stretch."""
    return _element("mrow", f"{_element('mo', opening)}{_inner(content)}{_element('mo', closing)}")


def _two(tag: str, a: str, b: str) -> str:
    return _element(tag, f"{a}{b}")


def _subscript(a: str, b: str) -> str:
    return _two("msub", a, b)


def _cases(cases: Sequence[tuple[str, str]]) -> str:
    rows = (
        _element("mtr", _element("mtd", _inner(value)) + _element("mtd", _inner(condition)))
        for value, condition in cases
    )
    return _element(
        "mrow", _element("mo", "{") + _element("mtable", "".join(rows), ' class="cases"')
    )


_MARKUP = Markup(
    name=_name,
    number=_number,
    text=_text,
    operator=_operator,
    row=_row,
    fence=_fence,
    fraction=lambda a, b: _two("mfrac", a, b),
    power=lambda a, b: _two("msup", a, b),
    root=lambda a: _element("msqrt", _inner(a)),
    subscript=_subscript,
    under=lambda a, b: _two("munder", a, b),
    function=lambda name: _element("mi", escape(name, quote=False)),
    cases=_cases,
)
