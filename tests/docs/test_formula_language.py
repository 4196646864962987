"""The reference of the formula language is correct: its examples hold, its tables are complete."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from scalesheet.book import Book
from scalesheet.check import check
from scalesheet.codes import CODES
from scalesheet.diagnostics import errors
from scalesheet.evaluate import evaluate
from scalesheet.language import parser, tokens
from scalesheet.language.arithmetic import ARITHMETIC, EQUAL_WITHIN, ROUNDING_SLACK, TOO_LARGE
from scalesheet.language.functions import FUNCTIONS
from scalesheet.load import Document, load, parse
from scalesheet.model import DOMAINS
from scalesheet.printers import excel_text
from scalesheet.resolve.book import resolve
from scalesheet.resolve.lowering.phases import PHASE_COLUMNS
from scalesheet.resolve.reasons import EMPTY, INCOMPLETE
from scalesheet.values import Value

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/formula-language.md").read_text("utf-8")
WITHIN = 1e-12  # the page prints results with all digits


@dataclass(frozen=True)
class Example:
    """An example `formula -> result` on a line of the page."""

    formula: str
    result: str
    line: int

    @property
    def code(self) -> str:
        """The code of the diagnostic that refuses it, or nothing."""
        return self.result.split()[0] if self.result.split()[0] in CODES else ""


def blocks(language: str) -> list[tuple[int, str]]:
    """The first line and the text of each fenced block of the page."""
    found = re.finditer(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [(PAGE.count("\n", 0, m.start(1)) + 1, m[1]) for m in found]


def examples() -> list[Example]:
    found = []
    for first, text in blocks("formula"):
        for number, line in enumerate(text.splitlines()):
            formula, arrow, result = line.partition(" -> ")
            assert arrow, f"line {first + number} has no result"
            found.append(Example(formula, result, first + number))
    return found


HOLDING = [e for e in examples() if not e.code]
REFUSED = [e for e in examples() if e.code]


def named(example: Example) -> str:
    return f"{example.line}: {example.formula}"


# ------------------------------------------------------------------ the page's plan


def merged(into: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            merged(into[key], value)
        else:
            into[key] = value
    return into


def plan_data() -> dict[str, Any]:
    """The page's first YAML block, with all later ones merged in."""
    data: dict[str, Any] = {}
    for line, text in blocks("yaml"):
        parsed = parse(text.encode(), f"line {line}")
        assert not parsed.diagnostics
        merged(data, parsed.data)
    return data


@cache
def catalogue() -> tuple[Document, ...]:
    """The hardware and formulas that the page names, with everything they need."""
    documents, found = load(ROOT / "data")
    assert not errors(found)
    named = [d for d in documents if d.id in PAGE or d.id.replace("-", "_") in PAGE]
    parts = [d for d in named if d.kind in ("hardware", "formula")]
    return (*(d for d in documents if d.kind in ("book", "units", "sources")), *parts)


def compiled(data: dict[str, Any]) -> tuple[Book | None, list[str]]:
    """The book with only this plan, and the codes of all errors."""
    documents = [*catalogue(), Document("plan", "page", "plans/page/plan.yaml", data)]
    found = check(documents)
    if errors(found):
        return None, [d.code for d in errors(found)]
    book, found = resolve(documents)
    return book, [d.code for d in errors(found)]


def quantity(example: Example) -> dict[str, Any]:
    """The scalar for an example, with the type of its result."""
    result = example.result
    if result.startswith("text '") or result.endswith(" as text"):
        return {"formula": example.formula, "text": "yes"}
    if example.code:
        unit = result.partition(" in ")[2]
        return {"formula": example.formula, "unit": unit} if unit else {"formula": example.formula}
    if result in ("yes", "no"):
        return {"formula": example.formula, "flag": "yes"}
    if result.startswith("'"):
        words = plan_data()["scalars"][example.formula]["words"]
        return {"formula": example.formula, "words": words}
    unit = result.rpartition("' in ")[2] if result.startswith("reason") else number(result)[1]
    return {"formula": example.formula, "unit": unit}


def number(text: str) -> tuple[list[float], str]:
    """Low, expected value, high and unit of `4 [3.2, 5] hour`."""
    match = re.fullmatch(r"(\S+)(?: \[(\S+), (\S+)\])?(?: (.+))?", text)
    assert match, text
    value = float(match[1])
    return [float(match[2] or value), value, float(match[3] or value)], match[4] or "1"


