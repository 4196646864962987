"""`scalesheet bench`: measures training steps, or simulates them, and records the result."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scalesheet.commands import FINDINGS, GOOD, UsageError, folder, model_of, progress

if TYPE_CHECKING:
    from scalesheet.bench.job import Effort, Job, Shape
    from scalesheet.bench.ladder.fits import WhatFits
    from scalesheet.bench.ladder.rates import Device
    from scalesheet.bench.record import Record
    from scalesheet.model import Book

SUMMARY = "measure training steps, or simulate them, and record the result as data"
ACTIONS = ("run", "simulate", "ladder")
RATED = 40.0  # seconds in which the rates of a device are measured that is met for the first time
METHODS = {"full": "full", "lora": "LoRA", "qlora": "QLoRA"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words",
        nargs="+",
        metavar="[run|simulate|ladder] MODEL",
        help="run measures, simulate computes from the catalogue, ladder finds what fits and what "
        "the hardware reaches; without one it measures if it can. MODEL is one of the catalogue, "
        "or a file config.json",
    )
    what = parser.add_argument_group("what is trained")
    what.add_argument("--method", choices=METHODS, default="full", help="default: full")
    what.add_argument(
        "--precision",
        choices=("fp32", "tf32", "fp16", "bf16"),
        help="what products are computed in (default: bf16 on an accelerator, fp32 on a processor)",
    )
    what.add_argument(
        "--weights",
        choices=("fp32", "fp16", "bf16", "nf4"),
        help="what weights are kept in (default: fp32 for full, the precision for lora, nf4 for "
        "qlora)",
    )
    what.add_argument("--batch", type=_count, default=1, metavar="N", help="sequences in a pass")
    what.add_argument(
        "--accumulation", type=_count, default=1, metavar="N", help="passes in a step (default: 1)"
    )
    what.add_argument(
        "--sequence", type=_count, default=512, metavar="N", help="tokens of one (default: 512)"
    )
    what.add_argument(
        "--checkpointing", action="store_true", help="compute activations again, keep fewer"
    )
    what.add_argument(
        "--attention",
        choices=("sdpa", "eager", "flash"),
        default="sdpa",
        help="the kernel of attention (default: sdpa, PyTorch's own)",
    )
    what.add_argument("--compile", action="store_true", help="with torch.compile")
    what.add_argument(
        "--rank", type=_count, default=8, metavar="N", help="of adapters (default: 8)"
    )
    where = parser.add_argument_group("on what")
    where.add_argument(
        "--accelerator",
        metavar="ID",
        help="one of the catalogue (default: the one that is found in this machine)",
    )
    where.add_argument("--device", metavar="KIND", help="cuda, cpu, ... (default: what is there)")
    where.add_argument("--gpus", type=_count, default=1, metavar="N", help="how many (default: 1)")
    where.add_argument(
        "--strategy",
        choices=("ddp", "fsdp"),
        default="ddp",
        help="how several share the work (default: ddp)",
    )
    how = parser.add_argument_group("how long it is measured")
    how.add_argument(
        "--precise",
        type=_share,
        default=0.02,
        metavar="SHARE",
        help="until half of the 95%% interval of the mean is at most so much of it (default: 2%%)",
    )
    how.add_argument("--warmup", type=_count, default=3, metavar="N", help="steps before it")
    how.add_argument("--steps-at-most", type=_count, default=200, metavar="N", help="default: 200")
    how.add_argument(
        "--seconds", type=float, default=300.0, metavar="S", help="of timing (default: 300)"
    )
    how.add_argument(
        "--workers", type=int, default=0, metavar="N", help="processes that make batches"
    )
    how.add_argument(
        "--memory", type=_bytes, metavar="SIZE", help="that the run may take, as 8GB or 6GiB"
    )
    how.add_argument(
        "--profile", type=Path, metavar="DIR", help="write the profiler's view into a folder"
    )
    how.add_argument("--seed", type=int, default=0, metavar="N", help="of weights and tokens")
    ladder = parser.add_argument_group("ladder")
    ladder.add_argument(
        "--rates",
        action="store_true",
        help="rates of matrix products, memory and links, in place of what fits",
    )
    ladder.add_argument(
        "--write", metavar="ID", help="enter the device with its rates into the catalogue"
    )
    ladder.add_argument(
        "--lengths",
        type=_counts,
        default=(512, 1024, 2048, 4096),
        metavar="N,...",
        help="for which the largest batch is found (default: 512,1024,2048,4096)",
    )
    ladder.add_argument(
        "--batches",
        type=_counts,
        default=(1,),
        metavar="N,...",
        help="for which the longest sequence is found (default: 1)",
    )
    parser.add_argument("--dry-run", action="store_true", help="print the record and write no file")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print")


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 1 on")
    return int(text)


def _share(text: str) -> float:
    number = text.removesuffix("%").strip()
    try:
        share = float(number) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no share; write 2% or 0.02")
    return share


def _bytes(text: str) -> float:
    sizes = {"GB": 1e9, "GiB": 2.0**30, "MB": 1e6, "MiB": 2.0**20}
    for unit, size in sizes.items():
        number = text.removesuffix(unit).strip()
        if text.endswith(unit) and number.replace(".", "", 1).isdigit() and float(number) > 0:
            return float(number) * size
    raise argparse.ArgumentTypeError(f"'{text}' is no size of memory; write 8GB or 6GiB")


def _counts(text: str) -> tuple[int, ...]:
    return tuple(_count(part.strip()) for part in text.split(","))


def run(options: argparse.Namespace) -> int:
    from scalesheet.bench.train import NotMeasured

    action, model = _words(options)
    try:
        if options.rates:
            return _rates(options)
        return _of_a_model(options, action, model)
    except NotMeasured as fault:
        return _failed(fault.code, str(fault))
    finally:
        progress("")


def _words(options: argparse.Namespace) -> tuple[str, str]:
    """What to do, and of which model. Raises UsageError."""
    action, *rest = options.words if options.words[0] in ACTIONS else ("", *options.words)
    if (options.write or options.rates) and action != "ladder":
        raise UsageError("--rates and --write are of 'scalesheet bench ladder --rates --write ID'")
    if options.write and not options.rates:
        raise UsageError("--write enters rates; say 'scalesheet bench ladder --rates --write ID'")
    if options.rates:
        if rest:
            raise UsageError(f"--rates are those of the device; drop the model '{rest[0]}'")
        return action, ""
    if len(rest) != 1:
        found = f"{len(rest)}: {', '.join(rest)}" if rest else "none"
        hint = "" if action else f"; before it may stand {', '.join(ACTIONS)}"
        raise UsageError(f"expected one MODEL, by its id or as a config.json{hint}; found {found}")
    return action, rest[0]


def _failed(code: str, message: str) -> int:
    print(f"scalesheet bench: {code} {message}", file=sys.stderr)
    return FINDINGS


def _told(message: str) -> None:
    """A line of progress, which stays where the output is no terminal to write over."""
    if sys.stderr.isatty():
        progress(message)
    else:
        print(message, file=sys.stderr)


# ------------------------------------------------------------------ steps of a model


def _of_a_model(options: argparse.Namespace, action: str, model: str) -> int:
    from scalesheet.bench.catalogue import catalogue
    from scalesheet.bench.choose import chosen
    from scalesheet.bench.command import command
    from scalesheet.bench.here import absent, accelerator_of, device, has_torch
    from scalesheet.bench.recorded import records_of
    from scalesheet.bench.room import cannot_fit
    from scalesheet.bench.simulate import simulated

    data = folder(options.data)
    book = catalogue(data)
    here = None if action == "simulate" and options.accelerator else device(options.device or "")
    own = accelerator_of(book, here) if here else ""
    asked = _accelerator(book, options.accelerator) or own
    if here is not None and not asked:
        if action == "simulate" or options.dry_run or not has_torch():
            raise UsageError(_unknown(here))
        asked = own = _entered(data, here)
        book = catalogue(data)
    job = _job(options, book, _shape(data, book, model), asked)
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
    from scalesheet.bench.command import command
    from scalesheet.bench.train import OutOfMemory, measure
    from scalesheet.bench.work import with_work

    try:
        found = measure(
            job, _effort(options), _told, command("run", job, model), trace=options.profile
        )
    except OutOfMemory as fault:
        largest = _largest(options, book, job)
        raise OutOfMemory(f"{fault}; {largest}", fault.needed, fault.had) from None
    return with_work(book, found)


def _largest(options: argparse.Namespace, book: Book, job: Job) -> str:
    """The largest micro-batch of the same length that fits, found by trying."""
    found = _search(options, book, job, (job.length,), (), job.batch - 1) if job.batch > 1 else None
    largest = found.batches[0].largest if found else 0
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
    """Writes the records and prints the first. A measured one comes with the simulation of the
    same job, unless one is on file: both stay side by side."""
    from scalesheet.bench.files import text, written
    from scalesheet.bench.report import as_json, as_text
    from scalesheet.diagnostics import Refused
    from scalesheet.load.folder import shown
    from scalesheet.new.entry import LayoutError

    try:
        paths = [] if options.dry_run else [shown(written(data, record)) for record in records]
    except (Refused, LayoutError, OSError):
        print("what was found, since it could not be written:", file=sys.stderr)
        print("".join(map(text, records)), file=sys.stderr, end="")
        raise
    progress("")
    if options.format == "json":
        print(as_json(records[0], expected, because, paths[0] if paths else None), end="")
    else:
        where = [f"wrote {path}" for path in paths] or ["nothing was written (--dry-run)"]
        print(as_text(records[0], expected, because, "\n".join(where)), end="")
    return GOOD


def _shape(data: Path, book: Book, model: str) -> Shape:
    from scalesheet.bench.shapes import shape_in, shape_of

    file = Path(model)
    if file.suffix != ".json":
        return shape_of(book, model_of(book, model))
    if not file.is_file():
        raise UsageError(
            f"there is no file '{model}'; name a model's config.json, or a model of the catalogue"
        )
    return shape_in(data, file)


def _accelerator(book: Book, name: str | None) -> str:
    from scalesheet.predict.lookups import NO_TABLE
    from scalesheet.predict.names import accelerator, accelerators

    table = book.tables.get("hardware", NO_TABLE)
    if name is None or name in table.rows:
        return name or ""
    found = accelerator(name, accelerators(table))
    if not found.row:
        raise UsageError(f"--accelerator: {found.reason}")
    return found.row


def _unknown(here: Device) -> str:
    from scalesheet.bench.ladder.hardware import id_of, name_of

    return (
        f"this machine's {name_of(here)} is not in the catalogue; enter it with 'scalesheet bench "
        f"ladder --rates --write {id_of(here)}', or name another with --accelerator ID to simulate"
    )


def _entered(data: Path, here: Device) -> str:
    """Enters this machine's device, with its rates, where the catalogue lacks it: its id."""
    from scalesheet.bench.ladder.hardware import Origin, id_of, name_of, write
    from scalesheet.bench.ladder.parent import measured
    from scalesheet.load.folder import shown

    _told(f"{name_of(here)} is not in the catalogue: its rates come first")
    found = measured(here.kind, seconds=RATED, tell=_told)
    made = write(data, id_of(here), found, Origin("scalesheet bench ladder --rates", date.today()))
    progress("")
    print(f"entered the device: {shown(made.path)}", file=sys.stderr)
    return made.path.stem


