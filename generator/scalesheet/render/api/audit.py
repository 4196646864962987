"""An audit as JSON: every claim with its verdict, the findings, the headlines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scalesheet.audit.model import Audited, Judged, Moved, Shown, Totals
from scalesheet.book import Book
from scalesheet.claims import Claim, Figure, Headline
from scalesheet.model import Quantity
from scalesheet.render.api.values import Object, value_json
from scalesheet.values import Value


def audit_json(book: Book, audits: Iterable[Audited]) -> Object:
    """Return `{"claims": [...], "findings": [...], "headlines": [...]}` for these documents."""
    audits = list(audits)
    return {
        "edition": book.edition.isoformat(),
        "claims": [_claim(each, judged) for each in audits for judged in each.claims],
        "findings": [_finding(book, each, shown) for each in audits for shown in each.findings],
        "headlines": [_headline(each, totals) for each in audits for totals in each.headlines],
        "moved": [_moved(each, moved) for each in audits for moved in each.moved],
    }


def _claim(audited: Audited, judged: Judged) -> Object:
    claim = judged.claim
    said: Object = {
        "corrected": _value(audited, claim, judged.corrected),
        "should_be": _value(audited, claim, judged.should_be),
        "from": claim.source.text if claim.source else None,
        "against": [basis.text for basis in claim.against],
        "in_plan": claim.target.text if claim.target else None,
        "lacks": list(claim.lacks),
        "effects": _effects(audited, judged.effects),
    }
    return {
        "plan": audited.audit.plan,
        "id": claim.id,
        "document": audited.audit.document.title,
        "line": claim.line,
        "quote": claim.quote,
        "says": figure_json(claim.says),
        "computed": _value(audited, claim, judged.computed),
        "verdict": judged.verdict,
        "inherits": list(judged.inherits),
        "because": judged.because,
        **{key: value for key, value in said.items() if value},
    }


def figure_json(figure: Figure) -> Object:
    """Return the value that a claim states; an open bound has only one end."""
    if isinstance(figure.value, bool | str):
        return {"value": figure.value}
    downward = figure.bound in ("at most", "less than")
    upward = figure.bound in ("at least", "more than")
    return {
        "value": figure.low if upward else figure.high if downward else figure.value,
        "low": None if downward else figure.low,
        "high": None if upward else figure.high,
        "unit": str(figure.unit),
    }


def _value(audited: Audited, claim: Claim, value: Value | None) -> Object | None:
    if value is None:
        return None
    return value_json(value, audited.audit.scalars[f"@{claim.id}"])


def _in(headline: Headline, value: Value) -> Object:
    return value_json(value, Quantity(headline.name, headline.title, unit=headline.unit))


def _effects(audited: Audited, effects: Mapping[str, Value]) -> Object:
    headlines = {headline.name: headline for headline in audited.audit.headlines}
    return {name: _in(headlines[name], value) for name, value in effects.items()}


def _finding(book: Book, audited: Audited, shown: Shown) -> Object:
    finding = shown.finding
    scalars = {**book.compared(audited.audit.plan).scalars, **audited.audit.scalars}
    return {
        "plan": audited.audit.plan,
        "id": finding.id,
        "document": audited.audit.document.title,
        "lines": list(finding.lines),
        "title": finding.title,
        "shows": [
            {"expression": basis.text, "because": because}
            | {"result": value_json(value, scalars[basis.scalar])}
            for basis, because, value in zip(
                finding.shows, shown.because, shown.values, strict=True
            )
        ],
        "effects": _effects(audited, shown.effects),
        "note": finding.note,
    }


def _moved(audited: Audited, moved: Moved) -> Object:
    return {
        "plan": audited.audit.plan,
        "document": audited.audit.document.title,
        "name": moved.quantity.name,
        "title": moved.quantity.title,
        "audited": audited.audit.day,
        "then": value_json(moved.then, moved.quantity),
        "now": None if moved.now is None else value_json(moved.now, moved.quantity),
    }


def _headline(audited: Audited, totals: Totals) -> Object:
    headline = totals.headline
    return {
        "plan": audited.audit.plan,
        "document": audited.audit.document.title,
        "name": headline.name,
        "title": headline.title,
        "written": _in(headline, totals.written),
        "implied": _in(headline, totals.implied),
        "computed": _in(headline, totals.computed),
        "because": totals.because,
    }
