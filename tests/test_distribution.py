"""What a book in its own repository uses from this one: an action, an image, a container."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from own import begun
from project import environment, read_yaml

ROOT = Path(__file__).parents[1]
ACTION = ROOT / ".github" / "actions" / "diff" / "action.yml"


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A repository with a new book, whose seeds changed from 3 to 5 since the last commit."""
    data = begun(tmp_path / "ours")
    git(data.parent, "init", "--initial-branch=main")
    git(data.parent, "add", ".")
    git(data.parent, "commit", "--message=A book")
    plan = data / "plans" / "first" / "plan.yaml"
    plan.write_text(plan.read_text("utf-8").replace("{value: 3,", "{value: 5,"), "utf-8")
    return data.parent


def run(book: Path, against: str) -> subprocess.CompletedProcess[str]:
    """Run the step of the action as GitHub does."""
    action = read_yaml(ACTION)
    (step,) = action["runs"]["steps"]
    given = {"inputs.against": against, "inputs.data": action["inputs"]["data"]["default"]}
    asked = {
        k: re.sub(r"\$\{\{ (.*?) \}\}", lambda m: given[m[1]], v) for k, v in step["env"].items()
    }
    place = book.parent
    command = place / "bin" / "scalesheet"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m scalesheet "$@"\n', "utf-8")
    command.chmod(0o755)
    paths = {"RUNNER_TEMP": place, "GITHUB_STEP_SUMMARY": place / "s", "GITHUB_OUTPUT": place / "o"}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=book,
        env=environment(
            PATH=f"{command.parent}:{os.environ['PATH']}",
            **asked,
            **{name: str(path) for name, path in paths.items()},
        ),
        capture_output=True,
        text=True,
    )


def test_the_action_reports_the_effect_of_a_change(book: Path) -> None:
    done = run(book, "HEAD")
    assert done.returncode == 0, done.stderr
    summary = (book.parent / "s").read_text("utf-8")
    assert "Seeds" in summary or "seeds" in summary
    report = (book.parent / "o").read_text("utf-8").strip().removeprefix("report=")
    assert Path(report).read_text("utf-8") == summary


def test_the_action_fails_for_an_unknown_revision(book: Path) -> None:
    assert run(book, "no-such-revision").returncode != 0
    assert not (book.parent / "s").exists()


def test_container_and_image_install_this_repository() -> None:
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    assert "pip install --editable ." in container["postCreateCommand"]
    lines = (ROOT / "Dockerfile").read_text("utf-8").splitlines()
    needed = {"setup.py", "pyproject.toml", "README.md", "LICENSE", "generator", "data", "docs"}
    ignored = set((ROOT / ".dockerignore").read_text("utf-8").split())
    assert "COPY . /source" in lines
    assert not needed & ignored
    python = re.search(r"python:3\.(\d+)", lines[1])
    assert python is not None
    assert int(python[1]) >= 11


def test_the_hook_runs_the_installed_program(book: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    words = hook["entry"].split()
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=book, env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
