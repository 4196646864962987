"""Lowers accelerators, nodes, offers, models and measurements from files to tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.load import Document, flag
from scalesheet.model import Basis, Domain, Position, Show, Stated
from scalesheet.nearest import nearest
from scalesheet.resolve.drafts import Draft, DraftTable
from scalesheet.resolve.lowering.catalogue_columns import (
    HARDWARE,
    HARDWARE_CHOICES,
    MARKS,
    MEASUREMENT,
    MEASUREMENT_CHOICES,
    MEASUREMENT_FLAGS,
    MODEL,
    MODEL_CHOICES,
    MODEL_FLAGS,
    NODE,
    NOT_MEASURED,
    NOT_STATED,
    PRICINGS,
    PUBLISHED,
    Choice,
    Given,
)
from scalesheet.resolve.lowering.values import Lowering, citation, stated
from scalesheet.units import Units
from scalesheet.vocabulary import TERMS


def new_table(name: str, title: str, documents: Sequence[Document]) -> DraftTable:
    positions = tuple(document.at() for document in documents)
    return DraftTable(
        name=name,
        title=title,
        rows=tuple(document.id for document in documents),
        row_titles=tuple(str(document.data["title"]) for document in documents),
        columns={},
        position=positions[0] if positions else Position(name, 1, 1),
        row_notes={d.id: str(d.data["note"]) for d in documents if d.data.get("note")},
        row_aliases={
            d.id: tuple(str(alias) for alias in d.data["aliases"])
            for d in documents
            if d.data.get("aliases")
        },
        row_positions=positions,
    )


def new_column(
    table: DraftTable, name: str, title: str, unit: str, domain: Domain, units: Units
) -> Draft:
    draft = Draft(
        name, title, table.position, unit=units.parse(unit), domain=domain, table=table.name
    )
    table.columns[name] = draft
    return draft


def _texts(
    table: DraftTable, documents: Sequence[Document], columns: Mapping[str, str], **kind: Any
) -> None:
    """Add columns of text or dates, empty where a file says nothing."""
    for name, title in columns.items():
        draft = Draft(name, title, table.position, table=table.name, **(kind or {"kind": "text"}))
        for document in documents:
            value = document.data.get(name)
            if value is not None:
                draft.stated[document.id] = _said(document, str(value), (name,))
        table.columns[name] = draft


def _flags(
    table: DraftTable,
    documents: Sequence[Document],
    columns: Mapping[str, tuple[str, tuple[str, ...]]],
) -> None:
    """Add columns of yes and no; no if a file does not say."""
    for name, (title, path) in columns.items():
        draft = Draft(name, title, table.position, kind="flag", table=table.name)
        for document in documents:
            steps = path or (name,)
            value = _at(document, steps)
            draft.stated[document.id] = (
                Stated(value=False, basis="spec", default=True)
                if value is None
                else _said(document, flag(value), steps)
            )
        table.columns[name] = draft


def _open_flags(
    table: DraftTable, documents: Sequence[Document], columns: Mapping[str, str]
) -> None:
    """Add columns of yes and no; unknown if a file does not say."""
    for name, title in columns.items():
        draft = Draft(name, title, table.position, kind="flag", table=table.name)
        for document in documents:
            value = document.data.get(name)
            draft.stated[document.id] = (
                Stated(reason=NOT_STATED, position=document.at())
                if value is None
                else _said(document, flag(value), (name,))
            )
        table.columns[name] = draft


def _choices(
    table: DraftTable,
    documents: Sequence[Document],
    columns: Mapping[str, Choice],
    missing: str = NOT_STATED,
) -> None:
    """Add columns of words. Where a file says nothing, they hold the default or a reason."""
    for name, choice in columns.items():
        draft = Draft(
            name, choice.title, table.position, kind="word", words=choice.words, table=table.name
        )
        for document in documents:
            steps = choice.path or (name,)
            value = _at(document, steps)
            draft.stated[document.id] = (
                _said(document, str(value), steps)
                if value is not None
                else Stated(value=choice.default, basis="spec", default=True)
                if choice.default is not None
                else Stated(reason=missing, position=document.at())
            )
        table.columns[name] = draft


def _numbers(
    table: DraftTable,
    documents: Sequence[Document],
    columns: Mapping[str, Given],
    units: Units,
    problems: list[Diagnostic],
    missing: str = NOT_STATED,
) -> None:
    """Add columns of numbers. Where a file says nothing, they hold the default or a reason.

    A default is in no file, so it is shown on no page.
    """
    for name, given in columns.items():
        draft = new_column(table, name, given.title, given.unit, given.domain, units)
        draft.show = Show(percent=given.domain == "fraction", decimals=given.decimals)
        steps = given.path or (name,)
        for document in documents:
            low = Lowering(document, units, problems, citation(document.data.get("source")))
            data = _at(document, steps)
            if data is not None:
                draft.stated[document.id] = stated(low, draft, data, *steps, basis=_how(document))
            elif given.default is not None:
                number = given.default
                draft.stated[document.id] = Stated(
                    number, number, number, basis="spec", default=True
                )
            else:
                draft.stated[document.id] = Stated(reason=missing, position=document.at())


def _at(document: Document, steps: tuple[str, ...]) -> Any:
    """What a file states at a place, or None."""
    data: Any = document.data
    for step in steps:
        data = data.get(step) if isinstance(data, Mapping) else None
    return data


def _said(document: Document, value: str | bool, steps: tuple[str, ...]) -> Stated:
    return Stated(
        value,
        basis=_how(document),
        citation=citation(document.data.get("source")),
        position=document.at(*steps),
    )


def _how(document: Document) -> Basis:
    """The default basis of a file's figures; a record says how it was obtained."""
    if document.kind != "measurement":
        return "spec"
    return "measured" if document.data["how"] == "measured" else "simulated"


