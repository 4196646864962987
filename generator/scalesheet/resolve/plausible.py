"""Figures of the catalogue that contradict each other, or that no such thing ever had: warnings.

They find the usual slips of public data: a peak with sparsity taken for a dense one, bytes for
bits. An accelerator may really be unusual; its file then says why, under `unusual`. Prices have
checks of their own (`prices.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from scalesheet.diagnostics import Diagnostic, at, nearest
from scalesheet.load import Document
from scalesheet.model import Stated
from scalesheet.resolve.drafts import DraftTable

#: Dense bf16 FLOP that an accelerator does for each byte that it reads: about all since 2017.
RIDGE = (30.0, 420.0)
#: How two rates of an accelerator relate, as far as data sheets round: the first is so many times
#: the second. A pair that does not is told under the first, unless its file says why.
RATES = (
    ("fp8", "dense_fp8", "dense_bf16", 2.0, "the bf16 peak", "sparsity and accumulation"),
    ("fp4", "dense_fp4", "dense_fp8", 2.0, "the fp8 peak", "sparsity"),
    ("fp16", "dense_fp16", "dense_bf16", 1.0, "the bf16 peak", "sparsity and accumulation"),
    ("sparse", "sparse_bf16", "dense_bf16", 2.0, "the dense bf16 peak", "which of the two it is"),
)
RATES_WITHIN = 0.03
#: What was measured, and the peak that it is a part of.
MEASURED_OF = (
    ("measured_bf16", "dense_bf16", "the bf16 peak"),
    ("measured_fp16", "dense_fp16", "the fp16 peak"),
    ("measured_tf32", "dense_tf32", "the tf32 peak"),
    ("measured_bandwidth", "bandwidth", "the bandwidth"),
)
#: How much of a peak is reached; more than all of it is a wrong peak.
MEASURED = (0.5, 1.0)
#: A machine's power is in kW, an accelerator's in W.
W_PER_KW = 1e3
#: Figures of one run agree as far as they are rounded.
RUN_WITHIN = 0.02


def implausible(
    documents: Mapping[str, Sequence[Document]],
    tables: Mapping[str, DraftTable],
) -> Iterator[Diagnostic]:
    """What to look at again; `documents` by kind."""
    for document in documents["hardware"]:
        yield from _accelerator(document, _Row(tables["hardware"], document.id))
    for document in documents["node"]:
        accelerator = _Row(tables["hardware"], str(document.data["accelerator"]))
        yield from _node(document, _Row(tables["nodes"], document.id), accelerator)
    nodes = {document.id: document for document in documents["node"]}
    for document in documents["rate"]:
        yield from _named_node(document, _Row(tables["offers"], document.id), nodes)
    for document in documents["table"]:
        yield from _bounded(document, tables[document.id])
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
    bf16, bandwidth = row["dense_bf16"], row["bandwidth"]
    if bf16 and bandwidth and "ridge" not in unusual:
        ridge = bf16 * 1e12 / (bandwidth * 1e9)
        if not RIDGE[0] <= ridge <= RIDGE[1]:
            yield from row.told(
                "dense_bf16",
                f"{ridge:.0f} FLOP in bf16 for a byte of memory, usual are {RIDGE[0]:.0f} to "
                f"{RIDGE[1]:.0f}; look for sparsity and units, or say why under unusual.ridge",
            )
    for key, column, other, usual, words, slip in RATES:
        rate, base = row[column], row[other]
        if rate and base and key not in unusual:
            times = rate / base
            if abs(times / usual - 1) > RATES_WITHIN:
                yield from row.told(
                    column,
                    f"{times:.2f} times {words}, usual is {usual:.0f}; look for {slip}, or say "
                    f"why under unusual.{key}",
                )
    for column, other, words in MEASURED_OF:
        measured, peak = row[column], row[other]
        if measured and peak and measured > peak * MEASURED[1]:
            yield from row.told(
                column, f"{measured:g} was measured of a peak of {peak:g}; one of them is wrong"
            )
        elif measured and peak and measured < peak * MEASURED[0] and "measured" not in unusual:
            yield from row.told(
                column,
                f"{measured / peak:.0%} of {words}, usual are {MEASURED[0]:.0%} and more; look "
                "whether the peak is with sparsity, or say why under unusual.measured",
            )
    memory, usable = row["memory"], row["memory_usable"]
    if memory and usable and usable > memory:
        yield from row.told(
            "memory_usable", f"{usable:g} GiB of {memory:g}; look for GB and GiB, one is too large"
        )


def _node(document: Document, row: _Row, accelerator: _Row) -> Iterator[Diagnostic]:
    """The machine as a whole draws more than its accelerators at their limits."""
    power, gpus, each = row["power"], row["gpus"], accelerator["power"]
    limit = gpus * each / W_PER_KW if gpus and each else 0.0
    told = "power" in document.data.get("unusual", {})
    if power and power < limit and not told:
        yield from row.told(
            "power",
            f"{power:g} kW, less than {gpus:g} accelerators of {each:g} W; look for the power of "
            "one accelerator or of half a machine, or say why under unusual.power",
        )


def _named_node(
    document: Document, row: _Row, nodes: Mapping[str, Document]
) -> Iterator[Diagnostic]:
    """An offer and the machine that it names have the same accelerators."""
    node = nodes.get(str(document.data.get("node", "")))
    if node is None:
        return
    count, has = document.data["accelerators"], node.data["accelerators"].get("value")
    offered, built = document.data["accelerator"], node.data["accelerator"]
    if (offered, count) != (built, has):
        yield from row.told(
            "node",
            f"'{node.id}' has {has:g} x {built}, the offer {count:g} x {offered}; name another "
            "machine, or mend the offer",
        )


def _bounded(document: Document, table: DraftTable) -> Iterator[Diagnostic]:
    """Figures of a small table within the bounds that its file calls usual."""
    for column, bounds in document.data.get("usual", {}).items():
        if column not in table.columns:
            hint = nearest(column, table.columns)
            message = f"'{table.name}' has no column '{column}'{hint}"
            yield at(document.key_at("usual", column), "N001", message)
            continue
        low, high = bounds["low"], bounds["high"]
        for id in table.rows:
            row = _Row(table, id)
            figure = row[column]
            if figure is not None and not low <= figure <= high:
                message = f"'{id}' has {figure:g}, usual are {low:g} to {high:g}; look at the unit"
                yield from row.told(column, message)


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
