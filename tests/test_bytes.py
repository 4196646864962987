"""The same input gives the same bytes, wherever, whenever and in whatever locale it is built."""

from __future__ import annotations

import json
import subprocess
import zipfile
from pathlib import Path

import pytest

from project import command, contents, environment, project
from scalesheet import cli
from shipped import checkout as copied

ASCII = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.weekly
def test_two_builds_of_the_book_give_the_same_bytes(checkout: Path, tmp_path: Path) -> None:
    other = copied(tmp_path / "somewhere else" / "zwei")
    subprocess.run(
        command("build", "--data", str(other / "data"), "--out", str(other / "build")),
        cwd="/",
        check=True,
        capture_output=True,
        env=environment(PYTHONHASHSEED="4242", TZ="America/Adak", **ASCII),
    )
    made = contents(checkout / "build")
    assert made == contents(other / "build")
    assert contents(checkout / "docs" / "book") == contents(other / "docs" / "book")
    assert {"site/index.html", "site/search/index.js", ".stamp.json"} < set(made)


def offered(folder: Path) -> Path:
    """The small project with a plan that uses an offer: 1.25 USD, and 1 USD from 2026."""
    plan = (
        "title: A plan\nsummary: For a test.\nsource: a-paper\nscalars:\n"
        "  offer: {ref: offers, value: offer, title: Offer}\n"
        "  hours: {value: 8, unit: GPU * hour, kind: decision}\n"
        "  cost: {unit: USD, formula: hours * offer.price, title: Cost}\n"
    )
    texts = {"plans/small/plan.yaml": plan, "plans/small/page.md": "It costs {{ cost }}.\n"}
    return project(folder, texts)


def cost(out: Path) -> float:
    text = (out / "api" / "v1" / "plans" / "small.json").read_text("utf-8")
    return float(json.loads(text)["quantities"]["cost"]["value"])


def test_a_build_as_of_a_past_day_uses_the_prices_of_that_day(tmp_path: Path) -> None:
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


def test_source_date_epoch_changes_only_the_creation_time_of_workbooks(
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


def test_a_source_date_that_is_not_a_number_is_wrong_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    build = ["build", "--no-site", "--data", str(project(tmp_path)), "--out", str(tmp_path / "out")]
    assert cli.main(build) == 2
    assert "SOURCE_DATE_EPOCH='yesterday' is not a number of seconds" in capsys.readouterr().err
