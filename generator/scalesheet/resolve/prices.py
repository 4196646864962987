"""What is wrong with offers and their prices: old, out of all proportion, or in contradiction.

Public price lists err in few ways: the price of a machine stands for that of an accelerator, a spot
price for one on demand, an anchor of years ago for today's, a slice for a whole. Each has a check.
All but the first compare what the files say; the first judges the age of a price at a date.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations, pairwise
from math import log
from statistics import median
from typing import Any

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.load import Document
from scalesheet.model import OldPrice, Position, Stated


@dataclass(frozen=True, slots=True)
class Limit:
    """Of a kind of price: days until it is old, and how many times a price may move by itself."""

    days: int
    times: float


#: What holds where `price_limits` of book.yaml says nothing.
LIMITS: Mapping[str, Limit] = {
    "on-demand": Limit(180, 1.25),
    "spot": Limit(90, 2.5),
    "marketplace": Limit(60, 2.5),
    "reserved": Limit(365, 1.25),
}
#: USD for an hour of one accelerator.
BOUNDS = (0.05, 100.0)
#: How many times above or below the median of its peers an offer may be, and how many it takes.
PEERS_WITHIN, PEERS_NEEDED = 3.0, 2
#: The price of an accelerator as a source rounds it.
EACH_WITHIN = 0.01
#: Accelerators of usual machines, and how near a price comes to that many times another.
COUNTS, COUNT_WITHIN = (2, 4, 8, 16), 0.01
_SLICE = re.compile(r"\bMIG\b|\b[0-9]+g\.[0-9]+gb\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Offer:
    """An offer's file with its prices as numbers, in USD for an hour of the node."""

    document: Document
    prices: tuple[Stated, ...]

    @property
    def id(self) -> str:
        return self.document.id

    @property
    def data(self) -> Mapping[str, Any]:
        data: Mapping[str, Any] = self.document.data
        return data

    @property
    def count(self) -> int:
        return int(self.data["accelerators"])

    @property
    def kind(self) -> str:
        """By which limits its prices go."""
        listed = self.data.get("pricing", "list") == "list"
        return str(self.data["term"]) if listed else "marketplace"

    def unusual(self, what: str) -> str:
        return str(self.data.get("unusual", {}).get(what, ""))

    def at(self, day: str) -> Stated | None:
        """The price in force on a day, if there is one."""
        in_force = [price for price in self.prices if price.since <= day]
        return in_force[-1] if in_force and in_force[-1].value is not None else None

    def each(self, price: Stated) -> float:
        """For an hour of one accelerator."""
        return _amount(price) / self.count

    def priced(self) -> list[tuple[int, Stated]]:
        """The entries that are prices and not reasons, with their places in the list."""
        return [(i, price) for i, price in enumerate(self.prices) if price.value is not None]

    def told(self, code: str, message: str, *path: str | int) -> Diagnostic:
        return at(self.document.at(*path), code, f"'{self.id}': {message}")


def _amount(price: Stated) -> float:
    assert isinstance(price.value, float | int)
    return float(price.value)


def limits_of(book: Mapping[str, Any]) -> dict[str, Limit]:
    """The limits by kind of price: those of book.yaml, and the program's where it has none."""
    said = book.get("price_limits", {})
    own = {kind: Limit(int(each["days"]), float(each["times"])) for kind, each in said.items()}
    return {**LIMITS, **own}


def offers_of(
    documents: Sequence[Document], prices: Mapping[str, tuple[Stated, ...]]
) -> tuple[Offer, ...]:
    return tuple(Offer(d, prices[d.id]) for d in documents if d.kind == "rate")


# ------------------------------------------------------------------ age


def old_prices(
    offers: Iterable[Offer], limits: Mapping[str, Limit], as_of: date
) -> dict[str, OldPrice]:
    """The prices in force at a date that were seen longer ago than their kind may be, by offer."""
    old: dict[str, OldPrice] = {}
    for offer in offers:
        price = offer.at(as_of.isoformat())
        if price is None:
            continue
        seen = price.seen or price.since
        days = (as_of - date.fromisoformat(seen)).days
        limit = limits[offer.kind].days
        if days > limit:
            old[offer.id] = OldPrice(seen, days, offer.kind, limit, offer.unusual("age"))
    return old


def age_findings(
    offers: Iterable[Offer], old: Mapping[str, OldPrice], as_of: date
) -> Iterator[Diagnostic]:
    for offer in offers:
        price, of = offer.at(as_of.isoformat()), old.get(offer.id)
        if price is None or of is None or of.why:
            continue
        yield at(
            price.position or Position(offer.document.path, 1, 1),
            "O001",
            f"'{offer.id}': the price was last seen on {of.seen}, {of.days} days before {as_of}; "
            f"{_a(of.kind)} price is old after {of.limit}. Read it again and set 'seen', add the "
            "newer price, or say under unusual.age why it stands",
        )


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


