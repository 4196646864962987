"""Writes fits to the published rows as data/fits/<task>.yaml.

A file is identical to the digit wherever it is written: coefficients are rounded, and nothing
depends on the date or the computer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import Flags
from scalesheet.predict.fits import ROWS_ON, Coefficients, digest
from scalesheet.predict.fits.apart import LARGE, LONG, REGIMES
from scalesheet.predict.score.truth import Published

DIGITS = 5  # significant digits of a coefficient

_INTERVAL = {
    "low": "low end of the 80 % interval, in log standard deviations of a row",
    "high": "high end of the 80 % interval, in log standard deviations of a row",
    "within": "log standard deviation within a family, assumed",
    "between": "log standard deviation among families beyond that of the coefficients, assumed",
}
_NEW_CHIP = (
    "added log standard deviation on an accelerator without rows; fitted by leaving out each "
    "accelerator with all its rows"
)
_ADDS = "added log standard deviation {}, assumed: few families"
_APART = {
    "in_fp8": _ADDS.format("in FP8"),
    "in_long": _ADDS.format(f"for sequences of more than {LONG:,} tokens"),
    "in_large": _ADDS.format(f"on more than {LARGE} accelerators"),
    "in_tuning": _ADDS.format("in fine-tuning"),
}
_VARIES = "log standard deviation of '{}' among families, assumed"
_PARTS = {
    "products": "matrix product time / time at the best measured rate",
    "products_fp8": "FP8 matrix product time / time at the same share of the FP8 peak",
    "attention": "attention time / time at full rate",
    "traffic": "number of times that activations are read or written",
    "scale": "log overhead per doubling of accelerators beyond 8",
}


@dataclass(frozen=True)
class Description:
    """What a file says about a fit besides its figures; `x_*` stands for all names with `x_`."""

    method: str
    notes: Mapping[str, str] = field(default_factory=dict)

    def of(self, name: str) -> str | None:
        begins = (note for key, note in self.notes.items() if _begins(name, key))
        return self.notes.get(name) or next(begins, None)


def _begins(name: str, key: str) -> bool:
    return key.endswith("*") and name.startswith(key[:-1])


_POOLED = (
    "Least squares on the logarithm of the time per token of published rows. Each coefficient has "
    "a prior from physics and varies among families, so that a publication with many rows counts "
    "little more than one with few. The interval covers 80 % of the errors of left-out families, "
    "each family counted once, and is shrunk toward that of a normal distribution."
)


def _pooled(method: str, coefficients: Mapping[str, str], **ends: str) -> Description:
    """Describe a fit by partial pooling, with the same text for the spread of each coefficient."""
    varies = {f"{name}_varies": _VARIES.format(name) for name in coefficients}
    return Description(method, {**coefficients, **_INTERVAL, **ends, **varies})


DESCRIPTIONS: Mapping[str, Description] = {
    "runs": _pooled(
        _POOLED,
        {
            **_PARTS,
            "step": "exposed time per step of a whole run, ms per layer",
            "gross": "log overhead of restarts, evaluation and the like",
            "experts": "overhead of routing: exponent of total / active parameters",
        },
        new_chip=_NEW_CHIP,
    ),
    "throughput": _pooled(
        _POOLED,
        {
            **_PARTS,
            "again": "time of recomputed matrix products / time at the best measured rate",
            "cast": "additional times that activations are read or written for FP8",
            "exposed": "share of data-parallel transfers not hidden by computation",
            "tensor": "share of tensor-parallel transfers not hidden by computation",
            "unpack": "number of times that unpacked 4-bit weights are read or written",
            "launch": "exposed kernel launches, ms per layer and micro-batch",
            "experts": "expert matrix product time / time at the best measured rate",
            "dispatch": "share of transfers of tokens to experts not hidden by computation",
            "routing": "exposed launches and waits of routing, ms per layer and micro-batch",
            "stock": "log overhead of a general-purpose trainer",
        },
        **_APART,
        new_chip=_NEW_CHIP,
        mixture="added log standard deviation for a mixture of experts, assumed",
    ),
    "asked": Description(
        "Published runs, described only by model, method, data, accelerator and count; the search "
        "chooses the layout, as on the front page. The interval covers 80 % of the runs of an "
        "unseen family, each family counted once.",
        {
            "slower": "log of published hours / hours of the fastest layout, median of families",
            **{end: _INTERVAL[end] for end in ("low", "high")},
        },
    ),
    "memory": _pooled(
        "Least squares on the logarithm of the peak memory of published rows. Weights, states and "
        "buffers are counted, not fitted; each coefficient has a prior from counting tensors and "
        "varies among families. Rows that leave more unstated weigh less. The interval is in "
        "standard deviations of a row, found on left-out families, each counted once, and shrunk "
        "toward that of a normal distribution.",
        {
            "unfused": "activations kept / activations kept with fused kernels",
            "working": "memory of the current layer / activations it would keep",
            "logits": "bytes per logit, with copies and gradient",
            "framework": "driver, libraries and fragmentation, GB",
        },
        **{name: _APART[name] for name in REGIMES["memory"]},
        most="upper limit for the verdict 'fits', in log standard deviations of a row",
    ),
    "loss": Description(
        "Least squares on published losses: one shape for all rows and an offset per evaluation "
        "set. The shape's coefficients have priors from published laws; the weight of a family "
        "grows with the square root of its number of rows. The interval covers 80 % of the errors "
        "of left-out families, each family counted once, widened by the factor that it would have "
        "taken to cover families it had not seen.",
        {
            "size": "loss due to size alone at 1e9 parameters without embeddings, nat",
            "data": "loss due to data alone at 20e9 tokens, nat",
            "alpha": "exponent of size",
            "beta": "exponent of data",
            "joint": "joint exponent of size and data",
            "offset_of_*": "offset of an evaluation set, nat: the median of its rows",
            "offset_in_*": "offset of evaluation sets of this text, nat, at a vocabulary of 50k",
            "offset_elsewhere": "offset of any other evaluation set, nat, at a vocabulary of 50k",
            "set_low": "low end of the 80 % interval where the evaluation set is known, nat",
            "set_high": "high end of that interval",
            "new_low": "low end of the 80 % interval where the evaluation set is not known, nat",
            "new_high": "high end of that interval",
            "far": "growth of both ends per e-fold of size or data outside the fitted range, nat",
        },
    ),
}


#: Coefficients, the published rows, and which of them the coefficients use.
Fit = tuple[Coefficients, Published, Flags]


def written(book: Book, name: str, title: str, fit: Fit) -> str | None:
    """The text of a fit's file, or None if there are not two families to fit."""
    result, data, rows = fit
    if not result:
        return None
    families = len(set(data.family[rows].tolist()))
    description = DESCRIPTIONS[name]
    lines = [
        "# Written by `scalesheet fit`.",
        f"title: {title}",
        "method: >-",
        *folded(description.method),
        "fitted:",
        f"  date: {book.edition.isoformat()}",
        f"  rows: {int(rows.sum())}",
        f"  families: {families}",
        f"  digest: '{digest(data.cases.only(rows), data.truth[rows])}'",
        *_accelerators(result),
        "coefficients:",
        *(f"  {name}: {rounded(x)}" for name, x in result.items() if not name.startswith(ROWS_ON)),
    ]
    notes = {name: note for name in result if (note := description.of(name))}
    if notes:
        lines += ["notes:", *(f'  {name}: "{note}"' for name, note in notes.items())]
    return "\n".join(lines) + "\n"


def _accelerators(result: Coefficients) -> list[str]:
    """The number of rows on each chip, if the fit counts them."""
    rows = [f"{n.removeprefix(ROWS_ON)}: {x:g}" for n, x in result.items() if n.startswith(ROWS_ON)]
    return [f"  accelerators: {{{', '.join(rows)}}}"] if rows else []


def rounded(value: float) -> str:
    """Round to digits that YAML reads as a number: no bare exponent, no -0."""
    short = float(f"{value:.{DIGITS}g}") + 0.0
    return f"{short:.12f}".rstrip("0").rstrip(".") if abs(short) < 1e-4 else repr(short)


def folded(text: str) -> list[str]:
    from textwrap import wrap

    return [f"  {line}" for line in wrap(text, 96)]
