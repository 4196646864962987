"""The API's page documents every file, and its change log lists every change to a schema."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from typing import Any

import pytest

from render.api.conftest import ROOT, Written
from render.api.shapes import read
from scalesheet.render.api.index import REVISION, SHAPES

PAGE = (ROOT / "docs" / "reference" / "api.md").read_text("utf-8")
SCHEMAS = ROOT / "generator" / "scalesheet" / "schema" / "api"

#: Each revision with the digest of its schemas. A changed schema needs a new revision: raise
#: REVISION, describe the change in the change log of docs/reference/api.md, and add its digest
#: here. Never change an entry once it is released.
REVISIONS = {
    1: "2da2e24fd6d9d362",
    2: "4b52c43fdae4c7d0",
    3: "8ee81cba77c755ca",
    4: "5e2c0c58aaefcfa5",
    5: "8c85b370fddb43d4",
    6: "49527d0dbf621897",
    7: "5c7e70e7ff818999",
    8: "1486f90b824fa567",
    9: "14d7e3d7bad64c50",
    10: "7940d52f1e368686",
    11: "f5d47a7f6af6617b",
    12: "4f4273ae40a0eaeb",
    13: "7095f598e526d43a",
    14: "f5b8cf64b92ff794",
    15: "f5b8cf64b92ff794",  # only texts in the data changed
    16: "ee36188c074973da",
    17: "4e57c112b29aa8dc",
    18: "bd2e1fe150b91f10",
    19: "d9124090f1355914",
    20: "476497142971cef6",
    21: "39a933fb28f69a1c",
    22: "2a2240f007eed9ab",
    23: "41e048e717797baf",
    24: "a7c26865dd107dd9",
    25: "c723d6a028baebc1",
}
HEADERS = {
    "plans.csv": "plan,scenario,name,",
    "plans/small.csv": "table,row,name,",
    "prices.csv": "offer,from,",
}
#: Columns that follow those of a figure.
ENDS = {"prices.csv": ",seen"}
FIGURE = "value,low,high,unit,reason,code,kind,source,locator,formula,at_least,at_most,note"


def shape(schema: Any) -> Any:
    """A schema without its titles and descriptions."""
    if isinstance(schema, list):
        return [shape(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: shape(value)
        for key, value in schema.items()
        if key not in ("title", "description") or not isinstance(value, str)
    }


def digest() -> str:
    """A digest of all schemas and of the headers of the CSV files."""
    shapes = {path.name: shape(read(path)) for path in SCHEMAS.glob("*.json")}
    text = json.dumps([shapes, SHAPES, HEADERS, FIGURE, ENDS], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def test_a_changed_schema_needs_a_new_revision() -> None:
    assert max(REVISIONS) == REVISION
    assert digest() == REVISIONS[REVISION]


def test_titles_and_descriptions_are_not_part_of_a_shape() -> None:
    explained = {"title": "x", "properties": {"title": {"type": "string", "description": "y"}}}
    assert shape(explained) == {"properties": {"title": {"type": "string"}}}


def test_the_change_log_lists_every_revision() -> None:
    log = PAGE.split("## Changes of the API")[1]
    assert [int(n) for n in re.findall(r"^\| (\d+) \|", log, re.MULTILINE)] == list(REVISIONS)


def test_every_kind_of_file_is_on_the_page() -> None:
    told = re.findall(r"`([\w./<>]+\.(?:json|csv))`", PAGE)
    patterns = {re.sub(r"<\w+>", "*", name) for name in told}
    assert set(SHAPES) <= patterns
    assert {"prices.csv", "schemas/api/*.schema.json", "schemas/*.schema.json"} <= patterns


@pytest.mark.parametrize("name", HEADERS)
def test_a_csv_has_the_header_that_the_page_shows(sample: Written, name: str) -> None:
    (header,) = list(csv.reader(io.StringIO((sample.root / name).read_text("utf-8"))))[:1]
    assert ",".join(header) == HEADERS[name] + FIGURE + ENDS.get(name, "")
    assert FIGURE.replace(",", ", ") in " ".join(PAGE.split())


def test_the_example_values_on_the_page_match_the_schema(sample: Written) -> None:
    (block,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    units = read(sample.root / "units.json")
    for line in block.splitlines():
        assert sample.shapes.faults("units.json", _sized(units, json.loads(line))) == []
    assert sample.shapes.faults("units.json", _sized(units, {"value": 1.0})) != []


def _sized(units: Any, value: Any) -> Any:
    return {**units, "entries": [{**each, "size": value} for each in units["entries"]]}


def test_every_key_of_a_quantity_is_on_the_page() -> None:
    defs = read(SCHEMAS / "values.schema.json")["$defs"]
    keys = {*defs["described"]["properties"], *defs["basis"]["properties"]}
    assert keys
    assert [key for key in sorted(keys) if f"`{key}`" not in PAGE] == []
