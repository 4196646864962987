"""Lowers the catalogue: units and sources, accelerators, offers, models and formulas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.load import Document, flag
from scalesheet.model import Domain, Example, Position, Source, Stated
from scalesheet.resolve.drafts import Draft, DraftRecord, DraftTable, Written
from scalesheet.resolve.values import Lowering, citation, show, stated, written
from scalesheet.units import Declared, Units

#: Columns of the accelerators' table: title, unit, domain. The others are text.
HARDWARE: Mapping[str, tuple[str, str, Domain]] = {
    "memory": ("Memory", "GiB", "positive"),
    "bandwidth": ("Memory bandwidth", "GB / second", "positive"),
    "dense_fp16": ("Dense FP16 peak, FP32 accumulate", "TFLOP / (second * GPU)", "positive"),
    "dense_bf16": ("Dense BF16 peak, FP32 accumulate", "TFLOP / (second * GPU)", "positive"),
    "dense_fp8": ("Dense FP8 peak, FP32 accumulate", "TFLOP / (second * GPU)", "positive"),
    "power": ("Board power", "W / GPU", "positive"),
    "link": ("Link bandwidth", "GB / second", "positive"),
}
MODEL: Mapping[str, tuple[str, str, Domain]] = {
    "layers": ("Layers", "1", "count"),
    "hidden": ("Hidden size", "1", "count"),
    "heads": ("Attention heads", "1", "count"),
    "kv_heads": ("Key-value heads", "1", "count"),
    "head_dim": ("Head dimension", "1", "count"),
    "ffn": ("Feed-forward width", "1", "count"),
    "vocab": ("Vocabulary", "1", "count"),
    "max_sequence": ("Longest sequence", "token", "count"),
}
MODEL_FLAGS = {"tied": "Tied embeddings", "gated": "Gated feed-forward", "qkv_bias": "QKV bias"}
TERMS = ("on-demand", "spot", "reserved")
NOT_STATED = "not stated"

#: Columns that the catalogue computes. A call of a formula that the book lacks is left out.
DERIVED: Mapping[str, Mapping[str, tuple[str, str, Domain, str]]] = {
    "offers": {
        "price": ("Price per GPU hour", "USD / (GPU * hour)", "positive", "node_price / gpus"),
    },
    "models": {
        "parameters": (
            "Parameters, counted",
            "parameter",
            "positive",
            "dense_decoder_parameters(layers=layers, hidden=hidden, heads=heads, "
            "kv_heads=kv_heads, head_dim=head_dim, ffn=ffn, vocab=vocab, "
            "embeddings=1 if tied else 2, ffn_matrices=3 if gated else 2, "
            "qkv_bias=1 if qkv_bias else 0)",
        ),
    },
}


def units_of(document: Document, found: list[Diagnostic]) -> Units:
    """The units of `units.yaml`, in order: a unit by its dimension, or as a multiple of another."""
    declared: dict[str, Declared] = {}
    for name, entry in document.data["units"].items():
        if "is" in entry:
            number, _, base = str(entry["is"]).partition("*")
            other = declared.get(base.strip())
            try:
                size = Fraction(number.strip().replace("_", ""))
            except (ValueError, ZeroDivisionError):
                size = Fraction(0)
            if other is None or size <= 0:
                what = f"'{base.strip()}' is not declared above" if other is None else (
                    f"'{number.strip()}' is not a positive number"
                )  # fmt: skip
                place = document.at("units", name, "is")
                found.append(at(place, "U005", f"{what}; write 'is: NUMBER * UNIT'"))
                continue
            dimension, size = other.dimension, size * other.size
        else:
            dimension, size = str(entry["dimension"]), Fraction(1)
            if any(d.dimension == dimension for d in declared.values()):
                place = document.at("units", name, "dimension")
                message = f"the dimension '{dimension}' has its base unit already; use 'is:'"
                found.append(at(place, "U005", message))
        declared[name] = Declared(
            name,
            dimension,
            size,
            str(entry.get("title", name)),
            str(entry.get("symbol", name)),
            flag(entry.get("counted", "no")),
            str(entry.get("is", "")),
            str(entry.get("note", "")),
        )
    return Units(declared.values())


def sources_of(document: Document) -> dict[str, Source]:
    """The sources of `sources.yaml` by key."""
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
        for key, entry in document.data["sources"].items()
    }


def tables_of(
    documents: Sequence[Document],
    units: Units,
    records: Mapping[str, DraftRecord],
    as_of: date,
    found: list[Diagnostic],
) -> tuple[dict[str, DraftTable], dict[str, tuple[Stated, ...]]]:
    """The catalogue's tables, and the dated prices of each offer."""
    by_kind: dict[str, list[Document]] = {"hardware": [], "rate": [], "model": []}
    for document in documents:
        if document.kind in by_kind:
            by_kind[document.kind].append(document)
    tables = {
        "hardware": _hardware(by_kind["hardware"], units, found),
        "offers": _table("offers", "Offers", by_kind["rate"]),
        "models": _models(by_kind["model"], units, found),
    }
    prices = _offers(
        tables["offers"], by_kind["rate"], units, as_of, found, tables["hardware"].rows
    )
    for name, columns in DERIVED.items():
        for column, (title, unit, domain, formula) in columns.items():
            _derive(tables[name], column, title, unit, domain, formula, units, records)
    return {n: t for n, t in tables.items() if t.rows}, prices


def _derive(
    table: DraftTable,
    column: str,
    title: str,
    unit: str,
    domain: Domain,
    formula: str,
    units: Units,
    records: Mapping[str, DraftRecord],
) -> None:
    from scalesheet.language.parser import parse
    from scalesheet.language.syntax import FUNCTIONS, Call, walk

    tree = parse(formula)
    calls = {n.function for n in walk(tree) if isinstance(n, Call)} - set(FUNCTIONS)
    if calls <= set(records):
        draft = _column(table, column, title, unit, domain, units)
        draft.formulas[None] = Written(formula, tree, table.position)


