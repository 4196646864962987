"""Reads a number as people write it: `5_000`, `50k`, `15T token`, `20GB`, `3 days`, `10 %`."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

from scalesheet.language.arithmetic import LAST_DAY, NOT_A_NUMBER, floor, in_bounds
from scalesheet.language.tokens import WORDS
from scalesheet.units import DATE as DATE
from scalesheet.units import Unit, UnitError, Units

#: A number in digits, and the letter that may follow it directly.
NUMBER = r"-?[0-9][0-9,_]*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
LETTERS = {"k": 3, "K": 3, "M": 6, "B": 9, "T": 12}
_WRITTEN = re.compile(rf"\+?(?P<number>{NUMBER.replace(',', '')}|-?\.[0-9]+)\s*(?P<rest>.*)")
#: The day from which calendar days are counted.
DAY_0 = date(1899, 12, 30)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
#: What is wrong with a number or a time, given as a date.
NOT_A_DAY = (
    "is not a date; write one such as 2026-03-31, or a formula such as begin + span, with span in "
    "day"
)
_IN_WORDS = re.compile(r"[%A-Za-z][\w%]*")


def is_day(text: str) -> bool:
    """Return whether a text is written like a calendar day, `2026-03-31`."""
    return bool(_DAY.fullmatch(text.strip()))


_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_IN_DIGITS = re.compile(r"(?P<a>\d\d?)(?:\. ?|/|-)(?P<b>\d\d?)(?:\. ?|/|-)(?P<year>\d{4})")
_YEAR_FIRST = re.compile(r"(?P<year>\d{4})[./-](?P<b>\d\d?)[./-](?P<a>\d\d?)")
_MONTH_IN_WORDS = re.compile(
    r"(?:(?P<day>\d\d?)(?:\.|st|nd|rd|th)? (?P<month>[A-Za-z]{3,9})\.?|"
    r"(?P<word>[A-Za-z]{3,9})\.? (?P<number>\d\d?)(?:st|nd|rd|th)?),? (?P<year>\d{4})"
)


def day_as_written(text: str) -> tuple[str, ...]:
    """The days that a text in another notation may mean, as `YYYY-MM-DD`: `19 March 2027` is one,
    `11.01.2027` is two. Empty for other texts, and for a day that needs no change.
    """
    text = " ".join(text.split())
    pairs: list[tuple[str | int, str | int]] = []  # month, day
    if match := _IN_DIGITS.fullmatch(text):
        pairs = [(match["b"], match["a"]), (match["a"], match["b"])]
    elif (match := _YEAR_FIRST.fullmatch(text)) and not is_day(text):
        pairs = [(match["b"], match["a"])]
    elif match := _MONTH_IN_WORDS.fullmatch(text):
        word = (match["month"] or match["word"]).lower()
        months = [n for n, month in enumerate(_MONTHS, 1) if word in (month, month[:3])]
        pairs = [(month, match["day"] or match["number"]) for month in months]
    days: dict[str, None] = {}
    for month, day in pairs:
        try:
            days[date(int(match["year"] if match else 0), int(month), int(day)).isoformat()] = None
        except ValueError:
            continue
    return tuple(days)


def day_number(text: str) -> float:
    """A day as spreadsheets count them: 46,000 is 2025-12-09.

    Raises ValueError for an invalid day, or one before the first that spreadsheets have.
    """
    try:
        days = (date.fromisoformat(text.strip()) - DAY_0).days
    except ValueError:
        raise ValueError("is not a calendar date") from None
    if days < 1:
        raise ValueError("is before 1900, which spreadsheets cannot show")
    return float(days)


def day_text(number: float) -> str:
    """The day that contains a moment; outside the spreadsheets' calendar, its number."""
    days = floor(number)
    return (DAY_0 + timedelta(days=days)).isoformat() if 0 <= days <= LAST_DAY else f"{days:.0f}"


def amount(number: str, letter: str | None = None) -> Decimal:
    """The value of digits and a letter: `1.2` and `M` are 1,200,000."""
    return Decimal(re.sub("[,_]", "", number)).scaleb(LETTERS[letter] if letter else 0)


def says_more(text: str) -> bool:
    """Return whether a text is a date, or a number with a letter or unit, which no formula is."""
    if is_day(text):
        return True
    match = _WRITTEN.fullmatch(text.strip())
    word = match and _IN_WORDS.match(match["rest"])
    return bool(word and word[0] not in WORDS)


def behind(text: str) -> str:
    """The letter and unit after a number; empty if there are none."""
    match = _WRITTEN.fullmatch(text.strip())
    return match["rest"] if match is not None else ""


def unit_of(text: str, units: Units) -> Unit | None:
    """The unit after a number, `5_000 USD`; None if there is none."""
    rest = behind(text)
    if rest == "%":
        return Unit()
    for own in (rest, rest[1:].strip() if rest[:1] in LETTERS else ""):
        if own:
            try:
                return _unit(own, units)
            except UnitError:
                continue
    return None


def quantity(text: str, unit: Unit | None, units: Units) -> float:
    """Parse a number in `unit`; a text without a unit is already in that unit. A date has no other
    form than a day.

    Raises ValueError with what is wrong and what to do (UnitError is one; its `message` says more).
    """
    if is_day(text):
        if unit != DATE:
            raise ValueError(
                f"is a date; write a number in {unit or Unit()}, or give it 'unit: date'"
            )
        return day_number(text)
    if days := day_as_written(text):
        raise ValueError(f"is a date; write {' or '.join(days)}")
    if unit == DATE:
        raise ValueError(NOT_A_DAY)
    match = _WRITTEN.fullmatch(text.strip())
    if match is None or match["rest"].startswith((".", ",")):
        raise ValueError(NOT_A_NUMBER)
    if abs(Decimal(match["number"].replace("_", "")).adjusted()) > 400:  # its digits do not matter
        return in_bounds(float(match["number"].replace("_", "")))
    number, rest = Fraction(amount(match["number"])), match["rest"]
    return in_bounds(float(number * _size(rest, unit or Unit(), units)))


def _size(rest: str, unit: Unit, units: Units) -> Fraction:
    """The factor for what follows a number: a unit, or a letter with or without one."""
    if not rest:
        return Fraction(1)
    if rest == "%":
        if not unit.pure:
            raise ValueError(f"is a share; write a number in {unit}")
        return Fraction(1, 100)
    letter = rest[0] if rest[0] in LETTERS else None
    if letter and not rest[1:].strip():
        return Fraction(10 ** LETTERS[letter])
    try:
        own, power = _unit(rest, units), 0
    except UnitError:
        if letter is None:
            raise
        own, power = _unit(rest[1:].strip(), units), LETTERS[letter]
    if not units.compatible(own, unit):
        raise ValueError(f"is in {own}; write a number in {unit}")
    return units.factor(own, unit) * Fraction(10**power)


def _unit(text: str, units: Units) -> Unit:
    """A unit by its name, symbol or plural, as in `3 days`, `8 GPU hours`."""
    try:
        return units.shown(text)
    except UnitError:
        parts = [_singular(word, units) for word in re.split(r"[ -]+", text)]
        if "/" in text or "*" in text or parts == [text]:
            raise
        return units.shown(" * ".join(parts))


def _singular(word: str, units: Units) -> str:
    plural = word.endswith("s") and word not in units.declared and word[:-1] in units.declared
    return word[:-1] if plural else word
