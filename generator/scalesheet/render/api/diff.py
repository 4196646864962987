"""A diff of two books as JSON, in the shape of `schema/api/diff.schema.json`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scalesheet.diagnostics import errors
from scalesheet.diff.changes import (
    Diff,
    Effect,
    Entry,
    FormulaChanged,
    InputChanged,
    ResultMoved,
    StatementChanged,
    Turn,
)
from scalesheet.examine import Examined
from scalesheet.model import Position
from scalesheet.render.api.values import Object, value_json


def side_json(name: str, examined: Examined | None) -> Object:
    """Return a side's name, dates and number of errors; only its name where both sides have the
    same bytes."""
    book = examined.book if examined is not None else None
    return {
        "name": name,
        "edition": book.edition.isoformat() if book is not None else None,
        "as_of": book.as_of.isoformat() if book is not None else None,
        "errors": len(errors(examined.diagnostics)) if examined is not None else None,
    }


def diff_json(diff: Diff, base: Object, head: Object) -> Object:
    """Return the whole diff; `causes` refer to entries of the other lists by position."""
    lists: Mapping[type, tuple[str, Sequence[object]]] = {
        InputChanged: ("inputs", diff.inputs),
        FormulaChanged: ("formulas", diff.formulas),
        Entry: ("entries", diff.entries),
    }
    return {
        "base": base,
        "head": head,
        "threshold": diff.threshold,
        "compared": sum(diff.compared.values()),
        "entries": [_entry(each) for each in diff.entries],
        "inputs": [
            {
                **_moved(each),
                **_turn(each.turn),
                **_position(each.position),
            }
            for each in diff.inputs
        ],
        "statements": [_statement(each) for each in diff.statements],
        "formulas": [_formula(each) for each in diff.formulas],
        "results": [
            {
                **_moved(each),
                "headline": each.headline,
                "check": each.check,
                **_turn(each.turn),
                "effects": [_effect(effect, lists) for effect in each.effects],
            }
            for each in diff.moved
        ],
        "verdicts": [
            {"audit": v.audit, "claim": v.claim, "quote": v.quote, "old": v.old, "new": v.new}
            for v in diff.verdicts
        ],
        "breaches": [
            {"plan": b.plan, "check": b.check, "text": b.text, "new": b.new} for b in diff.breaches
        ],
        "forecasts": [{"plan": f.plan, "old": f.old or None, "new": f.new} for f in diff.forecasts],
        "likelihoods": [
            {"plan": f.plan, "old": f.old or None, "new": f.new} for f in diff.likelihoods
        ],
        "versions": [{"plan": v.plan, "version": v.version, "text": v.text} for v in diff.versions],
        "scores": [
            {"task": s.task, "figure": s.figure, "old": s.old, "new": s.new} for s in diff.scores
        ],
    }


def _moved(each: InputChanged | ResultMoved) -> Object:
    place = each.place
    return {"plan": place.plan, "name": place.name, "was": each.was.name, "title": each.label}


def _statement(each: StatementChanged) -> Object:
    return {
        "plan": each.place.plan,
        "name": each.place.name,
        "title": each.label,
        "what": each.what,
        "old": each.old or None,
        "new": each.new or None,
        **_position(each.position),
    }


def _formula(each: FormulaChanged) -> Object:
    return {
        "plan": each.place.plan if each.place is not None else "",
        "name": each.place.name if each.place is not None else each.record,
        "title": each.label,
        "old": each.old,
        "new": each.new,
        **_position(each.position),
    }


def _turn(turn: Turn) -> Object:
    return {
        "old": value_json(turn.old, turn.quantity),
        "new": value_json(turn.new, turn.quantity),
        "ratio": turn.ratio,
    }


def _entry(entry: Entry) -> Object:
    return {
        "kind": entry.kind,
        "fate": entry.fate,
        "plan": entry.plan,
        "name": entry.name,
        "was": entry.was or None,
        "title": entry.title,
        "stated": entry.text or None,
        **_position(entry.position),
    }


def _position(position: Position | None) -> Object:
    if position is None:
        return {"file": None, "line": None}
    return {"file": position.path, "line": position.line}


def _effect(effect: Effect, lists: Mapping[type, tuple[str, Sequence[object]]]) -> Object:
    return {
        "causes": [
            {"list": name, "index": changes.index(cause)}
            for cause in effect.causes
            for name, changes in [lists[type(cause)]]
        ],
        **_turn(effect.alone),
        "through": list(effect.through),
    }
