"""Checks documents: each against its schema, then what a schema cannot express.

The latter needs no formulas: the order of ranges and dates, values within their domain, the kinds
of cells, sources of facts and the keys of sources. All errors are reported at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice, pairwise
from typing import Any

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.frozen import dataclass
from scalesheet.hints import date_hint, share_hint, text_hint
from scalesheet.load import MAX_FINDINGS, Document, Known, Steps, audited, quotable
from scalesheet.model import DOMAIN_WORDS, DOMAINS, TO_BE_STATED, within
from scalesheet.nearest import nearest
from scalesheet.quantities import says_more
from scalesheet.schemas import (
    KINDS,
    described,
    is_date,
    named,
    schema,
    violations,
)


def known(documents: Sequence[Document]) -> Known:
    """The known sources and edition, from the documents themselves."""
    return Known(_source_keys(documents), _edition(documents))


def check(documents: Sequence[Document], against: Known | None = None) -> list[Diagnostic]:
    """Report all errors that can be found without reading formulas."""
    against = against or known(documents)
    sources, edition = against.sources, against.edition
    problems: set[Diagnostic] = set()
    for document in documents:
        if document.kind == audited.KIND:
            data = audited.frozen(document.data)
            data.pop(audited.DAY, None)
            document = replace(document, kind="plan", data=data)
        if document.kind not in KINDS:
            continue
        findings = chain(
            violations(document),
            _values(document),
            _cell_kinds(document),
            _bare_cells(document),
            _unsourced(document),
            _price_dates(document),
            _earlier_dates(document, edition),
            _unknown_sources(document, sources),
        )
        problems.update(islice(findings, MAX_FINDINGS))
    return sorted(replace(d, message=quotable(d.message, clip=False)) for d in problems)


def _mapping(data: Any) -> Mapping[str, Any]:
    return data if isinstance(data, dict) else {}


def _list(data: Any) -> Sequence[Any]:
    return data if isinstance(data, list) else ()


def _is_number(data: Any) -> bool:
    return isinstance(data, int | float) and not isinstance(data, bool)


def _is_quantity(data: Any) -> bool:
    """A number, or a text with a number and a letter or unit."""
    return says_more(data) if isinstance(data, str) else _is_number(data)


# ------------------------------------------------------------------ values

#: Keys of the expected value, the ends of its range, and open bounds.
_IN_VALUE = ("value", "low", "high", "at_least", "at_most")


@dataclass(frozen=True)
class _Figure:
    """A stated value: its place, its data (short or long form), its domain, its name in
    messages."""

    steps: Steps
    data: Any
    domain: str
    called: str


def _values(document: Document) -> Iterator[Diagnostic]:
    for figure in _figures(document):
        if _is_number(figure.data):
            yield from _domain(document, figure, figure.steps, figure.data)
            continue
        stated = _mapping(figure.data)
        written = _Figure(
            (*figure.steps, "written"),
            stated.get("written"),
            figure.domain,
            f"{figure.called}, as written",
        )
        earlier = [
            _Figure((*figure.steps, "was", at), was, figure.domain, f"{figure.called}, was[{at}]")
            for at, was in enumerate(_list(stated.get("was")))
        ]
        for part in (figure, written, *earlier):
            numbers = {k: v for k, v in _mapping(part.data).items() if _is_number(v)}
            stated_as = [name for name in _IN_VALUE if name in numbers]
            percent = all(share_hint(part.domain, numbers[name]) for name in stated_as)
            for name in stated_as[:1] if percent else stated_as:  # all in percent is one error
                yield from _domain(document, part, (*part.steps, name), numbers[name])
            if "value" not in numbers and {"low", "high"} <= set(numbers):
                between = replace(part, called=f"{part.called}, the middle of low and high")
                middle = (numbers["low"] + numbers["high"]) / 2
                if within(part.domain, numbers["low"]) and within(part.domain, numbers["high"]):
                    yield from _domain(document, between, part.steps, middle)
            yield from _order(document, part, numbers, "value")
    for steps, price in _prices(document):
        numbers = {k: v for k, v in price.items() if _is_number(v)}
        yield from _order(
            document, _Figure(steps, price, "positive", named(steps)), numbers, "price"
        )


def _domain(
    document: Document, figure: _Figure, steps: Steps, number: float
) -> Iterator[Diagnostic]:
    if figure.domain in DOMAINS and not within(figure.domain, number):
        words = DOMAIN_WORDS[figure.domain]
        remedy = share_hint(figure.domain, number) or "; fix it, or declare another domain"
        message = (
            f"{figure.called}: expected {words} (domain {figure.domain}), found {number}{remedy}"
        )
        yield at(document.at(*steps), "V002", message)


def _order(
    document: Document, figure: _Figure, numbers: Mapping[str, float], middle: str
) -> Iterator[Diagnostic]:
    pairs = (("low", middle), (middle, "high"), ("low", "high"), ("at_least", "at_most"))
    for lower, upper in pairs:
        if lower in numbers and upper in numbers and numbers[lower] > numbers[upper]:
            end = lower if upper == middle else upper
            message = (
                f"{figure.called}: {lower} {numbers[lower]} is above {upper} {numbers[upper]}; "
                "swap or fix them"
            )
            yield at(document.at(*figure.steps, end), "V001", message)
            return


def _figures(document: Document) -> Iterator[_Figure]:
    """Yield every stated number, with its own domain, its column's, or the default."""
    data = _mapping(document.data)
    if document.kind in ("hardware", "node", "model", "measurement"):
        fields = schema(document.kind)["properties"]
        for key, value in data.items():
            if isinstance(value, dict):
                yield _own((key,), value, _mapping(fields.get(key)).get("x-domain", "positive"))
    if document.kind == "formula":
        yield from _inputs(data)
    for steps, scope in _scopes(document):
        for name, scalar in _mapping(scope.get("scalars")).items():
            if isinstance(scalar, dict):
                yield _own((*steps, "scalars", name), scalar, "non-negative")
    for table_steps, table in _tables(document):
        for steps, row, column, cell in _cells(table_steps, table):
            domain = _mapping(_mapping(table.get("columns")).get(column)).get("domain")
            if "unit" in _mapping(cell):
                domain = "signed"  # resolve converts it to the column's unit first
            where = f"{named(table_steps)}, row '{row}', column '{column}'"
            yield _Figure(steps, cell, _known(domain, "non-negative"), where)
    for phase, figures in _mapping(data.get("phases")).items():
        for key in _OF_PHASES:
            if key in _mapping(figures):
                domain = "positive" if key == "gpus" else "non-negative"
                yield _own(("phases", phase, key), figures[key], domain)


