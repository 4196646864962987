"""A plan with errors stops itself, and every command works for the rest of the book."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import scalesheet
from own import PLAN, begun
from scalesheet.cli import main
from small import HEAD

#: Files of the broken plan, by what is wrong with them.
BROKEN = {
    "a chart that is gone": {"page.md": "# A plan\n\n{{ chart gone }}\n"},
    "units": {"plan.yaml": f"{HEAD}scalars: {{a: {{unit: USD, formula: 1 GPU * 1 hour}}}}\n"},
    "an unknown name": {"plan.yaml": f"{HEAD}scalars: {{a: {{unit: 1, formula: nobody}}}}\n"},
    "no YAML": {"plan.yaml": "title: [\n"},
    "a wrong key": {"plan.yaml": f"{HEAD}nobody: 1\n"},
    "claims": {"claims.yaml": "nobody: 1\n"},
    "actuals": {"actuals/own.csv": "nobody\n1\n"},
}
SWEEP = "run,N,D,loss\na,25M,1.5B,3.8\nb,70M,6B,3.24\nc,160M,3B,3.19\n"
COMMANDS = {
    "predict": ["predict", "memory", "--set", "model=llama-3-1-8b", "--set", "hardware=h100-sxm"],
    "choose": ["choose", "llama-3-1-8b", "--tokens", "10M", "--offers", "runpod-secure-h100-sxm"],
    "law": ["law", "sweep.csv"],
    "show a plan": ["show", PLAN],
    "show an entry": ["show", "h100-sxm"],
    "show a table": ["show", "providers"],
    "cut": ["cut", PLAN, "1.0.0", "--note", "The first."],
    "build a plan": ["build", PLAN, "--no-site"],
}


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new book with a second plan, in the working folder."""
    data = begun(tmp_path)
    for name, text in {"page.md": "# A plan\n", "plan.yaml": HEAD}.items():
        path = data / "plans" / "broken" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    (tmp_path / "sweep.csv").write_text(SWEEP, "utf-8")
    monkeypatch.chdir(tmp_path)
    return data


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_every_command_works_for_the_rest_of_a_book(
    book: Path, broken: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in broken.items():
        path = book / "plans" / "broken" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert main(["check"]) == main(["show", "broken"]) == main(["build"]) == 1
    told = {name: (main(words), capsys.readouterr().err) for name, words in COMMANDS.items()}
    assert {name: each for name, each in told.items() if each[0]} == {}
    assert main(["audit", PLAN]) == 2
    assert f"the plan '{PLAN}' has no claims.yaml" in capsys.readouterr().err
    frame = pd.DataFrame({"model": ["llama-3-1-8b"], "hardware": ["h100-sxm"]})
    assert len(scalesheet.predict(frame, "memory", book="data")) == 1
