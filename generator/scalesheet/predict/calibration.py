"""Corrects predictions with a site's own records.

Each record that was timed here is compared with what the published fit predicts for it. The ratios
are treated like those of finished runs of a plan (`actuals/learning.py`): a program stands for the
records of one accelerator, a phase for those of one model family with one software. A factor
applies only to the accelerator, family and software that its records are from.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from scalesheet.actuals.learning import P90, learn
from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import Array, Flags, Words, joined
from scalesheet.predict.cases import Cases
from scalesheet.predict.cases.catalogue import Known, known
from scalesheet.predict.finished import finished
from scalesheet.predict.score.own import Own, owned
from scalesheet.predict.table import Predictions, supported
from scalesheet.vocabulary import counted

#: Accelerator, model family, software.
Site = tuple[str, str, str]
#: The task whose own records correct each task: hours follow from the step time. The factor for
#: throughput and hours is a factor of time.
RECORDS_OF = {"runs": "throughput", "throughput": "throughput", "memory": "memory"}
PLAIN = "unnamed software"


@dataclass(frozen=True, slots=True)
class Factor:
    """Measured over predicted time or memory: the expected value, the 80 % interval of the site's
    common factor, and the 80 % interval of a single run.
    """

    value: float
    low: float
    high: float
    run_low: float
    run_high: float
    records: int

    def said(self, site: Site) -> str:
        some = counted(self.records, "own record")
        told = f"x {self.value:.3g} [{self.low:.3g}-{self.high:.3g}] from {some}"
        return f"{told} of {site[1]} with {site[2] or PLAIN} on {site[0]}"


#: The factors of a task.
Calibration = Mapping[Site, Factor]


def _families(book: Book) -> Mapping[str, str]:
    """The family of each model in the catalogue."""
    models = book.tables.get("models")
    stated = models.columns["family"].stated if models else {}
    return {model: str(each.value) for model, each in stated.items()}


def sites(book: Book, cases: Cases) -> list[Site]:
    """The site of each case. The family is the catalogue's, or empty."""
    family = _families(book)
    named = (family.get(model, model) for model in cases.model_id.tolist())
    return list(zip(cases.accelerator.tolist(), named, cases.framework.tolist(), strict=True))


def factors(of: Sequence[Site], ratios: Sequence[float]) -> dict[Site, Factor]:
    """Learn factors from own records; `ratios` are measured over predicted values."""
    seen: dict[str, dict[str, list[float]]] = {}
    for (accelerator, *rest), ratio in zip(of, ratios, strict=True):
        seen.setdefault(accelerator, {}).setdefault("\n".join(rest), []).append(ratio)
    made: dict[Site, Factor] = {}
    for accelerator, phases in seen.items():
        learnt = learn(phases)
        for phase, own in phases.items():
            family, software = phase.split("\n")
            mean, variance = learnt.phase(phase)
            wide = P90 + (P90**3 + P90) / (4 * learnt.freedom)  # the tails of Student's t
            of_all, of_run = (wide * math.sqrt(v) for v in (variance, variance + learnt.of_runs))
            ends = (math.exp(mean + side * by) for by in (of_all, of_run) for side in (-1, 1))
            low, high, run_low, run_high = ends
            made[accelerator, family, software] = Factor(
                math.exp(mean), low, high, run_low, run_high, len(own)
            )
    return made


def calibration(
    book: Book, task: str, catalogue: Known | None = None, without: str = ""
) -> Calibration:
    """The factors of a task learned from the book's records, optionally leaving one out. Empty
    where the book says `calibrated: no`.
    """
    if task not in RECORDS_OF or not book.calibrated:
        return {}
    own = owned(book, RECORDS_OF[task], catalogue or known(book))
    return {} if own is None else _learnt(book, own, without)


def _learnt(book: Book, own: Own, without: str) -> Calibration:
    return factors(*_apart(_seen(book, own, without)))


def _seen(book: Book, own: Own, without: str = "") -> list[tuple[Site, float]]:
    """The site and the ratio of each record that counts."""
    rows, of = own.published.rows, sites(book, own.published.cases)
    return [
        (site, float(ratio))
        for row, site, ratio, counts in zip(rows, of, _ratios(own), own.counted, strict=True)
        if counts and site[1] and row.id != without
    ]


def _apart(pairs: Sequence[tuple[Site, float]]) -> tuple[list[Site], list[float]]:
    return [site for site, _ in pairs], [ratio for _, ratio in pairs]


def _ratios(own: Own) -> Array:
    """Measured over predicted values, of time or of memory."""
    ratio: Array = own.published.truth / own.made.predicted
    return 1 / ratio if own.published.cases.task == "throughput" else ratio


@dataclass(frozen=True)
class LeftOut:
    """The median error factor of predictions for own records, before and after correcting each with
    the other records alone. `records` counts the records that have others like them.
    """

    before: float
    after: float
    records: int


