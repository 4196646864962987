"""`scalesheet cut`: freezes the current plan as a version."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from scalesheet.codes import FINDINGS, GOOD
from scalesheet.commands import UsageError, folder, plan_of

if TYPE_CHECKING:
    from scalesheet.model import Plan

SUMMARY = "freeze a plan as a version: its headline, the inputs behind it, and what changed"
HEAD = """\
# The plan as it stood. To take the version back, delete this file.
# Written by: scalesheet cut {plan} {version}
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", help="the plan's id")
    parser.add_argument("version", metavar="VERSION", help="version number, such as 1.1.0")
    parser.add_argument(
        "--note",
        default="",
        metavar="TEXT",
        help="what changed (default: the plan's note for this version)",
    )


def run(options: argparse.Namespace) -> int:
    from scalesheet.diff.version import cut, data_of, is_same
    from scalesheet.examine import save_valid, sound_edition
    from scalesheet.load.folder import shown
    from scalesheet.render.text.versions import cut_text
    from scalesheet.source.text import block

    data = folder(options.data)
    edition = sound_edition(data, plans=[options.plan])[0]
    if options.plan not in edition.book.plans:
        edition = sound_edition(data, asked=[options.plan])[0]  # to suggest the nearest
    plan = plan_of(edition.book, options.plan)
    _number(plan, options.version)
    version = cut(edition, plan, options.version, _text(plan, options.version, options.note))
    if is_same(version, plan.version):
        assert plan.version is not None
        print(
            f"nothing changed since {plan.version.version} of {plan.version.date}: the headline "
            "and all inputs behind it are the same; no version was cut",
            file=sys.stderr,
        )
        return FINDINGS
    path = data / "plans" / plan.id / "history" / f"{version.version}.yaml"
    text = HEAD.format(plan=plan.id, version=version.version) + block(data_of(version))
    save_valid(data, {path: (None, text.encode())}, plans=[plan.id])
    print(cut_text(edition.book, plan, version), end="")
    print(f"wrote {shown(path)}; delete it to undo the version", file=sys.stderr)
    return GOOD


def _number(plan: Plan, version: str) -> None:
    """Raise UsageError for an invalid version number, or one that is not above the last."""
    from scalesheet.load.folder import is_version

    if not is_version(version):
        raise UsageError(f"'{version}' is not a version: expected three numbers, such as 1.1.0")
    released = [each for each in plan.history if each.status == "released"]
    if any(each.version == version for each in released):
        raise UsageError(f"{plan.id} has a version {version} already; choose a higher number")
    last = max((each.number for each in released), default=())
    asked = tuple(map(int, version.split(".")))
    if last and asked < last:
        newest = ".".join(map(str, last))
        major, minor, patch = (*last, 0, 0, 0)[:3]
        after = f"{major}.{minor}.{patch + 1}, {major}.{minor + 1}.0 or {major + 1}.0.0"
        raise UsageError(f"{version} is below {newest}, the last version; write {after}")


def _text(plan: Plan, version: str, note: str) -> str:
    """What changed: the note, or the plan's announcement. Raises UsageError without either."""
    announced = next((each.text for each in plan.history if each.version == version), "")
    if not (note.strip() or announced):
        raise UsageError(f"say what changed in {version}: --note TEXT")
    return note.strip() or announced
