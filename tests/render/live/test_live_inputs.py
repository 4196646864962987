"""The page reads a reader's entries as `show --set` does, and keeps them in the address."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from render.live.parts import sample, with_plan
from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.edits import EditError, read_edit
from scalesheet.model import Stated

Run = Callable[..., Any]
Read = Callable[[str, str], Any]
CALL = 'const p = scalesheet.plans["small"], i = scalesheet.inputs;'


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    return sample(tmp_path_factory.mktemp("inputs"))


@pytest.fixture(scope="module")
def run(book: Book, run_node: Run) -> Callable[[str], Any]:
    scripts = with_plan(book.plans["small"], book, "numbers", "inputs")
    return lambda text: run_node(scripts, f"(() => {{ {CALL} {text} }})()")


READ = """
  return %s.map(([name, text]) => {
    try { return Object.fromEntries(i.change(p, new Map(), name, text)) }
    catch (error) { if (error instanceof i.Refused) return error.message; throw error }
  });
"""


@pytest.fixture(scope="module")
def read(run: Callable[[str], Any]) -> Read:
    """The changes that each text makes, or why it is refused; one call for all."""
    cases = [*READ_THE_SAME, *REFUSED, *(case[:2] for case in (*AS_PRINTED, *MESSAGES)), *SHIPPED]
    said = dict(zip(cases, run(READ % json.dumps(cases)), strict=True))
    return lambda name, text: said[name, text]


def as_input(stated: Stated) -> Any:
    if isinstance(stated.value, float) and stated.ranged:
        return {"value": stated.value, "low": stated.low, "high": stated.high}
    return stated.value


READ_THE_SAME = [
    ("cards", "16"),
    ("cards", " 1e2 "),
    ("price", ".5"),
    ("steps_per_hour.corrected", "1500..2500.5"),
    ("steps_per_hour.written", "100..100"),
    ("gpu", "t4"),
    ("scenario", "written"),
    ("sizes['one'].steps", "5"),
    ("sizes[one].steps", "5"),
    ("train.runs['second'].steps", "7"),
    ("reserve", "1"),
    ("hardware['t4'].memory", "24"),
]


@pytest.mark.parametrize(("name", "text"), READ_THE_SAME)
def test_the_page_reads_every_entry_as_the_program_does(
    name: str, text: str, book: Book, read: Read
) -> None:
    _, stated = read_edit(book, book.plans["small"], f"{name}={text}")
    assert list(read(name, text).values()) == [as_input(stated)]


REFUSED = [
    ("cards", "2.5"),
    ("cards", "0"),
    ("cards", "-1"),
    ("cards", "eight"),
    ("cards", ""),
    ("cards", "1e999"),
    ("cards", "nan"),
    ("cards", "0x10"),
    ("price", "-0.1"),
    ("reserve", "1.01"),
    ("reserve", "-0.5"),
    ("steps_per_hour.corrected", "0..5"),
    ("steps_per_hour.corrected", "5..1"),
    ("gpu", "H100"),
    ("gpu", "<b>"),
    ("scenario", "other"),
    ("cost", "1"),
    ("steps_per_hour", "1"),
    ("nothing", "1"),
    ("sizes['three'].steps", "1"),
    ("sizes['one'].spare", "1"),
    ("__proto__", "1"),
    ("constructor", "1"),
    ("hardware['t4'].constructor", "1"),
    ("toString['t4'].memory", "1"),
]


@pytest.mark.parametrize(("name", "text"), REFUSED)
def test_entries_that_the_program_refuses_change_nothing(
    name: str, text: str, book: Book, read: Read
) -> None:
    with pytest.raises(EditError):
        read_edit(book, book.plans["small"], f"{name}={text}")
    assert isinstance(read(name, text), str)


AS_PRINTED = [
    ("cards", "1,024", 1024),
    ("reserve", "25%", 0.25),
    ("reserve", "0.45%", 0.0045),
    ("reserve", "45e-1%", 0.045),
    ("cards", "1.5k", 1500),
    ("steps_per_hour.corrected", "4.35M..1B", {"value": 502175000, "low": 4350000, "high": 1e9}),
    ("steps_per_hour.corrected", "1,000–2,000", {"value": 1500, "low": 1000, "high": 2000}),
    ("steps_per_hour.corrected", "1e3-2e3", {"value": 1500, "low": 1000, "high": 2000}),
    ("steps_per_hour.corrected", "1000 to 2000", {"value": 1500, "low": 1000, "high": 2000}),
]


@pytest.mark.parametrize(("name", "text", "value"), AS_PRINTED)
def test_numbers_can_be_typed_as_the_page_prints_them(
    name: str, text: str, value: Any, read: Read
) -> None:
    assert read(name, text) == {name: value}


MESSAGES = [
    ("cards", "x", "Expected a whole number of at least 1 in GPUs; found “x”."),
    ("cards", "2..3", "Expected one number: this input cannot be a range."),
    ("price", "-1", "Expected a number of at least 0 in USD/(GPU·h); “-1” is not."),
    (
        "reserve",
        "2",
        "Expected a number of at least 0 and at most 1, such as 0.5 or 50%; “2” is not.",
    ),
    (
        "steps_per_hour.corrected",
        "0",
        "Expected a number above 0 in steps/h, or a range such as 2..3; “0” is not.",
    ),
    ("steps_per_hour.corrected", "5..1", "The low end 5 is above the high end 1."),
    ("gpu", "A100", "“A100” is not possible here; one of h100, t4 is."),
    ("typo", "1", "There is no input “typo” in this plan."),
]


@pytest.mark.parametrize(("name", "text", "message"), MESSAGES)
def test_a_refusal_says_what_is_expected(name: str, text: str, message: str, read: Read) -> None:
    assert read(name, text) == message


SHIPPED = [("cards", "8"), ("gpu", "h100")]


@pytest.mark.parametrize(("name", "text"), SHIPPED)
def test_the_published_value_is_not_a_change(name: str, text: str, read: Read) -> None:
    assert read(name, text) == {}


def test_changes_go_into_the_address_and_come_back(run: Callable[[str], Any]) -> None:
    query, again, faults = run(
        """
        let c = new Map();
        for (const [name, text] of [
          ["scenario", "written"], ["sizes['one'].steps", "7"],
          ["steps_per_hour.corrected", "1..2"], ["reserve", "5%"], ["gpu", "t4"],
        ]) c = i.change(p, c, name, text);
        const { changes, faults } = i.fromQuery(p, i.toQuery(c));
        return [i.toQuery(c), i.toQuery(changes), faults];
        """
    )
    assert query == (
        "?scenario=written&sizes[one].steps=7&steps_per_hour.corrected=1..2&reserve=0.05&gpu=t4"
    )
    assert again == query
    assert faults == []


def test_rubbish_in_the_address_is_reported_and_the_rest_applies(run: Callable[[str], Any]) -> None:
    query = "?cards=16&nothing=1&price=<script>&h=searched&gpu=&cards=%F0%28"
    found = run(
        f"const {{ changes, faults }} = i.fromQuery(p, {json.dumps(query)});"
        "return [[...changes.keys()], faults]"
    )
    assert found == [
        ["cards"],
        [
            "There is no input “nothing” in this plan.",
            "price: Expected a number of at least 0 in USD/(GPU·h); found “<script>”.",
            "gpu: “” is not possible here; one of h100, t4 is.",
            "cards: Expected a whole number of at least 1 in GPUs; found “�(”.",
        ],
    ]


def test_changes_are_computed_without_altering_the_plans_inputs(
    book: Book, run: Callable[[str], Any]
) -> None:
    edits = ["scenario=written", "cards=3", "train.runs['first'].steps=1000"]
    plan = book.plans["small"]
    found = run(
        f"""
        let c = new Map(); const before = JSON.stringify(p.inputs);
        for (const edit of {json.dumps(edits)}) c = i.change(p, c, ...edit.split("="));
        const {{ scalars }} = p.compute(i.edited(p, c));
        return [scalars["phases.total.gpu_hours"].value, JSON.stringify(p.inputs) === before];
        """
    )
    results = evaluate(book, plan, dict(read_edit(book, plan, edit) for edit in edits))
    assert found == [results.scalars["phases.total.gpu_hours"].value, True]
