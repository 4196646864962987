"""The search: properties of every answer, the effect of looser limits, and no cheaper row left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from choose.conftest import JOB, Find
from editions import edition_of
from project import draws
from scalesheet.book import Book
from scalesheet.choose.answer import Row, answer, inputs
from scalesheet.choose.binding import LIMITS, WORTH, Relaxed, misses, relaxed
from scalesheet.choose.evidence import Basis, basis
from scalesheet.choose.job import PLAN, Assumptions
from scalesheet.choose.offers import counts
from scalesheet.choose.search import Search, search
from scalesheet.evaluate import evaluate
from scalesheet.model import Plan
from scalesheet.predict.cases.catalogue import Known
from shipped import shipped


@pytest.fixture(scope="module")
def evidence(book: Book, catalogue: Known) -> Basis:
    made = basis(book, edition_of(shipped()).scores, catalogue.results)
    assert made is not None
    return made


@pytest.fixture(scope="module")
def found(find: Find) -> Search:
    return find()


def cheapest(found: Search) -> float:
    best = found.best(found.good)
    return np.inf if best is None else float(found.cost[best])


def test_stale_prices_are_searched_only_by_name(book: Book, found: Search, find: Find) -> None:
    stale = {offer for offer, unseen in book.unseen.items() if unseen.stale}
    assert stale
    assert not stale & set(found.offers.ids)
    named = "aws-g5-48xlarge"
    assert named in stale
    assert find(offers=(named,)).offers.ids == (named,)


def test_the_answer_fits_meets_the_deadline_and_is_the_cheapest(found: Search) -> None:
    best = found.best(found.good)
    assert best is not None
    at = found.at[best]
    assert found.most[at] <= found.usable[at]
    assert found.late[best] <= found.job.deadline
    assert found.grid.gpus[at] <= found.job.most_gpus
    assert found.cost[best] <= found.cost[found.good].min() * (1 + 1e-9)


def test_the_best_of_each_offer_is_the_best_of_its_rows(found: Search) -> None:
    assert found.best_of_each(found.good) == [
        found.best(found.good & (found.of == place)) for place in range(len(found.offers))
    ]


def test_scaling_is_not_free(find: Find) -> None:
    """At the same hourly price, more accelerators never cost less, since each start is paid."""
    found = find(methods=("lora",), offers=("digitalocean-mi300x", "digitalocean-8x-mi300x"))
    best = found.best(found.good)
    assert best is not None
    gpus = found.grid.gpus[found.at]
    least = [found.cost[found.good & (gpus == count)].min() for count in (1, 8)]
    assert gpus[best] == gpus[found.good].min() < gpus[found.good].max()
    assert least[-1] > least[0]


def test_a_short_run_pays_the_minimum_billed_time(find: Find) -> None:
    found = find(tokens=1e5, methods=("lora",))
    machines = np.ceil(found.grid.gpus[found.at] / found.offers.per_node[found.of])
    assert found.wall.min() < 0.01
    assert (found.cost >= machines * found.offers.price[found.of] * (1 - 1e-9)).all()


def test_spot_runs_on_more_nodes_are_interrupted_more_often(find: Find) -> None:
    wishes = {"methods": ("lora",), "batch": 512.0}
    found = find(terms=("spot", "on-demand"), **wishes)
    spot = np.array(found.offers.terms)[found.of] == "spot"
    machines = np.ceil(found.grid.gpus[found.at] / found.offers.per_node[found.of])
    longer = found.wall * found.grid.gpus[found.at] / found.gross[found.at]
    assert longer[~spot] == pytest.approx(1)
    assert longer[spot] == pytest.approx(1 + 0.2 * machines[spot] * 0.5 / 24)
    assert machines[spot].max() > 1


def test_only_requested_methods_are_chosen_and_fp8_is_an_alternative(
    book: Book, plan: Plan, find: Find
) -> None:
    found = find(methods=("lora",), wide=True)
    made = answer(book, plan, found, {})
    assert made.best is not None
    assert made.best["utilisation"].value
    precision = {row.why: found.grid.precision[found.at[row.row]] for row in made.others}
    assert precision.pop("in FP8") == "FP8"
    assert set(precision.values()) == {"16 bit"}
    assert found.grid.precision[found.at[made.best.row]] == "16 bit"
    assert set(found.grid.offload.tolist()) == {"none", "states", "states and weights"}


def test_long_sequences_can_use_context_parallelism(find: Find) -> None:
    assert set(find().grid.context.tolist()) == {1.0}
    made = find(methods=("pretrain",), sequence=65_536.0, batch=64.0, wide=True).grid
    assert set(made.context.tolist()) == {1.0, 2.0, 4.0, 8.0}


def test_an_answer_with_evidence_is_preferred_if_it_costs_little_more(
    book: Book, plan: Plan, find: Find, evidence: Basis
) -> None:
    found = find(methods=("lora",), wide=True)
    made = answer(book, plan, found, {}, evidence)
    assert made.best is not None
    cheapest = found.best(found.good)
    assert cheapest is not None
    unknown = evidence.unknown(found)
    assert unknown[cheapest] > unknown[made.best.row] == 0
    assert made.best.why == "preferred"
    assert (made.others[0].why, made.others[0].row) == ("cheapest", cheapest)
    ratio = found.cost[made.best.row] / found.cost[cheapest]
    assert 1 < ratio <= evidence.said.near ** unknown[cheapest]
    known = found.good & (unknown == 0)
    assert found.cost[made.best.row] == pytest.approx(found.cost[known].min())


def test_candidates_take_the_plans_hours_and_memory(book: Book, found: Search) -> None:
    """They are the plan's figures with the candidate's inputs."""
    plan = book.plans[PLAN]
    for row in range(0, len(found.at), len(found.at) // 25):
        at = found.at[row]
        results = evaluate(book, plan, inputs(book, plan, found, row))
        hours, most = (
            results.scalars[plan.roles[role].name] for role in ("run_hours", "most_memory")
        )
        assert found.gross[at] == pytest.approx(hours.value, rel=1e-12)
        assert found.most[at] == pytest.approx(most.value * 2**30, rel=1e-12)


def test_every_layout_divides_evenly(found: Search) -> None:
    made = found.grid
    ways = made.tensor * made.pipeline
    replicas = made.gpus / ways
    assert (replicas == np.floor(replicas)).all()
    assert (found.job.batch % (replicas * made.micro_batch) == 0).all()
    assert (made.stage[replicas == 1] == 0).all()
    assert (ways == 1).all(), "a general trainer splits no model"


def test_pipelines_use_no_gradient_sharding_and_are_filled(find: Find) -> None:
    made = find(methods=("pretrain",), batch=512.0).grid
    assert (made.pipeline > 1).any()
    assert (made.stage[made.pipeline > 1] <= 1).all()
    in_a_step = made.gpus / (made.tensor * made.pipeline) * made.micro_batch * made.pipeline
    assert (in_a_step[made.pipeline > 1] <= 512).all()


@pytest.mark.parametrize(
    ("per_node", "includes", "most", "expected"),
    [
        (8, "complete machine", 32.0, [1, 2, 4, 8, 16, 24, 32]),
        (4, "complete machine", 32.0, [1, 2, 4]),  # smaller nodes are not joined
        (1, "complete machine", 32.0, [1]),
        (1, "GPU with its share of the host", 32.0, [1, 2, 4, 8]),  # shares of nodes with 8
        (1, "GPU with its share of the host in a cluster", 24.0, [1, 2, 4, 8, 16, 24]),
        (8, "complete machine", 2.0, [1, 2]),
    ],
)
def test_the_gpu_counts_that_an_offer_allows(
    per_node: int, includes: str, most: float, expected: list[int]
) -> None:
    assert list(counts(per_node, includes, most)) == expected


def test_part_of_a_node_costs_the_whole_node(find: Find) -> None:
    found = find(offers=("lambda-8x-h100-sxm",))
    at = found.at
    start = 15 / 60 + 8.03e9 * 2 / 1e9 / 3600  # with the download of 16-bit weights
    paid = np.maximum(1, found.wall + start)
    whole = np.ceil(found.grid.gpus[at] / 8) * paid * found.offers.price[0]
    assert found.cost == pytest.approx(whole, rel=1e-4)
    assert (found.grid.gpus < 8).any()


def test_a_looser_limit_never_costs_more(find: Find) -> None:
    costs = [cheapest(find(deadline=hours)) for hours in (4.0, 12.0, 48.0, 480.0)]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] > costs[-1], "a deadline binds"
    costs = [cheapest(find(most_gpus=most)) for most in (1.0, 4.0, 64.0)]
    assert costs == sorted(costs, reverse=True)
    assert cheapest(find(certain=False)) <= cheapest(find(certain=True))


def test_less_usable_memory_never_costs_less(find: Find) -> None:
    costs = [cheapest(find(share)) for share in (0.97, 0.6, 0.3)]
    assert costs == sorted(costs)
    assert costs[0] < costs[-1]


def bound(find: Find, limit: str) -> tuple[Search, int, Relaxed]:
    """A search in which a limit binds: the first one that does when tightening it."""
    many = {"batch": 1024.0, "most_gpus": 1024.0}
    wishes: Mapping[str, Sequence[Mapping[str, Any]]] = {
        "deadline": [{"deadline": 64 / 2**n, **many} for n in range(9)],
        "memory": [{"methods": ("full",), "most_gpus": 2.0**n} for n in range(6, -1, -1)],
        "accelerators": [{"methods": ("full",), "most_gpus": 2.0**n} for n in range(6, -1, -1)],
    }
    for wish in wishes[limit]:
        found = find(**wish)
        best = found.best(found.good)
        if best is None:
            break
        for each in relaxed(found, best):
            if each.limit == limit:
                return found, best, each
    raise AssertionError(f"{limit} never binds")


@pytest.mark.parametrize("limit", LIMITS)
def test_a_relaxed_answer_breaks_only_the_binding_limit(find: Find, limit: str) -> None:
    found, best, loose = bound(find, limit)
    row = loose.row
    met = {"deadline": found.in_time, "memory": found.fits, "accelerators": found.few}
    assert [name for name in LIMITS if not met[name][row]] == [limit]
    assert found.cost[row] < found.cost[best] * (1 - WORTH)
    assert loose.saving == pytest.approx(1 - found.cost[row] / found.cost[best])


def test_a_search_with_the_named_deadline_finds_the_relaxed_answer(find: Find) -> None:
    tight, _, loose = bound(find, "deadline")
    needed = float(tight.late[loose.row])
    again = find(deadline=needed * (1 + 1e-9), batch=1024.0, most_gpus=1024.0)
    assert cheapest(again) <= tight.cost[loose.row] * (1 + 1e-9)


def test_if_nothing_fits_the_nearest_misses_are_reported(find: Find) -> None:
    found = find(model="llama-3-1-405b", methods=("full",), offers=("vast-rtx4090",))
    assert found.best(found.good) is None
    told = misses(found)
    assert told
    assert all("memory" in miss.limits for miss in told)


def test_the_figures_of_plan_and_search_are_the_same(book: Book, plan: Plan, find: Find) -> None:
    for wishes in ({}, {"methods": ("pretrain",), "certain": False, "batch": 512.0}):
        found = find(**wishes)
        made = answer(book, plan, found, {})
        assert made.best is not None
        rows: list[Row] = [made.best, *(row for _, row in made.binding), *made.others]
        assert len(rows) > 5
        for row in rows:
            at = found.at[row.row]
            elapsed = row["elapsed_hours"]
            late = elapsed.high if found.job.certain else elapsed.value
            assert row["cost"].value == pytest.approx(found.cost[row.row], rel=1e-12)
            assert row["hours"].value == pytest.approx(found.wall[row.row], rel=1e-12)
            assert late == pytest.approx(found.late[row.row], rel=1e-12)
            assert row["most_memory"].value == pytest.approx(found.most[at] / 2**30, rel=1e-12)
            assert row["usable_memory"].value == pytest.approx(found.usable[at] / 2**30, rel=1e-12)
            assert (row["verdict"].value == "fits") == bool(found.fits[row.row])


def test_the_same_search_gives_the_same_rows(
    found: Search, book: Book, catalogue: Known, assumed: Assumptions
) -> None:
    one, other = found, search(book, catalogue, JOB, assumed)
    assert (one.cost == other.cost).all()
    assert one.best(one.good) == other.best(other.good)


@settings(max_examples=draws(15))
@given(
    model=some.sampled_from(["qwen2-0-5b", "llama-3-1-8b", "mixtral-8x7b", "llama-3-1-70b"]),
    batch=some.sampled_from([1.0, 6.0, 64.0, 1000.0]),
    tokens=some.floats(1e6, 1e13),
    sequence=some.sampled_from([128.0, 2048.0, 32768.0]),
    hours=some.floats(0.1, 1e5),
    method=some.sampled_from(["pretrain", "full", "lora", "qlora"]),
)
def test_every_job_has_an_answer_or_a_reason_why_not(
    find: Find,
    model: str,
    batch: float,
    tokens: float,
    sequence: float,
    hours: float,
    method: str,
) -> None:
    found = find(
        model=model,
        batch=batch,
        tokens=tokens,
        sequence=sequence,
        deadline=hours,
        methods=(method,),
    )
    best = found.best(found.good)
    if best is not None:
        assert np.isfinite(found.cost[best])
        assert found.cost[best] > 0
    else:
        assert misses(found)
    assert (found.job.batch % found.grid.micro_batch == 0).all()


def test_the_job_of_these_tests_is_the_plans(plan: Plan) -> None:
    stated = plan.scalars["model"].stated
    assert stated is not None
    assert stated.value == JOB.model
