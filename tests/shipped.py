"""The shipped book: examined once per process, built once for all tests of a run."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from contextlib import nullcontext
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from project import ROOT, command, environment
from scalesheet.book import Book
from scalesheet.examine import Examined, examine

DATA = ROOT / "data"


@cache
def shipped(plans: tuple[str, ...] | None = None) -> Examined:
    """The whole book, or the catalogue with only these plans.

    One worker at a time reads it, and the others reuse the cache.
    """
    kept = os.environ.get("SCALESHEET_CACHE")
    with Path(kept, "reading").open("w") if kept else nullcontext() as lock:
        if lock is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)
        return examine(DATA, plans=plans)


def examined_once(data: Path, as_of: date | None = None, **options: Any) -> Examined:
    """Like `examine`, but reuse the shipped book once this process has read it."""
    stated = {name for name, value in options.items() if value is not None}
    if data.resolve() != DATA or as_of is not None or stated - {"plans"}:
        return examine(data, as_of, **options)
    plans = options.get("plans")
    return shipped() if plans is None else shipped(tuple(plans))


def shipped_book() -> Book:
    """The shipped book, which is valid."""
    examined = shipped()
    assert examined.book is not None, examined.diagnostics
    return examined.book


#: The data that predictions need, with the rows in the examples of their component.
PREDICTING = (
    *("hardware", "formulas", "fits", "components/training-run.yaml"),
    *("components/step-memory.yaml", "tables/blocks.yaml", "tables/assumptions.yaml"),
    "tables/formats.yaml",
    "tables/priors.yaml",
    *("models/llama-3-1-8b.yaml", "models/llama-3-1-70b.yaml"),
    *("rates/digitalocean-8x-mi300x.yaml", "providers/digitalocean.yaml"),
)


def part(folder: Path, *names: str) -> Path:
    """A book of some folders and files of the shipped data, which is faster to read."""
    for name in ("book.yaml", "sources.yaml", "units.yaml", *names):
        place = folder / "data" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (DATA / name).is_dir() else shutil.copy)(DATA / name, place)
    return folder / "data"


def checkout(folder: Path, *, code: bool = False) -> Path:
    """A copy of the project's files that a build reads, without generated ones.

    With `code`, it has everything that a wheel is made from.
    """
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", *(() if code else ("book",)))
    for name in ("data", "docs", "generator" if code else "generator/scalesheet/examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for path in ROOT.iterdir():
        if path.is_file() and path.name[0] != ".":
            shutil.copy(path, folder)
    return folder


def language() -> str:
    """A locale with other numbers or letter case than English, if this machine has one."""
    known = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout
    others = [name for name in known.split() if name.startswith(("de_DE.", "tr_TR."))]
    return others[-1] if others else "C.UTF-8"


def built(folder: Path) -> Path:
    """A checkout below `folder` with the output of `scalesheet build`.

    The first caller builds; others wait for it, in any process, and fail with its message if it
    fails. The output of `make site` is copied, and rebuilt unless it is up to date.
    """
    project, failed = folder / "checkout", folder / "failed"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert not failed.exists(), failed.read_text()
        if not project.exists():
            made = checkout(folder / "made")
            if (ROOT / "build" / ".stamp.json").is_file() and (ROOT / "docs" / "book").is_dir():
                shutil.copytree(ROOT / "build", made / "build")
                shutil.copytree(ROOT / "docs" / "book", made / "docs" / "book")
            environ = environment(PYTHONHASHSEED="0", TZ="Pacific/Kiritimati")
            run = subprocess.run(
                command("build"), cwd=made, env=environ, check=False, capture_output=True, text=True
            )
            if run.returncode:
                failed.write_text(f"`scalesheet build` failed here:\n{run.stderr[-3000:]}")
                raise AssertionError(failed.read_text())
            made.rename(project)
    return project
