"""The uncertainty of results: properties of the quantiles, and closed forms."""

from __future__ import annotations

from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from tests import small

from scalesheet.evaluate import evaluate
from scalesheet.examine import examine
from scalesheet.model import Key, Plan, Stated
from scalesheet.render.sureness import quantile_rows
from scalesheet.render.text.sure import sure_text
from scalesheet.sure.draws import drawn
from scalesheet.sure.quantiles import Quantiles, sure
from scalesheet.sure.shapes import P90, drawn_values
from scalesheet.sure.spread import DRAWS, MOST, REPLICATES, affordable, standard, uniform

PREDICTED = "between(a / 2, a, a * 3)"
Z80 = NormalDist().inv_cdf(0.8)


def made(folder: Path, lines: str, **edits: Stated) -> Quantiles:
    """The quantiles of the figure `y` in a plan with these scalars."""
    examined = small.scalars(folder, lines, "headline: [y]\n")
    assert examined.book is not None, small.said(examined)
    overrides = {Key(name): stated for name, stated in edits.items()}
    return sure(examined.book, examined.book.plans["small"], overrides).figures["y"]


def ranged(name: str, low: float, value: float, high: float, domain: str = "non-negative") -> str:
    return (
        f"{name}: {{value: {value}, low: {low}, high: {high}, unit: 1, domain: {domain}, "
        "kind: assumption}\n"
    )


def formula(text: str, domain: str = "non-negative") -> str:
    return f"y: {{unit: 1, domain: {domain}, formula: {text!r}}}\n"


def test_low_and_high_are_the_10th_and_90th_percentile_and_the_value_the_median(
    tmp_path: Path,
) -> None:
    found = made(tmp_path, ranged("a", 80, 100, 150) + formula("a * 2"))
    expected = {"p10": 160, "p50": 200, "p90": 300}
    for name, value in expected.items():
        assert abs(found.values[name] - value) < min(4 * found.errors[name], 0.01 * value), name


def test_the_product_of_lognormals_is_lognormal(tmp_path: Path) -> None:
    lines = ranged("a", 50, 100, 200) + ranged("b", 1, 3, 9) + formula("a * b")
    found = made(tmp_path, lines)
    width = np.hypot(np.log(2), np.log(3)) / P90
    for name, z in {"p10": -P90, "p50": 0.0, "p80": Z80, "p90": P90}.items():
        assert abs(found.values[name] - 300 * np.exp(z * width)) < 5 * found.errors[name], name


def test_a_sum_of_equal_independent_inputs_narrows_with_the_square_root(tmp_path: Path) -> None:
    names = "abcdefghi"
    lines = "".join(ranged(n, -10, 0, 10, "signed") for n in names)
    found = made(tmp_path, lines + formula(" + ".join(names), "signed"))
    expected = 10 / P90 * Z80 * np.sqrt(len(names))
    assert abs(found.values["p80"] - expected) < 5 * found.errors["p80"]


def test_an_input_read_twice_is_one_unknown_and_does_not_narrow(tmp_path: Path) -> None:
    once = made(tmp_path, ranged("a", 50, 100, 200) + formula("a"))
    twice = made(tmp_path, ranged("a", 50, 100, 200) + formula("a + a"))
    assert twice.values["p80"] == pytest.approx(2 * once.values["p80"], rel=1e-12)


def test_an_exact_plan_has_no_reserve(tmp_path: Path) -> None:
    found = made(tmp_path, "a: {value: 3, unit: 1, kind: assumption}\n" + formula("a * 2"))
    assert (found.reserve, found.values["p10"], found.values["p90"]) == (0, 6, 6)


def test_quantiles_rise_and_a_wider_input_never_lowers_p90(tmp_path: Path) -> None:
    lines = ranged("a", 80, 100, 150) + ranged("b", 1, 2, 3) + formula("a * b")
    last = 0.0
    for high in (110.0, 150.0, 220.0, 900.0):
        values = made(tmp_path, lines, a=Stated(100.0, 80.0, high)).values
        assert values["p10"] < values["p50"] < values["p80"] < values["p90"]
        assert values["p90"] > last
        last = values["p90"]


def test_draws_depend_only_on_the_name(tmp_path: Path) -> None:
    a, b = ranged("a", 80, 100, 150), ranged("b", 1, 2, 3)
    more = b + "c: {unit: 1, formula: b * 2}\n"
    first, other = made(tmp_path, a + formula("a")), made(tmp_path, more + a + formula("a"))
    assert first == other
    both, turned = (made(tmp_path, lines + formula("a + b")) for lines in (a + b, more + a))
    assert both == turned
    assert (standard("a") == standard("a")).all()
    assert abs(np.corrcoef(standard("a"), standard("b"))[0, 1]) < 0.06


