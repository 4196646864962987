"""Typos in the plan of a new book: one error each, at the typo, with a fix."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from own import begun
from project import edit
from scalesheet.diagnostics import Diagnostic
from scalesheet.evaluate.edits import EditError, read_edit
from scalesheet.examine import examine
from scalesheet.hints import date_hint
from scalesheet.nearest import nearest
from shipped import part

OFFER, TOKENS = "runpod-secure-h100-sxm", "20_000_000, low: 15_000_000, high: 30_000_000"
NET_OR_GROSS = (
    "N001 'runs' has no column of numbers 'gpu_hours' to total; did you mean "
    "'net_gpu_hours' or 'gross_gpu_hours'?"
)
#: The component of the first plan with only what the plan reads; the catalogue's is far slower.
RUN = """\
title: A training run
summary: Hours and cost of a run at a throughput that is stated.
inputs:
  model: {ref: models, title: Model}
  method: {words: [pretraining, full fine-tuning, LoRA, QLoRA], title: Method}
  tokens: {unit: token, domain: positive, title: Tokens}
  epochs: {value: 1, unit: 1, domain: positive, kind: decision, title: Epochs}
  sequence: {value: 4_096, unit: token / sequence, domain: count, kind: decision, title: Length}
  batch: {value: 128, unit: sequence / step, domain: count, kind: decision, title: Batch}
  offer: {ref: offers, title: Offer}
  gpus: {unit: GPU, domain: count, title: Accelerators}
  tuning_goodput: {value: 0.9, unit: 1, domain: positive-fraction, kind: assumption}
  speed: {value: 9_000, unit: token / (GPU * second), kind: assumption, title: Throughput}
quantities:
  goodput: {title: Goodput, unit: 1, domain: positive-fraction, formula: tuning_goodput}
  steps: {title: Steps, unit: step, formula: ceil(tokens * epochs / (sequence * batch))}
  net_gpu_hours: {unit: GPU * hour, domain: positive, formula: tokens * epochs / speed}
  gross_gpu_hours: {unit: GPU * hour, domain: positive, formula: net_gpu_hours / goodput}
  hours: {title: Hours, unit: hour, domain: positive, formula: gross_gpu_hours / gpus}
  cost: {title: Cost, unit: USD, formula: gross_gpu_hours * offer.price}
outputs: [hours, cost]
examples:
  - given:
      {model: llama-3-2-1b, method: LoRA, tokens: 3.24e7, offer: runpod-secure-h100-sxm, gpus: 1,
      tuning_goodput: 1}
    expect: {hours: 1}
