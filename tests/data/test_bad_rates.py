"""Known wrong rows of public price lists: a check reports each of them by name.

`bad_rates/<case>.txt` holds a row as a file of the format, with its source: a whole offer
(`file: rates/x.yaml`), or a price added to a shipped one (`file: + rates/x.yaml`). `says` is the
expected code and part of the message; two codes if either will do.
"""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from scalesheet.examine import diagnose

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "data"
CATALOGUE = (
    *("book.yaml", "units.yaml", "sources.yaml"),
    *("hardware", "nodes", "rates", "providers"),
)
#: Wrong rows that no check can recognize, and why.
SILENT = {
    "runpod rtx-pro-6000-server 1.57, spot 0.89 (deploybase.ai, 2026-03-10)": (
        "No other offer on file has this card, so no price stands beside this one, and that the "
        "site contradicts itself elsewhere stands in no row."
    ),
    "runpod l4 0.78, spot 0.44 (deploybase.ai, 2026-03-10)": (
        "Plausible by every measure: the provider sells the card in no other offer on file, and "
        "that the site contradicts itself elsewhere stands in no row."
    ),
}


@dataclass(frozen=True)
class Case:
    says: str
    files: dict[str, str]


def read(path: Path) -> Case:
    row, origin, says, *rest = path.read_text("utf-8").splitlines()
    assert row.startswith("row: ")
    assert origin.startswith("from: ")
    files: dict[str, str] = {}
    for line in rest:
        if line.startswith("file: "):
            place = line.removeprefix("file: ")
            files[place] = ""
        else:
            files[place] += line + "\n"
    return Case(says.removeprefix("says: "), files)


CASES = {path.stem: read(path) for path in sorted((HERE / "bad_rates").glob("*.txt"))}


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory):
    """The shipped accelerators and offers, without plans and models."""
    data = tmp_path_factory.mktemp("rates") / "data"
    for name in CATALOGUE:
        if (DATA / name).is_dir():
            shutil.copytree(DATA / name, data / name)
        elif (DATA / name).exists():
            data.mkdir(exist_ok=True)
            shutil.copy(DATA / name, data / name)
    return data


def added(text: str, entry: str) -> str:
    """The offer with another price, in order of dates."""
    day = re.search(r"from: ([0-9-]+)", entry)[1]
    lines = text.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith("  - from: ")]
    later = [i for i in starts if lines[i].removeprefix("  - from: ") > day]
    inside = range(starts[-1] + 1, len(lines) + 1)
    end = next(i for i in inside if i == len(lines) or not lines[i].startswith(" "))
    lines.insert(later[0] if later else end, f"  - {entry.strip()}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", CASES)
def test_a_bad_row_is_reported_by_name(name, catalogue, tmp_path):
    case = CASES[name]
    data = shutil.copytree(catalogue, tmp_path / "data")
    for place, text in case.files.items():
        path = data / place.removeprefix("+ ")
        path.write_text(added(path.read_text(), text) if place.startswith("+") else text)
    codes, _, words = case.says.partition(" ")
    found = diagnose(data)
    assert any(d.code in codes.split("|") and words in d.message for d in found), found
    assert {Path(d.path).name for d in found} <= {Path(f.split()[-1]).name for f in case.files}


def test_the_shipped_offers_are_valid(catalogue):
    assert diagnose(catalogue) == []


def test_rows_that_no_check_can_recognize_have_a_reason():
    assert all(len(why) > 40 for why in SILENT.values())
