"""A book that extends another by path, and the lock of that other book."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from own import begun
from scalesheet.cli import main
from scalesheet.diagnostics import Diagnostic
from scalesheet.examine import compile_book, diagnose
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
