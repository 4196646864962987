"""Checks of offers and their prices, each one alone in a small book."""

import re
from datetime import date
from pathlib import Path

import pytest

from scalesheet.examine import Examined, examine
from small import MINIMAL, lay, said

UNIT = "unit: USD / (node * hour), kind: published, source: a-vendor"
BOOK = (MINIMAL / "book.yaml").read_text("utf-8")


def price(day: str, usd: float, more: str = "") -> str:
    return f"  - {{from: {day}, price: {usd}, {UNIT}{', ' if more else ''}{more}}}\n"


def offer(*prices: str, more: str = "", **said: object) -> str:
    """An offer from a separate provider, so that only its own errors are reported."""
    fields = {
        "title": "An offer",
        "provider": "Another",
        "instance": "a-machine",
        "accelerator": "card",
        "accelerators": 1,
        "term": "on-demand",
        **said,
    }
    head = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return f"{head}prices:\n{''.join(prices)}{more}"


def laid(folder: Path, *texts: str, as_of: date | None = None, book: str = BOOK) -> Examined:
    files = {f"rates/offer-{i}.yaml": text for i, text in enumerate(texts, 1)}
    return examine(lay(folder, {**files, "book.yaml": book}), as_of)


def begin(found: list[str], *words: str) -> bool:
    """Whether these are the findings, each given by its code and part of its text."""
    return len(found) == len(words) and all(
        each.startswith(word.split(" ", 1)[0]) and word.split(" ", 1)[1] in each
        for each, word in zip(found, words, strict=True)
    )


# ------------------------------------------------------------------ age


@pytest.mark.parametrize(
    ("stated", "days", "kind"),
    [
        ({}, 180, "an on-demand"),
        ({"provider": "B", "term": "spot"}, 90, "a spot"),
        ({"pricing": "marketplace"}, 60, "a marketplace"),
        ({"provider": "B", "term": "spot", "pricing": "marketplace"}, 60, "a marketplace"),
        ({"term": "reserved", "commitment": "a year"}, 365, "a reserved"),
    ],
)
def test_each_kind_of_price_has_its_own_age_limit(tmp_path, stated, days, kind):
    edition = date(2026, 11, 20)
    for age, old in (days, False), (days + 1, True):
        day = date.fromordinal(edition.toordinal() - age).isoformat()
        found = said(laid(tmp_path, offer(price(day, 0.9), **stated)))
        words = f"O001 'offer-1': the price was last seen on {day}, {age} days before 2026-11-20; "
        assert begin(found, f"{words}{kind} price is old after {days}") if old else found == []


@pytest.mark.parametrize("term", ["on-demand", "reserved"])
def test_a_price_is_unseen_after_90_days_and_stale_after_180(tmp_path, term):
    edition = date(2026, 11, 20)
    more = {"term": term} | ({"commitment": "a year"} if term == "reserved" else {})
    for age, unseen in ((90, None), (91, False), (180, False), (181, True)):
        day = date.fromordinal(edition.toordinal() - age).isoformat()
        book = laid(tmp_path, offer(price(day, 0.9), **more)).book
        assert book is not None
        found = book.unseen.get("offer-1")
        assert (found and found.stale) is unseen
        if found is not None:
            assert found.said == f"last seen {day}, {age} days ago"


def test_a_price_that_was_seen_again_is_fresh(tmp_path):
    book = laid(tmp_path, offer(price("2025-01-01", 0.9, "seen: 2026-11-01"))).book
    assert book is not None
    assert "offer-1" not in book.unseen


def test_an_old_price_is_a_warning_and_recorded_in_the_book(tmp_path):
    examined = laid(tmp_path, offer(price("2025-01-01", 0.9)))
    assert [d.severity for d in examined.diagnostics] == ["warning"]
    assert examined.book is not None
    old = examined.book.old_prices["offer-1"]
    assert (old.seen, old.days, old.limit, old.why) == ("2025-01-01", 688, 180, "")


def test_the_age_of_a_price_counts_from_the_day_it_was_last_seen(tmp_path):
    assert said(laid(tmp_path, offer(price("2024-01-01", 0.9, "seen: 2026-11-01")))) == []


def test_the_age_counts_up_to_the_date_of_the_prices(tmp_path):
    text = offer(price("2026-11-01", 0.9))
    assert said(laid(tmp_path, text, as_of=date(2026, 11, 20))) == []
    found = said(laid(tmp_path, text, as_of=date(2027, 11, 20)))
    assert begin(found, "O001 384 days before 2027-11-20", "O001 'offer': ")
    # on a day in the past, it is not older than now
    assert said(laid(tmp_path, text, as_of=date(2026, 11, 2))) == []


