"""Reports what is wrong with claims after judging: no basis, no value, a verdict other than the one
on file, a quote that is not on its line or has another figure.
"""

from __future__ import annotations

import re
from math import isclose
from pathlib import Path

from scalesheet.audit.explain import claim_text
from scalesheet.audit.model import Audited
from scalesheet.book import Book
from scalesheet.claims import WORDS, Audit, Claim
from scalesheet.diagnostics import Diagnostic, Refused, at
from scalesheet.foreign import read, text
from scalesheet.model import Position
from scalesheet.vocabulary import counted

#: Diagnostics that are reported only after judging; the audit can be shown despite them.
JUDGED = frozenset({"C002", "C003", "C004", "C009"})


def problems(audited: Audited, book: Book) -> list[Diagnostic]:
    """Claims without a basis or without a value, and verdicts that differ from those on file."""
    result: list[Diagnostic] = []
    for judged in audited.claims:
        claim = judged.claim
        place = claim.position or Position(audited.audit.plan, 1, 1)
        if _quotes_another(claim):
            says = claim_text(claim.says, book.units)
            message = (
                f"'{claim.id}' quotes '{claim.quote}' but says {says}; make them the same figure"
            )
            result.append(at(place, "C011", message))
        reason = judged.computed.reason if judged.computed is not None else None
        if claim.bases and judged.computed is not None and judged.computed.value is None:
            message = f"'{claim.id}' has nothing to compare with: {reason or 'an empty cell'}"
            result.append(at(place, "C009", message))
        elif judged.verdict is None:
            message = f"the claim '{claim.id}' has no basis: {judged.because}"
            result.append(at(place, "C003", message.rstrip(".")))
        elif judged.verdict != claim.expect:
            expected, found = (
                f"{WORDS[each]} ('expect: {each}')" for each in (claim.expect, judged.verdict)
            )
            message = (
                f"'{claim.id}' says {claim_text(claim.says, book.units)}: expected {expected}, "
                f"found {found}: {judged.because.rstrip('.')}"
            )
            result.append(at(place, "C004", message))
    return result


_NUMBER = re.compile(r"(?<![0-9.])[0-9][0-9,_]*(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?", re.IGNORECASE)
#: What a number in a quote may be multiplied by: nothing, %, k, M, B, T.
_TIMES = (1.0, 0.01, 1e3, 1e6, 1e9, 1e12)


def _quotes_another(claim: Claim) -> bool:
    """Whether the quote has figures, none of which is what the claim says, or an end of it."""
    says = claim.says
    if not isinstance(says.value, float):
        return False
    numbers = [float(re.sub("[,_]", "", each)) for each in _NUMBER.findall(claim.quote)]
    ends = [abs(each) for each in (says.value, says.low, says.high) if each is not None]
    known = (isclose(n * t, end, rel_tol=1e-9) for n in numbers for t in _TIMES for end in ends)
    return bool(numbers) and not any(known)


def quotes(audit: Audit, documents: Path) -> list[Diagnostic]:
    """The claims whose quote is not on its line of the document in the folder `documents`."""
    path = documents / audit.document.file
    if not audit.document.file or not path.is_file():
        return []
    try:
        lines = text(read(path, "C002")).split("\n")
    except Refused as error:
        return list(error.diagnostics)
    problems: list[Diagnostic] = []
    for claim in audit.claims.values():
        line = lines[claim.line - 1] if claim.line <= len(lines) else None
        if line is None or claim.quote not in line:
            place = claim.position or Position(audit.plan, 1, 1)
            problems.append(at(place, "C002", _misquoted(claim, line, lines)))
    return problems


def _misquoted(claim: Claim, line: str | None, lines: list[str]) -> str:
    if line is None:
        has = counted(len(lines), "line")
        return f"'{claim.id}' is on line {claim.line}, but the document has {has}"
    elsewhere = [n for n, text in enumerate(lines, 1) if claim.quote in text]
    message = f"'{claim.quote}' is not on line {claim.line}, which is '{line.strip()[:80]}'"
    if not elsewhere:
        return message
    return f"{message}; it is on line {min(elsewhere, key=lambda n: abs(n - claim.line))}"
