"""The same input gives the same bytes, wherever, whenever and in whatever language it is built."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from project import ROOT, command, contents, environment, project
from scalesheet import cli

ASCII = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def languages() -> list[dict[str, str]]:
    """Locales that print numbers, or turn letters, otherwise; and one that knows only ASCII."""
    known = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout
    others = [name for name in known.split() if name.startswith(("de_DE.", "tr_TR."))]
    return [{"LC_ALL": others[-1] if others else "C.UTF-8"}, ASCII]


def checkout(folder: Path) -> Path:
    """A copy of the project as git holds it: what was generated does not come along."""
    ignored = shutil.ignore_patterns("book", "__pycache__")
    for name in ("data", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for path in ROOT.iterdir():
        if path.is_file() and path.name[0] != ".":
            shutil.copy(path, folder)
    return folder


@pytest.mark.xdist_group("whole book")
def test_two_builds_of_the_book_give_the_same_bytes(tmp_path: Path) -> None:
    one = checkout(tmp_path / "one")
    two = checkout(tmp_path / "somewhere else" / "zwei")
    first, second = languages()
    subprocess.run(
        command("build"),
        cwd=one, check=True, capture_output=True,
        env=environment(PYTHONHASHSEED="0", TZ="Pacific/Kiritimati", **first),
    )  # fmt: skip
    subprocess.run(
        command("build", "--data", str(two / "data"), "--out", str(two / "build")),
        cwd="/", check=True, capture_output=True,
        env=environment(PYTHONHASHSEED="4242", TZ="America/Adak", **second),
    )  # fmt: skip
    made = contents(one / "build")
    assert made == contents(two / "build")
    assert contents(one / "docs" / "book") == contents(two / "docs" / "book")
    assert {"site/index.html", "site/search/search_index.json", ".stamp.json"} < set(made)


def offered(folder: Path) -> Path:
    """The small project with a plan that buys what is offered: 1.25 USD, from 2026 on 1 USD."""
    plan = (
        "title: A plan\nsummary: For a test.\nsource: a-paper\nscalars:\n"
        "  offer: {ref: offers, value: offer, title: Offer}\n"
        "  hours: {value: 8, unit: GPU * hour, kind: decision}\n"
        "  cost: {unit: USD, formula: hours * offer.price, title: Cost}\n"
    )
    return project(folder, {"plans/small/plan.yaml": plan})


def cost(out: Path) -> float:
    text = (out / "api" / "v1" / "plans" / "small.json").read_text("utf-8")
    return float(json.loads(text)["quantities"]["cost"]["value"])


def test_a_day_of_the_past_builds_with_the_prices_of_that_day(tmp_path: Path) -> None:
    data, out = str(offered(tmp_path)), tmp_path / "build"
    build = ["build", "--no-site", "--data", data, "--out", str(out)]
    assert cli.main(build) == 0
    assert cost(out) == 8
    assert cli.main([*build, "--as-of", "2025-12-31"]) == 0
    assert cost(out) == 10
    assert cli.main([*build, "--as-of", "2026-01-01"]) == 0
    assert cost(out) == 8


def parts(workbook: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(workbook) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_source_date_epoch_is_when_the_workbook_says_it_was_made_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = str(offered(tmp_path))
    made = []
    for number, moment in enumerate(("", "1700000000")):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", moment)
        out = tmp_path / f"build-{number}"
        assert cli.main(["build", "--no-site", "--data", data, "--out", str(out)]) == 0
        made.append(out)
    before, after = (parts(out / "workbooks" / "small.xlsx") for out in made)
    assert {name for name in before if before[name] != after[name]} == {"docProps/core.xml"}
    assert b"2026-11-20T00:00:00Z" in before["docProps/core.xml"]
    assert b"2023-11-14T22:13:20Z" in after["docProps/core.xml"]
    one, two = (contents(out) for out in made)
    differ = {name for name in one if one[name] != two[name]}
    assert differ == {"workbooks/small.xlsx", ".stamp.json"}


def test_a_source_date_that_is_no_number_is_wrong_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    build = ["build", "--no-site", "--data", str(project(tmp_path)), "--out", str(tmp_path / "out")]
    assert cli.main(build) == 2
    assert "SOURCE_DATE_EPOCH='yesterday' is not a number of seconds" in capsys.readouterr().err