def left_out(book: Book, task: str, catalogue: Known | None = None) -> LeftOut | None:
    """None if no record shares its accelerator, family and software with another."""
    own = owned(book, RECORDS_OF.get(task, ""), catalogue or known(book))
    if own is None:
        return None
    of, ratios = sites(book, own.published.cases), _ratios(own)
    logs: list[tuple[float, float]] = []
    for place in np.flatnonzero(own.counted).tolist():
        others = _learnt(book, own, own.published.rows[place].id)
        if of[place] in others:
            log = math.log(ratios[place])
            logs.append((abs(log), abs(log - math.log(others[of[place]].value))))
    if not logs:
        return None
    before, after = (math.exp(float(np.median(column))) for column in zip(*logs, strict=True))
    return LeftOut(before, after, len(logs))


def calibrated(book: Book, task: str, cases: Cases, made: Predictions) -> Predictions:
    """Correct predictions for sites with own records; their interval becomes that of a single run.
    Returns the same object where no site has records.
    """
    by = calibration(book, task)
    of = sites(book, cases)
    hit: Flags = supported(made) & np.array([site in by for site in of], dtype=bool)
    if not hit.any():
        return made
    found = [by[site] if here else None for site, here in zip(of, hit, strict=True)]

    def times(name: str) -> Array:
        values = np.array([getattr(each, name) if each else 1.0 for each in found])
        return 1 / values if cases.task == "throughput" else values

    ends = np.sort(np.stack([times("run_low"), times("run_high")]), axis=0)
    told: Words = np.array(
        [each.said(site) if each else "" for site, each in zip(of, found, strict=True)],
        dtype=object,
    )
    return replace(
        made,
        predicted=made.predicted * times("value"),
        low=np.where(hit, made.predicted * ends[0], made.low),
        high=np.where(hit, made.predicted * ends[1], made.high),
        method=joined(made.method, told),
    )


# ------------------------------------------------------------------ as a table of the catalogue

_HEAD = """\
# Written by 'scalesheet fit --own' from measured records and actuals; write it anew with new ones.
title: Own records
summary: >-
  How many times the prediction own runs take, by accelerator, family of models and software: what
  corrects predictions in plans. The ends are those of the 80 % interval of what such runs have in
  common.
source: {key: own-measurement}
columns:
  accelerator: {ref: hardware, title: Accelerator}
  family: {text: yes, title: Family of models}
  software: {words: [general, tuned], title: Software}
  time:
    unit: 1
    domain: positive
    kind: measured
    title: Time over predicted
    show: {digits: 3}
  memory:
    unit: 1
    domain: positive
    kind: measured
    title: Memory over predicted
    show: {digits: 3}
rows:
"""
#: The columns of the table and the task that each belongs to.
_TABLED = {"time": "throughput", "memory": "memory"}
#: The component's name for the software of a record.
_TRAINERS = {"hf": "general"}


def table_text(book: Book, catalogue: Known) -> str | None:
    """The text of the table that corrects plans, or None where there is nothing to learn from.
    Finished runs of the book's plans also count for time. Software has the component's names.
    """
    found: dict[Site, dict[str, Factor]] = {}
    family = _families(book)
    for column, task in _TABLED.items():
        own = owned(book, task, catalogue)
        seen = [] if own is None else _seen(book, own)
        pairs = [((*site[:2], _TRAINERS.get(site[2], "tuned")), ratio) for site, ratio in seen]
        if column == "time":
            runs = finished(book)
            pairs += [((gpu, family.get(of, of), by), ratio) for (gpu, of, by), ratio in runs]
        for site, factor in factors(*_apart(pairs)).items():
            found.setdefault(site, {})[column] = factor
    if not found:
        return None
    return _HEAD + "".join(_row(site, found[site]) for site in sorted(found))


def _row(site: Site, by: Mapping[str, Factor]) -> str:
    accelerator, family, software = site
    slug = re.sub(r"[^a-z0-9]+", "-", f"{accelerator} {family} {software}".lower()).strip("-")
    cells = "".join(f"    {column}: {_cell(by.get(column))}\n" for column in _TABLED)
    title = json.dumps(f"{family}, {software}, {accelerator}", ensure_ascii=False)
    return (
        f"  {slug[:64].rstrip('-')}:\n    title: {title}\n    accelerator: {accelerator}\n"
        f"    family: {json.dumps(family, ensure_ascii=False)}\n    software: {software}\n{cells}"
    )


def _cell(factor: Factor | None) -> str:
    if factor is None:
        return "{reason: no own record of it}"
    ends = (f"{name}: {getattr(factor, name):.4g}" for name in ("value", "low", "high"))
    some = counted(factor.records, "own record")
    return "{" + ", ".join(ends) + f", note: from {some}" + "}"
