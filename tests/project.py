"""A complete small project for tests: the minimal book with a site of a few pages."""

from __future__ import annotations

import gc
import hashlib
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from scalesheet.load import parse
from small import lay

T = TypeVar("T")
ROOT = Path(__file__).parents[1]
#: Set by the weekly workflow, which draws all random cases and builds the shipped book twice.
THOROUGH = bool(os.environ.get("SCALESHEET_THOROUGH"))


def draws(most: int) -> int:
    """The number of random cases that a test draws: a third of those in the weekly workflow."""
    return most if THOROUGH else most // 3


CONFIG = """\
site_name: Small
docs_dir: docs
use_directory_urls: false
strict: true
nav: [index.md, {Plans: [book/plans/index.md]}]
not_in_nav: /book/
theme: {name: material, font: false}
extra: {generator: false}
plugins: [search]
markdown_extensions: [attr_list, md_in_html, tables: {use_align_attribute: true}]
"""


def project(folder: Path, files: Mapping[str, str] | None = None) -> Path:
    """Write a folder with data/, docs/ and mkdocs.yml; return the data folder."""
    data = lay(folder, files or {})
    (folder / "docs").mkdir(exist_ok=True)
    (folder / "docs" / "index.md").write_text("# Small\n\nA page written by hand.\n", "utf-8")
    (folder / "mkdocs.yml").write_text(CONFIG, "utf-8")
    return data


def edit(file: Path, old: str, new: str) -> None:
    """Replace a text that must be in the file."""
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def timed(call: Callable[..., T], *given: object) -> tuple[float, T]:
    """The CPU time of a call, and its result.

    The garbage collector ignores existing objects meanwhile, since scanning them is slow.
    """
    gc.collect()
    gc.freeze()
    start = time.process_time()
    came = call(*given)
    took = time.process_time() - start
    gc.unfreeze()
    return took, came


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping in a file that the strict reader accepts."""
    parsed = parse(path.read_bytes(), path.name)
    assert parsed.diagnostics == ()
    assert isinstance(parsed.data, dict)
    return parsed.data


def contents(folder: Path) -> dict[str, str]:
    """The digest of every file below a folder, by path."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def remains(folder: Path) -> list[str]:
    """The files that a killed build left below a folder."""
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob(".*")
        if path.name != ".stamp.json"
    )


def command(*arguments: str) -> list[str]:
    """The command line of the program, as a user starts it."""
    return [sys.executable, "-m", "scalesheet", *arguments]


#: The program without the reference on its sites, which has more than a hundred pages that do not
#: depend on data.
FEW_PAGES = """\
import sys
from scalesheet.cli import main
from scalesheet.render import reference

reference.write_reference = lambda *_: None
sys.exit(main())
"""


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "generator"), **more}
