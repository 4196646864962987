"""The ledger of the proof: proofs by hash of content, so that changed content is proved again.

Only `make proof` writes `ledger.json`. An entry is for one face of one plan and has

- its conditions: hashes of the face's contents, of the plan as the evaluator sees it, and of the
  code that computes and compares; and the program that showed the values;
- the result of the proof: counts, and `seen`, a digest of everything that the program showed;
- `digest`, a hash of the whole entry.

An entry that was edited manually has the wrong `digest`, which every run reports at once. A wholly
made-up one, digest included, has a `seen` that no proof gives; the weekly run, which proves
everything again and compares, reports that.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import subprocess
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar

from project import ROOT, THOROUGH
from scalesheet.book import Book
from scalesheet.defined_names import tables_of
from scalesheet.model import Column, Formula, Plan, Quantity, Scalar, Stated

PATH = Path(__file__).with_name("ledger.json")

T = TypeVar("T")

Face = Literal["workbook", "script", "json"]
Entry = dict[str, Any]
Ledger = dict[str, dict[str, Entry]]  # by plan and face

#: The code that determines values after an edit: the evaluator and its imports.
EVALUATOR = (
    "evaluate/*.py",
    *("language/syntax.py", "language/functions.py", "language/intervals.py"),
    *("language/arithmetic*.py", "values.py"),
)
#: The code of each face's proof.
PROOF: dict[Face, tuple[str, ...]] = {
    "workbook": (
        "faces.py",
        "edits.py",
        "proving.py",
        "office*.py",
        "test_plans.py",
    ),
    "script": ("faces.py", "other_faces.py", "browser.py", "test_plans.py"),
    "json": ("faces.py", "other_faces.py", "test_plans.py"),
}
#: The conditions of an entry, and their names in messages.
CONDITIONS = {
    "contents": "its contents",
    "plan": "the plan behind it",
    "code": "the evaluator or the code of the proof",
    "program": "the program",
}


def read(path: Path = PATH) -> Ledger:
    """The stored ledger. Raises ValueError if an entry was not written by `make proof`."""
    ledger: Ledger = json.loads(path.read_text("utf-8")) if path.exists() else {}
    for plan, faces in ledger.items():
        for face, entry in faces.items():
            if entry.get("digest") != _digest(plan, face, entry):
                raise ValueError(
                    f"{path.name}: the entry for the {face} of '{plan}' was changed by hand: its "
                    "digest does not fit. Fix: restore the file, or run 'make proof'"
                )
    return ledger


def write(ledger: Ledger, path: Path = PATH) -> None:
    """Write the ledger; the same entries give the same bytes."""
    path.write_text(json.dumps(ledger, indent=1, sort_keys=True) + "\n", "utf-8")


def entry(plan: str, face: Face, conditions: Mapping[str, str], found: Mapping[str, Any]) -> Entry:
    """An entry with its digest; `found` is the result of the proof."""
    made: Entry = {**conditions, **found}
    return {**made, "digest": _digest(plan, face, made)}


def _digest(plan: str, face: str, entry: Mapping[str, Any]) -> str:
    signed = {key: value for key, value in entry.items() if key != "digest"}
    return digest([json.dumps([plan, face, signed], sort_keys=True)])


def lacking(entry: Entry | None, conditions: Mapping[str, str]) -> str | None:
    """Why an entry does not hold under these conditions, or None if it does."""
    if entry is None:
        return "the ledger has no entry for it"
    changed = [key for key in CONDITIONS if entry.get(key) != conditions[key]]
    if not changed:
        return None
    if changed == ["program"]:
        return f"it was proved on {entry.get('program')}, this is {conditions['program']}"
    return f"{', '.join(CONDITIONS[key] for key in changed)} changed since it was proved"


# ------------------------------------------------------------------ hashes


def digest(texts: Iterable[str | bytes]) -> str:
    """A single hash of texts in order."""
    made = hashlib.sha256()
    for text in texts:
        data = text.encode() if isinstance(text, str) else text
        made.update(b"%d:" % len(data))
        made.update(data)
    return made.hexdigest()


def visible(number: float, digits: int = 6) -> str:
    """A number with so few digits that it prints the same on every processor.

    Processors differ in the last bits of powers and logarithms. The factor keeps numbers that
    people write, such as 0.5, away from rounding boundaries; below 1e-9 are only remainders of
    cancellation.
    """
    return f"{number * math.sqrt(2):.{digits - 1}e}" if abs(number) > 1e-9 else "0"


def seen(shown: Mapping[tuple[str, str], Any]) -> str:
    """A digest of the values that cells show."""
    return digest(f"{at} {text(value)}" for at, value in sorted(shown.items()))


def text(value: Any) -> str:
    """The value of a cell as text that is the same on every processor."""
    return visible(value) if isinstance(value, float) else repr(value or None)


_STORED = re.compile(rb"(</f><v>)([^<]*)(</v>)")


def workbook_contents(path: Path) -> str:
    """A hash of a workbook's unpacked parts, with stored results of formulas as `visible`."""

    def stored(found: re.Match[bytes]) -> bytes:
        try:
            shown = visible(float(found[2])).encode()
        except ValueError:
            shown = found[2]
        return found[1] + shown + found[3]

    with zipfile.ZipFile(path) as archive:
        parts = [(name, archive.read(name)) for name in sorted(archive.namelist())]
    return digest(each for name, data in parts for each in (name, _STORED.sub(stored, data)))


