"""`resolve` on small plans: names, dimensions, conversions, choices, reasons, cycles, scenarios."""

from __future__ import annotations

from pathlib import Path

import pytest

from scalesheet.language.format import formula_text
from scalesheet.model import Scalar
from scalesheet.values import Value
from small import plan, said, scalars

INPUTS = """
steps: {value: 1000, unit: step, domain: count}
speed: {value: 500, unit: step / hour, domain: positive}
gpus: {value: 4, unit: GPU, domain: count}
price: {value: 2, unit: USD / (GPU * hour)}
size: {value: 3, unit: GiB}
gpu: {ref: hardware, value: card}
"""


def value(folder: Path, line: str, rest: str = "") -> Value:
    examined = scalars(folder, f"{INPUTS}\n{line}", rest)
    assert said(examined) == []
    return examined.results["small"].scalars["f"]


def scalar(folder: Path, line: str) -> Scalar:
    examined = scalars(folder, f"{INPUTS}\n{line}")
    assert said(examined) == []
    assert examined.book is not None
    return examined.book.plans["small"].scalars["f"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("f: {unit: GPU * hour, formula: steps / speed * gpus}", 8),
        ("f: {unit: GPU * minute, formula: steps / speed * gpus}", 480),
        ("f: {unit: USD, formula: steps / speed * gpus * price}", 16),
        ("f: {unit: GB, formula: size}", 3.221225472),
        ("f: {unit: 1, formula: size / gpu.memory}", 0.125),
        ("f: {unit: GPU, formula: 'max(gpus, 0)'}", 4),
        ("f: {unit: GPU, formula: ceil(gpus * 0.3)}", 2),
        ("f: {unit: minute, formula: ceil(steps / speed)}", 120),
        (
            "f: {unit: byte, formula: 'weight_memory(params=7e9 as parameter, "
            "bytes_per_param=b)'}\n"
            "b: {value: 2, unit: byte / parameter, domain: positive}",
            14e9,
        ),
        ("f: {unit: 1, formula: steps ** 2 / steps ** 2}", 1),
        ("f: {unit: step, formula: sqrt(steps ** 2)}", 1000),
        ("f: {unit: run, formula: count(hardware) as run}", 1),
    ],
)
def test_a_formula_gives_its_value_in_its_unit(tmp_path: Path, line: str, expected: float) -> None:
    assert value(tmp_path, line).value == pytest.approx(expected, rel=1e-15)


def test_a_conversion_is_a_named_constant_in_the_tree(tmp_path: Path) -> None:
    found = scalar(tmp_path, "f: {unit: GB, formula: size}")
    assert found.formula is not None
    assert formula_text(found.formula.ends.value) == "size * GB_per_GiB"


