"""Evaluates an audit: every claim with its verdict, findings and headlines with their values.

Claims were bound with their plan, so that here everything has a name, a unit and a position in the
order of computation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from scalesheet.audit.checks import broken_checks
from scalesheet.audit.consequences import with_consequences
from scalesheet.audit.explain import arithmetic, because
from scalesheet.audit.model import Audited, Judged, Moved, Shown, Totals
from scalesheet.audit.verdicts import Decided, decide, why_no_input
from scalesheet.audit.worst import weight
from scalesheet.book import Book
from scalesheet.claims import Audit, Claim, Finding, Headline
from scalesheet.evaluate import evaluate
from scalesheet.model import Formula, Key, Plan, Quantity
from scalesheet.resolve.lowering.scalars import SCENARIO
from scalesheet.values import Results


def judge(book: Book) -> dict[str, Audited]:
    """Every audit in the book by id, with its claims, findings and headlines.

    Headlines have no present values; see `with_present`.
    """
    result: dict[str, Audited] = {}
    for plan in book.plans.values():
        audits = [audit for audit in book.audits.values() if audit.plan == plan.id]
        if audits:
            result.update({each.audit.id: each for each in _of_plan(book, plan, audits)})
    return result


def with_present(audited: Audited, present: Results) -> Audited:
    """An audit with the present values of the headlines."""
    moved = (replace(each, now=present.scalars.get(each.quantity.name)) for each in audited.moved)
    return replace(audited, moved=tuple(moved))


def _of_plan(book: Book, plan: Plan, audits: Sequence[Audit]) -> Iterator[Audited]:
    """The audits of a plan's documents.

    Figures are compared in the plan's second scenario, that of the documents; the plan's own
    quantities are shown in the first.
    """
    plan = _with_claims(book.compared(plan.id), audits[0])
    corrected = evaluate(book, plan)
    written = corrected
    if len(plan.scenarios) > 1:
        written = evaluate(book, plan, {Key(SCENARIO): plan.scenarios[1]})
    claims = {id_: claim for audit in audits for id_, claim in audit.claims.items()}
    decided = decide(audits, written, book.units)
    decided = with_consequences(book, plan, claims, decided, written, corrected)
    then = plan.headline if plan.id in book.audited else ()
    moved = tuple(Moved(plan.scalars[each], corrected.scalars[each], None) for each in then)
    broken = broken_checks(plan, audits, written, book.units)
    for audit in audits:
        judged = partial(
            _judged, audit=audit, plan=plan, book=book, written=written, corrected=corrected
        )
        shown = [_shown(finding, plan, book, written) for finding in audit.findings]
        yield Audited(
            audit=audit,
            claims=tuple(
                judged(claim, decided[claim.id])
                for claim in sorted(audit.claims.values(), key=lambda claim: claim.id)
            ),
            findings=_worst_first(audit, written, [*shown, *broken[audit.id]]),
            headlines=tuple(_totals(h, plan, book, written, corrected) for h in audit.headlines),
            moved=moved,
        )


def _with_claims(plan: Plan, audit: Audit) -> Plan:
    """The plan with the claims of all its documents as additional scalars, computed last."""
    return replace(
        plan, scalars={**plan.scalars, **audit.scalars}, order=(*plan.order, *audit.order)
    )


def _formula(plan: Plan, name: str) -> tuple[Quantity, Formula]:
    scalar = plan.scalars[name]
    assert scalar.formula is not None
    return scalar, scalar.formula


def _judged(
    claim: Claim,
    decided: Decided,
    *,
    audit: Audit,
    plan: Plan,
    book: Book,
    written: Results,
    corrected: Results,
) -> Judged:
    target = claim.target
    shown = corrected.scalars[target.scalar] if target and target.scalar else None
    computed = written.scalars[decided.deciding(claim).scalar] if claim.bases else shown
    why = because(
        claim,
        decided,
        partial(_formula, plan),
        written,
        book.units,
        no_basis(claim, audit, book),
    )
    effects = {name: written.scalars[scalar] for name, scalar in claim.effects.items()}
    should_be = decided.fixed or (computed if claim.bases else None)
    return Judged(
        claim,
        decided.verdict,
        computed,
        shown,
        should_be,
        decided.inherits,
        why,
        effects,
        decided.accused_by,
    )


def no_basis(claim: Claim, audit: Audit, book: Book) -> str:
    """Why a claim without expressions is not an input either, and how to fix that."""
    near = ""
    if claim.target is not None:
        near = why_no_input(claim, claim.target, audit.document, book.units)
    if near:
        return near
    return f"it needs 'from', 'against', a 'plan' input of line {claim.line}, or 'lacks'"


def _shown(finding: Finding, plan: Plan, book: Book, written: Results) -> Shown:
    sums = tuple(
        arithmetic(basis, *_formula(plan, basis.scalar), written, book.units)
        for basis in finding.shows
    )
    values = tuple(written.scalars[basis.scalar] for basis in finding.shows)
    effects = {name: written.scalars[scalar] for name, scalar in finding.effects.items()}
    return Shown(finding, sums, values, effects)


def _totals(
    headline: Headline, plan: Plan, book: Book, written: Results, corrected: Results
) -> Totals:
    implied = headline.implied
    return Totals(
        headline,
        written.scalars[headline.written.scalar],
        written.scalars[implied.scalar],
        corrected.scalars[headline.computed.scalar],
        arithmetic(implied, *_formula(plan, implied.scalar), written, book.units),
    )


def _worst_first(audit: Audit, written: Results, shown: Iterable[Shown]) -> tuple[Shown, ...]:
    totals = {h.name: written.scalars[h.written.scalar] for h in audit.headlines}
    return tuple(sorted(shown, key=lambda each: (-weight(each.effects, totals), each.finding.id)))
