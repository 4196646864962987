"""Warns of offers and prices that are old, out of proportion, or contradictory.

Public price lists contain few kinds of errors: a node's price given for one accelerator, a spot
price for an on-demand one, an old list price for today's, a slice for a whole accelerator. Each has
a check. All but the first compare what the files say; the first judges the age of a price at a
date.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import pairwise
from math import log
from statistics import median
from typing import Any

from scalesheet.diagnostics import MOST_SHOWN, Diagnostic, at
from scalesheet.frozen import dataclass
from scalesheet.load import Document
from scalesheet.model import OldPrice, Position, Stated, Unseen
from scalesheet.vocabulary import counted


@dataclass(frozen=True, slots=True)
class Limit:
    """For a kind of price: days until it is old, and the largest plausible factor of a change."""

    days: int
    times: float


#: Defaults for `price_limits` in book.yaml.
LIMITS: Mapping[str, Limit] = {
    "on-demand": Limit(180, 1.25),
    "spot": Limit(90, 2.5),
    "marketplace": Limit(60, 2.5),
    "reserved": Limit(365, 1.25),
}
#: Days since a price was last seen until answers mention it, and until it no longer counts as the
#: lowest price.
SAID_AFTER, STALE_AFTER = 90, 180
#: USD per accelerator hour.
BOUNDS = (0.05, 100.0)
#: The largest plausible factor between an offer and the median of its peers, and how many peers it
#: takes.
PEERS_WITHIN, PEERS_NEEDED = 3.0, 2
#: Tolerance for rounding in a source's price per accelerator.
EACH_WITHIN = 0.01
#: Accelerators in usual nodes, and the tolerance for a price that is such a multiple of another.
COUNTS, COUNT_WITHIN = (2, 4, 8, 16), 0.01
#: Key for all regions together.
ANYWHERE = "*"
_SLICE = re.compile(r"\bMIG\b|\b[0-9]+g\.[0-9]+gb\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Offer:
    """An offer's file with its prices as numbers, in USD per node hour."""

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
        """The kind of its prices, which selects the limits."""
        listed = self.data.get("pricing", "list") == "list"
        return str(self.data["term"]) if listed else "marketplace"

    def unusual(self, what: str) -> str:
        return str(self.data.get("unusual", {}).get(what, ""))

    def at(self, day: str) -> Stated | None:
        """The price in force on a day, if any."""
        in_force = [price for price in self.prices if price.since <= day]
        return in_force[-1] if in_force and in_force[-1].value is not None else None

    def each(self, price: Stated) -> float:
        """The price per accelerator hour."""
        return _amount(price) / self.count

    def priced(self) -> list[tuple[int, Stated]]:
        """The entries that are prices rather than reasons, with their indices in the list."""
        return [(i, price) for i, price in enumerate(self.prices) if price.value is not None]

    def finding(self, code: str, message: str, *path: str | int) -> Diagnostic:
        return at(self.document.at(*path), code, f"'{self.id}': {message}")


def _amount(price: Stated) -> float:
    assert isinstance(price.value, float | int)
    return float(price.value)


def limits_of(book: Mapping[str, Any]) -> dict[str, Limit]:
    """The limits by kind of price, from book.yaml or the defaults."""
    text = book.get("price_limits", {})
    own = {kind: Limit(int(each["days"]), float(each["times"])) for kind, each in text.items()}
    return {**LIMITS, **own}


def offers_of(
    documents: Sequence[Document], prices: Mapping[str, tuple[Stated, ...]]
) -> tuple[Offer, ...]:
    return tuple(Offer(d, prices[d.id]) for d in documents if d.kind == "rate")


# ------------------------------------------------------------------ age


def old_prices(
    offers: Iterable[Offer], limits: Mapping[str, Limit], as_of: date
) -> dict[str, OldPrice]:
    """Prices in force at a date that were seen longer ago than their kind allows, by offer."""
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


