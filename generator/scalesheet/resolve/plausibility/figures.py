"""Warns of catalogue figures that contradict each other or are outside the range of any known
product.

These checks find the usual errors in public data: a peak with sparsity taken for a dense one, bytes
for bits. If an accelerator really is unusual, its file says why under `unusual`. Prices have their
own checks (`prices.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.load import Document
from scalesheet.model import Stated
from scalesheet.nearest import nearest
from scalesheet.resolve.drafts import DraftTable

#: Dense bf16 FLOP of an accelerator per byte of memory bandwidth; covers nearly all since 2017.
RIDGE = (30.0, 420.0)
#: The ratio of two rates of an accelerator, within the rounding of data sheets: the first over the
#: second. Other ratios are reported under the first, unless its file says why.
RATES = (
    ("fp8", "dense_fp8", "dense_bf16", 2.0, "the bf16 peak", "sparsity and accumulation"),
    ("fp4", "dense_fp4", "dense_fp8", 2.0, "the fp8 peak", "sparsity"),
    ("fp16", "dense_fp16", "dense_bf16", 1.0, "the bf16 peak", "sparsity and accumulation"),
    ("sparse", "sparse_bf16", "dense_bf16", 2.0, "the dense bf16 peak", "which of the two it is"),
)
RATES_WITHIN = 0.03
#: Measured rates, and the peaks they are a share of.
MEASURED_OF = (
    ("measured_bf16", "dense_bf16", "the bf16 peak"),
    ("measured_fp8", "dense_fp8", "the fp8 peak"),
    ("measured_fp16", "dense_fp16", "the fp16 peak"),
    ("measured_tf32", "dense_tf32", "the tf32 peak"),
    ("measured_bandwidth", "bandwidth", "the bandwidth"),
)
#: The share of a peak that is reached in practice; more than all of it means that the peak is
#: wrong.
MEASURED = (0.5, 1.0)
#: A node's power is in kW, an accelerator's in W.
W_PER_KW = 1e3
GFLOP_PER_TFLOP = 1e3
#: Tolerance between figures of one run, for rounding.
RUN_WITHIN = 0.02
#: Tolerance above a board's power limit for short peaks; a mean should not even reach that.
POWER_ABOVE = 0.05
#: Columns of memory that are not part of an accelerator's peak memory.
BESIDE_THE_PEAK = ("reserved_memory", "process_memory")
#: The peak rates to compare a run with, by precision; if none is stated, the highest applies.
PEAKS: Mapping[str, tuple[str, ...]] = {
    "fp32": ("fp32",),
    "tf32": ("dense_tf32",),
    "fp16": ("dense_fp16",),
    "bf16": ("dense_bf16",),
    "fp8": ("dense_fp8",),
}
ANY_PEAK = ("dense_fp16", "dense_bf16", "dense_fp8")


def implausible(
    documents: Mapping[str, Sequence[Document]],
    tables: Mapping[str, DraftTable],
) -> Iterator[Diagnostic]:
    """Warn of implausible figures; `documents` are by kind."""
    for document in documents["hardware"]:
        yield from _accelerator(document, _Row(tables["hardware"], document.id))
    for document in documents["node"]:
        accelerator = _Row(tables["hardware"], str(document.data["accelerator"]))
        yield from _node(document, _Row(tables["nodes"], document.id), accelerator)
    nodes = {document.id: document for document in documents["node"]}
    for document in documents["rate"]:
        row = _Row(tables["offers"], document.id)
        yield from _named_node(document, row, nodes, tables["nodes"])
    for document in documents["table"]:
        yield from _bounded(document, tables[document.id])
    for document in documents["measurement"]:
        accelerator = _Row(tables["hardware"], str(document.data["accelerator"]))
        yield from _run(document, _Row(tables["measurements"], document.id), accelerator)


class _Row:
    """The stated numbers of a row by column; None if there is none."""

    def __init__(self, table: DraftTable, row: str) -> None:
        self.table, self.row = table, row

    def __getitem__(self, column: str) -> float | None:
        stated = self.stated(column)
        return float(stated.value) if stated and isinstance(stated.value, float | int) else None

    def stated(self, column: str) -> Stated | None:
        return self.table.columns[column].stated.get(self.row)

    def finding(self, column: str, message: str) -> Iterator[Diagnostic]:
        stated = self.stated(column)
        if stated is not None and stated.position is not None:
            yield at(stated.position, "V009", message)


def _accelerator(document: Document, row: _Row) -> Iterator[Diagnostic]:
    unusual = document.data.get("unusual", {})
    bf16, bandwidth = row["dense_bf16"], row["bandwidth"]
    if bf16 and bandwidth and "ridge" not in unusual:
        ridge = bf16 * 1e12 / (bandwidth * 1e9)
        if not RIDGE[0] <= ridge <= RIDGE[1]:
            yield from row.finding(
                "dense_bf16",
                f"{ridge:.0f} bf16 FLOP per byte of memory, usually {RIDGE[0]:.0f} to "
                f"{RIDGE[1]:.0f}; check sparsity and units, or say why under unusual.ridge",
            )
    for key, column, other, usual, words, slip in RATES:
        rate, base = row[column], row[other]
        if rate and base and key not in unusual:
            times = rate / base
            if abs(times / usual - 1) > RATES_WITHIN:
                yield from row.finding(
                    column,
                    f"{times:.2f} times {words}, usually {usual:.0f}; check {slip}, or say "
                    f"why under unusual.{key}",
                )
    for column, other, words in MEASURED_OF:
        measured, peak = row[column], row[other]
        if measured and peak and measured > peak * MEASURED[1]:
            yield from row.finding(
                column, f"{measured:g} was measured of a peak of {peak:g}; one of them is wrong"
            )
        elif measured and peak and measured < peak * MEASURED[0] and "measured" not in unusual:
            yield from row.finding(
                column,
                f"{measured / peak:.0%} of {words}, usually {MEASURED[0]:.0%} or more; check "
                "whether the peak is with sparsity, or say why under unusual.measured",
            )
    memory, usable = row["memory"], row["memory_usable"]
    if memory and usable and usable > memory:
        yield from row.finding(
            "memory_usable", f"{usable:g} GiB of {memory:g}; one is too large: check GB and GiB"
        )


def _node(document: Document, row: _Row, accelerator: _Row) -> Iterator[Diagnostic]:
    """A node draws more power than its accelerators at their limits."""
    power, gpus, each = row["power"], row["gpus"], accelerator["power"]
    limit = gpus * each / W_PER_KW if gpus and each else 0.0
    text = "power" in document.data.get("unusual", {})
    if power and power < limit and not text:
        yield from row.finding(
            "power",
            f"{power:g} kW, less than {gpus:g} accelerators of {each:g} W; check whether it is "
            "for one accelerator or half a node, or say why under unusual.power",
        )


def _named_node(
    document: Document, row: _Row, nodes: Mapping[str, Document], table: DraftTable
) -> Iterator[Diagnostic]:
    """An offer has the same accelerators as the node it names."""
    node = nodes.get(str(document.data.get("node", "")))
    if node is None:
        return
    machine = _Row(table, node.id)
    count, has = document.data["accelerators"], machine["gpus"]
    offered, built = document.data["accelerator"], node.data["accelerator"]
    if offered != built or (has is not None and count != has):
        holds = f"{has:g} x {built}" if has is not None else built
        yield from row.finding(
            "node",
            f"'{node.id}' has {holds}, the offer {count:g} x {offered}; name another "
            "node, or fix the offer",
        )


def _bounded(document: Document, table: DraftTable) -> Iterator[Diagnostic]:
    """Figures of a small table are within the bounds that its file calls usual."""
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
                message = f"'{id}' has {figure:g}, usually {low:g} to {high:g}; check the unit"
                yield from row.finding(column, message)


def _run(document: Document, row: _Row, accelerator: _Row) -> Iterator[Diagnostic]:
    """The figures of a record agree with each other and with the accelerator."""
    yield from _throughput(row)
    yield from _parts_of_the_step(row)
    yield from _memory(row, accelerator["memory"])
    yield from _work(document, row, accelerator)
    yield from _setting(document, row)


def _throughput(row: _Row) -> Iterator[Diagnostic]:
    batch, step, length = row["batch_size"], row["step_time"], row["sequence_length"]
    samples, tokens = row["samples_per_second"], row["tokens_per_second"]
    if batch and step and _apart(samples, batch / step):
        yield from row.finding(
            "samples_per_second", f"{samples:g}, but batch and time of a step give {batch / step:g}"
        )
    if samples and length and _apart(tokens, samples * length):
        yield from row.finding(
            "tokens_per_second", f"{tokens:g}, but samples and length give {samples * length:g}"
        )
    elif batch and step and length and not samples and _apart(tokens, batch * length / step):
        yield from row.finding(
            "tokens_per_second",
            f"{tokens:g}, but batch, length and time of a step give {batch * length / step:g}",
        )


def _parts_of_the_step(row: _Row) -> Iterator[Diagnostic]:
    shares = [row[name] for name in row.table.columns if name.endswith("_share")]
    whole = sum(share or 0.0 for share in shares)
    if whole > 1 + RUN_WITHIN or (None not in shares and whole < 1 - RUN_WITHIN):
        yield from row.finding("backward_share", f"the shares of a step sum to {whole:.0%}")


def _memory(row: _Row, capacity: float | None) -> Iterator[Diagnostic]:
    """Host memory and the memory that the allocator reserves are not parts of the peak."""
    peak, reserved = row["peak_memory"], row["reserved_memory"]
    for name in row.table.columns if peak else ():
        part = row[name] if name.endswith("_memory") and name not in BESIDE_THE_PEAK else None
        if part and peak and part > peak * (1 + RUN_WITHIN):
            yield from row.finding(name, f"{part:g} GiB is more than the peak of {peak:g}")
    if peak and reserved and reserved < peak * (1 - RUN_WITHIN):
        yield from row.finding(
            "reserved_memory", f"{reserved:g} GiB, less than the peak of {peak:g}"
        )
    for name, taken in (("peak_memory", peak), ("reserved_memory", reserved)):
        if taken and capacity and taken > capacity * (1 + RUN_WITHIN):
            yield from row.finding(name, f"{taken:g} GiB of the accelerator's {capacity:g}")


def _work(document: Document, row: _Row, accelerator: _Row) -> Iterator[Diagnostic]:
    rate, each, share = row["flop_rate"], row["flop_per_token"], row["utilisation"]
    tokens, gpus = row["tokens_per_second"], row["gpus"]
    columns = PEAKS.get(str(document.data.get("precision", "")), ANY_PEAK)
    peak = max(accelerator[column] or 0.0 for column in columns)
    if rate and peak and rate > peak:
        yield from row.finding("flop_rate", f"{rate:g} TFLOP/s, above the dense peak of {peak:g}")
    if each and tokens and gpus and _apart(rate, tokens * each / gpus / GFLOP_PER_TFLOP):
        yield from row.finding(
            "flop_rate",
            f"{rate:g} TFLOP/s, but tokens per second and the work of one give "
            f"{tokens * each / gpus / GFLOP_PER_TFLOP:g}",
        )
    if rate and len(columns) == 1 and peak and _apart(share, rate / peak):
        yield from row.finding(
            "utilisation",
            f"{share:.1%}, but the work of {rate:g} TFLOP/s of {peak:g} is {rate / peak:.1%}",
        )
    power, limit = row["power"], accelerator["power"]
    if power and limit and power > limit * (1 + POWER_ABOVE):
        yield from row.finding(
            "power", f"{power:g} W of a board power of {limit:g}; check the unit"
        )


def _setting(document: Document, row: _Row) -> Iterator[Diagnostic]:
    gpus, batch = row["gpus"], row["batch_size"]
    micro, passes = row["micro_batch"], row["accumulation"]
    if micro and passes and gpus and batch and _apart(batch, micro * passes * gpus):
        yield from row.finding(
            "batch_size",
            f"{batch:g} sequences, but {gpus:g} accelerators with {passes:g} passes of {micro:g} "
            f"process {micro * passes * gpus:g}",
        )
    if document.data.get("method") == "full" and row["rank"]:
        yield from row.finding("rank", "full training has no adapters; leave one of the two out")
    if document.data.get("strategy") == "single" and gpus and gpus > 1:
        yield from row.finding(
            "strategy", f"{gpus:g} accelerators need a strategy that shares the work: ddp or fsdp"
        )


def _apart(stated: float | None, computed: float) -> bool:
    """Whether a stated figure differs from the one computed from the rest."""
    return bool(stated) and bool(computed) and abs(computed / (stated or 1) - 1) > RUN_WITHIN
