"""The small book gives the outputs on record. `make golden` compares those of the shipped book."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden.outputs import differences, record, recorded, small_book


def test_the_outputs_of_the_small_book_are_those_on_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCALESHEET_CACHE", str(tmp_path / "cache"))
    moved = differences(record("small", small_book(tmp_path)), recorded("small/"))
    advice = "make golden shows the differences; make golden-update records them"
    assert not moved, "\n".join([*moved, advice])


def test_a_moved_a_new_and_a_missing_output_are_named() -> None:
    found = record("a", [("same", "x"), ("moved", "x"), ("new", "x")])
    expected = record("a", [("same", "x"), ("moved", "y"), ("gone", "x")])
    assert differences(found, expected) == ["gone: a/gone", "differs: a/moved", "new: a/new"]
