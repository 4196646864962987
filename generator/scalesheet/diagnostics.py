"""Diagnostics as data: what is wrong, where, what was expected, and the remedy.

Stages collect diagnostics and never print. `Refused` is the one exception that leaves the program
at its edge. The codes are in `codes.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from scalesheet.codes import CODES, Severity
from scalesheet.model import Position


@dataclass(frozen=True, slots=True, order=True)
class Diagnostic:
    """One finding at one place. The message says what was found, expected, and what to do."""

    path: str
    line: int
    column: int
    code: str
    message: str

    @property
    def severity(self) -> Severity:
        return CODES[self.code].severity

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.code} {self.message}"


def at(position: Position, code: str, message: str) -> Diagnostic:
    """A diagnostic of a known code at a position."""
    assert code in CODES, code
    return Diagnostic(position.path, position.line, position.column, code, message)


class Refused(Exception):
    """The input was refused. Carries all diagnostics, sorted."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(sorted(set(diagnostics)))
        super().__init__("\n".join(map(str, self.diagnostics)))


def errors(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    return [d for d in diagnostics if d.severity == "error"]


MOST_LISTED = 8  # names, where none is near


def nearest(name: str, known: Iterable[str], listed: str = "") -> str:
    """`; did you mean 'x'?`, or nothing; with `listed` then `; <listed>: a, b, c and 4 more`."""
    from difflib import get_close_matches

    names = list(known)
    close = get_close_matches(name, names, n=1, cutoff=0.5)
    if close:
        return f"; did you mean '{close[0]}'?"
    if not listed or not names:
        return ""
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return f"; {listed}: {', '.join(names[:MOST_LISTED])}{more}"


def as_text(diagnostics: Iterable[Diagnostic]) -> str:
    return "\n".join(map(str, diagnostics))


def as_json(diagnostics: Iterable[Diagnostic]) -> str:
    return json.dumps(
        {
            "diagnostics": [
                {
                    "path": d.path, "line": d.line, "column": d.column, "code": d.code,
                    "severity": d.severity, "message": d.message,
                    "remedy": CODES[d.code].remedy,
                }
                for d in diagnostics
            ]
        },
        indent=2, ensure_ascii=False,
    )  # fmt: skip


def as_github(diagnostics: Iterable[Diagnostic]) -> str:
    """Annotations of a GitHub workflow."""

    def escaped(text: str) -> str:
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    def attribute(text: str) -> str:
        return escaped(text).replace(":", "%3A").replace(",", "%2C")

    return "\n".join(
        f"::{d.severity} file={attribute(d.path)},line={d.line},col={d.column},"
        f"title={attribute(f'{d.code} {CODES[d.code].title}')}::{escaped(d.message)}"
        for d in diagnostics
    )


#: How much of a list a comment or an issue of GitHub holds with room, in characters.
MOST_OF_A_COMMENT = 50_000


def as_markdown(diagnostics: Iterable[Diagnostic]) -> str:
    """A list for the body of an issue: place, what it is, message. Nothing in it is markup, and
    nobody is named by it; what is beyond the length of a body is counted."""
    told = list(diagnostics)
    lines: list[str] = []
    left = MOST_OF_A_COMMENT
    for d in told:
        place = f"{d.path}:{d.line}:{d.column}".replace("`", "'")
        line = f"- `{place}` **{d.code} {CODES[d.code].title}**: {_inert(d.message)}"
        left -= len(line) + 1
        if left < 0:
            lines.append(f"- and {len(told) - len(lines)} more")
            break
        lines.append(line)
    return "\n".join(lines)


def _inert(text: str) -> str:
    """Text that Markdown shows as it is. A zero-width blank after `@` keeps it from naming people;
    addresses stay, and are links."""
    shown = re.sub(r"([\\`*_{}\[\]<>|~#])", r"\\\1", text.replace("\n", " "))
    return shown.replace("@", "@\u200b")


FORMATS = {"text": as_text, "json": as_json, "github": as_github, "markdown": as_markdown}
