"""Writes records as YAML in `data/measurements/`, each once and never over another."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from scalesheet.examine import save_valid
from scalesheet.new import entry
from scalesheet.save import content
from scalesheet.schemas import schema
from scalesheet.source.places import modeline, place
from scalesheet.source.text import block
from scalesheet.steps.record import Figure, Record
from scalesheet_bench.sources import MEASURED, SIMULATED, with_source

KIND = "measurement"
DIGITS = 6  # of a figure that is not a count: beyond the precision of a clock


def written(data: Path, record: Record) -> Path:
    """Write a record under the next free name and return its path.

    Its sources are added if the book lacks them. Raises Refused if the record does not fit the
    book, which then stays as before; LayoutError if sources.yaml cannot take an entry; OSError.
    """
    file = entry.file(data)
    old = content(file)
    sources = with_source(data, source_of(record))
    number = 1
    while True:
        id = name(record, number)
        path = place(data, KIND, id)
        if not (path.exists() or path.is_symlink()):
            made = modeline(data, KIND, id) + text(record)
            changes: dict[Path, tuple[bytes | None, bytes]] = {path: (None, made.encode())}
            if sources is not None:
                changes[file] = old, sources.encode()
            try:
                save_valid(data, changes)
                return path
            except FileExistsError:
                if not path.exists():  # the existing file must be the sources
                    raise
        number += 1


def source_of(record: Record) -> str:
    return MEASURED if record.how == "measured" else SIMULATED


def name(record: Record, number: int = 1) -> str:
    """The id of a record: what was run, and the day; further ones get a number."""
    job = record.job
    model = job.model.id or re.sub(r"[^a-z0-9]+", "-", job.model.title.lower()).strip("-")
    parts = [
        model,
        job.method.lower(),
        job.accelerator,
        *(["simulated"] * (record.how != "measured")),
    ]
    several = [f"{job.gpus}x"] if job.gpus > 1 else []
    tail = [record.day.isoformat(), *([str(number)] if number > 1 else [])]
    return "-".join([*parts, *several, *tail])


def title(record: Record) -> str:
    job = record.job
    many = f"{job.gpus} " if job.gpus > 1 else ""
    kept = "" if job.weights in (job.precision, "nf4") else f", weights in {job.weights}"
    again = ", checkpointing" if job.checkpointing else ""
    return (
        f"{job.model.title}, {job.method} in {job.precision}{kept}, {job.sequences} × {job.length} "
        f"tokens{again}, on {many}{job.hardware or job.accelerator}"
    )


def text(record: Record) -> str:
    """The YAML of a record, with keys in the order of their schema."""
    job = record.job
    source = {"key": source_of(record), "locator": record.command}
    data: dict[str, Any] = {
        "title": title(record),
        "how": record.how,
        "date": record.day.isoformat(),
        "source": source,
        "accelerator": job.accelerator,
        "method": job.method,
        "precision": job.precision,
        "weights_precision": job.weights,
        "checkpointing": "yes" if job.checkpointing else "no",
        "attention": job.attention,
        "compiled": "yes" if job.compiled else "no",
        "strategy": job.strategy,
        **({"model": job.model.id} if job.model.id else {"model_name": job.model.title}),
        **{key: _figure(figure) for key, figure in record.figures.items()},
        **{
            mark: "yes"
            for mark in ("interrupted", "unsteady", "input_bound")
            if getattr(record, mark)
        },
        **({"flop_convention": record.flop_convention} if record.flop_convention else {}),
        **({"environment": record.environment} if record.environment else {}),
        **({"libraries": dict(sorted(record.libraries.items()))} if record.libraries else {}),
        **({"note": record.note} if record.note else {}),
    }
    order = list(schema(KIND)["properties"])
    unknown = data.keys() - set(order)
    assert not unknown, f"the schema lacks {', '.join(sorted(unknown))}"
    return "".join(block({key: data[key]}) for key in order if key in data)


def _figure(figure: Figure) -> dict[str, Any]:
    ends = {"low": figure.low, "high": figure.high}
    data: dict[str, Any] = {"value": rounded(figure.value)}
    data |= {end: rounded(value) for end, value in ends.items() if value is not None}
    data["unit"] = re.sub(r"\s*([/*])\s*", r" \1 ", figure.unit)  # as data files write it
    return data | ({"note": figure.note} if figure.note else {})


def rounded(value: float) -> float | int:
    """Keep integers; round other numbers to meaningful digits."""
    if value == int(value):
        return int(value)
    return float(f"{value:.{DIGITS}g}")
