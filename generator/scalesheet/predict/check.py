"""What a score is held to: the expected one on file, and fits that rest on the rows on file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.model import Book, Expected
from scalesheet.predict.room import SLACK, Room
from scalesheet.predict.score import Quality, TaskScore

#: Figures on file are rounded; a score may be worse by this share.
ROUNDING = 1e-3
APART = "loss_apart"  # losses on evaluation sets that were never seen


def problems(book: Book, scores: Mapping[str, TaskScore]) -> Iterator[Diagnostic]:
    """Every score that fell behind the one on file, and every fit that is out of date."""
    for task, expected in book.expected.items():
        assert expected.position is not None
        found = _figures(scores, task)
        if found is None:
            message = f"{task}: no row is scored, and {expected.rows} are expected"
            yield at(expected.position, "P001", message)
            continue
        for message in _worse(found, expected):
            yield at(expected.position, "P001", f"{task}: {message}")
        for message in _tight(scores[task].room) if task in scores else ():
            yield at(expected.position, "P001", f"{task}: {message}")
    for task, made in scores.items():
        fit = book.fits.get(task)
        if fit is not None and fit.digest != made.digest:
            assert fit.position is not None
            message = (
                f"the fit '{task}' rests on other rows than those on file; "
                "run 'scalesheet fit' and look at the score"
            )
            yield at(fit.position, "P002", message)


def _tight(found: Room | None) -> Iterator[str]:
    """Rows that are said to fit and took more than they are said to take at most."""
    for row in found.fits_above if found is not None else ():
        yield f"'{row}' is said to fit, and took over {SLACK:g} times the most that it is said to"
    for row in found.let if found is not None else ():
        yield f"'{row}' is said to fit, and ran out of memory"


def _figures(scores: Mapping[str, TaskScore], name: str) -> Quality | None:
    """The figures that an entry of the file is about; `loss_apart` is a second one of a task."""
    if name == APART:
        return scores["loss"].apart if "loss" in scores else None
    return scores[name].unseen if name in scores else None


def _worse(found: Quality, expected: Expected) -> Iterator[str]:
    if found.rows < expected.rows:
        yield f"{found.rows} rows are scored, {expected.rows} are expected"
    for name, now, was in (
        ("median", found.median, expected.median),
        ("nine tenths", found.p90, expected.p90),
    ):
        if not now <= was * (1 + ROUNDING):
            yield f"the error is {now:.4g} ({name}), {was:.4g} at most is expected"
    coverage = found.coverage if found.coverage is not None else 0.0
    if not expected.coverage_least - ROUNDING <= coverage <= expected.coverage_most + ROUNDING:
        yield (
            f"{coverage:.1%} of the rows are within their 80 % interval, "
            f"{expected.coverage_least:.0%} to {expected.coverage_most:.0%} are expected"
        )
