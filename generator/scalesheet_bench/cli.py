"""`scalesheet bench`: measures training steps, or simulates them, and records the result."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from scalesheet.codes import FINDINGS, GOOD
from scalesheet.commands import UsageError, folder, progress
from scalesheet_bench.options import (
    accelerator_named,
    arguments,
    consistent,
    effort_of,
    job_of,
    shape_named,
)

if TYPE_CHECKING:
    from scalesheet.book import Book
    from scalesheet.steps.job import Job
    from scalesheet.steps.record import Record
    from scalesheet_bench.ladder.fits import WhatFits
    from scalesheet_bench.ladder.rates import Device

__all__ = ["SUMMARY", "arguments", "run"]

SUMMARY = "measure training steps, or simulate them, and record the result as data"
ACTIONS = ("run", "simulate", "ladder")
RATED = 40.0  # seconds for measuring the rates of a new device


def run(options: argparse.Namespace) -> int:
    from scalesheet_bench.train import NotMeasured

    action, model = _words(options)
    consistent(options)
    try:
        if options.rates:
            return _rates(options)
        return _of_a_model(options, action, model)
    except NotMeasured as fault:
        return _failed(fault.code, str(fault))
    finally:
        progress("")


def _words(options: argparse.Namespace) -> tuple[str, str]:
    """Return the action and the model. Raises UsageError."""
    action, *rest = options.words if options.words[0] in ACTIONS else ("", *options.words)
    if (options.write or options.rates) and action != "ladder":
        raise UsageError(
            "--rates and --write belong to 'scalesheet bench ladder --rates --write ID'"
        )
    if options.write and not options.rates:
        raise UsageError("--write adds rates; write 'scalesheet bench ladder --rates --write ID'")
    if options.rates:
        if rest:
            raise UsageError(f"--rates are those of the device; drop the model '{rest[0]}'")
        return action, ""
    if len(rest) != 1:
        result = f"{len(rest)}: {', '.join(rest)}" if rest else "none"
        hint = "" if action else f"; it may be preceded by {', '.join(ACTIONS)}"
        raise UsageError(f"expected one MODEL, by its id or as a config.json{hint}; found {result}")
    return action, rest[0]


def _failed(code: str, message: str) -> int:
    print(f"scalesheet bench: {code} {message}", file=sys.stderr)
    return FINDINGS


def _told(message: str) -> None:
    """Show a line of progress; it stays if the output is not a terminal."""
    if sys.stderr.isatty():
        progress(message)
    else:
        print(message, file=sys.stderr)


# ------------------------------------------------------------------ steps of a model


def _of_a_model(options: argparse.Namespace, action: str, model: str) -> int:
    from scalesheet.steps.recorded import records_of
    from scalesheet.steps.simulate import simulated
    from scalesheet_bench.catalogue import catalogue
    from scalesheet_bench.choose import chosen
    from scalesheet_bench.command import command
    from scalesheet_bench.here import absent, accelerator_of, device, has_torch
    from scalesheet_bench.room import cannot_fit

    data = folder(options.data)
    book = catalogue(data)
    # first, because inspecting the machine takes seconds and may add it to the data
    shape = shape_named(data, book, model)
    asked = accelerator_named(book, options.accelerator)
    here = None if action == "simulate" and asked else device(options.device or "")
    own = accelerator_of(book, here) if here else ""
    asked = asked or own
    if here is not None and not asked:
        if action == "simulate" or options.dry_run or not has_torch():
            raise UsageError(_unknown(here))
        asked = own = _entered(data, here)
        book = catalogue(data)
    job = job_of(options, book, shape, asked)
    away = absent(asked, here, own) if here else ""
    misfit = cannot_fit(book, job)
    how, because = action, ""
    if not action:
        choice = chosen(torch=has_torch(), absent=away, misfit=misfit)
        how, because = choice.how, choice.because
    elif action != "simulate":
        if away:
            return _failed("B002", f"{away}; 'scalesheet bench simulate' needs no device")
        if misfit and action == "run":
            return _failed("B003", misfit)
    if how == "ladder":
        return _what_fits(options, book, job)
    expected = simulated(book, job, book.edition, command("simulate", job, model))
    if how == "simulate":
        return _answered(options, data, [expected], None, because)
    taken = _measured(options, book, job, model)
    beside = [] if records_of(book, job, "simulated") else [expected]
    return _answered(options, data, [taken, *beside], expected, because)


def _measured(options: argparse.Namespace, book: Book, job: Job, model: str) -> Record:
    from scalesheet.steps.work import with_work
    from scalesheet_bench.command import command
    from scalesheet_bench.train import OutOfMemory, measure

    try:
        result = measure(
            job, effort_of(options), _told, command("run", job, model), trace=options.profile
        )
    except OutOfMemory as fault:
        largest = _largest(options, book, job)
        raise OutOfMemory(f"{fault}; {largest}", fault.needed, fault.had) from None
    return with_work(book, result)


def _largest(options: argparse.Namespace, book: Book, job: Job) -> str:
    """Find the largest micro-batch of the same length that fits, by trying."""
    result = (
        _search(options, book, job, (job.length,), (), job.batch - 1) if job.batch > 1 else None
    )
    largest = result.batches[0].largest if result else 0
    if not largest:
        return f"not even a micro-batch of 1 fits at {job.length:,} tokens"
    return f"the largest micro-batch that fits at {job.length:,} tokens is {largest:,}"


def _answered(
    options: argparse.Namespace,
    data: Path,
    records: list[Record],
    expected: Record | None,
    because: str,
) -> int:
    """Write the records and print the first.

    A measured one comes with the simulation of the same job, unless one is on file, so that both
    can be compared.
    """
    from scalesheet.diagnostics import Refused
    from scalesheet.load.folder import shown
    from scalesheet.new.entry import LayoutError
    from scalesheet_bench.files import text, written
    from scalesheet_bench.report import as_json, as_text

    try:
        paths = [] if options.dry_run else [shown(written(data, record)) for record in records]
    except (Refused, LayoutError, OSError):
        print("the result, which could not be written:", file=sys.stderr)
        print("".join(map(text, records)), file=sys.stderr, end="")
        raise
    progress("")
    if options.format == "json":
        print(as_json(records[0], expected, because, paths[0] if paths else None), end="")
    else:
        where = [f"wrote {path}" for path in paths] or ["nothing was written (--dry-run)"]
        print(as_text(records[0], expected, because, "\n".join(where)), end="")
    return GOOD


def _unknown(here: Device) -> str:
    from scalesheet_bench.ladder.hardware import id_of, name_of

    return (
        f"this machine's {name_of(here)} is not in the catalogue; add it with 'scalesheet bench "
        f"ladder --rates --write {id_of(here)}', or name another with --accelerator ID to simulate"
    )


def _entered(data: Path, here: Device) -> str:
    """Add this machine's device with measured rates to the catalogue; return its id there."""
    from scalesheet.load.folder import shown
    from scalesheet_bench.ladder.hardware import Origin, id_of, name_of, write
    from scalesheet_bench.ladder.parent import measured

    _told(f"{name_of(here)} is not in the catalogue: its rates come first")
    result = measured(here.kind, seconds=RATED, tell=_told)
    made = write(data, id_of(here), result, Origin("scalesheet bench ladder --rates", date.today()))
    progress("")
    print(f"added the device: {shown(made.path)}", file=sys.stderr)
    return made.path.stem


