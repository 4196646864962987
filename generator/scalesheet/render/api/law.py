"""What `scalesheet law --format json` prints, in the shape of `schema/api/law.schema.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping

from scalesheet.predict.law.answer import Answer, Point, Ranged
from scalesheet.predict.law.file import coefficients

LOSS, HOURS, RATE = "nat / token", "GPU * hour", "token / (GPU * second)"


def as_json(made: Answer) -> str:
    """Return the law and everything derived from it; numbers are not rounded."""
    return json.dumps(_object(made), indent=2, ensure_ascii=False) + "\n"


def _value(number: Ranged | None, unit: str) -> Mapping[str, object] | None:
    if number is None:
        return None
    return {"value": number.value, "low": number.low, "high": number.high, "unit": unit}


def _exact(value: float | None, unit: str) -> Mapping[str, object] | None:
    return None if value is None else {"value": value, "low": value, "high": value, "unit": unit}


def _point(point: Point) -> dict[str, object]:
    return {
        "parameters": _exact(point.parameters, "parameter"),
        "tokens": _exact(point.tokens, "token"),
        "compute": _exact(point.compute, "FLOP"),
        "loss": _value(point.loss, LOSS),
    }


def _object(made: Answer) -> Mapping[str, object]:
    runs = made.runs
    columns = (runs.ids, runs.parameters, runs.tokens, runs.loss, made.fitted)
    return {
        "planned": {
            **_point(made.target),
            "stated": made.stated,
            "throughput": _value(made.throughput, RATE),
            "gpu_hours": _value(made.gpu_hours, HOURS),
        },
        "law": coefficients(made),
        "noise": _exact(made.law.noise, LOSS),
        "forms": [
            {"form": title, "share": share, "loss": _value(loss, LOSS)}
            for title, share, loss in made.by_form
        ],
        "on_file": _exact(made.target.on_file, LOSS),
        "next": [
            {
                "parameters": _exact(one.parameters, "parameter"),
                "tokens": _exact(one.tokens, "token"),
                "gpu_hours": _exact(one.gpu_hours, HOURS),
                "share": one.share,
                "narrows": one.narrows,
            }
            for one in made.next
        ],
        "optimal": [_point(point) for point in made.frontier],
        "runs": [
            {
                "id": id,
                "parameters": _exact(parameters, "parameter"),
                "tokens": _exact(tokens, "token"),
                "loss": _exact(loss, LOSS),
                "law": _exact(law, LOSS),
            }
            for id, parameters, tokens, loss, law in zip(*map(list, columns), strict=True)
        ],
    }