def hardware_table(
    documents: Sequence[Document], units: Units, problems: list[Diagnostic]
) -> DraftTable:
    table = new_table("hardware", "Hardware", documents)
    _choices(table, documents, HARDWARE_CHOICES)
    _texts(table, documents, {"vendor": "Vendor", "form_factor": "Form factor"})
    _texts(table, documents, {"released": "Released"}, kind="date")
    _texts(table, documents, {"power_term": "Power rating"})
    _numbers(table, documents, HARDWARE, units, problems)
    _contest(table, documents)
    _tell_unusual(table, documents)
    return table


def _contest(table: DraftTable, documents: Sequence[Document]) -> None:
    """Attach what other sources say to each contested figure."""
    for document in documents:
        for index, other in enumerate(document.data.get("contested", ())):
            column = table.columns[str(other["of"])].stated
            number = float(other["value"])
            said = Stated(
                number,
                number,
                number,
                basis="published",
                citation=citation(other["source"]),
                note=str(other.get("note", "")),
                position=document.at("contested", index),
            )
            figure = column[document.id]
            column[document.id] = replace(figure, contested=(*figure.contested, said))


def _tell_unusual(table: DraftTable, documents: Sequence[Document]) -> None:
    """Add the explanation of unusual figures to the note of their row."""
    for document in documents:
        parts = [str(text) for text in document.data.get("unusual", {}).values()]
        if parts:
            note = table.row_notes.get(document.id, "")
            table.row_notes[document.id] = " ".join([note, "Unusual:", *parts]).strip()


def nodes_table(
    documents: Sequence[Document],
    units: Units,
    problems: list[Diagnostic],
    tables: Mapping[str, DraftTable],
) -> DraftTable:
    """The table of nodes with their accelerators."""
    table = new_table("nodes", "Nodes", documents)
    _texts(table, documents, {"vendor": "Vendor"})
    _texts(table, documents, {"released": "Released"}, kind="date")
    _references(table, documents, "accelerator", "Accelerator", "hardware", problems, tables, units)
    _texts(table, documents, {"processors": "Processors", "adapters": "Adapters"})
    _texts(table, documents, {"power_term": "Power rating"})
    _numbers(table, documents, NODE, units, problems)
    _tell_unusual(table, documents)
    return table


def models_table(
    documents: Sequence[Document], units: Units, problems: list[Diagnostic]
) -> DraftTable:
    table = new_table("models", "Models", documents)
    _texts(table, documents, {"family": "Family", "developer": "Developer"})
    _numbers(table, documents, MODEL, units, problems)
    _choices(table, documents, MODEL_CHOICES)
    _flags(table, documents, MODEL_FLAGS)
    _numbers(table, documents, PUBLISHED, units, problems)
    return table


def measurements_table(
    documents: Sequence[Document],
    units: Units,
    problems: list[Diagnostic],
    tables: Mapping[str, DraftTable],
    formulas: Collection[str],
) -> DraftTable:
    """The table of records of runs. What was not measured is a reason, as is a model missing from
    the catalogue.

    The title of a simulated record says so, because it is shown wherever the record is named.
    """
    table = new_table("measurements", "Measurements", documents)
    table.row_titles = tuple(
        f"{title}, simulated" if document.data["how"] == "simulated" else title
        for title, document in zip(table.row_titles, documents, strict=True)
    )
    _choices(table, documents, {"how": MEASUREMENT_CHOICES["how"]})
    _texts(table, documents, {"date": "Date"}, kind="date")
    _references(table, documents, "accelerator", "Accelerator", "hardware", problems, tables, units)
    _numbers(table, documents, {"gpus": MEASUREMENT["gpus"]}, units, problems)
    _references(table, documents, "model", "Model", "models", problems, tables, units)
    _texts(table, documents, {"model_name": "Model, in words"})
    _choices(table, documents, {k: v for k, v in MEASUREMENT_CHOICES.items() if k != "how"})
    _open_flags(table, documents, MEASUREMENT_FLAGS)
    rest = {k: v for k, v in MEASUREMENT.items() if k != "gpus"}
    _numbers(table, documents, rest, units, problems, NOT_MEASURED)
    _texts(table, documents, {"flop_convention": "Convention of the work per token"})
    for document in documents:
        named = document.data.get("flop_convention")
        if named is not None and named not in formulas:
            message = f"there is no formula '{named}'{nearest(named, formulas)}"
            problems.append(at(document.at("flop_convention"), "N002", message))
    _flags(table, documents, MARKS)
    _texts(table, documents, {"environment": "Environment"})
    libraries = Draft("libraries", "Libraries", table.position, kind="text", table=table.name)
    for document in documents:
        versions = document.data.get("libraries")
        if versions:
            named = ", ".join(f"{name} {version}" for name, version in versions.items())
            libraries.stated[document.id] = _said(document, named, ("libraries",))
    table.columns["libraries"] = libraries
    return table


