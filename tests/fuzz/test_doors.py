"""Files from elsewhere: whatever they hold, a door reads them or says what is wrong with them, and
`check` accepts what it writes. SCALESHEET_FUZZ sets how many are tried, as for `test_fuzz`.
"""

from __future__ import annotations

import random
import shutil
import sys
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from actuals.test_actuals import PLAN
from fuzz import hostile
from fuzz.mutations import TEXTS
from fuzz.test_fuzz import CASES, SEED, run
from project import contents, project
from small import plan

Random = random.Random
#: The share of each door among all cases. Those of books on top of the catalogue take seconds.
SHARES = {"actuals": 0.1, "new": 0.1, "pull": 0.1, "predict": 0.06, "extends": 0.04, "law": 0.03}

#: Puts a hostile file into a book's folder, and returns the command that reads it.
Door = Callable[[Random, Path], list[str]]


def _put(here: Path, named: tuple[str, bytes]) -> str:
    name, content = named
    path = here / "given" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return str(path)


def _actuals(rng: Random, here: Path) -> list[str]:
    files = [_put(here, hostile.log(rng)) for _ in range(rng.choice((1, 1, 2)))]
    options = [] if rng.random() < 0.3 else ["--fill", f"gpus={rng.choice(('8', '8', '-1', 'x'))}"]
    if rng.random() < 0.1:
        options += ["--map", f"{rng.choice(('name', 'gpu_hours', 'start'))}={hostile.word(rng)}"]
    return ["actuals", "small", *options, *files]


def _law(rng: Random, here: Path) -> list[str]:
    options = ["--size", "7B", "--tokens", "140B"] if rng.random() < 0.5 else []
    return ["law", _put(here, hostile.law(rng)), *options, "--write", "mine"]


def _new(rng: Random, here: Path) -> list[str]:
    title = ["--title", rng.choice(TEXTS)] if rng.random() < 0.2 else []
    return ["new", "model", "mine", "--from", _put(here, hostile.config(rng)), *title]


def _predict(rng: Random, here: Path) -> list[str]:
    task = rng.choice(("runs", "throughput", "memory", "loss"))
    if rng.random() < 0.3:
        config = _put(here, hostile.config(rng))
        return ["predict", task, "--set", f"model={config}", "--set", "hardware=h100-sxm"]
    file = _put(here, hostile.cases(rng))
    if rng.random() < 0.2:
        sys.stdin = TextIOWrapper(BytesIO(Path(file).read_bytes()))
        file = "-"
    return ["predict", task, file, "--format", rng.choice(("csv", "json", "text"))]


def _pull(rng: Random, here: Path) -> list[str]:
    shipped = (here / "build" / "workbooks" / "small.xlsx").read_bytes()
    file = hostile.broken(rng, "small.xlsx", hostile.workbook(rng, shipped))
    return ["pull", _put(here, file)]


def _extends(rng: Random, here: Path) -> list[str]:
    """A book that extends anything. It is refused or not; if it is, so it was made here."""
    name = rng.choice((*hostile.EXTENDS, *TEXTS))
    (here / "evil").mkdir()
    (here / "evil" / "__init__.py").write_text("raise SystemExit('imported')", "utf-8")
    if rng.random() < 0.5:
        return ["init", "--title", name, str(here / "new" / "book")]
    book = here / "data" / "book.yaml"
    book.write_text(f"{book.read_text('utf-8')}extends: {name}\n", "utf-8", "replace")
    return ["check"]


DOORS: dict[str, Door] = {
    "actuals": _actuals,
    "law": _law,
    "new": _new,
    "predict": _predict,
    "pull": _pull,
    "extends": _extends,
}


@pytest.fixture(scope="session")
def books(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A plan whose runs can be recorded, with its workbook, and a book on top of the catalogue."""
    small, own = (tmp_path_factory.mktemp(name) for name in ("small", "own"))
    project(small)
    plan(small, PLAN)
    built = run("build", "--no-site", "--data", str(small / "data"), "--out", str(small / "build"))
    assert built[0] == 0, built
    assert run("init", str(own))[0] == 0
    return {
        "law": own,
        "predict": own,
        **dict.fromkeys(("actuals", "new", "pull", "extends"), small),
    }


def tried(door: str, number: int, book: Path, here: Path) -> tuple[str, str]:
    """Try one file. Returns the command, and what is wrong with what it did, or nothing."""
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(book, here)
    before, stdin = contents(here / "data"), sys.stdin
    arguments = DOORS[door](Random(f"{SEED} {door} {number}"), here)
    checked = contents(here / "data") != before  # the case itself is a change
    try:
        data = here / "new" / "book" / "data" if arguments[0] == "init" else here / "data"
        folder = [] if arguments[0] == "init" else ["--data", str(data)]
        status, said = run(*arguments, *folder)
    finally:
        sys.stdin = stdin
    case = f"case {number} of {door}, SCALESHEET_FUZZ_SEED={SEED}: {arguments}"[:1_000]
    if "internal error" in said or "Traceback" in said or status not in (0, 1, 2):
        return case, said[-1_500:]
    if not checked and data.is_dir() and contents(data) != before:
        status, said = run("check", "--data", str(data))
        if status:
            return case, f"wrote what check refuses: {said[-1_500:]}"
    return case, ""


@pytest.mark.parametrize("door", SHARES)
def test_a_door_takes_any_file(door: str, books: dict[str, Path], tmp_path: Path) -> None:
    results = [
        tried(door, number, books[door], tmp_path / "book")
        for number in range(int(CASES * SHARES[door]))
    ]
    wrong = [f"{case}\n{said}" for case, said in results if said]
    assert not wrong, "\n\n".join((f"{len(wrong)} of {len(results)}", *wrong[:3]))
