"""Lowers the catalogue: units and sources, its tables, and its formulas."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Any

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.language.arithmetic import stated
from scalesheet.load import Document, flag, parse
from scalesheet.model import Example, Source, Stated
from scalesheet.resolve.drafts import Draft, DraftRecord, DraftTable, Written
from scalesheet.resolve.lowering.catalogue_columns import DERIVED, Computed
from scalesheet.resolve.lowering.catalogue_tables import (
    hardware_table,
    measurements_table,
    models_table,
    new_column,
    new_table,
    nodes_table,
    offers_table,
)
from scalesheet.resolve.lowering.providers import providers_table, unknown_providers
from scalesheet.resolve.lowering.published import count_results, fits_table
from scalesheet.resolve.lowering.small_tables import small_tables
from scalesheet.resolve.lowering.values import Lowering, citation, show, written
from scalesheet.resolve.plausibility.figures import implausible
from scalesheet.units import MOST_DECADES_OF_ONE, Declared, Units
from scalesheet.vocabulary import title_of


def units_of(documents: Sequence[Document], problems: list[Diagnostic]) -> Units:
    """The built-in units and those of `units.yaml`, grouped by dimension. `documents` are those of
    the book and of the one that it extends, the book's own first.
    """
    declared = dict(core_units())
    entries = [
        (document, name, entry)
        for document in reversed(documents)  # the book's own wins if both have a name
        for name, entry in document.data["units"].items()
    ]
    for document, name, entry in entries:
        made = _unit(name, entry, declared)
        if isinstance(made, str):
            place = document.at("units", name, "is" if "is" in entry else "dimension")
            problems.append(at(place, "U005", made))
        else:
            declared[name] = made
    dimensions = list(dict.fromkeys(unit.dimension for unit in declared.values()))
    return Units(sorted(declared.values(), key=lambda unit: dimensions.index(unit.dimension)))


@cache
def core_units() -> Mapping[str, Declared]:
    """The units that every book has, by name."""
    declared: dict[str, Declared] = {}
    text = resources.files("scalesheet").joinpath("core_units.yaml").read_bytes()
    for name, entry in parse(text, "core_units.yaml").data["units"].items():
        made = _unit(name, entry, declared, built_in=False)
        assert isinstance(made, Declared), made
        declared[name] = made
    return declared


def _unit(
    name: str, entry: Mapping[str, Any], known: Mapping[str, Declared], built_in: bool = True
) -> Declared | str:
    """A unit as declared by an entry, or what is wrong with the entry."""
    core = core_units().get(name) if built_in else None
    text = str(entry.get("is", ""))
    size = Fraction(1)
    if text:
        number, _, base = (part.strip() for part in text.partition("*"))
        other = known.get(base)
        if other is None:
            return f"'{base}' is not declared above; write 'is: NUMBER * UNIT'"
        try:
            if stated(number) <= 0:
                return f"'{number}' is not a positive number; write 'is: NUMBER * UNIT'"
        except ValueError as error:
            return f"'{number}' {error}"
        dimension, size = other.dimension, Fraction(number.replace("_", "")) * other.size
        if abs(math.log10(size)) > MOST_DECADES_OF_ONE:
            most = f"1e{MOST_DECADES_OF_ONE}"
            return f"the unit is farther than {most} from the base of its dimension; drop it"
    else:
        dimension = str(entry["dimension"])
    if core is not None:
        same = core.dimension == dimension and (core.size == size or not text)
        if not same or flag(entry.get("counted", core.counted)) != core.counted:
            meaning = core.per or f"the unit of the dimension '{core.dimension}'"
            return (
                f"'{name}' is built in as {meaning}, which differs; delete the line, or give "
                "the unit another name"
            )
        size = core.size
    elif not text and (first := [u.name for u in known.values() if u.dimension == dimension]):
        return f"the dimension '{dimension}' has its base unit, {first[0]}, already; use 'is:'"
    return Declared(
        name,
        dimension,
        size,
        str(entry.get("title", core.title if core else name)),
        str(entry.get("symbol", core.symbol if core else name)),
        core.counted if core else flag(entry.get("counted", "no")),
        text or (core.per if core else ""),
        str(entry.get("note", core.note if core else "")),
    )


def sources_of(documents: Sequence[Document]) -> dict[str, Source]:
    """The sources of `sources.yaml` by key. `documents` begin with the book's own, which win."""
    return {
        key: Source(
            key,
            str(entry["title"]),
            **{
                field: str(entry.get(field, "") or "")
                for field in ("publisher", "url", "date", "accessed", "note")
            },
            position=document.key_at("sources", key),
        )
        for document in reversed(documents)
        for key, entry in document.data["sources"].items()
    }