def unseen_prices(offers: Iterable[Offer], as_of: date) -> dict[str, Unseen]:
    """Prices in force at a date that had not been seen for long, by offer. The kind of price does
    not matter, since readers want to know how fresh an answer is.
    """
    unseen: dict[str, Unseen] = {}
    for offer in offers:
        price = offer.at(as_of.isoformat())
        if price is None:
            continue
        seen = price.seen or price.since
        days = (as_of - date.fromisoformat(seen)).days
        if days > SAID_AFTER:
            unseen[offer.id] = Unseen(seen, days, days > STALE_AFTER)
    return unseen


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
            "newer price, or say under unusual.age why it is kept",
        )


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


# ------------------------------------------------------------------ what does not fit


def price_findings(
    offers: Sequence[Offer], limits: Mapping[str, Limit], edition: date
) -> Iterator[Diagnostic]:
    """Warnings that do not depend on the date of the prices."""
    for offer in offers:
        yield from _dates(offer, edition)
        yield from _changes(offer, limits[offer.kind])
        yield from _counts(offer)
    far = [d for offer in offers for d in _bounds(offer)]
    far += _peers(offers, edition.isoformat())
    yield from far
    # spot is not compared with prices that may be for other hardware
    outliers = {d.path for d in far}
    yield from _spot([offer for offer in offers if offer.document.path not in outliers])
    yield from _instances(offers)


def _dates(offer: Offer, edition: date) -> Iterator[Diagnostic]:
    ends = [price.since for price in offer.prices[1:]]
    for index, price in enumerate(offer.prices):
        if price.since > edition.isoformat() and price.value is not None:  # ends are announced
            lacks = "" if index else ", so it has no price yet"
            message = (
                f"holds from {price.since}, after the edition of {edition}{lacks}; enter it once "
                "it is in effect, or move the edition"
            )
            yield offer.finding("O006", message, "prices", index, "from")
        elif price.seen and price.seen < price.since:
            message = f"seen on {price.seen}, before it held from {price.since}; fix one of them"
            yield offer.finding("O006", message, "prices", index, "seen")
        elif price.seen > edition.isoformat():
            message = f"seen on {price.seen}, after the edition of {edition}; fix it"
            yield offer.finding("O006", message, "prices", index, "seen")
        elif index < len(ends) and price.seen > ends[index]:
            message = (
                f"seen on {price.seen}, after the next price held from {ends[index]}; fix one of "
                "them"
            )
            yield offer.finding("O006", message, "prices", index, "seen")


def _bounds(offer: Offer) -> Iterator[Diagnostic]:
    for index, price in offer.priced():
        each = offer.each(price)
        if not BOUNDS[0] <= each <= BOUNDS[1]:
            message = (
                f"{each:g} USD per accelerator hour, expected {BOUNDS[0]} to "
                f"{BOUNDS[1]:.0f}; look at the count of accelerators and the unit"
            )
            yield offer.finding("O003", message, "prices", index, "price")


def _changes(offer: Offer, limit: Limit) -> Iterator[Diagnostic]:
    for index, price in offer.priced():
        own = price.citation.key if price.citation is not None else ""
        if price.confirmed is not None and price.confirmed.key == own:
            message = f"confirmed by '{own}', which is the source of the price; name another one"
            yield offer.finding("O004", message, "prices", index, "confirmed")
    for (_, before), (index, price) in pairwise(offer.priced()):
        old, new = _amount(before), _amount(price)
        sure = price.confirmed is not None or price.basis == "decision"
        if max(old / new, new / old) > limit.times and not sure:
            how = f"{new / old:.2f} times" if new > old else f"only {new / old:.0%} of"
            message = (
                f"{new:g} USD from {price.since} is {how} the {old:g} before it; {_a(offer.kind)} "
                f"price that changes by more than {limit.times:g} times needs a second source: "
                "name it under 'confirmed', or leave the price out"
            )
            yield offer.finding("O004", message, "prices", index, "price")


def _counts(offer: Offer) -> Iterator[Diagnostic]:
    for index, price in offer.priced():
        text = offer.data["prices"][index].get("each")
        each = offer.each(price)
        if text is not None and abs(each / text - 1) > EACH_WITHIN:
            message = (
                f"{_amount(price):g} USD for {offer.count} accelerators is {each:g} for each, and "
                f"'each' says {text:g}; look up the count, and which of the two the price is"
            )
            yield offer.finding("O005", message, "prices", index, "each")
    named = str(offer.data.get("instance", ""))
    if _SLICE.search(named):
        message = (
            f"'{named}' is a slice of an accelerator, and offers are for whole accelerators; "
            "leave it out"
        )
        yield offer.finding("O005", message, "instance")


