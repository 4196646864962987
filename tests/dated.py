"""A small plan with dates: people, holidays, phases that share accelerators, deadlines."""

from __future__ import annotations

from pathlib import Path

from scalesheet.book import Book
from small import plan, said

DATED = """
headline: [total.end_date]
limits: {total.end_date: 2026-01-30}
scalars:
  begin: {value: 2026-01-05, unit: date}
  goodput: {value: 0.8, unit: 1, domain: positive-fraction}
  seeds: {value: 3, unit: 1, domain: count}
  gpus_to_share: {value: 8, unit: GPU}
tables:
  holidays:
    columns: {day: {unit: date}}
    rows: {epiphany: {day: 2026-01-06}, fair: {day: 2026-01-28}}
phases:
  label: {title: Label, class: one_time, work: 80, people: 2}
  train:
    title: Train
    class: per_seed
    after: [label]
    gpus: 4
    hours: {value: 20, low: 15, high: 40}
    deadline: 2026-01-20
  serve: {title: Serve, class: one_time, after: [label], gpus: 8, gpu_hours: 100}
  judge:
    title: Judge
    class: per_run
    after: [train]
    gpus: 2
    hours: 3
    work: 10
    times: {model: [base, long, clean]}
  report:
    title: Report
    class: one_time
    after: [judge, serve]
    work: {value: 24, low: 16, high: 40}
    not_before: 2026-01-24
"""


#: The same with other weeks: one for the people of all phases, two in the plan's own formulas.
WEEKS = """
  opening: {unit: date, formula: "workday(begin, seeds, 'mon-sat')"}
  closing: {unit: date, formula: "workday(opening, 3 * seeds, holidays.day, 'fri-mon')"}
  goodput:"""
SUNDAYS = "\nweek: sun-thu" + DATED.replace("\n  goodput:", WEEKS)


def sundays_book(folder: Path) -> Book:
    return dated_book(folder, SUNDAYS, "sundays")


def dated_book(folder: Path, text: str = DATED, name: str = "dated") -> Book:
    examined = plan(folder, text, name=name)
    assert said(examined) == []
    assert examined.book is not None
    return examined.book
