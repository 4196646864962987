"""The page's script prints every number as the program does, digit for digit."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, get_args

import pytest

from render.live.parts import as_script, part
from scalesheet.numbers import Format, Rule, Sort, format_by, plain
from scalesheet.render.pages.figures import ends
from scalesheet.render.script import as_cell
from scalesheet.values import Value

CASES = 3000
Run = Callable[..., Any]


def a_number(dice: random.Random) -> float:
    """Whole numbers, rounding ties, powers of ten and their neighbors, and any other number."""
    sign = dice.choice([1, -1])
    kinds: list[Callable[[], float]] = [
        lambda: float(dice.randint(-2000, 2000)),
        lambda: dice.randint(0, 10**6) / dice.choice([2, 4, 8, 10, 16, 100, 1000]),
        lambda: (dice.randint(10**14, 10**15 - 1) + 0.5) * dice.choice([1, 0.25, 2**-10]),
        lambda: 10.0 ** dice.randint(-20, 22) * dice.choice([1, 0.5, 0.9999999999999999, 9.9995]),
        lambda: round(dice.uniform(0, 100), dice.randint(0, 6)),
        lambda: dice.uniform(1, 10) * 10 ** dice.uniform(-14, 20),
        lambda: 0.0,
    ]
    return sign * dice.choice(kinds)()


def a_value(dice: random.Random) -> Value:
    low, middle, high = sorted(a_number(dice) for _ in range(3))
    return dice.choice(
        [Value(middle, low, high), Value.number(middle), Value(reason="n/a"), Value("a_word")]
    )


def a_rule(dice: random.Random) -> Rule:
    return Rule(
        dice.choice([None, None, None, 0, 1, 2, 5]),
        dice.choice([None, None, None, 1, 2, 3, 6]),
        dice.random() < 0.2,
        dice.random() < 0.2,
        dice.random() < 0.4,
        dice.choice(get_args(Sort)),
    )


def printed(fmt: Format, values: list[Value]) -> list[Any]:
    kept = {name: each for name, each in asdict(fmt).items() if each is not None}
    kept |= {"date": True} if kept.pop("date") else {}  # the script leaves out defaults
    return [kept, [[plain(value, fmt), ends(value, fmt)] for value in values]]


@pytest.mark.parametrize("seed", range(4))
def test_any_numbers_under_any_rule_print_the_same(seed: int, run_node: Run) -> None:
    dice = random.Random(seed)
    cases = [
        (a_rule(dice), [a_value(dice) for _ in range(dice.randint(0, 4))]) for _ in range(CASES)
    ]
    given = json.dumps([[as_script(rule), list(map(as_cell, values))] for rule, values in cases])
    found = run_node(
        part("numbers"),
        f"""{given}.map(([rule, cells]) => {{
            const {{ formatBy, plain, ends }} = scalesheet.numbers;
            const format = formatBy(rule, cells);
            return [format, cells.map((cell) => [plain(cell, format), ends(cell, format)])];
        }})""",
    )
    expected = [printed(format_by(rule, values), values) for rule, values in cases]
    differing = [
        (case, mine, theirs)
        for case, mine, theirs in zip(cases, expected, found, strict=True)
        if mine != theirs
    ]
    assert differing == []


@pytest.mark.parametrize(
    ("rule", "value", "text"),
    [
        (Rule(decimals=2), 2.675, "2.68"),
        (Rule(decimals=0), 0.5, "1"),
        (Rule(decimals=0), -0.4, "0"),
        (Rule(decimals=1), 1234567.25, "1,234,567.3"),
        (Rule(percent=True, digits=2), 0.00445, "0.45%"),
        (Rule(approximate=True, sort="hours"), 342.25, "~342.3"),
        (Rule(), 3.123e21, "3.12e21"),
        (Rule(), 9.9999e-7, "1.00e-6"),
        (Rule(sort="money"), 99.5, "99.50"),
    ],
)
def test_a_number_in_words(rule: Rule, value: float, text: str, run_node: Run) -> None:
    cell = json.dumps(as_cell(Value.number(value)))
    call = f"((n) => n.plain({cell}, n.formatBy({json.dumps(as_script(rule))}, [{cell}])))"
    assert run_node(part("numbers"), f"{call}(scalesheet.numbers)") == text
    assert plain(Value.number(value), format_by(rule, [Value.number(value)])) == text