def test_draws_stay_in_the_domain() -> None:
    share = drawn_values(Stated(0.9, 0.6, 1.0), "positive-fraction", uniform("share"))
    count = drawn_values(Stated(2.0, 1.0, 3.0), "count", uniform("count"))
    assert share.min() > 0
    assert share.max() <= 1
    assert count.min() >= 1
    assert (count == np.rint(count)).all()


TABLE = """
scalars:
  a: {value: 2, low: 1, high: 4, unit: 1, kind: assumption}
  most: {value: 5, unit: 1, kind: assumption}
  y: {unit: 1, formula: t.total.cost + 0 * a}
headline: [y]
tables:
  t:
    title: Cases
    columns:
      n: {unit: 1}
      cost: {unit: 1, formula: n * a}
    rows: {one: {n: 1}, two: {n: {value: 2, low: 1, high: 3}}, three: {n: 3}}
    total: [cost]
"""


def the_plan(folder: Path) -> tuple[object, Plan]:
    examined = small.plan(folder, TABLE)
    assert examined.book is not None, small.said(examined)
    return examined.book, examined.book.plans["small"]


def test_each_draw_matches_the_evaluator(tmp_path: Path) -> None:
    """Stating the inputs of a draw gives the figure of that draw."""
    book, plan = the_plan(tmp_path)
    sample = drawn(book, plan, ["y"]).figures["y"]  # type: ignore[arg-type]
    a = drawn_values(plan.scalars["a"].stated, "non-negative", uniform("a"))  # type: ignore[arg-type]
    n = drawn_values(plan.tables["t"].columns["n"].stated["two"], "non-negative", uniform("t.n"))
    for at in (0, 7, 2048, 4095):
        edits = {Key("a"): float(a[at]), Key("n", "t", "two"): float(n[at])}
        expected = evaluate(book, plan, edits).scalars["y"].value  # type: ignore[arg-type]
        assert sample[at] == pytest.approx(expected, rel=1e-12)


def test_a_range_from_a_formula_is_drawn(tmp_path: Path) -> None:
    found = made(tmp_path, "a: {value: 100, unit: 1, kind: assumption}\n" + formula(PREDICTED))
    expected = {"p10": 50, "p50": 100, "p90": 300}
    for name, value in expected.items():
        assert abs(found.values[name] - value) < min(4 * found.errors[name], 0.01 * value), name


def test_a_prediction_from_an_uncertain_input_combines_both_spreads(tmp_path: Path) -> None:
    """A product of lognormals: the widths add as squares."""
    found = made(tmp_path, ranged("a", 50, 100, 200) + formula("between(a / 3, a, a * 3)"))
    width = np.hypot(np.log(2), np.log(3)) / P90
    for name, z in {"p10": -P90, "p50": 0.0, "p90": P90}.items():
        assert abs(found.values[name] - 100 * np.exp(z * width)) < 5 * found.errors[name], name


def test_the_same_formula_has_a_common_error_and_another_its_own(tmp_path: Path) -> None:
    def p90(second: str) -> float:
        lines = (
            "a: {value: 100, unit: 1, kind: assumption}\n"
            f"p: {{unit: 1, formula: {PREDICTED!r}}}\nq: {{unit: 1, formula: {second!r}}}\n"
        )
        return made(tmp_path, lines + formula("p + q")).values["p90"]

    assert p90(PREDICTED) == pytest.approx(600, rel=5e-3)
    assert 300 < p90("between(0.5 * a, a, 3 * a)") < 580


def test_a_range_that_is_not_drawn_is_named(tmp_path: Path) -> None:
    lines = ranged("a", 50, 100, 200) + ranged("b", 1, 2, 3)
    lines += "p: {unit: 1, formula: 'between(low(a * b), a * 4)'}\n"
    examined = small.scalars(
        tmp_path, lines + formula("p * 2") + "x: {unit: 1, formula: a * 2}\n", "headline: [y, x]\n"
    )
    assert examined.book is not None, small.said(examined)
    assert sure(examined.book, examined.book.plans["small"]).partial == {"y"}


@pytest.mark.parametrize("name", ["cost", "hours"])
def test_the_calculators_spread_is_that_of_its_prediction(name: str) -> None:
    """Its only uncertain factor is the prediction, an 80 % interval drawn as P10 and P90. Start-up
    adds a little to the cost."""
    edition = examine(Path(__file__).parents[2] / "data").edition
    assert edition is not None
    book, plan = edition.book, edition.book.plans["calculator"]
    found, figure = sure(book, plan), edition.results["calculator"].scalars[name]
    ends = (figure.low, figure.value, figure.high)
    values = found.figures[name].values
    assert (values["p10"], values["p50"], values["p90"]) == pytest.approx(ends, rel=2e-2)
    assert not found.partial


