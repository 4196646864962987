"""Prints rates, what fits and what was written, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scalesheet.book import Book
from scalesheet.load.folder import shown
from scalesheet.steps.roofline import figure_of
from scalesheet_bench.ladder.fits import Answer, WhatFits
from scalesheet_bench.ladder.hardware import Written, name_of
from scalesheet_bench.ladder.rates import Measured, Rate

_GIB = float(1 << 30)
_WIDE = 22
#: The catalogue's peak for each rate.
PEAK_OF: Mapping[tuple[str, str], str] = {
    ("products", "bf16"): "dense_bf16",
    ("products", "fp16"): "dense_fp16",
    ("products", "tf32"): "dense_tf32",
    ("products", "fp32"): "fp32",
    ("triad", ""): "bandwidth",
    ("copy", ""): "bandwidth",
}


def peaks_of(book: Book, accelerator: str) -> dict[str, float]:
    """The peaks of a catalogue accelerator; without those that are not stated."""
    if accelerator not in book.tables["hardware"].rows:
        return {}
    result = {}
    for name in PEAK_OF.values():
        unit = "byte / second" if name == "bandwidth" else "FLOP / (second * GPU)"
        result[name] = figure_of(book, accelerator, name, unit)
    return {name: peak for name, peak in result.items() if peak > 0}


def rates_text(measured: Measured, peaks: Mapping[str, float] | None = None) -> str:
    """The rates as text. `peaks` are those of the catalogue, in FLOP/s and byte/s, by column."""
    return _joined(_rates(measured, peaks or {}))


def _rates(measured: Measured, peaks: Mapping[str, float]) -> Iterator[str]:
    device = measured.device
    several = f"{device.count} of " if device.count > 1 else ""
    threads = f", {measured.threads} threads" if measured.threads else ""
    yield f"{several}{name_of(device)}, {device.memory / _GIB:,.1f} GiB{threads}"
    yield ""
    yield f"{'':<{_WIDE}} {'reached':>18}   half of the repetitions"
    for rate in bests(measured):
        peak = peaks.get(PEAK_OF.get((rate.what, rate.precision), ""))
        share = f", {rate.value / peak:.0%} of the peak" if peak else ""
        yield (
            f"  {_named(rate):<{_WIDE - 2}} {_amount(rate, rate.value):>18}   "
            f"{_amount(rate, rate.low, bare=True)} to {_amount(rate, rate.high, bare=True)} of "
            f"{rate.repetitions}, {_size(rate)}{share}"
        )
    yield from _ends(
        measured.told, "interrupted: what follows was not measured" if measured.interrupted else ""
    )
    if measured.unsteady:
        yield f"measure again on a quiet machine: {measured.unsteady}"


def bests(measured: Measured) -> list[Rate]:
    """The best size of each operation, in the order of measurement."""
    kinds = dict.fromkeys((rate.what, rate.precision) for rate in measured.rates)
    result = (measured.best(what, precision) for what, precision in kinds)
    return [rate for rate in result if rate is not None]


def _named(rate: Rate) -> str:
    return f"products in {rate.precision}" if rate.precision else rate.what


def _amount(rate: Rate, value: float, *, bare: bool = False) -> str:
    number = value / (1e12 if rate.what == "products" else 1e9)
    unit = "TFLOP/s" if rate.what == "products" else "GB/s"
    return f"{number:,.4g}" if bare else f"{number:,.4g} {unit}"


def _size(rate: Rate) -> str:
    if rate.what == "products":
        return f"{rate.size:,} rows"
    what = "arrays" if rate.what in ("copy", "triad") else "messages"
    return f"{what} of {rate.size / 2**20:,.0f} MiB"


def rates_data(measured: Measured) -> dict[str, Any]:
    """The rates as JSON, with every size that was tried."""
    device = measured.device
    return {
        "device": {
            "name": name_of(device),
            "kind": device.kind,
            "vendor": device.vendor,
            "count": device.count,
            "memory": {"value": device.memory, "unit": "byte"},
        },
        "rates": [
            {
                "what": rate.what,
                "precision": rate.precision or None,
                "size": rate.size,
                "size_unit": "row" if rate.what == "products" else "byte",
                "value": rate.value,
                "low": rate.low,
                "high": rate.high,
                "unit": "FLOP / second" if rate.what == "products" else "byte / second",
                "repetitions": rate.repetitions,
            }
            for rate in measured.rates
        ],
        "not_measured": list(measured.told),
        "unsteady": measured.unsteady or None,
        "interrupted": measured.interrupted,
        "threads": measured.threads or None,
        "libraries": dict(measured.libraries),
    }


# ------------------------------------------------------------------ what fits


def fits_text(result: WhatFits) -> str:
    return _joined(_fits(result))


def _fits(result: WhatFits) -> Iterator[str]:
    job = result.job
    ways = f"{job.method}, {job.precision}"
    if job.checkpointing:
        ways += ", activation checkpointing"
    yield f"{job.model.title} with {ways} on {job.accelerator}, {result.memory / _GIB:,.1f} GiB"
    if result.batches:
        yield ""
        yield f"{'length':>10} {'largest micro-batch':>22}"
        yield from (_answer(answer) for answer in result.batches)
    if result.lengths:
        yield ""
        yield f"{'micro-batch':>11} {'longest sequence':>21}"
        yield from (_answer(answer) for answer in result.lengths)
    yield ""
    seconds = sum(each.seconds for each in result.tries)
    yield f"{len(result.tries)} tries in {seconds:,.0f} s"
    yield from _ends(result.contradictions, result.ended)


def _answer(answer: Answer) -> str:
    return f"{answer.at:>10,} {_found(answer):>22}   {len(answer.found.tries)} tries"


def _found(answer: Answer) -> str:
    if answer.found.bounded:
        return f"{answer.largest:,} and more"
    if answer.found.exact:
        return f"{answer.largest:,}" if answer.largest else "none fits"
    if answer.fails is None:
        return f"{answer.largest:,} at least" if answer.largest else "not known"
    least = f"{answer.largest:,} at least, " if answer.largest else ""
    return f"{least}less than {answer.fails:,}"


def fits_data(result: WhatFits) -> dict[str, Any]:
    """What fits as JSON, with every try."""
    return {
        "model": result.job.model.id or result.job.model.title,
        "accelerator": result.job.accelerator,
        "method": result.job.method,
        "precision": result.job.precision,
        "checkpointing": result.job.checkpointing,
        "memory": {"value": result.memory, "unit": "byte"},
        "batches": [_data("length", "micro_batch", each) for each in result.batches],
        "lengths": [_data("micro_batch", "length", each) for each in result.lengths],
        "tries": [
            {
                "micro_batch": each.batch,
                "length": each.length,
                "fits": each.fits,
                "estimate": {"value": each.estimate, "unit": "byte"},
                "seconds": each.seconds,
            }
            for each in result.tries
        ],
        "ended": result.ended or None,
        "contradictions": list(result.contradictions),
    }


def _data(at: str, what: str, answer: Answer) -> dict[str, Any]:
    return {
        at: answer.at,
        f"largest_{what}": answer.largest,
        f"smallest_{what}_that_fails": answer.fails,
        "exact": answer.found.exact and not answer.found.bounded,
    }


# ------------------------------------------------------------------ written files


def written_text(written: Written) -> str:
    return _joined(_written(written))


def _written(written: Written) -> Iterator[str]:
    path = shown(written.path)
    if written.new:
        yield f"wrote {path}"
    elif written.added:
        yield f"added {', '.join(written.added)} to {path}"
    if written.renewed:
        yield f"measured again in {path}: {', '.join(written.renewed)}"
    if written.kept:
        yield f"{path} keeps what it states of {', '.join(written.kept)}; measured now:"
        yield ""
        yield written.paste.rstrip("\n")


def written_data(written: Written) -> dict[str, Any]:
    return {
        "path": shown(written.path),
        "new": written.new,
        "added": list(written.added),
        "renewed": list(written.renewed),
        "kept": list(written.kept),
        "yaml": written.paste,
    }


def _ends(parts: Sequence[str], ended: str) -> Iterator[str]:
    yield from parts
    if ended:
        yield ended


def _joined(lines: Iterator[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
