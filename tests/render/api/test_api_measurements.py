"""A measurement in the API comes with its prediction, in the promised shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from made_up import MEASURED, SIMULATED, examined, foretold
from project import ROOT
from scalesheet.evaluate import evaluate_catalogue
from scalesheet.render.api.catalogue import table_json
from scalesheet.steps.comparison import compared

SHAPES = ROOT / "generator" / "scalesheet" / "schema" / "api"
UNCLEAR = MEASURED.replace("method: LoRA\n", "")


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    records = {"a": MEASURED, "b": SIMULATED, "c": UNCLEAR}
    book = examined(tmp_path_factory.mktemp("api"), records).book
    assert book is not None
    table, results = book.tables["measurements"], evaluate_catalogue(book)
    beside = compared(book, foretold)
    return {each["id"]: each for each in table_json(book, table, results, beside).entries}


def test_measured_and_predicted_figures_come_with_their_ratio(entries: dict[str, Any]) -> None:
    said = entries["a"]["predicted"]
    assert (said["because"], said["twins"]) == (None, ["b"])
    assert said["components"]["step_time"] == {
        "title": "Step time",
        "symbol": "s/step",
        "recorded": {"value": 0.5, "low": 0.5, "high": 0.5, "unit": "second / step"},
        "predicted": {"value": 0.4, "low": 0.36, "high": 0.44, "unit": "second / step"},
        "ratio": 1.25,
        "inside": False,
    }
    assert said["components"]["activations_memory"]["predicted"]["value"] is None
    assert said["components"]["activations_memory"]["ratio"] is None


def test_a_missing_prediction_has_a_reason(entries: dict[str, Any]) -> None:
    said = entries["c"]["predicted"]
    assert said["because"].startswith("the record states no method")
    assert all(each["predicted"]["value"] is None for each in said["components"].values())


def test_it_has_the_promised_shape(entries: dict[str, Any]) -> None:
    schemas = {path.name: json.loads(path.read_text("utf-8")) for path in _shapes()}
    registry: Any = Registry().with_resources(
        (name, Resource.from_contents(schema)) for name, schema in schemas.items()
    )
    shape = Draft202012Validator(schemas["catalogue.schema.json"], registry=registry)
    days = {"edition": "2026-11-22", "as_of": "2026-11-22"}
    head = {"collection": "measurements", **days, "columns": {}}
    for entry in entries.values():
        assert list(shape.iter_errors({**head, "entries": [json.loads(json.dumps(entry))]})) == []
        broken = {**entry, "predicted": {**entry["predicted"], "components": {"x": {}}}}
        assert list(shape.iter_errors({**head, "entries": [broken]}))


def _shapes() -> list[Path]:
    return sorted(SHAPES.glob("*.json"))
