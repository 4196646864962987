"""`scalesheet bench ladder --rates --write ID` measures a device and adds it to the book."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="rates are measured with PyTorch")

from project import ROOT
from scalesheet.cli import main
from scalesheet.examine import compile_book


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The shipped data, without plans and runs."""
    apart = shutil.ignore_patterns("plans", "runs", "score.yaml", "measurements")
    return Path(shutil.copytree(ROOT / "data", tmp_path / "data", ignore=apart))


def test_a_processor_is_measured_into_the_catalogue(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["bench", "ladder", "--data", str(data), "--rates", "--device", "cpu", "--seconds", "2"]
    assert main([*asked, "--write", "this-one", "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["written"]["new"]
    path = data / "hardware" / "this-one.yaml"
    before = path.read_bytes()
    table = compile_book(data, None).tables["hardware"]
    for each in said["written"]["added"]:
        cell = table.columns[each].stated["this-one"]
        assert cell.basis == "measured"
        assert isinstance(cell.value, float)
        assert cell.value > 0
    assert main([*asked, "--write", "this-one"]) == 0
    printed = capsys.readouterr().out
    assert path.read_bytes() == before
    assert "keeps what it states of measured_" in printed
    assert main([*asked, "--write", "rtx4090"]) == 1
    assert "B008" in capsys.readouterr().err