def _spot(offers: Sequence[Offer]) -> Iterator[Diagnostic]:
    """Spot costs less than any on-demand offer of the accelerator by the same provider in the same
    region; an offer without a region is compared with all.
    """
    groups: dict[tuple[object, object], list[Offer]] = {}
    for offer in offers:
        groups.setdefault((offer.data["provider"], offer.data["accelerator"]), []).append(offer)
    for members in groups.values():
        days = sorted({price.since for offer in members for price in offer.prices}, reverse=True)
        firm = _Cheapest([offer for offer in members if offer.data["term"] == "on-demand"], days)
        for spot in members:
            if spot.data["term"] == "spot" and not spot.unusual("spot"):
                yield from _dear_spot(spot, firm, days)


def _dear_spot(spot: Offer, firm: _Cheapest, days: Sequence[str]) -> Iterator[Diagnostic]:
    """Report the last price change that left spot no cheaper than the alternative."""
    for day in days:
        less, other = spot.at(day), firm.alternative(spot, day)
        if less is None or other is None or spot.each(less) < other.each:
            continue
        message = (
            f"spot costs {spot.each(less):g} USD per accelerator hour on {day}, and "
            f"'{other.offer.id}' costs {other.each:g} on demand; correct the price that is wrong "
            "or outdated, or give the reason under unusual.spot"
        )
        yield at(less.position or spot.document.at(), "O002", f"'{spot.id}': {message}")
        return


class _Cheapest:
    """The cheapest of some offers by region and day; the region is None if an offer names none.

    An offer is an alternative to another in the same region, or if one of the two names no region.
    """

    def __init__(self, offers: Iterable[Offer], days: Sequence[str]) -> None:
        self._found: dict[tuple[object, str], _Priced] = {}
        for offer in offers:
            for day in days:
                price = offer.at(day)
                if price is not None:
                    self._note(offer.data.get("region"), day, _Priced(offer, price))

    def _note(self, region: object, day: str, priced: _Priced) -> None:
        for place in {region, ANYWHERE}:
            known = self._found.get((place, day))
            if known is None or priced.each < known.each:
                self._found[place, day] = priced

    def alternative(self, spot: Offer, day: str) -> _Priced | None:
        """The cheapest alternative to a spot offer on a day."""
        region = spot.data.get("region")
        places = (ANYWHERE,) if region is None else (region, None)
        result = [p for place in places if (p := self._found.get((place, day))) is not None]
        return min(result, key=lambda priced: priced.each, default=None)


def _peers(offers: Sequence[Offer], day: str) -> Iterator[Diagnostic]:
    """Report offers far from the median of the others. The farthest is reported first and then no
    longer counts for the others.
    """
    groups: dict[tuple[str, str], list[_Priced]] = {}
    for offer in offers:
        price = offer.at(day)
        if price is not None and BOUNDS[0] <= offer.each(price) <= BOUNDS[1]:
            key = (str(offer.data["accelerator"]), offer.kind)
            groups.setdefault(key, []).append(_Priced(offer, price))
    for (accelerator, kind), members in sorted(groups.items(), key=lambda group: group[0]):
        yield from _far(members, f"{kind} offers of '{accelerator}'")