def _references(
    table: DraftTable,
    documents: Sequence[Document],
    name: str,
    title: str,
    refers_to: str,
    problems: list[Diagnostic],
    tables: Mapping[str, DraftTable],
    units: Units,
) -> None:
    """Add a column that refers to rows of another table in the catalogue."""
    draft = Draft(
        name, title, table.position, kind="reference", refers_to=refers_to, table=table.name
    )
    for document in documents:
        low = Lowering(document, units, problems, citation(document.data.get("source")))
        low.rows = lambda other: tables[other].rows
        value = document.data.get(name)
        draft.stated[document.id] = (
            Stated(reason="not in the catalogue", position=document.at())
            if value is None
            else stated(low, draft, value, name, basis=_how(document))
        )
        low.finish()
    table.columns[name] = draft


def offers_table(
    table: DraftTable,
    documents: Sequence[Document],
    units: Units,
    as_of: date,
    problems: list[Diagnostic],
    tables: Mapping[str, DraftTable],
) -> dict[str, tuple[Stated, ...]]:
    """Add the offers' columns and return the dated prices; the current price is the one at `as_of`.

    In books with nodes, a column says which node an offer is.
    """
    texts = {"provider": "Provider", "instance": "Instance", "region": "Region"}
    _texts(table, documents, texts)
    _texts(table, documents, {"includes": "Includes"})
    pricing = Choice("Pricing", PRICINGS, default=PRICINGS[0])
    _choices(table, documents, {"term": Choice("Term", tuple(TERMS)), "pricing": pricing})
    _texts(table, documents, {"commitment": "Commitment"})
    _references(table, documents, "accelerator", "Accelerator", "hardware", problems, tables, units)
    if tables["nodes"].rows or any("node" in document.data for document in documents):
        _references(table, documents, "node", "Node", "nodes", problems, tables, units)
    count = new_column(table, "gpus", "GPUs per node", "GPU / node", "count", units)
    price = new_column(
        table, "node_price", "Price per node hour", "USD / (node * hour)", "positive", units
    )
    as_written = replace(price, name="price")  # in messages
    since = Draft("since", "Price since", table.position, kind="date", table=table.name)
    table.columns["since"] = since
    seen = Draft("seen", "Price last seen", table.position, kind="date", table=table.name)
    table.columns["seen"] = seen
    history: dict[str, tuple[Stated, ...]] = {}
    for document in documents:
        data, row = document.data, document.id
        low = Lowering(document, units, problems, citation(data.get("source")))
        count.stated[row] = stated(low, count, data["accelerators"], "accelerators", basis="spec")
        entries: list[Stated] = []
        for index, entry in enumerate(data["prices"]):
            renamed = {("value" if k == "price" else k): v for k, v in entry.items() if k != "from"}
            value = stated(low, as_written, renamed, "prices", index, basis="published")
            entries.append(
                replace(
                    value,
                    since=str(entry["from"]),
                    seen=str(entry.get("seen", "")),
                    confirmed=citation(entry.get("confirmed")),
                )
            )
        history[row] = tuple(entries)
        in_force = [e for e in entries if e.since <= as_of.isoformat()]
        current = (
            in_force[-1]
            if in_force
            else Stated(
                reason=f"no price known at {as_of.isoformat()}", position=document.at("prices")
            )
        )
        price.stated[row] = current
        for column, day in (since, current.since), (seen, current.seen or current.since):
            if day:
                column.stated[row] = Stated(
                    day,
                    basis=current.basis,
                    citation=current.citation,
                    since=current.since,
                    position=current.position,
                )
        if message := [str(text) for text in data.get("unusual", {}).values()]:
            note = table.row_notes.get(row, "")
            table.row_notes[row] = " ".join([note, "Unusual:", *message]).strip()
    return history
