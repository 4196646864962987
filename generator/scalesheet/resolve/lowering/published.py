"""Lowers published results, fits, and the expected score."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from scalesheet.diagnostics import Diagnostic
from scalesheet.load import Document, flag
from scalesheet.model import (
    Evidence,
    Expected,
    ExpectedOwn,
    Fit,
    Peer,
    Publication,
    PublishedRow,
    Stated,
)
from scalesheet.nearest import nearest
from scalesheet.resolve.drafts import DraftTable
from scalesheet.resolve.lowering.catalogue_tables import new_column, new_table
from scalesheet.resolve.lowering.values import Lowering, citation, stated
from scalesheet.units import Units
from scalesheet.vocabulary import chip, title_of

#: Key of a row -> its name in `predict`. Numbers keep their names.
WORDS = {
    "model": "model",
    "method": "kind",
    "accelerator": "hardware",
    "hardware": "hardware",
    "precision": "precision_text",
    "layout": "layout",
    "checkpointing": "recompute",
    "quantity": "quantity",
    "evaluation": "evaluation",
    "tokenizer": "tokenizer",
    "counts": "counts",
}
NOT_READ = "not read in the source, nor in a text that quotes it"


def publications_of(
    documents: Sequence[Document],
    units: Units,
    problems: list[Diagnostic],
    accelerators: Collection[str],
) -> dict[str, Publication]:
    """The published results by file, in order."""
    return {
        document.id: _publication(document, Lowering(document, units, problems), accelerators)
        for document in documents
        if document.kind == "published"
    }


def _publication(document: Document, low: Lowering, accelerators: Collection[str]) -> Publication:
    data = document.data
    defaults: Mapping[str, Any] = data.get("defaults", {})
    if "accelerator" in defaults:
        _known(low, defaults["accelerator"], accelerators, "defaults", "accelerator")
    rows = tuple(_row(document, low, id, row, accelerators) for id, row in data["rows"].items())
    return Publication(
        document.id,
        str(data["title"]),
        rows,
        citation(data["source"]),
        str(data.get("note", "")),
        document.at(),
    )


def _row(
    document: Document,
    low: Lowering,
    id: str,
    row: Mapping[str, Any],
    accelerators: Collection[str],
) -> PublishedRow:
    data = document.data
    if "accelerator" in row:
        _known(low, row["accelerator"], accelerators, "rows", id, "accelerator")
    defaults = dict(data.get("defaults", {}))
    if {"accelerator", "hardware"} & set(row):
        defaults = {k: v for k, v in defaults.items() if k not in ("accelerator", "hardware")}
    model = row.get("model", defaults.get("model"))
    setup = {**defaults, **data.get("models", {}).get(model, {}), **row}
    read = row.get("read", data["read"])
    result = dict(row["result"])
    if "memory" in result:
        result["memory"] = _bytes(low, result["memory"], "rows", id, "result", "memory")
    if "out_of_memory" in result:
        result["out_of_memory"] = float(flag(result["out_of_memory"]))
    notes = (str(row.get(name, "")).strip() for name in ("result_note", "note"))
    return PublishedRow(
        id=id,
        family=str(row.get("family", data.get("family", document.id))),
        words={WORDS[key]: str(value) for key, value in setup.items() if key in WORDS},
        numbers={
            key: float(value)
            for key, value in setup.items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        },
        result={k: v if isinstance(v, str) else float(v) for k, v in result.items()},
        unscored=str(row.get("unscored", NOT_READ if read == "not read" else "")),
        note="; ".join(filter(None, notes)),
        citation=citation(row.get("source"), citation(data["source"])),
        position=document.key_at("rows", id),
    )


def _known(low: Lowering, id: str, accelerators: Collection[str], *path: str) -> None:
    if id not in accelerators:
        hint = nearest(id, accelerators, "known there")
        low.say("N002", f"'{id}' is not in hardware{hint}", *path)


def _bytes(low: Lowering, measure: Mapping[str, Any], *path: str) -> float:
    own, byte = low.unit(measure["unit"], *path, "unit"), low.units.parse("byte")
    if not low.units.compatible(own, byte):
        low.say("U002", f"memory is in byte, found {own}; give it in GB or GiB", *path, "unit")
        return float(measure["value"])
    return float(measure["value"]) * float(low.units.factor(own, byte))


# ------------------------------------------------------------------ fits and score


def _title(coefficient: str) -> str:
    """The title of a coefficient's column: `exposed_varies` is how much `exposed` varies."""
    name = title_of(coefficient.removesuffix("_varies"))
    return f"{name}, spread among families" if coefficient.endswith("_varies") else name