def tables_of(
    documents: Sequence[Document],
    units: Units,
    records: Mapping[str, DraftRecord],
    as_of: date,
    problems: list[Diagnostic],
) -> tuple[dict[str, DraftTable], dict[str, tuple[Stated, ...]]]:
    """The catalogue's tables, and the dated prices of each offer."""
    by_kind: dict[str, list[Document]] = {
        kind: []
        for kind in (
            *("hardware", "node", "provider", "rate", "model"),
            *("measurement", "table", "fit"),
        )
    }
    for document in documents:
        if document.kind in by_kind:
            by_kind[document.kind].append(document)
    tables = {
        "hardware": hardware_table(by_kind["hardware"], units, problems),
        "nodes": new_table("nodes", "Nodes", ()),
        "providers": providers_table(by_kind["provider"]),
        "offers": new_table("offers", "Offers", by_kind["rate"]),
        "models": models_table(by_kind["model"], units, problems),
    }
    if by_kind["node"]:
        tables["nodes"] = nodes_table(by_kind["node"], units, problems, tables)
    prices = offers_table(tables["offers"], by_kind["rate"], units, as_of, problems, tables)
    problems.extend(unknown_providers(by_kind["rate"], by_kind["provider"]))
    if by_kind["measurement"]:
        formulas = {record.id for record in records.values()}
        tables["measurements"] = measurements_table(
            by_kind["measurement"], units, problems, tables, formulas
        )
    tables |= small_tables(by_kind["table"], units, records, tables, problems)
    tables["fits"] = fits_table(by_kind["fit"], units, problems)
    title = "Published throughput on the same chip"
    count_results(tables["hardware"], by_kind["fit"], "throughput", title, units)
    for name, columns in DERIVED.items():
        for column, computed in columns.items():
            _derive(tables[name], column, computed, units, records)
    if not any(d.severity == "error" for d in problems):
        problems.extend(implausible(by_kind, tables))
    return {n: t for n, t in tables.items() if t.rows}, prices


def _derive(
    table: DraftTable,
    column: str,
    computed: Computed,
    units: Units,
    records: Mapping[str, DraftRecord],
) -> None:
    from scalesheet.language.functions import FUNCTIONS
    from scalesheet.language.parser import parse
    from scalesheet.language.syntax import Call, Name, walk

    tree = parse(computed.formula)
    nodes = list(walk(tree))
    calls = {n.function for n in nodes if isinstance(n, Call)} - set(FUNCTIONS)
    names = {n.path[0] for n in nodes if isinstance(n, Name)}
    if calls <= set(records) and names <= set(table.columns):
        draft = new_column(table, column, computed.title, computed.unit, computed.domain, units)
        draft.formulas[None] = Written(computed.formula, tree, table.position)
        draft.hidden = computed.step


def records_of(
    documents: Sequence[Document], units: Units, problems: list[Diagnostic]
) -> dict[str, DraftRecord]:
    """The catalogue's formulas, keyed by the names that formulas call them by."""
    records: dict[str, DraftRecord] = {}
    for document in documents:
        if document.kind == "formula":
            record = _record(document, units, problems)
            if record is not None:
                records[document.id.replace("-", "_")] = record
    return records


def _record(document: Document, units: Units, problems: list[Diagnostic]) -> DraftRecord | None:
    data = document.data
    low = Lowering(document, units, problems)
    inputs: dict[str, Draft] = {}
    defaults: dict[str, float] = {}
    for name, entry in data["inputs"].items():
        long = entry if isinstance(entry, Mapping) else {"unit": entry}
        path = ("inputs", name, "unit") if isinstance(entry, Mapping) else ("inputs", name)
        inputs[name] = Draft(
            name,
            str(long.get("title", title_of(name))),
            document.key_at("inputs", name),
            unit=low.unit(long["unit"], *path),
            domain=long.get("domain", "non-negative"),
            show=show(long.get("show")),
            note=str(long.get("note", "")),
        )
        if long.get("default") is not None:
            default = long["default"]
            defaults[name] = float(default["value"] if isinstance(default, Mapping) else default)
    formula = written(low, data["formula"], "formula")
    if formula is None:
        return None
    return DraftRecord(
        id=document.id,
        title=str(data["title"]),
        inputs=inputs,
        defaults=defaults,
        unit=low.unit(data["unit"], "unit"),
        formula=formula,
        position=document.at(),
        symbol=str(data.get("symbol", "")),
        valid=str(data.get("valid", "")),
        convention=str(data.get("convention", "")),
        note=str(data.get("note", "")),
        asserted=data.get("dimensions") == "asserted",
        examples=tuple(
            Example(
                {k: float(v) for k, v in example["given"].items()},
                float(example["expect"]),
                str(example.get("note", "")),
                document.at("examples", index),
            )
            for index, example in enumerate(data.get("examples", []))
        ),
        citation=citation(data.get("source")),
    )