def _job(options: argparse.Namespace, book: Book, shape: Shape, accelerator: str) -> Job:
    from scalesheet.bench.job import Job
    from scalesheet.bench.recorded import device_of

    device = options.device or device_of(book, accelerator)
    method: Any = METHODS[options.method]
    precision: Any = options.precision or ("fp32" if device == "cpu" else "bf16")
    usual = {"full": "fp32", "LoRA": "fp32" if precision == "tf32" else precision, "QLoRA": "nf4"}
    weights: Any = options.weights or usual[method]
    if (weights == "nf4") != (method == "QLoRA"):
        raise UsageError("--weights nf4 and --method qlora go together; drop one or give both")
    return Job(
        model=shape,
        accelerator=accelerator,
        device=device,
        gpus=options.gpus,
        strategy=options.strategy if options.gpus > 1 else "single",
        method=method,
        precision=precision,
        weights=weights,
        batch=options.batch,
        accumulation=options.accumulation,
        length=options.sequence,
        checkpointing=options.checkpointing,
        attention=options.attention,
        compiled=options.compile,
        rank=options.rank,
    )


def _effort(options: argparse.Namespace) -> Effort:
    from scalesheet.bench.job import Effort

    if not options.seconds > 0:
        raise UsageError(f"--seconds {options.seconds:g}: expected a time above 0")
    usual = Effort()
    return Effort(
        precise=options.precise,
        warmup=options.warmup,
        at_least=min(usual.at_least, options.steps_at_most),
        at_most=options.steps_at_most,
        seconds=options.seconds,
        workers=options.workers,
        memory=options.memory,
        profile=options.profile is not None,
        seed=options.seed,
    )