"""
#: Of the shipped data, what the first plan names.
NAMED = (
    *("hardware/h100-sxm.yaml", "rates/runpod-secure-h100-sxm.yaml", "providers/runpod.yaml"),
    *("models/llama-3-2-1b.yaml", "models/llama-3-1-8b.yaml"),
)
#: The text in the plan, the typo, and the error: its line and the start of its message.
SLIPS = [
    ("[cost, hours]", "[cost, runs.hours]", 3, "N001 'runs.hours' is a column, and a headline is"),
    ("gpus: 1}", "gpus: 0}", 15, "V002 'gpus': expected 1, 2, 3, ... (domain count), found 0"),
    ("batch: 32", "batch: -1", 15, "V002 'batch': expected 1, 2, 3, ... (domain count), found -1"),
    ("value: 500", "value: 2,000", 8, "Y008 a comma in braces begins another key, here 000; write"),
    ("unit: hour", "unit: weeks", 10, "U001 unknown unit 'weeks'; did you mean 'week'?"),
    (f"{TOKENS}, unit: token", "50M tokn", 6, "U001 'tokens': unknown unit 'tokn'; did you mean"),
    (TOKENS, "50M tokn, low: 20M token", 6, "U001 'tokens': unknown unit 'tokn'; did you mean"),
    ("500, unit: USD", "500 Dollar", 8, "U001 'cap': unknown unit 'Dollar'; did you mean 'USD'?"),
    (
        "500, unit: USD",
        "500$",
        8,
        "S003 scalars.cap.value: expected a number, found the text '500$'",
    ),
    (
        "500, unit: USD",
        "$500",
        8,
        "S003 scalars.cap.value: expected a number, found the text '$500'",
    ),
    ("{unit: USD, f", "{f", 9, "U003 'cost' has no unit; its formula gives USD; add 'unit: USD'"),
    ("  cap:", "   cap:", 8, "Y001 this line is indented by 3 spaces; expected 2 or 0; align it"),
    ("title: Our", "title Our", 1, "Y001 expected 'key: value', found 'title Our first plan'; put"),
    (
        "  cap:",
        "  link: {value: 50, unit: GB/s}\n  cap:",
        8,
        "U001 unknown unit 's'; did you mean 'GB / second'?",
    ),
    (
        "  cap:",
        "  link: {value: 50, unit: Gbps}\n  cap:",
        8,
        "U001 unknown unit 'Gbps'; did you mean 'Gbit / second'?",
    ),
    ("plan\n", "plan\n---\n", 2, "Y008 a second document begins; keep one document per file"),
    (
        "title: Our",
        'title: "Our',
        1,
        "Y001 a quote opens here and the text after its end, in line 10",
    ),
    ("title: Budget", "title: 'Budget", 8, "Y001 the quote that opens here is never closed"),
    ("  cap:", "\tcap:", 8, "Y001 the indentation has a tab; indent with spaces"),
    ("title: Budget}", "title: Budget", 8, "Y001 the bracket that opens here is not closed before"),
    ("title: Budget", "title: Budget: 2", 8, "Y001 this item has two ': '; put a comma between"),
    ("value: 3, unit", "value: 3 unit", 7, "Y001 this item has two ': '; put a comma between"),
    ("{value: 3,", "{value:3,", 7, "S001 unknown key 'value:3' in scalars.seeds; write a space"),
    ("title: Our first plan", "title: yes", 1, "S004 title: expected a title in words"),
    ("title: Our first plan", "title: 2026", 1, "S003 title: expected a title in words"),
    ("headline:", "headlines:", 3, "S001 unknown key 'headlines'; did you mean 'headline'?"),
    ("scalars:", "scalers:", 5, "S001 unknown key 'scalers'; did you mean 'scalars'?"),
    ("tokens: tokens", "tokens: tokens *", 15, "F001 formula, character 9: expected a number, a"),
    ("batch: 32", 'batch: {formula: "32 * (1"}', 15, "F001 formula, character 8: expected ')'"),
    ("with:", "wiht:", 15, "S001 unknown key 'wiht' in tables.runs; did you mean 'with'?"),
    ("USD, formula:", "USD, fromula:", 9, "S001 unknown key 'fromula' in scalars.cost; did you"),
    ("of: training-run", "of: trainning-run", 13, "N001 unknown component 'trainning-run'; did"),
    ("llama-3-2-1b", "llama-3.2-1b", 14, "N002 'llama-3.2-1b' is not in models; did you mean"),
    (
        "llama-3-2-1b",
        "ours/config.json",
        14,
        "N002 'ours/config.json' is not in models; make a model of the file: scalesheet new model",
    ),
    ("method: LoRA", "method: lora", 15, "F006 'lora' is not one of the words of 'method'"),
    ("seeds * runs", "seed * runs", 9, "N001 unknown name 'seed'; did you mean 'seeds'?"),
    ("* runs.total", "* run.total", 9, "N001 unknown name 'run.total.cost'; did you mean"),
    ("sum(runs.hours)", "runs.total.hours", 10, "N001 the table 'runs' has no total of 'hours'"),
    (
        "sum(runs.hours)",
        "total(runs.hours)",
        10,
        "N001 unknown function 'total'; did you mean 'sum'?",
    ),
    (
        "sum(runs.hours)",
        "zzzz(runs.hours)",
        10,
        "N001 unknown function 'zzzz'; functions: sum, min",
    ),
    (
        "runs.total.cost",
        "runs.small.cost",
        9,
        "N001 'small' is a row of runs; write runs['small'].c",
    ),
    (
        "runs.total.cost",
        "runs['small'].cost",
        9,
        "Y001 a text with '[' needs quotes here; write",
    ),
    ("sum(runs.hours)", "summ(runs.hours)", 10, "N001 unknown function 'summ'; did you mean"),
    ("sum(runs.hours)", "sum(runs.hours", 10, "F001 formula, character 23: expected ',' or ')'"),
    ("seeds * runs", "seeds ^ 2 * runs", 9, "F001 formula, character 7: '^' is not part"),
    ("runs.total.cost", "10% * runs.total.cost", 9, "F001 formula, character 11: '%' is not part"),
    ("runs.total.cost", "cost", 9, "N005 these depend on each other: cost -> cost; state one"),
    ("  cap:", "  seeds: 3\n  cap:", 8, "Y002 the key 'seeds' is already on line 7; keep one"),
    (
        "limits:",
        "start: 2026-12-07\nlimits:",
        4,
        "S001 unknown key 'start'; write the first day as a scalar, begin: {value: 2026-01-05, un",
    ),
    (
        "seeds * runs.total.cost}",
        "optoin.cost}\n  option: {ref: runs, value: large, kind: decision}",
        9,
        "N001 unknown name 'optoin.cost'; did you mean 'option.cost'?",
    ),
    ("sum(runs.hours)", "sum(rusn.hours)", 10, "N001 unknown name 'rusn.hours'; did you mean 'r"),
    ("limits:", "title: Twice\nlimits:", 4, "Y002 the key 'title' is already on line 1"),
    (TOKENS, "-5", 6, "V002 scalars.tokens: expected 0 or more"),
    (TOKENS, "0", 15, "V002 'runs.tokens' in the row 'small' is 0, outside its"),
    (TOKENS, "1e300", 6, "Y007 1e300 is larger than 1e100; write it in a larger"),
    ("batch: 32", "batch: thirty", 15, "N001 unknown name 'thirty'"),
    ("value: 500", "value: 2,000,000", 8, "Y008 a comma in braces begins another key, here 000;"),
    ("unit: USD, k", "unit:USD, k", 8, "S001 unknown key 'unit:USD' in scalars.cap; write a space"),
    ("500, unit: USD", "500, unit: hour", 4, "U002 'cap' (line 8) is in hour, but the limit of"),
    (
        "{small: {model: llama-3-2-1b}, large: {model: llama-3-1-8b}}",
        "{small: {modell: llama-3-2-1b}}",
        14,
        "S001 the component 'training-run' has no input 'modell'; did you mean 'model'?",
    ),
    ("epochs: 3", "epochs: -3", 15, "V002 'epochs': expected above 0 (domain positive), found -3"),
    ("limits: {cost: cap}", "limits: {cost: cup}", 4, "N001 unknown name 'cup'; did you mean"),
    (
        "total: [cost]",
        "total: [costs]",
        16,
        "N001 'runs' has no column of numbers 'costs' to total; did you mean 'cost'?",
    ),
    ("total: [cost]", "total: [zzz]", 16, "N001 'runs' has no column of numbers 'zzz' to total"),
    ("total: [cost]", "total: [gpu_hours]", 16, NET_OR_GROSS),
    ("seeds * sum", "goodput * sum", 10, "N001 unknown name 'goodput'; did you mean 'runs.good"),
    ("seeds * sum", "phases.gpus * sum", 10, "N001 unknown name 'phases.gpus'; the plan has no ph"),
    ("total: [cost]", "total: cost", 16, "S003 tables.runs.total: expected a list of names"),
    ("  cap:", "  start: 2026-12-07\n  cap:", 8, "S003 scalars.start: expected a mapping such as"),
    ("USD, kind", "USD per run, kind", 8, "U001 expected '*' or '/' before 'per'; write '/'"),
    ("USD, kind", "$, kind", 8, "U001 a unit has no place for '$'; write USD"),
    ("unit: hour", "unit: hours", 10, "U001 unknown unit 'hours'; did you mean 'hour'?"),
    ("unit: 1, d", "unit: seed, d", 9, "U002 'cost' is declared in USD, but the formula gives USD"),
    ("domain: count", "domain: integer", 7, "S004 scalars.seeds.domain: expected one of"),
    ("decision, title", "desision, title", 8, "S004 scalars.cap.kind: expected one of"),
    ("limits:", "catalogue: {offer: [a]}\nlimits:", 4, "S004 catalogue.offer: expected one of"),
    ("limits:", "catalogue: {offers: [zzz*]}\nlimits:", 4, "N002 nothing in offers is called"),
    ("of: training", "of:training", 13, "Y001 expected a space after 'of:'; write it"),
    (
        "of: training",
        "off: training",
        13,
        "S001 unknown key 'off' in tables.runs; did you mean 'of'?",
    ),
    (
        "    of: training-run\n",
        "",
        12,
        "S002 tables.runs lacks the key 'columns'; write columns; or",
    ),
    ("  cap: {value: 5", "  cap:{value: 5", 8, "Y001 expected a space after 'cap:'; write it"),
    (
        "  cap:",
        "  a:{value: 3}\n  cap:",
        8,
        "Y001 expected a space after 'a:'; write it",
    ),
    ("headline: [", "headline:[", 3, "Y001 expected a space after 'headline:'; write it"),
    (
        "500, unit: USD",
        "500, unit USD",
        8,
        "S001 unknown key 'unit USD' in scalars.cap; write unit: U",
    ),
    (
        "limits:",
        "calendar: mon-fri\nlimits:",
        4,
        "S001 unknown key 'calendar'; allowed here: title",
    ),
    (
        "title: Our first plan",
        "{title Our plan}",
        2,
        "Y001 the data of the file ends above this line; write its keys one per line",
    ),
]
#: Slips that are reported in words of the catalogue, or of its component.
OF_THE_CATALOGUE = [
    (
        "gpus: 1}",
        "gpu: 1}",
        15,
        "S001 A training run computes 'gpu'; state its inputs instead; did",
    ),
    (
        "seeds * runs.total.cost",
        "\"runs['small'].fits\"",
        9,
        "N001 'runs' has no column 'fits'; did you mean 'v",
    ),
    (
        "batch: 32",
        "batch: {low: 16, value: 32, high: 64}",
        15,
        "R003 'batch' cannot be a range here",
    ),
    ("gpus: 1}", "gpus: two}", 15, "N001 unknown name 'two'; write 2 (3 errors that follow from"),
    ("gpus: 1}", "gpus: 3}", 14, "V005 runs['small']: 32 sequences per step do not divide"),
    (
        "gpus: 1}",
        "gpus: 16}",
        14,
        "V019 runs['small']: 16 GPUs of an offer of 1, and a fast",
    ),
    ("seeds * sum", "utilization * sum", 10, "N001 unknown name 'utilization'; did you mean 'runs"),
    (OFFER, "h101", 15, "N002 'h101' is not in offers; did you mean one of these"),
    (OFFER, "runpod-h100", 15, "N002 'runpod-h100' is not in offers; did you mean one of these"),
]


#: Slips whose messages say what to write: the text in the plan, the slip, the message's end.
WRITE = [
    ("formula: seeds * sum", "formula: =seeds * sum", "unlike in a spreadsheet; leave it out"),
    (
        "formula: seeds * sum",
        "value: seeds * sum",
        "; a formula has its own key: write formula: seeds * sum(runs.hours) in place of value",
    ),
    ("  cap:", "  a: =max(runs.hours)\n  cap:", "; write {formula: max(runs.hours), unit: ...}"),
    ("  cap:", "  a: three\n  cap:", "; write {value: 3, unit: ...}"),
    ("  cap:", "  a: 40000 €\n  cap:", "; write {value: 40000 EUR}"),
    ("500, unit: USD", "500 €", "found the text '500 €'; write 500 EUR"),
    ("  cap:", "  a: 19 March 2027\n  cap:", "; write {value: 2027-03-19, unit: date}"),
    (
        "  cap:",
        "  a: {value: 19 March 2027, unit: date}\n  cap:",
        "'19 March 2027' is a date; write 2027-03-19",
    ),
    ("500, unit: USD", "11.01.2027, unit: date", ": write 2027-01-11 or 2027-11-01"),
    ("decision, title", "guess, title", "found the text 'guess'; write assumption"),
    ("  cap:", "  a-b: {value: 3, unit: 1}\n  cap:", "'a-b'; did you mean 'a_b'?"),
    (
        "  cap:",
        "  share: {value: 90, low: 80, high: 95, unit: 1, domain: fraction}\n  cap:",
        "found 90; write 0.9 or 90 %",
    ),
    ("gpus: 1}", "gpus: 1, tuning_goodput: 90}", "found 90; write 0.9 or 90 %"),
    ("value: 3, unit: 1", "value: three, unit: 1", "found the text 'three'; write 3"),
    (
        TOKENS,
        '"30,000,000 token"',
        "found the text '30,000,000 token'; write 30_000_000; the unit is in unit:",
    ),
    ("500, unit: USD", "three hundred dollars", "; write 300 USD"),
    ("500, unit: USD", "$500, unit: USD", "found the text '$500'; write 500; the unit is in unit:"),
    ("{cost: cap}", "{cost: $300}", "expected a number or a formula, found '$300'; write 300 USD"),
    ("{cost: cap}", "{cost: three hundred dollars}", "; write 300 USD"),
    ("{cost: cap}", "{cost: USD 300}", "; write 300 USD"),
    (
        "  cap:",
        "  a: {value: next Monday, unit: date}\n  cap:",
        "expected a date such as 2026-03-31, found the text 'next Monday'",
    ),
    (
        "  cap:",
        "  a: {unit: hour, formula: hours + 2 days}\n  cap:",
        "make it a scalar, {value: 2 days}, and name it",
    ),
    ("  cap:", "  a_b: {value: 3, unit: 1}\n  c: {unit: 1, formula: a-b}\n  cap:", "write a_b"),
]


def after(data: Path, *edits: tuple[str, str]) -> Sequence[Diagnostic]:
    """What is found in the first plan after edits, each a text and its replacement. Then the plan
    is as before.
    """
    plan = data / "plans" / "first" / "plan.yaml"
    before = plan.read_text("utf-8")
    try:
        for old, new in edits:
            edit(plan, old, new)
        return examine(data).diagnostics
    finally:
        plan.write_text(before, "utf-8")


@pytest.mark.parametrize(("old", "new", "ends"), WRITE)
def test_a_common_slip_says_what_to_write(small: Path, old: str, new: str, ends: str) -> None:
    (only,) = after(small, (old, new))
    assert only.message.endswith(ends)


def test_a_row_with_a_hyphen_needs_quotes(small: Path) -> None:
    (only,) = after(
        small, ("{small: {", "{small-two: {"), ("seeds * sum(runs.hours)", "runs.small-two.hours")
    )
    assert only.message.endswith("; write the row in quotes: runs['small-two'].hours")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return begun(tmp_path_factory.mktemp("slips"))


@pytest.fixture(scope="module")
def small(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small book with the same plan."""
    few = part(tmp_path_factory.mktemp("small"), *NAMED)
    shutil.copytree(data / "plans", few / "plans")
    (few / "components").mkdir()
    (few / "components" / "training-run.yaml").write_text(RUN, "utf-8")
    return few


