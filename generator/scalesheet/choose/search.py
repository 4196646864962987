"""The search: what each candidate takes, what it costs at each offer, and which may be chosen.

Hours are those of `predict throughput`, memory those of `predict memory`; cost is whole machines
for all hours of the run. The same stands in the plan `calculator`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scalesheet.book import Book
from scalesheet.choose.conditions import obstacles
from scalesheet.choose.grid import Grid, axes_of, grid, stated
from scalesheet.choose.job import Assumptions, Job
from scalesheet.choose.offers import Offers, offers_of
from scalesheet.predict.arrays import Array, Flags, Places, among, given
from scalesheet.predict.cases import Cases
from scalesheet.predict.cases.catalogue import Known
from scalesheet.predict.memory import most_memory
from scalesheet.predict.records import rows_of
from scalesheet.predict.tasks import unsupported
from scalesheet.predict.time.steps import Work

#: Candidates go to so many times the accelerators allowed, to tell what more of them would give.
BEYOND = 2.0


@dataclass(frozen=True)
class Search:
    """Candidates and, by place, each offer that sells one (`at`, `of`): the rows to choose from.

    `gross`, `wall` and `cost` are expected; `late` are the hours that are compared with the
    deadline. `most`: bytes of an accelerator that are almost never exceeded; `usable` of it.
    """

    job: Job
    offers: Offers
    grid: Grid
    most: Array
    usable: Array
    gross: Array  # GPU * hour
    wall: Array  # hour
    late: Array  # hour
    at: Places  # candidate of a row
    of: Places  # offer of a row
    cost: Array  # USD, of a row
    why_not: tuple[str, ...]  # why no candidate can run or be predicted, where none can

    @property
    def fits(self) -> Flags:
        """By row: whether all that it may take is there."""
        fit: Flags = (self.most <= self.usable)[self.at]
        return fit

    @property
    def in_time(self) -> Flags:
        early: Flags = (self.late <= self.job.deadline)[self.at]
        return early

    @property
    def few(self) -> Flags:
        """Whether it needs no more accelerators than allowed."""
        few: Flags = (self.grid.gpus <= self.job.most_gpus)[self.at]
        return few

    @property
    def good(self) -> Flags:
        return self.fits & self.in_time & self.few

    def best(self, rows: Flags) -> int | None:
        """The cheapest of some rows; of equal ones that of the fewest accelerators, of those the
        quickest, and of those the plainest."""
        places = np.flatnonzero(rows)
        if not len(places):
            return None
        cost = self.cost[places]
        # what differs by rounding alone costs the same
        equal = places[cost <= cost.min() * (1 + 1e-9)]
        gpus = self.grid.gpus[self.at[equal]]
        equal = equal[gpus == gpus.min()]
        late = self.late[self.at[equal]]
        equal = equal[late <= late.min() * (1 + 1e-9)]
        made = self.grid
        at = self.at[equal]
        order = np.lexsort(
            (
                equal,
                -made.micro_batch[at],
                made.checkpointing[at] == "full",
                made.pipeline[at],
                made.tensor[at],
                made.stage[at],
            )
        )
        return int(equal[order[0]])


@np.errstate(all="ignore")  # what is not finite is no prediction
def search(book: Book, catalogue: Known, job: Job, assumed: Assumptions) -> Search:
    """Every candidate of a job, computed."""
    offers = offers_of(book, catalogue, job, BEYOND * job.most_gpus)
    candidates = grid(book, job, offers, catalogue, assumed)
    cases = candidates.cases
    if not len(cases):  # nothing is sold, or no layout can run
        numbers = sorted({float(count) for _, count in offers.sizes()})
        why = obstacles(book, stated(job), axes_of(job, numbers)) if numbers else ()
        none, rows = np.zeros(0), np.zeros(0, dtype=np.int64)
        return Search(job, offers, candidates, none, none, none, none, none, rows, rows, none, why)
    gross, spread = gross_hours(book, cases, assumed)
    late = gross * np.exp(assumed.asked["high"] * spread) if job.certain else gross
    most = most_memory(book, cases, assumed.memory, **assumed.of_layouts())
    whys = unsupported("throughput", cases)
    known = ~given(whys) & np.isfinite(gross) & np.isfinite(most)
    at, of = _joined(candidates, offers, known)
    wall = gross / candidates.gpus
    nodes = rows_of(
        book,
        "node-hours",
        gpus=candidates.gpus[at],
        gpus_per_node=offers.per_node[of],
        hours=wall[at],
    )
    return Search(
        job,
        offers,
        candidates,
        most,
        assumed.ends("usable_share")[1] * cases.memory,
        gross,
        wall,
        late / candidates.gpus,
        at,
        of,
        rows_of(book, "node-cost", node_hours=nodes, price=offers.price[of]),
        () if known.any() else tuple(dict.fromkeys(why for why in whys.tolist() if why)),
    )


def gross_hours(book: Book, cases: Cases, assumed: Assumptions) -> tuple[Array, Array]:
    """GPU hours of whole runs, and the standard deviation of their logarithm."""
    work = Work(cases, book)
    made = work.figures(
        ["run_hours", "run_spread"],
        {"throughput": assumed.throughput, "runs": assumed.runs},
        **assumed.of_layouts(),
        recomputed=work.recomputed,
        method=np.where(among(cases.method, "pretrain"), "pretraining", "LoRA"),
        tuning_goodput=assumed.ends("tuning_goodput")[1],
        trained_tokens=cases.tokens / 1e6,
    )
    return made["run_hours"], made["run_spread"]


def _joined(candidates: Grid, offers: Offers, known: Flags) -> tuple[Places, Places]:
    """Each candidate with each offer that sells it."""
    at: list[Places] = []
    of: list[Places] = []
    for place in range(len(offers)):
        sold = known & among(candidates.accelerator, offers.accelerators[place])
        sold &= np.isin(candidates.gpus, offers.counts[place])
        result = np.flatnonzero(sold)
        at.append(result)
        of.append(np.full(len(result), place))
    nothing = np.zeros(0, dtype=np.int64)
    return np.concatenate([nothing, *at]), np.concatenate([nothing, *of])
