"""Audits of a few lines of claims on the minimal book, with a plan that has scenarios."""

from __future__ import annotations

from pathlib import Path

from scalesheet.audit.model import Audited, Judged
from scalesheet.examine import Examined, examine
from small import lay

HEAD = 'document: {id: "001", title: A paper, source: a-paper, file: paper.txt}\n'
PLAN = """
title: A small plan
summary: A few runs on one card.
source: a-paper
scenarios: [corrected, written]
scalars:
  speed:
    value: 1900
    low: 1800
    high: 2000
    unit: step / hour
    domain: positive
    source: {key: a-paper, locator: line 3}
    written: {value: 2000, source: {key: a-paper, locator: lines 5 and 9-11}}
  cards: {value: 1, unit: GPU, domain: count, source: {key: a-paper, locator: line 4}}
  cores: {at_least: 32, unit: 1, source: {key: a-paper, locator: line 4}}
  gpu: {ref: hardware, value: card, source: {key: a-paper, locator: line 4}}
  optimizer: {text: yes, value: AdamW, source: {key: a-paper, locator: line 6}}
  need: {value: 30, unit: GB, source: {key: a-paper, locator: line 6}}
  share: {value: 0.35, unit: 1, source: {key: a-paper, locator: line 7}}
  fast: {value: 10, low: 8, high: 12, unit: hour, source: {key: a-paper, locator: line 8}}
tables:
  runs:
    columns:
      steps: {unit: step, domain: count, source: {key: a-paper, locator: lines 20-29}}
      hours: {unit: hour, formula: steps / speed}
    rows:
      one: {steps: 1000}
      two: {steps: 5000}
      three: {steps: 10_000}
    total: [steps, hours]
"""


def examined(folder: Path, claims: str, *, head: str = HEAD) -> Examined:
    """The minimal book with PLAN and these claims."""
    files = {"plans/paper/plan.yaml": PLAN, "plans/paper/claims.yaml": head + claims}
    return examine(lay(folder, files))


def audited(folder: Path, claims: str) -> Audited:
    """The audit of these claims, whatever verdicts they expect."""
    found = examined(folder, claims)
    assert "paper" in found.audits, found.diagnostics
    return found.audits["paper"]


def judged(folder: Path, **claim: str) -> Judged:
    """A judged claim, on line 4 unless `id` says otherwise: `judged(folder, says="32", ...)`."""
    id_ = claim.pop("id", "001-L004-01")
    claim = {"quote": "x", "expect": "input", **claim}
    lines = "".join(f"    {key}: {value}\n" for key, value in claim.items())
    return audited(folder, f"claims:\n  {id_}:\n{lines}").claims[0]


def told(folder: Path, claims: str, *, head: str = HEAD) -> list[tuple[int, str, str]]:
    """Line, code and message of every error in the claims."""
    return [(d.line, d.code, d.message) for d in examined(folder, claims, head=head).diagnostics]
