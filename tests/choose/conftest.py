"""The shipped book, its calculator, and searches for a job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest

from scalesheet.book import Book
from scalesheet.choose.job import PLAN, Assumptions, Job, assumptions
from scalesheet.choose.search import Search, search
from scalesheet.model import Plan, Stated
from scalesheet.predict.cases.catalogue import Known, known
from scalesheet.vocabulary import TUNING
from shipped import shipped_book

#: A job that fits many offers.
JOB = Job(
    model="llama-3-1-8b",
    methods=TUNING,
    tokens=1e9,
    sequence=4096.0,
    batch=128.0,
    deadline=72.0,
    certain=True,
    most_gpus=64.0,
    wide=False,
)
Find = Callable[..., Search]


@pytest.fixture(scope="session")
def book() -> Book:
    return shipped_book()


@pytest.fixture(scope="session")
def plan(book: Book) -> Plan:
    return book.plans[PLAN]


@pytest.fixture(scope="session")
def catalogue(book: Book) -> Known:
    return known(book)


@pytest.fixture(scope="session")
def assumed(book: Book, plan: Plan) -> Assumptions:
    return assumptions(book, plan, {})


@pytest.fixture(scope="session")
def find(book: Book, catalogue: Known, assumed: Assumptions) -> Find:
    """Search for the job with these wishes and this usable share of memory.

    Repeated calls with the same wishes search once.
    """

    @lru_cache(maxsize=24)
    def of(job: Job, share: float | None) -> Search:
        usable = {} if share is None else {"usable_share": Stated(share, share, share)}
        stated = {**assumed.stated, **usable}
        return search(book, catalogue, job, replace(assumed, stated=stated))

    def found(share: float | None = None, **other: Any) -> Search:
        return of(replace(JOB, **other), share)

    return found
