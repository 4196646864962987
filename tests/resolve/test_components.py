"""Components: what a use must and must not state, and that each use computes the component."""

from __future__ import annotations

from pathlib import Path

import pytest

from cases import ENERGY, NO_TOTAL, TABLE
from scalesheet.evaluate import evaluate
from scalesheet.examine import Examined
from scalesheet.model import Key
from small import plan, said


def book(folder: Path, text: str, component: str = ENERGY, **more: str) -> Examined:
    files = {"components/energy.yaml": component}
    files |= {f"components/{name.replace('_', '-')}.yaml": text for name, text in more.items()}
    return plan(folder, text, files)


def test_a_table_of_cases_computes_the_component(tmp_path: Path) -> None:
    examined = book(tmp_path, TABLE)
    assert said(examined) == [NO_TOTAL]
    assert examined.book is not None
    component = examined.book.components["energy"].plan
    results = examined.results["small"]
    for row, given in {
        "one": {"hours": 6.0, "load": 0.8},
        "two": {"hours": 10.0, "gpus": 4.0, "load": 0.5},
        "none": {"hours": 7.0, "gpus": 8.0, "load": 0.8},
    }.items():
        own = evaluate(examined.book, component, {Key(name): v for name, v in given.items()})
        for name in ("watts", "drawn", "energy", "twice", "status"):
            if name != "watts":  # a constant is one cell for all rows
                assert results.cell("runs", row, name) == own.scalars[name], (row, name)


@pytest.mark.parametrize(("word", "energy"), [("yes", 960), ("no", 480), ("maybe", None)])
def test_a_flag_is_yes_or_no(tmp_path: Path, word: str, energy: float | None) -> None:
    component = ENERGY.replace(
        "quantities:\n", "  twofold: {flag: yes, value: no, kind: decision}\nquantities:\n"
    ).replace("formula: drawn * hours", "formula: drawn * hours * (2 if twofold else 1)")
    text = TABLE.replace("load: 0.8}", f"load: 0.8, twofold: {word}}}")
    examined = book(tmp_path, text, component)
    if energy is None:
        (problem,) = said(examined)
        assert problem.endswith("'maybe' is not one of the words of 'twofold': yes, no")
    else:
        assert examined.results["small"].cell("runs", "one", "energy").value == energy


def test_an_impossible_case_says_why_and_a_sum_over_it_has_no_value(
    tmp_path: Path,
) -> None:
    """A total or a maximum without it would look complete. Sums over other rows, the best row and
    counts keep their values; whatever depends on an incomplete sum has none either."""
    scalars = """scalars:
  possible: {unit: W * hour, formula: sum(runs.energy where gpus < (8 as GPU))}
  all: {unit: W * hour, formula: sum(runs.energy) + least}
  usual: {unit: W * hour, formula: mean(runs.energy)}
  fewest: {unit: W * hour, formula: min(runs.energy)}
  most: {unit: W * hour, formula: max(runs.energy)}
  counted: {unit: 1, formula: count(runs.energy)}
  owed: {unit: W * hour, formula: sum(bills.owed)}
"""
    text = TABLE.replace("scalars:\n", scalars, 1)
    results = book(tmp_path, text).results["small"]
    assert results.cell("runs", "none", "energy").reason == "8 cards are too many"
    lacks = "a row has no value: runs.energy"
    found = {name: value.value or value.reason for name, value in results.scalars.items()}
    assert found["runs.total.energy"] == found["all"] == found["usual"] == lacks
    assert found["most"] == lacks
    assert found["owed"] == "a row has no value: bills.owed"
    assert (found["possible"], found["fewest"], found["counted"]) == (2480, 480, 2)


def test_an_input_can_be_stated_with_a_letter_or_a_unit(tmp_path: Path) -> None:
    text = TABLE.replace("hours: 10,", "hours: 600 minutes,").replace("load: 0.8", "load: 80 %")
    plain, written = (book(tmp_path / n, t) for n, t in (("plain", TABLE), ("written", text)))
    assert said(written) == [NO_TOTAL]
    for name in ("hours", "energy"):
        for row in ("one", "two", "none"):
            found = (each.results["small"].cell("runs", row, name) for each in (plain, written))
            assert next(found) == next(found)
    wrong = book(tmp_path / "wrong", text.replace("600 minutes", "600 USD"))
    assert said(wrong) == ["U002 'hours': '600 USD' is in USD; write a number in hour"]


def test_a_stated_reason_is_left_out_of_a_sum(tmp_path: Path) -> None:
    text = """
    tables:
      marks:
        columns: {time: {unit: hour}, twice: {unit: hour, formula: 2 * time}}
        rows: {a: {time: 2}, b: {time: {reason: not run yet}}}
    scalars: {sum: {unit: hour, formula: sum(marks.twice)}}
    """
    assert plan(tmp_path, text).results["small"].scalars["sum"].value == 4


