"""The other documents are correct: commands print what is shown, samples compile, links work."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from scalesheet.check import check
from scalesheet.cli import main
from scalesheet.diagnostics import errors
from scalesheet.load import Document, load, parse
from scalesheet.resolve.book import resolve
from small import lay

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")

#: The errors that the README makes to show the output of `check`.
MISTAKES = {
    "value: rtx4090\n    title: Local accelerator": "value: rtx4900\n    title: Local",
    "formula: steps / steps_per_hour, show": "formula: steps * steps_per_hour, show",
}


def fenced(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def shape(line: str) -> str:
    """A line without its figures, which change with each edition, and without column widths."""
    return re.sub(r"\s+", " ", re.sub(r"\b[0-9a-f]{8}\b|[0-9][0-9,.]*", "#", line)).strip()


def plan_errors(data: dict[str, Any]) -> list[str]:
    """The errors in a plan that uses the book's catalogue."""
    documents, _ = load(ROOT / "data")
    documents = [d for d in documents if d.kind not in ("plan", "page")]
    documents.append(Document("plan", "sample", "sample.yaml", data))
    found = check(documents)
    return [str(d) for d in errors(found or resolve(documents)[1])]


def mistaken(folder: Path) -> None:
    """The book with the README's errors."""
    data = shutil.copytree(ROOT / "data", folder / "data")
    plan = data / "plans/qwen2-finance/plan.yaml"
    text = plan.read_text("utf-8")
    for right, wrong in MISTAKES.items():
        assert text.count(right) == 1
        text = text.replace(right, wrong)
    plan.write_text(text, "utf-8")


def namesakes(folder: Path) -> None:
    """Small plans named like the shipped ones: a build prints the same lines, only faster."""
    plans = lay(folder, {}) / "plans"
    for plan in (ROOT / "data" / "plans").iterdir():
        shutil.copytree(plans / "small", plans / plan.name)
    shutil.rmtree(plans / "small")


#: The book that a command needs in its folder; others run in the project's folder.
BOOKS = {"check": mistaken, "build": namesakes}


@pytest.mark.parametrize("block", fenced(README, "console"), ids=lambda b: b.splitlines()[0])
def test_a_command_prints_what_the_readme_shows(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command, *shown = block.splitlines()
    program, *arguments = command.removeprefix("$ ").split()
    assert program == "scalesheet"
    monkeypatch.chdir(tmp_path if arguments[0] in BOOKS else ROOT)
    BOOKS.get(arguments[0], lambda folder: None)(tmp_path)
    main(arguments)
    printed = capsys.readouterr()
    lines = [shape(line) for line in (printed.out + printed.err).splitlines()]
    if shown[-1] == "...":
        shown.pop()
        lines = lines[: len(shown)]
    assert lines == [shape(line) for line in shown]


def test_the_readmes_plan_compiles() -> None:
    (text,) = fenced(README, "yaml")
    assert plan_errors(parse(text.encode(), "README.md").data) == []


def test_the_plan_on_the_home_page_compiles() -> None:
    (text,) = fenced((ROOT / "docs/index.md").read_text("utf-8"), "yaml")
    data = parse(text.encode(), "index.md").data
    assert plan_errors({"title": "A plan", "summary": "Of the home page."} | data) == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_between_documents_work(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    for target, anchor in re.findall(r"\[[^\]]*\]\(([^)#]+)(?:#([^)]*))?\)", text):
        if "://" in target or target.startswith("docs/assets/readme-"):
            continue
        assert (ROOT / target).exists(), target
        headings = re.findall(r"^#+ (.+)$", (ROOT / target).read_text("utf-8"), re.MULTILINE)
        assert not anchor or anchor in [h.lower().replace(" ", "-") for h in headings], anchor


def test_the_layout_in_the_readme_exists() -> None:
    section = README.split("\n## Layout\n")[1].split("\n## ")[0]
    places = re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)
    assert places
    assert [place for place in places if not (ROOT / place).is_dir()] == []
