"""LaTeX: a tree as text to copy into a document (amsmath)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scalesheet.language.syntax import Node
from scalesheet.printers.notation import NARROW_SPACE, Markup, Naming, Shown, notation
from scalesheet.printers.symbols import GREEK, parts_of

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "\u00a0": "~",
    NARROW_SPACE: r"\,",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "−": "$-$",
}
_OPERATORS = {
    "×": r"\times",
    "−": "-",
    "≤": r"\le",
    "≥": r"\ge",
    "≠": r"\ne",
    "∑": r"\sum",
    ",": ",",
}
_FENCES = {
    "(": r"\left(",
    ")": r"\right)",
    "⌈": r"\left\lceil",
    "⌉": r"\right\rceil",
    "⌊": r"\left\lfloor",
    "⌋": r"\right\rfloor",
    "[": r"\left[",
    "]": r"\right]",
}
_FUNCTIONS = {"min", "max", "ln", "log"}
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def latex(node: Node, naming: Naming) -> str:
    """Print a tree for math mode."""
    return notation(node, _MARKUP, naming)


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)


def _text(text: str) -> str:
    return rf"\text{{{_escaped(text)}}}"


def _number(digits: str) -> str:
    """Digits as they are shown: `10 000`, `1.5×10⁹`, `~8`, `−3`."""
    plain = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda m: f"^{{{m[0].translate(_SUPERSCRIPTS)}}}", digits)
    marks = {
        NARROW_SPACE: r"\,",
        "\u00a0": r"\,",
        "×": r" \times ",
        "−": "-",
        "~": r"\sim ",
        "≈": r"\approx ",
        "%": r"\%",
    }
    return "".join(marks.get(character, character) for character in plain)


def _symbol(symbol: str) -> str:
    base, below = (_letter(part) for part in parts_of(symbol))
    return f"{base}_{{{below}}}" if below else base


def _letter(part: str) -> str:
    if part in GREEK:
        return f"\\{part}"
    return part if len(part) < 2 and part.isalnum() else _text(part) if part else ""


def _name(what: Shown) -> str:
    if what.symbol:
        return _symbol(what.symbol)
    if not what.number:
        return _text(what.text)
    return _number(what.number) + (rf"\,{_text(what.unit)}" if what.unit else "")


def _fence(opening: str, content: str, closing: str) -> str:
    left, right = _FENCES.get(opening, r"\left|"), _FENCES.get(closing, r"\right|")
    return f"{left} {content} {right}"


def _under(operator: str, below: str) -> str:
    return f"{operator}_{{{below}}}"


def _function(name: str) -> str:
    return f"\\{name}" if name in _FUNCTIONS else rf"\operatorname{{{_escaped(name)}}}"


def _row(pieces: Sequence[str]) -> str:
    return " ".join(pieces)


def _cases(cases: Sequence[tuple[str, str]]) -> str:
    rows = r" \\ ".join(f"{value} & {condition}" for value, condition in cases)
    return rf"\begin{{cases}} {rows} \end{{cases}}"


_MARKUP = Markup(
    name=_name,
    number=_number,
    text=_text,
    operator=lambda sign: _OPERATORS.get(sign, sign),
    row=_row,
    fence=_fence,
    fraction=lambda a, b: rf"\frac{{{a}}}{{{b}}}",
    power=lambda a, b: f"{{{a}}}^{{{b}}}" if "^" in a or " " in a else f"{a}^{{{b}}}",
    root=lambda a: rf"\sqrt{{{a}}}",
    subscript=lambda a, b: f"{{{a}}}_{{{b}}}" if "_{" in a else f"{a}_{{{b}}}",
    under=_under,
    function=_function,
    cases=_cases,
)
