"""An audit's page as plain Markdown: headlines, what does not hold, every claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scalesheet.audit.explain import said
from scalesheet.audit.model import Audited, Judged, Shown, Totals
from scalesheet.audit.worst import Group, grouped
from scalesheet.render.pages.audit import (
    FOLDER,
    INDEX_LEAD,
    ORDER,
    SIDES,
    group_title,
    signed,
    total_text,
)
from scalesheet.render.pages.context import Context, to
from scalesheet.render.pages.plain.text import API, code, document, grid, link, plain
from scalesheet.values import Value


def audit_texts(context: Context) -> Iterator[tuple[str, str]]:
    """Path and text of each audit's page, and of their index."""
    listed = [
        f"- {link(f'{id_}.md', audited.audit.document.title)}: {_counts(audited)}"
        for id_, audited in context.edition.audits.items()
    ]
    yield f"{FOLDER}/index.md", document("# Audit", INDEX_LEAD, "\n".join(listed))
    for id_, audited in context.edition.audits.items():
        yield f"{FOLDER}/{id_}.md", _text(context, audited)


def _counts(audited: Audited) -> str:
    text = ", ".join(f"{count} {verdict}" for verdict, count in audited.counts().items())
    return f"{len(audited.claims)} claims, {text}"


def _text(context: Context, audited: Audited) -> str:
    plan = context.book.plans[audited.audit.plan]
    groups = grouped(audited)
    return document(
        f"# Audit: {plain(audited.audit.document.title)}",
        f"{link(to('plans', plan.id), plan.title)} · {link(f'{API}/audit/{plan.id}.json', 'JSON')}",
        grid(
            ["Total", *(f"{name.capitalize()}, {what}" for name, what in SIDES)],
            (_headline(context, totals) for totals in audited.headlines),
        )
        if audited.headlines
        else "",
        _counts(audited),
        *(["## What does not hold", ORDER] if groups else []),
        *(block for group in groups for block in _group(context, audited, group)),
        "## All claims",
        grid(
            ["Id", "Line", "Quote", "Says", "Verdict", "Because"],
            (_claim(context, judged) for judged in audited.claims),
        ),
    )


def _headline(context: Context, totals: Totals) -> list[str]:
    sides = (totals.written, totals.implied, totals.computed)
    text = (plain(total_text(context, totals.headline, value)) for value in sides)
    return [plain(totals.headline.title), *text]


def _group(context: Context, audited: Audited, group: Group) -> Iterator[str]:
    yield f"### {plain(group_title(group))}"
    yield "\n".join(_fault(context, audited, fault) for fault in group.faults)


def _fault(context: Context, audited: Audited, fault: Judged | Shown) -> str:
    effects = _effects(context, audited, fault.effects)
    if isinstance(fault, Judged):
        claim = fault.claim
        head = f"Line {claim.line}, {code(claim.quote)}: {plain(fault.because)}"
    else:
        lines = ", ".join(map(str, fault.finding.lines))
        text = "; ".join(map(plain, fault.because))
        head = f"{plain(fault.finding.title)}. {text}. {plain(fault.finding.note)}"
        head = f"Lines {lines}: {head}" if lines else head
    return f"- {head.strip()}" + f" Effect: {effects}." * bool(effects)


def _effects(context: Context, audited: Audited, effects: Mapping[str, Value]) -> str:
    headlines = {headline.name: headline for headline in audited.audit.headlines}
    return "; ".join(
        f"{plain(headlines[name].title)} {plain(signed(context, headlines[name], value))}"
        for name, value in effects.items()
    )


def _claim(context: Context, judged: Judged) -> list[str]:
    claim = judged.claim
    return [
        claim.id,
        str(claim.line),
        code(claim.quote),
        plain(said(claim.says, context.book.units)),
        judged.verdict or "no basis",
        plain(judged.because),
    ]
