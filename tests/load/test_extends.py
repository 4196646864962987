"""A book that extends another by path, and the lock of that other book."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from own import begun
from project import ROOT
from scalesheet.cli import main
from scalesheet.diagnostics import Diagnostic
from scalesheet.examine import compile_book, diagnose
from scalesheet.fingerprint import sources
from scalesheet.load import extended
from scalesheet.schemas import written
from scalesheet.shipped import CATALOGUE
from small import HEAD, lay


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A book that extends the company's book by path."""
    lay(tmp_path / "company", {})
    own = tmp_path / "ours" / "data"
    (own / "plans" / "mine").mkdir(parents=True)
    (own / "book.yaml").write_text(
        "title: Ours\nedition: 2026-11-20\nextends: ../../company/data\n", "utf-8"
    )
    (own / "plans" / "mine" / "page.md").write_text("# Mine\n", "utf-8")
    (own / "plans" / "mine" / "plan.yaml").write_text(
        HEAD + "headline: [memory]\nscalars:\n  gpu: {ref: hardware, value: card}\n"
        "  memory: {unit: GB, formula: gpu.memory}\n",
        "utf-8",
    )
    return own


def codes(found: list[Diagnostic]) -> list[str]:
    return [each.code for each in found if each.severity == "error"]


def lock(data: Path) -> str:
    assert main(["lock", "--data", str(data)]) == 0
    return (data / "book.lock").read_text("utf-8")


def card(data: Path) -> Path:
    return data.parents[1] / "company" / "data" / "hardware" / "card.yaml"


def test_a_path_is_relative_to_the_book(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for here in (book, book.parents[1], Path("/")):
        monkeypatch.chdir(here)
        assert diagnose(book) == []
    assert "card" in compile_book(book).tables["hardware"].rows


def test_a_path_without_a_book_is_reported(book: Path) -> None:
    file = book / "book.yaml"
    file.write_text(file.read_text("utf-8").replace("company", "nobody"), "utf-8")
    assert "there is no book '../../nobody/data' to extend" in diagnose(book)[0].message


def test_a_lock_holds_until_the_extended_book_changes(book: Path) -> None:
    first = lock(book)
    assert diagnose(book) == []
    assert lock(book) == first
    (book / "hardware").mkdir()
    (book / "hardware" / "card.yaml").write_bytes(card(book).read_bytes())  # overrides it
    assert diagnose(book) == []
    card(book).write_text(card(book).read_text("utf-8") + "# read again\n", "utf-8")
    found = [each for each in diagnose(book) if each.code == "Y016"]
    assert [each.path.rsplit("/", 1)[-1] for each in found] == ["book.lock"]
    assert "../../company/data has changed since the book was locked: hardware;" in (
        found[0].message
    )
    assert lock(book) != first
    assert diagnose(book) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("extends: [\n", "this is not what 'scalesheet lock' writes"),
        ("nothing\n", "this is not what 'scalesheet lock' writes"),
        ("extends: scalesheet\nfiles: {}\n", "extended 'scalesheet' when it was locked"),
    ],
)
def test_an_invalid_lock_is_reported(book: Path, text: str, says: str) -> None:
    (book / "book.lock").write_text(text, "utf-8")
    assert [says in each.message for each in diagnose(book) if each.code == "Y016"] == [True]


