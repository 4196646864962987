"""Says how to write what a text seems to mean: a number, a date, a formula, a share, a name."""

from __future__ import annotations

import re
from typing import Any

from scalesheet.language.parser import parse
from scalesheet.language.syntax import Call, Name, Over, walk
from scalesheet.language.tokens import FormulaError
from scalesheet.load import plain, quotable
from scalesheet.model import within
from scalesheet.quantities import behind, day_as_written, is_day, says_more

_ALMOST_A_NUMBER = re.compile(r"[-+.]?[0-9][0-9., _'xa-f]*%?", re.IGNORECASE)

#: `0,9` and `0,9 USD`, but not `1,000`.
_DECIMAL_COMMA = re.compile(r"[-+]?[0-9]+,[0-9]{1,2}(?: |$)")

#: `$500`, `500 €` and `USD 500`, and the units of these signs and words.
_MONEY = re.compile(r"(?P<sign>[$€]|USD|EUR)? ?(?P<number>[0-9][0-9_.]*) ?(?P<after>[$€])?")
_SIGNS = {"$": "USD", "€": "EUR", "dollar": "USD", "euro": "EUR"}

#: A comma before thousands.
_THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")

#: A unit after a number, but not a letter as in `50k`.
_UNIT = re.compile(r"[/%]|(?![kKMBT]$)[A-Za-z]")

#: Words that people write for numbers: those that are added, and those that multiply.
_ONES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ADDED = dict(zip((*_ONES, *_TENS), (*range(11), *range(20, 100, 10)), strict=True))
_TIMES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}

#: What needs quotes within the braces of a mapping.
_QUOTED = re.compile(r"[\[\]{},:#]|^['&*!|>%@\"]")


def number_hint(value: Any, unit_is: str = "") -> str:
    """How to write the number that a text seems to be, or empty. `unit_is` says where the unit is,
    if not behind the number.
    """
    if not isinstance(value, str):
        return ""
    try:
        if isinstance(plain(value), int | float):
            return "; write it without quotes"
    except ValueError:
        return ""
    if day := date_hint(value):
        return day
    if _DECIMAL_COMMA.match(value):
        return f"; write a point: {quotable(value.replace(',', '.', 1))}"
    text = _THOUSANDS.sub("_", value)
    number = in_words(text) or _money(text) or text
    unit = behind(number)
    if unit_is and _UNIT.match(unit):
        return f"; write {number.removesuffix(unit).strip()}; the unit is {unit_is}"
    if number != value and number[0].isdigit():
        return f"; write {number}"
    if _ALMOST_A_NUMBER.fullmatch(value):
        return "; numbers are written like 2000, 0.5, 1e9 or 10_000"
    return ""


def _money(value: str) -> str:
    """`40000 EUR` for `40000 €`, or empty."""
    match = _MONEY.fullmatch(value)
    sign = match and (match["sign"] or match["after"])
    return f"{match['number']} {_SIGNS.get(sign, sign)}" if match and sign else ""


def in_words(text: str) -> str:
    """`300 USD` for `three hundred dollars`, a number and at most one word after it; or empty."""
    words = text.casefold().replace("-", " ").split()
    total = part = 0
    while words and (words[0] in _ADDED or (part and words[0] in _TIMES)):
        word = words.pop(0)
        part = part * _TIMES[word] if word in _TIMES else part + _ADDED[word]
        if word in _TIMES and word != "hundred":
            total, part = total + part, 0
    if len(words) > 1 or len(words) == len(text.split()):
        return ""
    return " ".join(
        [f"{total + part:_}", *(_SIGNS.get(word.removesuffix("s"), word) for word in words)]
    )


def text_hint(value: Any, of_value: bool, may_be_mapping: bool, unit_is: str = "") -> str:
    """How to write the number or formula that a text seems to be. It is `of_value` if it is under
    the key `value`, which a formula takes the place of.
    """
    formula = _formula(value)
    if formula and of_value:
        return f"; a formula has its own key: write formula: {formula} in place of value"
    if formula and may_be_mapping:
        return f"; write {{formula: {formula}}}"
    return number_hint(value, unit_is)


def quantity_hint(value: Any) -> str:
    """How to write a scalar that was given as a number or text alone, or empty."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"; write {{value: {value}, unit: ...}}"
    if not isinstance(value, str):
        return ""
    if formula := _formula(value):
        return f"; write {{formula: {formula}, unit: ...}}"
    if len(days := day_as_written(value) or (value,) * is_day(value)) == 1:
        return f"; write {{value: {days[0]}, unit: date}}"
    number = in_words(value) or _money(value) or (quotable(value) if says_more(value) else "")
    unit = "" if behind(number) else ", unit: ..."
    return date_hint(value) or (f"; write {{value: {number}{unit}}}" if number else "")


def _formula(value: Any) -> str:
    """The formula that a text seems to be, as it is written in braces: one with a function, a
    dotted name, or an operator and a name. Empty for other texts.
    """
    text = value.strip().removeprefix("=").strip() if isinstance(value, str) else ""
    try:
        tree = parse(text)
    except FormulaError:
        return ""
    inner = list(walk(tree))
    names = [node for node in inner if isinstance(node, Name)]
    called = any(isinstance(node, Call | Over) for node in inner)
    if not called and not (names and (len(inner) > 1 or len(names[0].path) > 1)):
        return "" if text == value.strip() or not names else text
    return f'"{text}"' if _QUOTED.search(text) and '"' not in text else quotable(text)


def date_hint(value: Any) -> str:
    """How to write a date such as 27.11.2026, 2026/11/27 or 19 March 2027, or empty."""
    days = day_as_written(str(value))
    if len(days) > 1:
        return f"; day and month are ambiguous: write {days[0]} or {days[1]}"
    return f"; write {days[0]}" if days else ""


#: Smaller numbers above 1 are seldom percentages.
LEAST_PERCENT = 2


def share_hint(domain: str, number: float) -> str:
    """How to write a share that was given in percent, or empty."""
    share = number / 100
    if "fraction" not in domain or not LEAST_PERCENT <= number <= 100 or not within(domain, share):
        return ""
    return f"; write {share:.12g} or {number:.12g} %"


def spelled(name: str, pattern: str) -> str:
    """A name as the pattern allows it, such as `sft_tokens` for `sft-tokens`, or empty."""
    small = name.lower()
    tries = (small, re.sub("[- ]", "_", small), re.sub("[_ ]", "-", small))
    return next((each for each in tries if each != name and re.fullmatch(pattern, each)), "")
