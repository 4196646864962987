"""A small book for tests: the minimal book of tests/invalid with another plan or other files."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

from scalesheet.examine import Examined, examine

MINIMAL = Path(__file__).parent / "invalid" / "minimal"
HEAD = "title: A plan\nsummary: For a test.\nsource: a-paper\n"


def lay(folder: Path, files: Mapping[str, str]) -> Path:
    """Write the minimal book, then these files over it; return the data folder."""
    data = folder / "data"
    if data.exists():
        shutil.rmtree(data)
    shutil.copytree(MINIMAL, data)
    for place, text in files.items():
        path = data / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return data


def plan(
    folder: Path, text: str, files: Mapping[str, str] | None = None, name: str = "small"
) -> Examined:
    """The minimal book with this plan, examined."""
    page = {f"plans/{name}/page.md": "# A plan\n", f"plans/{name}/plan.yaml": HEAD + dedent(text)}
    return examine(lay(folder, {**page, **(files or {})}))


def scalars(folder: Path, lines: str, rest: str = "") -> Examined:
    """The minimal book with a plan of these scalars, one per line, examined."""
    body = "".join(f"  {line.strip()}\n" for line in lines.strip().splitlines())
    return plan(folder, f"scalars:\n{body}{dedent(rest)}")


def said(examined: Examined) -> list[str]:
    """`CODE message` of each diagnostic."""
    return [f"{d.code} {d.message}" for d in examined.diagnostics]
