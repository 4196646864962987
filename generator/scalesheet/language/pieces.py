"""Parses text with figures in it, such as `'needs {need:.1 GB}'`, into pieces, and writes it back.

A literal in `text(...)` or `reason(...)` is read character by character, so that every error in a
placeholder is reported at its own column. A doubled brace stands for a brace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from scalesheet.language.syntax import Choice, Join, Node, Placeholder, Span, Text

MOST_DECIMALS = 9
_FORMAT = re.compile(r"\s*\.([0-9]+)\s*(.*?)\s*", re.DOTALL)
_HOW = "write {x:.1 GB}, {x:.1} or {x:.0 %}"

#: Reads the expression of a placeholder, given its text and where it begins in the formula.
Read = Callable[[str, int], Node]
#: Splits an expression that is printed as it is into the pieces of a text.
Pieces = Callable[[Node], Iterable[Node]]
#: Creates the error for what is wrong, and where.
Fault = Callable[[str, int], Exception]


def template(content: str, start: int, read: Read, pieces: Pieces, fault: Fault) -> Iterator[Node]:
    """The pieces of a literal that begins at `start`: text and placeholders."""
    at, kept, began = 0, "", 0
    while at < len(content):
        sign = content[at]
        if sign in "{}" and content[at : at + 2] == sign * 2:
            kept, at = kept + sign, at + 2
        elif sign == "}":
            raise fault("this brace closes no placeholder; write '}}' for a brace", start + at)
        elif sign == "{":
            if kept:
                yield Text(kept, span=Span(start + began, start + at))
            end, colon = _closing(content, at, start, fault)
            value = _expression(content, at, colon, start, read, fault)
            if colon == end:
                yield from pieces(value)
            else:
                span = Span(start + at, start + end + 1)
                yield _formatted(value, span, content, colon, end, start, fault)
            at, kept, began = end + 1, "", end + 1
        else:
            kept, at = kept + sign, at + 1
    if kept:
        yield Text(kept, span=Span(start + began, start + at))


def _closing(content: str, opening: int, start: int, fault: Fault) -> tuple[int, int]:
    """Where the placeholder closes, and where its format begins (the same if it has none)."""
    quote, colon = "", 0
    for at in range(opening + 1, len(content)):
        sign = content[at]
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign == ":" and not colon:
            colon = at
        elif sign == "}":
            return at, colon or at
    raise fault(
        "the placeholder is not closed; write '}' after it, or '{{' for a brace", start + opening
    )


def _expression(content: str, opening: int, end: int, start: int, read: Read, fault: Fault) -> Node:
    inside = content[opening + 1 : end]
    if not inside.strip():
        raise fault(
            "the placeholder is empty; name what it prints, or write '{{' and '}}' for braces",
            start + opening,
        )
    return read(inside, start + opening + 1)


def _formatted(
    value: Node, span: Span, content: str, colon: int, end: int, start: int, fault: Fault
) -> Node:
    result = _FORMAT.fullmatch(content, colon + 1, end)
    if result is None:
        raise fault(
            f"expected a point and the number of decimals after ':'; {_HOW}", start + colon + 1
        )
    if int(result[1]) > MOST_DECIMALS:
        raise fault(
            f"at most {MOST_DECIMALS} decimals are printed, found {result[1]}",
            start + result.start(1),
        )
    return Placeholder(value, int(result[1]), result[2], unit_at=start + result.start(2), span=span)


def joined(pieces: Iterable[Node]) -> Node:
    """The pieces as one node: a text or a choice if there is nothing else."""
    whole = join(pieces)
    if not whole.parts:
        return Text("")
    single = len(whole.parts) == 1 and isinstance(whole.parts[0], Text | Choice)
    return whole.parts[0] if single else whole


def join(pieces: Iterable[Node], span: Span | None = None) -> Join:
    """Concatenate pieces, flattening nested ones and merging adjacent text."""
    flat: list[Node] = []
    for part in pieces:
        for each in part.parts if isinstance(part, Join) else (part,):
            if isinstance(each, Text) and flat and isinstance(flat[-1], Text):
                flat[-1] = Text(flat[-1].value + each.value, span=flat[-1].span)
            elif each != Text(""):
                flat.append(each)
    if span is None and flat and flat[0].span and flat[-1].span:
        span = Span(flat[0].span.start, flat[-1].span.end)
    return Join(tuple(flat), span=span)


# ------------------------------------------------------------------ written back


def literals(parts: Iterable[str]) -> list[str]:
    """Contents in the fewest literals: each is enclosed in the quotation mark it lacks."""
    result: list[str] = []
    content = ""
    for part in parts:
        if "'" in content + part and '"' in content + part:
            result.append(quoted(content))
            content = ""
        content += part
    return [*result, quoted(content)] if content or not result else result


def quoted(content: str) -> str:
    """A literal, in double quotation marks if it contains single ones."""
    return f'"{content}"' if "'" in content else f"'{content}'"


def braced(text: str) -> Iterator[str]:
    """A text as written in literals, split where the kind of quotation mark changes."""
    doubled = text.replace("{", "{{").replace("}", "}}")
    yield from re.findall(r"'[^\"]*|\"[^']*|[^'\"]+", doubled)
