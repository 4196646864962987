"""The Book: everything in a data folder, ready to be evaluated and rendered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import date

from scalesheet.claims import Audit
from scalesheet.frozen import dataclass
from scalesheet.model import (
    Component,
    Evidence,
    Expected,
    ExpectedOwn,
    Fit,
    Key,
    OldPrice,
    Peer,
    Plan,
    Publication,
    Record,
    Source,
    Stated,
    Table,
    Unseen,
)
from scalesheet.units import Units


@dataclass(frozen=True, slots=True)
class Book:
    """Everything: the catalogue's tables and formulas, the sources, the plans."""

    title: str
    edition: date
    as_of: date
    units: Units
    sources: Mapping[str, Source]
    tables: Mapping[str, Table]  # hardware, offers, models: the catalogue
    order: tuple[Key, ...]  # of the catalogue's derived columns
    records: Mapping[str, Record]
    plans: Mapping[str, Plan]
    url: str = ""  # of the repository, for edit links
    folder: str = ""  # of the data, with its final slash, as in positions
    prices: Mapping[str, tuple[Stated, ...]] = field(default_factory=dict)  # dated, by offer
    old_prices: Mapping[str, OldPrice] = field(default_factory=dict)  # by offer
    unseen: Mapping[str, Unseen] = field(default_factory=dict)  # current prices, by offer
    audits: Mapping[str, Audit] = field(default_factory=dict)  # by id: one per document
    audited: Mapping[str, Plan] = field(default_factory=dict)  # plans as they were audited
    publications: Mapping[str, Publication] = field(default_factory=dict)
    fits: Mapping[str, Fit] = field(default_factory=dict)
    expected: Mapping[str, Expected] = field(default_factory=dict)  # of the score, by task
    evidence: Evidence | None = None
    expected_own: Mapping[str, ExpectedOwn] = field(default_factory=dict)  # by task
    peers: tuple[Peer, ...] = ()

    def compared(self, plan: str) -> Plan:
        """The plan that its documents are compared with."""
        return self.audited.get(plan, self.plans[plan])

    components: Mapping[str, Component] = field(default_factory=dict)
    calibrated: bool = True  # whether own records correct predictions
