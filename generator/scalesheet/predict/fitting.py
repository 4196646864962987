"""Fits as files: what the published rows on file give, written as data/fits/<task>.yaml.

A file is the same to the digit wherever it is made: coefficients are rounded, and nothing in it is
of the day or the machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from scalesheet.book import Book
from scalesheet.predict.arrays import Flags
from scalesheet.predict.fits import Coefficients, digest
from scalesheet.predict.fits.apart import LARGE, LONG, REGIMES
from scalesheet.predict.score.truth import Published

DIGITS = 5  # significant ones of a coefficient

_INTERVAL = {
    "low": "low end of the 80 % interval, in standard deviations of the logarithm of a row",
    "high": "high end of the 80 % interval, in standard deviations of the logarithm of a row",
    "within": "standard deviation of the logarithm within a family, assumed",
    "between": "standard deviation among families beside that of coefficients, assumed",
}
_ADDS = "standard deviation that {} adds, of few families assumed"
_APART = {
    "in_fp8": _ADDS.format("FP8"),
    "in_long": _ADDS.format(f"a sequence of more than {LONG:,} tokens"),
    "in_large": _ADDS.format(f"a cluster of more than {LARGE} accelerators"),
    "in_tuning": _ADDS.format("fine-tuning"),
}
_VARIES = "standard deviation of the logarithm of '{}' among families, assumed"
_PARTS = {
    "products": "time of matrix products over that at the best measured rate",
    "products_fp8": "the same in FP8, over that at the same share of the FP8 peak",
    "attention": "time of attention over that at full rate",
    "traffic": "times that activations cross the memory",
    "scale": "logarithm of what each doubling of accelerators beyond 8 adds",
}


@dataclass(frozen=True)
class Description:
    """What a file says of a fit besides its figures; `x_*` stands for each name that begins so."""

    method: str
    notes: Mapping[str, str] = field(default_factory=dict)

    def of(self, name: str) -> str | None:
        begins = (note for key, note in self.notes.items() if _begins(name, key))
        return self.notes.get(name) or next(begins, None)


def _begins(name: str, key: str) -> bool:
    return key.endswith("*") and name.startswith(key[:-1])


_POOLED = (
    "Least squares of the logarithm of the time of a token, on published rows. Each coefficient "
    "has a prior about what physics gives and varies among families, so that a publication of many "
    "rows counts little more than another. The interval holds 80 % of the errors of families that "
    "were left out, each family counted once."
)


def _pooled(method: str, coefficients: Mapping[str, str], **ends: str) -> Description:
    """A fit by partial pooling: what its range is made of is said alike of each coefficient."""
    varies = {f"{name}_varies": _VARIES.format(name) for name in coefficients}
    return Description(method, {**coefficients, **_INTERVAL, **ends, **varies})


DESCRIPTIONS: Mapping[str, Description] = {
    "runs": _pooled(
        _POOLED,
        {
            **_PARTS,
            "step": "not hidden in a step of a whole run, ms per layer",
            "gross": "logarithm of what restarts, evaluation and the like add",
            "experts": "power of all over active parameters that routing adds",
        },
    ),
    "throughput": _pooled(
        _POOLED,
        {
            **_PARTS,
            "again": "time of recomputed products over that at the best measured rate",
            "cast": "times that activations cross the memory for FP8, on top",
            "exposed": "share of data-parallel transfers that products do not hide",
            "tensor": "share of tensor-parallel transfers that products do not hide",
            "unpack": "times that unpacked 4-bit weights cross the memory",
            "launch": "launches that are not hidden, ms per layer of a micro-batch",
            "experts": "time of products of experts over that at the best measured rate",
            "dispatch": "share of transfers of tokens to experts that products do not hide",
            "routing": "launches and waits of routing, not hidden, ms per layer of a micro-batch",
            "stock": "logarithm of what a trainer of general use adds",
        },
        **_APART,
        mixture="standard deviation that a mixture has beside those of its family, assumed",
    ),
    "asked": Description(
        "Published runs, asked for by model, method, data, accelerator and count alone: the search "
        "chooses the layout, as the front page does. The interval holds 80 % of the runs of a new "
        "family, each family counted once.",
        {end: _INTERVAL[end] for end in ("low", "high")},
    ),
    "memory": _pooled(
        "Least squares of the logarithm of peaks, on published rows. Weights, states and buffers "
        "are counted and not fitted; each coefficient has a prior about what a count of tensors "
        "gives and varies among families. Rows weigh less by what they leave open. Ends are in "
        "standard deviations of a row, found on families that were left out, each counted once, "
        "and drawn towards those of a normal distribution.",
        {
            "unfused": "what layers keep over what they would with fused kernels",
            "working": "memory of the layer at work over what it would keep",
            "logits": "bytes of each entry of the logits, with copies and gradient",
            "framework": "driver, libraries and fragments, GB",
        },
        **{name: _APART[name] for name in REGIMES["memory"]},
        most="upper limit for the verdict 'fits', in the same deviations",
    ),
    "loss": Description(
        "Least squares of published losses, one shape for all and an offset for each evaluation "
        "set. The coefficients of the shape have priors about what published laws say; a family "
        "counts with the root of its rows. The ends hold 80 % of the errors of families that were "
        "left out, each family counted once, scaled by what such ends would have had to be for a "
        "family that they had not seen.",
        {
            "size": "loss that size alone leaves at 1e9 parameters without embeddings, nat",
            "data": "loss that data alone leaves at 20e9 tokens, nat",
            "alpha": "exponent of size",
            "beta": "exponent of data",
            "joint": "exponent that joins size and data",
            "offset_of_*": "offset of an evaluation set, nat: the median of its rows",
            "offset_in_*": "offset of sets of this text, nat, for 50,000 entries",
            "offset_elsewhere": "offset of any other set, nat, for 50,000 entries",
            "set_low": "low end of the 80 % interval where the set is known, nat",
            "set_high": "high end of it",
            "new_low": "low end of the 80 % interval where the set is not known, nat",
            "new_high": "high end of it",
            "far": "growth of both ends for each e-fold of size and data outside, nat",
        },
    ),
}


#: Coefficients, the published rows, and those of them that the coefficients rest on.
Fit = tuple[Coefficients, Published, Flags]


def written(book: Book, name: str, title: str, fit: Fit) -> str | None:
    """The file of a fit, or None where there are no rows of two families to fit on."""
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
        "coefficients:",
        *(f"  {name}: {rounded(value)}" for name, value in result.items()),
    ]
    notes = {name: note for name in result if (note := description.of(name))}
    if notes:
        lines += ["notes:", *(f'  {name}: "{note}"' for name, note in notes.items())]
    return "\n".join(lines) + "\n"


def rounded(value: float) -> str:
    """Digits that YAML reads as a number: no bare exponent, no -0."""
    short = float(f"{value:.{DIGITS}g}") + 0.0
    return f"{short:.12f}".rstrip("0").rstrip(".") if abs(short) < 1e-4 else repr(short)


def folded(text: str) -> list[str]:
    from textwrap import wrap

    return [f"  {line}" for line in wrap(text, 96)]