def fits_table(
    documents: Sequence[Document], units: Units, problems: list[Diagnostic]
) -> DraftTable:
    """The coefficients of every fit; a reason where a fit lacks one."""
    table = new_table("fits", "Fits", documents)
    table.row_notes = {document.id: _told(document) for document in documents}
    names = dict.fromkeys(name for d in documents for name in d.data["coefficients"])
    for name in names:
        draft = new_column(table, name, _title(name), "1", "signed", units)
        for document in documents:
            low = Lowering(document, units, problems)
            value = document.data["coefficients"].get(name)
            note = document.data.get("notes", {}).get(name, "")
            draft.stated[document.id] = (
                stated(low, draft, {"reason": "not of this fit"}, "coefficients", basis="derived")
                if value is None
                else stated(
                    low,
                    draft,
                    {"value": value, "note": note},
                    "coefficients",
                    name,
                    basis="derived",
                )
            )
    return table


def count_results(
    table: DraftTable, fits: Sequence[Document], task: str, title: str, units: Units
) -> None:
    """Add to the accelerators how many rows of a task's fit are on the same chip."""
    known = {name: n for fit in fits if fit.id == task for name, n in _accelerators(fit).items()}
    draft = new_column(table, f"{task}_rows", title, "1", "whole", units)
    for row in table.rows:
        rows = float(known.get(chip(row), 0))
        draft.stated[row] = Stated(rows, rows, rows, basis="derived", default=True)


def _accelerators(fit: Document) -> dict[str, int]:
    return {name: int(rows) for name, rows in fit.data["fitted"].get("accelerators", {}).items()}


def _told(document: Document) -> str:
    """How a fit was made, and from what."""
    fitted = document.data["fitted"]
    method = str(document.data["method"]).strip().rstrip(".")
    of = "own runs" if document.data.get("runs") else f"rows of {fitted['families']} families"
    on = f"{fitted['rows']} {of}, {fitted['date']}"
    return f"Fitted on {on}: {method}."


def fits_of(documents: Sequence[Document]) -> dict[str, Fit]:
    """The origins of the fits on file, by id."""
    return {d.id: _fit(d) for d in documents if d.kind == "fit"}


def _fit(document: Document) -> Fit:
    data, fitted, planned = document.data, document.data["fitted"], document.data.get("planned")
    return Fit(
        id=document.id,
        title=str(data["title"]),
        method=str(data["method"]).strip(),
        date=str(fitted["date"]),
        rows=int(fitted["rows"]),
        families=int(fitted["families"]),
        digest=str(fitted["digest"]),
        notes=dict(data.get("notes", {})),
        accelerators=_accelerators(document),
        runs=str(data.get("runs", "")),
        planned=(float(planned["parameters"]), float(planned["tokens"])) if planned else None,
        position=document.at(),
    )


def expected_of(documents: Sequence[Document]) -> dict[str, Expected]:
    """The worst acceptable score, by task."""
    return {
        task: Expected(**figures, position=document.key_at(task))
        for document in documents
        if document.kind == "score"
        for task, figures in document.data.items()
        if task not in ("peers", "own", "evidence")
    }


def expected_own_of(documents: Sequence[Document]) -> dict[str, ExpectedOwn]:
    """The worst acceptable errors for own measurements, by task."""
    return {
        task: ExpectedOwn(
            tuple(map(str, figures["records"])),
            float(figures["median"]),
            float(figures["worst"]),
            str(figures.get("note", "")),
            document.key_at("own", task),
        )
        for document in documents
        if document.kind == "score"
        for task, figures in document.data.get("own", {}).items()
    }


def evidence_of(documents: Sequence[Document]) -> Evidence | None:
    """The rules for the published results to compare an answer with, if score.yaml has any."""
    for document in documents:
        if document.kind == "score" and "evidence" in document.data:
            said = document.data["evidence"]
            families = {str(name): tuple(ids) for name, ids in said["families"].items()}
            near = float(said.get("near", 1))
            return Evidence(families, float(said["far"]), float(said["same_tokens"]), near)
    return None


def peers_of(documents: Sequence[Document]) -> tuple[Peer, ...]:
    """What other programs say about themselves."""
    return tuple(
        Peer(
            str(peer["name"]),
            str(peer["predicts"]),
            str(peer["says"]),
            citation(peer["source"]),
            str(peer.get("note", "")),
        )
        for document in documents
        if document.kind == "score"
        for peer in document.data.get("peers", ())
    )