def test_rounding_happens_in_the_declared_unit(tmp_path: Path) -> None:
    found = scalar(tmp_path, "f: {unit: minute, formula: ceil(steps / speed)}")
    assert found.formula is not None
    assert formula_text(found.formula.ends.value) == "ceil(steps / speed * minute_per_hour)"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "f: {unit: USD, formula: price * steps / speed}",
            "U002 'f' is declared in USD, but the formula gives USD / GPU",
        ),
        (
            "f: {unit: hour, formula: steps / speed * gpus}",
            "U002 'f' is declared in hour, but the formula gives GPU * hour",
        ),
        (
            "f: {unit: step, formula: steps + gpus}",
            "U002 '+' needs operands that measure the same: found step and GPU",
        ),
        (
            "f: {unit: run, formula: count(hardware)}",
            "U002 'f' is declared in run, but the formula gives 1; to turn a pure number into a "
            "count, write 'as run'",
        ),
        (
            "f: {unit: hour, formula: (count(hardware) as hour)}",
            "U002 'as' turns a pure number into a count; hour is measured",
        ),
        ("f: {unit: 1, formula: exp(size)}", "U002 exp needs a number of unit 1"),
        ("f: {unit: 1, formula: 2 ** steps}", "U002 an exponent needs a number of unit 1"),
        (
            "f: {unit: USD, formula: 'ceil(size) * q'}\nq: {value: 1, unit: USD / byte}",
            "U004 nothing states the unit that ceil rounds in; give the rounded value a quantity "
            "with a unit, such as GiB, or round a ratio: ceil(time / slot) * slot",
        ),
        ("f: {unit: step, formula: stepz * 2}", "N001 unknown name 'stepz'; did you mean 'steps'?"),
        (
            "f: {unit: 1, formula: gpu.memry / size}",
            "N001 'hardware' has no column 'memry'; did you mean 'memory'?",
        ),
        ("f: {unit: 1, formula: steps.x}", "N001 'steps' is a number and has no part 'x'"),
        ("f: {unit: 1, formula: maxx(1)}", "N001 unknown function 'maxx'; did you mean 'max'?"),
        (
            "f: {unit: byte, formula: weight_memory(params=1)}",
            "U002 the input 'params' of weight_memory is in parameter",
        ),
        (
            "f: {unit: byte, formula: 'weight_memory(params=1 as parameter)'}",
            "F003 'weight_memory' needs the input 'bytes_per_param'",
        ),
        (
            "f: {unit: byte, formula: 'weight_memory(parms=1 as parameter)'}",
            "N001 'weight_memory' has no input 'parms'; did you mean 'params'?",
        ),
        ("f: {unit: step, formula: steps == steps}", "F004 expected a number, found yes or no"),
        ("f: {unit: 1, formula: 1 if steps else 2}", "F004 expected a condition, found a number"),
        (
            "f: {unit: 1, formula: \"1 if gpu == 'crd' else 2\"}",
            "N002 'crd' is not a row of hardware; did you mean 'card'?",
        ),
        (
            "f: {unit: GiB, formula: hardware.memory}",
            "N007 'hardware.memory' is a whole column; write sum(hardware.memory)",
        ),
        ("f: {unit: 1, formula: hardware}", "N008 'hardware' is a table, not a value"),
        ("f: {unit: 1, formula: sum(steps)}", "U002 'f' is declared in 1"),
        ("f: {unit: 1, formula: 1 / 0}", "V003 division by zero"),
        ("f: {unit: 1, formula: f + 1}", "N005 these depend on each other: f -> f"),
        (
            "f: {unit: 1, formula: g}\ng: {unit: 1, formula: h}\nh: {unit: 1, formula: f}",
            "N005 these depend on each other: f -> g -> h -> f",
        ),
        (
            "f: {words: [fits, full], formula: \"'fits' if steps > steps else 'ful'\"}",
            "F006 'ful' is not one of the words of 'f': fits, full; did you mean 'full'?",
        ),
    ],
)
def test_an_error_is_reported_with_its_fix(tmp_path: Path, line: str, message: str) -> None:
    found = said(scalars(tmp_path, f"{INPUTS}\n{line}"))
    assert len(found) == 1
    assert found[0].startswith(message)


def test_an_error_points_at_its_character_in_the_file(tmp_path: Path) -> None:
    for quote in ("", "'", '"'):
        line = f"f: {{unit: step, formula: {quote}steps + wrong{quote}}}"
        examined = scalars(tmp_path, f"{INPUTS}\n{line}")
        diagnostic = examined.diagnostics[0]
        text = Path(diagnostic.path).read_text("utf-8").splitlines()[diagnostic.line - 1]
        assert text[diagnostic.column - 1 :].startswith("wrong")


# ------------------------------------------------------------------ words, reasons, domains


@pytest.mark.parametrize(("need", "word"), [("20", "fits"), ("30", "does not fit"), ("24", "fits")])
def test_a_condition_decides_the_word(tmp_path: Path, need: str, word: str) -> None:
    line = (
        "f: {words: [fits, depends, does not fit], differs: depends,"
        " formula: \"'fits' if need <= gpu.memory else 'does not fit'\"}\n"
        f"need: {{value: {need}, unit: GiB}}"
    )
    assert value(tmp_path, line).value == word


def test_ends_with_different_words_give_the_declared_word(tmp_path: Path) -> None:
    line = (
        "f: {words: [fits, depends, does not fit], differs: depends,"
        " formula: \"'fits' if need <= gpu.memory else 'does not fit'\"}\n"
        "need: {value: 20, low: 10, high: 30, unit: GiB}"
    )
    assert value(tmp_path, line).value == "depends"


