"""How much published results themselves differ, which no prediction from a description can beat.

Compares pairs of scored rows from two publications that describe the same configuration: model,
accelerator, precision, method and sequence; and, of those, the pairs with the same number of
accelerators and degrees of parallelism. Then it predicts each row again, corrected by what the
other rows of its family say.

    python -m benchmarks.floor
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from benchmarks.measure import ROOT
from scalesheet.examine import compile_book
from scalesheet.predict.arrays import Array
from scalesheet.predict.cases.catalogue import known
from scalesheet.predict.score import TaskScore, score_of

SAME = ("accelerator", "precision", "method", "sequence")
LAYOUT = ("gpus", "tensor", "pipeline", "context", "expert")


def main() -> None:
    book = compile_book(ROOT / "data")
    print("| results that differ | pairs | median | nine of ten |\n|---|---|---|---|")
    for task in ("throughput", "memory", "runs"):
        score = score_of(book, task, known(book))
        assert score is not None
        _tell(f"{task}, same configuration", _apart(score, SAME))
        _tell(f"{task}, same layout, too", _apart(score, (*SAME, *LAYOUT)))
        _tell(f"{task}, predicted", _off(score))
        _tell(f"{task}, predicted, other rows of the family known", _corrected(score))


def _apart(score: TaskScore, same: tuple[str, ...]) -> Array:
    """Logarithms of the ratios of the results of each pair."""
    cases, data = score.published.cases, score.published
    alike: dict[tuple[str, ...], list[int]] = {}
    for at in np.flatnonzero(score.counted).tolist():
        model = cases.model_id[at] or f"{cases.parameters[at]:.2g}"
        alike.setdefault((model, *(str(getattr(cases, n)[at]) for n in same)), []).append(at)
    pairs = [pair for rows in alike.values() for pair in combinations(rows, 2)]
    two = [(a, b) for a, b in pairs if data.of[a].id != data.of[b].id]
    return np.array([np.log(data.truth[a] / data.truth[b]) for a, b in two])


def _off(score: TaskScore) -> Array:
    off: Array = np.log(score.left_out.predicted / score.published.truth)[score.counted]
    return off


def _corrected(score: TaskScore) -> Array:
    """The errors of rows after subtracting the mean error of the other rows of their family."""
    off, family = _off(score), score.published.family[score.counted]
    rest = [
        off[at] - np.mean(np.delete(off[own], np.flatnonzero(np.flatnonzero(own) == at)))
        for at, own in ((at, family == name) for at, name in enumerate(family.tolist()))
        if own.sum() > 1
    ]
    return np.array(rest)


def _tell(what: str, off: Array) -> None:
    median, most = np.exp(np.quantile(np.abs(off), [0.5, 0.9])) if len(off) else (np.nan, np.nan)
    print(f"| {what} | {len(off)} | {median:.3f} | {most:.3f} |", flush=True)


if __name__ == "__main__":
    main()