def test_an_input_shared_by_all_rows_is_one_cell(tmp_path: Path) -> None:
    """A row can state its own value; only that row then has a cell of its own."""
    examined = book(tmp_path, TABLE)
    assert examined.book is not None
    small = examined.book.plans["small"]
    edited = evaluate(examined.book, small, {Key("runs.all.load"): 0.4})
    assert edited.cell("runs", "one", "energy").value == 240
    assert edited.cell("runs", "two", "energy").value == 2000
    edited = evaluate(examined.book, small, {Key("load", "runs", "two"): 0.25})
    assert edited.cell("runs", "two", "energy").value == 1000


def test_a_single_case_becomes_scalars_of_the_plan(tmp_path: Path) -> None:
    text = """\
    headline: [energy]
    case: {of: energy, with: {card: card, hours: days * 3}}
    scalars:
      days: {value: 2, unit: hour, domain: positive}
      more: {unit: W * hour, formula: energy + twice}
    """
    examined = book(tmp_path, text)
    assert said(examined) == []
    results = examined.results["small"]
    assert results.scalars["energy"].low == 150
    assert results.scalars["more"].value == 900
    assert [value.value for value in results.tables["conditions"]["holds"]] == [True, True]


def test_a_component_within_another_is_expanded(tmp_path: Path) -> None:
    outer = """\
    title: Cost of energy
    summary: What it costs.
    inputs:
      card: {ref: hardware}
      price: {unit: USD / (W * hour)}
    uses:
      drawn: {of: energy, with: {card: {formula: card}, hours: 10, gpus: 2}}
    quantities:
      cost: {unit: USD, formula: drawn_energy * price}
    outputs: [cost]
    examples: [{given: {card: card, price: 2}, expect: {cost: 2000, drawn_load: 0.5}}]
    """
    lines = "\n".join(line[4:] for line in outer.splitlines())
    text = """\
    tables:
      runs: {of: cost, rows: {one: {card: card, price: 3}}, total: [cost]}
    """
    examined = book(tmp_path, text, cost=lines)
    assert said(examined) == []
    assert examined.results["small"].scalars["runs.total.cost"].value == 3000


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("of: energy", "of: enrgy", "N001 unknown component 'enrgy'; did you mean 'energy'?"),
        (
            "gpus: 4",
            "gpu: 4",
            "S001 the component 'energy' has no input 'gpu'; did you mean 'gpus'?",
        ),
        (
            "one: {hours: days * 3}",
            "one: {gpus: 1}",
            "S002 the row 'one' has no 'hours', and there is no default; state it",
        ),
        (
            "gpus: 4",
            "energy: 4",
            "S001 Energy of a run computes 'energy'; state its inputs instead",
        ),
        (
            "load: 0.8",
            "lod: 0.8",
            "S001 the component 'energy' has no input 'lod'; did you mean 'load'?",
        ),
        (
            "hours: days * 3",
            "hours: days * days",
            "U002 'hours' is declared in hour, but the formula gives hour**2",
        ),
        (
            "total: [energy]",
            "total: [enrgy]",
            "N001 'runs' has no column of numbers 'enrgy' to total; did you mean 'energy'?",
        ),
        ("{card: card, load: 0.8}", "{card: crd}", "N002 'crd' is not in hardware"),
    ],
)
def test_an_error_in_a_use_is_reported(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in TABLE
    problems = said(book(tmp_path, TABLE.replace(old, new)))
    assert any(each.startswith(message) for each in problems), problems


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "outputs: [energy, twice]",
            "outputs: [enrgy]",
            "N001 'enrgy' is not a quantity of the component; did you mean 'energy'?",
        ),
        (
            "outputs: [energy, twice]",
            "outputs: [energy, twice]\nsections: {drwn: Power}",
            "N001 'drwn' is not a quantity of the component; did you mean 'drawn'?",
        ),
        ("drawn * hours", "drawn + hours", "U002 '+' needs operands that measure the same"),
        (
            "expect: {energy: 500,",
            "expect: {energy: 501,",
            "F005 'energy' is 500 where the example expects 501",
        ),
        (
            "given: {card: card, hours: 10}",
            "given: {card: card}",
            "S002 this use of 'energy' has no 'hours'",
        ),
        ("  watts:", "  hours:", "N003 the component has another 'hours'"),
        ("ref: hardware", "ref: sites", "N001 'sites' is not a table to refer to"),
        ("outputs:", "evidence: [speed]\noutputs:", "S004 evidence"),
    ],
)
def test_an_error_in_a_component_is_reported_once(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in ENERGY
    problems = said(book(tmp_path, TABLE, ENERGY.replace(old, new, 1)))
    assert problems[0].startswith(message)
    assert problems.count(problems[0]) == 1


def test_a_component_that_uses_itself_is_reported_with_the_whole_cycle(tmp_path: Path) -> None:
    uses = "uses: {again: {of: energy, with: {card: card, hours: 1}}}\nquantities:"
    problems = said(book(tmp_path, TABLE, ENERGY.replace("quantities:", uses, 1)))
    assert problems[0] == (
        "N005 the component uses itself: energy -> energy; leave one of them out"
    )


def test_a_name_in_a_cell_means_the_plans_and_not_the_components(tmp_path: Path) -> None:
    """`drawn` is both a scalar of the plan and a quantity of the component."""
    results = book(tmp_path, TABLE.replace("gpus: 8", "gpus: 1")).results["small"]
    assert results.cell("runs", "none", "hours").value == 7
    assert results.cell("runs", "none", "drawn").value == 80


def test_an_axis_of_a_cross_table_sets_the_input_of_the_same_name(tmp_path: Path) -> None:
    text = """\
    tables:
      runs:
        of: energy
        with: {hours: 2}
        rows: {each: {card: hardware}}
        total: [energy]
    """
    examined = book(tmp_path, text)
    assert said(examined) == []
    assert examined.results["small"].scalars["runs.total.energy"].value == 100


OWN_AXES = """\
tables:
  sites:
    columns: {hours: {unit: hour}, gpu: {ref: hardware}}
    rows: {here: {hours: 2, gpu: card}, there: {hours: 3, gpu: card}}
  runs:
    of: energy
    with: {card: {formula: site.gpu}, hours: site.hours * share}
    columns: {share: {unit: 1, formula: 1 / 2}}
    rows: {each: {site: sites}}
    total: [energy]
"""


def test_shared_inputs_can_use_axes_and_columns_of_the_plan(tmp_path: Path) -> None:
    examined = book(tmp_path, OWN_AXES)
    assert said(examined) == []
    results = examined.results["small"]
    assert results.cell("runs", "there", "hours").value == 1.5
    assert results.scalars["runs.total.energy"].value == (1 + 1.5) * 50


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("{site: sites}", "{energy: sites}", "energy"),
        ("{share: {", "{load: {", "load"),
        ("{share: {", "{drawn: {", "drawn"),
    ],
)
def test_a_plan_cannot_reuse_a_name_of_the_component(
    tmp_path: Path, old: str, new: str, place: str
) -> None:
    problems = said(book(tmp_path, OWN_AXES.replace(old, new)))
    message = f"N003 the component 'energy' has a '{place}' of its own; rename this one"
    assert message in problems