def test_the_book_can_set_the_limits(tmp_path):
    text = offer(price("2026-10-01", 0.9))
    strict = f"{BOOK}price_limits: {{on-demand: {{days: 40, times: 1.25}}}}\n"
    assert said(laid(tmp_path, text)) == []
    assert begin(said(laid(tmp_path, text, book=strict)), "O001 is old after 40")


def test_an_old_price_with_a_reason_is_not_reported_but_stays_old(tmp_path):
    why = "unusual: {age: No newer one is published.}\n"
    examined = laid(tmp_path, offer(price("2025-01-01", 0.9), more=why))
    assert said(examined) == []
    assert examined.book is not None
    assert examined.book.old_prices["offer-1"].why == "No newer one is published."
    assert "No newer one is published." in examined.book.tables["offers"].row_notes["offer-1"]


# ------------------------------------------------------------------ spot

FIRM = offer(price("2026-01-01", 2, "seen: 2026-11-01"), price("2026-10-01", 1.8))


def spot(usd: float, day: str = "2026-10-10", more: str = "", **said: object) -> str:
    return offer(price(day, usd, "seen: 2026-11-01"), more=more, term="spot", **said)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (spot(0.9), ""),
        (
            spot(1.8),
            "O002 spot costs 1.8 USD per accelerator hour on 2026-10-10, and 'offer-1' costs "
            "1.8 on demand",
        ),
        (spot(1.9, "2026-02-01"), "O002 on 2026-10-01, and 'offer-1'"),
        (spot(1.9, provider="A third"), ""),
        (spot(14.0, accelerators=8, instance="eight"), ""),
        (spot(15.0, accelerators=8, instance="eight"), "O002 spot costs 1.875 USD"),
        (spot(1.9, more="unusual: {spot: Sold so.}\n"), ""),
        (spot(1.9, region="here"), "O002 'offer-1' costs 1.8 on demand"),
    ],
)
def test_spot_is_below_on_demand(tmp_path, text, message):
    found = said(laid(tmp_path, FIRM.replace("seen: 2026-11-01", "seen: 2026-09-30"), text))
    assert begin(found, message) if message else found == []


def test_spot_prices_of_different_regions_are_not_compared(tmp_path):
    here = FIRM.replace("term:", "region: there\nterm:").replace("2026-11-01", "2026-09-30")
    assert said(laid(tmp_path, here, spot(1.9, region="here"))) == []
    found = said(laid(tmp_path, here, spot(1.9, region="there")))
    assert begin(found, "O002 'offer-1' costs 1.8 on demand")


# ------------------------------------------------------------------ peers


def seller(name: str, usd: float, count: int = 1, more: str = "") -> str:
    # 'offer' of the small book, at 1 USD, is a peer too
    return offer(price("2026-10-10", usd), more=more, provider=name, accelerators=count)


@pytest.mark.parametrize(
    ("usd", "count", "message"),
    [
        (2.9, 1, ""),
        (8, 8, ""),
        (
            3.2,
            1,
            "O003 'offer-3': 3.2 USD per accelerator hour is 3.2 times the median of "
            "the 3 other on-demand offers of 'card', 1; at most a factor of 3 is expected",
        ),
        (1.6, 8, "O003 0.2 USD per accelerator hour is 0.2 times the median"),
        (0.04, 1, "O003 0.04 USD per accelerator hour, expected 0.05 to 100"),
        (101, 1, "O003 101 USD per accelerator hour, expected 0.05 to 100"),
    ],
)
def test_a_price_far_from_its_peers_is_reported(tmp_path, usd, count, message):
    found = said(laid(tmp_path, seller("B", 1.1), seller("C", 0.9), seller("D", usd, count)))
    assert begin(found, message) if message else found == []


def test_a_node_price_given_per_accelerator_is_recognized(tmp_path):
    own = seller("D", 1.2)
    found = said(
        laid(
            tmp_path,
            seller("B", 1.1),
            own,
            own.replace("a-machine", "m").replace("price: 1.2", "price: 9.6"),
        )
    )
    assert begin(found, "O003 and 8 times that of 'offer-2'")


def test_an_unusual_price_with_a_reason_is_not_reported(tmp_path):
    why = "unusual: {peers: It is so.}\n"
    assert said(laid(tmp_path, seller("B", 1.1), seller("C", 0.9), seller("D", 9, more=why))) == []


def test_an_offer_alone_has_no_peers(tmp_path):
    assert said(laid(tmp_path, seller("D", 9))) == []


# ------------------------------------------------------------------ change


