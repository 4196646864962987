"""An audit as plain text: the headline, the errors, worst first, then every claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from scalesheet.audit.explain import claim_text, shown
from scalesheet.audit.model import Audited, Judged, Moved, Totals
from scalesheet.audit.worst import bundle_title, grouped
from scalesheet.book import Book
from scalesheet.claims import WORDS, Verdict
from scalesheet.values import Value
from scalesheet.vocabulary import counted


def audit_text(book: Book, audited: Audited) -> str:
    """Return the whole audit as text for a terminal."""
    document = audited.audit.document
    lines = [f"{document.title} ({document.id}), compared with the plan {audited.audit.plan}", ""]
    lines += [_headline(book, totals) for totals in audited.headlines]
    if audited.moved:
        lines += ["", f"Since the audit of {audited.audit.day} the plan has changed"]
        lines += [f"  {moved_text(book, each)}" for each in audited.moved]
    lines += ["", f"{counted(len(audited.claims), 'claim')}: {verdicts_text(audited)}"]
    bundles = [bundle for group in grouped(audited) for bundle in group.bundles]
    worst = [figures for b in bundles if (figures := [f for f in b if isinstance(f, Judged)])]
    if worst:
        lines += ["", "Mismatches"]
        lines += [text for figures in worst for text in _bundle(book, audited, figures)]
    if audited.findings:
        lines += ["", "Findings"]
        for each in audited.findings:
            lines.append(f"  {each.finding.title}{lines_text(each.finding.lines)}")
            lines += [f"    {because}" for because in each.because]
            lines += [f"    effect {t}" for t in effects_text(book, audited, each.effects)]
            lines += [f"    {each.finding.note}"] if each.finding.note else []
    lines += ["", "Claims"]
    width = max(len(word) for word in WORDS.values())
    for judged in audited.claims:
        verdict = verdict_text(judged.verdict).ljust(width)
        lines.append(f"  {judged.claim.id}  {verdict}  {judged.claim.quote}: {judged.because}")
    return "\n".join(lines) + "\n"


def moved_text(book: Book, moved: Moved) -> str:
    """`Cost: 24,000 USD then, 26,000 USD now`."""
    unit = moved.quantity.unit
    then = f"{moved.quantity.title}: {shown(moved.then, unit, book.units)} then"
    if moved.now is None:
        return f"{then}, no longer in the plan"
    return f"{then}, {shown(moved.now, unit, book.units)} now"


def verdicts_text(audited: Audited) -> str:
    """`3 mismatch, 120 consistent, 2 no basis`: each verdict that any claim has."""
    found: list[tuple[Verdict | None, int]] = [*audited.counts().items()]
    found.append((None, len(audited.claims) - sum(n for _, n in found)))
    return ", ".join(f"{n} {verdict_text(verdict)}" for verdict, n in found if n)


def verdict_text(verdict: Verdict | None) -> str:
    """The verdict as people read it."""
    return WORDS[verdict] if verdict is not None else "no basis"


def lines_text(lines: Sequence[int]) -> str:
    """` (lines 4, 7)`; empty where no line is known."""
    return f" (line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))})" if lines else ""


def effects_text(book: Book, audited: Audited, effects: Mapping[str, Value]) -> Iterator[str]:
    """`on GPU hours: 39.8 GPU·h more`, for each headline."""
    headlines = {headline.name: headline for headline in audited.audit.headlines}
    for name, effect in effects.items():
        size, more = changed_by(effect)
        unit = headlines[name].unit
        yield f"on {headlines[name].title}: {shown(size, unit, book.units)}{more}"


def changed_by(effect: Value) -> tuple[Value, str]:
    """The size of a change, and ` more` or ` less`: -815 is 815 less."""
    if not isinstance(effect.value, float) or not effect.value:
        return effect, ""
    if effect.value > 0:
        return effect, " more"
    low, high = (None if end is None else -end for end in (effect.high, effect.low))
    return replace(effect, value=-effect.value, low=low, high=high), " less"


def _headline(book: Book, totals: Totals) -> str:
    unit = totals.headline.unit
    parts = (
        ("written", totals.written),
        ("implied", totals.implied),
        ("computed", totals.computed),
    )
    text = ", ".join(f"{name} {shown(value, unit, book.units)}" for name, value in parts)
    return f"{totals.headline.title}: {text}"


def _bundle(book: Book, audited: Audited, figures: Sequence[Judged]) -> Iterator[str]:
    """Explain the worst of the figures with one error, then list what the others say."""
    worst, *others = figures
    if others:
        yield f"  {bundle_title(figures)}"
    yield from _judged(book, audited, worst)
    for judged in others:
        yield f"    and line {judged.claim.line}: {judged.claim.quote} ({judged.claim.id})"


def _judged(book: Book, audited: Audited, judged: Judged) -> Iterator[str]:
    claim = judged.claim
    yield f"  line {claim.line}: {claim.quote} ({claim.id}, {claim_text(claim.says, book.units)})"
    yield f"    {judged.because}"
    for text in effects_text(book, audited, judged.effects):
        yield f"    effect {text}"
