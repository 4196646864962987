"""Roofline: the time of a step by its parts, from the catalogue's rates and the fit on file.

The parts are those of `predict` (`predict/steps.py`), each with its fitted coefficient: products at
the rate that large ones reach, attention, memory traffic, communication, kernel launches. The
overhead of general-purpose trainers is spread over forward and backward pass.
"""

from __future__ import annotations

from collections.abc import Mapping

from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, Refused
from scalesheet.frozen import dataclass
from scalesheet.predict.cases import Cases
from scalesheet.predict.cases.catalogue import ATTENTION, SIZES
from scalesheet.predict.engine import assumed
from scalesheet.predict.fits import coefficients
from scalesheet.predict.time import steps
from scalesheet.predict.time.efficiency import METHOD, OF_STEPS, predict_throughput
from scalesheet.predict.time.steps import Work
from scalesheet.steps.architecture import traits_of
from scalesheet.steps.footprint import Footprint, evaluated
from scalesheet.steps.job import Job

FIT = "throughput"
#: Columns of the vendor's peak of a precision; the first that is stated counts.
PEAKS: Mapping[str, tuple[str, ...]] = {
    "fp32": ("fp32",),
    "tf32": ("dense_tf32", "fp32"),
    "fp16": ("dense_fp16",),
    "bf16": ("dense_bf16",),
}
#: The fit covers accelerators. Assumption: a processor may be this much faster or slower.
OF_PROCESSORS = 2.0
#: Reads and writes of PyTorch's AdamW per trained parameter: eight operations in sequence
#: (torch/optim/adam.py; the same tensor by tensor or all at once).
PASSES = 20.0
#: Bytes that autocast costs per weight each time: read in 32 bits, written in 16. The gradient
#: costs the same in the other direction.
CAST = 6.0
#: Share of a part's time in the forward pass, for full training and for adapters, whose backward
#: pass computes no gradients of frozen weights.
_FORWARD_FULL, _FORWARD_ADAPTERS = 1 / 3, 1 / 2
_ATTENTION_FORWARD = 2.0  # of 7 FLOP for a pair of tokens


@dataclass(frozen=True)
class Rates:
    """Achievable rates of an accelerator, in FLOP / second and byte / second; nan if unknown."""

    products: float  # of large products in the precision of the job
    peak: float  # dense, of that precision, vendor spec
    bandwidth: float
    link: float
    domain: float
    memory: float  # byte
    processor: bool
    basis: str  # origin of the rate of products


@dataclass(frozen=True)
class Times:
    """Seconds per step, with the 80 % interval, and the shares of its parts."""

    step: float
    low: float
    high: float
    forward: float
    backward: float
    optimizer: float
    method: str


def figure_of(book: Book, accelerator: str, name: str, unit: str) -> float:
    """A stated figure of an accelerator in a unit; nan if there is none."""
    column = book.tables["hardware"].columns.get(name)
    stated = column.stated.get(accelerator) if column is not None else None
    if column is None or stated is None or not isinstance(stated.value, float):
        return float("nan")
    assert column.unit is not None
    return stated.value * float(book.units.factor(column.unit, book.units.parse(unit)))


def _products(book: Book, job: Job) -> tuple[float, float, str]:
    """The rate of large products, the dense peak (nan if unknown), and the origin of the rate."""

    def rate(name: str) -> float:
        return figure_of(book, job.accelerator, name, "FLOP / (second * GPU)")

    stated = [(name, rate(name)) for name in PEAKS[job.precision] if rate(name) > 0]
    peak = stated[0][1] if stated else float("nan")
    measured = rate(f"measured_{job.precision}")
    if measured > 0:
        return measured, peak, "the measured rate"
    if not peak > 0:
        return float("nan"), peak, ""
    sixteen = rate("measured_bf16") / rate("dense_bf16")
    share = sixteen if sixteen > 0 else assumed(book, "usual_achievable")
    return peak * share, peak, f"{100 * share:.0f} % of the peak ({stated[0][0]})"


def rates_of(book: Book, job: Job) -> Rates:
    """The rates for a job. Raises Refused if the catalogue lacks its accelerator."""
    table = book.tables["hardware"]
    row = job.accelerator
    if row not in table.rows:
        path = f"{book.folder}hardware/{row}.yaml"
        message = (
            f"the catalogue has no accelerator '{row}'; name one that it has, or measure and add "
            f"it: 'scalesheet bench ladder --rates --write {row}'"
        )
        raise Refused([Diagnostic(path, 1, 1, "B002", message)])

    products, peak, basis = _products(book, job)
    kind = table.columns["kind"].stated.get(row) if "kind" in table.columns else None

    def first(unit: str, *names: str) -> float:
        """The first of these figures above 0, else the last."""
        figures = [figure_of(book, row, name, unit) for name in names]
        return next((figure for figure in figures if figure > 0), figures[-1])

    return Rates(
        products,
        peak,
        first("byte / second", "bandwidth", "measured_bandwidth"),
        figure_of(book, row, "link", "byte / second"),
        figure_of(book, row, "link_domain", "GPU"),
        first("byte", "memory_usable", "memory"),
        kind is not None and kind.value == "processor",
        basis,
    )


def lacking(rates: Rates, job: Job) -> str:
    """What the catalogue lacks to predict the time of a step; empty if nothing."""
    missing = []
    if not rates.products > 0:
        listed = " or ".join((*PEAKS[job.precision], f"measured_{job.precision}"))
        missing.append(f"a rate of products in {job.precision} ({listed})")
    if not rates.bandwidth > 0:
        missing.append("a memory bandwidth (bandwidth or measured_bandwidth)")
    return " and ".join(missing)


