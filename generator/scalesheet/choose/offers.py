"""What can be bought: the offers of a job, and how many accelerators each can join.

Predictions know machines of up to 8 accelerators on one fast link, and complete such machines side
by side; nothing else is joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scalesheet.choose.job import Job
from scalesheet.model import Book
from scalesheet.predict.arrays import Array
from scalesheet.predict.lookups import Known

#: Accelerators of a complete machine.
MACHINE = 8
#: An offer whose price includes no more is sold by the accelerator, as many as a machine holds.
SHARED = "share of the host"


@dataclass(frozen=True)
class Offers:
    """Offers by place: their ids, and what they sell. Prices in USD / (node * hour)."""

    ids: tuple[str, ...]
    titles: tuple[str, ...]
    accelerators: tuple[str, ...]
    per_node: Array  # GPU / node
    price: Array
    price_low: Array
    price_high: Array
    counts: tuple[tuple[int, ...], ...]  # of accelerators that can be had together

    def __len__(self) -> int:
        return len(self.ids)

    def sizes(self) -> list[tuple[str, int]]:
        """Each accelerator with each count that some offer sells, in order."""
        found = {
            (name, count)
            for name, counts in zip(self.accelerators, self.counts, strict=True)
            for count in counts
        }
        return sorted(found)


def offers_of(book: Book, catalogue: Known, job: Job, most: float) -> Offers:
    """The offers of a job with a price in force, joined to at most so many accelerators."""
    table = book.tables["offers"]
    rows = catalogue.results.rows["offers"]
    columns = catalogue.results.tables["offers"]
    price = columns["node_price"]
    low = price.value if price.low is None else price.low
    high = price.value if price.high is None else price.high
    places = [
        place
        for place, row in enumerate(rows)
        if columns["term"].value[place] in job.terms
        and (not job.offers or row in job.offers)
        and not np.isnan(price.value[place])
    ]
    per_node = columns["gpus"].value[places].astype(np.float64)
    shared = [SHARED in str(columns["includes"].value[place]) for place in places]
    return Offers(
        tuple(rows[place] for place in places),
        tuple(table.row_titles[place] for place in places),
        tuple(str(columns["accelerator"].value[place]) for place in places),
        per_node,
        price.value[places],
        low[places],
        high[places],
        tuple(
            tuple(counts(int(own), by_one, most))
            for own, by_one in zip(per_node.tolist(), shared, strict=True)
        ),
    )


def counts(per_node: int, by_one: bool, most: float) -> Sequence[int]:
    """How many accelerators can be had together: a part of a machine (all of which is paid for,
    unless it is sold by the accelerator), a machine, or several complete ones."""
    whole = MACHINE if by_one and per_node == 1 else per_node
    within = {count for count in (1, 2, 4, 8, 16) if count < whole} | {whole}
    several = {nodes * MACHINE for nodes in ladder(most, MACHINE)} if per_node == MACHINE else set()
    return sorted(count for count in within | several if count <= most)


def ladder(most: float, of: int) -> Sequence[int]:
    """1, 2, 3, 4, 6, 8, 12, ... nodes of so many accelerators, up to `most` accelerators."""
    counts = sorted({1} | {times << power for power in range(14) for times in (2, 3)})
    return [count for count in counts if count * of <= most]
