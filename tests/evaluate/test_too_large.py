"""A number that is not finite becomes the reason `too large to be a number`, also in a page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.edits import EditError, read_edit
from scalesheet.language.arithmetic import TOO_LARGE
from scalesheet.model import Key
from scalesheet.printers.javascript import quoted
from scalesheet.render.script import program, runtime
from scalesheet.values import Results, Value
from small import plan, said, scalars

PLAN = """
scalars:
  big: {value: 2, unit: 1, domain: signed, kind: decision}
  cards: {value: 2, unit: GPU, domain: count, kind: decision}
  product: {unit: 1, domain: signed, formula: big * big * big * big}
  difference: {unit: 1, domain: signed, formula: product - product}
  inverse: {unit: 1, domain: signed, formula: 1 / (1 + big ** 4)}
  compared: {unit: 1, formula: 1 if big * big * big * big > 5 else 0}
  capped: {unit: 1, domain: signed, formula: "min(big ** 4, 5)"}
  grown: {unit: 1, formula: exp(big)}
  word: {words: [much, little], formula: "'much' if product > 5 else 'little'"}
  late: {flag: yes, formula: product > 5}
  guarded: {unit: 1, formula: "runs['long'].fourth / runs.total.fourth"}
  either: {flag: yes, formula: big > 5 or product > 5}
  avoided: {unit: 1, domain: signed, formula: 1 if big > 5 else big ** 4}
  skipped: {unit: 1, formula: sum(runs.fourth where big_run < 10)}
  ranked: {ref: runs, formula: argmax(runs.fourth)}
tables:
  runs:
    columns:
      times: {unit: 1, domain: signed}
      big_run: {unit: 1, domain: signed, formula: big * times}
      fourth: {unit: 1, formula: (big * times) ** 4}
      share: {unit: 1, formula: 1 / ((big * times) ** 4 + 1) if times > 0 else 0}
    rows:
      short: {times: 0}
      middle: {times: 0.001}
      long: {times: 1}
    total: [fourth]
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    examined = plan(tmp_path_factory.mktemp("book"), PLAN)
    assert examined.book is not None, "\n".join(said(examined))
    return examined.book


def everything(results: Results) -> dict[str, Value]:
    cells = {
        f"{name}/{column}/{row}": value
        for name, columns in results.tables.items()
        for column, series in columns.items()
        for row, value in zip(results.rows[name], series, strict=True)
    }
    return {**results.scalars, **cells}


def test_an_overflow_is_a_reason_in_everything_that_depends_on_it(book: Book) -> None:
    found = everything(evaluate(book, book.plans["small"], {Key("big"): 1e100}))
    large = {name for name, value in found.items() if value.reason == TOO_LARGE}
    rest = {"big", "cards", "either", "avoided", "skipped"}
    cells = {f"runs/{column}/long" for column in ("fourth", "share")}
    cells |= {f"runs/{column}/middle" for column in ("fourth", "share")}
    assert large == (set(book.plans["small"].scalars) - rest) | cells | {"runs.total.fourth"}
    assert found["either"].value is True
    assert (found["avoided"].value, found["skipped"].value) == (1.0, 0.0)
    assert found["runs/share/short"].value == 0.0
    assert {value.value is None for name, value in found.items() if name in large} == {True}


@pytest.mark.parametrize("big", [2.0, -3.0, 0.0, 1e70, 1e77, 1e100, -1e100, 1e-100])
def test_a_page_says_the_same(book: Book, big: float, run_node: Callable[..., Any]) -> None:
    whole = book.plans["small"]
    code = f"""(() => {{
        const plan = scalesheet.plans.small;
        const scalars = {{ ...plan.inputs.scalars, big: {big!r} }};
        const found = plan.compute({{ ...plan.inputs, scalars }});
        const out = {{ ...found.scalars }};
        for (const name of ["runs"])
          for (const column of Object.keys(found.tables[name]))
            found.tables[name][column].forEach((cell, row) => {{
              out[`${{name}}/${{column}}/${{plan.inputs.tables[name].rows[row]}}`] = cell;
            }});
        return JSON.stringify(out);
    }})()"""
    told = json.loads(run_node(runtime(), program(whole, book), code))
    results = everything(evaluate(book, whole, {Key("big"): big}))
    for name, cell in told.items():
        value = results[name]
        assert cell.get("reason") == value.reason, name
        if isinstance(value.value, float):
            assert cell["value"] == pytest.approx(value.value, rel=1e-12), name
        elif value.reason is None:
            assert cell["value"] == value.value, name
    assert quoted(TOO_LARGE) in runtime()


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("1 / -0", "V003 division by zero"),
        ("1 / (0 * times)", "V003 'out': division by zero; the formula is 1 / (0 * times)"),
        ("1 if 1e99 ** 4 > 5 else 0", f"V006 'out': {TOO_LARGE}; the formula is 1 if"),
        ("1e99 ** 4 - 1e99 ** 4", f"V006 'out': {TOO_LARGE}; the formula is 1e99 ** 4 - 1e99 ** 4"),
        ("2 * 1e308", "F001 '1e308' is larger than 1e100; write it in a larger unit"),
        ("2 * 1e-999", "F001 '1e-999' is smaller than 1e-100; write 0, or use a smaller unit"),
        ("٣ * 2", "F001 '٣' has no meaning in a formula"),
    ],
)
def test_shipped_data_that_overflows_is_an_error(
    tmp_path: Path, formula: str, message: str
) -> None:
    lines = f"times: {{value: 1, unit: 1}}\nout: {{unit: 1, domain: signed, formula: {formula}}}"
    (told,) = said(scalars(tmp_path, lines))
    assert re.sub("formula, character [0-9]+: ", "", told).startswith(message)


def test_only_the_first_overflow_is_reported(tmp_path: Path) -> None:
    lines = """
        large: {value: 1e80, unit: 1}
        fourth: {unit: 1, formula: large ** 4}
        half: {unit: 1, formula: fourth / 2}
    """
    message = f"V006 'fourth': {TOO_LARGE}; the formula is large ** 4"
    assert said(scalars(tmp_path, lines)) == [message]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ("big=1e308", "'1e308' is larger than 1e100; write it in a larger unit"),
        ("big=1e-308", "'1e-308' is smaller than 1e-100; write 0, or use a smaller unit"),
        ("big=1e999", "'1e999' is larger than 1e100; write it in a larger unit"),
        ("big=nan", "expected a number, found 'nan'"),
        ("big=٣", "expected a number, found '٣'"),
        ("cards=1..2.5", "1..2.5 is outside the domain 'count'; write a number that is 1, 2, 3"),
        ("cards=1..2", "the middle of 1..2 is outside the domain 'count'; write a number that is"),
    ],
)
def test_an_edit_must_be_in_its_domain_at_both_ends_and_between(
    book: Book, edit: str, message: str
) -> None:
    with pytest.raises(EditError) as caught:
        read_edit(book, book.plans["small"], edit)
    assert str(caught.value).startswith(message)


def test_the_midpoint_of_a_stated_range_must_be_in_its_domain(
    tmp_path: Path,
) -> None:
    (message,) = said(scalars(tmp_path, "cards: {low: 1, high: 2, unit: GPU, domain: count}"))
    assert message.startswith(
        "V002 scalars.cards, the middle of low and high: expected 1, 2, 3, ... (domain"
    )