@cache
def results() -> Mapping[str, Value]:
    """The results of all valid examples, by formula and result, from a single compilation."""
    data = plan_data()
    names = {f"example_{n}": example for n, example in enumerate(HOLDING)}
    data["scalars"] |= {name: quantity(example) for name, example in names.items()}
    book, found = compiled(data)
    assert book is not None, found
    values = evaluate(book, book.plans["page"]).scalars
    return {named(example): values[name] for name, example in names.items()}


@pytest.mark.parametrize("example", HOLDING, ids=named)
def test_an_example_gives_what_the_page_says(example: Example) -> None:
    value = results()[named(example)]
    if example.result.startswith("reason"):
        assert example.result.startswith(f"reason '{value.reason}'")
    elif example.result.startswith("text '"):
        assert example.result == f"text '{value.value}'"
    elif example.result in ("yes", "no"):
        assert value.value is (example.result == "yes")
    elif example.result.startswith("'"):
        assert value.value == example.result.strip("'")
    else:
        got = [value.low, value.value, value.high]
        assert got == pytest.approx(number(example.result)[0], rel=WITHIN, abs=0)
        assert value.ranged == ("[" in example.result)


@pytest.mark.parametrize("example", REFUSED, ids=named)
def test_a_wrong_example_is_refused_as_the_page_says(example: Example) -> None:
    data = plan_data()
    wanted = quantity(example)
    data["scalars"]["example"] = wanted if "text" in wanted else {"unit": "1"} | wanted
    assert compiled(data)[1] == [example.code]


def test_the_pages_plan_is_valid() -> None:
    book, found = compiled(plan_data())
    assert book is not None
    assert found == []


# ------------------------------------------------------------------ the page's tables


def section(title: str) -> str:
    return re.split(r"^##+ ", PAGE.split(f"\n## {title}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]


def column(text: str, heading: str) -> list[str]:
    """The first column of the table with this first heading."""
    rows = text.split(f"| {heading} |")[1].split("\n\n")[0].splitlines()[2:]
    return [row.split("|")[1].strip() for row in rows]


def called(cells: list[str]) -> set[str]:
    return {name for cell in cells for name in re.findall(r"`(\w+)\(", cell)}


def test_the_page_lists_exactly_the_functions_of_the_language() -> None:
    assert called(column(section("Functions"), "function")) == {*FUNCTIONS, *parser.SPECIAL}


def test_the_page_lists_exactly_the_aggregates_of_the_language() -> None:
    assert called(column(section("Aggregates"), "aggregate")) == set(parser.AGGREGATES)


def test_the_page_lists_exactly_the_keywords_of_the_language() -> None:
    listed = re.search(r"^`([a-z ]+)` are words of the language", PAGE, re.MULTILINE)
    assert listed
    assert set(listed[1].split()) == set(tokens.WORDS)


def test_the_page_lists_exactly_the_domains_of_the_model() -> None:
    assert column(section("Domains"), "domain") == [f"`{name}`" for name in DOMAINS]


def test_the_page_lists_exactly_the_figures_of_a_phase() -> None:
    row = next(line for line in section("Names").splitlines() if "a figure of a phase" in line)
    assert re.findall(r"`(\w+)`", row.split("|")[2]) == list(PHASE_COLUMNS)


def test_the_page_lists_the_reasons_that_arithmetic_can_give() -> None:
    rows = section("Reasons").split("| operation | reason |")[1].split("\n\n")[0].splitlines()[2:]
    tested = [why for why in ARITHMETIC if why != TOO_LARGE]
    assert [row.split("|")[2].strip() for row in rows] == [
        *tested,
        EMPTY,
        f"{INCOMPLETE}: `table.column`",
    ]
    assert f"*{TOO_LARGE}*" in PAGE


def test_the_limits_on_the_page_are_the_programs() -> None:
    rows = section("Limits").split("| what | limit |")[1].split("\n\n")[0].splitlines()[2:]
    assert [row.split("|")[2].strip() for row in rows] == [
        f"{limit:,}"
        for limit in (
            parser.LONGEST,
            parser.DEEPEST,
            parser.TALLEST,
            excel_text.MOST_CHARACTERS - 1,
            excel_text.MOST_LEVELS,
            excel_text.MOST_LITERAL,
        )
    ]
    assert (EQUAL_WITHIN, ROUNDING_SLACK) == (2**-49, 1e-12)


def test_every_code_on_the_page_exists() -> None:
    assert set(re.findall(r"\b[YSNFURVXI]\d{3}\b", PAGE)) <= set(CODES)
