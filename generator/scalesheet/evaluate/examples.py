"""Checks formulas of the catalogue against results that are known: their own examples, and the
parameters of models that developers publish.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, at
from scalesheet.evaluate import evaluate, evaluate_catalogue
from scalesheet.evaluate.interpret import interpret
from scalesheet.evaluate.parts import Here, Part, State
from scalesheet.model import Component, Key, Record
from scalesheet.values import Value

#: Relative tolerance for results of examples, which are written with few digits.
EXAMPLE_WITHIN = 1e-6

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
    uncorrected = dict.fromkeys(component.corrections, 1.0)
    for example in component.examples:
        given = {Key(name): value for name, value in {**uncorrected, **example.given}.items()}
        results = evaluate(book, component.plan, given)
        for name, expected in example.expect.items():
            got = results.scalars[name]
            if not _as_expected(got, expected):
                value = got.reason if got.value is None else got.value
                shown = f"{value:.12g}" if isinstance(value, float) else f"'{value}'"
                wanted = f"{expected:.12g}" if isinstance(expected, float) else f"'{expected}'"
                message = f"'{name}' is {shown} where the example expects {wanted}"
                assert example.position is not None
                yield at(example.position, "F005", message)


def _as_expected(got: Value, expected: float | str | bool) -> bool:
    if isinstance(expected, float) and isinstance(got.value, float):
        largest = max(abs(got.value), abs(expected))
        return abs(got.value - expected) <= EXAMPLE_WITHIN * largest
    return expected == (got.reason if got.value is None else got.value)