def test_both_books_are_valid_before_a_slip(data: Path, small: Path) -> None:
    assert [*examine(data).diagnostics, *examine(small).diagnostics] == []


@pytest.mark.parametrize(
    ("book", "old", "new", "line", "says"),
    [
        *(("small", *slip) for slip in SLIPS),
        *(("data", *slip) for slip in OF_THE_CATALOGUE),
    ],
)
def test_a_typo_is_one_error_at_its_place(
    book: str, old: str, new: str, line: int, says: str, request: pytest.FixtureRequest
) -> None:
    (only,) = after(request.getfixturevalue(book), (old, new))
    assert (Path(only.path).name, only.line) == ("plan.yaml", line)
    assert f"{only.code} {only.message}".startswith(says)


#: Figures that lack a value for one reason: a sum, a maximum, a minimum, and an end of a phase.
FOUR_CHECKS = """\
limits: {cost: cap, longest: 90, shortest: 90}
phases:
  train: {title: T, class: one_time, gpus: 3, hours: {formula: hours}, deadline: 2999-01-01}
scalars:
  begin: {value: 2027-01-11, unit: date}
  goodput: {value: 1, unit: 1}
  longest: {unit: hour, formula: max(runs.hours)}
  shortest: {unit: hour, formula: min(runs.hours)}
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "hours: {formula: hours}",
            "hours: two",
            "S003 phases.train.hours: expected a number, found the text 'two'; write 2",
        ),
        (
            "hours: {formula: hours}",
            "hours: longest",
            "found the text 'longest'; write {formula: longest}",
        ),
        (
            "hours: {formula: hours}",
            "hour: 2.5",
            "S001 unknown key 'hour' in phases.train; did you mean 'hours'?",
        ),
        (
            "title: T,",
            "title Train,",
            "S001 unknown key 'title Train' in phases.train; write title: Train",
        ),
        (
            "2999-01-01",
            "soon",
            "deadline: expected a date such as 2026-03-31, found the text 'soon'",
        ),
    ],
)
def test_a_slip_in_a_phase_is_one_error(small: Path, old: str, new: str, says: str) -> None:
    (only,) = after(small, ("limits: {cost: cap}\nscalars:\n", FOUR_CHECKS.replace(old, new)))
    assert f"{only.code} {only.message}".endswith(says)


@pytest.mark.parametrize(
    ("scalar", "old", "key"),
    [
        (f"{{ref: offers, value: {OFFER}}}", OFFER, "offer"),
        ("{ref: models, value: llama-3-2-1b}", "llama-3-2-1b", "model"),
        ("{words: [LoRA, QLoRA], value: LoRA}", "LoRA", "method"),
    ],
)
def test_the_name_of_a_scalar_is_a_formula(small: Path, scalar: str, old: str, key: str) -> None:
    mine = ("  cap:", f"  mine: {scalar}\n  cap:")
    (only,) = after(small, (f"{key}: {old}", f"{key}: mine"), mine)
    assert only.message.endswith("; to take it from another figure, write {formula: mine}")
    assert not after(small, (f"{key}: {old}", f"{key}: {{formula: mine}}"), mine)


def test_checks_without_a_value_for_one_reason_are_one_error_at_the_row(data: Path) -> None:
    (only,) = after(
        data, ("limits: {cost: cap}\nscalars:\n", FOUR_CHECKS), ("gpus: 1}\n", "gpus: 3}\n")
    )
    assert (only.code, only.line) == ("V005", 20)
    assert only.message.startswith("runs['small']: 32 sequences per step do not divide evenly")
    assert only.message.endswith("(3 breaches that follow from this not shown)")


def test_a_headline_without_a_value_is_told_if_no_check_is(data: Path) -> None:
    page, only = after(data, ("limits: {cost: cap}\n", ""), ("gpus: 1}\n", "gpus: 3}\n"))
    assert page.code == "N001"  # it shows what is left below the limit
    assert (only.code, only.severity, only.line) == ("V020", "warning", 13)
    assert only.message.startswith("runs['small']: 32 sequences per step do not divide evenly")
    assert only.message.endswith(": the headline 'Cost' has no value")


@pytest.mark.parametrize(
    ("hours", "runs", "on"),
    [
        ("hours", "gpus: 8", "8 GPUs of runs['small']"),
        ("runs['large'].hours", "gpus: 8", "8 GPUs of runs['large']"),
        ("max(runs.hours where status == 'can run')", "gpus: 8", "8 GPUs of runs['large']"),
        ("runs['large'].hours", "gpus: 1", None),
        ("runs['large'].hours * runs['large'].gpus / gpus", "gpus: 8", None),
    ],
)
def test_a_phase_has_as_many_gpus_as_the_run_that_it_takes_its_hours_from(
    data: Path, hours: str, runs: str, on: str | None
) -> None:
    phases = FOUR_CHECKS.replace("gpus: 3", "gpus: 1")
    phases = phases.replace("formula: hours", f'formula: "{hours}"')
    found = after(data, ("limits: {cost: cap}\nscalars:\n", phases), ("gpus: 1}\n", f"{runs}}}\n"))
    told = [each for each in found if each.code == "V021"]
    assert bool(told) == (on is not None)
    assert all((each.line, each.severity) == (6, "warning") for each in told)
    assert all(f"has 1 of the {on}" in each.message for each in told)


@pytest.mark.parametrize(
    ("goodput", "rest", "twice"),
    [
        ("0.9", "hours: {formula: \"runs['large'].hours\"}", True),
        ("1", "hours: {formula: \"runs['large'].hours\"}", False),
        ("0.9", "hours: {formula: \"runs['large'].net_gpu_hours / gpus\"}", False),
        (
            "0.9",
            "hours: {formula: \"runs['large'].hours\"}, gross_hours: {formula: hours}",
            False,
        ),
        ("0.9", "hours: 3", False),
    ],
)
def test_lost_time_is_not_added_twice(data: Path, goodput: str, rest: str, twice: bool) -> None:
    phases = f"scalars:\n  goodput: {{value: {goodput}, unit: 1, domain: positive-fraction}}\n"
    train = f"phases:\n  train: {{title: Train, class: one_time, gpus: 1, {rest}}}\n"
    found = after(data, ("scalars:\n", phases), ("tables:\n", train + "tables:\n"))
    assert [each.code for each in found] == ["V022"] * twice
    assert all("the hours of runs['large'] already include" in each.message for each in found)


def test_a_limit_that_is_exceeded_is_told_with_both_figures(small: Path) -> None:
    (only,) = after(small, ("value: 500, unit: USD", "value: 5, unit: USD"))
    assert (only.code, only.line) == ("V005", 4)
    assert re.fullmatch(r"Cost is [0-9.]+ USD, above its limit of 5 USD", only.message)


def test_a_goodput_above_1_is_refused_in_data_and_as_an_edit(data: Path, tmp_path: Path) -> None:
    phases = FOUR_CHECKS.replace("longest: 90, shortest: 90", "longest: 900, shortest: 900")
    more = ("limits: {cost: cap}\nscalars:\n", phases)
    (only,) = after(data, more, ("goodput: {value: 1,", "goodput: {value: 1.2,"))
    assert (only.code, only.message) == (
        "V002",
        "'goodput': expected above 0 and at most 1, found 1.2",
    )
    own = begun(tmp_path)
    edit(own / "plans" / "first" / "plan.yaml", *more)
    book = examine(own).book
    assert book is not None
    with pytest.raises(EditError, match="outside the domain"):
        read_edit(book, book.plans["first"], "goodput=1.2")


def test_a_warning_about_a_formula_stays_at_the_formula(small: Path) -> None:
    ratio = "{unit: 1, formula: runs.total.cost / cost}"
    (only,) = after(small, ("  cap:", f"  ratio: {ratio}\n  cap:"))
    assert (Path(only.path).name, only.line, only.code) == ("plan.yaml", 8, "R005")


RATE = """\
title: RunPod, our price
provider: RunPod
accelerator: h100-sxm
accelerators: 1
term: on-demand
prices: [{from: 2026-11-23, price: 2.20, unit: USD / (node * hour), kind: decision}]
"""


@pytest.mark.parametrize(
    ("new", "hint"),
    [
        ("23.11.2026", "; write 2026-11-23"),
        ("2026/1/3", "; write 2026-01-03"),
        ("3/13/2026", "; write 2026-03-13"),
        ("March 3rd, 2026", "; write 2026-03-03"),
        ("3/1/2026", "; day and month are ambiguous: write 2026-01-03 or 2026-03-01"),
        ("2026-01-03", ""),
        ("3 Mtoken", ""),
    ],
)
def test_a_date_of_other_places_is_rewritten(new: str, hint: str) -> None:
    assert date_hint(new) == hint


def test_an_unknown_unit_is_shown_at_its_word(data: Path) -> None:
    path = data / "rates" / "a.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(RATE.replace("hour)", "hous)"), "utf-8")
    try:
        (only,) = examine(data).diagnostics
    finally:
        path.unlink()
    assert (only.line, only.column) == (6, 1 + RATE.splitlines()[5].index("hour)"))


def test_a_price_of_the_future_is_reported_at_the_offer_and_the_checks(
    data: Path,
) -> None:
    plan, path = data / "plans" / "first" / "plan.yaml", data / "rates" / "a.yaml"
    before = plan.read_text("utf-8")
    edit(plan, OFFER, "a")
    path.parent.mkdir(exist_ok=True)
    path.write_text(RATE.replace("2026-11-23", "2999-01-01"), "utf-8")
    try:
        *checks, offer = examine(data).diagnostics
    finally:
        plan.write_text(before, "utf-8")
        path.unlink()
    assert (offer.code, offer.line) == ("O006", 6)
    assert "so it has no price yet; enter it once it is in effect" in offer.message
    assert checks
    for each in checks:
        assert (each.code, each.severity) == ("V005", "breach")
        assert "no price known at" in each.message


CARD = """\
title: Our card
vendor: NVIDIA
form_factor: PCIe card
memory: {value: 24, unit: GiB}
bandwidth: {value: 300, unit: GB / second}
dense_bf16: {value: 121, unit: TFLOP / (second * GPU)}
dense_fp16: {value: 121, unit: TFLOP / (second * GPU)}
power: {value: 300, unit: W / GPU}
"""


@pytest.mark.parametrize(
    ("file", "old", "new", "line", "says"),
    [
        ("rates/a.yaml", "2.20", "0,9", 6, "Y008 a comma in braces begins another key, here 9"),
        ("rates/a.yaml", "2.20", "'0,9'", 6, "S003 prices[0].price: expected a price above 0"),
        (
            "rates/a.yaml",
            "2.20",
            "$2.20",
            6,
            "S003 prices[0].price: expected a price above 0, found the text '$2.20'; write 2.20; "
            "the unit is in unit:",
        ),
        ("rates/a.yaml", "2.20", "-2.20", 6, "V002 prices[0].price: expected a price above 0"),
        ("rates/a.yaml", "h100-sxm", "L4", 3, "N002 'L4' is not in hardware; did you mean 'l4'?"),
        (
            "rates/a.yaml",
            "h100-sxm",
            "H100",
            3,
            "N002 'H100' is not in hardware; did you mean 'h100-nvl', 'h100-sxm' or 'h100-pcie'?",
        ),
        ("rates/a.yaml", "RunPod\na", "Runpod\na", 2, "N002 'Runpod' is not in providers; did"),
        ("rates/a.yaml", "2026-11-23", "23.11.2026", 6, "S006 prices[0].from: expected a date"),
        ("book.yaml", "edition: ", "edition: 1.2.2026 #", 2, "S006 edition: expected a date"),
        ("rates/a.yaml", "on-demand", "ondemand", 5, "S004 term: expected one of 'on-demand'"),
        ("rates/a.yaml", "USD / (node * hour)", "USD/hour", 6, "U002 'price' is in USD"),
        (
            "rates/a.yaml",
            "USD / (node * hour)",
            "USD / (GPU * hour)",
            6,
            "U002 'price' is in USD / (hour * node), found USD / (GPU * hour); multiply it",
        ),
        ("rates/a.yaml", "USD / (node", "$ / (node", 6, "U001 a unit has no place for '$'; write"),
        ("rates/a.yaml", ", unit: USD / (node * hour)", "", 6, "U003 prices[0] lacks the key"),
        ("rates/a.yaml", ", kind: decision", "", 6, "N010 prices[0]: a fact needs a source; name"),
        ("hardware/a.yaml", "", CARD, 4, "N010 memory: a fact needs a source; name one here, or"),
        ("rates/a.yaml", "accelerator: h100-sxm\n", "", 1, "S002 the file lacks the key"),
        ("book.yaml", "scalesheet ", "scalesheets ", 3, "Y012 there is no book 'scalesheets'"),
        ("book.yaml", "edition: 2", "edition: soon 2", 2, "S006 edition: expected a date"),
        ("book.yaml", "", None, 1, "Y012 the book has no book.yaml; write it"),
        ("plans/first/plan.yaml", "", "", 1, "Y003 the file is empty; write its content"),
        ("plans/first/plan.yaml", "", None, 1, "Y012 the plan's folder has a page.md but no"),
        ("plans/first/page.md", "{{ hours", "{{ hour", 1, "N001 there is no figure 'hour' in"),
        ("plans/first/page.md", "table runs", "table run", 3, "N001 there is no table 'run' in"),
        ("plans/first/page.md", "{{ hours }}", "{{ hours }", 1, "N001 '{{' has no '}}'"),
    ],
)
def test_a_typo_in_another_file_is_one_error(
    data: Path, file: str, old: str, new: str | None, line: int, says: str
) -> None:
    """No old text replaces the whole file; no new text deletes it."""
    path = data / file
    before = path.read_text("utf-8") if path.exists() else None
    text = RATE if before is None else before
    path.parent.mkdir(exist_ok=True)
    if new is None:
        path.unlink()
    else:
        assert old in text
        path.write_text(text.replace(old, new, 1) if old else new, "utf-8")
    try:
        (only,) = examine(data).diagnostics
    finally:
        path.unlink(missing_ok=True)
        if before is not None:
            path.write_text(before, "utf-8")
    assert (Path(only.path).name, only.line) == (path.name, line)
    assert f"{only.code} {only.message}".startswith(says)


@pytest.mark.parametrize(
    ("old", "new"), [(b"", b"\xef\xbb\xbf"), (b"\n", b"\r\n")], ids=["BOM", "CRLF"]
)
def test_the_way_an_editor_saves_is_not_an_error(data: Path, old: bytes, new: bytes) -> None:
    plan = data / "plans" / "first" / "plan.yaml"
    before = plan.read_bytes()
    plan.write_bytes(before.replace(old, new) if old else new + before)
    try:
        assert not examine(data).diagnostics
    finally:
        plan.write_bytes(before)


IDS = ("vast-h100", "vast-secure-h100-sxm", "vast-a10", "modal-h200", "llama-3-8b", "llama-3-1-8b")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("h100", "; did you mean 'vast-h100' or 'vast-secure-h100-sxm'?"),
        ("h101", "; did you mean 'vast-h100' or 'vast-secure-h100-sxm'?"),
        ("llama", "; did you mean 'llama-3-8b' or 'llama-3-1-8b'?"),
        ("llama-8b", "; did you mean 'llama-3-8b' or 'llama-3-1-8b'?"),
        ("vast", "; did you mean 'vast-a10', 'vast-h100' or 'vast-secure-h100-sxm'?"),
        ("vast-secure-h100-smx", "; did you mean 'vast-secure-h100-sxm'?"),
        ("VAST-A10", "; did you mean 'vast-a10'?"),
        ("xyzzy", ""),
    ],
)
def test_an_id_is_suggested_by_its_words(name: str, hint: str) -> None:
    assert nearest(name, IDS) == hint
