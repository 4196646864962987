"""Figures of the catalogue that contradict each other, or that no such thing ever had: warnings.

They find the usual slips of public data: a peak with sparsity taken for a dense one, bytes for
bits. An accelerator may really be unusual; its file then says why, under `unusual`. Prices have
checks of their own (`prices.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.load import Document
from scalesheet.model import Stated
from scalesheet.resolve.drafts import DraftTable

#: Dense bf16 FLOP that an accelerator does for each byte that it reads: about all since 2017.
RIDGE = (30.0, 420.0)
#: fp8 is twice as fast as bf16, as far as data sheets round.
FP8_TIMES, FP8_WITHIN = 2.0, 0.03
#: Figures of one run agree as far as they are rounded.
RUN_WITHIN = 0.02


def implausible(
    documents: Mapping[str, Sequence[Document]],
    tables: Mapping[str, DraftTable],
) -> Iterator[Diagnostic]:
    """What to look at again; `documents` by kind."""
    for document in documents["hardware"]:
        yield from _accelerator(document, _Row(tables["hardware"], document.id))
    for document in documents["measurement"]:
        accelerator = _Row(tables["hardware"], str(document.data["accelerator"]))
        yield from _run(_Row(tables["measurements"], document.id), accelerator)


class _Row:
    """The stated numbers of a row by column, None where there is none."""

    def __init__(self, table: DraftTable, row: str) -> None:
        self.table, self.row = table, row

    def __getitem__(self, column: str) -> float | None:
        stated = self.stated(column)
        return float(stated.value) if stated and isinstance(stated.value, float | int) else None

    def stated(self, column: str) -> Stated | None:
        return self.table.columns[column].stated.get(self.row)

    def told(self, column: str, message: str) -> Iterator[Diagnostic]:
        stated = self.stated(column)
        if stated is not None and stated.position is not None:
            yield at(stated.position, "V009", message)


def _accelerator(document: Document, row: _Row) -> Iterator[Diagnostic]:
    unusual = document.data.get("unusual", {})
    bf16, fp8, bandwidth = row["dense_bf16"], row["dense_fp8"], row["bandwidth"]
    if bf16 and bandwidth and "ridge" not in unusual:
        ridge = bf16 * 1e12 / (bandwidth * 1e9)
        if not RIDGE[0] <= ridge <= RIDGE[1]:
            yield from row.told(
                "dense_bf16",
                f"{ridge:.0f} FLOP in bf16 for a byte of memory, usual are {RIDGE[0]:.0f} to "
                f"{RIDGE[1]:.0f}; look for sparsity and units, or say why under unusual.ridge",
            )
    if bf16 and fp8 and "fp8" not in unusual:
        times = fp8 / bf16
        if abs(times / FP8_TIMES - 1) > FP8_WITHIN:
            yield from row.told(
                "dense_fp8",
                f"{times:.2f} times the bf16 peak, usual is {FP8_TIMES:.0f}; look for sparsity and "
                "accumulation, or say why under unusual.fp8",
            )


def _run(row: _Row, accelerator: _Row) -> Iterator[Diagnostic]:
    batch, step, length = row["batch_size"], row["step_time"], row["sequence_length"]
    samples, tokens = row["samples_per_second"], row["tokens_per_second"]
    if batch and step and samples and abs(batch / step / samples - 1) > RUN_WITHIN:
        yield from row.told(
            "samples_per_second", f"{samples:g}, but batch and time of a step give {batch / step:g}"
        )
    if samples and length and tokens and abs(samples * length / tokens - 1) > RUN_WITHIN:
        yield from row.told(
            "tokens_per_second", f"{tokens:g}, but samples and length give {samples * length:g}"
        )
    shares = [row[name] or 0.0 for name in row.table.columns if name.endswith("_share")]
    if sum(shares) > 1 + RUN_WITHIN:
        yield from row.told("backward_share", f"the shares of a step sum to {sum(shares):.0%}")
    peak = row["peak_memory"]
    for name in row.table.columns if peak else ():
        part = row[name] if name.endswith("_memory") else None
        if part and peak and part > peak * (1 + RUN_WITHIN):
            yield from row.told(name, f"{part:g} GiB is more than the peak of {peak:g}")
    capacity, rate = accelerator["memory"], row["flop_rate"]
    if peak and capacity and peak > capacity * (1 + RUN_WITHIN):
        yield from row.told("peak_memory", f"{peak:g} GiB of the accelerator's {capacity:g}")
    limit = max(accelerator[name] or 0.0 for name in ("dense_fp16", "dense_bf16", "dense_fp8"))
    if rate and limit and rate > limit:
        message = f"{rate:g} TFLOP/s, above the dense peak of {limit:g}"
        yield from row.told("flop_rate", message)
