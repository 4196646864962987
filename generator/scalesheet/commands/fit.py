"""`scalesheet fit`: fits predictions on the published results again."""

from __future__ import annotations

import argparse
import sys

from scalesheet.commands import FINDINGS, GOOD, folder

SUMMARY = "fit the coefficients of predictions on the published results"
#: As in `predict.tasks`, which is loaded only when a fit is made.
TASKS = ("runs", "throughput", "memory", "loss")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "tasks", nargs="*", metavar="TASK", help=f"of {', '.join(TASKS)} (default: all)"
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; say which fits on file are not what the data gives",
    )


def run(options: argparse.Namespace) -> int:
    from scalesheet.build import examine
    from scalesheet.commands import UsageError
    from scalesheet.diagnostics import Refused, errors, nearest
    from scalesheet.predict.fitting import written
    from scalesheet.predict.lookups import known

    for name in options.tasks:
        if name not in TASKS:
            raise UsageError(
                f"there is nothing to fit called '{name}'{nearest(name, TASKS, 'tasks')}"
            )
    data = folder(options.data)
    # A plan may read a coefficient that only this fit brings.
    examined = examine(data, plans=False)
    # A score that fell may be what a fit is to mend.
    others = [fault for fault in errors(examined.diagnostics) if not fault.code.startswith("P")]
    if examined.book is None or others:
        raise Refused(examined.diagnostics)
    catalogue = known(examined.book)
    changed = 0
    for task in options.tasks or TASKS:
        text = written(examined.book, task, catalogue)
        path = data / "fits" / f"{task}.yaml"
        if text is None:
            print(f"{task}: no published results of two families to fit on", file=sys.stderr)
        elif path.is_file() and path.read_text(encoding="utf-8") == text:
            print(f"{task}: as on file")
        elif options.check:
            changed += 1
            print(f"{task}: {path} is not what the published results give")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"{task}: {path}")
    return FINDINGS if changed else GOOD
