"""The memory ledger of a made-up trace, compared with values computed manually."""

from __future__ import annotations

from typing import Any

import pytest

from scalesheet_bench.train.ledger import held

WEIGHTS = {1: 100.0, 2: 20.0}
STATES = {3: 240.0}


def span(part: str, begin: float, end: float) -> dict[str, Any]:
    name = f"scalesheet {part}"
    return {"cat": "user_annotation", "name": name, "ts": begin, "dur": end - begin}


def change(when: float, address: int, size: float, device: int = 0) -> dict[str, Any]:
    args = {"Addr": address, "Bytes": size, "Device Type": device}
    return {"cat": "cpu_instant_event", "name": "[memory]", "ts": when, "args": args}


def a_pass(start: float) -> list[dict[str, Any]]:
    """Ten microseconds: an input of 8, a temporary 50, activations of 30 that backward frees."""
    return [
        span("data", start, start + 2),
        change(start + 1, 10, 8),
        span("forward", start + 2, start + 5),
        change(start + 3, 11, 50),
        change(start + 3.5, 11, -50),
        change(start + 4, 11, 30),
        span("backward", start + 5, start + 9),
        change(start + 6, 12, 70),
        change(start + 7, 11, -30),
        change(start + 8, 12, -70),
        change(start + 8.5, 10, -8),
    ]


def gradients_made(when: float) -> list[dict[str, Any]]:
    return [change(when, 20, 100), change(when, 21, 20)]


UPDATE = [
    span("optimizer", 9, 10),
    change(9.5, 12, 5),
    change(9.6, 12, -5),
    change(9.7, 20, -100),
    change(9.8, 21, -20),
]
GRADIENTS = {20: 100.0, 21: 20.0}


def test_a_step_of_one_pass():
    events = [*a_pass(0), *gradients_made(8.2), *UPDATE]
    found = held(events, "cpu", WEIGHTS, STATES, GRADIENTS)
    assert (found.weights, found.gradients, found.optimizer) == (120, 120, 240)
    assert found.activations == 8 + 30, "what was freed before the pass ended is none"
    assert found.peak == 360 + 8 + 120, "gradients are there when the input still is"
    assert found.activations_at_peak == 8
    assert found.gradients_at_peak == 120
    assert found.working == 0
    assert found.moment == "backward"


def test_a_reused_address_is_another_block():
    """The gradient has the address of an earlier activation; they are counted separately."""
    events = [*a_pass(0), change(8.2, 11, 100), change(8.2, 21, 20), span("optimizer", 9, 10)]
    found = held(events, "cpu", WEIGHTS, STATES, {11: 100.0, 21: 20.0})
    assert found.activations == 38
    assert found.gradients == 120
    assert found.gradients_at_peak == 120


def test_the_peak_in_backward_includes_its_working_memory():
    found = held([*a_pass(0), span("optimizer", 9, 10)], "cpu", WEIGHTS, STATES, {})
    assert found.peak == 360 + 8 + 30 + 70
    assert (found.activations_at_peak, found.working) == (38, 70)


def test_gradients_in_buckets_exist_before_the_step():
    found = held([*a_pass(0), span("optimizer", 9, 10)], "cpu", WEIGHTS, STATES, {99: 120.0})
    assert found.peak == 360 + 120 + 8 + 30 + 70
    assert found.gradients_at_peak == found.gradients == 120


def test_the_last_of_two_passes_counts_and_gradients_stay_in_between():
    first = a_pass(-10)
    events = [*first, *gradients_made(-1.5), *a_pass(0), *UPDATE]
    found = held(events, "cpu", WEIGHTS, STATES, GRADIENTS)
    assert found.peak == 360 + 120 + 8 + 30 + 70
    assert found.gradients_at_peak == 120
    assert found.activations == 38


def test_gathered_weights_are_not_activations():
    events = [change(2.5, 50, 60), *a_pass(0), change(8.6, 50, -60), span("optimizer", 9, 10)]
    found = held(events, "cpu", WEIGHTS, STATES, {}, [{50}])
    assert found.activations == 38
    assert found.working == 70 + 60


def test_an_accelerator_starts_from_its_allocators_memory():
    events = [*a_pass(0), span("optimizer", 9, 10)]
    for event in events:
        if "args" in event:
            event["args"]["Device Type"] = 1
    host = [change(4, 77, 1e9)]
    found = held([*events, *host], "cuda", WEIGHTS, STATES, {}, (), 1000.0)
    assert found.peak == 1000 + 108
    assert found.working == 1000 - 360 + 70, "what libraries keep is working memory"


def test_the_average_is_over_the_time_of_the_step():
    events = [
        span("data", 0, 2),
        span("forward", 2, 4),
        span("backward", 4, 8),
        span("optimizer", 8, 10),
        change(2, 10, 40),
        change(7, 10, -40),
    ]
    found = held(events, "cpu", {1: 10.0}, {}, {})
    assert found.average == pytest.approx(10 + 40 * 5 / 10)
    assert found.peak == 50
