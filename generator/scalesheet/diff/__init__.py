"""diff: shows what a change of the data does to the numbers, computed from the books of both sides.

`compare` does everything, top to bottom. It knows nothing about YAML; `tell.py` and `data.py`
report what it finds.
"""

from __future__ import annotations

from collections.abc import Sequence

from scalesheet.diff.breached import breached
from scalesheet.diff.causes import explained
from scalesheet.diff.changes import Diff, InputChanged, ResultMoved
from scalesheet.diff.counted import recounted
from scalesheet.diff.forecasts import forecasts
from scalesheet.diff.formulas import formula_changes
from scalesheet.diff.inputs import input_changes
from scalesheet.diff.likelihoods import likelihoods
from scalesheet.diff.matching import match
from scalesheet.diff.results import moved_results
from scalesheet.diff.statements import statement_changes
from scalesheet.diff.verdicts import score_changes, verdict_changes
from scalesheet.diff.version import released
from scalesheet.edition import Edition

__all__ = ["THRESHOLD", "Diff", "compare"]

#: A result counts as moved if it differs by more than this share of its old value.
THRESHOLD = 0.001


def compare(
    base: Edition, head: Edition, threshold: float = THRESHOLD, *, drawn: bool = True
) -> Diff:
    """Find everything that differs between two editions.

    `threshold`: a number has moved if it, or an end of its range, differs by more than this share
    of its old value. `drawn`: also compare likelihoods of plans, which takes longest.
    """
    # Match things first: something that only changed its id is still the same thing.
    names = match(base.book, head.book)

    # What people wrote: values, their basis, formulas.
    inputs = input_changes(base.book, head.book, names)
    statements = statement_changes(base.book, head.book, names, inputs)
    formulas = formula_changes(base.book, head.book, names)

    # The consequences, and which change caused each.
    after = moved_results(base, head, names, threshold)
    moved = explained(base, head, names, inputs, formulas, after)
    told = tuple(each for each in moved if not recounted(head.book, names.entries, each))
    touched = _touched(inputs, moved) if drawn else frozenset()

    return Diff(
        threshold=threshold,
        entries=names.entries,
        inputs=inputs,
        statements=statements,
        formulas=formulas,
        moved=told,
        recounted=len(moved) - len(told),
        compared=after.compared,
        verdicts=verdict_changes(base.audits, head.audits),
        scores=score_changes(base.scores, head.scores, threshold),
        breaches=tuple(breached(base, head, names)),
        forecasts=tuple(forecasts(base, head, names)),
        likelihoods=tuple(likelihoods(base, head, names, touched)),
        versions=tuple(released(base.book, head.book, names)),
    )


def _touched(inputs: Sequence[InputChanged], moved: Sequence[ResultMoved]) -> frozenset[str]:
    """The plans with a changed input or a moved result; other quantiles stay the same."""
    of_results = {each.place.plan for each in moved}
    return frozenset({each.place.plan for each in inputs} | of_results)