#: Figures of a phase that cannot be negative.
_OF_PHASES = (
    *("gpus", "hours", "gpu_hours", "overhead", "budget"),
    *("stored", "stored_for", "storage_price", "egress", "egress_price", "pay"),
)


def _inputs(data: Mapping[str, Any]) -> Iterator[_Figure]:
    """Yield a formula's default inputs and those of its examples."""
    inputs = _mapping(data.get("inputs"))
    domains = {
        name: _known(_mapping(entry).get("domain"), "non-negative")
        for name, entry in inputs.items()
    }
    for name, entry in inputs.items():
        steps: Steps = ("inputs", name, "default")
        yield _Figure(steps, _mapping(entry).get("default"), domains[name], named(steps))
    examples = data.get("examples")
    for index, example in enumerate(examples if isinstance(examples, list) else ()):
        for name, value in _mapping(_mapping(example).get("given")).items():
            steps = ("examples", index, "given", name)
            yield _Figure(steps, value, domains.get(name, "signed"), named(steps))


def _own(steps: Steps, data: Any, default: str) -> _Figure:
    return _Figure(steps, data, _known(_mapping(data).get("domain"), default), named(steps))


def _known(domain: Any, default: str) -> str:
    """The domain, or a permissive one if it is invalid, which the schema reports."""
    if domain is None:
        return default
    return domain if isinstance(domain, str) and domain in DOMAINS else "signed"


# ------------------------------------------------------------------ tables


def _scopes(document: Document) -> Iterator[tuple[Steps, Mapping[str, Any]]]:
    """Yield the parts that have scalars and tables: the plan and its phases."""
    if document.kind == "plan":
        data = _mapping(document.data)
        yield (), data
        for name, phase in _mapping(data.get("phases")).items():
            yield ("phases", name), _mapping(phase)


def _tables(document: Document) -> Iterator[tuple[Steps, Mapping[str, Any]]]:
    if document.kind == "table":
        yield (), _mapping(document.data)
    for steps, scope in _scopes(document):
        for name, table in _mapping(scope.get("tables")).items():
            yield (*steps, "tables", name), _mapping(table)


