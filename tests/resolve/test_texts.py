"""Texts and reasons with figures: what they print, what is refused, when a text is a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from scalesheet.evaluate import evaluate
from scalesheet.language.syntax import ENDS
from scalesheet.model import Key, Stated
from scalesheet.values import Value
from small import plan, said, scalars

INPUTS = """
gpus: {value: 8, unit: GPU, domain: count}
cards: {value: 2, unit: GPU}
share: {value: 0.355, unit: 1, domain: fraction}
need: {value: 20, low: 18, high: 30, unit: GiB, domain: positive}
hours: {value: 12.25, low: 10, high: 14, unit: hour, domain: positive}
price: {value: 1.5, unit: USD / (GPU * hour), domain: positive}
debt: {value: -2.5, unit: 1, domain: signed}
gpu: {ref: hardware, value: card}
model: {text: yes, value: "it's 0.5B"}
mode: {words: [fast, slow], value: slow}
on: {flag: yes, value: no}
"""


def value(folder: Path, formula: str, kind: str = "text: yes", rest: str = "") -> Value:
    text = formula.replace("\\", "\\\\").replace('"', '\\"')
    examined = scalars(folder, f'{INPUTS}\nf: {{{kind}, formula: "{text}"}}', rest)
    assert said(examined) == []
    return examined.results["small"].scalars["f"]


@pytest.mark.parametrize(
    ("formula", "printed"),
    [
        ("text('n = {gpus}')", "n = 8"),
        ("text('{gpus + 1 as GPU} of {2 * 8}, {ceil(debt)}')", "9 of 16, -2"),
        ("text('{cards:.0}, {debt:.0}, {debt:.2}')", "2, -3, -2.50"),
        ("text('{need:.1 GB} of {need:.0 GiB}')", "21.5 GB of 20 GiB"),
        ("text('{low(hours):.0 h}-{high(hours):.0 h}')", "10 h-14 h"),
        ("text('{hours:.1 hour}, {hours:.0 minute}')", "12.3 h, 735 min"),
        ("text('{share:.0 %}, {share:.1 %}, {share:.3}')", "36%, 35.5%, 0.355"),
        ("text('{price:.2 USD / (GPU * hour)}')", "1.50 USD/(GPU·h)"),
        ("text('{price * gpus * hours:.0 USD}')", "147 USD"),
        ("text('{price * 1e7:.0 USD/(GPU·h)}')", "15000000 USD/(GPU·h)"),
        ("text('{gpu}, {mode}, {model}')", "A card, slow, it's 0.5B"),
        ("text('a', ' --on' if on else '', ' {gpus}' if not on else ' off', mode)", "a 8slow"),
        ("text('{{{gpus}}}')", "{8}"),
        ("text('')", ""),
        ("text('{0.5 - 0.54:.1}')", "0.0"),
        ("'low' if gpus < cards else text('{gpus} high')", "8 high"),
        ("mode", "slow"),
    ],
)
def test_a_text_prints(tmp_path: Path, formula: str, printed: str) -> None:
    assert value(tmp_path, formula) == Value(printed)


@pytest.mark.parametrize(
    ("formula", "place", "message"),
    [
        ("text('{need:.1 hour}')", "hour}", "U002 the placeholder prints hour, but the"),
        ("text('{need:.1 GBB}')", "GBB}", "U001 unknown unit 'GBB'; did you mean 'GB'?"),
        ("text('{need:.1}')", "need:", "U002 the number is in GiB; name the unit that is printed"),
        ("text('{need:.0 %}')", "%}", "U002 the placeholder prints 1, but"),
        ("text('{ceil(need)}')", "ceil", "U002 the number is in GiB; name the unit"),
        ("text('{cards}')", "cards", "F007 the number need not be whole; say how many decimals"),
        ("text('a', share)", "share", "F007 the number need not be whole"),
        ("text('{on}')", "on}", "F004 yes or no cannot be printed; write words for it"),
        ("text('{mode:.1}')", "mode", "F004 a word has no decimals"),
        ("text('{gpux}')", "gpux", "N001 unknown name 'gpux'; did you mean 'gpu'?"),
        ("text('a', reason('no'))", "reason", "F004 a reason cannot be part of a text"),
        ("text('a' if gpus else 'b')", "gpus", "F004 expected a condition, found a number"),
        (
            "text('a' if need > need else 'b')",
            "need >",
            "R003 the condition may hold at one end of the range",
        ),
        ("text('a {gpus')", "{gpus", "F001 formula, character 9: the placeholder is not closed"),
        ("gpus", "gpus", "F004 expected a text, found a number"),
    ],
)
def test_a_figure_that_cannot_be_printed_is_reported_at_its_place(
    tmp_path: Path, formula: str, place: str, message: str
) -> None:
    line = f'f: {{text: yes, title: F, formula: "{formula}"}}'
    examined = scalars(tmp_path, f"{INPUTS}\n{line}")
    (found,) = examined.diagnostics
    assert f"{found.code} {found.message}".startswith(message)
    assert line[found.column - 3 :].startswith(place)  # it is indented by two blanks


WHOLE = [
    "gpus * 2",
    "gpus - 3 as GPU",
    "max(gpus, 4 as GPU)",
    "count(hardware)",
    "floor(share)",
    "round(share)",
    "round(share, -2)",
    "12",
    "gpus if on else 4 as GPU",
    "sum(gpus, gpus)",
    "abs(gpus)",
    "low(gpus)",
    "derived",
]
BROKEN = ["gpus / 2", "gpus ** 2", "round(share, 1)", "mean(1, 2)", "0.5", "cards", "derived / 2"]


@pytest.mark.parametrize("formula", WHOLE)
def test_a_whole_number_needs_no_decimals(tmp_path: Path, formula: str) -> None:
    lines = f"{INPUTS}\nderived: {{unit: GPU, formula: gpus * 3}}\nf: {{text: yes, formula: "
    examined = scalars(tmp_path, f"{lines}\"text('{{{formula}}}')\"}}")
    assert said(examined) == []
    assert str(examined.results["small"].scalars["f"].value).lstrip("-").isdigit()


@pytest.mark.parametrize("formula", BROKEN)
def test_a_number_that_may_be_fractional_needs_decimals(tmp_path: Path, formula: str) -> None:
    lines = f"{INPUTS}\nderived: {{unit: GPU, formula: gpus * 3}}\nf: {{text: yes, formula: "
    examined = scalars(tmp_path, f"{lines}\"text('{{{formula}}}')\"}}")
    assert [d.code for d in examined.diagnostics] == ["F007"]


def test_a_reason_can_print_figures(tmp_path: Path) -> None:
    told = "reason('needs {need:.1 GB}, {gpu} has {gpu.memory:.0 GiB}')"
    formula = f"gpus if gpus < cards else {told}"
    assert value(tmp_path, formula, "unit: GPU").reason == "needs 21.5 GB, A card has 24 GiB"
    chosen = "'fast' if on else reason('no ' , 'more' if on else 'less', ' than {gpus}')"
    assert value(tmp_path, chosen, "words: [fast, slow]").reason == "no less than 8"


DOUBTFUL = """
runs: {unit: 1, formula: "share if on else reason('off: {gpus}')"}
word: {words: [good, bad], formula: "'good' if on else reason('no word')"}
row: {ref: hardware, formula: argmin(hardware.memory where memory > most)}
most: {value: 900, unit: GiB}
"""


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        ("text('a {runs:.1}')", "off: 8"),
        ("text('a {1 / (gpus - gpus) * gpus:.1}')", "division by zero"),
        ("text('a {word}')", "no word"),
        ("text('a {row}')", "no rows"),
        ("text('{row.memory:.0 GiB} {word}')", "no rows"),
        ("text('{gpus} {row.vendor}')", "no rows"),
        ("text('a', ' {word}' if not on else '{runs:.1}')", "no word"),
        ("text('a', ' {word}' if on else ' {runs:.1}')", "off: 8"),
    ],
)
def test_a_text_takes_the_reason_of_a_figure_in_it(
    tmp_path: Path, formula: str, reason: str
) -> None:
    examined = scalars(tmp_path, f'{INPUTS}{DOUBTFUL}\nf: {{text: yes, formula: "{formula}"}}')
    found = [line for line in said(examined) if not line.startswith("V003")]
    assert found == []
    assert examined.book is not None
    small = examined.book.plans["small"]
    assert small.scalars["f"].may_reason
    assert evaluate(examined.book, small).scalars["f"] == Value(reason=reason)


def test_the_side_that_is_not_chosen_is_ignored(tmp_path: Path) -> None:
    formula = "text('a', ' {word}' if on else ' b', ' {runs:.1}' if on else '')"
    examined = scalars(tmp_path, f'{INPUTS}{DOUBTFUL}\nf: {{text: yes, formula: "{formula}"}}')
    assert examined.results["small"].scalars["f"] == Value("a b")


def test_a_text_that_may_be_a_reason_cannot_be_part_of_a_text(tmp_path: Path) -> None:
    one, other = (f"text: yes, formula: \"text('a {each}')\"" for each in ("{runs:.1}", "{g}"))
    (found,) = said(scalars(tmp_path, f"{INPUTS}{DOUBTFUL}g: {{{one}}}\nf: {{{other}}}"))
    assert found.startswith("F004 a text that may be a reason cannot be part of a text")


TABLE = """\
scalars:
  one: {value: 1, unit: step}
  most: {value: 4, unit: step}
  far: {value: 7, unit: step, domain: count}
