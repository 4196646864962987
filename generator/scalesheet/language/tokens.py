"""Splits the text of a formula into tokens with positions, and reports invalid ones."""

from __future__ import annotations

import re
from typing import Literal, cast

from scalesheet.frozen import dataclass

WORDS = frozenset({"and", "or", "not", "if", "else", "where", "as", "yes", "no"})

_TOKEN = re.compile(
    r"""(?P<space>\s+)
      |(?P<number>(?:[0-9][0-9_]*)(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+)?)
      |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
      |(?P<claim>@[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*)
      |(?P<text>'[^'\n]*'|"[^"\n]*")
      |(?P<op>\*\*|<=|>=|==|!=|[-+*/<>()\[\].,=])""",
    re.X,
)


class FormulaError(ValueError):
    """What is wrong with the text of a formula. `offset` counts characters from 0."""

    def __init__(self, message: str, offset: int, code: str = "F001") -> None:
        super().__init__(message)
        self.message, self.offset, self.code = message, offset, code


@dataclass(frozen=True, slots=True)
class Token:
    kind: Literal["number", "name", "claim", "word", "text", "op", "end"]
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def tokens_of(text: str, claims: bool, start: int = 0) -> list[Token]:
    """The tokens of a text that begins at `start` in the formula."""
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise FormulaError(_strange(text[at]), start + at)
        kind, result = cast(str, match.lastgroup), match[0]
        if kind == "claim" and not claims:
            raise FormulaError("'@' names a claim, which works only in claims.yaml", start + at)
        if kind != "space":
            if kind == "name" and result in WORDS:
                kind = "word"
            tokens.append(Token(cast(Literal["op"], kind), result, start + at))
        at = match.end()
    tokens.append(Token("end", "", start + len(text.rstrip())))
    return tokens


def _strange(character: str) -> str:
    meant = {"^": "**", "×": "*", "·": "*", "÷": "/", "−": "-", "≤": "<=", "≥": ">=", "≠": "!="}
    if character in meant:
        return f"'{character}' is not part of the language; write '{meant[character]}'"
    if character in "'\"":
        return "the text is not closed with the same quotation mark"
    if character in "{}":
        return "figures in braces need text(...): text('needs {need:.1 GB}')"
    if character == "%":
        return "'%' is not part of the language; write a fraction, 0.15 for 15 %"
    return f"'{character}' has no meaning in a formula"