def _cells(steps: Steps, table: Mapping[str, Any]) -> Iterator[tuple[Steps, str, str, Any]]:
    """Yield each stated cell: its place, row, column and data."""
    rows = _mapping(table.get("rows"))
    if "each" in rows:
        return
    for row, cells in rows.items():
        for column, cell in _mapping(cells).items():
            if column not in ("title", "note", "source"):
                yield (*steps, "rows", row, column), row, column, cell


def _cell_kinds(document: Document) -> Iterator[Diagnostic]:
    """Report cells that have no column, or are not of its kind."""
    for table_steps, table in _tables(document):
        columns = _mapping(table.get("columns"))
        for steps, row, column, cell in _cells(table_steps, table):
            if column not in columns and ("of" in table or not columns):
                continue  # an input of the component, which resolve checks; or without a component
            if column not in columns:
                hint = nearest(column, columns) or f"; the columns are {', '.join(columns)}"
                message = f"row '{row}' has the key '{column}', which is not a column{hint}"
                yield at(document.key_at(*steps), "S001", message)
                continue
            value = cell.get("value") if isinstance(cell, dict) else cell
            if value is None or isinstance(value, list):
                continue
            steps = (*steps, "value") if isinstance(cell, dict) else steps
            if problem := _misfit(_mapping(columns[column]), value):
                code, expected = problem
                hint = ""
                if code == "S003" and "unit" in columns[column]:
                    hint = text_hint(value, of_value=False, may_be_mapping=True)
                hint = date_hint(value) if code == "S006" else hint
                message = f"row '{row}', column '{column}': expected {expected}{hint}"
                yield at(document.at(*steps), code, message)


def _bare_cells(document: Document) -> Iterator[Diagnostic]:
    """Report numbers without a source (of cell, row, column or table) in a table of facts."""
    for table_steps, table in _tables(document) if document.kind == "table" else ():
        for steps, row, column, cell in _cells(table_steps, table):
            cell_fields, of_column = (
                _mapping(cell),
                _mapping(_mapping(table.get("columns")).get(column)),
            )
            figure = cell_fields.get("value", cell_fields.get("low", cell))
            number = "unit" in of_column and _is_quantity(figure)
            guessed = cell_fields.get("kind", of_column.get("kind")) in ("assumption", "decision")
            cited = (cell_fields, _mapping(_mapping(table.get("rows")).get(row)), of_column, table)
            if number and not guessed and not any("source" in each for each in cited):
                message = (
                    f"row '{row}', column '{column}': a fact needs a source; name one here, for "
                    "the row, the column or the table, or mark the value as an assumption"
                )
                yield at(document.at(*steps), "S002", message)


def _unsourced(document: Document) -> Iterator[Diagnostic]:
    """Report the first accelerator figure or price in a file that states neither source nor kind.

    It would count as a spec or as published.
    """
    data = _mapping(document.data) if document.kind in ("hardware", "rate") else {}
    prices = ((("prices", n), price) for n, price in enumerate(_list(data.get("prices"))))
    for steps, each in (*prices, *(((key,), value) for key, value in data.items())):
        keys = _mapping(each).keys()
        if keys & {"value", "low", "price"} and not keys & {"source", "kind"}:
            message = (
                f"{named(steps)}: a fact needs a source; name one here, or mark the value as a "
                "decision or an assumption ('kind')"
            )
            yield at(document.key_at(*steps), "N010", message)
            return


def _misfit(column: Mapping[str, Any], value: Any) -> tuple[str, str] | None:
    """The code and the expectation for a value that is not of the column's kind, else None."""
    for key, (fits, code, expected) in _FITS.items():
        if key in column:
            if column[key] == "date":
                expected = expected.replace("a number", "a date such as 2026-03-31")
            return None if fits(value) else (code, f"{expected}, found {described(value)}")
    return None


_FITS: Mapping[str, tuple[Callable[[Any], bool], str, str]] = {
    "ref": (lambda value: isinstance(value, str), "S003", "a row's id as text"),
    "words": (lambda value: isinstance(value, str), "S003", "a word of the class as text"),
    "flag": (lambda value: value in ("yes", "no", True, False), "S004", "yes or no"),
    "text": (lambda value: isinstance(value, str), "S003", "text, in quotes"),
    "date": (lambda value: isinstance(value, str) and is_date(value), "S006", "a date YYYY-MM-DD"),
    "unit": (_is_quantity, "S003", "a number, or {reason: why there is none}"),
}


# ------------------------------------------------------------------ prices and sources


def _prices(document: Document) -> Iterator[tuple[Steps, Mapping[str, Any]]]:
    prices = _mapping(document.data).get("prices") if document.kind == "rate" else None
    if isinstance(prices, list):
        for index, price in enumerate(prices):
            yield ("prices", index), _mapping(price)


