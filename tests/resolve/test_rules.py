"""A plan's rule chooses a record: which one and why, on which day, and how the plan differs."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import date
from pathlib import Path

import pytest

from runs import RUN, UNITS
from scalesheet.commands import bench
from scalesheet.examine import Examined, examine
from scalesheet.model import Stated
from scalesheet.resolve.lowering.rules import command
from scalesheet.sure.quantiles import sure
from small import HEAD, MINIMAL, lay, said

PLAN = (
    HEAD
    + """\
headline: [time]
scalars:
  gpu: {ref: hardware, value: card, title: Card}
  model: {ref: models, value: tiny, title: Model}
  length: {value: 256, unit: token / sequence, kind: decision}
  batch: {value: 8, low: 4, high: 16, unit: sequence / step, domain: positive, kind: decision}
  run:
    ref: measurements
    rule: {accelerator: gpu, model: tiny}
    runs: {sequence_length: length, batch_size: batch, precision: bf16, checkpointing: no}
    title: Record
  time: {unit: second / step, formula: run.step_time * length / run.sequence_length}
"""
)


def record(
    how: str = "measured", day: str = "2026-11-20", more: str = "", step: str = "0.5"
) -> str:
    text = RUN.replace("how: measured", f"how: {how}").replace("2026-11-20", day)
    return (
        text.replace("value: 0.5", f"value: {step}").replace(
            "value: 16,", f"value: {8 / float(step)},"
        )
        + more
    )


def book(folder: Path, records: dict[str, str], text: str = PLAN, day: str = "") -> Examined:
    places = {f"measurements/{id}.yaml": run for id, run in records.items()}
    page = {"plans/small/page.md": "# A plan\n", "plans/small/plan.yaml": text}
    data = lay(folder, {**page, **places, "units.yaml": UNITS})
    return examine(data, date.fromisoformat(day) if day else None)


def chosen(examined: Examined, name: str = "run") -> Stated:
    assert examined.book is not None, said(examined)
    stated = examined.book.plans["small"].scalars[name].stated
    assert stated is not None
    return stated


def test_the_newest_matching_record_is_chosen_and_says_why(tmp_path: Path) -> None:
    other = record(day="2026-11-22").replace("model: tiny", "model_name: Another model")
    records = {"a": record(), "b": record(day="2026-11-21", step="0.25"), "c": other}
    examined = book(tmp_path, records)
    stated = chosen(examined)
    assert (stated.value, stated.basis) == ("b", "decision")
    assert stated.note == (
        "Chosen by the rule accelerator card, model tiny: newest of 2 that match; measured."
    )
    assert examined.results["small"].scalars["time"].value == 0.5


@pytest.mark.parametrize(
    ("records", "id", "why"),
    [
        ({"a": record()}, "a", "the only one that matches; measured"),
        (
            {"a": record(), "b": record("simulated", "2026-11-21")},
            "a",
            "the only one that is measured, of 2 that match",
        ),
        (
            {"a": record(), "b": record(day="2026-11-21", more="unsteady: yes\n")},
            "a",
            "the only one that is measured, of 2 that match",
        ),
        (
            {"a": record("simulated"), "b": record(day="2026-11-01", more="interrupted: yes\n")},
            "b",
            "the only one that is measured but marked, of 2 that match",
        ),
        ({"run-10": record(), "run-9": record()}, "run-10", "newest of 2 that match; measured"),
        (
            {"a": record(), "b": record(), "c": record("simulated")},
            "b",
            "newest of 2 that is measured, of 3 that match",
        ),
    ],
)
def test_records_are_ranked(tmp_path: Path, records: dict[str, str], id: str, why: str) -> None:
    stated = chosen(book(tmp_path, records))
    assert stated.value == id
    assert stated.note.endswith(f": {why}.")


def test_a_day_uses_only_records_up_to_it(tmp_path: Path) -> None:
    records = {
        "old": record("simulated", "2026-09-01"),
        "new": record(day="2026-10-01"),
        "newest": record(day="2026-11-21"),
    }
    found = {
        day: chosen(book(tmp_path, records, day=day))
        for day in ("2026-08-31", "2026-09-01", "2026-09-30", "2026-10-01", "2026-11-21", "")
    }
    assert [each.value for each in found.values()] == [
        None,
        "old",
        "old",
        "new",
        "newest",
        "newest",
    ]
    assert found["2026-08-31"].reason == "no record matched"
    assert found["2026-09-30"].note.endswith("the only one that matches; simulated.")
    assert [(each.stated.value, each.until, each.why) for each in found[""].was] == [
        (None, "2026-09-01", "the first record that matches"),
        ("old", "2026-10-01", "a measured record in place of a simulated one"),
        ("new", "2026-11-21", "a newer record"),
    ]
    assert found[""].since == "2026-11-21"


def test_differences_from_the_record_are_listed_beside_it(tmp_path: Path) -> None:
    examined = book(tmp_path, {"a": record(more="precision: bf16\n")})
    results = examined.results["small"]
    columns = ("recorded", "planned", "ratio", "agrees")
    rows = {
        row: [results.cell("run_differences", row, column) for column in columns]
        for row in ("model", "sequence-length", "batch-size", "precision", "checkpointing")
    }
    said = {row: [c.reason or c.value for c in cells] for row, cells in rows.items()}
    assert said == {
        "model": ["A tiny model", "A tiny model", "no number", "same"],
        "sequence-length": ["128 token/seq", "256 token/seq", 2, "other"],
        "batch-size": ["8 seq/step", "4 seq/step to 16 seq/step", 1, "same"],
        "precision": ["bf16", "bf16", "no number", "same"],
        "checkpointing": ["not stated", "no", "no number", "not stated"],
    }
    assert (rows["batch-size"][2].low, rows["batch-size"][2].high) == (0.5, 2)
    assert results.scalars["run_differing"].value == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "model: tiny}\n    runs",
            "model: tiny, method: LoRA}\n    runs",
            "V017 no record has accelerator card, model tiny, method LoRA; the nearest, 'a', has "
            "method not stated; make one with 'scalesheet bench tiny --accelerator card "
            "--method lora'",
        ),
        (
            "accelerator: gpu, model: tiny}",
            "accelerator: cart}",
            "N002 'cart' is neither a row of hardware nor an input of the plan; "
            "did you mean 'card'?",
        ),
        (
            "accelerator: gpu, model: tiny}",
            "accelerator: model}",
            "F004 'model' does not say a row of hardware; name an input that does",
        ),
        (
            "accelerator: gpu, model: tiny}",
            "precision: gpu}",
            "F004 'gpu' does not say 'precision'",
        ),
        (
            "    title: Record",
            "    value: a",
            "S004 scalars.run: expected either a rule or a value; what a rule chose before",
        ),
        ("    runs: {", "    rums: {", "S001 unknown key 'rums'"),
        ("sequence_length: length", "sequence_length: lenght", "N001 unknown name 'lenght'"),
        (
            "sequence_length: length",
            "sequence_length: 256",
            "U002 the placeholder prints token / sequence, ",
        ),
        (
            "precision: bf16",
            "precision: bf-16",
            "F006 expected one of fp32, tf32, fp16, bf16, fp8, nf4, found 'bf-16'; did you mean "
            "'bf16'?",
        ),
        (
            "ref: measurements",
            "ref: models",
            "S004 scalars.run.ref: expected measurements, of which alone a rule chooses one",
        ),
    ],
)
def test_an_error_in_a_rule_is_reported(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in PLAN
    found = said(book(tmp_path, {"a": record()}, PLAN.replace(old, new, 1)))
    assert any(each.startswith(message) for each in found), found


def test_a_figure_from_a_missing_record_says_so(tmp_path: Path) -> None:
    other = PLAN.replace("model: tiny}\n    runs", "model: tiny, method: LoRA}\n    runs")
    examined = book(tmp_path, {"a": record()}, other)
    assert examined.edition is not None
    assert examined.results["small"].scalars["time"].reason == (
        "no record has accelerator card, model tiny, method LoRA"
    )


def test_a_rule_in_a_book_without_records_says_how_to_make_one(tmp_path: Path) -> None:
    assert said(book(tmp_path, {})) == [
        "N011 there are no records of runs, but the rule needs accelerator card, model tiny; "
        "make one with 'scalesheet bench tiny --accelerator card'"
    ]


@pytest.mark.parametrize(
    ("how", "rule", "warned"),
    [
        ("measured", "rule: {model: model}", True),
        ("simulated", "rule: {model: model}", True),
        ("measured", "value: a", True),
        ("simulated", "value: a", False),
        ("measured", "value: a, runs: {sequence_length: length}", False),
    ],
)
def test_an_unstated_difference_is_reported(
    tmp_path: Path, how: str, rule: str, warned: bool
) -> None:
    start, end = PLAN.index("  run:\n"), PLAN.index("  time:")
    text = PLAN[:start] + f"  run: {{ref: measurements, {rule}}}\n" + PLAN[end:]
    found = said(book(tmp_path, {"a": record(how)}, text))
    assert [each.startswith("V016 'run' uses a record") for each in found] == [True] * warned


PHASED = (
    HEAD
    + """\
