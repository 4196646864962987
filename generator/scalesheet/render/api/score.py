"""The score as JSON: the figures of each task, and every published row beside its prediction."""

from __future__ import annotations

from scalesheet.edition import Edition
from scalesheet.predict.score import SAYS, Asked, Quality, TaskScore
from scalesheet.predict.score.hidden import Hidden
from scalesheet.predict.score.own import Own
from scalesheet.predict.tasks import TASKS
from scalesheet.render.api.values import Object, source_json
from scalesheet.render.scores import ShownRow, asked_rows, own_rows, shown_rows


def score_json(edition: Edition) -> Object:
    """Return `{"edition", "tasks": {task: figures, groups and rows}, "peers": [...]}`."""
    return {
        "edition": edition.book.edition.isoformat(),
        "tasks": {task: _task(edition, score) for task, score in edition.scores.items()},
        "peers": [
            {
                "name": peer.name,
                "predicts": peer.predicts,
                "says": peer.says,
                "note": peer.note,
                "source": source_json(peer.citation),
            }
            for peer in edition.book.peers
        ],
    }


def _task(edition: Edition, score: TaskScore) -> Object:
    hidden = edition.hidden_sweeps if score.task == "loss" else ()
    return {
        "title": TASKS[score.task].title,
        "unit": TASKS[score.task].unit,
        "unseen": _quality(score.unseen),
        "seen": _quality(score.seen),
        **({} if score.apart is None else {"apart": _quality(score.apart)}),
        **({} if score.asked is None else {"asked": _asked(score, score.asked)}),
        "rule": {"is": SAYS[score.task], **_quality(score.thumb)},
        "groups": {
            what: {name: _quality(figures) for name, figures in result.items()}
            for what, result in score.groups.items()
        },
        "rows": [_row(row) for row in shown_rows(score)],
        **({} if score.own is None else {"own": _own(score, score.own)}),
        **({"hidden": [_hidden(each) for each in hidden]} if hidden else {}),
    }


def _hidden(sweep: Hidden) -> Object:
    """Return a published sweep whose largest runs were hidden from the fit of a law."""
    columns = (sweep.truth, sweep.expected, sweep.low, sweep.high, sweep.shipped, sweep.published)
    names = ("published", "predicted", "predicted_low", "predicted_high", "others", "chinchilla")
    return {
        "sweep": sweep.name,
        "family": sweep.family,
        "shown": sweep.shown,
        "beyond": sweep.beyond,
        "rows": [
            {name: _number(value) for name, value in zip(names, row, strict=True)}
            for row in zip(*(column.tolist() for column in columns), strict=True)
        ],
    }


def _own(score: TaskScore, own: Own) -> Object:
    """Return how far the fit on file is from our own measurements, which it doesn't use."""
    worst, record = own.worst
    return {
        "records": own.rows,
        "median": _number(own.median),
        "worst": _number(worst),
        "worst_record": record or None,
        "rows": [_row(row) for row in own_rows(score)],
    }


def _asked(score: TaskScore, asked: Asked) -> Object:
    """Return the score of the runs that the question can describe, as asked and as described."""
    return {
        **_quality(asked.quality),
        "described": _quality(asked.described),
        "rows": [_row(row) for row in asked_rows(score)],
    }


def _quality(figures: Quality) -> Object:
    return {
        "rows": figures.rows,
        "median": _number(figures.median),
        "p90": _number(figures.p90),
        "bias": _number(figures.bias),
        "coverage": figures.coverage,
        "families": figures.families,
        "family_median": _number(figures.family_median),
        "family_coverage": figures.family_coverage,
    }


def _row(row: ShownRow) -> Object:
    """Return a published row beside its prediction, without what it lacks."""
    data: Object = {
        "id": row.id,
        "model": row.title,
        "on": row.on,
        "family": row.family,
        "published": row.published,
        "predicted": row.predicted,
        "predicted_low": row.low,
        "predicted_high": row.high,
        "error": row.error,
        "inside": row.inside,
        "method": row.method,
        "not_scored_because": row.because,
        "note": row.note,
        "source": source_json(row.citation),
    }
    return {key: value for key, value in data.items() if value not in (None, "")}


def _number(value: float) -> float | None:
    return None if value != value else value
