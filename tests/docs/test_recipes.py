"""The recipes of docs/contributing work when followed word for word in a copy of the repository."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scalesheet.cli import main
from scalesheet.commands import NAMES
from tutorial import Edit, Run, Write, follow, steps

ROOT = Path(__file__).parents[2]
RECIPES = {path.stem: path.read_text("utf-8") for path in ROOT.glob("docs/contributing/*.md")}
#: Parts of the data that take most of the time of a check and do not depend on a new file: other
#: plans, published runs.
PUBLISHED = ("runs", "score.yaml")
ELSEWHERE = ("plans", "fits", "components", *PUBLISHED)
#: The recipe that changes a file that plans read, and therefore needs all of them.
CHANGES = "fix-a-price"


@pytest.fixture
def copy(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    left = PUBLISHED if name == CHANGES else ELSEWHERE
    data = shutil.copytree(
        ROOT / "data",
        tmp_path / "data",
        ignore=lambda folder, names: [
            each for each in names if Path(folder) == ROOT / "data" and each in left
        ],
    )
    (data / "plans").mkdir(exist_ok=True)
    schemas = "generator/scalesheet/schema"  # new files name their schema if it is there
    shutil.copytree(ROOT / schemas, tmp_path / schemas)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printing(capsys: pytest.CaptureFixture[str]) -> Callable[[Run], None]:
    """Run a command of a recipe, and compare its output with the one shown."""

    def of_the_day(line: str) -> str:
        return re.sub(r"^edition .*", "edition", line)

    def run(step: Run) -> None:
        status = main(shlex.split(step.command)[1:])
        printed = capsys.readouterr()
        lines = [of_the_day(line) for line in (printed.out + printed.err).splitlines()]
        shown = [of_the_day(line) for line in step.shown]
        if shown[-1] == "...":
            shown.pop()
            lines = lines[: len(shown)]
        assert lines == shown, step.command
        assert status == any("error" in line for line in shown)

    return run


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_does_and_prints_what_it_says(
    name: str, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path for path in copy.rglob("*") if path.is_file()}
    follow(copy, printing(capsys), page=RECIPES[name])
    assert {path for path in copy.rglob("*") if path.is_file()} >= before


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_fits_one_page_and_ends_with_a_check(name: str) -> None:
    found = list(steps(RECIPES[name]))
    assert len(RECIPES[name].splitlines()) <= 80
    commands = [step.command for step in found if isinstance(step, Run)]
    assert all(command.startswith("scalesheet ") for command in commands)
    sound = found.index(Run("scalesheet check", ("everything holds",)))
    assert not any(isinstance(step, Write | Edit) for step in found[sound:])


def test_every_named_command_exists() -> None:
    text = "".join(RECIPES.values()) + (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert set(re.findall(r"`scalesheet ([a-z]+)", text)) <= set(NAMES)


def test_the_five_recipes_are_on_the_site_and_in_the_guide() -> None:
    named = ["fix-a-price", "add-a-gpu", "add-a-model", "add-a-formula", "add-a-plan"]
    assert set(RECIPES) == set(named)
    config = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert re.findall(r"contributing/([\w-]+)\.md", config)[:5] == named
    guide = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert re.findall(r"docs/contributing/([\w-]+)\.md", guide)[:5] == named