tables:
  t:
    columns:
      steps: {unit: step, domain: count}
      remark: {text: yes}
      next: {ref: t}
      kept: {unit: step, formula: "steps if steps < most else reason('{steps} of {most:.0}')"}
      line: {text: yes, formula: "text('{next}: {kept:.1}', ' ({remark})' if steps > one else '')"}
      same: {text: yes, formula: "text('up to {far}')"}
    rows:
      a: {title: First, steps: 1, remark: 'no', next: b}
      b: {title: Second, steps: 3, next: c}
      c: {title: Third, steps: 5, remark: x, next: {reason: the last}}
"""


def test_a_text_column_has_a_text_per_row(tmp_path: Path) -> None:
    examined = plan(tmp_path, TABLE)
    assert said(examined) == []
    columns = examined.results["small"].tables["t"]
    assert list(columns["line"]) == [
        Value("Second: 1.0"),
        Value("Third: 3.0 ()"),
        Value(reason="the last"),
    ]
    assert columns["kept"][2] == Value(reason="5 of 4")
    assert {v.value for v in columns["same"]} == {"up to 7"}
    assert examined.book is not None
    edits = {Key("steps", "t", "b"): 9.0, Key("next", "t", "c"): Stated("a")}
    edited = evaluate(examined.book, examined.book.plans["small"], edits).tables["t"]["line"]
    assert [v.reason or v.value for v in edited] == ["Second: 1.0", "9 of 4", "5 of 4"]


def test_a_number_with_too_many_digits_for_a_text_is_reported(tmp_path: Path) -> None:
    formula = "text('{price * 1e8:.6 USD / (GPU * hour)} and {price * 1e12:.0 USD / (GPU * hour)}')"
    line = f'f: {{text: yes, formula: "{formula}"}}'
    (found,) = said(scalars(tmp_path, f"{INPUTS}\n{line}"))
    assert found.startswith("V006 'f' prints 150000000.000000, with more digits than")


def test_a_figure_in_a_possible_reason_does_not_make_a_number_ranged(tmp_path: Path) -> None:
    formula = "gpus if cards < gpus else reason('{need:.1 GB}')"
    examined = scalars(tmp_path, f'{INPUTS}\nf: {{unit: GPU, formula: "{formula}"}}')
    assert said(examined) == []
    assert examined.book is not None
    found = examined.book.plans["small"].scalars["f"]
    assert not found.ranged
    assert found.formula is not None
    assert [getattr(found.formula.ends, end) is not None for end in ENDS] == [False, True, False]
