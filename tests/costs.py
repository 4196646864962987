"""A small plan whose phases have costs: accelerators, storage, egress and people."""

from __future__ import annotations

from pathlib import Path

from project import ROOT
from scalesheet.book import Book
from small import plan, said

FORMULAS = ("node-hours", "node-cost", "storage-cost", "egress-cost", "people-cost")
FILES = {
    f"formulas/{name}.yaml": (ROOT / "data" / "formulas" / f"{name}.yaml")
    .read_text("utf-8")
    .replace("{key: definition}", "a-paper")
    for name in FORMULAS
}
COSTS = """
headline: [total.cost]
limits: {total.cost: 20_000 USD}
scalars:
  begin: {value: 2026-01-05, unit: date}
  goodput: {value: 0.8, low: 0.7, high: 0.9, unit: 1, domain: positive-fraction}
  seeds: {value: 3, unit: 1, domain: count}
  offer: {ref: offers, value: offer}
  storage_price: {value: 0.07, unit: USD / (GB * month)}
  egress_price: {value: 0.12, low: 0.08, high: 0.12, unit: USD / GB}
  pay: {value: 60, low: 50, high: 75, unit: USD / hour}
phases:
  label: {title: Label, class: one_time, work: 80, people: 2, stored: 2 TB, stored_for: 3 months}
  train:
    title: Train
    class: per_seed
    after: [label]
    gpus: 3
    at_once: 2
    hours: {value: 20, low: 15, high: 30}
    stored: 500 GB
    egress: 100 GB
  serve: {title: Serve, class: one_time, after: [train], gpus: 1, hours: 12, accelerator_cost: 500}
  keep:
    title: Keep
    class: one_time
    after: [serve]
    stored: 1_500
    stored_for: 365 days
    storage_price: 0.015
"""


def costs_book(folder: Path) -> Book:
    examined = plan(folder, COSTS, FILES, name="costs")
    assert said(examined) == []
    assert examined.book is not None
    return examined.book
