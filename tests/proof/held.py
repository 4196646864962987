"""Decide what a run proves: everything, what the ledger lacks, or one plan in turn."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from proof import ledger
from proof.edits import Round
from proof.ledger import Entry, Face
from proof.subjects import PLANS, Subject

MARK = "HELD BY THE LEDGER:"
#: The maximum number of rounds for the plan whose turn it is, so that every run takes about as
#: long.
MOST_ROUNDS = 40


@dataclass(frozen=True)
class Task:
    """A face to prove under these conditions, or the reason why this run does not prove it."""

    subject: Subject
    face: Face
    conditions: dict[str, str]
    why: str  # why it is proved
    held: str = ""  # why it is not proved
    slice: bool = False  # prove only a share of the edits

    def rounds(self) -> tuple[list[Round], str]:
        """The edits to make, and a text that says how many of all these are."""
        rounds = self.subject.rounds(whole())
        times = -(-len(rounds) // MOST_ROUNDS) if self.slice else 1
        if times == 1:
            return rounds, f"all {len(rounds)} rounds"
        taken = rounds[ledger.seed()[0] // len(PLANS) % times :: times]
        return taken, f"{len(taken)} of {len(rounds)} rounds"

    def entry(self, found: dict[str, object]) -> Entry | None:
        """The entry for the ledger, in a run that proves with every edit."""
        if not (whole() and self.subject.ships):
            return None
        return ledger.entry(self.subject.plan.id, self.face, self.conditions, found)


def whole() -> bool:
    """Whether proofs use every edit and are written to the ledger."""
    return os.environ.get("SCALESHEET_PROOF") in ("all", "lacking")


def everything() -> bool:
    """Whether everything is proved, whatever the ledger holds.

    That is so in `make proof`, but not in `make ledger`, which proves what the ledger lacks.
    """
    return os.environ.get("SCALESHEET_PROOF") == "all"


def turn() -> str:
    """The plan whose turn it is in this commit."""
    return sorted(PLANS)[ledger.seed()[0] % len(PLANS)]


def task(subject: Subject, face: Face, program: str, entries: ledger.Ledger) -> Task:
    """The task for a face, which says whether this run proves it."""
    plan = subject.plan.id
    conditions = subject.conditions(face, program) if subject.ships else {}
    if not subject.ships:
        return Task(subject, face, conditions, "a small book is proved in every run")
    if everything():
        return Task(subject, face, conditions, "everything is proved")
    entry = entries.get(plan, {}).get(face)
    why = ledger.lacking(entry, conditions)
    if why is not None or entry is None:
        return Task(subject, face, conditions, str(why))
    if plan == turn() and not whole():
        return Task(subject, face, conditions, f"its turn, by {ledger.seed()[1]}", slice=True)
    counted = f"{entry['edits']:,} edits" if "edits" in entry else f"{entry['cells']:,} cells"
    held = f"{MARK} {face} of {plan}, {counted} proved"
    return Task(subject, face, conditions, "", held + (f" on {program}" if program else ""))


# ------------------------------------------------------------------ the end of a run


def skipped(reports: Iterable[Any]) -> list[str]:
    """The proofs that the ledger held, and whose turn it was, from reports of skipped tests."""
    found: set[str] = set()
    for report in reports:
        text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if MARK in text:
            found.add(text[text.index(MARK) :])
    said = f"the plan proved again, by {ledger.seed()[1]}: {turn()}"
    return [*sorted(found), said] if found else []


def written(entries: Iterable[tuple[str, Face, Entry]], exitstatus: int) -> str:
    """Write the ledger if every face of every plan has a proof; return a message about it."""
    found: ledger.Ledger = {} if everything() else ledger.read()
    for plan, face, entry in entries:
        found.setdefault(plan, {})[face] = entry
    found = {plan: found[plan] for plan in found if plan in PLANS}
    lacking = [(p, f) for p in PLANS for f in ledger.PROOF if f not in found.get(p, {})]
    if exitstatus or lacking:
        return f"the ledger was not written: {len(lacking)} faces lack a proof, see above"
    ledger.write(found)
    return f"the ledger was written: {sum(map(len, found.values()))} faces of {len(found)} plans"