_NUMBER = re.compile(r"-?\d+\.\d+(?:[eE][-+]?\d+)?")


def text_contents(text: str) -> str:
    """A hash of a script or of JSON, with decimal numbers as `visible`."""
    return digest([_NUMBER.sub(lambda found: visible(float(found[0])), text)])


def plan_contents(book: Book, plan: Plan) -> str:
    """A hash of a plan as the evaluator sees it.

    It covers the inputs and formulas of the plan and of the catalogue tables in its workbook.
    """
    said: list[object] = [plan.headline, plan.scenarios]
    quantities: list[Quantity] = [*plan.scalars.values()]
    for table in tables_of(book, plan).values():
        said.append((table.name, table.rows, table.row_titles))
        quantities += table.columns.values()
    for each in quantities:
        said.append((each.name, each.kind, each.domain, each.ranged, each.refers_to, each.words))
        if isinstance(each, Scalar):
            said += [_stated(each.stated), _ends(each.formula)]
        elif isinstance(each, Column):
            said += [(row, _stated(stated)) for row, stated in each.stated.items()]
            said += [(row, _ends(formula)) for row, formula in each.own.items()]
            said.append(_ends(each.formula))
    return digest(map(repr, said))


def _stated(stated: Stated | None) -> object:
    return stated and (stated.value, stated.low, stated.high, stated.reason)


def _ends(formula: Formula | None) -> object:
    return formula and formula.ends


@cache
def code(face: Face) -> str:
    """A hash of the source files that a proof of the face depends on."""
    here, product = Path(__file__).parent, ROOT / "generator" / "scalesheet"
    files = [path for pattern in PROOF[face] for path in sorted(here.glob(pattern))]
    files += [path for pattern in EVALUATOR for path in sorted(product.glob(pattern))]
    return digest(each for path in files for each in (path.name, path.read_bytes()))


@cache
def seed() -> tuple[int, str]:
    """A number that differs with each commit, and a description of its origin."""
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        done = None
    if done is not None and done.returncode == 0:
        commit = done.stdout.strip()
        return int(commit, 16), f"commit {commit[:10]}"
    content = digest([PATH.read_bytes() if PATH.exists() else b"", code("workbook")])
    return int(content, 16), "the ledger's content, since there is no git"


def share(every: Sequence[T], rounds: int) -> list[T]:
    """The items whose turn it is in this commit, one in `rounds`; all in the weekly run."""
    return list(every) if THOROUGH else list(every[seed()[0] % rounds :: rounds])
