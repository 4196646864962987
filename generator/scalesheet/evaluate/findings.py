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
from functools import lru_cache
from typing import Any

import numpy as np

from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, at, followed
from scalesheet.evaluate import (
    NOTHING,
    Same,
    evaluate,
    evaluate_catalogue,
    evaluate_tables,
)
from scalesheet.evaluate.interpret import interpret
from scalesheet.evaluate.parts import Fault, Here, Part, State
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
    Component,
    Formula,
    Key,
    Plan,
    Position,
    Quantity,
    Record,
    Stated,
    Table,
    deadline_check,
)
from scalesheet.numbers import format_of
from scalesheet.numbers import text as spelled
from scalesheet.quantities import DATE, day_text
from scalesheet.resolve.reasons import INCOMPLETE, of_compiler
from scalesheet.rows import Watched
from scalesheet.units import UNKNOWN
from scalesheet.values import Results, Series, Value
from scalesheet.vocabulary import counted

#: Relative tolerance for results of examples, which are written with few digits.
EXAMPLE_WITHIN = 1e-6
#: The most rows that a message names.
MOST_ROWS = 5
#: Above this, a spreadsheet's own arithmetic may overflow.
LARGEST = 1e300
#: The most digits of a number in text: in total, and without trailing zeros.
MOST_DIGITS, MOST_SIGNIFICANT = 14, 12
BREACHES = ("breach", "breaches")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def findings(book: Book, plan: Plan, results: Results, *, unfit: bool = False) -> list[Diagnostic]:
    """Everything that is wrong with the results of a plan and the catalogue, at the formulas
    responsible.

    `unfit`: some case has no layout that fits, which is reported elsewhere; checks that only lack
    that case's cost are skipped.
    """
    tables = {**book.tables, **plan.tables}
    problems, faulty = of_catalogue(book)
    more, _ = _of_formulas(tables, plan, plan.order, results, faulty)
    problems = [*problems, *more, *_without_network(plan, results)]
    problems += _on_fewer(tables, plan, results)
    first: dict[str, Diagnostic] = {}  # of each reason for which checks have no value
    follow: Counter[str] = Counter()
    for name in plan.checks:
        check, value = plan.scalars[name], results.scalars[name]
        if value.value is True:
            continue
        where, text = _broken(plan, name, results)
        message = f"the check '{check.title}' does not hold{where}"
        beyond = _beyond(book, plan, name, results) or _late(plan, name, results)
        wrong, root, place = wrongs(plan, name, results), "", _position(check, check.formula)
        if value.value is None:
            if unfit and of_compiler(value.reason):
                continue
            root, place = _root(plan, tables, name, results, place)
            follow[root] += root in first
            wrong = [root]
        message = f"{'; '.join(wrong)}: {message}" if wrong else f"{message}: {text}"
        message = beyond or message
        found = at(place, "V005", message)
        if not root:
            problems.append(found)
        first.setdefault(root, found)
    for name in plan.headline:
        headline, value = plan.scalars[name], results.scalars[name]
        if value.reason is None or (unfit and of_compiler(value.reason)):
            continue
        root, place = _root(plan, tables, name, results, _position(headline, headline.formula))
        message = f"{root}: the headline '{headline.title}' has no value"
        first.setdefault(root, at(place, "V020", message))
    problems += [
        replace(each, message=each.message + followed(follow[root], things=BREACHES))
        for root, each in first.items()
        if root
    ]
    return problems


#: Scalars and columns with a fault, directly or through inputs.
_Faulty = frozenset[tuple[str | None, str]]


def of_catalogue(book: Book) -> tuple[list[Diagnostic], _Faulty]:
    """What is wrong with the results of the catalogue, and its columns with a fault."""
    tables = book.tables.tables if isinstance(book.tables, Watched) else book.tables
    return _of_catalogue(Same(tables), book.order)


@lru_cache(maxsize=2)
def _of_catalogue(of: Same, order: Sequence[Key]) -> tuple[list[Diagnostic], _Faulty]:
    """The same, once for all plans."""
    tables: Mapping[str, Table] = of.value
    return _of_formulas(tables, NOTHING, order, evaluate_tables(tables, order), frozenset())


def _of_formulas(
    tables: Mapping[str, Table],
    plan: Plan,
    order: Sequence[Key],
    results: Results,
    faulty: _Faulty,
) -> tuple[list[Diagnostic], _Faulty]:
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


