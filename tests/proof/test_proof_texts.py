"""The proof of texts: plans that print all kinds of figures, in every face and after each edit.

Evaluator = value after a forced recalculation in LibreOffice = JavaScript in Chromium.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from editions import given
from proof import faces
from proof.office import Office
from runs import RUN, UNITS
from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.model import Key, Plan, Stated
from scalesheet.render.script import program, runtime
from scalesheet.render.workbook.write import write_workbook
from small import plan, said

Edits = dict[Key, Stated | float | str | bool]

TEXT = """\
scenarios: [corrected, written]
scalars:
  gpus: {value: 8, unit: GPU, domain: count}
  most: {value: 9, unit: GPU, domain: count}
  long: {value: 5, unit: hour, domain: positive}
  four_bit: {flag: yes, value: yes}
  share: {value: 0.355, unit: 1, domain: fraction}
  need: {value: 20, low: 18, high: 30, unit: GiB, domain: positive}
  limit: {value: 24, unit: GiB, domain: positive}
  gpu: {ref: hardware, value: card}
  model: {text: yes, value: "it's \\"0.5B\\""}
  debt: {value: -2.5, unit: hour, domain: signed, written: {value: 0.25}}
  verdict:
    words: [fits, depends, does not fit]
    formula: "'fits' if need <= limit else 'does not fit'"
    differs: depends
  sure:
    words: [fits, depends]
    formula: "'fits' if need <= limit else reason('needs {need:.0 GiB} of {limit:.0 GiB}')"
    differs: depends
  doubt: {words: [good, bad], formula: "('good' if share > 0.5 else 'bad') if gpus < most
    else reason('{gpus} of {most}')"}
  command: {text: yes, formula: "text('run --n={gpus} {model}', ' --4bit' if four_bit else '',
    ' {{{share:.0 %}}}')"}
  told: {text: yes, formula: "text('{gpu}: {verdict}, {doubt}; {need:.1 GB}, {high(need):.0 GiB},
    {debt:.1 h}, {debt:.0 minute}, {share:.3}')"}
  best: {ref: runs, formula: argmin(runs.load where load > long)}
  best_told: {text: yes, formula: "text('{best}: {best.load:.2 hour} {best.remark}')"}
  room: {unit: GB, formula: "limit - low(need) if low(need) <= limit else
    reason('{gpu} lacks {low(need) - limit:.2 GiB}')"}
  room_told: {text: yes, formula: "text('room ', '{room:.1 GB}' if four_bit else '{doubt}')"}
tables:
  runs:
    columns:
      setup: {ref: hardware}
      hours: {unit: hour, domain: positive}
      load: {unit: hour, domain: positive}
      remark: {text: yes}
      left: {unit: hour, formula: "hours - debt if hours > long else
        reason('{hours:.2 h} on {setup} are too few')"}
      line: {text: yes, formula: "text('{setup} {left:.1 h}', ' {remark}' if load > long else '')"}
      plain: {text: yes, formula: "'x' if load > long else text('{gpus} {hours:.0 h}')"}
    rows:
      one: {title: Run one, setup: card, hours: 2.25, load: 2.25, remark: "take 'care'"}
      two: {title: "Run \\"2\\"", setup: card, hours: 6.5, load: 6.5}
      three: {title: "{3}", setup: card, hours: {reason: n/a}, load: 7, remark: x}
"""


EDITS: Edits = {
    Key("gpus"): 12.0,
    Key("most"): 3.0,
    Key("share"): 0.625,
    Key("need"): Stated(80.0, 70.0, 90.0),
    Key("limit"): 10.0,
    Key("four_bit"): False,
    Key("debt.corrected"): -0.04,
    Key("model"): "",
    Key("scenario"): "written",
    Key("long"): 50.0,
    Key("hours", "runs", "one"): 1234567.0,
    Key("hours", "runs", "three"): 8.0,
    Key("load", "runs", "one"): 5.5,
}

#: Flags that may have no value, in every place that reads one.
FLAGS = """\
scalars:
  need: {value: 20, unit: 1, domain: non-negative}
  long: {value: 5, unit: hour, domain: positive}
  room: {value: 24, unit: 1, domain: non-negative}
  measured: {unit: 1, formula: "need if need > 0 else reason('not measured')"}
  fits: {flag: yes, formula: measured <= room}
  tight: {flag: yes, formula: not fits or room - measured < 2}
  again: {flag: yes, formula: fits}
  same: {flag: yes, formula: fits == tight}
  cost: {unit: 1, formula: 10 if fits else 0}
  most: {unit: 1, formula: cost if not tight else 2 * cost}
  told: {text: yes, formula: "text('it ', 'fits' if fits else 'does not fit')"}
  verdict: {words: [good, bad], formula: "'good' if fits and not tight else 'bad'"}
  third: {unit: 1, formula: "runs['two'].cost / 3 if runs['two'].fits else 1"}
  counted: {unit: 1, formula: "1 if tight else count(runs)"}
tables:
  runs:
    columns:
      load: {unit: hour, domain: positive}
      fits: {flag: yes, formula: load < long}
      cost: {unit: 1, formula: 3 if fits else 1}
      both: {flag: yes, formula: fits and again}
      line: {text: yes, formula: "text('fits' if fits else 'no')"}
    rows:
      one: {title: One, load: 2}
      two: {title: Two, load: {reason: not run}}
"""
ABSENT: Edits = {
    Key("need"): 0.0,
    Key("room"): 3.0,
    Key("load", "runs", "one"): 9.0,
    Key("load", "runs", "two"): 4.0,
}

#: The settings of a run's record, compared with the plan's.
RECORDS = """\
scalars:
  gpu: {ref: hardware, value: card}
  model: {ref: models, value: tiny}
  length: {value: 256, unit: token / sequence, domain: count}
  batch: {value: 8, low: 4, high: 16, unit: sequence / step, domain: positive}
  again: {flag: yes, value: yes}
  run:
    ref: measurements
    rule: {accelerator: gpu, model: model}
    runs: {sequence_length: length, batch_size: batch, micro_batch: batch / 2, precision: bf16,
      checkpointing: again, compiled: no, attention: sdpa, gpus: run.gpus}
"""
FILES = {
    "units.yaml": UNITS,
    "measurements/full.yaml": RUN + "precision: bf16\ncheckpointing: yes\nattention: eager\n"
    "micro_batch: {value: 4, low: 3, high: 5, unit: sequence / step}\ncompiled: no\n",
    "measurements/bare.yaml": RUN.replace("measured", "simulated").replace(
        "value: 128", "value: 9"
    ),
    "measurements/other.yaml": RUN.replace("model: tiny", "model_name: Another")
    + "precision: fp16\ncheckpointing: no\n",
}
OTHER_RECORDS: Edits = {
    Key("run"): "bare",
    Key("length"): 128.0,
    Key("batch"): Stated(2.0, 1.0, 3.0),
    Key("again"): False,
}


@dataclass(frozen=True)
class Case:
    book: Book
    plan: Plan
    workbook: Path
    cells: tuple[faces.Shown, ...]
    edits: Edits


#: Plan, files and edits, by name.
CASES: dict[str, tuple[str, dict[str, str], Edits]] = {
    "texts": (TEXT, {}, EDITS),
    "flags": (FLAGS, {}, ABSENT),
    "records": (RECORDS, FILES, OTHER_RECORDS),
}


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    text, files, edits = CASES[request.param]
    folder = tmp_path_factory.mktemp("texts")
    examined = plan(folder, text, files)
    assert said(examined) == []
    assert examined.book is not None
    found = examined.book.plans["small"]
    path = folder / "small.xlsx"
    results = evaluate(examined.book, found)
    assert not write_workbook(
        given(examined.book, results={found.id: results}), found, path, sensitivity=False
    ).problems
    return Case(examined.book, found, path, tuple(faces.cells(examined.book, found)), edits)


def wanted(case: Case, edit: Key | None) -> list[float | str | None]:
    """The evaluator's value of every cell."""
    overrides = {} if edit is None else {edit: case.edits[edit]}
    results = evaluate(case.book, case.plan, overrides)
    return [faces.expected(results, cell) for cell in case.cells]


def differing(case: Case, edit: Key | None, found: list[Any]) -> list[str]:
    pairs = zip(case.cells, wanted(case, edit), found, strict=True)
    return [
        f"{edit}: {cell.label} {cell.address}: {mine!r}, shown {theirs!r}"
        for cell, mine, theirs in pairs
        if not faces.agree(mine, faces.said(cell, theirs))
    ]


def entries(case: Case, edit: Key) -> dict[tuple[str, str], float | str]:
    """The cells to type into the workbook for an edit."""
    value = case.edits[edit]
    stated = value if isinstance(value, Stated) else None
    ends = {cell.end: cell.address for cell in case.cells if cell.key == edit}
    if isinstance(value, bool):
        return {ends["value"]: "yes" if value else "no"}
    if stated is None:
        return dict.fromkeys(ends.values(), value)  # type: ignore[misc]  # no Stated here
    return {address: getattr(stated, end) for end, address in ends.items()}


@pytest.mark.parametrize("case", ["texts"], indirect=True)
def test_the_edits_produce_every_kind_of_text(case: Case) -> None:
    before = {c.label: v for c, v in zip(case.cells, wanted(case, None), strict=True)}
    assert before["command"] == 'run --n=8 it\'s "0.5B" --4bit {36%}'
    assert before["told"] == "A card: depends, bad; 21.5 GB, 30 GiB, -2.5 h, -150 min, 0.355"
    assert before["best_told"] == 'Run "2": 6.50 h '
    assert before["runs['one'].line"] == before["runs['one'].left"]
    moved = {
        cell.label
        for edit in case.edits
        for cell, value in zip(case.cells, wanted(case, edit), strict=True)
        if value != before[cell.label]
    }
    printed = {c.label for c in case.cells if c.quantity.kind == "text" and c.formula}
    assert printed <= moved


def test_libreoffice_prints_the_same_after_every_edit(case: Case, office: Office) -> None:
    wrong = []
    with office.open(case.workbook) as workbook:
        sheets = workbook.read_all()
        shown = {(s, a): c.error_name or c.value for s, of in sheets.items() for a, c in of.items()}
        wrong += differing(case, None, [shown.get(cell.address) for cell in case.cells])
        for edit in case.edits:
            found = workbook.perturb(entries(case, edit))
            changed = {address: c.error_name or c.value for address, c in found.items()}
            now = {**shown, **changed, **entries(case, edit)}
            wrong += differing(case, edit, [now.get(cell.address) for cell in case.cells])
    assert wrong == []


def test_chromium_prints_the_same_after_every_edit(
    case: Case, run_javascript: Callable[..., Any]
) -> None:
    def script(value: Stated | float | str | bool) -> str:
        if isinstance(value, Stated):
            return json.dumps({"low": value.low, "value": value.value, "high": value.high})
        return json.dumps(value)

    calls = ["plan.compute(plan.inputs)"]
    for key, value in case.edits.items():
        place = f"i.scalars[{json.dumps(key.name)}]"
        if key.table is not None:
            row = case.plan.tables[key.table].rows.index(str(key.row))
            place = f"i.tables.{key.table}.columns.{key.name}[{row}]"
        copy = "const i = structuredClone(plan.inputs)"
        calls.append(f"(() => {{ {copy}; {place} = {script(value)}; return plan.compute(i); }})()")
    before = f"const plan = scalesheet.plans[{json.dumps(case.plan.id)}]"
    computed = run_javascript(
        runtime(),
        program(case.plan, case.book),
        f"(() => {{ {before}; return [{', '.join(calls)}]; }})()",
    )

    def shown(of: Any, cell: faces.Shown) -> Any:
        key = cell.key
        value = (
            of["scalars"][key.name]
            if key.table is None
            else (of["tables"][key.table][key.name][cell.number])
        )
        found = value.get("reason", value.get(cell.end, value.get("value")))
        return {True: "yes", False: "no"}[found] if isinstance(found, bool) else found

    wrong = []
    for edit, of in zip([None, *case.edits], computed, strict=True):
        wrong += differing(case, edit, [shown(of, cell) for cell in case.cells])
    assert wrong == []
