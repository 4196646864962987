"""Finds figures that are computed correctly, but from wrong ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from scalesheet.audit.verdicts import Decided, compare, rests_on
from scalesheet.book import Book
from scalesheet.claims import Claim
from scalesheet.evaluate import compute, computed, value_of
from scalesheet.evaluate.parts import Part
from scalesheet.language.syntax import End
from scalesheet.model import Key, Plan
from scalesheet.values import Results, Value


def with_consequences(
    book: Book,
    plan: Plan,
    claims: Mapping[str, Claim],
    decided: Mapping[str, Decided],
    written: Results,
    corrected: Results,
) -> dict[str, Decided]:
    """Follow errors through the document and update the verdicts: a figure that agrees with its
    basis follows from an error if it would be different with the errors fixed.

    `plan` includes the claims. `written` are its results in the documents' scenario, `corrected`
    those in its first scenario, with the figures of the claims as written.
    """
    result: dict[str, Decided] = {}
    fixed = computed(book, plan)  # in the first scenario; figures are fixed there one by one
    wrong: set[str] = set()
    for claim in _operands_first(claims):
        own = decided[claim.id]
        target = claim.target.scalar if claim.target is not None else None
        beside = corrected.scalars[target] if target is not None else None
        errors = tuple(id_ for id_ in rests_on(claims, claim.id) if id_ in wrong)
        should: Value | None = None
        if own.verdict == "contradicted":
            wrong.add(claim.id)
            deciding = written.scalars[own.deciding(claim).scalar] if claim.bases else None
            should = _other(claim, deciding if beside is None else beside)
        elif own.verdict == "input" and beside is not None and compare(claim, beside) != "equal":
            wrong.add(claim.id)
            should = beside
        elif own.verdict in ("reproduced", "rounded") and (
            errors or _is_corrected(claim, written, corrected)
        ):
            name = claim.bases[0].scalar
            compute(Key(name), book.tables, plan, fixed)
            again = value_of(plan.scalars[name], fixed.scalars[name])
            should = _other(claim, again if beside is None else beside)
            if should is not None:
                own = replace(own, verdict="follows", fixed=should)
                if not errors:  # the first figure in the document with the error
                    wrong.add(claim.id)
        if should is not None:
            fixed.scalars[f"@{claim.id}"] = _parts(should)
        result[claim.id] = replace(own, inherits=errors)
    return {id_: result[id_] for id_ in claims}


def _operands_first(claims: Mapping[str, Claim]) -> Iterator[Claim]:
    """Every claim after those that it is computed from, except in cycles."""
    seen: set[str] = set()

    def after(id_: str) -> Iterator[Claim]:
        if id_ not in seen:
            seen.add(id_)
            source = claims[id_].source
            for other in source.refers if source else ():
                yield from after(other)
            yield claims[id_]

    for id_ in claims:
        yield from after(id_)


def _other(claim: Claim, value: Value | None) -> Value | None:
    """The value if it differs from the claim's figure. A single figure within a range still differs
    from the range's expected value.
    """
    if value is None or value.value is None:
        return None
    match = compare(claim, value)
    return value if match == "differs" or (match == "contained" and not claim.says.ranged) else None


def _is_corrected(claim: Claim, written: Results, corrected: Results) -> bool:
    """Whether the plan itself corrects something that the figure is compared with."""
    scalars = (basis.scalar for basis in claim.bases)
    return any(written.scalars[name] != corrected.scalars[name] for name in scalars)


def _parts(value: Value) -> dict[End, Part]:
    if isinstance(value.value, float):
        return {"low": Part(value.low), "value": Part(value.value), "high": Part(value.high)}
    return {"value": Part(value.value)}
