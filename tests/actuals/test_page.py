"""The page about actuals is correct: its example works in the tutorial's book."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from project import ROOT
from scalesheet.actuals.learning import learn
from scalesheet.cli import main
from scalesheet.schemas import schema
from tutorial import Run, follow

PAGE = (ROOT / "docs/reference/actuals.md").read_text("utf-8")


def test_its_example_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    follow(tmp_path, lambda step: None)
    monkeypatch.chdir(tmp_path)

    def run(step: Run) -> None:
        assert main(shlex.split(step.command)[1:]) == 0
        shown = list(step.shown)
        lines = capsys.readouterr().out.splitlines()
        if shown[-1] == "...":
            shown.pop()
            lines = lines[: len(shown)]
        assert lines == shown, step.command

    follow(tmp_path, run, page=PAGE)
    assert main(["actuals", "tuning", "sacct.txt"]) == 0
    told = capsys.readouterr().out
    assert "first: runs like 'notebook*' (plan.yaml)" in told
    assert "0 added, 0 changed, 2 the same" in told


def test_it_documents_every_key_of_a_plan() -> None:
    told = re.findall(r"^\| `(\w+)` \| ", PAGE, re.MULTILINE)
    assert told == list(schema("plan")["properties"]["actuals"]["properties"])


def test_its_ratios_match_the_model() -> None:
    ratios = [learn({"sft": [1.5] * count}).ratio("sft") for count in (1, 3)]
    assert re.findall(r"expected ratio of its phase ([\d.]+); three make it ([\d.]+)\. ", PAGE) == [
        tuple(f"{ratio:.2f}" for ratio in ratios)
    ]