def _price_dates(document: Document) -> Iterator[Diagnostic]:
    dated = [
        (steps, price["from"])
        for steps, price in _prices(document)
        if isinstance(price.get("from"), str) and is_date(price["from"])
    ]
    for (_, before), (steps, after) in pairwise(dated):
        if after <= before:
            does = "repeats" if after == before else "is earlier than"
            place = (*steps, "from")
            fix = "keep one of the two" if after == before else "sort the entries, the oldest first"
            message = (
                f"{named(place)}: {after} {does} the date of the entry before it, {before}; {fix}"
            )
            yield at(document.at(*place), "V007", message)


def _earlier_dates(document: Document, edition: str) -> Iterator[Diagnostic]:
    """Report earlier values that are not in order, or end after the edition."""
    for steps, until in _untils(document):
        before = until[-2] if len(until) > 1 else ""
        place = document.at(*steps)
        if before and until[-1] <= before:
            does = "repeats" if until[-1] == before else "is earlier than"
            yield at(
                place,
                "V007",
                f"{named(steps)}: {until[-1]} {does} the date of the entry before it, {before}; "
                "sort the entries, the oldest first",
            )
        elif edition and until[-1] > edition:
            yield at(
                place,
                "O006",
                f"{named(steps)}: holds until {until[-1]}, after the edition of {edition}; enter "
                "the new value once it is in effect, or move the edition",
            )


def _untils(document: Document) -> Iterator[tuple[Steps, Sequence[str]]]:
    """Yield the place of each `until`, with the previous date and its own."""
    for steps in document.keys:
        if len(steps) > 2 and steps[-1] == "until" and steps[-3] == "was":
            index = int(steps[-2])
            entries = _list(_at(document.data, steps[:-2]))[max(0, index - 1) : index + 1]
            dates = [str(_mapping(entry).get("until")) for entry in entries]
            if all(map(is_date, dates)):
                yield steps, dates


def _at(data: Any, steps: Steps) -> Any:
    for step in steps:
        data = data[step]
    return data


def _edition(documents: Sequence[Document]) -> str:
    """The date of the book; empty if it has none."""
    for document in documents:
        if document.kind == "book":
            return str(_mapping(document.data).get("edition", ""))
    return ""


def _source_keys(documents: Sequence[Document]) -> frozenset[str] | None:
    """The keys of sources.yaml, including an extended book's; None if it could not be read."""
    found = [_mapping(each.data).get("sources") for each in documents if each.kind == "sources"]
    return frozenset(key for each in found for key in _mapping(each)) if found else None


_ID = re.compile(r"[a-z0-9-]+")


def _unknown_sources(document: Document, known: frozenset[str] | None) -> Iterator[Diagnostic]:
    if known is None:
        return
    sound = known - {TO_BE_STATED}
    unknown = [(steps, key) for steps, key in _citations(document) if key not in sound]
    if not unknown:
        return
    hint = partial(nearest, known=sorted(known))
    blanks = [steps for steps, key in unknown if key == TO_BE_STATED]
    if blanks:  # report only one per file
        first = min(
            blanks, key=lambda steps: (document.at(*steps).line, document.at(*steps).column)
        )
        message = (
            f"{named(first)}: the source is missing; look up the figures, then add a key of "
            "sources.yaml and the place in the source"
        )
        yield at(document.at(*first), "N010", message)
    for steps, key in unknown:
        if key != TO_BE_STATED and _ID.fullmatch(key):  # a malformed id has already been reported
            message = (
                f"{named(steps)}: the source '{quotable(key)}' is not in sources.yaml"
                f"{hint(key) or '; add it there'}"
            )
            yield at(document.at(*steps), "N006", message)


def _citations(document: Document) -> Iterator[tuple[Steps, str]]:
    """Yield every source that the document names, with its place."""
    stack: list[tuple[Steps, Any]] = [((), document.data)]
    while stack:
        steps, data = stack.pop()
        if isinstance(data, list):
            stack.extend(((*steps, index), item) for index, item in enumerate(data))
            continue
        inputs = document.kind == "formula" and steps == ("inputs",)  # where names are arbitrary
        for key, value in _mapping(data).items():
            if key not in ("source", "confirmed") or inputs:
                stack.append(((*steps, key), value))
            elif isinstance(value, str):
                yield (*steps, key), value
            elif isinstance(_mapping(value).get("key"), str):
                yield (*steps, key, "key"), value["key"]