def test_ends_with_different_words_need_a_declared_word(tmp_path: Path) -> None:
    line = (
        "f: {words: [fits, does not fit],"
        " formula: \"'fits' if need <= gpu.memory else 'does not fit'\"}\n"
        "need: {value: 20, low: 10, high: 30, unit: GiB}"
    )
    assert said(scalars(tmp_path, f"{INPUTS}\n{line}"))[0].startswith("R004")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("f: {unit: TFLOP / (GPU * second), formula: gpu.dense_bf16 * 2}", "no bf16 tensor unit"),
        ("f: {unit: 1, formula: reason('not measured')}", "not measured"),
        ("f: {unit: 1, formula: 1 + (2 if steps > steps else reason('too few'))}", "too few"),
    ],
)
def test_arithmetic_on_a_reason_gives_the_reason(tmp_path: Path, line: str, reason: str) -> None:
    assert value(tmp_path, line).reason == reason


@pytest.mark.parametrize(
    ("formula", "code"),
    [
        ("1 / zero", "V003"),
        ("ln(zero)", "V004"),
        ("sqrt(zero - 1)", "V004"),
        ("zero ** zero", "V004"),
        ("(zero - 2) ** 0.5", "V004"),
        ("2 ** (1e4 + zero)", "V006"),
    ],
)
def test_shipped_data_outside_the_domain_of_a_function_is_an_error(
    tmp_path: Path, formula: str, code: str
) -> None:
    examined = scalars(tmp_path, f"zero: {{value: 0, unit: 1}}\nf: {{unit: 1, formula: {formula}}}")
    assert [d.code for d in examined.diagnostics] == [code]


def test_a_divisor_with_a_positive_domain_needs_no_guard(tmp_path: Path) -> None:
    found = scalar(tmp_path, "f: {unit: hour, formula: steps / speed}")
    assert found.formula is not None
    assert formula_text(found.formula.ends.value) == "steps / speed"
    assert not found.may_reason


def test_division_by_zero_names_its_row(tmp_path: Path) -> None:
    examined = plan(
        tmp_path,
        """\
        tables:
          t:
            columns:
              n: {unit: 1}
              f: {unit: 1, formula: 1 / n}
            rows:
              good: {n: 1}
              bad: {n: 0}
        """,
    )
    assert said(examined) == ["V003 't.f' in the row 'bad': division by zero; the formula is 1 / n"]


# ------------------------------------------------------------------ tables, phases, scenarios


TABLES = """\
tables:
  t:
    columns:
      steps: {unit: step, domain: count}
      price: {unit: USD}
      cost: {unit: USD, formula: price * steps / (1 as step)}
    rows:
      a: {steps: 10, price: 3}
      b: {steps: 20, price: {reason: not offered}}
      c: {steps: 30, price: 1}
    total: [steps, cost]
"""


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("sum(t.steps) / (1 as step)", 60),
        ("t.total.steps / (1 as step)", 60),
        ("t.total.cost / (1 as usd)", None),
        ("sum(t.steps where t.steps >= 20 as step) / (1 as step)", 50),
        ("sum(t.steps where steps >= 20 as step) / (1 as step)", 50),
        ("count(t)", 3),
        ("count(t.price)", 2),
        ("count(t where t.steps > 10 as step)", 2),
        ("max(t.steps) / (1 as step)", 30),
        ("t['b'].steps / (1 as step)", 20),
        ("argmin(t.price).steps / (1 as step)", 30),
        ("argmax(t.price).steps / (1 as step)", 10),
    ],
)
def test_tables_are_drawn_together(tmp_path: Path, formula: str, expected: float | None) -> None:
    examined = plan(tmp_path, f'scalars:\n  f: {{unit: 1, formula: "{formula}"}}\n{TABLES}')
    if expected is None:
        assert said(examined)[0].startswith("U001 unknown unit 'usd'; did you mean 'USD'?")
    else:
        assert said(examined) == []
        assert examined.results["small"].scalars["f"].value == expected


def test_an_aggregate_skips_reasons(tmp_path: Path) -> None:
    examined = plan(tmp_path, TABLES)
    assert examined.results["small"].scalars["t.total.cost"].value == 60
    assert examined.results["small"].cell("t", "b", "cost").reason == "not offered"


def test_a_condition_can_use_the_current_row(tmp_path: Path) -> None:
    rest = """\
      kinds:
        columns:
          least: {unit: step}
          n: {unit: 1, formula: count(t where t.steps >= least)}
        rows:
          all: {least: 0}
          long: {least: 20}
    """
    examined = plan(tmp_path, TABLES + rest.replace("\n    ", "\n").removeprefix("    "))
    assert said(examined) == []
    results = examined.results["small"]
    assert [results.cell("kinds", row, "n").value for row in ("all", "long")] == [3, 2]