# ------------------------------------------------------------------ what does not fit


def price_findings(
    offers: Sequence[Offer], limits: Mapping[str, Limit], edition: date
) -> Iterator[Diagnostic]:
    """All that is wrong whatever the date of the prices."""
    for offer in offers:
        yield from _dates(offer, edition)
        yield from _changes(offer, limits[offer.kind])
        yield from _counts(offer)
    far = [d for offer in offers for d in _bounds(offer)]
    far += _peers(offers, edition.isoformat())
    yield from far
    told = {d.path for d in far}  # a price that is none of its accelerator is no measure of spot
    yield from _spot([offer for offer in offers if offer.document.path not in told])
    yield from _instances(offers)


def _dates(offer: Offer, edition: date) -> Iterator[Diagnostic]:
    ends = [price.since for price in offer.prices[1:]]
    for index, price in enumerate(offer.prices):
        if price.since > edition.isoformat() and price.value is not None:  # an end is announced
            message = (
                f"holds from {price.since}, after the edition of {edition}; enter it when it "
                "holds, or move the edition"
            )
            yield offer.told("O006", message, "prices", index, "from")
        elif price.seen and price.seen < price.since:
            message = f"seen on {price.seen}, before it held from {price.since}; mend one of them"
            yield offer.told("O006", message, "prices", index, "seen")
        elif price.seen > edition.isoformat():
            message = f"seen on {price.seen}, after the edition of {edition}; mend it"
            yield offer.told("O006", message, "prices", index, "seen")
        elif index < len(ends) and price.seen > ends[index]:
            message = (
                f"seen on {price.seen}, after the next price held from {ends[index]}; mend one of "
                "them"
            )
            yield offer.told("O006", message, "prices", index, "seen")


def _bounds(offer: Offer) -> Iterator[Diagnostic]:
    for index, price in offer.priced():
        each = offer.each(price)
        if not BOUNDS[0] <= each <= BOUNDS[1]:
            message = (
                f"{each:g} USD for an hour of an accelerator, expected are {BOUNDS[0]} to "
                f"{BOUNDS[1]:.0f}; look at the count of accelerators and the unit"
            )
            yield offer.told("O003", message, "prices", index, "price")


def _changes(offer: Offer, limit: Limit) -> Iterator[Diagnostic]:
    for index, price in offer.priced():
        own = price.citation.key if price.citation is not None else ""
        if price.confirmed is not None and price.confirmed.key == own:
            message = f"confirmed by '{own}', which is the source of the price; name another one"
            yield offer.told("O004", message, "prices", index, "confirmed")
    for (_, before), (index, price) in pairwise(offer.priced()):
        old, new = _amount(before), _amount(price)
        if max(old / new, new / old) > limit.times and price.confirmed is None:
            message = (
                f"{new:g} USD from {price.since} is {new / old:.2f} times the {old:g} before it, "
                f"and {_a(offer.kind)} price moves by {limit.times:g} times at most on the word of "
                "one source; name a second one under 'confirmed', or leave the price out"
            )
            yield offer.told("O004", message, "prices", index, "price")


def _counts(offer: Offer) -> Iterator[Diagnostic]:
    for index, price in offer.priced():
        said = offer.data["prices"][index].get("each")
        each = offer.each(price)
        if said is not None and abs(each / said - 1) > EACH_WITHIN:
            message = (
                f"{_amount(price):g} USD for {offer.count} accelerators is {each:g} for each, and "
                f"'each' says {said:g}; look up the count, and which of the two the price is"
            )
            yield offer.told("O005", message, "prices", index, "each")
    named = str(offer.data.get("instance", ""))
    if _SLICE.search(named):
        message = (
            f"'{named}' is a slice of an accelerator, and an offer is of whole ones; leave it out"
        )
        yield offer.told("O005", message, "instance")


def _spot(offers: Sequence[Offer]) -> Iterator[Diagnostic]:
    """Spot costs less than any offer on demand of the accelerator by the same provider, there."""
    firm = [offer for offer in offers if offer.data["term"] == "on-demand"]
    for spot in offers:
        if spot.data["term"] != "spot" or spot.unusual("spot"):
            continue
        for other in firm:
            if not _alternative(spot, other):
                continue
            day = next(_dearer(spot, other), None)
            if day is None:
                continue
            less, more = spot.at(day), other.at(day)
            assert less is not None
            assert more is not None
            message = (
                f"spot costs {spot.each(less):g} USD for an hour of an accelerator on {day}, which "
                f"is not below the {other.each(more):g} of '{other.id}' on demand; one of the two "
                "is wrong or old, or say why under unusual.spot"
            )
            yield at(less.position or spot.document.at(), "O002", f"'{spot.id}': {message}")
            break


