"""`scalesheet actuals`: imports recorded runs from logs and invoices."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scalesheet.codes import FINDINGS, GOOD
from scalesheet.commands import UsageError, folder, plan_of
from scalesheet.diagnostics import Diagnostic, Refused, as_text, errors
from scalesheet.vocabulary import counted

if TYPE_CHECKING:
    from scalesheet.actuals.logs import Read
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
    from scalesheet.actuals.logs import BESIDE, COLUMNS, FILLED, read
    from scalesheet.actuals.matching import match, rules
    from scalesheet.examine import sound_edition

    data = folder(options.data)
    mapped = dict(_pairs(options.map, "--map", (*COLUMNS, *BESIDE)))
    filled = dict(_pairs(options.fill, "--fill", FILLED))
    book = sound_edition(data, asked=[options.plan])[0].book
    plan = plan_of(book, options.plan)
    rows = _rows(plan)
    own = plan.actuals.match if plan.actuals is not None else ()
    by = rules(rows, own, list(_pairs(options.match, "--match", rows)))
    for rule in (each for each in by if each.why != "its id"):
        print(f"{rule.row}: runs like '{rule.pattern}' ({rule.why})")
    print(
        f"{'else' if len(by) > len(rows) else 'a run belongs to'} the row whose id is in its name"
    )
    status, files = GOOD, []
    for path in options.files:
        try:
            found = read(path, mapped, filled)
        except Refused as error:
            print(as_text(error.diagnostics), file=sys.stderr)
            status = FINDINGS
            continue
        for _, each in found.runs:
            match(each, rows, by)
        _tell(found)
        files.append(found)
    refused = _write(options, data, plan, files)
    left_out = refused or any(errors(found.problems) for found in files)
    return FINDINGS if left_out else status


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


def _tell(found: Read) -> None:
    """Print each run with its row, what was left out, and what makes the hours doubtful."""
    from scalesheet.load.document import quotable
    from scalesheet.render.text.plan import aligned

    print(f"{found.file.path}: {found.tool}, {counted(len(found.runs), 'run')}")
    lines = []
    for _, run in found.runs:
        seed = f", seed {run['seed']}" if run["seed"] else ""
        to = f"{run['phase']}{seed}" if run["phase"] else "no row of the plan"
        hours = f"{float(run['gpu_hours']):,.4g} GPU h" if run["gpu_hours"] else ""
        if run["cost"].startswith("-"):
            hours = f"{float(run['cost']):,.2f} USD"
        of = [f"{int(run['events']):,} events"] if "events" in run else []
        lines.append((quotable(run["name"] or run["from"]), f"-> {to}", run["state"], hours, *of))
    if lines:
        print("\n".join(aligned(lines, numbers=frozenset((3,)))))
    if found.waiting:
        print(f"  not started: {', '.join(map(quotable, found.waiting))}")
    _left_out(found.problems)


def _left_out(problems: Sequence[Diagnostic]) -> None:
    for severity, begin in (("error", "left out"), ("warning", "warning")):
        for line in as_text(d for d in problems if d.severity == severity).splitlines():
            print(f"  {begin}: {line}")


def _write(options: argparse.Namespace, data: Path, plan: Plan, files: Sequence[Read]) -> bool:
    """Write a file for each tool, merging existing and new runs. Runs that `check` would refuse are
    left out; returns whether there are any. Raises Refused if no single run is to blame.
    """
    from scalesheet.actuals.logs import DOUBTFUL
    from scalesheet.actuals.matching import key, merged
    from scalesheet.actuals.words import in_short
    from scalesheet.examine import examine_changes
    from scalesheet.load.document import quotable
    from scalesheet.load.folder import shown
    from scalesheet.save import content, save

    paths = {f.tool: data / "plans" / plan.id / "actuals" / f"{f.tool}.csv" for f in files}
    old = {tool: content(path) for tool, path in paths.items()}
    runs = [(f, line, run) for f in files for line, run in f.runs]
    refused: list[Diagnostic] = []
    while True:
        made = {
            tool: merged(old[tool], [run for f, _, run in runs if f.tool == tool]) for tool in paths
        }
        news = {paths[tool]: (old[tool], m.text.encode()) for tool, m in made.items() if m.news}
        texts = {path: new for path, (_, new) in news.items()}
        examined = examine_changes(data, texts, plans=[plan.id])
        causes = {
            (tool, made[tool].keys.get(each.line)): re.sub(r"^rows\[\d+\]\.", "", each.message)
            for each in errors(examined.diagnostics)
            for tool, path in paths.items()
            if each.path == shown(path)
        }
        left = [each for each in runs if (each[0].tool, key(each[2])) not in causes]
        refused += (
            f.file.wrong(
                f"{quotable(run['name'] or run['from'])}: {causes[f.tool, key(run)]}", line
            )
            for f, line, run in runs
            if (f.tool, key(run)) in causes
        )
        if len(left) == len(runs):
            break
        runs = left
    _left_out(refused)
    if errors(examined.diagnostics):
        raise Refused(errors(examined.diagnostics))
    _left_out([each for each in examined.diagnostics if each.code == DOUBTFUL])
    for tool, each in made.items():
        counts = f"{each.added:,} added, {each.changed:,} changed, {each.same:,} the same"
        print(f"{shown(paths[tool])}: {counts}")
    if lost := sum(each.outside for each in made.values()):
        print(
            f"{lost:,} match no row of the plan and are counted as outside it; write their "
            "phase in the file, or a pattern under 'actuals: {match: ...}' in plan.yaml"
        )
    if options.dry_run or not news:
        print("nothing was written")
    else:
        save(data, news)
        assert examined.edition is not None
        print(in_short(examined.edition.progress[plan.id]))
    return bool(refused)
