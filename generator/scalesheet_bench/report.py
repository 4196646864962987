"""Report: a record as text and as JSON, compared with the prediction for the same job."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from scalesheet.steps.record import Figure, Record
from scalesheet_bench.files import rounded, title

#: What a report lists, in order: key, label, and the size of the printed unit.
_TIMES = (
    ("step_time", "Step", "s"),
    ("data_loading_share", "Waiting for data", "%"),
    ("forward_share", "Forward", "%"),
    ("backward_share", "Backward", "%"),
    ("optimizer_share", "Optimizer", "%"),
    ("data_time", "Preparing a batch", "s"),
)
_SPEED = (
    ("tokens_per_second", "Tokens per second", ""),
    ("samples_per_second", "Sequences per second", ""),
    ("flop_rate", "TFLOP/s per accelerator", ""),
    ("utilisation", "Model FLOP utilization (MFU)", "%"),
    ("power", "Watts per accelerator", ""),
)
_MEMORY = (
    ("peak_memory", "Peak", "GB"),
    ("average_memory", "Average", "GB"),
    ("weights_memory", "Weights", "GB"),
    ("gradients_memory", "Gradients", "GB"),
    ("optimizer_memory", "Optimizer", "GB"),
    ("activations_memory", "Activations", "GB"),
    ("working_memory", "Working", "GB"),
    ("process_memory", "Process", "GB"),
    ("reserved_memory", "Reserved", "GB"),
)
PARTS = (("Step time", _TIMES), ("Speed", _SPEED), ("Memory per accelerator", _MEMORY))
_TIMES_OF = {"%": 100.0, "GB": 1e-9, "s": 1.0, "": 1.0}
_WIDE = 30

MARKS = {
    "interrupted": "interrupted: it ended before the mean reached the requested precision",
    "unsteady": "unsteady: the spread is larger than requested; the machine was busy, or its clock "
    "changed",
    "input_bound": "input-bound: steps wait for their data",
}


def marks(record: Record) -> list[str]:
    return [words for mark, words in MARKS.items() if getattr(record, mark)]


def as_text(record: Record, predicted: Record | None, because: str, where: str) -> str:
    """The report as text.

    `because` says why it was measured or simulated, `where` where it was written; either may be
    empty.
    """
    return "".join(f"{line}\n" for line in _lines(record, predicted, because, where))


def _lines(record: Record, predicted: Record | None, because: str, where: str) -> Iterator[str]:
    yield title(record)
    yield f"{record.how.upper()}{f': {because}' if because else ''}"
    yield from marks(record)
    other = "predicted" if predicted else ""
    for heading, listed in PARTS:
        shown = [each for each in listed if each[0] in record.figures]
        if not shown:
            continue
        yield ""
        ratio = "ratio" if other else ""
        yield f"{heading:<{_WIDE}} {record.how:>12} {other:>12} {ratio:>8}".rstrip()
        for key, words, unit in shown:
            own = record.figures[key]
            beside = predicted.figures.get(key) if predicted else None
            yield _line(words, unit, own, beside)
    text = record.figures
    if "steps" in text and "step_spread" in text:
        yield ""
        yield (
            f"{text['steps'].value:.0f} steps, standard deviation "
            f"{100 * text['step_spread'].value:.1f} % of the mean"
        )
    if record.environment:
        yield ""
        yield record.environment
    if record.libraries:
        yield ", ".join(f"{name} {version}" for name, version in sorted(record.libraries.items()))
    if record.note:
        yield record.note
    if where:
        yield ""
        yield where


def _line(words: str, unit: str, own: Figure, beside: Figure | None) -> str:
    cells = f"  {words:<{_WIDE - 2}} {_printed(own, unit):>12}"
    if beside is not None:
        cells += f" {_printed(beside, unit):>12}"
        if beside.value:
            cells += f" {own.value / beside.value:>8.2f}"
    return cells + _between(own, unit)


def _printed(figure: Figure, unit: str) -> str:
    number = figure.value * _TIMES_OF[unit]
    digits = f"{number:.1f}" if unit == "%" else f"{number:,.4g}"
    return f"{digits} {unit}".rstrip()


def _between(figure: Figure, unit: str) -> str:
    if figure.low is None or figure.high is None or figure.low == figure.high:
        return ""
    times = _TIMES_OF[unit]
    return f"  [{figure.low * times:,.4g} to {figure.high * times:,.4g}]"


# ------------------------------------------------------------------ JSON


def as_json(record: Record, predicted: Record | None, because: str, path: str | None) -> str:
    """`{"how", "because", "path", "title", "job", "figures", "predicted", "ratios", "marks",
    "environment", "libraries", "command", "note"}`; a figure is a value with its unit."""
    job = record.job
    data = {
        "how": record.how,
        "because": because or None,
        "path": path,
        "title": title(record),
        "date": record.day.isoformat(),
        "job": {
            "model": job.model.id or None,
            "model_name": job.model.title,
            "accelerator": job.accelerator,
            "accelerators": job.gpus,
            "strategy": job.strategy,
            "method": job.method,
            "precision": job.precision,
            "weights_precision": job.weights,
            "micro_batch": job.batch,
            "accumulation": job.accumulation,
            "sequence_length": job.length,
            "checkpointing": job.checkpointing,
            "attention": job.attention,
            "compiled": job.compiled,
            "rank": None if job.method == "full" else job.rank,
        },
        "figures": {key: _value(figure) for key, figure in record.figures.items()},
        "predicted": {key: _value(figure) for key, figure in predicted.figures.items()}
        if predicted
        else None,
        "ratios": ratios(record, predicted) if predicted else None,
        "marks": [mark for mark in MARKS if getattr(record, mark)],
        "environment": record.environment,
        "libraries": dict(sorted(record.libraries.items())),
        "command": record.command,
        "note": record.note,
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _value(figure: Figure) -> dict[str, Any]:
    low = figure.value if figure.low is None else figure.low
    high = figure.value if figure.high is None else figure.high
    ends = {"value": figure.value, "low": low, "high": high}
    return {**{end: rounded(value) for end, value in ends.items()}, "unit": figure.unit}


def ratios(record: Record, predicted: Record) -> dict[str, float]:
    """Measured over predicted, for all figures that both have, except settings."""
    listed = {key for _, part in PARTS for key, *_ in part}
    return {
        key: rounded(figure.value / beside.value)
        for key, figure in record.figures.items()
        if key in listed and (beside := predicted.figures.get(key)) is not None and beside.value
    }