def test_a_cross_table_has_a_row_for_each_combination(tmp_path: Path) -> None:
    text = """\
    tables:
      scales:
        columns: {steps: {unit: step}}
        rows: {small: {steps: 10}, large: {steps: 100}}
      speeds:
        columns: {speed: {unit: step / hour, domain: positive}}
        rows: {slow: {speed: 1}, fast: {speed: 10}}
      grid:
        rows: {each: {scale: scales, setup: speeds}}
        columns: {hours: {unit: hour, formula: scale.steps / setup.speed}}
        show: {down: scale, across: setup, cell: hours}
        total: [hours]
    """
    examined = plan(tmp_path, text)
    assert said(examined) == []
    results = examined.results["small"]
    assert results.rows["grid"] == ("small--slow", "small--fast", "large--slow", "large--fast")
    assert [v.value for v in results.tables["grid"]["hours"]] == [10, 1, 100, 10]
    assert results.scalars["grid.total.hours"].value == 121


def test_a_scalar_can_refer_to_a_table_of_its_plan(tmp_path: Path) -> None:
    lines = """\
    scalars:
      chosen: {ref: t, value: c}
      best: {ref: t, formula: argmin(t.price where t.steps < limit)}
      limit: {value: 30, unit: step}
      f: {unit: USD, formula: chosen.price + best.price}
    """
    examined = plan(tmp_path, lines.replace("\n    ", "\n").removeprefix("    ") + TABLES)
    assert said(examined) == []
    assert examined.results["small"].scalars["f"].value == 4
    none = lines.replace("value: 30", "value: 5")
    examined = plan(tmp_path, none.replace("\n    ", "\n").removeprefix("    ") + TABLES)
    assert examined.results["small"].scalars["best"].reason == "no rows"
    assert examined.results["small"].scalars["f"].reason == "no rows"
    wrong = TABLES + "scalars:\n  chosen: {ref: u, value: c}\n  f: {unit: USD, formula: chosen.x}\n"
    assert said(plan(tmp_path, wrong)) == [
        "N001 'u' is not a table to refer to; for a choice of words, write words: [a, b]"
    ]


def test_phases_follow_each_other_and_add_up(tmp_path: Path) -> None:
    text = """\
    scalars:
      seeds: {value: 3, unit: 1, domain: count}
      goodput: {value: 1, unit: 1, domain: positive-fraction}
    phases:
      first:
        title: First
        class: one_time
        gpus: {value: 2}
        hours: {value: 5}
      second:
        title: Second
        class: per_seed
        after: [first]
        overhead: {value: 0.1}
        gpu_hours: {formula: work * 2}
        scalars: {work: {value: 10, unit: GPU * hour}}
    total: [gpu_hours, budget]
    """
    examined = plan(tmp_path, text)
    assert said(examined) == []
    results = examined.results["small"]
    row = {
        (phase, column): results.cell("phases", phase, column).value
        for phase in ("first", "second")
        for column in ("gpu_hours", "hours", "budget", "start", "end")
    }
    assert row["first", "gpu_hours"] == 10
    assert row["second", "hours"] == 20
    assert (row["second", "start"], row["second", "end"]) == (5, 71)
    assert row["second", "budget"] == pytest.approx(66)
    assert results.scalars["phases.total.budget"].value == pytest.approx(76)


def test_a_column_means_the_same_in_its_own_formula_as_outside(tmp_path: Path) -> None:
    text = """\
    scalars:
      gpus: {value: 4, unit: GPU, domain: count}
      goodput: {value: 1, unit: 1, domain: positive-fraction}
    phases:
      only:
        title: Only
        class: one_time
        gpus: {formula: gpus * 2}
        hours: {value: 5}
    """
    examined = plan(tmp_path, text)
    assert said(examined) == []
    assert examined.results["small"].cell("phases", "only", "gpus").value == 8
    circle = text.replace("gpus: {value: 4", "cards: {value: 4")
    assert said(plan(tmp_path, circle))[0].startswith("N005 these depend on each other: phases")


