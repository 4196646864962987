"""Costs of phases: by part and in total, with a reason where a price is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from costs import COSTS, FILES
from scalesheet.evaluate import evaluate
from scalesheet.values import Results
from shipped import shipped_book
from small import plan, said


def computed(folder: Path, text: str = COSTS) -> Results:
    examined = plan(folder, text, FILES)
    assert [s for s in said(examined) if not s.startswith("V005")] == []
    assert examined.book is not None
    return evaluate(examined.book, examined.book.plans["small"])


def column(results: Results, name: str) -> list[float | str]:
    return [cell.reason or float(cell.value or 0) for cell in results.tables["phases"][name]]


def test_each_part_is_the_billed_amount_times_its_price(tmp_path: Path) -> None:
    results = computed(tmp_path)
    month = 730.0
    offer = results.tables["offers"]
    price = float(offer["node_price"][0].value)
    each = float(offer["gpus"][0].value)
    rounds, gross = 2, 20 / 0.8
    machines = -(-6 // each)  # two runs on three accelerators each, in parallel
    assert column(results, "accelerator_cost") == pytest.approx(
        [0, machines * rounds * gross * price, 500, 0]
    )
    train = 500 * gross / month * 0.07 * 3
    keep = 1_500 * 365 * 24 / month * 0.015
    assert column(results, "storage_cost") == pytest.approx([2_000 * 3 * 0.07, train, 0, keep])
    assert column(results, "egress_cost") == pytest.approx([0, 100 * 0.12 * 3, 0, 0])
    assert column(results, "people_cost") == pytest.approx([80 * 60, 0, 0, 0])
    parts = ("accelerator_cost", "storage_cost", "egress_cost", "people_cost")
    for name in parts:
        total = results.scalars[f"phases.total.{name}"].value
        assert total == pytest.approx(sum(map(float, column(results, name))))
    total = results.scalars["phases.total.cost"]
    assert total.value == pytest.approx(
        sum(sum(map(float, column(results, name))) for name in parts)
    )
    assert total.low < total.value < total.high


def test_a_missing_price_is_a_reason_in_its_part_and_in_the_total(tmp_path: Path) -> None:
    lines = [line for line in COSTS.splitlines() if not line.startswith("  egress_price")]
    results = computed(tmp_path, "\n".join(lines))
    lacks = "not every phase has a price: train needs egress_price"
    assert column(results, "egress_cost") == [0, "no price is stated", 0, 0]
    assert column(results, "cost")[1] == "no price is stated"
    assert results.scalars["phases.total.cost"].reason == lacks
    assert results.scalars["phases.total.egress_cost"].reason == lacks
    assert results.scalars["phases.total.storage_cost"].value > 0


def test_a_phase_without_an_offer_says_so(tmp_path: Path) -> None:
    text = COSTS.replace("  offer: {ref: offers, value: offer}\n", "")
    results = computed(tmp_path, text)
    assert column(results, "accelerator_cost") == [0, "no offer is stated", 500, 0]
    why = "not every phase has a price: train needs offer"
    assert results.scalars["phases.total.cost"].reason == why


def test_an_offer_alone_adds_no_costs(tmp_path: Path) -> None:
    text = """
    scalars:
      goodput: {value: 0.8, unit: 1}
      offer: {ref: offers, value: offer}
    phases:
      train: {title: Train, class: one_time, gpus: 1, hours: 10}
    """
    assert "cost" not in computed(tmp_path, text).tables["phases"]
    asked = computed(tmp_path, text + "total: [gpu_hours, cost]\n    ")
    assert asked.scalars["phases.total.cost"].value == pytest.approx(
        10 / 0.8 * float(asked.tables["offers"]["node_price"][0].value)
    )


def test_storage_without_accelerators_needs_a_duration(tmp_path: Path) -> None:
    text = COSTS.replace("    stored_for: 365 days\n", "")
    expected = "S002 storage needs a duration, since the phase has no accelerator time"
    assert any(line.startswith(expected) for line in said(plan(tmp_path, text, FILES)))


def test_a_price_in_a_wrong_unit_is_reported_at_the_price(tmp_path: Path) -> None:
    examined = plan(tmp_path, COSTS.replace("75, unit: USD / hour", "75, unit: USD"), FILES)
    (message,) = [each for each in examined.diagnostics if each.severity == "error"]
    assert message.message == (
        "'pay' is what the phases pay: expected USD / hour, found USD; give it in USD / hour"
    )
    lines = Path(message.path).read_text("utf-8").splitlines()
    assert lines[message.line - 1].strip().startswith("pay:")


def test_every_price_of_the_catalogue_has_a_quote_with_its_number() -> None:
    book = shipped_book()
    for name in ("stores", "traffic"):
        stated = book.tables[name].columns["price"].stated
        assert len(stated) > 5
        for row, cell in stated.items():
            assert cell.citation is not None, row
            assert cell.citation.quote, row
