"""Matches runs to rows of the plan by name, and adds runs to a file of actuals."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from io import StringIO

from scalesheet.actuals.logs import COLUMNS, Run
from scalesheet.frozen import dataclass
from scalesheet.load.csv import cells_of

Key = tuple[str, str]

_SEED = re.compile(r"(?:^|[-_./ ])(?:seed|s)[-_=]?(\d+)(?=$|[-_./ ])", re.IGNORECASE)
#: Columns that a later log may update. Everything else may have been edited since, and is kept.
MEASURED = ("state", "end", "gpu_hours", "cost", "tokens", "steps")


@dataclass(frozen=True, slots=True)
class Rule:
    """Assigns runs whose names match a pattern to a row; `why` says where the rule is from."""

    row: str
    pattern: str
    why: str

    def fits(self, name: str) -> bool:
        plain, pattern = _plain(name), _plain(self.pattern)
        return fnmatchcase(plain, pattern) or fnmatchcase(f"-{plain}-", pattern)


def rules(
    rows: Sequence[str], own: Sequence[tuple[str, str]], said: Sequence[tuple[str, str]]
) -> list[Rule]:
    """The rules in order; the first match wins: those from the command line, those from the plan,
    and for each row that the words of its id appear in the name, longest id first.
    """
    made = [Rule(row, pattern, "--match") for row, pattern in said]
    made += [Rule(row, pattern, "plan.yaml") for row, pattern in own]
    by_length = sorted(rows, key=lambda row: (-len(row), row))
    return made + [Rule(row, f"*-{row}-*", "its id") for row in by_length]


def _plain(text: str) -> str:
    """Normalize a name: case and the choice among `-_. ` as separators do not matter."""
    return re.sub(r"[-_. /]+", "-", text.lower())


def match(run: Run, rows: Sequence[str], by: Sequence[Rule]) -> None:
    """Fill in the row that a run belongs to, or none, and the seed in its name."""
    name = run["name"]
    rule = next((each for each in by if each.fits(name)), None) if name else None
    if run["phase"] not in rows and rule is not None:
        run["phase"] = rule.row
    found = _SEED.search(name)
    run["seed"] = run["seed"] or (found[1] if found else "")
    if not run["run"] and not run["phase"]:
        run["run"] = name


@dataclass(frozen=True, slots=True)
class Merged:
    """A file of actuals with more runs, as CSV; how many were added, changed, or the same; how many
    of all are of no row; and the `key` of the run on each line of the file.
    """

    text: str
    added: int
    changed: int
    same: int
    outside: int
    keys: Mapping[int, Key]

    @property
    def news(self) -> int:
        return self.added + self.changed


def key(run: Run) -> Key:
    """What identifies a run that is read again."""
    return run["from"], run["start"]


def merged(old: bytes | None, runs: Iterable[Run]) -> Merged:
    """Merge runs into a file, which is valid. For a run that is already there, only measured
    columns are updated; its row, seed and note may have been edited.
    """
    names, *there = [[value for value, _ in cells] for cells in cells_of(old or b"")] or [[]]
    columns = [*names, *(name for name in COLUMNS if name not in names)]
    lines: list[Run] = [
        {**dict.fromkeys(columns, ""), **dict(zip(names, cells, strict=True))} for cells in there
    ]
    places = {key(line): line for line in lines if line["from"]}
    added = changed = same = 0
    for run in runs:
        line = places.get(key(run))
        if line is None:
            line = {name: " ".join(run.get(name, "").split()) for name in columns}
            lines.append(line)
            places[key(run)] = line
            added += 1
            continue
        news = {n: run[n] for n in MEASURED if run[n] and run[n] != line[n]}
        line.update(news)
        changed, same = changed + bool(news), same + (not news)
    used = [name for name in columns if name in names or any(line[name] for line in lines)]
    out, keys, at = StringIO(), {}, 2
    writer = csv.DictWriter(out, used, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for line in lines:
        keys[at] = key(line)
        writer.writerow(line)
        at += 1 + sum(line[name].count("\n") for name in used)
    outside = sum(not line["phase"] for line in lines)
    return Merged(out.getvalue(), added, changed, same, outside, keys)