def test_a_scenario_switches_between_two_stated_values(tmp_path: Path) -> None:
    from scalesheet.evaluate import evaluate
    from scalesheet.model import Key

    text = """\
    scenarios: [corrected, written]
    scalars:
      speed: {low: 1800, high: 2000, unit: step / hour, domain: positive, written: {value: 2000}}
      f: {unit: hour, formula: (3600 as step) / speed}
    """
    examined = plan(tmp_path, text)
    assert said(examined) == []
    assert examined.book is not None
    book, small = examined.book, examined.book.plans["small"]
    corrected = examined.results["small"].scalars["f"]
    assert (corrected.low, corrected.high) == pytest.approx((1.8, 2.0))
    stated = small.scalars["speed.corrected"].stated
    assert stated is not None
    assert stated.midpoint
    written = evaluate(book, small, {Key("scenario"): "written"}).scalars["f"]
    assert (written.low, written.value, written.high) == pytest.approx((1.8, 1.8, 1.8))


def test_the_price_in_force_on_the_day_is_used(tmp_path: Path) -> None:
    from datetime import date

    from scalesheet.examine import examine
    from small import lay

    data = lay(tmp_path, {})
    for day, price in (("2025-12-31", 1.25), ("2026-01-01", 1.0)):
        examined = examine(data, date.fromisoformat(day))
        assert examined.book is not None
        results = examined.results["small"]
        assert results.cell("offers", "offer", "price").value == price
    early = examine(data, date(2023, 1, 1)).results["small"]
    assert early.cell("offers", "offer", "price").reason == "no price known at 2023-01-01"


def test_examples_of_catalogue_formulas_are_checked(tmp_path: Path) -> None:
    bad = """\
title: Wrong
inputs: {a: 1}
unit: 1
formula: a * 2
source: a-paper
examples: [{given: {a: 2}, expect: 5}]
"""
    examined = plan(tmp_path, "", {"formulas/wrong.yaml": bad})
    assert said(examined) == ["F005 'wrong' gives 4 where its example expects 5"]


def test_asserted_dimensions_are_checked_only_at_the_boundary(tmp_path: Path) -> None:
    law = """\
title: An empirical law
inputs: {params: parameter, size: byte}
unit: hour
formula: params ** 0.5 + size
dimensions: asserted
source: a-paper
examples: [{given: {params: 4, size: 1}, expect: 3}]
"""
    line = "f: {unit: minute, formula: 'law(params=4 as parameter, size=size)'}"
    examined = scalars(tmp_path, f"size: {{value: 1, unit: GB}}\n{line}")
    assert said(examined)[0].startswith("N001 unknown function 'law'")
    examined = plan(
        tmp_path,
        f"scalars:\n  size: {{value: 1, unit: GB}}\n  {line}\n",
        {"formulas/law.yaml": law},
    )
    assert said(examined) == []
    assert examined.results["small"].scalars["f"].value == pytest.approx((2 + 1e9) * 60)


def test_an_edit_that_breaks_a_declared_domain_gives_a_reason(
    tmp_path: Path,
) -> None:
    from scalesheet.evaluate import evaluate
    from scalesheet.model import Key

    lines = """
    a: {value: 3, unit: 1}
    b: {value: 1, unit: 1}
    left: {unit: 1, domain: positive, formula: a - b}
    f: {unit: 1, formula: 1 / left}
    """
    examined = scalars(tmp_path, lines)
    assert said(examined) == []
    assert examined.book is not None
    book, small = examined.book, examined.book.plans["small"]
    assert examined.results["small"].scalars["f"].value == 0.5
    edited = evaluate(book, small, {Key("b"): 3.0})
    assert edited.scalars["f"].reason == "division by zero"


def test_a_column_has_the_combined_sign_of_its_cells(tmp_path: Path) -> None:
    text = """\
    tables:
      t:
        columns:
          n: {unit: 1}
          x: {unit: 1, formula: n - 5}
        rows:
          a: {n: 1}
          b: {n: 7, x: {formula: n + 1}}
    scalars:
      spread: {low: 1, high: 2, unit: 1}
      f: {unit: 1, formula: spread * sum(t.x)}
    """
    assert said(plan(tmp_path, text))[0].startswith("R002")


def test_an_unknown_unit_is_reported_once_and_hides_no_other_error(tmp_path: Path) -> None:
    lines = """
    speed: {value: 500, unit: stp / hour, domain: positive}
    steps: {value: 1000, unit: step, domain: count}
    hours: {unit: hour, formula: steps / speed}
    whole: {unit: hour, formula: ceil(hours * speed) / speed}
    wrong: {unit: hour, formula: steps}
    """
    assert [text.split(";")[0] for text in said(scalars(tmp_path, lines))] == [
        "U001 unknown unit 'stp'",
        "U002 'wrong' is declared in hour, but the formula gives step",
    ]
