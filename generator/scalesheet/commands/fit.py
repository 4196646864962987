"""`scalesheet fit`: fits the prediction coefficients to published results."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scalesheet.codes import FINDINGS, GOOD
from scalesheet.commands import folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scalesheet.book import Book
    from scalesheet.predict.cases.catalogue import Known

#: The fit for the interval of runs described by a question, based on search results for published
#: runs.
ASKED = "asked"
SUMMARY = "fit the prediction coefficients to published results"
#: The tasks of `predict.tasks`, which is imported only for fitting, and the fit based on their
#: results.
TASKS = ("runs", "throughput", "memory", "loss", ASKED)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "tasks", nargs="*", metavar="TASK", help=f"of {', '.join(TASKS)} (default: all)"
    )
    parser.add_argument(
        "--own",
        action="store_true",
        help="write tables/calibration.yaml instead: corrections from own records and actuals, "
        "which plans then use",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; report stored fits that no longer match the data, and own "
        "measurements that are further off than score.yaml allows",
    )


def run(options: argparse.Namespace) -> int:
    from scalesheet.commands import UsageError
    from scalesheet.nearest import nearest

    if options.own:
        return _calibrated(folder(options.data), options.check)
    for name in options.tasks:
        if name not in TASKS:
            raise UsageError(
                f"there is nothing to fit called '{name}'{nearest(name, TASKS, 'tasks')}"
            )
    data = folder(options.data)
    names = options.tasks or TASKS
    changed = _fitted(data, [name for name in names if name != ASKED], options.check)
    if ASKED in names:  # it depends on the others
        changed += _fitted(data, [ASKED], options.check)
        changed += _scored(data, options.check)
    return FINDINGS if changed else GOOD


def _scored(data: Path, check: bool) -> int:
    """Compute the score and return the number of faults. Write score.lock if it is as good as
    expected and no fit is out of date.

    With `check`, a lock that belongs to other data is no fault: `check` then computes the score.
    """
    from scalesheet.choose.job import PLAN
    from scalesheet.diagnostics import errors
    from scalesheet.examine import examined_files
    from scalesheet.load.folder import files_of
    from scalesheet.load.lock import SCORE
    from scalesheet.save import content, save

    files = files_of(data)
    if files is None:
        return 0
    examined = examined_files(replace(files, scored=b""), plans=(PLAN,))
    faults = errors(examined.diagnostics)
    stale = [each for each in examined.diagnostics if each.code == "P002"]
    for fault in dict.fromkeys((*faults, *stale)):
        print(fault)
    path, text = data / SCORE, files.score_text.encode()
    if faults or stale or not examined.scores or (old := content(path)) == text:
        return len(faults)
    if check:
        print(f"score: {path} is of other data, so 'check' computes the score")
    else:
        save(data, {path: (old, text)})
        print(f"score: {path}")
    return 0


def _fitted(data: Path, names: Sequence[str], check: bool) -> int:
    """Write fits, or with `check` print differences; return how many there are."""
    from scalesheet.choose.job import PLAN
    from scalesheet.diagnostics import Refused, errors
    from scalesheet.examine import examine
    from scalesheet.load.folder import bases_of
    from scalesheet.predict.cases.catalogue import known
    from scalesheet.save import content, save

    if bases_of(data) and not any((data / own).is_dir() for own in ("fits", "runs")):
        print("the fits are those of the book that this one extends, which has all published runs")
        return 0
    # A plan may read a coefficient that only this fit provides.
    examined = examine(data, plans=(PLAN,) if ASKED in names else ())
    # A score that got worse may be what the fit should improve.
    others = [fault for fault in errors(examined.diagnostics) if not fault.code.startswith("P")]
    if examined.book is None or others:
        raise Refused(examined.diagnostics)
    catalogue = known(examined.book)
    changes: dict[Path, tuple[bytes | None, bytes]] = {}
    changed = 0
    for name in names:
        text = _text(examined.book, name, catalogue)
        path = data / "fits" / f"{name}.yaml"
        if text is None:
            print(
                f"{name}: a fit needs published results of at least two families", file=sys.stderr
            )
        elif (old := content(path)) == text.encode():
            print(f"{name}: unchanged")
        elif check:
            changed += 1
            print(f"{name}: {path} is out of date")
        else:
            changes[path] = old, text.encode()
        if name != ASKED and _own(examined.book, name, catalogue) and check:
            changed += 1
    save(data, changes)
    for path in changes:
        print(f"{path.stem}: {path}")
    return changed


def _calibrated(data: Path, check: bool) -> int:
    """Write corrections from own records and runs, or with `check` say whether they are on file."""
    from scalesheet.examine import compile_book, save_valid
    from scalesheet.predict.calibration import left_out, table_text
    from scalesheet.predict.cases.catalogue import known
    from scalesheet.save import content

    book = compile_book(data, plans={each.parent.name for each in data.glob("plans/*/actuals")})
    catalogue = known(book)
    text, path = table_text(book, catalogue), data / "tables" / "calibration.yaml"
    old = content(path)
    if text is None:
        stale = " and should be deleted" if old else ""
        print(
            f"own: no records and no finished runs with a prediction; {path} is not needed{stale}"
        )
        return FINDINGS if old and check else GOOD
    for task in ("throughput", "memory"):
        if (off := left_out(book, task, catalogue)) is not None:
            print(
                f"{task}: {off.records} own records, each corrected by the others: "
                f"median error {off.after:.4g} instead of {off.before:.4g}"
            )
    if old == text.encode():
        print(f"own: {path} is up to date")
        return GOOD
    if check:
        print(f"own: {path} is out of date; run 'scalesheet fit --own'")
        return FINDINGS
    save_valid(data, {path: (old, text.encode())})
    print(f"own: {path}")
    return GOOD


def _text(book: Book, name: str, catalogue: Known) -> str | None:
    """The file of a fit; None with too few published results, or without the plan for ASKED."""
    from scalesheet.choose import asked
    from scalesheet.choose.job import PLAN
    from scalesheet.predict.fitting import written
    from scalesheet.predict.score import fit
    from scalesheet.predict.tasks import TASKS as PREDICTED

    if name != ASKED:
        return written(book, name, PREDICTED[name].title, fit(book, name, catalogue))
    return (
        written(book, name, asked.TITLE, asked.fit(book, catalogue)) if PLAN in book.plans else None
    )


def _own(book: Book, task: str, catalogue: Known) -> bool:
    """Print the errors of the fit on file for our own measurements.

    Returns whether any that score.yaml covers is worse than expected.
    """
    from scalesheet.predict.score.expected import worse_own
    from scalesheet.predict.score.own import owned

    own, held = owned(book, task, catalogue), book.expected_own.get(task)
    if own is not None and own.rows:
        worst, record = own.worst
        print(
            f"{task}: the median error of {own.rows} own measurements is {own.median:.4g}, "
            f"the largest {worst:.4g} ('{record}')"
        )
        if free := sorted(own.errors.keys() - set(held.records if held is not None else ())):
            print(f"{task}: not checked by score.yaml: {', '.join(free)}")
    faults = list(worse_own(own, held)) if held is not None else []
    for fault in faults:
        print(f"{task}: {fault}")
    return bool(faults)
