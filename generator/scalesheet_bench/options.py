"""The options of `scalesheet bench`, and the job and effort that they describe."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scalesheet.commands import UsageError, model_of

if TYPE_CHECKING:
    from scalesheet.book import Book
    from scalesheet.steps.job import Effort, Job, Shape

METHODS = {"full": "full", "lora": "LoRA", "qlora": "QLoRA"}


_Group = argparse._ArgumentGroup


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words",
        nargs="+",
        metavar="[run|simulate|ladder] MODEL",
        help="run measures, simulate computes from the catalogue, ladder finds what fits and what "
        "the hardware reaches; without one it measures if it can. MODEL is one of the catalogue, "
        "or a file config.json",
    )
    _trained(parser.add_argument_group("what is trained"))
    _hardware(parser.add_argument_group("on what"))
    _measured(parser.add_argument_group("how long it is measured"))
    _ladder(parser.add_argument_group("ladder"))
    parser.add_argument("--dry-run", action="store_true", help="print the record and write no file")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print")


def _trained(group: _Group) -> None:
    group.add_argument("--method", choices=METHODS, default="full", help="default: full")
    group.add_argument(
        "--precision",
        choices=("fp32", "tf32", "fp16", "bf16"),
        help="format of matrix products (default: bf16 on an accelerator, fp32 on a processor)",
    )
    group.add_argument(
        "--weights",
        choices=("fp32", "fp16", "bf16", "nf4"),
        help="format of stored weights (default: fp32 for full, the precision for lora, nf4 for "
        "qlora)",
    )
    group.add_argument("--batch", type=_count, default=1, metavar="N", help="sequences per pass")
    group.add_argument(
        "--accumulation", type=_count, default=1, metavar="N", help="passes per step (default: 1)"
    )
    group.add_argument(
        "--sequence", type=_count, default=512, metavar="N", help="tokens in each (default: 512)"
    )
    group.add_argument(
        "--checkpointing", action="store_true", help="recompute activations to save memory"
    )
    group.add_argument(
        "--attention",
        choices=("sdpa", "eager", "flash"),
        default="sdpa",
        help="attention kernel (default: sdpa, PyTorch's own)",
    )
    group.add_argument("--compile", action="store_true", help="use torch.compile")
    group.add_argument(
        "--rank", type=_count, default=8, metavar="N", help="rank of the adapters (default: 8)"
    )


def _hardware(group: _Group) -> None:
    group.add_argument(
        "--accelerator",
        metavar="ID",
        help="an accelerator of the catalogue (default: the one in this machine)",
    )
    group.add_argument("--device", metavar="KIND", help="cuda, cpu, ... (default: detected)")
    group.add_argument("--gpus", type=_count, default=1, metavar="N", help="GPUs (default: 1)")
    group.add_argument(
        "--strategy",
        choices=("ddp", "fsdp"),
        default="ddp",
        help="how several GPUs share the work (default: ddp)",
    )


def _measured(group: _Group) -> None:
    group.add_argument(
        "--precise",
        type=_share,
        default=0.02,
        metavar="SHARE",
        help="stop when the mean is known to within this share, at 95%% (default: 2%%)",
    )
    group.add_argument("--warmup", type=_count, default=3, metavar="N", help="untimed steps first")
    group.add_argument(
        "--steps-at-most", type=_count, default=200, metavar="N", help="default: 200"
    )
    group.add_argument(
        "--seconds", type=float, default=300.0, metavar="S", help="limit of timing (default: 300)"
    )
    group.add_argument(
        "--workers", type=int, default=0, metavar="N", help="processes that prepare batches"
    )
    group.add_argument(
        "--memory", type=_bytes, metavar="SIZE", help="memory limit of the run, such as 8GB or 6GiB"
    )
    group.add_argument(
        "--profile", type=Path, metavar="DIR", help="write a profile into this folder"
    )
    group.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (default: 0)")


def _ladder(group: _Group) -> None:
    group.add_argument(
        "--rates",
        action="store_true",
        help="measure matrix products, memory and links instead of what fits",
    )
    group.add_argument(
        "--write", metavar="ID", help="add the device and its rates to the catalogue"
    )
    group.add_argument(
        "--lengths",
        type=_counts,
        default=(512, 1024, 2048, 4096),
        metavar="N,...",
        help="find the largest batch for these (default: 512,1024,2048,4096)",
    )
    group.add_argument(
        "--batches",
        type=_counts,
        default=(1,),
        metavar="N,...",
        help="find the longest sequence for these (default: 1)",
    )


# ------------------------------------------------------------------ job and effort


def consistent(options: argparse.Namespace) -> None:
    """Raise UsageError for options that no machine could satisfy."""
    if options.weights and (options.weights == "nf4") != (options.method == "qlora"):
        raise UsageError("--weights nf4 and --method qlora go together; drop one or give both")
    if not options.seconds > 0:
        raise UsageError(f"--seconds {options.seconds:g}: expected a time above 0")


def shape_named(data: Path, book: Book, model: str) -> Shape:
    from scalesheet.steps.shapes import shape_in, shape_of

    file = Path(model)
    if file.suffix != ".json":
        return shape_of(book, model_of(book, model))
    if not file.is_file():
        raise UsageError(
            f"there is no file '{model}'; name a model's config.json, or a model of the catalogue"
        )
    return shape_in(data, file)


def accelerator_named(book: Book, name: str | None) -> str:
    from scalesheet.model import NO_TABLE
    from scalesheet.predict.cases.aliases import accelerator, accelerators

    table = book.tables.get("hardware", NO_TABLE)
    if name is None or name in table.rows:
        return name or ""
    result = accelerator(name, accelerators(table))
    if not result.row:
        raise UsageError(f"--accelerator: {result.reason}")
    return result.row


def job_of(options: argparse.Namespace, book: Book, shape: Shape, accelerator: str) -> Job:
    from scalesheet.model import NO_TABLE
    from scalesheet.steps.job import Job
    from scalesheet.steps.recorded import device_of

    device = options.device or device_of(book, accelerator)
    method: Any = METHODS[options.method]
    precision: Any = options.precision or ("fp32" if device == "cpu" else "bf16")
    table = book.tables.get("hardware", NO_TABLE)
    titles = dict(zip(table.rows, table.row_titles, strict=True))
    usual = {"full": "fp32", "LoRA": "fp32" if precision == "tf32" else precision, "QLoRA": "nf4"}
    weights: Any = options.weights or usual[method]
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
        hardware=titles.get(accelerator, ""),
    )


def effort_of(options: argparse.Namespace) -> Effort:
    from scalesheet.steps.job import Effort

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


# ------------------------------------------------------------------ words


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 1 on")
    return int(text)


def _share(text: str) -> float:
    number = text.removesuffix("%").strip()
    try:
        share = float(number) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a share; write 2% or 0.02")
    return share


def _bytes(text: str) -> float:
    sizes = {"GB": 1e9, "GiB": 2.0**30, "MB": 1e6, "MiB": 2.0**20}
    for unit, size in sizes.items():
        number = text.removesuffix(unit).strip()
        if (
            text.endswith(unit)
            and number.isascii()
            and number.replace(".", "", 1).isdigit()
            and float(number) > 0
        ):
            return float(number) * size
    raise argparse.ArgumentTypeError(f"'{text}' is not a size of memory; write 8GB or 6GiB")


def _counts(text: str) -> tuple[int, ...]:
    return tuple(_count(part.strip()) for part in text.split(","))
