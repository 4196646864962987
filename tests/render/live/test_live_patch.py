"""Changes on a page can be copied as YAML; in the plan's file they give the page's figures."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from render.live.parts import with_plan
from runs import RUN, UNITS
from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.edits import read_edit
from scalesheet.examine import examine
from scalesheet.load import load
from scalesheet.model import Key, Stated
from scalesheet.values import Results
from shipped import shipped_book
from small import plan

DATA = Path(__file__).parents[3] / "data"
Run = Callable[..., Any]
#: Numbers, ranges, one number for a range, both sides of a scenario, choices, cells, phases.
CHANGES = {
    "qwen2-finance": [
        "batch_size=16",
        "steps_per_hour.corrected=1700..2100.5",
        "stated_throughput=222",
        "steps_per_hour.written=1700",
        "evaluation_time.corrected=8",
        "gpu=h100-pcie",
        "offer=vast-rtx4090",
        "pretraining.general[openwebtext-25k].steps=30000",
    ],
    "pixelis": [
        "budgets_from.corrected=planning budgets",
        "svd.card=rtx4090",
        "svd.steps=100..300",
        "memory[lora].checkpointing=no",
        "accelerators[rtx4090].role=training",
        "phases[svd].gpus=3",
        "phases[svd].overhead=0.25",
    ],
}
TEXT = """
  (() => {
    const plan = scalesheet.plans[%s], { change } = scalesheet.inputs;
    let changes = new Map();
    for (const text of %s) {
      const at = text.lastIndexOf("=");
      changes = change(plan, changes, text.slice(0, at), text.slice(at + 1));
    }
    return [scalesheet.patch.yaml(plan, changes), scalesheet.patch.command(plan, changes)];
  })()
"""


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped_book()


def copied(run_node: Run, book: Book, name: str, edits: list[str]) -> tuple[str, str]:
    scripts = with_plan(book.plans[name], book, "numbers", "inputs", "patch")
    text, command = run_node(scripts, TEXT % (json.dumps(name), json.dumps(edits)))
    return text, command


def merged(old: Any, new: Any) -> Any:
    """The content of a file with new values merged into it."""
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return new
    return {**old, **{key: merged(old.get(key), value) for key, value in new.items()}}


def same(ours: Results, other: Results) -> list[str]:
    found = [name for name in ours.scalars if ours.scalars[name] != other.scalars[name]]
    for table, columns in ours.tables.items():
        for column, series in columns.items():
            if list(series) != list(other.tables[table][column]):
                found.append(f"{table}/{column}")
    return found


def test_copied_yaml_in_the_plans_file_gives_the_pages_figures(
    book: Book, run_node: Run, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    shutil.copytree(DATA, data, ignore=shutil.ignore_patterns("runs", "score.yaml"))
    read = {Path(each.path): each.data for each in load(data)[0]}
    for name, edits in CHANGES.items():
        file = data / "plans" / name / "plan.yaml"
        entries = yaml.safe_load(copied(run_node, book, name, edits)[0])
        file.write_text(json.dumps(merged(read[file], entries)), "utf-8")
    other = examine(data, plans=CHANGES).book  # claims and checks on the old figures rightly fail
    assert other is not None
    for name, edits in CHANGES.items():
        changed = dict(read_edit(book, book.plans[name], edit) for edit in edits)
        for word in book.plans[name].scenarios:
            under = {**changed, Key("scenario"): Stated(word)}
            built = evaluate(other, other.plans[name], {Key("scenario"): Stated(word)})
            assert same(evaluate(book, book.plans[name], under), built) == []


def test_a_picked_record_replaces_its_rule(run_node: Run, tmp_path: Path) -> None:
    text = "scalars:\n  run: {ref: measurements, rule: {model: tiny}, runs: {gpus: run.gpus}}\n"
    records = {"measurements/new.yaml": RUN, "measurements/old.yaml": RUN.replace("11-20", "10-20")}
    examined = plan(tmp_path, text, {**records, "units.yaml": UNITS})
    assert examined.book is not None
    said, _ = copied(run_node, examined.book, "small", ["run=old"])
    assert said.endswith("scalars:\n  run:\n    value: old  # in place of its rule\n")


def test_changes_that_a_plan_cannot_hold_are_in_a_comment_and_the_command(
    book: Book, run_node: Run
) -> None:
    edits = ["scenario=written", "hardware[rtx4090].power=300", "lora_rank=8"]
    text, command = copied(run_node, book, "qwen2-finance", edits)
    assert yaml.safe_load(text) == {"scalars": {"lora_rank": {"value": 8}}}
    assert "# Not in this file: scenario=written\n" in text
    assert command == (
        "scalesheet show qwen2-finance \\\n  --set 'scenario=written' \\\n"
        "  --set 'hardware[rtx4090].power=300' \\\n  --set 'lora_rank=8'"
    )
