"""The search: the time and memory of each candidate, its cost at each offer, and which may be
chosen.

All figures come from the component `training-run`, as in the plan `calculator`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

import numpy as np

from scalesheet.book import Book
from scalesheet.choose.conditions import obstacles
from scalesheet.choose.grid import LAYOUT, Grid, axes_of, grid, stated
from scalesheet.choose.job import ASSUMED, Assumptions, Job
from scalesheet.choose.offers import Offers, offers_of
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import Array, Flags, Places, Words, words
from scalesheet.predict.cases.catalogue import Known
from scalesheet.predict.engine import Alike, figures, in_bytes, properties
from scalesheet.vocabulary import METHODS, OFFLOADS

#: Candidates may use this many times the allowed accelerators, to show what more of them would
#: give.
BEYOND = 2.0
#: The component's figures for a case that can run; the grid has checked the conditions already.
RUNS = {"broken": 0.0, "obstacle": "", "possible": True, "status": ""}
#: Quantities that must hold for a run to have hours.
PEAKS = ("peak_holds", "fp8_peak_holds")


@dataclass(frozen=True)
class Search:
    """Candidates, and the rows to choose from: each pair of a candidate (`at`) and an offer that
    sells it (`of`).

    `gross`, `wall` and `cost` are expected values; `late` are the hours including start-up that are
    compared with the deadline. `most` is the upper limit (99 %) of an accelerator's bytes, `usable`
    its usable bytes.
    """

    job: Job
    offers: Offers
    grid: Grid
    most: Array
    usable: Array
    gross: Array  # GPU * hour
    at: Places  # index of each row's candidate
    of: Places  # index of each row's offer
    wall: Array  # hour, by row
    late: Array  # hour, by row
    cost: Array  # USD, by row
    why_not: tuple[str, ...]  # why no candidate can run or be predicted, if none can

    @cached_property
    def fits(self) -> Flags:
        """By row: whether the upper limit of memory is within the usable memory."""
        fit: Flags = (self.most <= self.usable)[self.at]
        return fit

    @cached_property
    def in_time(self) -> Flags:
        early: Flags = self.late <= self.job.deadline
        return early

    @cached_property
    def few(self) -> Flags:
        """Whether it needs no more accelerators than allowed."""
        few: Flags = (self.grid.gpus <= self.job.most_gpus)[self.at]
        return few

    @cached_property
    def asked(self) -> Flags:
        """Whether it uses the requested precision."""
        asked: Flags = np.equal(self.grid.precision, self.job.precision)[self.at]
        return asked

    @cached_property
    def allowed(self) -> Flags:
        """Whether all limits are met."""
        return self.fits & self.in_time & self.few

    @cached_property
    def good(self) -> Flags:
        """Whether it may be chosen."""
        return self.allowed & self.asked

    def best_of_each(self, rows: Flags) -> list[int | None]:
        """The cheapest of some rows for each offer."""
        places = np.flatnonzero(rows)  # `of` ascends
        starts = np.searchsorted(self.of[places], np.arange(1, len(self.offers)))
        return [self.best(each) for each in np.split(places, starts)]

    def best(self, rows: Flags | Places, weight: Array | None = None) -> int | None:
        """The cheapest of some rows, with costs multiplied by a weight. Ties go to the fewest
        accelerators, then the fastest, then the plainest.
        """
        places = np.flatnonzero(rows) if rows.dtype == bool else rows
        if not len(places):
            return None
        cost = self.cost[places] if weight is None else (self.cost * weight)[places]
        # costs that differ only by rounding are equal
        equal = places[cost <= cost.min() * (1 + 1e-9)]
        gpus = self.grid.gpus[self.at[equal]]
        equal = equal[gpus == gpus.min()]
        late = self.late[equal]
        equal = equal[late <= late.min() * (1 + 1e-9)]
        made = self.grid
        at = self.at[equal]
        order = np.lexsort(
            (
                equal,
                -made.micro_batch[at],
                made.checkpointing[at] == "full",
                made.offload[at] != OFFLOADS[0],
                made.context[at],
                made.pipeline[at],
                made.experts[at],
                made.tensor[at],
                made.stage[at],
            )
        )
        return int(equal[order[0]])


@dataclass(frozen=True)
class Taken:
    """Time and memory of cases according to the component; nan if unknown."""

    hours: Array  # GPU * hour, for the whole run
    spread: Array  # standard deviation of their logarithm
    most: Array  # upper limit (99 %) of an accelerator's bytes
    usable: Array  # usable bytes of an accelerator


def taken(
    book: Book,
    catalogue: Known,
    accelerators: Words,
    given: Mapping[str, Any],
    assumed: Assumptions,
    kinds: Places | None = None,
) -> Taken:
    """Compute the time and memory of each case on its accelerator. `given` are the component's
    inputs, which are equal for all cases of the same kind in `kinds`.
    """
    rows = len(accelerators)
    gpu = properties(catalogue.results, "gpu", "hardware", accelerators)
    stated = {name: assumed.ends(name)[1] for name in ASSUMED}
    names = ("run_hours", "run_spread", "most_memory", "usable_memory", *PEAKS)
    alike = None
    if kinds is not None:
        _, firsts, places = np.unique(kinds, return_index=True, return_inverse=True)
        alike = Alike("gpu.", firsts, places)
    every = {**stated, **RUNS, **gpu, **given}
    made = figures(book, rows, every, names, assumed.fits, alike=alike)
    hours, spread, most, usable, *peaks = (made[name] for name in names)
    on_file = np.all([peak > 0 for peak in peaks], axis=0)
    sizes = most * in_bytes(book, "most_memory"), usable * in_bytes(book, "usable_memory")
    return Taken(np.where(on_file, hours, np.nan), spread, *sizes)


@np.errstate(all="ignore")  # values that are not finite are not predictions
def search(book: Book, catalogue: Known, job: Job, assumed: Assumptions) -> Search:
    """Compute every candidate of a job."""
    offers = offers_of(book, catalogue, job, BEYOND * job.most_gpus)
    peaks = catalogue.figures["dense_fp8"]
    eight_bit = {name for name, place in catalogue.places.items() if peaks[place] > 0}
    candidates = grid(book, job, offers, eight_bit)
    if not len(candidates):  # nothing is sold, or no layout can run
        numbers = sorted({float(count) for _, count in offers.sizes()})
        why = obstacles(book, stated(job), axes_of(job, numbers)) if numbers else ()
        none, rows = np.zeros(0), np.zeros(0, dtype=np.int64)
        return Search(job, offers, candidates, none, none, none, rows, rows, none, none, none, why)
    given = _given(catalogue, job, candidates)
    made = taken(book, catalogue, candidates.accelerator, given, assumed, candidates.kind)
    known = np.isfinite(made.hours) & np.isfinite(made.most)
    at, of = _joined(candidates, offers, known)
    row = {
        "run_hours": made.hours[at],
        "gpus": candidates.gpus[at],
        "method": given["method"][at],
        "parameters": given["model.parameters"],
        "run_spread": made.spread[at],
        "supply": "rented",
        "offer.gpus": offers.per_node[of],
        "offer.term": words(offers.terms)[of],
        "offer.node_price": offers.price[of],
        "energy": 0.0,  # included in the price of rented nodes
    }

    def figures_of(end: int, *names: str) -> list[Array]:
        assume = {name: assumed.ends(name)[end] for name in ASSUMED}
        return list(figures(book, len(at), {**assume, **RUNS, **row}, names, assumed.fits).values())

    hours, start, cost = figures_of(1, "interrupted_hours", "start_hours", "cost")
    wall = hours / row["gpus"]
    late = wall + start
    if job.certain:
        hours, start = figures_of(2, "interrupted_hours", "start_hours")
        late = hours * np.exp(assumed.asked["high"] * made.spread[at]) / row["gpus"] + start
    lacking = () if known.any() else _lacking(candidates)
    return Search(
        job,
        offers,
        candidates,
        made.most,
        made.usable,
        made.hours,
        at,
        of,
        wall,
        late,
        cost,
        lacking,
    )


def _lacking(candidates: Grid) -> tuple[str, ...]:
    """Why none of the candidates has a time."""
    names = sorted(set(candidates.accelerator.tolist()))
    return tuple(f"the catalogue has no peak or no bandwidth for {name}" for name in names)


def _given(catalogue: Known, job: Job, candidates: Grid) -> dict[str, Any]:
    """The component's inputs for each candidate, except its accelerator and the assumptions."""
    model = properties(catalogue.results, "model", "models", words([job.model]))
    return {
        **{name: value[0] for name, value in model.items()},
        "trained_tokens": job.tokens / 1e6,
        "sequence": job.sequence,
        "batch": job.batch,
        "method": words([METHODS[name].plan for name in candidates.method.tolist()]),
        **{
            name: getattr(candidates, name)
            for name in ("trainer", "gpus", *LAYOUT, "checkpointing", "offload", "precision")
        },
    }


def _joined(candidates: Grid, offers: Offers, known: Flags) -> tuple[Places, Places]:
    """Pair each candidate with each offer that sells it."""
    names, named = np.unique(candidates.accelerator.astype(str), return_inverse=True)
    sizes, sized = np.unique(candidates.gpus, return_inverse=True)
    ready = np.flatnonzero(known)
    own = {name: ready[named[ready] == n] for n, name in enumerate(names.tolist())}

    @cache
    def sold_as(name: str, counts: tuple[int, ...]) -> Places:
        places = own.get(name, ready[:0])
        sold: Places = places[np.isin(sizes, counts)[sized[places]]]
        return sold

    at = list(map(sold_as, offers.accelerators, offers.counts))
    of = np.repeat(np.arange(len(at)), list(map(len, at)))
    return np.concatenate([ready[:0], *at]), of
