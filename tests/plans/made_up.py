"""Made-up records in a copy of the data, to test how plans use them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

from scalesheet.load import audited
from scalesheet.new import entry
from scalesheet.source.places import place
from scalesheet.steps.job import Job
from scalesheet.steps.record import Figure, Record
from scalesheet.steps.shapes import shape_of
from scalesheet_bench.files import KIND, name, source_of, text
from scalesheet_bench.sources import with_source
from shipped import ROOT, shipped

MODEL, CARD = "pythia-14m", "rtx4090"
PLAN = "plans/micro-benchmark/plan.yaml"

Change = Callable[[Record], Record]


def copy(folder: Path) -> Path:
    """Copy the shipped data without published results, which reads twice as fast."""
    apart = shutil.ignore_patterns("runs", "score.yaml")
    return Path(shutil.copytree(ROOT / "data", folder / "data", ignore=apart))


def apart(folder: Path) -> Path:
    """Copy the data, with the micro-benchmark on a model that has no record."""
    data = copy(folder)
    for file in (data / "measurements").glob("*.yaml"):
        if f"model: {MODEL}" in file.read_text("utf-8"):
            file.unlink()
    plan = data / PLAN
    said = plan.read_text("utf-8")
    for key, value in {"model": MODEL, "method": "full"}.items():
        said, count = re.subn(rf"(?m)^(  {key}: \{{.*value: )[A-Za-z0-9-]+", rf"\g<1>{value}", said)
        assert count == 1, key
    plan.write_text(said, "utf-8")
    plan.with_name(audited.NAME).unlink()  # its documents are compared with this plan
    return data


def quiet(folder: Path) -> Path:
    """Copy the data as `apart`, without the documents of other plans."""
    data = apart(folder)
    for claims in data.glob("plans/*/claims*"):
        if claims.parent != (data / PLAN).parent:
            claims.unlink() if claims.is_file() else shutil.rmtree(claims)
    return data


def alone(folder: Path) -> Path:
    """Copy the data as `apart`, without the other plans, which reads five times as fast."""
    data = quiet(folder)
    for plan in (data / "plans").iterdir():
        if plan != (data / PLAN).parent:
            shutil.rmtree(plan)
    return data


def record(
    how: str = "measured",
    day: str = "2026-11-21",
    *,
    seconds: float = 0.5,
    peak: float = 1.2e9,
    gpus: int = 1,
    model: str = MODEL,
    card: str = CARD,
    method: str = "full",
) -> Record:
    """A record of a step with 8 sequences of 512 tokens on each accelerator."""
    book = shipped().book
    assert book is not None
    job = Job(
        model=shape_of(book, model),
        accelerator=card,
        device="cuda",
        gpus=gpus,
        strategy="single" if gpus == 1 else "ddp",
        method=method,  # type: ignore[arg-type]
        batch=8,
        length=512,
    )
    stated: dict[str, tuple[float, str]] = {
        "accelerators": (gpus, "GPU"),
        "batch_size": (job.sequences, "sequence / step"),
        "micro_batch": (job.batch, "sequence / step"),
        "accumulation": (1, "1"),
        "sequence_length": (job.length, "token / sequence"),
        "data_loading_share": (0.02, "1"),
        "forward_share": (0.3, "1"),
        "backward_share": (0.6, "1"),
        "optimizer_share": (0.08, "1"),
        "peak_memory": (peak, "byte"),
        "weights_memory": (0.1 * peak, "byte"),
        "gradients_memory": (0.1 * peak, "byte"),
        "optimizer_memory": (0.2 * peak, "byte"),
        "activations_memory": (0.5 * peak, "byte"),
        "working_memory": (0.1 * peak, "byte"),
        "samples_per_second": (job.sequences / seconds, "sequence / second"),
        "tokens_per_second": (job.tokens / seconds, "token / second"),
    }
    figures = {name: Figure(value, unit) for name, (value, unit) in stated.items()}
    ends = (0.98 * seconds, 1.02 * seconds)
    figures["step_time"] = Figure(seconds, "second / step", *ends)
    day_ = date.fromisoformat(day)
    return Record(job, how, day_, "made up", figures, environment="made up")  # type: ignore[arg-type]


def only(*names: str) -> Change:
    """A function that reduces a record to these figures, as after an early interrupt."""

    def change(made: Record) -> Record:
        kept = {name: each for name, each in made.figures.items() if name in names}
        return replace(made, figures=kept, interrupted=True)

    return change


def put(data: Path, *records: Record) -> Path:
    """Write records as `scalesheet bench` does, but leave checking them to the reader."""
    for each in records:
        sources = with_source(data, source_of(each))
        if sources is not None:
            entry.file(data).write_text(sources, "utf-8")
        place(data, KIND, name(each)).write_text(text(each), "utf-8")
    return data