def test_an_input_that_no_row_states_is_reported_once(tmp_path: Path) -> None:
    """A mistyped key is one error; the rows that then lack it are not reported."""
    text = TABLE.replace("with: {card: card,", "with: {crad: card,")
    (message,) = said(book(tmp_path, text))
    assert message.startswith("S001")
    assert "did you mean 'card'?" in message


def test_the_last_condition_leaves_the_quantities_that_it_reads(
    tmp_path: Path,
) -> None:
    """A case too large for its card shows its size, but nothing that follows from running it."""
    later = """  room:
    title: The supply is enough
    holds: broken > 0 or low(energy) <= most * (1 as hour)
    says: text('draws {energy:.0 W * hour}')
choose:
"""
    component = ENERGY.replace("choose:\n", later, 1).replace("(1 as hour)", "one")
    component = component.replace("  most:", "  one: {value: 1, unit: hour}\n  most:", 1)
    results = book(tmp_path, TABLE.replace("hours: 7", "hours: 70"), component).results["small"]
    rows = results.rows["runs"]
    found = {row: {n: results.cell("runs", row, n) for n in ("energy", "twice")} for row in rows}
    assert {row: each["energy"].value for row, each in found.items()}["two"] == 2000
    assert found["two"]["twice"].reason == "draws 2000 W·h"
    assert found["one"]["twice"].value == 2 * 480
    assert {each.reason for each in found["none"].values()} == {"8 cards are too many"}
    assert [results.cell("runs", row, "broken").value for row in rows] == [0, 0, 1]
    assert results.cell("runs", "two", "status").value == "draws 2000 W·h"


def test_a_row_of_cases_in_a_phase_finds_the_names_of_its_phase(tmp_path: Path) -> None:
    phases = """phases:
  first:
    title: First
    class: one_time
    gpus: 1
    hours: {formula: first.own}
    scalars:
      own: {value: 3, unit: hour, domain: positive}
    tables:
      runs:
        of: energy
        with: {card: card}
        rows:
          one: {hours: own}
          two: {hours: own * 2}
"""
    scalars = "scalars:\n  goodput: {value: 1, unit: 1, domain: positive-fraction}\n"
    scalars += "  used: {unit: W * hour, formula: \"first.runs['two'].energy\"}\n"
    examined = book(tmp_path, f"headline: [used]\n{scalars}{phases}")
    assert said(examined) == []
    assert examined.results["small"].scalars["used"].value == 2 * 3 * 50


def test_an_example_may_state_an_input_whose_default_is_a_formula(tmp_path: Path) -> None:
    made = "  share: {unit: 1, formula: load / 2}\n  gpus: {"
    component = ENERGY.replace("  gpus: {", made, 1).replace("watts * load", "watts * share")
    component = component.replace("hours: 10}, expect", "hours: 10, share: 0.5}, expect")
    assert said(book(tmp_path, TABLE, component)) == [NO_TOTAL]
    wrong = component.replace("energy: 500,", "energy: 501,")
    (problem, _) = said(book(tmp_path / "wrong", TABLE, wrong))
    assert problem == "F005 'energy' is 500 where the example expects 501"
