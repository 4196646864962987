"""GPU hours and throughput: the physics of a step, and a few fitted numbers.

The time per token is a sum of parts (`steps.py`), each with a coefficient fitted to published runs
(`pooling.py`), and an overhead. docs/reference/predictions.md explains the method in full.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import (
    Array,
    Flags,
    Reasons,
    Words,
    among,
    because,
    coded,
    each,
    first_reason,
    no_reasons,
)
from scalesheet.predict.cases import Cases, needs
from scalesheet.predict.cases.free_text import other_work
from scalesheet.predict.fits import Coefficients, apart, pooling
from scalesheet.predict.fits.holdout import end
from scalesheet.predict.fits.pooling import Design, Expected
from scalesheet.predict.records import assumed, rows_of
from scalesheet.predict.table import Predictions, none_of
from scalesheet.predict.time import steps
from scalesheet.predict.time.steps import Layout, Work

#: Other adapters that cost the same as LoRA: two passes, and little besides.
LIKE_LORA = frozenset(
    ("", "dora", "ia3", "ln_tuning", "adapter", "vera", "trainable_tokens", "8bit")
)
TAIL = 0.1  # share of held-out errors beyond each end of a range

#: The coefficients; the catalogue's table of priors has what physics expects of each.
OF_STEPS = (
    *("products", "products_fp8", "attention", "traffic", "again", "cast", "exposed", "tensor"),
    *("unpack", "launch", "experts", "dispatch", "routing", "stock", "scale"),
)
OF_RUNS = ("products", "products_fp8", "attention", "traffic", "step", "gross", "scale", "experts")
#: The quantity of a row whose hours are those of the steps alone.
NET = "steps"
#: The coefficient of accelerators without rows in the fit.
NEW = "new_chip"

OLD_FIT = "the fit belongs to other formulas: run 'scalesheet fit' to renew it"
METHOD = "step time added up from its parts, with fitted coefficients"
RUN_METHOD = "time of a token by its parts and a fitted overhead of whole runs"


# ------------------------------------------------------------------ what cannot be predicted


def unsupported_throughput(cases: Cases) -> Reasons:
    """Why a row cannot be predicted, if it cannot."""
    other = ~among(cases.variant, *LIKE_LORA) & among(cases.method, "lora", "qlora", "adapter")
    return first_reason(
        cases.no_peak,
        needs("accelerator", cases.peak),
        needs("parameters", cases.active),
        because(
            np.isnan(cases.bandwidth) & ~np.isnan(cases.peak),
            "the catalogue has no memory bandwidth for it",
        ),
        because(
            among(cases.kind, "time-to-quality"),
            "time to a target quality: the number of tokens is not known",
        ),
        because(among(cases.method, "inference"), "inference, not training"),
        each(cases.kind, other_work),
        because(other, "a tuning method whose cost per token is not known"),
    )


def unsupported_runs(cases: Cases) -> Reasons:
    """The same for whole runs, which also need their number of tokens."""
    return first_reason(unsupported_throughput(cases), needs("tokens", cases.tokens))


# ------------------------------------------------------------------ prediction


def predict_runs(book: Book, cases: Cases, fitted: Coefficients) -> Predictions:
    """Predict GPU hours of whole runs."""
    if not fitted.keys() >= {*OF_RUNS, NEW}:
        return none_of(len(cases), OLD_FIT)
    layout = Work(cases, book)
    parts = {**steps.computing(layout, fitted), **steps.of_run(book, layout, fitted)}
    overhead = rows_of(
        book,
        "run-overhead",
        gpus=layout.usual_gpus,
        parameters=cases.parameters,
        active=cases.active,
        gross=fitted["gross"] * whole_hours(cases),
        scale=fitted["scale"],
        experts=fitted["experts"],
    )
    time = _time(book, parts, overhead)
    hours = rows_of(book, "gpu-hours-from-token-time", tokens=cases.tokens, token_time=time)
    spread = _spread(parts, _run_factors(layout), fitted)
    gaps = run_gaps(cases)
    new = np.where(apart.rows_on(cases, fitted) == 0, fitted[NEW], 0.0)
    wide = np.hypot(np.hypot(spread, _open(book, "runs", gaps)), new)
    return _around(hours, wide, fitted, _told(RUN_METHOD, gaps))


def predict_throughput(book: Book, cases: Cases, fitted: Coefficients) -> Predictions:
    """Predict tokens per second and accelerator of stated configurations."""
    if not fitted.keys() >= {*OF_STEPS, NEW}:
        return none_of(len(cases), OLD_FIT)
    time, spread = token_times(book, cases, fitted)
    speed = rows_of(book, "throughput-per-gpu", token_time=time)
    gaps = step_gaps(cases)
    wide = np.hypot(spread, _open(book, "throughput", gaps))
    return _around(speed, wide, fitted, _told(METHOD, gaps))


def token_times(book: Book, cases: Cases, fitted: Coefficients) -> tuple[Array, Array]:
    """GPU second / token of stated configurations, and the standard deviation of its logarithm."""
    work = Work(cases, book)
    fits = {"throughput": fitted}
    given = {"recomputed": work.recomputed, "gpu.throughput_rows": apart.rows_on(cases, fitted)}
    made = work.figures(["token_time", "spread"], fits, **given)
    return steps.SECOND * made["token_time"], made["spread"]


def _time(book: Book, parts: steps.Parts, overhead: Array) -> Array:
    """GPU second / token of a whole run."""
    return rows_of(
        book,
        "token-time",
        products=parts["products"] + parts["products_fp8"],
        attention=parts["attention"],
        traffic=parts["traffic"],
        launches=parts["step"],
        overhead=overhead,
    )


def _around(made: Array, wide: Array, fitted: Coefficients, method: Words) -> Predictions:
    """Build predictions whose range is `low` and `high` of the fit in standard deviations."""
    low, high = made * np.exp(fitted["low"] * wide), made * np.exp(fitted["high"] * wide)
    return Predictions(made, low, high, method, no_reasons(len(made)))


def _spread(parts: steps.Parts, factors: Mapping[str, Array], fitted: Coefficients) -> Array:
    """Standard deviation for an unseen family, from each part and factor by its share."""
    whole = sum(parts.values(), np.zeros(1))
    shares = {name: parts[name] / whole for name in OF_RUNS if name in parts}
    rises = {name: values * fitted[name] for name, values in factors.items()}
    varied = [
        (fitted[f"{name}_varies"] * share) ** 2 for name, share in {**shares, **rises}.items()
    ]
    return np.sqrt(sum(varied, np.zeros(1)) + fitted["within"] ** 2 + fitted["between"] ** 2)


def _stock(cases: Cases) -> Array:
    """1 for general-purpose trainers, which use unfused kernels."""
    return np.where(among(cases.framework, "hf"), 1.0, 0.0)


def whole_hours(cases: Cases) -> Array:
    """1 if the hours of a run include restarts and evaluation, 0 if they are those of the steps."""
    return np.where(among(cases.quantity, NET), 0.0, 1.0)


def _doublings(gpus: Array) -> Array:
    return np.log2(np.maximum(gpus / 8, 1.0))


def _step_factors(layout: Layout) -> dict[str, Array]:
    return {"stock": _stock(layout.cases), "scale": _doublings(layout.gpus)}


def _run_factors(layout: Layout) -> dict[str, Array]:
    cases = layout.cases
    return {
        "gross": whole_hours(cases),
        "scale": _doublings(layout.usual_gpus),
        "experts": np.log(cases.parameters / cases.active),
    }


def step_gaps(cases: Cases) -> dict[str, Flags]:
    """Properties that matter, and whether each row leaves them open."""
    return {
        "architecture": ~cases.known,
        "sequence": np.isnan(cases.sequence),
        "micro-batch": np.isnan(cases.micro_batch),
        "sharding": np.isnan(cases.zero) & (cases.data > 1),
        "recomputation": among(cases.checkpointing, ""),
    }


def run_gaps(cases: Cases) -> dict[str, Flags]:
    return {
        "architecture": ~cases.known,
        "sequence": np.isnan(cases.sequence),
        "accelerators": np.isnan(cases.gpus),
    }


def _open(book: Book, task: str, gaps: Mapping[str, Flags]) -> Array:
    """Standard deviation of the logarithm due to what a row leaves open."""
    usual = assumed(book)
    each = [usual[f"{task}-open-{name}"] ** 2 * flags for name, flags in gaps.items()]
    open_: Array = np.sqrt(np.sum(each, axis=0))
    return open_


def _told(method: str, gaps: Mapping[str, Flags]) -> Words:
    """The method, and what was assumed typical."""
    code = sum((flags * 2**bit for bit, flags in enumerate(gaps.values())), np.zeros(1, dtype=int))

    def text(bits: int) -> str:
        open_ = [name for bit, name in enumerate(gaps) if bits >> bit & 1]
        return f"{method}; as is usual: {', '.join(open_)}" if open_ else method

    return coded(code).each(text).column()


# ------------------------------------------------------------------ fit


@dataclass(frozen=True)
class Times:
    """What the fit sees of each published time."""

    expected: Expected
    mixture: float  # standard deviation that a mixture of experts adds
    rising: bool  # whether the prediction rises with the time
    parts: Array  # GPU second / token, for the coefficients that scale a part
    fixed: Array
    factors: Array  # for the other coefficients
    time: Array  # logarithm of GPU second / token
    open: Array  # standard deviation of the logarithm due to what the row leaves open
    noise: Array  # standard deviation that each row adds to its family's
    regimes: Array
    chips: Words
    family: Words

    def only(self, rows: Flags) -> Times:
        return replace(
            self,
            parts=self.parts[rows],
            fixed=self.fixed[rows],
            factors=self.factors[rows],
            time=self.time[rows],
            open=self.open[rows],
            noise=self.noise[rows],
            regimes=self.regimes[rows],
            chips=self.chips[rows],
            family=self.family[rows],
        )

    def fit(self) -> Coefficients:
        """Fit the coefficients of parts and factors, and the ends of the ranges."""
        usual = self.expected
        design = Design(self.parts, self.fixed, self.factors, usual.priors)
        own = np.hypot(usual.within, self.noise)
        result = pooling.fit(
            design, self.time, self.family, within=own, between=usual.between, kinds=self.chips
        )
        fitted = dict(zip(usual.priors, np.exp(result.logs).tolist(), strict=True))
        spread = np.hypot(design.spread(result.logs, usual.within, usual.between), self.noise)
        wide = np.hypot(spread, self.open)
        task = "runs" if self.rising else "throughput"
        added = apart.fitted(task, usual, result.left_out, wide, self.regimes, self.family)
        wide = apart.wider(task, wide, self.regimes, added)
        sign = 1 if self.rising else -1
        unseen = apart.alone(self.chips, self.family)
        off = sign * result.left_out / np.hypot(wide, np.where(unseen, usual.adds, 0.0))
        low, high = (end(off, self.family, share, usual.normal) for share in (TAIL, 1 - TAIL))
        ends = {"low": min(low, 0.0), "high": max(high, 0.0)}
        chips = apart.of_new_chips(usual, (low, high), sign * result.without, wide, self.chips)
        mixture = {} if self.rising else {"mixture": self.mixture}
        return {**fitted, **ends, **usual.made_of(), **mixture, **added, **chips}


def times_of_runs(book: Book, cases: Cases, truth: Array, family: Words) -> Times:
    """Published hours of whole runs, as the fit sees them."""
    layout = Work(cases, book)
    ones = _ones(OF_RUNS)
    parts = {**steps.computing(layout, ones), **steps.of_run(book, layout, ones)}
    time = np.log(truth * 3600 / cases.tokens)
    return Times(
        pooling.expected(book, "runs", OF_RUNS),
        0.0,
        True,
        _columns(OF_RUNS, parts),
        np.zeros(len(cases)),
        _columns(OF_RUNS, _run_factors(layout)),
        time,
        _open(book, "runs", run_gaps(cases)),
        np.zeros(len(cases)),
        apart.regimes_of(cases),
        apart.chips(cases),
        family,
    )


def times_of_steps(book: Book, cases: Cases, truth: Array, family: Words) -> Times:
    """Measured throughput of stated configurations, as the fit sees it."""
    work = Work(cases, book)
    parts = steps.stated(work, _ones(OF_STEPS))
    waits = work.figures(["bubble", "uneven"], {})
    mixture = assumed(book)["mixture-scatter"]
    time = -np.log(truth) - np.log1p(waits["bubble"]) - np.log(waits["uneven"])
    return Times(
        pooling.expected(book, "throughput", OF_STEPS),
        mixture,
        False,
        _columns(OF_STEPS, parts),
        parts["update"],
        _columns(OF_STEPS, _step_factors(work)),
        time,
        _open(book, "throughput", step_gaps(cases)),
        np.where(cases.experts > 0, mixture, 0.0),
        apart.regimes_of(cases),
        apart.chips(cases),
        family,
    )


def _ones(names: Sequence[str]) -> dict[str, float]:
    return dict.fromkeys(names, 1.0)


def _columns(names: Sequence[str], arrays: Mapping[str, Array]) -> Array:
    return np.column_stack([arrays[name] for name in names if name in arrays])
