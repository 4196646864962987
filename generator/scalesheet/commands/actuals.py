"""`scalesheet actuals`: imports recorded runs from logs and invoices."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scalesheet.codes import FINDINGS, GOOD
from scalesheet.commands import UsageError, folder, plan_of
from scalesheet.vocabulary import counted

if TYPE_CHECKING:
    from pandas import DataFrame

    from scalesheet.actuals.logs import Read
    from scalesheet.actuals.matching import Rule
    from scalesheet.model import Plan

SUMMARY = "read what runs really took, from logs and invoices"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", help="the plan's id")
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        type=Path,
        help="sacct --parsable2, trainer_state.json, TensorBoard events, CSV of W&B or an invoice",
    )
    parser.add_argument(
        "--match",
        action="append",
        default=[],
        metavar="ROW=PATTERN",
        help="assign runs whose names match the pattern to this phase or row; may be repeated",
    )
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="COLUMN=THEIRS",
        help="name of a column in the file: gpu_hours='GPU time'; may be repeated",
    )
    parser.add_argument(
        "--fill",
        action="append",
        default=[],
        metavar="COLUMN=VALUE",
        help="value for runs without one in the file: gpus=8; may be repeated",
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would be written")


def run(options: argparse.Namespace) -> int:
    from scalesheet.actuals.logs import BESIDE, COLUMNS, FILLED, LogError, read
    from scalesheet.actuals.matching import matched, rules
    from scalesheet.examine import sound_edition

    data = folder(options.data)
    mapped = dict(_pairs(options.map, "--map", (*COLUMNS, *BESIDE)))
    filled = dict(_pairs(options.fill, "--fill", FILLED))
    book = sound_edition(data, plans=[options.plan])[0].book
    plan = plan_of(book, options.plan)
    rows = _rows(plan)
    own = plan.actuals.match if plan.actuals is not None else ()
    by = rules(rows, own, list(_pairs(options.match, "--match", rows)))
    for rule in (each for each in by if each.why != "its id"):
        print(f"{rule.row}: runs like '{rule.pattern}' ({rule.why})")
    print(
        f"{'else' if len(by) > len(rows) else 'a run belongs to'} the row whose id is in its name"
    )
    status, by_tool = GOOD, dict[str, list["DataFrame"]]()
    for path in options.files:
        try:
            found = read(path, mapped, filled)
        except LogError as error:
            print(f"scalesheet: {path}: {error}", file=sys.stderr)
            status = FINDINGS
            continue
        runs = matched(found.runs, rows, by)
        _tell(path, found, runs, by)
        status = FINDINGS if found.left_out else status
        by_tool.setdefault(found.tool, []).append(runs)
    _write(options, data, plan, by_tool)
    return status


def _pairs(texts: Sequence[str], option: str, known: Sequence[str]) -> list[tuple[str, str]]:
    """Parse `NAME=VALUE` with a known name. Raises UsageError with the nearest name."""
    from scalesheet.nearest import nearest

    pairs = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not value:
            raise UsageError(f"{option} {text}: write NAME=VALUE")
        if name not in known:
            hint = nearest(name, known) or f"; known names: {', '.join(known)}"
            raise UsageError(f"{option} {text}: unknown name '{name}'{hint}")
        pairs.append((name, value))
    return pairs


def _rows(plan: Plan) -> tuple[str, ...]:
    table = plan.actuals.table if plan.actuals is not None else "phases"
    if table not in plan.tables:
        raise UsageError(
            f"the plan '{plan.id}' has no phases; name the table that its runs belong to in "
            "plan.yaml: 'actuals: {table: runs}'"
        )
    return plan.tables[table].rows


def _tell(path: Path, found: Read, runs: DataFrame, by: Sequence[Rule]) -> None:
    """Print each run with its row, and what was left out."""
    from scalesheet.render.text.plan import aligned

    print(f"{path}: {found.tool}, {counted(len(runs), 'run')}")
    lines = []
    for run in runs.to_dict("records"):
        seed = f", seed {run['seed']}" if run["seed"] else ""
        to = f"{run['phase']}{seed}" if run["phase"] else "no row of the plan"
        hours = f"{float(run['gpu_hours']):,.4g} GPU h" if run["gpu_hours"] else ""
        lines.append((str(run["name"] or run["from"]), f"-> {to}", str(run["state"]), hours))
    if lines:
        print("\n".join(aligned(lines, numbers=frozenset((3,)))))
    if found.waiting:
        print(f"  not started: {', '.join(found.waiting)}")
    for each in found.left_out:
        print(f"  left out: {each}")


def _write(
    options: argparse.Namespace, data: Path, plan: Plan, by_tool: dict[str, list[DataFrame]]
) -> None:
    """Write a file for each tool, merging existing and new runs."""
    import pandas

    from scalesheet.actuals.matching import merged
    from scalesheet.actuals.words import in_short
    from scalesheet.examine import sound_edition
    from scalesheet.load.folder import shown
    from scalesheet.save import content, save

    changes: dict[Path, tuple[bytes | None, bytes]] = {}
    lost = 0
    for tool, frames in by_tool.items():
        path = data / "plans" / plan.id / "actuals" / f"{tool}.csv"
        old = content(path)
        there = pandas.DataFrame(dtype=str)
        if old is not None:
            there = pandas.read_csv(io.BytesIO(old), dtype=str, keep_default_na=False)
        result = merged(there, pandas.concat(frames, ignore_index=True))
        lost += int((result.frame["phase"] == "").sum()) if "phase" in result.frame else 0
        counts = f"{result.added:,} added, {result.changed:,} changed, {result.same:,} the same"
        print(f"{shown(path)}: {counts}")
        if result.added or result.changed:
            changes[path] = old, result.frame.to_csv(index=False, lineterminator="\n").encode()
    if lost:
        print(
            f"{lost:,} match no row of the plan and are counted as outside it; write their "
            "phase in the file, or a pattern under 'actuals: {match: ...}' in plan.yaml"
        )
    if options.dry_run or not changes:
        print("nothing was written")
        return
    save(data, changes)
    progress = sound_edition(data, plans=[plan.id])[0].progress[plan.id]
    print(in_short(progress))
