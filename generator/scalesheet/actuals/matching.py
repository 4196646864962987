"""Matches runs to rows of the plan by name, and adds runs to a file of actuals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from scalesheet.actuals.logs import COLUMNS
from scalesheet.frozen import dataclass

if TYPE_CHECKING:
    from pandas import DataFrame

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


def matched(runs: DataFrame, rows: Sequence[str], by: Sequence[Rule]) -> DataFrame:
    """The runs with the row that each belongs to, or none, and the seed in its name."""
    runs = runs.copy()
    phase, seed = [], []
    for row in runs.to_dict("records"):
        name = str(row["name"])
        rule = next((each for each in by if each.fits(name)), None) if name else None
        stated = str(row["phase"])
        phase.append(stated if stated in rows or rule is None else rule.row)
        found = _SEED.search(name)
        seed.append(str(row["seed"]) or (found[1] if found else ""))
    runs["phase"], runs["seed"] = phase, seed
    plain = (runs["run"] == "") & (runs["phase"] == "")
    runs["run"] = runs["run"].where(~plain, runs["name"])
    return runs


@dataclass(frozen=True, slots=True)
class Merged:
    """A file of actuals with more runs, and how many were added, changed, or the same."""

    frame: DataFrame
    added: int
    changed: int
    same: int


def merged(old: DataFrame, runs: DataFrame) -> Merged:
    """Merge runs into a file. `from` and start identify a line. For a run that is already there,
    only measured columns are updated; its row, seed and note may have been edited.
    """
    import pandas

    columns = [*old.columns, *(name for name in COLUMNS if name not in old)]
    lines = old.reindex(columns=columns, fill_value="").to_dict("records")
    places = {(line["from"], line["start"]): n for n, line in enumerate(lines) if line["from"]}
    added = changed = same = 0
    for run in runs.to_dict("records"):
        key = (run["from"], run["start"])
        if key not in places:
            places[key] = len(lines)
            lines.append({name: run.get(name, "") for name in columns})
            added += 1
            continue
        line = lines[places[key]]
        news: Mapping[str, str] = {n: run[n] for n in MEASURED if run[n] and run[n] != line[n]}
        line.update(news)
        changed, same = changed + bool(news), same + (not news)
    frame = pandas.DataFrame(lines, columns=columns, dtype=str)
    used = [name for name in columns if name in old or (frame[name] != "").any()]
    return Merged(frame[used], added, changed, same)
