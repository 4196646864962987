"""The tutorials as data: files to write, edits to make and commands to run, in page order."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
#: A program of training runs, in a clone.
PROGRAM = (DOCS / "tutorial.md").read_text("utf-8")
#: A book, started in an empty folder.
PAGE = (DOCS / "tutorial-book.md").read_text("utf-8")
#: The tutorial that continues in the same folder.
DOCUMENT = (DOCS / "tutorial-document.md").read_text("utf-8")
_BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Write:
    """A file that the reader writes."""

    place: str
    text: str


@dataclass(frozen=True)
class Edit:
    """Lines to replace in a file, where they occur once.

    Without a place, it is the file with these lines among those that the reader wrote.
    """

    old: str
    new: str
    place: str = ""


@dataclass(frozen=True)
class Run:
    """A command and the output that the page shows. A backslash continues a line."""

    command: str
    shown: tuple[str, ...]


Step = Write | Edit | Run


def steps(page: str = PAGE) -> Iterator[Step]:
    for language, title, text in _BLOCK.findall(page):
        if language == "diff":
            lines = text.splitlines()
            old, new = ([line[1:] for line in lines if line[:1] != sign] for sign in "+-")
            yield Edit("\n".join(old), "\n".join(new), title)
        elif title:
            yield Write(title, text)
        elif language == "console":
            command, *shown = text.replace("\\\n", "").splitlines()
            yield Run(command.removeprefix("$ "), tuple(shown))


def follow(
    folder: Path, scalesheet: Callable[[Run], None], *, fix: bool = True, page: str = PAGE
) -> None:
    """Follow a page in a folder; without `fix`, stop before the edit that fixes its error."""
    written: list[Path] = []
    for step in steps(page):
        if isinstance(step, Write):
            (folder / step.place).write_text(step.text, "utf-8")
            written.append(folder / step.place)
        elif isinstance(step, Edit):
            if not fix:
                return
            files = [folder / step.place] if step.place else written
            (file,) = (f for f in files if f"{step.old}\n" in f.read_text("utf-8"))
            text = file.read_text("utf-8")
            assert text.count(f"{step.old}\n") == 1, step.old
            file.write_text(text.replace(step.old, step.new), "utf-8")
        elif step.command.startswith("scalesheet "):
            scalesheet(step)
        else:
            subprocess.run(step.command, shell=True, check=True, cwd=folder)