def _alternative(spot: Offer, firm: Offer) -> bool:
    """Whether who wants the one could take the other: same seller, accelerator and, if both say
    where, region."""
    same = all(spot.data[key] == firm.data[key] for key in ("provider", "accelerator"))
    regions = {offer.data["region"] for offer in (spot, firm) if "region" in offer.data}
    return same and len(regions) < 2


def _dearer(spot: Offer, firm: Offer) -> Iterator[str]:
    """The days of a change on which spot was no cheaper, the latest first."""
    days = {price.since for price in (*spot.prices, *firm.prices)}
    for day in sorted(days, reverse=True):
        less, more = spot.at(day), firm.at(day)
        if less is not None and more is not None and spot.each(less) >= firm.each(more):
            yield day


def _peers(offers: Sequence[Offer], day: str) -> Iterator[Diagnostic]:
    """Offers far from the median of the others. The farthest is told first, and is no measure of
    the others any more."""
    groups: dict[tuple[str, str], list[_Priced]] = {}
    for offer in offers:
        price = offer.at(day)
        if price is not None and BOUNDS[0] <= offer.each(price) <= BOUNDS[1]:
            key = (str(offer.data["accelerator"]), offer.kind)
            groups.setdefault(key, []).append(_Priced(offer, price))
    for (accelerator, kind), members in sorted(groups.items(), key=lambda group: group[0]):
        while len(members) > PEERS_NEEDED:
            away = [(abs(log(each.times(members))), each) for each in members if each.judged]
            far, worst = max(away, key=lambda pair: pair[0], default=(0.0, members[0]))
            if far <= log(PEERS_WITHIN):
                break
            others = [each for each in members if each is not worst]
            message = (
                f"'{worst.offer.id}': {worst.each:g} USD for an hour of an accelerator is "
                f"{worst.times(members):.2g} times the median of the {len(others)} other {kind} "
                f"offers of '{accelerator}', {_median(others):.3g}{_guess(worst, others)}; "
                f"expected is a factor of {PEERS_WITHIN:g} at most. Look at count, unit and what "
                "is included, or say why under unusual.peers"
            )
            yield at(worst.price.position or worst.offer.document.at(), "O003", message)
            members = others


@dataclass(frozen=True, slots=True)
class _Priced:
    """An offer with the price that is compared."""

    offer: Offer
    price: Stated

    @property
    def each(self) -> float:
        return self.offer.each(self.price)

    @property
    def judged(self) -> bool:
        return not self.offer.unusual("peers")

    def times(self, members: Iterable[_Priced]) -> float:
        """How many times the median of the others it is."""
        return self.each / _median(each for each in members if each is not self)


def _median(offers: Iterable[_Priced]) -> float:
    """The median of the providers, each with the median of its offers: no one outvotes another."""
    voices: dict[str, list[float]] = {}
    for priced in offers:
        voices.setdefault(str(priced.offer.data["provider"]), []).append(priced.each)
    return median(median(each) for each in voices.values())


def _guess(priced: _Priced, others: Iterable[_Priced]) -> str:
    """Whether it is some count times another price of the provider, or that part of it."""
    for other in others:
        if other.offer.data["provider"] == priced.offer.data["provider"]:
            for count in COUNTS:
                if abs(priced.each / (count * other.each) - 1) < COUNT_WITHIN:
                    return f" and {count} times that of '{other.offer.id}'"
                if abs(priced.each * count / other.each - 1) < COUNT_WITHIN:
                    return f" and a part in {count} of that of '{other.offer.id}'"
    return ""


def _instances(offers: Sequence[Offer]) -> Iterator[Diagnostic]:
    """An instance has one count of accelerators, and is offered once on the same terms."""
    groups: dict[tuple[object, ...], list[Offer]] = {}
    for offer in offers:
        if "instance" in offer.data:
            named = tuple(offer.data[key] for key in ("provider", "instance", "accelerator"))
            groups.setdefault(named, []).append(offer)
    for members in groups.values():
        yield from _other_counts(members)
        for one, other in combinations(members, 2):
            if all(one.data.get(k) == other.data.get(k) for k in ("term", "region", "commitment")):
                message = (
                    f"the same as '{one.id}': provider, instance, region and term; keep one file, "
                    "with all prices by date"
                )
                yield other.told("O007", message, "instance")


def _other_counts(members: Sequence[Offer]) -> Iterator[Diagnostic]:
    """Offers of an instance whose count fewer of them have; all of them where none prevails."""
    counts = Counter(offer.count for offer in members)
    (_, most), *rest = counts.most_common()
    for offer in members if rest else ():
        if counts[offer.count] < most or rest[0][1] == most:
            other = next(each for each in members if each.count != offer.count)
            message = (
                f"'{offer.data['instance']}' has {offer.count} accelerators here and {other.count} "
                f"in '{other.id}'; look up the count"
            )
            yield offer.told("O005", message, "accelerators")
