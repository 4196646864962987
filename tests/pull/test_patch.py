"""Changes to YAML are exact and leave everything around them unchanged."""

from __future__ import annotations

from difflib import ndiff
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from project import draws
from scalesheet.load.reader import parse
from scalesheet.source.patch import Append, Change, Drop, PatchError, Rename, Set, Swap, patched
from scalesheet.source.spelling import number_text

ROOT = Path(__file__).parents[2] / "data"
FILES = ("plans/qwen2-finance/plan.yaml", "hardware/h100-sxm.yaml", "tables/loads.yaml")
TEXTS = [path.read_text("utf-8") for name in FILES if (path := ROOT / name).is_file()]


def paths(data: Any, steps: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    found = [(steps, data)] if steps else []
    items = data.items() if isinstance(data, dict) else ()
    items = enumerate(data) if isinstance(data, list) else items
    for key, value in items:
        found += paths(value, (*steps, key))
    return found


PLACES = [(text, paths(parse(text.encode(), "").data)) for text in TEXTS]
VALUES = st.one_of(
    # a stated number is 0, or between 1e-100 and 1e100 in magnitude
    st.floats(-1e100, 1e100).filter(lambda x: x == 0 or abs(x) >= 1e-100),
    st.integers(-(10**9), 10**9),
    st.sampled_from(["yes", "no", "12", "a: b", "# no", "it's", 'say "so"', "a, b", "", "- x"]),
    st.text("abc xyz:#,[]{}'\"&*!|>%@`-\n", max_size=30),
)


def change_at(steps: tuple[Any, ...], old: Any, value: Any) -> Change | None:
    if isinstance(old, dict):
        return Set((*steps, "new_key"), value, next(iter(old), None))
    if isinstance(old, list):
        return Append(steps, value) if old else None
    return Set(steps, value)


@settings(max_examples=draws(60))
@given(st.data())
def test_only_the_lines_of_a_change_change(data: st.DataObject) -> None:
    text, places = data.draw(st.sampled_from(PLACES))
    chosen = data.draw(st.lists(st.sampled_from(places), min_size=1, max_size=4))
    changes, taken = [], set[Any]()
    for steps, old in chosen:
        if any(steps[: len(t)] == t or t[: len(steps)] == steps for t in taken):
            continue
        taken.add(steps)
        change = change_at(steps, old, data.draw(VALUES))
        changes += [change] if change else []
    new = patched(text, changes)  # it checks by itself that the new text parses as intended
    gone = [line for line in ndiff(text.splitlines(), new.splitlines()) if line[0] == "-"]
    # plus the line of the key for a text on several lines
    lines = sum(str(old).count("\n") + len(str(old)) // 60 + 2 for _, old in chosen)
    assert len(gone) <= lines
    comments = [line for line in text.splitlines() if line.lstrip().startswith("#")]
    assert [line for line in new.splitlines() if line in comments] == comments


CASES = [
    ("a: 1  # why\nb: 2\n", Set(("a",), 3.5), "a: 3.5  # why\nb: 2\n"),
    ("a: 1_000\n", Set(("a",), 25000.0), "a: 25_000\n"),
    ("a: 2026-03-31\n", Set(("a",), 46113.0), "a: 2026-04-01\n"),
    ("a: 2026-03-31\n", Set(("a",), 46113), "a: 2026-04-01\n"),
    ("a: 2026-03-31\n", Set(("a",), 0.0), "a: 0\n"),
    ("a: 7e9\n", Set(("a",), 8e9), "a: 8e9\n"),
    ("a: {b: 1}", Set(("a", "c"), "x: y"), 'a: {b: 1, c: "x: y"}'),
    ("a: {b: {c: 1}, d: 2}\n", Drop(("a", "b")), "a: {d: 2}\n"),
    ("a:\n  b: 1 # b\n  c: 2\n# end\n", Drop(("a", "b")), "a:\n  c: 2\n# end\n"),
    ("a:\r\n  b: 1\r\nc: 2\r\n", Set(("a", "d"), 3), "a:\r\n  b: 1\r\n  d: 3\r\nc: 2\r\n"),
    ("a:\n  b: 1", Set(("a", "c"), {"d": 1}), "a:\n  b: 1\n  c: {d: 1}"),
    ("a: {value: 1, low: 0}\n", Swap(("a", "value"), "reason", "no"), "a: {reason: no, low: 0}\n"),
    (
        "a:\n  b: 1\n  rule:  # why\n    c: 2\n    d: 3\n  e: 4\n",
        Swap(("a", "rule"), "value", "x"),
        "a:\n  b: 1\n  value: x\n  e: 4\n",
    ),
    ("a:\n- {b: 1}  # 1\nc: 2\n", Append(("a",), {"b": 2}), "a:\n- {b: 1}  # 1\n- {b: 2}\nc: 2\n"),
    ("a:\n  - b: 1\n    c: 2\n", Append(("a",), {"b": 3}), "a:\n  - b: 1\n    c: 2\n  - b: 3\n"),
    ("a: >-\n  long\n  text\nb: 1\n", Set(("a",), "short"), "a: >-\n  short\nb: 1\n"),
    ("a: 'it'\n", Set(("a",), "it's"), "a: 'it''s'\n"),
    ("é: {b: 1}\nc: 2\n", Set(("c",), 3), "é: {b: 1}\nc: 3\n"),
]


@pytest.mark.parametrize(("text", "change", "wanted"), CASES)
def test_a_change_is_written_in_the_style_of_its_neighbors(
    text: str, change: Change, wanted: str
) -> None:
    assert patched(text, [change]) == wanted


def test_neighboring_entries_can_be_dropped_together() -> None:
    text = "a: {b: 1, c: 2, d: 3}\n"
    assert patched(text, [Drop(("a", "c")), Drop(("a", "d"))]) == "a: {b: 1}\n"
    assert patched(text, [Drop(("a", "b")), Drop(("a", "c"))]) == "a: {d: 3}\n"
    assert patched(text, [Drop(("a", "b")), Drop(("a", "d"))]) == "a: {c: 2}\n"
    with pytest.raises(PatchError, match="nothing would remain"):
        patched(text, [Drop(("a", key)) for key in "bcd"])


def test_renaming_a_key_keeps_everything_below_it() -> None:
    changes = [Rename(("a", "b"), "x"), Set(("a", "b", "c"), 2), Set(("a", "d"), 5)]
    text = "a:\n  b: {c: 1}  # why\n  d: 3\n"
    assert patched(text, changes) == "a:\n  x: {c: 2}  # why\n  d: 5\n"
    with pytest.raises(PatchError, match="'d' is already there"):
        patched(text, [Rename(("a", "b"), "d")])


def test_a_change_that_would_affect_more_is_refused() -> None:
    with pytest.raises(PatchError, match="is the only entry there"):
        patched("a:\n  b: 1\n", [Drop(("a", "b"))])
    with pytest.raises(PatchError, match="no mapping"):
        patched("a: 1\n", [Set(("a", "b"), 1)])


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["", "1_000", "1e9"]))
def test_a_written_number_reads_back_exactly(value: float, old: str) -> None:
    assert float(number_text(value, old).replace("_", "")) == value
