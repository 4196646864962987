"""Cached results are found by the content of their input, and by nothing else."""

from __future__ import annotations

import os
import pickle
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import small
from own import begun
from project import contents
from scalesheet import kept
from scalesheet.build import build
from scalesheet.examine import Examined, examine, sound_edition
from scalesheet.kept import Apart, Item, Whole
from scalesheet.render.api import as_json, plan_json
from scalesheet.render.pages import write_pages
from shipped import DATA

PLANS = {
    f"plans/{name}/{file}": text
    for name in ("one", "two")
    for file, text in (
        ("page.md", "# A plan\n"),
        (
            "plan.yaml",
            small.HEAD + "scalars:\n  x: {unit: 1, value: 2}\n  y: {unit: 1, formula: 3 * x}\n",
        ),
    )
}


EXPECTED = "{rows: 9, median: 0.1, p90: 0.2, coverage_least: 0.7, coverage_most: 0.9}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A separate cache folder, in which even small results are kept."""
    where = tmp_path / "kept"
    monkeypatch.setenv(kept.VARIABLE, str(where))
    monkeypatch.setattr(kept, "WORTH", 0.0)
    kept._folder.cache_clear()
    yield where
    kept._folder.cache_clear()


def described(examined: Examined) -> dict[str, Any]:
    """All visible results of an edition."""
    assert examined.edition is not None, examined.diagnostics
    book, edition = examined.edition.book, examined.edition
    return {
        "book": vars_of(book),
        "hash": edition.hash,
        "plans": {
            p: as_json(plan_json(book, book.plans[p], edition.results[p])) for p in book.plans
        },
        "audits": dict(edition.audits),
        "diagnostics": examined.diagnostics,
    }


def vars_of(book: Any) -> dict[str, Any]:
    """The comparable fields of a book."""
    fields = {name: getattr(book, name) for name in book.__slots__ if name != "units"}
    mappings = ("plans", "audits", "audited")
    return fields | {name: dict(fields[name]) for name in mappings} | {"units": book.units.declared}


