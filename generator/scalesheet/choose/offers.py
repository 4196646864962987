"""The offers for a job, and how many accelerators each can connect.

Predictions cover nodes with up to 8 accelerators on one fast link, and several complete nodes of
this kind; nothing else is joined.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scalesheet.book import Book
from scalesheet.choose.job import Job
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import Array
from scalesheet.predict.cases.catalogue import Known

#: Accelerators in a complete node.
MACHINE = 8
#: Phrases that tell what an offer's price includes, and so how it is sold. With a share of the host
#: it is sold by the accelerator, up to a whole node; without a host, no run can use its price.
SHARED, CLUSTER, ALONE = "share of the host", "in a cluster", "GPU alone"


@dataclass(frozen=True)
class Offers:
    """Offers as parallel columns: their ids, and what they sell. Prices in USD / (node * hour)."""

    ids: tuple[str, ...]
    titles: tuple[str, ...]
    accelerators: tuple[str, ...]
    terms: tuple[str, ...]
    per_node: Array  # GPU / node
    price: Array
    price_low: Array
    price_high: Array
    counts: tuple[tuple[int, ...], ...]  # numbers of accelerators that can be connected

    def __len__(self) -> int:
        return len(self.ids)

    def sizes(self) -> list[tuple[str, int]]:
        """Each accelerator with each number that some offer sells, sorted."""
        result = {
            (name, count)
            for name, counts in zip(self.accelerators, self.counts, strict=True)
            for count in counts
        }
        return sorted(result)


def offers_of(book: Book, catalogue: Known, job: Job, most: float) -> Offers:
    """The offers for a job with a recently seen price, joined to at most `most` accelerators."""
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
        and (row in job.offers if job.offers else not _stale(book, row))
        and not np.isnan(price.value[place])
        and ALONE not in str(columns["includes"].value[place])
    ]
    per_node = columns["gpus"].value[places].astype(np.float64)
    parts = [str(columns["includes"].value[place]) for place in places]
    return Offers(
        tuple(rows[place] for place in places),
        tuple(table.row_titles[place] for place in places),
        tuple(str(columns["accelerator"].value[place]) for place in places),
        tuple(str(columns["term"].value[place]) for place in places),
        per_node,
        price.value[places],
        low[places],
        high[places],
        tuple(
            tuple(counts(int(own), includes, most))
            for own, includes in zip(per_node.tolist(), parts, strict=True)
        ),
    )


def _stale(book: Book, offer: str) -> bool:
    """Whether its price has not been seen for long. Offers that the job names are used anyway."""
    unseen = book.unseen.get(offer)
    return unseen is not None and unseen.stale


def counts(per_node: int, includes: str, most: float) -> Sequence[int]:
    """How many accelerators can be connected: part of a node (still paid in full, unless sold by
    the accelerator), one node, or several complete nodes.
    """
    whole, joined = together(per_node, includes)
    within = {count for count in (1, 2, 4, 8, 16) if count < whole} | {whole}
    several = {nodes * MACHINE for nodes in ladder(most, MACHINE)} if joined else set()
    return sorted(count for count in within | several if count <= most)


def together(per_node: int, includes: str) -> tuple[int, bool]:
    """The number of accelerators in a node of an offer, and whether nodes can be joined."""
    by_one = per_node == 1 and SHARED in includes
    joined = per_node == MACHINE or (by_one and CLUSTER in includes)
    return MACHINE if by_one else per_node, joined


def ladder(most: float, of: int) -> Sequence[int]:
    """1, 2, 3, 4, 6, 8, 12, ... nodes of `of` accelerators each, up to `most` accelerators."""
    counts = sorted({1} | {times << power for power in range(14) for times in (2, 3)})
    return [count for count in counts if count * of <= most]
