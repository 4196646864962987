"""A plan is computed again after an edit of a catalogue row that it reads, and after no other."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scalesheet import kept
from scalesheet.examine import Examined, examined_files
from scalesheet.kept import Item, Reads
from scalesheet.load.folder import files_of
from scalesheet.predict.score import IN_CASES
from scalesheet.reach import BY_ROW
from scalesheet.render.api import as_json, plan_json
from shipped import DATA

#: Plans that look up rows, show their titles, choose the best of them, and are audited.
PLANS = ("calculator", "pixelis", "support-model", "vlm-finetune")
FOLDERS = {"offers": "rates", "models": "models", "hardware": "hardware"}

Edit = Callable[[str], str]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that has the shipped book."""
    where = tmp_path_factory.mktemp("kept")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(kept.VARIABLE, str(where))
        kept._folder.cache_clear()
        computed(DATA)
    kept._folder.cache_clear()
    return where


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: Path) -> Iterator[Path]:
    """A copy of the shipped book, which is in the cache."""
    monkeypatch.setenv(kept.VARIABLE, str(shared))
    kept._folder.cache_clear()
    yield Path(shutil.copytree(DATA, tmp_path / "data"))
    kept._folder.cache_clear()


def computed(data: Path) -> Examined:
    files = files_of(data, "data/")
    assert files is not None
    return examined_files(files, plans=PLANS, scores=False)


def described(examined: Examined) -> str:
    """The plans with their audits, and what is wrong."""
    edition = examined.edition
    assert edition is not None, examined.diagnostics
    plans: list[Any] = [
        as_json(plan_json(edition.book, edition.book.plans[p], edition.results[p])) for p in PLANS
    ]
    return json.dumps(plans) + repr((dict(edition.audits), examined.diagnostics))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The items that are computed, by plan; empty for the catalogue."""
    names: list[str] = []
    write = kept._write

    def noted(folder: Path, name: str, item: Item, root: str) -> bool:
        names.extend([] if isinstance(item.head, list) else [item.head.plan])
        return write(folder, name, item, root)

    monkeypatch.setattr(kept, "_write", noted)
    return names


def read(monkeypatch: pytest.MonkeyPatch) -> Reads:
    """What the plans read, computed anew."""
    reads: Reads = set()
    after = kept.name_after

    def noted(name: str, own: Reads, parts: Any) -> str:
        reads.update(own)
        return after(name, own, parts)

    with monkeypatch.context() as patch:
        patch.setenv(kept.VARIABLE, "")
        patch.setattr("scalesheet.kept_plan.name_after", noted)
        kept._folder.cache_clear()
        computed(DATA)
    kept._folder.cache_clear()
    return reads


def edited(path: Path, edit: Edit) -> str:
    before = path.read_text("utf-8")
    path.write_text(edit(before), "utf-8")
    assert path.read_text("utf-8") != before
    return before


def titled(text: str) -> str:
    return re.sub(r"^title: ([^\"'\n]*)$", r"title: \1 X", text, count=1, flags=re.MULTILINE)


def dearer(text: str) -> str:
    """With other prices, unless they are stated twice, for each accelerator too."""
    if "each:" in text:
        return titled(text)
    return re.sub(r"price: ([0-9.]+)", lambda m: f"price: {float(m[1]) * 1.01:.4f}", text)


def test_edits_of_rows_that_no_plan_reads_change_no_plan(
    data: Path, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hundreds of titles and prices at once; whatever the plans do read would show."""
    reads = read(monkeypatch)
    rows = {(table, row) for kind, table, row in reads if kind != "column"}
    columns = {(table, column) for kind, table, column in reads if kind == "column"}
    assert ("offers", "price") not in columns, "the cheapest of some offers depends on those"
    changed = 0
    for table, folder in FOLDERS.items():
        for path in sorted((data / folder).glob("*.yaml")):
            before = path.read_text("utf-8")
            after = dearer(before) if table == "offers" else titled(before)
            if (table, path.stem) not in rows and after != before:
                path.write_text(after, "utf-8")
                changed += 1
    assert changed > 200
    found = described(computed(data))
    assert made == [""], "only the catalogue was computed"
    monkeypatch.setenv(kept.VARIABLE, "")
    kept._folder.cache_clear()
    assert found == described(computed(data))


@pytest.mark.parametrize(
    ("place", "edit", "plans"),
    [
        ("rates/runpod-secure-a100-sxm.yaml", dearer, ["pixelis", "support-model", "vlm-finetune"]),
        ("rates/runpod-secure-a100-sxm.yaml", titled, ["pixelis"]),  # which shows it
        ("models/llama-3-1-8b.yaml", lambda text: text + "# a remark\n", []),
    ],
)
def test_an_edit_of_a_row_that_is_read_changes_the_plan(
    data: Path, made: list[str], place: str, edit: Edit, plans: list[str]
) -> None:
    """A plan that only computes with a row depends on the row's values, not on its words."""
    before = described(computed(data))
    assert made == []
    text = edited(data / place, edit)
    after = described(computed(data))
    assert made == ["", *plans]
    assert (after != before) == bool(plans)
    made.clear()
    (data / place).write_text(text, "utf-8")
    assert described(computed(data)) == before
    assert made == [], "what it once was is found again"


def test_scores_know_all_tables_whose_rows_have_files() -> None:
    """What was scored is found again after an edit of a row that no case has."""
    assert {*BY_ROW.values()} <= {*IN_CASES}
