"""Reads and writes a law of own runs as data/fits/own-<name>.yaml."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, Refused, at
from scalesheet.foreign import File
from scalesheet.model import Fit
from scalesheet.predict.cases.catalogue import Known, known
from scalesheet.predict.fitting import folded, rounded
from scalesheet.predict.law.answer import Answer, answer
from scalesheet.predict.law.runs import CODE, Runs, read_runs

OWN = "own-"  # prefix for a law of own runs
METHOD = (
    "The joint power law, Chinchilla's form and Kaplan's form, each fitted to your own runs by "
    "least squares, with published laws as the prior; outliers weigh less. The coefficients are "
    "those of the form with the largest weight. The interval covers 80 % of the draws from all "
    "forms, in proportion to their weights."
)
NOTES = {
    "size": "loss due to size alone at 1e9 parameters without embeddings, nat",
    "data": "loss due to data alone at 20e9 tokens, nat",
    "alpha": "exponent of size",
    "beta": "exponent of data",
    "joint": "joint exponent of size and data",
    "floor": "loss that neither size nor data reduces, nat",
    "low": "low end of the 80 % interval of the planned run, relative to the law, nat",
    "high": "high end of that interval",
    "near_low": "low end of the 80 % interval of your largest run, relative to the law, nat",
    "near_high": "high end of that interval",
    "near_flop": "logarithm of the FLOP of your largest run",
    "far_flop": "logarithm of the FLOP of the planned run",
    "bare": "share of the planned run's parameters outside the embeddings",
}


def digest(runs: Runs) -> str:
    """Twelve letters that change with any run, but not with the order of runs."""
    rows = zip(runs.parameters.tolist(), runs.tokens.tolist(), runs.loss.tolist(), strict=True)
    text = "\n".join(",".join(f"{number:.12g}" for number in row) for row in sorted(rows))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def coefficients(made: Answer) -> dict[str, float]:
    """What a plan reads: the coefficients of `joint-power-loss`, and its interval by compute."""
    near, far = made.largest, made.target
    return {
        **made.law.coefficients,
        "low": far.loss.low - far.loss.value,
        "high": far.loss.high - far.loss.value,
        "near_low": near.loss.low - near.loss.value,
        "near_high": near.loss.high - near.loss.value,
        "near_flop": float(np.log(near.compute)),
        "far_flop": float(np.log(far.compute)),
        "bare": made.bare,
    }


def written(book: Book, name: str, content: str, made: Answer) -> str:
    """The text of a law's file. `content`: the runs, as CSV."""
    lines = [
        "# Written by `scalesheet law`.",
        f"title: Law fitted to the runs {name}",
        "method: >-",
        *folded(METHOD),
        "fitted:",
        f"  date: {book.edition.isoformat()}",
        f"  rows: {len(made.runs)}",
        "  families: 1",
        f"  digest: '{digest(made.runs)}'",
        "planned:",
        f"  parameters: {rounded(made.target.parameters)}",
        f"  tokens: {rounded(made.target.tokens)}",
        "runs: |",
        *(f"  {line.strip()}" for line in content.splitlines() if line.strip()),
        "coefficients:",
        *(f"  {key}: {rounded(value)}" for key, value in coefficients(made).items()),
        "notes:",
        *(f'  {key}: "{note}"' for key, note in NOTES.items()),
    ]
    return "\n".join(lines) + "\n"


def again(book: Book, fit: Fit, catalogue: Known) -> Answer:
    """Learn the law of a file again from its runs. Raises Refused if that fails."""
    runs = read_runs(_file(fit), book, catalogue)
    return answer(book, catalogue, runs, fit.planned)


def problems(book: Book) -> Iterator[Diagnostic]:
    """Report laws whose runs cannot be read, or differ from those that the law was learned from."""
    own = [fit for fit in book.fits.values() if fit.runs]
    catalogue = known(book) if own else None
    for fit in own:
        assert catalogue is not None
        assert fit.position is not None
        try:
            runs = read_runs(_file(fit), book, catalogue)
        except Refused as error:
            for each in error.diagnostics:
                yield at(fit.position, each.code, f"line {each.line} of runs: {each.message}")
            continue
        if digest(runs) != fit.digest:
            said = f"'{fit.id}' was fitted to other runs than those in it; run 'scalesheet law'"
            yield at(fit.position, "P002", said)


def _file(fit: Fit) -> File:
    """The runs of a law as a file of their own."""
    return File(fit.position.path if fit.position else fit.id, fit.runs.encode(), CODE)
