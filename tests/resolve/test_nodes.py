"""Nodes become a table that plans and offers refer to; the sum of their parts is checked."""

from pathlib import Path

import pytest

from runs import UNITS
from scalesheet.examine import Examined, examine
from small import MINIMAL, lay, plan, said

NODE = """\
title: A machine
vendor: A vendor
accelerator: card
accelerators: {value: 8, unit: GPU / node, kind: spec, source: a-vendor}
host_memory: {value: 2, unit: TiB / node, kind: spec, source: a-vendor}
network: {value: 3200, unit: Gbit / (second * node), kind: spec, source: a-vendor}
power: {value: 6, unit: kW / node, kind: spec, source: a-vendor}
"""
CAPPED = NODE.replace("value: 6,", "value: 3,") + "unusual: {power: They are capped.}\n"
ALL_UNITS = UNITS + (
    "  core: {dimension: core, symbol: core, title: core, counted: yes}\n"
    "  TB: {is: 1e12 * byte, symbol: TB, title: terabyte}\n"
    "  TiB: {is: 1024 * GiB, symbol: TiB, title: tebibyte}\n"
    "  bit: {is: 0.125 * byte, symbol: bit, title: bit}\n"
    "  Gbit: {is: 1e9 * bit, symbol: Gbit, title: gigabit}\n"
    "  kW: {is: 1e3 * W, symbol: kW, title: kilowatt}\n"
)
OFFER = (MINIMAL / "rates" / "offer.yaml").read_text("utf-8")
EIGHT = OFFER.replace("accelerators: 1", "accelerators: 8\nnode: machine")


def book(folder: Path, scalars: str, node: str = NODE, offer: str = EIGHT) -> Examined:
    files = {"nodes/machine.yaml": node, "units.yaml": ALL_UNITS, "rates/offer.yaml": offer}
    return plan(
        folder, f"scalars:\n  machine: {{ref: nodes, value: machine}}\n  {scalars}\n", files
    )


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("x: {unit: GiB / node, formula: machine.host_memory}", 2048),
        ("x: {unit: GB / (second * GPU), formula: machine.network_per_gpu}", 50),
        ("x: {unit: W / GPU, formula: machine.power_per_gpu}", 750),
        ("x: {unit: W / node, formula: machine.host_power}", 6000 - 8 * 450),
        ("x: {unit: W / GPU, formula: machine.accelerator.power}", 450),
        ("x: {unit: W / node, formula: \"offers['offer'].node.power\"}", 6000),
    ],
)
def test_a_plan_computes_with_a_node(tmp_path: Path, scalar: str, value: float) -> None:
    examined = book(tmp_path, scalar)
    assert said(examined) == []
    assert examined.results["small"].scalars["x"].value == pytest.approx(value)


def test_an_offer_without_a_node_has_a_reason(tmp_path: Path) -> None:
    examined = book(
        tmp_path, "x: {unit: W / node, formula: \"offers['offer'].node.power\"}", offer=OFFER
    )
    assert examined.results["small"].scalars["x"].reason == "not in the catalogue"


def test_a_book_without_nodes_has_no_column_for_them(tmp_path: Path) -> None:
    examined = examine(lay(tmp_path, {}))
    assert examined.book is not None
    assert "node" not in examined.book.tables["offers"].columns
    assert "nodes" not in examined.book.tables


@pytest.mark.parametrize(
    ("node", "offer", "message"),
    [
        (NODE, EIGHT, ""),
        (NODE.replace("value: 6,", "value: 0.6,"), EIGHT, "V009 0.6 kW, less than 8 accelerators"),
        (CAPPED, EIGHT, ""),
        (
            NODE,
            EIGHT.replace("accelerators: 8", "accelerators: 4"),
            "V009 'machine' has 8 x card, the offer 4 x card",
        ),
        (
            NODE.replace("accelerator: card", "accelerator: cart"),
            EIGHT,
            "N002 'cart' is not in hardware; did you mean 'card'?",
        ),
        (NODE.replace("kW / node", "kW"), EIGHT, "U002 'power' is in"),
        (NODE.replace("value: 8,", "value: 7.5,"), EIGHT, "V002 accelerators: expected 1, 2, 3"),
    ],
)
def test_a_bad_node_is_reported(tmp_path: Path, node: str, offer: str, message: str) -> None:
    found = said(book(tmp_path, "x: {unit: 1, value: 1}", node, offer))
    assert [each.startswith(message) for each in found] == ([True] if message else [])


def test_the_reason_why_a_node_is_unusual_is_in_its_note(tmp_path: Path) -> None:
    examined = book(tmp_path, "x: {unit: 1, value: 1}", CAPPED)
    assert examined.book is not None
    assert examined.book.tables["nodes"].row_notes["machine"] == "Unusual: They are capped."


def test_a_node_with_an_unknown_count_fits_any_offer_of_its_accelerator(tmp_path: Path) -> None:
    unknown = NODE.replace(
        "accelerators: {value: 8, unit: GPU / node, kind: spec, source: a-vendor}",
        "accelerators: {reason: the maker does not say}",
    ).replace("power: {value: 6,", "power: {value: 9,")
    assert said(book(tmp_path, "x: {value: 1, unit: 1, kind: decision}", unknown)) == []
