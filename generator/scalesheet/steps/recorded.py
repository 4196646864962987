"""Recorded: the job of a record in the catalogue, as `bench` would run or simulate it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace
from typing import Any, cast

from scalesheet.book import Book
from scalesheet.diagnostics import Refused
from scalesheet.evaluate import evaluate_catalogue
from scalesheet.frozen import dataclass
from scalesheet.steps.job import Attention, Job, Method, Precision, Strategy
from scalesheet.steps.shapes import shape_of
from scalesheet.values import Results

TABLE = "measurements"
#: Formats in which PyTorch computes products; a record may name others.
_COMPUTED = ("fp32", "tf32", "fp16", "bf16")


class UnclearError(ValueError):
    """Raised if a record does not state what ran; says what is missing, and where to state it."""


@dataclass(frozen=True)
class Recorded:
    """The job of a record, and in words what was assumed where the record is silent."""

    job: Job
    assumed: tuple[str, ...]


def job_of(book: Book, id: str, results: Results | None = None) -> Job:
    """The job of a record. `results` are the catalogue's, if available.

    Raises KeyError if there is no such record, UnclearError if it states too little, and Refused if
    the parameters of its model cannot be counted.
    """
    return recorded(book, id, results).job


def recorded(book: Book, id: str, results: Results | None = None) -> Recorded:
    """The same, with the assumptions."""
    row = Row(book, id)
    assumed: list[str] = []

    def given(name: str, usual: Any, text: str) -> Any:
        """The stated value, or the usual one, which is noted as an assumption."""
        value = row.get(name)
        if value is None:
            assumed.append(text)
        return usual if value is None else value

    model = row.needs("model", "the model's id, or add it with 'scalesheet new model'")
    method = cast(Method, row.needs("method", "full, LoRA or QLoRA"))
    stated = str(row.needs("precision", f"one of {', '.join(_COMPUTED)}"))
    length = _whole(row.needs("sequence_length", "tokens of a sequence"))
    gpus = _whole(row.get("gpus") or 1)
    precision = cast(Precision, "bf16" if stated == "nf4" else stated)
    if precision not in _COMPUTED:
        raise UnclearError(f"products in {stated} are not simulated; of {', '.join(_COMPUTED)} are")
    adapters = method != "full"
    kept = "nf4" if method == "QLoRA" or stated == "nf4" else "fp32"
    if kept == "fp32" and method == "LoRA" and precision in ("fp16", "bf16"):
        kept = precision
    accumulation = _whole(row.get("accumulation") or 1)
    strategy: Strategy = "single" if gpus == 1 else "ddp"
    job = Job(
        model=shape_of(book, str(model), results),
        accelerator=str(row.needs("accelerator", "its id in hardware/")),
        device=device_of(book, str(row.get("accelerator"))),
        gpus=gpus,
        strategy=row.get("strategy") or strategy,
        method=method,
        precision=precision,
        weights=given("weights_precision", kept, f"weights kept in {kept}"),
        batch=_batch(row, gpus * accumulation),
        accumulation=accumulation,
        length=length,
        checkpointing=given("checkpointing", False, "no activation checkpointing"),
        attention=cast(Attention, given("attention", "sdpa", "PyTorch's own attention (sdpa)")),
        compiled=bool(row.get("compiled")),
        rank=_whole(given("rank", 8, "adapters of rank 8") if adapters else 8),
    )
    return Recorded(job, tuple(assumed))


def records_of(book: Book, job: Job, how: str) -> tuple[str, ...]:
    """The ids of measured (or simulated) records of the same job."""
    table = book.tables.get(TABLE)
    records = []
    results = evaluate_catalogue(book)
    for id in table.rows if table is not None else ():
        if Row(book, id).get("how") != how or Row(book, id).get("model") != job.model.id:
            continue
        try:
            again = job_of(book, id, results)
        except (UnclearError, Refused):
            continue
        if sameness(again) == sameness(job):
            records.append(id)
    return tuple(records)


def sameness(job: Job) -> Sequence[object]:
    """A key that two jobs share if they are the same.

    The rank counts only with adapters; the source of a model does not count.
    """
    model = replace(job.model, more={}, config=None)
    return astuple(replace(job, model=model, rank=0 if job.method == "full" else job.rank))


def device_of(book: Book, accelerator: str) -> str:
    """PyTorch's device type for an accelerator: `cpu` for a processor, else `cuda`."""
    columns = book.tables["hardware"].columns
    kind = columns["kind"].stated.get(accelerator) if "kind" in columns else None
    return "cpu" if kind is not None and kind.value == "processor" else "cuda"


class Row:
    """The cells of a record: numbers in the units of their columns, words, flags."""

    def __init__(self, book: Book, id: str) -> None:
        if TABLE not in book.tables or id not in book.tables[TABLE].rows:
            raise KeyError(id)
        self._id, self._columns = id, book.tables[TABLE].columns

    def get(self, name: str) -> Any:
        """The stated value, or None."""
        stated = self._columns[name].stated.get(self._id) if name in self._columns else None
        return None if stated is None else stated.value

    def needs(self, name: str, expected: str) -> Any:
        """The stated value. Raises UnclearError if it is missing."""
        value = self.get(name)
        if value is None:
            key = name.replace("_", " ")
            raise UnclearError(f"the record states no {key}; give {name}: {expected}")
        return value


def _batch(row: Row, passes: int) -> int:
    """Sequences in a pass on one accelerator: stated, or derived from the whole step."""
    if (micro := row.get("micro_batch")) is not None:
        return _whole(micro)
    whole = row.needs("batch_size", "sequences of a step")
    if whole % passes:
        raise UnclearError(
            f"{whole:g} sequences a step cannot be divided among {passes} passes; give micro_batch"
        )
    return _whole(whole / passes)


def _whole(value: Any) -> int:
    return round(float(value))