def _table(name: str, title: str, documents: Sequence[Document]) -> DraftTable:
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


def _column(
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
    """Columns of text (or of another kind that has no unit), empty where a file says nothing."""
    for name, title in columns.items():
        draft = Draft(name, title, table.position, table=table.name, **(kind or {"kind": "text"}))
        for document in documents:
            value = document.data.get(name)
            if value is None:
                continue
            shown = flag(value) if draft.kind == "flag" else str(value)
            draft.stated[document.id] = Stated(
                shown,
                basis="spec",
                citation=citation(document.data.get("source")),
                position=document.at(name),
            )
        table.columns[name] = draft


def _numbers(
    table: DraftTable,
    documents: Sequence[Document],
    columns: Mapping[str, tuple[str, str, Domain]],
    units: Units,
    found: list[Diagnostic],
) -> None:
    """Columns of numbers; where a file says nothing, the reason says so."""
    for name, (title, unit, domain) in columns.items():
        draft = _column(table, name, title, unit, domain, units)
        for document in documents:
            low = Lowering(document, units, found, citation(document.data.get("source")))
            data = document.data.get(name)
            draft.stated[document.id] = (
                Stated(reason=NOT_STATED, position=document.at())
                if data is None
                else stated(low, draft, data, name, basis="spec")
            )


def _hardware(documents: Sequence[Document], units: Units, found: list[Diagnostic]) -> DraftTable:
    table = _table("hardware", "Hardware", documents)
    _texts(table, documents, {"vendor": "Vendor", "form_factor": "Form factor"})
    _texts(table, documents, {"released": "Released"}, kind="date")
    _numbers(table, documents, HARDWARE, units, found)
    return table


def _models(documents: Sequence[Document], units: Units, found: list[Diagnostic]) -> DraftTable:
    table = _table("models", "Models", documents)
    _texts(table, documents, {"family": "Family", "developer": "Developer"})
    _numbers(table, documents, MODEL, units, found)
    _texts(table, documents, MODEL_FLAGS, kind="flag")
    published = {"published_parameters": ("Parameters, published", "parameter", "positive")}
    _numbers(table, documents, published, units, found)  # type: ignore[arg-type]  # a domain's name
    return table


def _offers(
    table: DraftTable,
    documents: Sequence[Document],
    units: Units,
    as_of: date,
    found: list[Diagnostic],
    accelerators: tuple[str, ...],
) -> dict[str, tuple[Stated, ...]]:
    """The offers' columns; the price is the one in force at `as_of`."""
    texts = {"provider": "Provider", "instance": "Instance", "region": "Region"}
    _texts(table, documents, texts)
    _texts(table, documents, {"includes": "Includes"})
    _texts(table, documents, {"term": "Term"}, kind="word", words=TERMS)
    reference = Draft(
        "accelerator",
        "Accelerator",
        table.position,
        kind="reference",
        refers_to="hardware",
        table=table.name,
    )
    table.columns["accelerator"] = reference
    count = _column(table, "gpus", "GPUs per node", "GPU / node", "count", units)
    price = _column(
        table, "node_price", "Price per node hour", "USD / (node * hour)", "positive", units
    )
    since = Draft("since", "Price since", table.position, kind="date", table=table.name)
    table.columns["since"] = since
    history: dict[str, tuple[Stated, ...]] = {}
    for document in documents:
        data, row = document.data, document.id
        low = Lowering(document, units, found, citation(data.get("source")))
        low.rows = lambda name: accelerators
        reference.stated[row] = stated(
            low, reference, data["accelerator"], "accelerator", basis="spec"
        )
        count.stated[row] = stated(low, count, data["accelerators"], "accelerators", basis="spec")
        entries: list[Stated] = []
        for index, entry in enumerate(data["prices"]):
            renamed = {("value" if k == "price" else k): v for k, v in entry.items() if k != "from"}
            value = stated(low, price, renamed, "prices", index, basis="published")
            entries.append(replace(value, since=str(entry["from"])))
        history[row] = tuple(entries)
        low.finish()
        in_force = [e for e in entries if e.since <= as_of.isoformat()]
        current = in_force[-1] if in_force else Stated(
            reason=f"no price known at {as_of.isoformat()}", position=document.at("prices")
        )  # fmt: skip
        price.stated[row] = current
        if current.since:
            since.stated[row] = Stated(
                current.since, basis=current.basis, citation=current.citation, since=current.since,
                position=current.position,
            )  # fmt: skip
    return history


def records_of(
    documents: Sequence[Document], units: Units, found: list[Diagnostic]
) -> dict[str, DraftRecord]:
    """The catalogue's formulas by the name that formulas call them by."""
    records: dict[str, DraftRecord] = {}
    for document in documents:
        if document.kind == "formula":
            record = _record(document, units, found)
            if record is not None:
                records[document.id.replace("-", "_")] = record
    return records


def _record(document: Document, units: Units, found: list[Diagnostic]) -> DraftRecord | None:
    data = document.data
    low = Lowering(document, units, found)
    inputs: dict[str, Draft] = {}
    defaults: dict[str, float] = {}
    for name, entry in data["inputs"].items():
        long = entry if isinstance(entry, Mapping) else {"unit": entry}
        path = ("inputs", name, "unit") if isinstance(entry, Mapping) else ("inputs", name)
        inputs[name] = Draft(
            name,
            str(long.get("title", name.replace("_", " ").capitalize())),
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