# ------------------------------------------------------------------ ladder


def _rates(options: argparse.Namespace) -> int:
    from scalesheet.bench.catalogue import catalogue
    from scalesheet.bench.here import accelerator_of, device
    from scalesheet.bench.ladder import tell
    from scalesheet.bench.ladder.hardware import Origin, write
    from scalesheet.bench.ladder.parent import measured

    data = folder(options.data)
    here = device(options.device or "")
    book = catalogue(data)
    peaks = tell.peaks_of(book, accelerator_of(book, here))
    found = measured(here.kind, seconds=options.seconds, tell=_told)
    progress("")
    origin = Origin("scalesheet bench ladder --rates", date.today())
    entered = write(data, options.write, found, origin) if options.write else None
    if options.format == "json":
        said = {**tell.rates_data(found), "written": entered and tell.written_data(entered)}
        print(json.dumps(said, indent=2, ensure_ascii=False))
    else:
        print(tell.rates_text(found, peaks), end="")
        print(tell.written_text(entered) if entered else "", end="")
    return GOOD


def _what_fits(options: argparse.Namespace, book: Book, job: Job) -> int:
    from scalesheet.bench.ladder import tell

    found = _search(options, book, job, options.lengths, options.batches)
    progress("")
    if options.format == "json":
        print(json.dumps(tell.fits_data(found), indent=2, ensure_ascii=False))
    else:
        print(tell.fits_text(found), end="")
    return GOOD


def _search(
    options: argparse.Namespace,
    book: Book,
    job: Job,
    lengths: tuple[int, ...],
    batches: tuple[int, ...],
    most: int | None = None,
) -> WhatFits:
    """What fits, by trying two steps of each size. `most` bounds the micro-batch."""
    from scalesheet.bench.footprint import Footprint
    from scalesheet.bench.ladder.fits import Bounds, what_fits
    from scalesheet.bench.ladder.tries import bounded, trier
    from scalesheet.bench.roofline import rates_of
    from scalesheet.bench.train import measure

    fits = trier(lambda tried, effort: measure(tried, effort, lambda _: None), _effort(options))
    room = options.memory or rates_of(book, job).memory
    bounds = bounded(job.model, Bounds(batch=most, confirm=False) if most else None)
    return what_fits(
        job, lengths, batches, fits, lambda tried: Footprint(book, tried).peak, room, bounds, _told
    )