def times(book: Book, job: Job) -> Times:
    """The time of a step.

    Raises Refused if the catalogue has no rates of the accelerator, or the book no fit.
    """
    rates = rates_of(book, job)
    path = f"{book.folder}hardware/{job.accelerator}.yaml"
    if missing := lacking(rates, job):
        message = (
            f"{job.accelerator} lacks {missing}, without which the time cannot be "
            "predicted; state it, or measure it with 'scalesheet bench ladder --rates'"
        )
        raise Refused([Diagnostic(path, 1, 1, "B002", message)])
    fitted = coefficients(book, FIT)
    case = _case(job, rates)
    made = predict_throughput(book, case, fitted)
    if made.unsupported.tolist()[0] is not None:
        message = f"the time cannot be predicted: {made.unsupported.tolist()[0]}"
        raise Refused([Diagnostic(f"{book.folder}fits/{FIT}.yaml", 1, 1, "B002", message)])
    each = job.tokens / job.gpus
    parts, beyond = _parts(book, job, case, fitted)
    step, low, high = (
        each * (1 / float(speed[0]) + beyond) for speed in (made.predicted, made.high, made.low)
    )
    wider = OF_PROCESSORS if rates.processor else 1.0
    forward, backward, optimizer = _shares(job, parts)
    method = f"{METHOD}; matrix products at {rates.basis}"
    if rates.processor:
        method += f"; fitted on accelerators, so the range is widened {wider:g} times (assumed)"
    return Times(step, low / wider, high * wider, forward, backward, optimizer, method)


def _parts(
    book: Book, job: Job, case: Cases, fitted: Mapping[str, float]
) -> tuple[Mapping[str, float], float]:
    """Accelerator seconds per token by part, and how much of them `predict` does not count.

    `predict` assumes a fused optimizer, which is not PyTorch's default, and no casts.
    """
    arrays = steps.stated(Work(case, book), {**dict.fromkeys(OF_STEPS, 1.0), **fitted})
    parts = {name: float(part[0]) for name, part in arrays.items()}
    trained, width, shards, cast = Footprint(book, job).of(
        "trained", "state_width", "shards", "cast"
    )

    def moved(parameters: float, bytes: float, micro_batches: int, shards: float) -> float:
        """Seconds per token to read or write this many bytes of each parameter, once in
        `micro_batches`."""
        traffic = evaluated(
            book,
            "update-traffic",
            parameters=parameters,
            trained=1,
            shards=shards,
            tokens=job.batch * job.length,
            micro_batches=micro_batches,
            bytes=bytes,
        )
        bandwidth = float(case.bandwidth[0]) / 1e9
        return evaluated(book, "traffic-time", traffic=traffic, bandwidth=bandwidth, slowdown=1)

    update = moved(trained, PASSES * width, job.accumulation, shards)
    beyond = update - parts["update"]
    parts["update"] = update
    if cast and job.weights == "fp32":
        times_cast = (2.0 if job.method == "full" else 1.0) + job.checkpointing
        parts["weights cast"] = moved(job.model.parameters, CAST * times_cast, 1, 1.0)
        beyond += parts["weights cast"]
    return parts, beyond


def _shares(job: Job, parts: Mapping[str, float]) -> tuple[float, float, float]:
    """Shares of forward pass, backward pass and optimizer."""
    plain = _FORWARD_FULL if job.method == "full" else _FORWARD_ADAPTERS
    again = float(job.checkpointing)
    passes = {
        "attention": _ATTENTION_FORWARD / (7 + 2 * again),
        "again": 0.0,
        "exposed": 0.0,
        "unpack": 1 / (2 + again),
        "launch": 1 / 3,
        "weights cast": 1 / ((2 if job.method == "full" else 1) + again),
        "update": 0.0,
    }
    whole = sum(parts.values())
    forward = sum(part * passes.get(name, plain) for name, part in parts.items())
    return forward / whole, (whole - parts["update"] - forward) / whole, parts["update"] / whole


def _case(job: Job, rates: Rates) -> Cases:
    """The job as a case of `predict`, with achievable rates instead of peaks."""
    model = job.model
    traits = traits_of(model)
    peak = rates.peak if rates.peak > 0 else rates.products
    sharded = job.strategy == "fsdp"
    return Cases.single(
        FIT,
        ids=model.id,
        model=model.title,
        model_id=model.id,
        accelerator=job.accelerator,
        gpus=job.gpus,
        memory=rates.memory,
        bandwidth=rates.bandwidth,
        link=rates.link,
        domain=rates.domain,
        **dict.fromkeys(("peak", "sixteen"), peak),
        measured=rates.products,
        parameters=model.parameters,
        active=model.active_parameters,
        **{name: getattr(model, name) for name in (*SIZES, "gated", "tied")},
        **{name: getattr(traits, name, 0) for name in (*ATTENTION, "expert_ffn", "dense_layers")},
        experts=traits.routed,
        experts_active=traits.active,
        experts_shared=traits.shared,
        **dict.fromkeys(("known", "fused"), True),
        sequence=job.length,
        global_batch=job.sequences,
        micro_batch=job.batch,
        **dict.fromkeys(("tensor", "pipeline", "context", "expert", "virtual"), 1),
        data=job.gpus,
        zero=3 if sharded else 0,
        checkpointing="full" if job.checkpointing else "none",
        precision=job.precision if job.precision in ("fp32", "tf32") else "16-bit",
        weights={"nf4": "nf4-dq", "fp32": "fp32"}.get(job.weights, "16-bit"),
        pure=job.weights != "fp32",
        method=job.method.lower(),
        framework="" if job.compiled else "hf",
        flash="no" if job.attention == "eager" else "yes",
        flat=sharded,
        optimizer="adam",
        rank=job.rank,
    )