scenarios: [corrected, written]
scalars:
  gpu: {ref: hardware, value: card, written: {value: other}}
  goodput: {value: 1, unit: 1, domain: positive-fraction}
phases:
  tuning:
    title: Tuning
    class: one_time
    gpus: {value: 2, unit: GPU}
    hours: {value: 3, unit: hour}
    scalars:
      model: {ref: models, value: tiny}
      length: {value: 128, unit: token / sequence}
      run: {ref: measurements, rule: {accelerator: gpu, model: model},
        runs: {sequence_length: length, gpus: phases.tuning.gpus}}
"""
)
OTHER_CARD = (MINIMAL / "hardware" / "card.yaml").read_text("utf-8")


def test_a_rule_in_a_phase_uses_its_names_and_the_first_scenario(tmp_path: Path) -> None:
    page = {"plans/small/page.md": "# A plan\n", "plans/small/plan.yaml": PHASED}
    cards = {"hardware/other.yaml": OTHER_CARD.replace("aliases: [4090, The Card]\n", "")}
    runs = {
        "measurements/a.yaml": record(),
        "measurements/b.yaml": record(day="2026-11-21").replace(": card", ": other"),
    }
    examined = examine(lay(tmp_path, {**page, **cards, **runs, "units.yaml": UNITS}))
    assert chosen(examined, "tuning.run").value == "a"
    results = examined.results["small"]
    name = "tuning.run_differences"
    assert examined.book is not None
    assert examined.book.plans["small"].tables[name].rows == (
        "accelerator",
        "model",
        "sequence-length",
        "gpus",
    )
    agrees = [
        results.cell(name, row, "agrees").value
        for row in ("accelerator", "sequence-length", "gpus")
    ]
    assert agrees == ["same", "same", "other"]
    assert results.scalars["tuning.run_differing"].value == 1


def test_the_suggested_bench_command_is_valid() -> None:
    asked = {
        "accelerator": "h100-sxm",
        "model": "qwen2-0-5b",
        "method": "QLoRA",
        "precision": "bf16",
        "weights_precision": "nf4",
        "attention": "eager",
        "strategy": "fsdp",
        "checkpointing": True,
        "compiled": False,
        "how": "simulated",
    }
    said = command(asked)
    assert said == (
        "scalesheet bench simulate qwen2-0-5b --accelerator h100-sxm --method qlora --precision "
        "bf16 --weights nf4 --attention eager --gpus N --strategy fsdp --checkpointing"
    )
    parser = ArgumentParser()
    bench.arguments(parser)
    read = parser.parse_args(said.replace(" N ", " 2 ").split()[2:])
    assert read.words == ["simulate", "qwen2-0-5b"]
    assert (read.method, read.strategy, read.checkpointing, read.compile) == (
        "qlora",
        "fsdp",
        True,
        False,
    )


def test_a_measured_record_says_which_simulated_one_it_replaces(tmp_path: Path) -> None:
    records = {"a": record("simulated"), "b": record("simulated", "2026-11-21"), "c": record()}
    assert (chosen(book(tmp_path, records)).value, chosen(book(tmp_path, records)).unmeasured) == (
        "c",
        "b",
    )
    alone = book(tmp_path / "alone", {"a": record("simulated")})
    assert chosen(alone).unmeasured == ""


def test_the_reserve_before_measuring_is_that_of_the_simulated_record(tmp_path: Path) -> None:
    """A simulated step is uncertain; the measured record narrows whatever depends on it."""
    wide = record("simulated").replace("value: 0.5", "value: 0.5, low: 0.2, high: 0.9")
    text = PLAN.replace("{value: 256,", "{value: 256, low: 240, high: 280,")
    examined = book(tmp_path, {"a": wide, "b": record()}, text)
    only = book(tmp_path / "only", {"a": wide}, text)
    assert examined.book is not None, said(examined)
    assert only.book is not None, said(only)
    then, first = (sure(each.book, each.book.plans["small"]) for each in (examined, only))
    assert then.measured == ("Record",)
    assert then.before == pytest.approx(first.figures["time"].reserve, rel=1e-12)
    assert then.figures["time"].reserve < then.before