def _without_network(plan: Plan, results: Results) -> Iterator[Diagnostic]:
    """Warn of the first run of each table that rents more GPUs than a fast link connects, on an
    offer of one GPU.
    """
    for table in plan.tables.values():
        for place, row in enumerate(table.rows):
            gpus, most = (_in_row(results, table, name, place) for name in ("gpus", "fast_domain"))
            if not isinstance(gpus, float) or not isinstance(most, float) or gpus <= most:
                continue
            offer = _in_row(results, table, "offer", place)
            rented = _in_row(results, table, "supply", place) != "owned"
            if rented and results.cell("offers", str(offer), "gpus").value == 1:
                message = (
                    f"{table.name}['{row}']: {gpus:,.0f} GPUs of an offer of 1, and a fast link "
                    f"connects at most {most:,.0f}: nothing says how the nodes are connected; "
                    "choose an offer of whole nodes"
                )
                position = table.row_positions[place] if table.row_positions else plan.position
                yield at(position or Position(plan.id, 1, 1), "V019", message)
                break


def _on_fewer(tables: Mapping[str, Table], plan: Plan, results: Results) -> Iterator[Diagnostic]:
    """Warn of each phase that takes its hours from a run on more GPUs than the phase has."""
    phases = plan.tables.get("phases")
    if phases is None or not phases.columns.keys() >= {"gpus", "hours"}:
        return
    for place, phase in enumerate(phases.rows):
        has = results.tables["phases"]["gpus"][place].value
        timed = list(_timed_by(tables, plan, results, phase))
        if timed and isinstance(has, float) and has < max(timed)[0]:
            gpus, run = max(timed)
            message = (
                f"the phase '{phase}' has {has:,.0f} of the {gpus:,.0f} GPUs of {run}, "
                "from which it takes its hours; give the phase as many"
            )
            yield at(phases.row_positions[place], "V021", message)


def _timed_by(
    tables: Mapping[str, Table], plan: Plan, results: Results, phase: str
) -> Iterator[tuple[float, str]]:
    """The GPUs and names of the runs from which a phase takes its hours. Of runs among which a
    formula chooses, only the one with the fewest GPUs. A formula that reads a count of GPUs may
    convert hours to another count, and is not followed.
    """
    columns = plan.tables["phases"].columns

    def quantity(table: str | None, name: str) -> Any:
        return plan.scalars.get(name) if table is None else tables[table].columns.get(name)

    waiting: list[tuple[_Figure, bool]] = [(("phases", "hours", phase), True)]
    for (table, name, row), every in waiting:  # grows below
        of = quantity(table, name)
        if of is None or of.unit != columns["hours"].unit:
            continue
        if table is not None and table in plan.tables and table != "phases":
            own = plan.tables[table]
            runs = [
                (gpus, f"{table}['{each}']")
                for at_row, each in enumerate(own.rows)
                if row in (None, each)
                and isinstance(gpus := _in_row(results, own, "gpus", at_row), float)
            ]
            yield from runs if every or not runs else (min(runs),)
            continue
        formula = getattr(of, "own", {}).get(row, of.formula)
        for node in walk(formula.ends.value) if formula is not None else ():
            every &= not isinstance(node, Lookup) and getattr(node, "where", None) is None
        known, read = {figure for figure, _ in waiting}, set(_read(formula, table, row))
        units = [getattr(quantity(*each[:2]), "unit", None) for each in read]
        if columns["gpus"].unit not in units:
            waiting += [(each, every) for each in sorted(read - known, key=str)]


def _in_row(results: Results, table: Table, name: str, place: int) -> object:
    """The value of a figure in a row, or of the scalar that all rows of the table share."""
    if name in table.columns:
        return results.tables[table.name][name][place].value
    shared = results.scalars.get(f"{table.name}.all.{name}")
    return shared.value if shared is not None else None


#: A figure: its table, its name, and its row if it is a fixed one.
_Figure = tuple[str | None, str, str | None]


