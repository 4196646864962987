"""Compares the score with the expected one on file, and checks that fits are up to date."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median

from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, at
from scalesheet.model import Expected, ExpectedOwn
from scalesheet.predict.score import Quality, TaskScore
from scalesheet.predict.score.own import Own
from scalesheet.predict.score.said_to_fit import SLACK, Room

#: Stored figures are rounded; a score may be worse by this share.
ROUNDING = 1e-3
APART = "loss_apart"  # losses on evaluation sets that were never seen
ASKED = "runs_asked"  # runs predicted from the question alone


def problems(book: Book, scores: Mapping[str, TaskScore]) -> Iterator[Diagnostic]:
    """Report each score that is worse than the one on file, and each fit that is out of date."""
    for task, expected in book.expected.items():
        assert expected.position is not None
        result = _figures(scores, task)
        if result is None and task == ASKED:
            continue  # the plan that answers questions is missing, so nothing was asked
        if result is None:
            message = f"{task}: no rows are scored, expected {expected.rows}"
            yield at(expected.position, "P001", message)
            continue
        for message in _worse(result, expected):
            yield at(expected.position, "P001", f"{task}: {message}")
        for message in _tight(scores[task].room) if task in scores else ():
            yield at(expected.position, "P001", f"{task}: {message}")
    for task, held in book.expected_own.items():
        assert held.position is not None
        for message in worse_own(scores[task].own if task in scores else None, held):
            yield at(held.position, "P001", f"{task} of own measurements: {message}")
    digests = {task: made.digest for task, made in scores.items()}
    asked = scores["runs"].asked if "runs" in scores else None
    digests |= {"asked": asked.digest} if asked is not None else {}
    for task, own in digests.items():
        fit = book.fits.get(task)
        if fit is not None and fit.digest != own:
            assert fit.position is not None
            message = (
                f"the rows of the fit '{task}' have changed since; "
                "run 'scalesheet fit' and look at the score"
            )
            yield at(fit.position, "P002", message)


def _tight(room: Room | None) -> Iterator[str]:
    """Rows with the verdict "fits" that used more than their upper limit."""
    for row in room.fits_above if room is not None else ():
        yield f"'{row}' has the verdict 'fits', but took more than {SLACK:g} times its upper limit"
    for row in room.let if room is not None else ():
        yield f"'{row}' has the verdict 'fits', but ran out of memory"


def _figures(scores: Mapping[str, TaskScore], name: str) -> Quality | None:
    """The figures that an entry of the file is about; `loss_apart` and `runs_asked` are second
    entries of their tasks.
    """
    if name == APART:
        return scores["loss"].apart if "loss" in scores else None
    if name == ASKED:
        asked = scores["runs"].asked if "runs" in scores else None
        return asked.quality if asked is not None else None
    return scores[name].unseen if name in scores else None


def worse_own(result: Own | None, held: ExpectedOwn) -> Iterator[str]:
    """Report expected records without a score, and errors above the expected ones."""
    errors = result.errors if result is not None else {}
    for id in held.records:
        if id not in errors:
            yield f"the record '{id}' is expected but not scored{_why(result, id)}"
    own = {id: errors[id] for id in held.records if id in errors}
    if not own:
        return
    if not median(own.values()) <= held.median * (1 + ROUNDING):
        now = median(own.values())
        yield f"the error is {now:.4g} (median), expected at most {held.median:.4g}"
    for id, error in own.items():
        if not error <= held.worst * (1 + ROUNDING):
            yield f"the error of '{id}' is {error:.4g}, expected at most {held.worst:.4g}"


def _why(result: Own | None, id: str) -> str:
    """Why a record is not scored, if known."""
    for place, row in enumerate(result.published.rows if result is not None else ()):
        if result is not None and row.id == id:
            why = result.published.unscored[place] or result.made.unsupported[place]
            return f": {why}" if why else ""
    return "; no measured record of that name states one"


def _worse(quality: Quality, expected: Expected) -> Iterator[str]:
    if quality.rows < expected.rows:
        yield f"{quality.rows} rows are scored, expected {expected.rows}"
    for name, now, was in (
        ("median", quality.median, expected.median),
        ("nine tenths", quality.p90, expected.p90),
    ):
        if not now <= was * (1 + ROUNDING):
            yield f"the error is {now:.4g} ({name}), expected at most {was:.4g}"
    coverage = quality.coverage if quality.coverage is not None else 0.0
    if not expected.coverage_least - ROUNDING <= coverage <= expected.coverage_most + ROUNDING:
        yield (
            f"{coverage:.1%} of the rows are within their 80 % interval, "
            f"expected {expected.coverage_least:.0%} to {expected.coverage_most:.0%}"
        )
