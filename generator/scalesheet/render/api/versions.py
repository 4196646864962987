"""The frozen results of a plan's version as JSON, in the shape of
`schema/api/plan-results.schema.json`."""

from __future__ import annotations

from scalesheet.model import Stated, Version
from scalesheet.render.api.values import Object, source_json, value_json
from scalesheet.render.versions import quantity_of
from scalesheet.units import Unit
from scalesheet.values import stated_value


def version_json(version: Version) -> Object:
    """Return the headline and what changed since the version before; empty where nothing was
    frozen."""
    if not version.headline:
        return {}
    return {
        "headline": {
            name: {"title": each.title, **_value(each.stated, each.unit)}
            | {"source": source_json(each.stated.citation)}
            for name, each in version.headline.items()
        },
        "changed": {
            name: {
                "title": each.title,
                "was": _value(each.was, each.unit),
                "now": _value(each.now, each.unit),
                "because": each.because,
                "without": {
                    figure: _value(value, version.headline[figure].unit)
                    for figure, value in each.without.items()
                },
            }
            for name, each in version.changed.items()
        },
        "added": list(version.added),
        "removed": list(version.removed),
        "inputs": {name: _value(each.stated, each.unit) for name, each in version.inputs.items()},
    }


def _value(stated: Stated, unit: Unit | None) -> Object:
    return value_json(stated_value(stated), quantity_of("", unit))