def _root(
    plan: Plan, tables: Mapping[str, Table], figure: str, results: Results, place: Position
) -> tuple[str, Position]:
    """Why a check or headline at a place has no value: the first reason behind it that a row or
    figure states itself, with the place of that row if it is the plan's.
    """
    waiting: list[_Figure] = [(None, figure, None)]
    said = str(results.scalars[figure].reason)
    for table, name, row in waiting:  # grows below
        reason = _reason(results, (table, name, row))
        if reason is None:
            continue
        formulas = [plan.scalars[name].formula] if table is None else []
        if table is not None:
            column = tables[table].columns[name]
            formulas = [column.own.get(row or "", column.formula)]
            formulas += list(column.own.values()) if row is None else []
        read = {each for formula in formulas for each in _read(formula, table, row)}
        if not of_compiler(reason):
            read = {each for each in read if _reason(results, each) == reason}  # passed on
        if of_compiler(reason) or read:
            waiting += sorted(read - set(waiting), key=str)
        elif table is None:
            return reason, place
        else:
            if table in plan.tables and plan.tables[table].row_positions:
                without = min(results.tables[table][name].reasons)
                without = results.rows[table].index(row) if row else without
                place = plan.tables[table].row_positions[without]
            return _with_row(f"{INCOMPLETE}: {table}.{name}", results), place
    return said, place


def _reason(results: Results, figure: _Figure) -> str | None:
    """Why a figure has no value, or the first row of its column without one."""
    table, name, row = figure
    if table is None:
        return results.scalars.get(name, Value()).reason
    reasons = results.tables[table][name].reasons
    if row is not None:
        return reasons.get(results.rows[table].index(row))
    return reasons[min(reasons)] if reasons else None


def _read(formula: Formula | None, table: str | None, row: str | None) -> Iterator[_Figure]:
    """The figures that a formula in a row names."""
    for node in walk(formula.ends.value) if formula is not None else ():
        if isinstance(node, Scalar):
            yield None, node.name, None
        elif isinstance(node, Cell):
            yield node.table, node.column, node.row
        elif isinstance(node, Column):
            yield node.table, node.column, row if node.table == table else None
        elif isinstance(node, Aggregate | Lookup) and node.column is not None:
            yield node.table, node.column, None


def _with_row(reason: str, results: Results) -> str:
    """The first row without a value, and why, if the reason only says that one has none."""
    first, *others = rows_without(reason, results) or (reason,)
    return f"{first}, and {counted(len(others), 'more row')}" if others else first


def rows_without(reason: str, results: Results) -> list[str]:
    """The rows without a value, each with its reason, if the reason only says that one has none."""
    table, _, column = reason.removeprefix(f"{INCOMPLETE}: ").rpartition(".")
    if not reason.startswith(INCOMPLETE) or table not in results.tables:
        return []
    rows, reasons = results.rows[table], results.tables[table][column].reasons
    return [f"{table}['{rows[place]}']: {why}" for place, why in reasons.items()]


def explained(results: Results, tables: Mapping[str, Table]) -> Results:
    """The results, where a reason that only says that a row has no value is replaced by the title
    of the first such row and its own reason.
    """

    def why(reason: str) -> str:
        table, _, column = reason.removeprefix(f"{INCOMPLETE}: ").rpartition(".")
        if not reason.startswith(INCOMPLETE) or table not in results.tables:
            return reason
        reasons = results.tables[table][column].reasons
        first, *others = sorted(reasons) or (None,)
        if first is None:
            return reason
        behind = why(reasons[first])
        if behind != reasons[first]:
            return behind
        more = f", and {counted(len(others), 'more row')}" if others else ""
        of = tables[table]
        return f"{of.title_of(of.rows[first])}: {behind}{more}"

    def columns(table: Mapping[str, Series]) -> Mapping[str, Series]:
        found = {
            name: {row: why(reason) for row, reason in each.reasons.items()}
            for name, each in table.items()
            if each.reasons
        }
        return {**table, **{name: replace(table[name], reasons=r) for name, r in found.items()}}

    scalars = {
        name: replace(value, reason=why(value.reason))
        for name, value in results.scalars.items()
        if value.reason is not None
    }
    below = {name: columns(table) for name, table in results.tables.items()}
    return replace(results, scalars={**results.scalars, **scalars}, tables=below)


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


def _beyond(book: Book, plan: Plan, check: str, results: Results) -> str:
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

