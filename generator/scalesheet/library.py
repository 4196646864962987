"""The Python API: a book, its plans with other inputs, predictions and choices.

Tables are pandas frames; quantities have a unit and a range. Everything is read and computed by the
same functions as in the commands.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scalesheet.edition import Edition
from scalesheet.evaluate.edits import input_name
from scalesheet.model import Key, Stated
from scalesheet.model import Plan as PlanModel
from scalesheet.values import Results

if TYPE_CHECKING:
    from pandas import DataFrame

Input = float | str | bool | tuple[float | str, float | str]


@dataclass(frozen=True)
class Quantity:
    """A figure of a plan: its expected value with both ends of its range, in `unit`.

    `value` is a number, a word, an id or a flag; None if there is none, with the cause in `reason`.
    `needs` are the names of the quantities that its formula reads.
    """

    name: str
    title: str
    value: float | str | bool | None
    low: float | None
    high: float | None
    unit: str
    formula: str
    needs: tuple[str, ...]
    reason: str
    text: str

    def __float__(self) -> float:
        """The expected value. Raises TypeError if it is not a number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise TypeError(f"'{self.name}' is not a number: {self.text}")
        return float(self.value)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        formula = f"<br><code>{escape(self.formula)}</code>" if self.formula else ""
        return f"<b>{escape(self.title)}</b>: {escape(self.text)}{formula}"