def test_a_book_that_extends_no_other_has_nothing_to_lock(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = lay(tmp_path / "alone", {})
    assert main(["lock", "--data", str(data)]) == 2
    assert "there is nothing to lock" in capsys.readouterr().err
    assert not (data / "book.lock").exists()


def test_old_prices_are_reported_only_in_the_book_that_states_them(tmp_path: Path) -> None:
    data = begun(tmp_path)
    book = data / "book.yaml"
    book.write_text(re.sub(r"edition: .*", "edition: 2030-01-01", book.read_text("utf-8")), "utf-8")
    assert "O001" not in {each.code for each in diagnose(data)}
    own = data / "rates" / "mine.yaml"
    own.parent.mkdir(exist_ok=True)
    shipped = (CATALOGUE / "rates" / "runpod-secure-h100-sxm.yaml").read_text("utf-8")
    own.write_text(shipped, "utf-8")
    assert [each.path for each in diagnose(data) if each.code == "O001"] == [own.as_posix()]


# ------------------------------------------------------------------ books that extend themselves


def books(folder: Path, extends: dict[str, str]) -> list[Path]:
    """Books side by side, each of which extends what is named for it."""
    for name, base in extends.items():
        lay(folder / name, {"book.yaml": f"title: T\nedition: 2026-11-20\nextends: {base}\n"})
    return [folder / name / "data" for name in extends]


CIRCLES = {
    "itself": ({"a": "."}, "a/data extends a/data"),
    "itself by its path": ({"a": "../../a/data"}, "a/data extends a/data"),
    "each other": ({"a": "../../b", "b": "../../a"}, "a/data extends b/data extends a/data"),
    "below the book": (
        {"a": "../../b", "b": "../../c", "c": "../../b"},
        "b/data extends c/data extends b/data",
    ),
}


@pytest.mark.parametrize(("extends", "circle"), CIRCLES.values(), ids=CIRCLES)
def test_a_circle_of_books_is_named_where_it_closes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extends: dict[str, str], circle: str
) -> None:
    data, *others = books(tmp_path, extends)
    monkeypatch.chdir(tmp_path)
    (found,) = diagnose(Path("a/data"))
    closes = f"{others[-1].parts[-2]}" if others else "data/book.yaml"
    assert found.path.split(":")[0].endswith(closes)
    assert (found.line, found.column, found.code) == (3, 10, "Y012")
    assert found.message == f"a book cannot extend itself: {circle}; remove one 'extends' of these"
    assert main(["new", "source", "mine", "--title", "Mine", "--data", str(data)]) == 0


def test_a_chain_of_books_is_used_as_a_whole(tmp_path: Path) -> None:
    data, *_, last = books(tmp_path, {"a": "../../b", "b": "../../c", "c": "../../d", "d": "."})
    (last / "book.yaml").write_text("title: T\nedition: 2026-11-20\n", "utf-8")
    assert diagnose(data) == []
    assert main(["new", "source", "mine", "--title", "Mine", "--data", str(data)]) == 0
    read = {path.resolve() for path in sources(data, tmp_path, "generated").values()}
    for card in tmp_path.glob("*/data/hardware/card.yaml"):
        assert card in read  # a build notices if one of them changes


def test_more_books_than_allowed_are_an_error(tmp_path: Path) -> None:
    names = "abcdefgh"
    data, *_ = books(tmp_path, {each: f"../../{chr(ord(each) + 1)}" for each in names})
    assert [each.message for each in diagnose(data)] == [
        "expected at most 5 books below a book, found more; merge some"
    ]


# ------------------------------------------------------------------ nothing is imported

PACKAGE = """\
from pathlib import Path
Path({marker!r}).write_text("executed")
"""


@pytest.mark.parametrize("name", ["evil.x", "evil", "evil-x", "Evil", "../evil", "a.b.c", "evil:x"])
def test_no_package_is_imported_to_find_a_book(tmp_path: Path, name: str) -> None:
    """With -m, the working folder is on Python's path."""
    marker = tmp_path / "executed"
    (data,) = books(tmp_path, {"ours": name})
    for package in ("evil", "evil/x", "evil_x", "a", "a/b", "a/b/c"):
        init = data.parent / package / "__init__.py"
        init.parent.mkdir()
        init.write_text(PACKAGE.format(marker=str(marker)), "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "generator")}
    for command, status in (("check", 1), ("lock", 2)):
        done = subprocess.run(
            [sys.executable, "-m", "scalesheet", command],
            cwd=data.parent,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
        assert "Traceback" not in done.stderr
    assert not marker.exists()


def test_a_name_that_the_schema_refuses_is_one_error(tmp_path: Path) -> None:
    for name in ("evil.x", "Evil", "/etc", "a_b", "../a b"):
        (data,) = books(tmp_path, {"ours": name})
        (found,) = diagnose(data)
        assert found.code != "Y012", name


def test_the_name_of_a_book_has_one_pattern() -> None:
    assert written("book")["properties"]["extends"]["pattern"] == f"^({extended.NAME.pattern})$"


def test_the_book_of_an_installed_package_is_found_without_importing_it(
    book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "installed" / "company_book"
    shutil.move(tmp_path / "company", package)
    (package / "__init__.py").write_text("raise RuntimeError\n", "utf-8")
    file = book / "book.yaml"
    file.write_text(file.read_text("utf-8").replace("../../company/data", "company-book"), "utf-8")
    assert [each.code for each in diagnose(book)] == ["Y012"]
    monkeypatch.syspath_prepend(str(package.parent))
    assert diagnose(book) == []
