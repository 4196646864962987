"""Diagnostics as data: what is wrong, where, what was expected, and the remedy.

Stages collect diagnostics and never print. `Refused` is the only exception that reaches the edge of
the program. The codes are in `codes.py`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable

from scalesheet.codes import CODES, Severity
from scalesheet.frozen import dataclass
from scalesheet.model import Position


@dataclass(frozen=True, slots=True, order=True)
class Diagnostic:
    """One finding at one place. The message says what was found, what was expected, and what to
    do."""

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
    """Make a diagnostic with a known code at a position."""
    assert code in CODES, code
    return Diagnostic(position.path, position.line, position.column, code, message)


class Refused(Exception):
    """The input was refused. Has all diagnostics, sorted."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(sorted(set(diagnostics)))
        super().__init__("\n".join(map(str, self.diagnostics)))

    def __reduce__(self) -> tuple[type[Refused], tuple[tuple[Diagnostic, ...]]]:
        return type(self), (self.diagnostics,)


def errors(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    return [d for d in diagnostics if d.severity == "error"]


def followed(number: int, more: str = "", things: tuple[str, str] = ("error", "errors")) -> str:
    """Say at the end of a message how many that follow from it are hidden, if any."""
    follow = f"1 {things[0]} that follows" if number == 1 else f"{number} {things[1]} that follow"
    return f" ({follow} from this not shown{more})" if number else ""


# ------------------------------------------------------------------ printing

#: Diagnostics printed for each code; the others are only counted.
MOST_SHOWN = 20


def counted(number: int, severity: Severity) -> str:
    """`errors`, `breach`, `breaches`: the word for a number of diagnostics."""
    ending = "es" if severity == "breach" else "s"
    return severity if number == 1 else f"{severity}{ending}"


@dataclass(frozen=True, slots=True)
class More:
    """The diagnostics of a code that are not printed: how many, and in how many files."""

    code: str
    count: int
    files: int

    @property
    def severity(self) -> Severity:
        return CODES[self.code].severity

    def __str__(self) -> str:
        things = f"{self.count:,} more {counted(self.count, self.severity)}"
        where = f"{self.files:,} file{'s' if self.files > 1 else ''}"
        return f"{things} like these: {self.code} {CODES[self.code].title}, in {where}"


def shown(diagnostics: Iterable[Diagnostic]) -> tuple[list[Diagnostic], list[More]]:
    """The first diagnostics of each code, in order, and counts of the others."""
    kept: list[Diagnostic] = []
    beyond: dict[str, list[Diagnostic]] = {}
    counts: Counter[str] = Counter()
    for each in diagnostics:
        counts[each.code] += 1
        if counts[each.code] <= MOST_SHOWN:
            kept.append(each)
        else:
            beyond.setdefault(each.code, []).append(each)
    return kept, [More(c, len(of), len({d.path for d in of})) for c, of in sorted(beyond.items())]


def as_text(diagnostics: Iterable[Diagnostic]) -> str:
    kept, more = shown(diagnostics)
    return "\n".join(map(str, (*kept, *more)))


def as_json(diagnostics: Iterable[Diagnostic]) -> str:
    kept, more = shown(diagnostics)
    return json.dumps(
        {
            "diagnostics": [
                {
                    "path": d.path,
                    "line": d.line,
                    "column": d.column,
                    "code": d.code,
                    "severity": d.severity,
                    "message": d.message,
                    "remedy": CODES[d.code].remedy,
                }
                for d in kept
            ],
            "more": [
                {"code": m.code, "severity": m.severity, "count": m.count, "files": m.files}
                for m in more
            ],
        },
        indent=2,
        ensure_ascii=False,
    )


def as_github(diagnostics: Iterable[Diagnostic]) -> str:
    """Format as annotations of a GitHub workflow."""

    def escaped(text: str) -> str:
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    def attribute(text: str) -> str:
        return escaped(text).replace(":", "%3A").replace(",", "%2C")

    kept, more = shown(diagnostics)
    lines = [
        f"::{_level(d)} file={attribute(d.path)},line={d.line},col={d.column},"
        f"title={attribute(f'{d.code} {CODES[d.code].title}')}::{escaped(d.message)}"
        for d in kept
    ]
    return "\n".join([*lines, *(f"::{_level(m)} title={m.code}::{escaped(str(m))}" for m in more)])


def _level(each: Diagnostic | More) -> str:
    """GitHub's level for a severity; it has no breaches."""
    return "error" if each.severity == "error" else "warning"


#: Characters of a list that fit in a GitHub comment or issue, with some margin.
MOST_OF_A_COMMENT = 50_000


def as_markdown(diagnostics: Iterable[Diagnostic]) -> str:
    """A list for the body of an issue, without markup or mentions: place, title, message.

    Whatever exceeds the maximum length is only counted.
    """
    listed = list(diagnostics)
    kept, more = shown(listed)
    lines: list[str] = []
    left = MOST_OF_A_COMMENT
    for d in kept:
        place = f"{d.path}:{d.line}:{d.column}".replace("`", "'")
        line = f"- `{place}` **{d.code} {CODES[d.code].title}**: {_inert(d.message)}"
        left -= len(line) + 1
        if left < 0:
            return "\n".join([*lines, f"- and {len(listed) - len(lines)} more"])
        lines.append(line)
    return "\n".join([*lines, *(f"- {m}" for m in more)])


def _inert(text: str) -> str:
    """Escape text for Markdown. A zero-width space after `@` prevents mentions; addresses stay
    links."""
    shown = re.sub(r"([\\`*_{}\[\]<>|~#])", r"\\\1", text.replace("\n", " "))
    return shown.replace("@", "@\u200b")


FORMATS = {"text": as_text, "json": as_json, "github": as_github, "markdown": as_markdown}