@dataclass(frozen=True, repr=False)
class Plan:
    """A plan of a book, possibly with edited inputs."""

    edition: Edition
    id: str
    edits: Mapping[Key, Stated]

    def __repr__(self) -> str:
        edits = ", ".join(f"{input_name(key)}={each.value}" for key, each in self.edits.items())
        return f"<plan {self.id}{edits and f' with {edits}'}>"

    @cached_property
    def _edition(self) -> Edition:
        """The edition with inputs that became ranges."""
        from scalesheet.kept_plan import with_ranges

        return with_ranges(self.edition, self.id, self.edits)

    @property
    def _plan(self) -> PlanModel:
        return self._edition.book.plans[self.id]

    @cached_property
    def _results(self) -> Results:
        if not self.edits:
            return self.edition.results[self.id]
        from scalesheet.choose.layout import layouts
        from scalesheet.evaluate import evaluate

        book = self._edition.book
        chosen = layouts(book, self._plan, self.edits)
        return evaluate(book, self._plan, {**self.edits, **chosen})

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all figures, inputs and derived ones."""
        return tuple(name for name, each in self._plan.scalars.items() if not each.hidden)

    @property
    def headline(self) -> dict[str, Quantity]:
        """The headline figures."""
        return {name: self[name] for name in self._plan.headline}

    def set(self, inputs: Mapping[str, Input] | None = None, /, **more: Input) -> Plan:
        """Return the plan with other inputs.

        A value is a number in the input's unit, a text such as `20GB` or `4k`, a pair of low and
        high (which makes even an exact input a range), an id or a word. A cell is
        `{"runs['a'].steps": 500}`. Raises ValueError with the nearest name, or with the possible
        values.
        """
        from scalesheet.evaluate.edits import EditError, read_edit

        edits = dict(self.edits)
        for name, value in {**(inputs or {}), **more}.items():
            try:
                key, stated = read_edit(self.edition.book, self._plan, f"{name}={_written(value)}")
            except EditError as error:
                raise ValueError(f"{name}: {error}") from None
            edits[key] = stated
        plan = replace(self, edits=edits)
        try:
            plan._edition  # noqa: B018  # computed now, so that a wrong edit is refused here
        except EditError as error:
            raise ValueError(str(error)) from None
        return plan

    def __getitem__(self, name: str) -> Quantity:
        """Return a figure by its name: `cost`, `runs['a'].hours`. Raises KeyError with the
        nearest."""
        from scalesheet.evaluate.references import formulas_at, named_by
        from scalesheet.render.text.plan import amount
        from scalesheet.render.text.why import UnknownName, key_of, quantity_of, stated_at
        from scalesheet.resolve.order import name_of

        book, plan = self._edition.book, self._plan
        try:
            key = key_of(book, plan, name)
        except UnknownName as error:
            raise KeyError(str(error)) from None
        quantity = quantity_of(book, plan, key)
        if key.table is None or key.row is None:
            value = self._results.scalars[key.name]
        else:
            value = self._results.cell(key.table, key.row, key.name)
        formulas: list[str] = []
        if stated_at(book, plan, key) is None:
            formulas = [each.text for each in formulas_at(book, plan, key)]
        return Quantity(
            name,
            quantity.title,
            value.value,
            value.low,
            value.high,
            str(quantity.unit) if quantity.kind == "number" else "",
            " ".join(formulas),
            tuple(name_of(each) for each in named_by(book, plan, self._results, key)),
            value.reason or "",
            amount(book, quantity, value),
        )

    def table(self, name: str) -> DataFrame:
        """Return a table of the plan, with one row for each of its rows.

        A number with a range has its ends beside it, as `<column>_low` and `<column>_high`.
        `attrs["units"]` has the unit of each column. Raises KeyError with the nearest name.
        """
        import pandas as pd

        from scalesheet.nearest import nearest

        table = self._plan.tables.get(name)
        if table is None:
            near = nearest(name, self._plan.tables)
            raise KeyError(f"'{name}' is not a table of '{self.id}'{near}")
        columns: dict[str, Any] = {}
        units: dict[str, str] = {}
        for column in table.columns.values():
            if column.hidden:
                continue
            series = self._results.tables[name][column.name]
            columns[column.name] = [each.value for each in series]
            if column.kind != "number":
                continue
            ends = [end for end in ("low", "high") if getattr(series, end) is not None]
            columns |= {f"{column.name}_{end}": getattr(series, end) for end in ends}
            units |= dict.fromkeys(
                (column.name, *(f"{column.name}_{e}" for e in ends)), str(column.unit)
            )
        frame = pd.DataFrame(columns, index=pd.Index(table.rows, name=name))
        frame.attrs["units"] = units
        return frame

    def _repr_html_(self) -> str:
        rows = "".join(f"<li>{each._repr_html_()}</li>" for each in self.headline.values())
        return f"<b>{escape(self._plan.title)}</b><ul>{rows}</ul>"


@dataclass(frozen=True, repr=False)
class Book:
    """A valid book with its numbers, and its data folder."""

    edition: Edition
    folder: Path

    def __repr__(self) -> str:
        return f"<book of {self.edition.book.edition}, plans {', '.join(self.plans)}>"

    @property
    def plans(self) -> tuple[str, ...]:
        """The ids of its plans."""
        return tuple(self.edition.book.plans)

    def plan(self, name: str) -> Plan:
        """Return a plan by its id. Raises KeyError with the nearest."""
        from scalesheet.nearest import nearest

        if name not in self.edition.book.plans:
            raise KeyError(f"there is no plan '{name}'{nearest(name, self.plans)}")
        return Plan(self.edition, name, {})

    def catalogue(self, name: str) -> DataFrame:
        """Return a table of the catalogue (`hardware`, `offers`, `models`, ...) as plain values."""
        import pandas as pd

        table = self.edition.book.tables[name]
        cells = self.edition.catalogue.tables[name]
        columns = {column: [each.value for each in cells[column]] for column in table.columns}
        frame = pd.DataFrame(columns, index=pd.Index(table.rows, name=name))
        units = {c: str(each.unit) for c, each in table.columns.items() if each.kind == "number"}
        frame.attrs["units"] = units
        return frame

    def predict(self, frame: DataFrame, task: str, calibrate: bool = True) -> DataFrame:
        """Return a prediction for each row, in columns after those of the frame.

        They are `predicted`, the 80 % range `predicted_low` to `predicted_high`, its `unit`, its
        `method`, or why there is no prediction. `task` is runs (GPU hours), throughput (token /
        (GPU * second)), memory (GB per accelerator) or loss. Own records of the same accelerator,
        model family and software correct a prediction, unless `calibrate` is false. Rows do not
        depend on each other, so parts of a frame may be predicted anywhere. `attrs["unread"]` names
        the columns that are not read; one whose name is close to a known one causes a warning.
        Raises ValueError for another task.
        """
        from scalesheet.nearest import nearest
        from scalesheet.predict.calibration import calibrated
        from scalesheet.predict.cases import cases_of
        from scalesheet.predict.cases.reader import MEANT, of_columns, unread_of
        from scalesheet.predict.tasks import TASKS, predict
        from scalesheet.predict.told import told

        if task not in TASKS:
            known = ", ".join(TASKS)
            raise ValueError(f"there is no task '{task}'{nearest(task, TASKS)}; use {known}")
        rows, book = len(frame), self.edition.book
        columns = {
            str(name): frame[name]
            .astype(object)
            .where(frame[name].notna(), "")
            .astype(str)
            .tolist()
            for name in frame.columns
        }
        columns.setdefault("id", [str(each) for each in range(rows)])
        unread = unread_of(map(str, frame.columns), task)
        if meant := [name for name in unread if MEANT in name]:
            warnings.warn(f"ignored columns: {', '.join(meant)}", stacklevel=2)
        cases = cases_of(of_columns(columns, rows, task), book)
        made = predict(book, task, cases)
        if calibrate:
            made = calibrated(book, task, cases, made)
        made = told(book, task, cases, made)
        result = frame.assign(
            predicted=made.predicted,
            predicted_low=made.low,
            predicted_high=made.high,
            predicted_unit=TASKS[task].unit,
            method=made.method,
            unsupported_because=[each or "" for each in made.unsupported.tolist()],
        )
        result.attrs["unread"] = unread
        return result

    def choose(self, model: str, **options: Any) -> dict[str, Any]:
        """Return the cheapest configuration that trains a model of the catalogue, or of a
        `config.json`, in time.

        It has the form of `scalesheet choose --format json`. Options are those of the command:
        `tokens=15e9, deadline="3 day", method="lora"`. Raises ValueError if they are impossible.
        """
        from scalesheet.commands import UsageError
        from scalesheet.commands.choose import answered
        from scalesheet.commands.parser import parser

        words = [f"--{name.replace('_', '-')}={_written(value)}" for name, value in options.items()]
        known = parser().parse_args(["choose", f"--data={self.folder}", model, *words])
        try:
            teller, made = answered(known)
        except UsageError as error:
            raise ValueError(str(error)) from None
        answer: dict[str, Any] = json.loads(teller.as_json(made))
        return answer


def open_book(folder: str | Path | None = None, *, as_of: date | None = None) -> Book:
    """Open the book in a data folder, or the catalogue that comes with the program.

    Raises `scalesheet.diagnostics.Refused` with all diagnostics if it has errors.
    """
    return _opened(folder, as_of)


def _opened(
    folder: str | Path | None, as_of: date | None = None, plans: Collection[str] | None = None
) -> Book:
    from scalesheet.examine import sound_edition
    from scalesheet.shipped import CATALOGUE

    data = Path(folder).absolute() if folder else CATALOGUE
    return Book(sound_edition(data, as_of, plans=plans)[0], data)


#: `scalesheet.load()`, the name in scripts and notebooks.
load = open_book


def predict(
    frame: DataFrame, task: str, *, book: Book | str | Path | None = None, calibrate: bool = True
) -> DataFrame:
    """Call `Book.predict` of a book or of the data folder `book`; by default of the catalogue.

    It reads only the arguments and the folder's files, so the name of a folder is all that a worker
    in another process needs.
    """
    return _book(book).predict(frame, task, calibrate)


def choose(model: str, *, book: Book | str | Path | None = None, **options: Any) -> dict[str, Any]:
    """Call `Book.choose` of a book or of the data folder `book`; by default of the catalogue."""
    return _book(book).choose(model, **options)


def _book(book: Book | str | Path | None) -> Book:
    """The book to predict with; a folder's plans are not read, so their errors do not matter."""
    if isinstance(book, Book):
        return book
    return _catalogue() if book is None else _opened(book, plans=())


@cache
def _catalogue() -> Book:
    """The catalogue, opened once, since it does not change while a program runs."""
    return _opened(None, plans=())


def _written(value: Input) -> str:
    if isinstance(value, tuple):
        return "..".join(map(_written, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(value) if isinstance(value, float) else str(value)
