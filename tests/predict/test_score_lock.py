"""score.lock saves computing the score, and never hides one that fell."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from scalesheet.cli import main
from scalesheet.examine import examine
from scalesheet.load.folder import files_of
from shipped import DATA


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DATA, tmp_path / "data"))


def as_scored(data: Path) -> bool:
    files = files_of(data)
    assert files is not None
    return files.as_scored


def changed(path: Path, text: str, other: str) -> None:
    before = path.read_text("utf-8")
    after = re.sub(text, other, before, count=1)
    assert after != before
    path.write_text(after, "utf-8")


def lock(data: Path) -> None:
    files = files_of(data)
    assert files is not None
    (data / "score.lock").write_text(files.score_text, "utf-8")


@pytest.mark.parametrize(
    ("place", "text", "other", "holds"),
    [
        ("rates/lambda-1x-h100-pcie.yaml", r"price: [0-9.]+", "price: 3.31", True),
        ("plans/support-model/plan.yaml", "80_000", "81_000", True),
        ("plans/calculator/plan.yaml", r"(?m)^title: .*", "title: Other", False),
        ("models/llama-3-1-8b.yaml", r"layers: 32", "layers: 33", False),
        ("score.yaml", r"median: [0-9.]+", "median: 1.9", False),
        ("fits/loss.yaml", r"size: [0-9.]+", "size: 0.5", False),
    ],
)
def test_it_holds_until_something_changes_that_the_score_depends_on(
    place: str, text: str, other: str, holds: bool, data: Path
) -> None:
    lock(data)
    assert as_scored(data)
    changed(data / place, text, other)
    assert as_scored(data) == holds


def test_a_price_moves_no_score(data: Path) -> None:
    lock(data)
    before = examine(data, plans=("calculator",)).scores
    for rate in (data / "rates").iterdir():
        text = rate.read_text("utf-8")
        dearer = re.sub(
            r"(?m)^price: ([0-9.]+)", lambda found: f"price: {float(found[1]) * 1.1:.4f}", text
        )
        rate.write_text(dearer, "utf-8")
    examined = examine(data, plans=("calculator",))
    assert examined.edition is not None, examined.diagnostics
    after = examined.scores
    assert before["runs"].asked is not None
    assert after["runs"].asked is not None
    assert before["runs"].asked.quality == after["runs"].asked.quality


def test_check_computes_a_score_unless_it_is_known(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCALESHEET_CACHE", "")
    computed: list[str] = []
    monkeypatch.setattr("scalesheet.predict.score.score", lambda *_: computed.append("") or {})
    lock(data)
    assert examine(data, plans=()).diagnostics == []
    assert computed == []
    changed(data / "models/llama-3-1-8b.yaml", r"layers: 32", "layers: 33")
    assert {each.code for each in examine(data, plans=()).diagnostics} >= {"P001"}
    assert computed


@pytest.mark.weekly
def test_fit_writes_it_only_for_a_score_as_good_as_expected(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, asked = data / "score.lock", ["fit", "asked", "--data", str(data)]
    path.unlink(missing_ok=True)
    assert main([*asked, "--check"]) == 0
    assert "is of other data, so 'check' computes the score" in capsys.readouterr().out
    assert not path.exists()
    assert main(asked) == 0
    assert as_scored(data)
    before = path.read_bytes()
    changed(data / "score.yaml", r"median: [0-9.]+", "median: 1.01")
    for command in ([*asked, "--check"], asked):
        assert main(command) == 1
        assert "P001 runs: the error is" in capsys.readouterr().out
        assert path.read_bytes() == before
    (data / "score.yaml").write_bytes((DATA / "score.yaml").read_bytes())
    path.unlink()
    changed(data / "fits/loss.yaml", r"digest: '\w+'", "digest: '000000000000'")
    assert main(asked) == 0
    assert "P002 the rows of the fit 'loss' have changed" in capsys.readouterr().out
    assert not path.exists()
    changed(data / "score.yaml", r"median: [0-9.]+", "median: 1.01")
    lock(data)  # as if by hand
    assert main([*asked, "--check"]) == 1
