"""Finds errors in the shipped numbers: division by zero, values outside their domain, failed
checks.

In a workbook the same formulas guard themselves, since an edit may cause any of these; in the
book's own data they are errors.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, at, followed
from scalesheet.evaluate import NOTHING, evaluate_tables
from scalesheet.evaluate.doubts import doubts
from scalesheet.evaluate.missing import root_of
from scalesheet.evaluate.parts import Fault
from scalesheet.language.arithmetic import ARITHMETIC, TOO_LARGE
from scalesheet.language.syntax import (
    Aggregate,
    Cell,
    Column,
    Fixed,
    Lookup,
    Reason,
    Scalar,
    Text,
    walk,
)
from scalesheet.model import (
    DOMAINS,
    LIMIT,
    Formula,
    Key,
    Plan,
    Position,
    Quantity,
    Table,
    deadline_check,
)
from scalesheet.numbers import format_of
from scalesheet.numbers import text as spelled
from scalesheet.quantities import DATE, day_text
from scalesheet.resolve.reasons import of_compiler
from scalesheet.units import UNKNOWN
from scalesheet.values import Results, Series, Value

#: The most rows that a message names.
MOST_ROWS = 5
#: Above this, a spreadsheet's own arithmetic may overflow.
LARGEST = 1e300
#: The most digits of a number in text: in total, and without trailing zeros.
MOST_DIGITS, MOST_SIGNIFICANT = 14, 12
BREACHES = ("breach", "breaches")
#: Scalars and columns with a fault, directly or through inputs; and diagnostics with them.
_Faulty = frozenset[tuple[str | None, str]]
Faults = tuple[list[Diagnostic], _Faulty]
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def findings(
    book: Book, plan: Plan, results: Results, below: Faults, *, unfit: bool = False
) -> list[Diagnostic]:
    """Everything that is wrong with the results of a plan and the catalogue `below`, at the
    formulas responsible.

    `unfit`: some case has no layout that fits, which is reported elsewhere; checks that only lack
    that case's cost are skipped.
    """
    tables = {**book.tables, **plan.tables}
    problems, faulty = below
    more, _ = _of_formulas(tables, plan, plan.order, results, faulty)
    problems = [*problems, *more, *doubts(tables, plan, results)]
    first: dict[str, Diagnostic] = {}  # of each reason for which checks have no value
    follow: Counter[str] = Counter()
    for name in plan.checks:
        check, value = plan.scalars[name], results.scalars[name]
        if value.value is True:
            continue
        where, text = _broken(plan, name, results)
        message = f"the check '{check.title}' does not hold{where}"
        limit = beyond(book, plan, name, results) or _late(plan, name, results)
        wrong, root, place = wrongs(plan, name, results), "", _position(check, check.formula)
        if value.value is None:
            if unfit and of_compiler(value.reason):
                continue
            root, place = root_of(plan, tables, name, results, place)
            follow[root] += root in first
            wrong = [root]
        message = f"{'; '.join(wrong)}: {message}" if wrong else f"{message}: {text}"
        message = limit or message
        found = at(place, "V005", message)
        if not root:
            problems.append(found)
        first.setdefault(root, found)
    for name in plan.headline:
        headline, value = plan.scalars[name], results.scalars[name]
        if value.reason is None or (unfit and of_compiler(value.reason)):
            continue
        root, place = root_of(plan, tables, name, results, _position(headline, headline.formula))
        message = f"{root}: the headline '{headline.title}' has no value"
        first.setdefault(root, at(place, "V020", message))
    problems += [
        replace(each, message=each.message + followed(follow[root], things=BREACHES))
        for root, each in first.items()
        if root
    ]
    return problems


def of_catalogue(tables: Mapping[str, Table], order: Sequence[Key]) -> Faults:
    """What is wrong with the results of a catalogue, and its columns with a fault."""
    return _of_formulas(tables, NOTHING, order, evaluate_tables(tables, order), frozenset())


def _of_formulas(
    tables: Mapping[str, Table],
    plan: Plan,
    order: Sequence[Key],
    results: Results,
    faulty: _Faulty,
) -> Faults:
    """What is wrong with computed values, and what has a fault, including what is `faulty`."""
    problems: list[Diagnostic] = []
    found_faulty = set(faulty)
    for key in order:
        quantity, formula = _of(plan, tables, key)
        if key.table is None or not _sound(results.tables[key.table][key.name], quantity):
            rests_on_one = bool(found_faulty & _named_in(formula))
            for label, value in _values(tables, results, key):
                found = list(_of_value(label, value, quantity, formula))
                again = any(each.code == "V002" for each in found)
                if again or isinstance(value.reason, Fault):
                    again &= (key.table, key.name) in found_faulty  # another row's, one line above
                    found_faulty.add((key.table, key.name))
                    if rests_on_one or again:
                        continue
                problems += found
        if any(isinstance(node, Fixed) for node in _nodes(formula)):
            for label, value in _values(tables, results, key):
                problems += _of_text(label, value, _position(quantity, formula))
    return problems, frozenset(found_faulty)


def _named_in(formula: Formula | None) -> set[tuple[str | None, str]]:
    """The scalars and columns that a formula names."""
    found: set[tuple[str | None, str]] = set()
    if formula is None:
        return found
    for end in (formula.ends.value, formula.ends.low, formula.ends.high):
        for node in walk(end) if end is not None else ():
            if isinstance(node, Scalar):
                found.add((None, node.name))
            elif isinstance(node, Aggregate | Cell | Column | Lookup) and node.column is not None:
                found.add((node.table, node.column))
    return found


def broken_rows(plan: Plan, check: str, results: Results) -> list[str]:
    """The ids of the rows that break a check of every row; empty for other checks."""
    if check not in plan.row_checks:
        return []
    table = plan.row_checks[check]
    held = results.tables[table][plan.row_column(check)]
    rows = zip(plan.tables[table].rows, held, strict=True)
    return [row for row, value in rows if value.value is False]


def wrongs(plan: Plan, check: str, results: Results) -> list[str]:
    """What is wrong if a check fails, in its own words. A check of every row gives one sentence for
    each failing row, up to a limit. Empty if the check has no such text.
    """
    key = plan.otherwise(check)
    if key is None:
        return [each for each in [_late(plan, check, results)] if each]
    if key.table is None:
        return [_said(results.scalars[key.name])]
    table, said = plan.tables[key.table], results.tables[key.table][key.name]
    places = [table.rows.index(row) for row in broken_rows(plan, check, results)]
    result = [f"{table.row_titles[at]}: {_said(said[at])}" for at in places[:MOST_ROWS]]
    more = len(places) - MOST_ROWS
    return result + ([f"and {more} more"] if more > 0 else [])


def beyond(book: Book, plan: Plan, check: str, results: Results) -> str:
    """A figure and its limit if this is the check of the limit and it fails."""
    limit = check.removeprefix("check.")
    figure = limit.removesuffix(LIMIT)
    if figure == limit or limit not in plan.scalars or results.scalars[check].value is not False:
        return ""
    found, most = (
        spelled(alone, format_of(of, [alone], book.units), book.units.symbol(of.unit or UNKNOWN))
        for of, alone in (
            (plan.scalars[name], Value(results.scalars[name].value)) for name in (figure, limit)
        )
    )
    above = "after its limit" if plan.scalars[figure].unit == DATE else "above its limit of"
    return f"{plan.scalars[figure].title} is {found}, {above} {most}"


def _late(plan: Plan, check: str, results: Results) -> str:
    """When a phase ends and when it should, if this is the check of its deadline and it is late. No
    formula can print dates.
    """
    phase = next((each for each in plan.phases if deadline_check(each.id) == check), None)
    if phase is None or results.scalars[check].value is not False:
        return ""
    columns, row = results.tables["phases"], results.rows["phases"].index(phase.id)
    end, due = (day_text(float(columns[c][row].value or 0)) for c in ("end_date", "deadline"))
    return f"{phase.title} ends on {end}, after its deadline {due}"


def _said(value: Value) -> str:
    return str(value.reason if value.value is None else value.value)


def _broken(plan: Plan, name: str, results: Results) -> tuple[str, str]:
    """Where a check fails, and what it requires."""
    if name not in plan.row_checks:
        return "", _text(plan.scalars[name].formula)
    rows = broken_rows(plan, name, results)
    table = plan.tables[plan.row_checks[name]]
    text = ", ".join(f"'{row}'" for row in rows[:MOST_ROWS])
    more = f" and {len(rows) - MOST_ROWS} more" if len(rows) > MOST_ROWS else ""
    rule = table.columns[plan.row_column(name)].formula
    return f" for {text}{more} of {table.name}", _text(rule)


def _sound(series: Series, quantity: Quantity) -> bool:
    """Whether a whole column is clearly valid, so that its cells need no separate checks."""
    if any(reason in ARITHMETIC for reason in series.reasons.values()):
        return False
    if series.value.dtype != np.float64:
        return True
    least, closed, most, whole = DOMAINS[quantity.domain]
    low = series.value if series.low is None else series.low
    high = series.value if series.high is None else series.high
    if not (np.nanmax(np.abs([low, high]), initial=0.0) <= LARGEST):
        return False
    if least is not None and not np.nanmin(low, initial=np.inf) >= least + (not closed) * 1e-300:
        return False
    if most is not None and not np.nanmax(high, initial=-np.inf) <= most:
        return False
    return not whole or bool((np.nan_to_num(series.value) % 1 == 0).all())


def _of(plan: Plan, tables: Mapping[str, Table], key: Key) -> tuple[Quantity, Formula]:
    if key.table is None:
        scalar = plan.scalars[key.name]
        assert scalar.formula is not None
        return scalar, scalar.formula
    column = tables[key.table].columns[key.name]
    formula = column.own[key.row] if key.row is not None else column.formula
    assert formula is not None
    return column, formula


def _values(tables: Mapping[str, Table], results: Results, key: Key) -> Iterator[tuple[str, Value]]:
    if key.table is None:
        yield f"'{key.name}'", results.scalars[key.name]
        return
    table = tables[key.table]
    column = table.columns[key.name]
    series = results.tables[key.table][key.name]
    for place, row in enumerate(table.rows):
        own = row in column.stated or row in column.own
        if key.row == row or (key.row is None and not own):
            yield f"'{key.table}.{key.name}' in the row '{row}'", series[place]


def _of_value(
    label: str, value: Value, quantity: Quantity, formula: Formula
) -> Iterator[Diagnostic]:
    position = _position(quantity, formula)
    if value.reason in ARITHMETIC:
        given = Reason(Text(value.reason))
        if isinstance(value.reason, Fault) or any(n == given for n in _nodes(formula)):
            message = f"{label}: {value.reason}; the formula is {formula.text}"
            yield at(position, ARITHMETIC[value.reason], message)
        return
    if not isinstance(value.value, float):
        return
    for end in (value.low, value.value, value.high):
        if end is None or not abs(end) <= LARGEST:
            message = f"{label}: {TOO_LARGE}; the formula is {formula.text}"
            yield at(position, "V006", message)
            return
    least, closed, most, whole = DOMAINS[quantity.domain]
    below = least is not None and (value.low or 0.0) < least
    at_least = least is not None and not closed and value.low == least
    above = most is not None and (value.high or 0.0) > most * (1 + 1e-12)
    if below or at_least or above or (whole and value.value != round(value.value)):
        message = f"{label} is {value.value:g}, outside its domain '{quantity.domain}'"
        yield at(position, "V002", message)


def _of_text(label: str, value: Value, position: Position) -> Iterator[Diagnostic]:
    """Report numbers in text with more digits than every program keeps."""
    printed = value.reason or value.value
    for number in _NUMBER.findall(printed) if isinstance(printed, str) else ():
        digits = number.replace(".", "").lstrip("0")
        if len(digits) > MOST_DIGITS or len(digits.rstrip("0")) > MOST_SIGNIFICANT:
            message = (
                f"{label} prints {number}, with more digits than programs agree on; "
                "print fewer decimals, or a larger unit"
            )
            yield at(position, "V006", message)


def _nodes(formula: Formula) -> Iterator[object]:
    for tree in (formula.ends.value, formula.ends.low):
        if tree is not None:
            yield from walk(tree)


def _position(quantity: Quantity, formula: Formula | None) -> Position:
    position = formula.position if formula is not None else None
    position = position or quantity.position
    assert position is not None
    return position


def _text(formula: Formula | None) -> str:
    return formula.text if formula is not None else ""


# ------------------------------------------------------------------ parameters of models