VARIED = """
scalars:
  a: {value: 2, low: 1, high: 4, unit: 1, kind: assumption}
  b: {value: 5, low: 3, high: 8, unit: 1, kind: assumption}
  best: {ref: t, formula: argmin(t.cost)}
  looked: {unit: 1, formula: best.n * 10}
  some: {unit: 1, formula: sum(t.cost where expected(t.cost) > expected(b))}
  many: {unit: 1, formula: count(t where expected(t.cost) > expected(b))}
  least: {unit: 1, formula: min(t.cost where expected(t.cost) > expected(b) / 4)}
  middle: {unit: 1, formula: mean(t.cost where expected(t.cost) > expected(b) / 4)}
headline: [looked, some, many, least, middle]
tables:
  t:
    title: Cases
    columns:
      n: {unit: 1, domain: positive}
      cost: {unit: 1, formula: n * a + b / n}
    rows: {one: {n: 1}, two: {n: 2}, three: {n: 4}}
"""


def test_lookups_and_conditions_that_vary_match_the_evaluator(tmp_path: Path) -> None:
    """With keys and rows that differ between draws, each draw is as if its inputs were stated."""
    examined = small.plan(tmp_path, VARIED)
    assert examined.book is not None, small.said(examined)
    plan = examined.book.plans["small"]
    figures = drawn(examined.book, plan, plan.headline).figures
    a, b = (drawn_values(plan.scalars[n].stated, "non-negative", uniform(n)) for n in "ab")  # type: ignore[arg-type]  # numbers
    assert len(set(figures["looked"])) > 1
    assert len(set(figures["many"])) > 2
    for at in range(0, 4096, 64):
        edits = {Key("a"): float(a[at]), Key("b"): float(b[at])}
        scalars = evaluate(examined.book, plan, edits).scalars
        for name, sample in figures.items():
            assert sample[at] == pytest.approx(scalars[name].value, rel=1e-12), name


DAYS_OFF = """
scalars:
  begin: {value: 2026-01-05, unit: date, kind: decision}
  n: {value: 3, low: 2, high: 9, unit: day, domain: positive, kind: assumption}
  opening: {unit: date, formula: "workday(begin, 10, off.day)"}
  wait: {unit: day, formula: opening - begin}
headline: [wait]
tables:
  off:
    title: Days off
    columns:
      k: {unit: 1}
      day: {unit: date, formula: "begin + expected(n) * k"}
    rows: {one: {k: 1}, two: {k: 2}}
"""


def test_a_figure_that_cannot_be_drawn_is_left_out_with_a_message(tmp_path: Path) -> None:
    examined = small.plan(tmp_path, DAYS_OFF)
    assert examined.book is not None, small.said(examined)
    book, plan = examined.book, examined.book.plans["small"]
    found = sure(book, plan)
    assert (dict(found.figures), found.left_out) == ({}, ("wait",))
    shown = sure_text(book, plan, evaluate(book, plan), found)
    assert "wait: left out, no value in any draw" in shown.splitlines()


ENDS = """
scalars:
  begin: {value: 2026-01-05, unit: date, kind: decision}
  length: {value: 30, low: 20, high: 60, unit: day, domain: positive, kind: assumption}
  ends: {unit: date, formula: begin + length}
headline: [ends]
"""


def test_the_reserve_of_a_date_is_in_days(tmp_path: Path) -> None:
    examined = small.plan(tmp_path, ENDS)
    assert examined.book is not None, small.said(examined)
    book, plan = examined.book, examined.book.plans["small"]
    found = sure(book, plan)
    (row,) = quantile_rows(book, plan, evaluate(book, plan), found)
    each = found.figures["ends"]
    assert float(row.reserve.removesuffix(" d")) == pytest.approx(each.reserve, rel=0.01)
    assert row.error.endswith(" d")
    assert all(day.startswith("2026-") for day in row.quantiles)


OVERFLOW = """
scalars:
  a: {value: 200, low: 100, high: 400, unit: 1, kind: assumption}
  y: {unit: 1, formula: sum(t.grown)}
headline: [y]
tables:
  t:
    title: Cases
    columns:
      n: {unit: 1}
      grown: {unit: 1, formula: exp(n * a)}
    rows: {one: {n: 1}, two: {n: 2}}
"""


def test_a_sum_never_skips_a_cell_that_overflows(tmp_path: Path) -> None:
    examined = small.plan(tmp_path, OVERFLOW)
    assert examined.book is not None, small.said(examined)
    sample = drawn(examined.book, examined.book.plans["small"], ["y"]).figures["y"]
    a = drawn_values(Stated(200.0, 100.0, 400.0), "non-negative", uniform("a"))
    assert (np.isnan(sample) == (2 * a > np.log(np.finfo(float).max))).all()
    assert 0 < np.isnan(sample).mean() < 1


def test_a_table_with_many_rows_has_fewer_draws_within_the_limit_of_numbers() -> None:
    assert affordable(0) == affordable(8_192) == DRAWS
    counts = [affordable(rows) for rows in range(0, 131_072, 1_009)]
    assert counts == sorted(counts, reverse=True)
    assert all(n * rows <= MOST for n, rows in zip(counts, range(0, 131_072, 1_009), strict=True))
    assert all(n % REPLICATES == 0 for n in counts)