def _far(members: list[_Priced], called: str) -> Iterator[Diagnostic]:
    """Report outliers one at a time, up to the number that is shown; the rest all at once."""
    for text in range(MOST_SHOWN + 1):
        if len(members) <= PEERS_NEEDED:
            return
        times = _times(members)
        away = {place: abs(log(times[place])) for place, m in enumerate(members) if m.judged}
        far = [place for place, distance in away.items() if distance > log(PEERS_WITHIN)]
        if not far:
            return
        worst = max(far, key=away.__getitem__)
        others = members[:worst] + members[worst + 1 :]
        for place in [worst] if text < MOST_SHOWN else far:
            priced, median_price = members[place], members[place].each / times[place]
            guess = _guess(priced, others) if text < MOST_SHOWN else ""
            message = (
                f"'{priced.offer.id}': {priced.each:g} USD per accelerator hour is "
                f"{times[place]:.2g} times the median of the {len(others)} other {called}, "
                f"{median_price:.3g}{guess}; at most a factor of {PEERS_WITHIN:g} is expected. "
                "Look at count, unit and what is included, or say why under unusual.peers"
            )
            yield at(priced.price.position or priced.offer.document.at(), "O003", message)
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
    def provider(self) -> str:
        return str(self.offer.data["provider"])

    @property
    def judged(self) -> bool:
        return not self.offer.unusual("peers")


def _times(members: Sequence[_Priced]) -> list[float]:
    """The ratio of each offer to the median of all others. Each provider contributes its own
    median, so that none outvotes another.
    """
    own: dict[str, list[float]] = {}
    for priced in members:
        own.setdefault(priced.provider, []).append(priced.each)
    own = {provider: sorted(prices) for provider, prices in own.items()}
    voices = sorted(map(median, own.values()))
    result = []
    for priced in members:
        prices = own[priced.provider]
        rest = [_median_without(prices, priced.each)] if len(prices) > 1 else []
        result.append(priced.each / _median_without(voices, median(prices), *rest))
    return result


def _median_without(ordered: Sequence[float], left_out: float, *instead: float) -> float:
    """The median of sorted numbers without one of them, optionally with another in its place."""
    gap, size = bisect_left(ordered, left_out), len(ordered) - 1 + len(instead)

    def kept(place: int) -> float:
        return ordered[place if place < gap else place + 1]

    def ranked(place: int) -> float:
        for new in instead:
            before = bisect_left(ordered, new)
            before -= before > gap
            if place >= before:
                return new if place == before else kept(place - 1)
        return kept(place)

    return (ranked((size - 1) // 2) + ranked(size // 2)) / 2


def _guess(priced: _Priced, others: Iterable[_Priced]) -> str:
    """Whether it is a multiple or a fraction of another price of the same provider."""
    for other in others:
        if other.provider == priced.provider:
            for count in COUNTS:
                if abs(priced.each / (count * other.each) - 1) < COUNT_WITHIN:
                    return f" and {count} times that of '{other.offer.id}'"
                if abs(priced.each * count / other.each - 1) < COUNT_WITHIN:
                    return f" and 1/{count} of that of '{other.offer.id}'"
    return ""


def _instances(offers: Sequence[Offer]) -> Iterator[Diagnostic]:
    """An instance has one number of accelerators, and is offered once on the same terms."""
    groups: dict[tuple[object, ...], list[Offer]] = {}
    for offer in offers:
        if "instance" in offer.data:
            named = tuple(offer.data[key] for key in ("provider", "instance", "accelerator"))
            groups.setdefault(named, []).append(offer)
    for members in groups.values():
        yield from _other_counts(members)
        first: dict[tuple[object, ...], Offer] = {}
        for offer in members:
            terms = tuple(offer.data.get(key) for key in ("term", "region", "commitment"))
            one = first.setdefault(terms, offer)
            if one is not offer:
                message = (
                    f"the same provider, instance, region and term as '{one.id}'; keep one file, "
                    "with all prices by date"
                )
                yield offer.finding("O007", message, "instance")


def _other_counts(members: Sequence[Offer]) -> Iterator[Diagnostic]:
    """Report offers that disagree with the most common count of an instance; all if tied."""
    counts = Counter(offer.count for offer in members)
    (_, most), *rest = counts.most_common()
    first = {offer.count: offer for offer in reversed(members)}  # first offer per count, reversed
    for offer in members if rest else ():
        if counts[offer.count] < most or rest[0][1] == most:
            other = next(each for each in reversed(first.values()) if each.count != offer.count)
            message = (
                f"'{offer.data['instance']}' has {counted(offer.count, 'accelerator')} here and "
                f"{other.count} in '{other.id}'; look up the count"
            )
            yield offer.finding("O005", message, "accelerators")