def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list that records the items computed from now on."""
    names: list[str] = []
    write = kept._write

    def noted(folder: Path, name: str, item: Item, root: str) -> bool:
        if not isinstance(item.head, list):  # what an item read
            names.append(getattr(item.head, "plan", "score") or "catalogue")
        return write(folder, name, item, root)

    monkeypatch.setattr(kept, "_write", noted)
    return names


def test_cached_results_equal_computed_ones(folder: Path, tmp_path: Path) -> None:
    data = small.lay(tmp_path, PLANS)
    assert described(examine(data)) == described(examine(data))
    assert list(folder.iterdir())


#: Edits of one file at a time: a plan, a price, a source, a unit that the plans print.
EDITS = (
    ("plans/two/plan.yaml", "value: 2", "value: 5"),
    ("rates/offer.yaml", "price: 1,", "price: 1.1,"),
    ("sources.yaml", "title: ", "title: Another "),
    ("plans/two/plan.yaml", "value: 5", "value: 2"),
)


def outputs(data: Path, to: Path) -> dict[str, str]:
    """The digests of workbooks, data files and pages of a book."""
    build(data, to / "build", site=False)
    write_pages(sound_edition(data)[0], to / "docs" / "book")
    return contents(to)


def test_a_build_from_the_cache_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    data = small.lay(tmp_path, PLANS)
    for file, old, new in EDITS:
        outputs(data, tmp_path / "before")
        text = (data / file).read_text("utf-8")
        assert old in text, file
        (data / file).write_text(text.replace(old, new, 1), "utf-8")
        shutil.rmtree(tmp_path / "cached", ignore_errors=True)
        cached = outputs(data, tmp_path / "cached")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(kept.VARIABLE, "")
            kept._folder.cache_clear()
            shutil.rmtree(tmp_path / "computed", ignore_errors=True)
            assert outputs(data, tmp_path / "computed") == cached, file
        kept._folder.cache_clear()


def test_the_shipped_book_is_the_same_from_the_cache(folder: Path) -> None:
    """That is the catalogue, the plan that scores need, and an audited plan."""
    plans = ("calculator", "pixelis")
    computed = described(examine(DATA, plans=plans))
    assert described(examine(DATA, plans=plans)) == computed
    assert computed["audits"]


def test_after_an_edit_only_dependent_items_are_computed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = small.lay(tmp_path, PLANS)
    names = made(monkeypatch)
    examine(data)
    assert names == ["catalogue", "one", "small", "two"]
    names.clear()
    plan = data / "plans" / "two" / "plan.yaml"
    before = plan.read_text()
    plan.write_text(before.replace("value: 2", "value: 5"))
    edition = examine(data).edition
    assert edition is not None
    assert edition.results["two"].scalars["y"].value == 15
    assert names == ["two"]
    names.clear()
    plan.write_text(before)
    assert examine(data).results["two"].scalars["y"].value == 6
    assert names == [], "what it was once is found again"
    (data / "units.yaml").write_text((data / "units.yaml").read_text() + "\n# a remark\n")
    examine(data)
    assert names == ["catalogue", "one", "small", "two"]


def test_the_same_files_elsewhere_are_found_and_named_by_their_new_paths(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = PLANS["plans/one/plan.yaml"].replace("3 * x", "3 * x / (x - x)")
    data = small.lay(tmp_path, PLANS | {"plans/one/plan.yaml": text})
    here = examine(data)
    names = made(monkeypatch)
    shutil.copytree(data, tmp_path / "elsewhere")
    there = examine(tmp_path / "elsewhere", label="v1:data/")
    assert names == []
    assert [each.path for each in here.diagnostics] == [f"{data}/plans/one/plan.yaml"]
    assert [each.path for each in there.diagnostics] == ["v1:data/plans/one/plan.yaml"]
    assert there.book is not None
    assert there.book.folder == "v1:data/"
    place = there.book.plans["one"].scalars["x"].position
    assert place is not None
    assert place.path == "v1:data/plans/one/plan.yaml"


@pytest.mark.parametrize("at", [0, 40, -1])
def test_a_damaged_file_is_computed_again(folder: Path, tmp_path: Path, at: int) -> None:
    data = small.lay(tmp_path, PLANS)
    first = described(examine(data))
    for path in folder.iterdir():
        content = bytearray(path.read_bytes())
        content[at] ^= 1
        path.write_bytes(content)
    assert described(examine(data)) == first
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:50])
    assert described(examine(data)) == first


class Gone:
    """A class that another version of the program had."""


def of_other_code() -> bytes:
    try:
        return pickle.dumps((Gone(), {})).replace(b"Gone", b"Lost")
    finally:
        assert "Lost" not in globals()


#: Contents of an item's file behind a digest that matches.
NOT_UNPACKED = {
    "empty": b"",
    "no pickle": b"junk",
    "cut": pickle.dumps(("head", {"part": 1}))[:-3],
    "of another form": pickle.dumps(12),
    "of other code": of_other_code(),
    "of a missing module": b"cno_such_module\nthing\n.",
    "compressed": zlib.compress(pickle.dumps(("head", {})))[:-2],
    "too few values": b"\x80\x05\x85.",
}


@pytest.mark.parametrize("content", NOT_UNPACKED.values(), ids=NOT_UNPACKED)
def test_an_item_that_cannot_be_unpacked_is_computed_again_and_replaced(
    folder: Path, tmp_path: Path, content: bytes
) -> None:
    data = small.lay(tmp_path, PLANS)
    first = described(examine(data))
    files = {path: path.read_bytes() for path in folder.iterdir()}
    for path in files:
        path.write_bytes(kept._digest(path.name, content) + content)
    assert described(examine(data)) == first
    assert {path: path.read_bytes() for path in folder.iterdir()} == files


def test_a_file_is_not_read_under_another_name(folder: Path, tmp_path: Path) -> None:
    data = small.lay(tmp_path, PLANS)
    first = described(examine(data))
    one, *others = sorted(folder.iterdir())
    for path in others:
        shutil.copy(one, path)
    assert described(examine(data)) == first


def test_a_folder_writable_by_others_is_not_used(folder: Path, tmp_path: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    examine(small.lay(tmp_path, PLANS))
    assert not list(folder.iterdir())


def test_without_a_usable_cache_everything_is_computed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = small.lay(tmp_path, PLANS)
    for place in ("", str(data / "book.yaml" / "below")):
        monkeypatch.setenv(kept.VARIABLE, place)
        kept._folder.cache_clear()
        assert examine(data).book is not None


def test_the_least_recently_read_items_are_removed_first(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examine(small.lay(tmp_path, PLANS))
    old = sorted(folder.iterdir())
    for age, path in enumerate(old):
        os.utime(path, (1e9 + age, 1e9 + age))
    size = sum(path.stat().st_size for path in old)
    monkeypatch.setattr(kept, "MOST", size)
    kept.kept("new", lambda: Item("head", {}))
    left = sorted(folder.iterdir())
    assert folder / "new" in left
    gone = [path for path in old if path not in left]
    assert 0 < len(gone) < len(old)
    assert gone == old[: len(gone)]


def test_an_own_book_is_scored_if_it_states_a_score(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[str] = []
    monkeypatch.setattr("scalesheet.predict.score.score", lambda *_: computed.append("") or {})
    data = begun(tmp_path / "own")
    assert examine(data).diagnostics == []
    assert computed == []
    (data / "score.yaml").write_text("loss: " + EXPECTED, "utf-8")
    assert [each.code for each in examine(data).diagnostics] == ["P001"]
    assert computed


def test_a_mapping_apart_is_loaded_where_it_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[object] = []
    unpacked = kept._unpacked

    def noted(content: bytes, root: str) -> object:
        loaded.append(unpacked(content, root))
        return loaded[-1]

    parts = {"each": Apart({"a": 1, "b": [2]}), "whole": Whole({"c": 3, "d": 4})}
    for _ in range(2):  # the second time from the file
        item = kept.kept("apart", lambda: Item("head", {"parts": parts}), always=True)
    read = item["parts"]
    monkeypatch.setattr(kept, "_unpacked", noted)
    assert list(read["each"]) == ["a", "b"]
    assert not loaded
    assert read["each"]["b"] == [2]
    assert loaded == [[2]]
    assert "d" in read["whole"]
    assert loaded == [[2], {"c": 3, "d": 4}]
    assert read == parts