@pytest.mark.parametrize(
    ("after", "more", "message"),
    [
        (1.25, "", ""),
        (0.8, "", ""),
        (
            1.3,
            "",
            "O004 'offer-1': 1.3 USD from 2026-10-10 is 1.30 times the 1 before it; an "
            "on-demand price that changes by more than 1.25 times needs a second source",
        ),
        (0.7, "", "O004 only 70% of the 1 before it"),
        (1.3, "confirmed: {key: a-paper, locator: page 2}", ""),
        (1.3, "confirmed: a-vendor", "O004 confirmed by 'a-vendor', which is the source"),
        (1.3, "confirmed: a-papr", "N006 'a-papr' is not in sources.yaml; did you mean 'a-paper'"),
    ],
)
def test_a_large_change_needs_two_sources(tmp_path, after, more, message):
    found = said(laid(tmp_path, offer(price("2026-01-01", 1), price("2026-10-10", after, more))))
    assert begin(found, message) if message else found == []


def test_an_own_price_needs_no_second_source(tmp_path):
    own = re.sub(r"kind: \w+", "kind: decision", price("2026-10-10", 2))
    assert said(laid(tmp_path, offer(price("2026-01-01", 1), own))) == []


def test_a_reason_between_two_prices_does_not_hide_a_change(tmp_path):
    gap = "  - {from: 2026-02-01, reason: not offered}\n"
    text = offer(price("2026-01-01", 1), gap, price("2026-10-10", 3))
    assert begin(said(laid(tmp_path, text)), "O004 3.00 times the 1 before it")


# ------------------------------------------------------------------ counts, dates, duplicates


@pytest.mark.parametrize(
    ("stated", "each", "message"),
    [
        ({"accelerators": 8}, 1.0, ""),
        ({"accelerators": 8}, 1.009, ""),
        (
            {"accelerators": 8},
            8.0,
            "O005 8 USD for 8 accelerators is 1 for each, and 'each' says 8",
        ),
        ({"accelerators": 8, "instance": "MIG 1g.10gb"}, 1.0, "O005 is a slice of an accelerator"),
        ({"accelerators": 8, "instance": "MIGRATED"}, 1.0, ""),
    ],
)
def test_counts_and_prices_that_disagree_are_reported(tmp_path, stated, each, message):
    found = said(laid(tmp_path, offer(price("2026-10-10", 8, f"each: {each}"), **stated)))
    assert begin(found, message) if message else found == []


def test_an_instance_with_two_counts_is_reported(tmp_path):
    one = offer(price("2026-10-10", 1))
    other = offer(price("2026-10-10", 2), accelerators=2, region="there")
    third = offer(price("2026-10-10", 1), region="elsewhere")
    both = said(laid(tmp_path, one, other))
    assert begin(both, "O005 has 1 accelerator here and 2 in 'offer-2'", "O005 2 accelerators")
    assert begin(said(laid(tmp_path, one, other, third)), "O005 'offer-2': 'a-machine' has 2")


@pytest.mark.parametrize(
    ("prices", "message"),
    [
        ((price("2026-11-20", 1),), ""),
        ((price("2026-11-21", 1),), "O006 holds from 2026-11-21, after the edition of 2026-11-20"),
        ((price("2026-10-10", 1, "seen: 2026-10-09"),), "O006 before it held from 2026-10-10"),
        ((price("2026-10-10", 1, "seen: 2026-11-21"),), "O006 after the edition of 2026-11-20"),
        (
            (price("2026-06-01", 1, "seen: 2026-10-11"), price("2026-10-10", 1.1)),
            "O006 seen on 2026-10-11, after the next price held from 2026-10-10",
        ),
    ],
)
def test_dates_that_are_not_in_order_are_reported(tmp_path, prices, message):
    found = said(laid(tmp_path, offer(*prices)))
    assert begin(found, message) if message else found == []


def test_an_end_can_be_announced(tmp_path):
    end = "  - {from: 2027-01-01, reason: no longer offered}\n"
    assert said(laid(tmp_path, offer(price("2026-10-10", 1), end))) == []


def test_a_duplicate_offer_is_reported(tmp_path):
    one = offer(price("2026-10-10", 1))
    assert begin(
        said(laid(tmp_path, one, one)),
        "O007 'offer-2': the same provider, instance, region and term as 'offer-1'",
    )
    assert said(laid(tmp_path, one, one.replace("term:", "region: there\nterm:"))) == []
    year = offer(price("2026-10-10", 0.6), term="reserved", commitment="a year")
    assert said(laid(tmp_path, one, year, year.replace("a year", "3 years"))) == []


def test_a_reserved_offer_states_its_commitment(tmp_path):
    text = offer(price("2026-10-10", 1), term="reserved")
    assert begin(said(laid(tmp_path, text)), "S002 lacks the key 'commitment'")
