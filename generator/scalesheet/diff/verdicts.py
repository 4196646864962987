"""Finds verdicts on claims and figures of the score that changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scalesheet.audit.model import Audited, Judged
from scalesheet.diff.changes import ScoreChanged, VerdictChanged
from scalesheet.predict.score import Quality, TaskScore

FIGURES = ("rows", "median", "p90", "bias", "coverage")


def verdict_changes(
    base: Mapping[str, Audited], head: Mapping[str, Audited]
) -> tuple[VerdictChanged, ...]:
    """Claims with a new verdict, and those on only one side."""
    return tuple(_verdicts(base, head))


def _verdicts(base: Mapping[str, Audited], head: Mapping[str, Audited]) -> Iterator[VerdictChanged]:
    for audit in dict.fromkeys((*base, *head)):
        before, after = _judged(base.get(audit)), _judged(head.get(audit))
        for id in dict.fromkeys((*before, *after)):
            old, new = before.get(id), after.get(id)
            if (old and old.verdict) != (new and new.verdict):
                either = new or old
                assert either is not None
                quote = either.claim.quote
                yield VerdictChanged(audit, id, quote, _word(old), _word(new))


def _judged(audited: Audited | None) -> Mapping[str, Judged]:
    return {judged.claim.id: judged for judged in audited.claims} if audited is not None else {}


def _word(judged: Judged | None) -> str | None:
    return None if judged is None else judged.verdict or "without a basis"


def score_changes(
    base: Mapping[str, TaskScore], head: Mapping[str, TaskScore], threshold: float
) -> tuple[ScoreChanged, ...]:
    """Figures of the score for unseen families that moved by more than this share."""
    return tuple(
        ScoreChanged(task, figure, old, new)
        for task in dict.fromkeys((*base, *head))
        for figure in FIGURES
        for old, new in [(_figure(base, task, figure), _figure(head, task, figure))]
        if _differs(old, new, threshold)
    )


def _figure(scores: Mapping[str, TaskScore], task: str, figure: str) -> float | None:
    if task not in scores:
        return None
    quality: Quality = scores[task].unseen
    value = getattr(quality, figure)
    return None if value is None else float(value)


def _differs(old: float | None, new: float | None, threshold: float) -> bool:
    if old is None or new is None:
        return old is not new
    return abs(new - old) > threshold * abs(old)
