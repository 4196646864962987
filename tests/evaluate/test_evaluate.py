"""The evaluator: whole columns at once, reasons as values, edits, and a table of a million rows."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import scalesheet.evaluate as evaluate_module
from scalesheet.evaluate import evaluate, series_of
from scalesheet.model import Key, Stated
from shipped import shipped
from small import plan, said

SIDE = 1000


def test_a_million_rows_are_evaluated_with_the_languages_arithmetic(tmp_path: Path) -> None:
    scales = "".join(f"      r{i}: {{steps: {i + 1}}}\n" for i in range(SIDE))
    speeds = "".join(f"      q{i}: {{speed: {i + 1}}}\n" for i in range(SIDE))
    text = (
        "tables:\n"
        "  scales:\n    columns: {steps: {unit: step, domain: count}}\n    rows:\n"
        + scales
        + "  speeds:\n    columns: {speed: {unit: step / hour, domain: positive}}\n    rows:\n"
        + speeds
        + "  grid:\n"
        "    rows: {each: {scale: scales, setup: speeds}}\n"
        "    columns:\n"
        "      hours: {unit: hour, formula: scale.steps / setup.speed}\n"
        "      whole: {unit: hour, formula: ceil(hours)}\n"
        "      long: {words: [long, short],"
        " formula: \"'long' if whole > limit else 'short'\"}\n"
        "    total: [whole]\n"
        "scalars:\n  limit: {value: 1, unit: hour}\n"
    )
    examined = plan(tmp_path, text)
    assert said(examined) == []
    results = examined.results["small"]
    assert len(results.rows["grid"]) == SIDE**2
    steps = np.arange(1, SIDE + 1)
    exact = -(-steps[:, None] // steps[None, :])  # ceil of whole quotients, without rounding
    computed = np.asarray(results.tables["grid"]["whole"].value).reshape(SIDE, SIDE)
    assert (computed == exact).all()
    assert results.scalars["grid.total.whole"].value == exact.sum()
    words = np.asarray(results.tables["grid"]["long"].value).reshape(SIDE, SIDE)
    assert ((words == "long") == (exact > 1)).all()


TABLE = """\
scalars:
  rate: {value: 2, unit: 1, domain: positive}
tables:
  t:
    columns:
      n: {unit: 1}
      twice: {unit: 1, formula: n * rate}
      word: {words: [big, small], formula: "'big' if n > 2 else 'small'"}
      kept: {unit: 1, formula: n if n > 2 else reason('too small')}
      next: {unit: 1, formula: kept + 1}
    rows:
      a: {n: 1}
      b: {n: 3}
      c: {n: {reason: not measured}}
      d: {n: {value: 4, low: 3, high: 6}}
    total: [twice, next]
"""


def test_reasons_propagate_through_columns_and_stay_out_of_totals(tmp_path: Path) -> None:
    examined = plan(
        tmp_path,
        TABLE.replace("n if n > 2", "n if low(n) > 2").replace(
            "'big' if n > 2", "'big' if low(n) > 2"
        ),
    )
    assert said(examined) == []
    results = examined.results["small"]

    def column(name: str) -> list[float | str | bool | None]:
        return [v.reason or v.value for v in results.tables["t"][name]]

    assert column("twice") == [2, 6, "not measured", 8]
    assert column("word") == ["small", "big", "not measured", "big"]
    assert column("kept") == ["too small", 3, "not measured", 4]
    assert column("next") == ["too small", 4, "not measured", 5]
    assert results.cell("t", "d", "twice").high == 12
    total = results.scalars["t.total.next"]
    assert (total.low, total.value, total.high) == (8, 9, 11)


@pytest.mark.parametrize(
    ("key", "value", "cell", "expected"),
    [
        (Key("rate"), 5.0, ("a", "twice"), 5.0),
        (Key("n", "t", "a"), 10.0, ("a", "twice"), 20.0),
        (Key("n", "t", "c"), 7.0, ("c", "next"), 8.0),
        (Key("n", "t", "b"), Stated(reason="gone"), ("b", "twice"), "gone"),
    ],
)
def test_an_edit_replaces_the_stated_value(
    tmp_path: Path, key: Key, value: float | Stated, cell: tuple[str, str], expected: object
) -> None:
    text = TABLE.replace("n if n > 2", "n if low(n) > 2").replace(
        "'big' if n > 2", "'big' if low(n) > 2"
    )
    examined = plan(tmp_path, text)
    assert examined.book is not None
    small = examined.book.plans["small"]
    results = evaluate(examined.book, small, {key: value})
    found = results.cell("t", *cell)
    assert (found.reason or found.value) == expected
    shipped = evaluate(examined.book, small)
    assert shipped.cell("t", "a", "twice").value == 2, "an edit leaves nothing behind"


def test_an_edit_recomputes_only_what_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """\
scalars:
  rate: {value: 2, unit: 1, domain: positive}
  large: {words: [yes, no], formula: "'yes' if rate > 3 else 'no'"}
  told: {words: [much, little], formula: "'much' if large == 'yes' else 'little'"}
tables:
  t:
    columns:
      n: {unit: 1}
      m: {unit: 1}
      kept: {unit: 1, formula: n * rate if rate > 3 else reason('too slow')}
      other: {unit: 1, formula: m + 1}
    rows:
      a: {n: 1, m: 1}
      b: {n: 2, m: 1}
"""
    examined = plan(tmp_path, text)
    assert examined.book is not None
    small = examined.book.plans["small"]
    evaluate(examined.book, small)
    computed = []
    compute = evaluate_module.compute
    monkeypatch.setattr(
        evaluate_module, "compute", lambda key, *of: computed.append(key) or compute(key, *of)
    )
    evaluate(examined.book, small, {Key("rate"): 3.0})
    assert computed == [Key("large"), Key("kept", "t")], "and not what reads `large`"
    found = evaluate(examined.book, small, {Key("rate"): 4.0}).tables["t"]["kept"]
    assert [(v.value, v.reason) for v in found] == [(4, None), (8, None)], "no reason is left over"


@pytest.mark.parametrize("seed", range(3))
def test_the_catalogue_is_the_same_in_whatever_order_its_columns_are_read(seed: int) -> None:
    edition = shipped().edition
    assert edition is not None
    book = edition.book
    state = evaluate_module._of_catalogue(book.tables, book.order, {})
    columns = [(name, column) for name, table in book.tables.items() for column in table.columns]
    random.Random(seed).shuffle(columns)
    for table, column in columns:
        found = series_of(state.columns[table, column])
        for one, other in zip(found, edition.catalogue.tables[table][column], strict=True):
            assert repr(one) == repr(other), (table, column)