# ------------------------------------------------------------------ ladder


def _rates(options: argparse.Namespace) -> int:
    from scalesheet_bench.catalogue import catalogue
    from scalesheet_bench.here import accelerator_of, device
    from scalesheet_bench.ladder import tell
    from scalesheet_bench.ladder.hardware import Origin, write
    from scalesheet_bench.ladder.parent import measured

    data = folder(options.data)
    here = device(options.device or "")
    book = catalogue(data)
    peaks = tell.peaks_of(book, accelerator_of(book, here))
    result = measured(here.kind, seconds=options.seconds, tell=_told)
    progress("")
    origin = Origin("scalesheet bench ladder --rates", date.today())
    entered = write(data, options.write, result, origin) if options.write else None
    if options.format == "json":
        fields = {**tell.rates_data(result), "written": entered and tell.written_data(entered)}
        print(json.dumps(fields, indent=2, ensure_ascii=False))
    else:
        print(tell.rates_text(result, peaks), end="")
        print(tell.written_text(entered) if entered else "", end="")
    return GOOD


def _what_fits(options: argparse.Namespace, book: Book, job: Job) -> int:
    from scalesheet_bench.ladder import tell

    result = _search(options, book, job, options.lengths, options.batches)
    progress("")
    if options.format == "json":
        print(json.dumps(tell.fits_data(result), indent=2, ensure_ascii=False))
    else:
        print(tell.fits_text(result), end="")
    return GOOD


def _search(
    options: argparse.Namespace,
    book: Book,
    job: Job,
    lengths: tuple[int, ...],
    batches: tuple[int, ...],
    most: int | None = None,
) -> WhatFits:
    """Search for what fits, with two steps of each size. `most` limits the micro-batch."""
    from scalesheet.steps.footprint import Footprint
    from scalesheet.steps.roofline import rates_of
    from scalesheet_bench.ladder.fits import Bounds, what_fits
    from scalesheet_bench.ladder.tries import bounded, trier
    from scalesheet_bench.train import measure

    fits = trier(lambda tried, effort: measure(tried, effort, lambda _: None), effort_of(options))
    room = options.memory or rates_of(book, job).memory
    bounds = bounded(job.model, Bounds(batch=most, confirm=False) if most else None)
    return what_fits(
        job, lengths, batches, fits, lambda tried: Footprint(book, tried).peak, room, bounds, _told
    )