#: Counted parameters of a model, the developer's figure, and the tolerance. Total counts must match
#: the stated digits; counts per token get a tolerance, since developers leave parts out.
_COUNTS = (
    ("parameters", "published_parameters", 0.0),
    ("active_parameters", "published_active_parameters", 0.02),
)


def counts(book: Book) -> list[Diagnostic]:
    """The models whose counted parameters differ from the published ones."""
    table = book.tables.get("models")
    if table is None:
        return []
    cells = evaluate_catalogue(book).tables["models"]
    problems: list[Diagnostic] = []
    for derived, published, within in _COUNTS:
        if derived not in cells or published not in table.columns:
            continue
        for place, row in enumerate(table.rows):
            count, text = cells[derived][place].value, table.columns[published].stated.get(row)
            if text is None or not isinstance(text.value, float) or not isinstance(count, float):
                continue
            if not rounds_to(count, text.value) and abs(count / text.value - 1) > within:
                message = (
                    f"'{row}' has {count:,.0f} {derived.replace('_', ' ')} by its architecture, "
                    f"but {text.value:,.0f} are stated; fix the one that is wrong"
                )
                assert text.position is not None
                problems.append(at(text.position, "V014", message))
    return problems


def rounds_to(count: float, published: float) -> bool:
    """Whether a count equals a published one when rounded to its digits."""
    written = f"{published:.0f}"
    zeros = len(written) - len(written.rstrip("0"))
    unit = 10.0**zeros
    return bool(round(count / unit) == round(published / unit))


# ------------------------------------------------------------------ examples of the catalogue


def call(record: Record, given: Mapping[str, float]) -> Value:
    """Evaluate a catalogue formula by itself, in declared units; omitted inputs use defaults."""
    state = State()
    for item in record.inputs:
        default = item.stated.value if item.stated is not None else None
        value = given.get(item.name, default)
        assert isinstance(value, float), f"{record.id} needs {item.name}"
        state.scalars[item.name] = {"value": Part(value)}
    part = interpret(record.formula.ends.value, Here(state))
    return Value(reason=part.why) if part.why is not None else Value.number(float(part.data))


def examples(book: Book) -> list[Diagnostic]:
    """The examples that fail."""
    problems: list[Diagnostic] = []
    for record in book.records.values():
        for example in record.examples:
            got = call(record, example.given)
            right = isinstance(got.value, float) and abs(got.value - example.expect) <= (
                EXAMPLE_WITHIN * max(abs(got.value), abs(example.expect))
            )
            if not right:
                shown = got.reason or f"{got.value:.12g}"
                message = (
                    f"'{record.id}' gives {shown} where its example expects {example.expect:.12g}"
                )
                position = example.position or record.position
                assert position is not None
                problems.append(at(position, "F005", message))
    return problems + [
        problem for component in book.components.values() for problem in _cases(book, component)
    ]


def _cases(book: Book, component: Component) -> Iterator[Diagnostic]:
    """The examples of a component that fail. They are computed without own records."""
    plan = _uncorrected(component)
    for example in component.examples:
        given = {Key(name): value for name, value in example.given.items()}
        results = evaluate(book, plan, given)
        for name, expected in example.expect.items():
            got = results.scalars[name]
            if not _as_expected(got, expected):
                value = got.reason if got.value is None else got.value
                shown = f"{value:.12g}" if isinstance(value, float) else f"'{value}'"
                wanted = f"{expected:.12g}" if isinstance(expected, float) else f"'{expected}'"
                message = f"'{name}' is {shown} where the example expects {wanted}"
                assert example.position is not None
                yield at(example.position, "F005", message)


def _uncorrected(component: Component) -> Plan:
    """A component as a plan, with all factors from own records set to 1."""
    plan, one = component.plan, Stated(1.0, 1.0, 1.0)
    if not component.corrections:
        return plan
    factors = {
        name: replace(plan.scalars[name], formula=None, stated=one)
        for name in component.corrections
    }
    order = tuple(key for key in plan.order if key.table or key.name not in factors)
    return replace(plan, scalars={**plan.scalars, **factors}, order=order)


def _as_expected(got: Value, expected: float | str | bool) -> bool:
    if isinstance(expected, float) and isinstance(got.value, float):
        largest = max(abs(got.value), abs(expected))
        return abs(got.value - expected) <= EXAMPLE_WITHIN * largest
    return expected == (got.reason if got.value is None else got.value)
