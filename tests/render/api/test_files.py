"""Every file of the API matches its schema, links to real files and is reproducible."""

from __future__ import annotations

import copy
import csv
import io
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from render.api.conftest import ROOT, Written
from render.api.shapes import entry, files, read
from scalesheet.edition import Edition
from scalesheet.evaluate import evaluate
from scalesheet.render.api import as_json, plan_json
from scalesheet.render.api.changes import FEED, JSON, changes_feed, changes_json
from scalesheet.render.api.text import compact, csv_text, inert, original
from scalesheet.render.api.values import reason_code
from scalesheet.render.api.write import write_api
from shipped import shipped as shipped_once
from shipped import shipped_book


@pytest.fixture(params=["sample", "shipped"])
def api(request: pytest.FixtureRequest) -> Written:
    written: Written = request.getfixturevalue(request.param)
    return written


def walk(data: Any) -> Iterator[Any]:
    yield data
    below = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    for part in below:
        yield from walk(part)


def lines(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8"), newline="")))


def test_every_file_matches_the_schema_that_the_index_names(api: Written) -> None:
    names = list(files(api.root))
    assert len(names) > 10
    assert [fault for name in names for fault in api.shapes.faults(name)] == []


BREAKS = {
    "a key that nobody knows": lambda q: q.update(price=1),
    "no unit": lambda q: q.pop("unit"),
    "a kind that says nothing": lambda q: q.update(kind=None),
    "a word with a unit": lambda q: q.update(value="full"),
    "an end without the other": lambda q: q.update(high=None),
    "a number as text": lambda q: q.update(value="80"),
    "a value beside a reason": lambda q: q.update(reason="why", code="why"),
    "a kind that there is not": lambda q: q.update(kind="guess"),
    "a source without its place": lambda q: q.update(source={"key": "paper"}),
}


@pytest.mark.parametrize("broken", BREAKS)
def test_schemas_allow_no_unknown_keys(sample: Written, broken: str) -> None:
    data = read(sample.root / "hardware.json")
    assert sample.shapes.faults("hardware.json", data) == []
    wrong = copy.deepcopy(data)
    BREAKS[broken](entry(wrong, "h100")["quantities"]["memory"])
    assert sample.shapes.faults("hardware.json", wrong) != []


def test_schema_ids_are_unique(api: Written) -> None:
    folder = api.root / "schemas"
    ids = [read(path)["$id"] for path in folder.rglob("*.json")]
    assert len(ids) == len(set(ids)) > 10
    source = ROOT / "generator" / "scalesheet" / "schema"
    for path in folder.rglob("*.json"):
        assert read(path) == read(source / path.relative_to(folder))


def test_the_index_lists_every_file_and_nothing_else(api: Written) -> None:
    index = read(api.root / "index.json")
    parts = [part for part in walk(index) if isinstance(part, dict)]
    kinds = ("json", "csv", "atom", "audit", "sensitivity", "quantiles")
    listed = {part[kind] for part in parts for kind in kinds if kind in part}
    listed |= {
        *(index[key][each] for key in ("schemas", "shapes", "printed") for each in index[key])
    }
    listed |= {
        each["tables"].replace("{table}", table)
        for each in index["plans"]
        for table in read(api.root / each["json"])["tables"]
    }
    there = {p.relative_to(api.root).as_posix() for p in api.root.rglob("*") if p.is_file()}
    shared = {f"schemas/{n}.schema.json" for n in ("common", "api/values")}
    assert listed | {"index.json"} | shared == there
    for plan in index["plans"]:
        assert (api.root / plan["workbook"]).resolve().is_file()


def test_an_entry_does_not_repeat_what_its_collection_says(shipped: Written) -> None:
    seen = 0
    for name in ("hardware", "offers", "models"):
        data = read(shipped.root / f"{name}.json")
        for each in data["entries"]:
            for key, quantity in each["quantities"].items():
                default = data["columns"][key].get("default")
                assert {"source": each.get("source")} | quantity != default
                assert "source" not in each or quantity.get("source") != each["source"]
                seen += default is not None
    assert seen


def test_a_stated_quantity_has_a_source_of_its_own_that_of_its_entry_or_none(
    sample: Written,
) -> None:
    h100 = entry(read(sample.root / "hardware.json"), "h100")
    assert h100["source"] == {"key": "paper", "locator": ""}
    assert "source" not in h100["quantities"]["memory"]


def test_every_number_has_a_unit_and_every_quantity_a_kind(api: Written) -> None:
    seen = 0
    for name in files(api.root):
        for part in walk(read(api.root / name)):
            if isinstance(part, dict) and isinstance(part.get("value"), float):
                assert api.book.units.parse(part["unit"]), part["unit"]
                # null: no bound; not there: exact, in a collection
                least, most = (part.get(end, part["value"]) for end in ("low", "high"))
                assert least is None or least <= part["value"]
                assert most is None or part["value"] <= most
                seen += 1
            if isinstance(part, dict) and "type" in part and part.get("value") is not None:
                assert part["kind"]
    assert seen > 20


def test_units_read_back_unchanged(api: Written) -> None:
    for part in walk(read(api.root / "hardware.json")):
        if isinstance(part, dict) and part.get("unit"):
            assert str(api.book.units.parse(part["unit"])) == part["unit"]


def test_every_citation_has_a_source(api: Written) -> None:
    known = {entry["key"] for entry in read(api.root / "sources.json")["entries"]}
    cited = {
        part["source"]["key"]
        for name in files(api.root)
        for part in walk(read(api.root / name))
        if isinstance(part, dict) and isinstance(part.get("source"), dict)
    }
    assert cited
    assert cited <= known


def test_show_prints_the_file(api: Written) -> None:
    plan = next(iter(api.book.plans.values()))
    printed = as_json(plan_json(api.book, plan, evaluate(api.book, plan)))
    file = (api.root / "plans" / f"{plan.id}.json").read_text("utf-8")
    assert json.loads(printed) == json.loads(file)


def test_a_plans_csv_has_its_quantities_and_a_file_for_each_table(api: Written) -> None:
    for plan in api.book.plans:
        data = read(api.root / "plans" / f"{plan}.json")
        kept = {line["name"]: line for line in lines(api.root / f"plans/{plan}.csv")}
        assert data["quantities"].keys() == kept.keys()
        for name, value in data["quantities"].items():
            for end in ("value", "low", "high"):
                assert same(kept[name][end], value.get(end)), (name, end)
            assert kept[name]["unit"] == (value.get("unit") or "")
            assert original(kept[name]["reason"]) == value.get("reason", "")
            assert kept[name]["kind"] == (value["kind"] or "")
        for table, said in data["tables"].items():
            rows = lines(api.root / f"plans/{plan}/{table}.csv")
            assert [row["id"] for row in rows] == [row["id"] for row in said["rows"]]
            for row, line in zip(said["rows"], rows, strict=True):
                for name, value in row["cells"].items():
                    assert same(line[name], value.get("date", value.get("value"))), (table, name)
                    ends = [end for end in ("low", "high") if f"{name}_{end}" in line]
                    assert ends or value.get("low") == value.get("high")
                    for end in ends if "date" not in value else ():
                        assert same(line[f"{name}_{end}"], value.get(end)), (table, name)


def test_pandas_reads_a_collections_csv_as_numbers(api: Written) -> None:
    for path in sorted(api.root.glob("*.csv")):
        data = read(path.with_suffix(".json")) if path.with_suffix(".json").exists() else {}
        if not (columns := data.get("columns")):
            continue
        frame = pd.read_csv(path).set_index("id")
        assert list(frame.index) == [each["id"] for each in data["entries"]]
        for name, column in columns.items():
            rows = [each["quantities"] for each in data["entries"]]
            values = [row.get(name) or column["default"] for row in rows]
            ends = [end for end in ("low", "high") if f"{name}_{end}" in frame]
            assert ends or all(v.get("low") == v.get("high") for v in values), name
            if column["type"] != "number" or any("date" in v for v in values):
                continue
            for key, end in [(name, "value"), *((f"{name}_{end}", end) for end in ends)]:
                found = [v.get(end, v.get("value")) for v in values]
                told = [math.nan if number is None else number for number in found]
                np.testing.assert_array_equal(frame[key].to_numpy(float), told, err_msg=key)


def same(field: str, value: Any) -> bool:
    match value:
        case None:
            return field == ""
        case bool():
            return field == ("yes" if value else "no")
        case int() | float():
            return float(field) == value
    return original(field) == value


def test_writing_twice_gives_the_same_bytes(shipped: Written, tmp_path: Path) -> None:
    """Writes the catalogue and two plans again; files that list all plans are left out."""
    edition = shipped_once(("calculator", "pixelis")).edition
    assert edition is not None
    names = write_api(edition, tmp_path, pages=True)
    book = shipped_book()
    listing = {JSON: compact(changes_json(book)), FEED: changes_feed(book, pages=True)}
    for name, text in listing.items():
        assert (shipped.root / name).read_bytes() == text.encode(), name
    apart = {"index.json", "plans.json", "plans.csv", *listing} | {
        n for n in names if n.startswith("formulas")
    }
    for name in set(names) - apart:
        assert (tmp_path / "v1" / name).read_bytes() == (shipped.root / name).read_bytes(), name


# ------------------------------------------------------------------ single entries


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("no longer offered", "no-longer-offered"),
        ("not recommended: needs 60 GB of 24 GB", "not-recommended"),
        ("needs 21.5 GB, the card holds 24 GiB", "needs-gb-the-card-holds-gib"),
    ],
)
def test_the_code_of_a_reason_leaves_out_its_figures(reason: str, code: str) -> None:
    assert reason_code(reason) == code


def test_an_offer_has_its_prices_by_date(sample: Written) -> None:
    offer = entry(read(sample.root / "offers.json"), "cloud")
    first, second, third = offer["prices"]
    assert (first["from"], first["value"], first["unit"]) == (
        "2024-01-01",
        32.0,
        "USD / (hour * node)",
    )
    assert (second["low"], second["value"], second["high"]) == (20.0, 22.0, 24.0)
    assert second["source"] == {"key": "paper", "locator": "row 7"}
    assert (third["reason"], third["code"]) == ("no longer offered", "no-longer-offered")
    assert offer["quantities"]["node_price"]["value"] == 22.0
    assert offer["quantities"]["price"]["value"] == 2.75
    columns = read(sample.root / "offers.json")["columns"]
    assert offer["quantities"]["price"]["kind"] == "derived"
    assert columns["price"]["formula"] == "node_price / gpus"
    assert [line["from"] for line in lines(sample.root / "prices.csv")] == [
        "2024-01-01",
        "2026-01-01",
        "2027-01-01",
    ]


def test_a_formula_has_its_notations_inputs_and_examples(sample: Written) -> None:
    record = entry(read(sample.root / "formulas.json"), "machines-needed")
    assert (record["name"], record["unit"], record["symbol"]) == (
        "machines_needed",
        "node",
        "nodes",
    )
    assert record["texts"]["written"] == record["formula"] == "ceil(cards / each)"
    assert record["texts"]["excel"].startswith("=MAX(INT(cards/each)")
    assert record["texts"]["python"] == "ceil(cards / each)"
    assert record["texts"]["javascript"].startswith("rt.ceil(")
    assert record["texts"]["latex"].startswith(r"\left\lceil")
    assert record["constants"] == {"rounding_slack": 1e-12}
    assert [(i["name"], i["unit"], i["domain"]) for i in record["inputs"]] == [
        ("cards", "GPU", "non-negative"),
        ("each", "GPU / node", "count"),
    ]
    assert record["inputs"][1]["default"]["value"] == 8.0
    (example,) = record["examples"]
    assert example["given"]["cards"] == {"value": 20.0, "unit": "GPU"}
    assert example["expect"] == example["computed"]


def test_each_scenario_has_its_headlines(sample: Written) -> None:
    (plan,) = read(sample.root / "plans.json")["plans"]
    corrected, written = plan["headlines"]
    assert (corrected["scenario"], written["scenario"]) == ("corrected", "written")
    name = "phases.total.gpu_hours"
    hours = [each["quantities"][name]["value"] for each in (corrected, written)]
    assert hours[0] < hours[1]  # the document assumes fewer steps per hour


def test_a_quantity_marks_what_its_author_did_not_state(sample: Written) -> None:
    quantities = read(sample.root / "plans" / "small.json")["quantities"]
    limit = quantities["limit"]
    assert (limit["low"], limit["value"], limit["high"], limit["midpoint"]) == (10, 15, 20, True)
    assert "midpoint" not in quantities["price"]
    assert quantities["steps_per_hour.written"]["hidden"] is True
    assert quantities["enough"]["words"] == ["fits", "depends", "does not fit"]
    assert quantities["gpu"]["refers_to"] == "hardware"


def test_a_cell_has_its_own_source_where_the_column_has_none(sample: Written) -> None:
    sizes = read(sample.root / "plans" / "small.json")["tables"]["sizes"]
    two = next(row for row in sizes["rows"] if row["id"] == "two")
    assert two["origins"]["steps"]["source"] == {"key": "memo", "locator": ""}
    assert two["origins"]["steps"]["note"] == "rounded"
    assert "spare" not in two["origins"]
    assert sizes["columns"]["spare"]["kind"] == "derived"
    assert two["cells"]["large"] == {"value": True}


def test_a_reason_replaces_a_missing_number(sample: Written) -> None:
    t4 = entry(read(sample.root / "hardware.json"), "t4")["quantities"]["dense_bf16"]
    assert (t4["reason"], t4["code"]) == ("no bf16 tensor unit", "no-bf16-tensor-unit")
    assert "value" not in t4
    columns = read(sample.root / "hardware.json")["columns"]
    assert columns["dense_bf16"]["symbol"] == "TFLOP/(GPU·s)"


def test_a_unit_has_its_size_in_base_units(sample: Written) -> None:
    day = entry(read(sample.root / "units.json"), "day", "name")
    assert day["size"] == {"value": 86400.0, "low": 86400.0, "high": 86400.0, "unit": "second"}
    assert (day["per"], day["dimension"], day["counted"]) == ("24 * hour", "time", False)


def test_a_plan_links_to_its_audit_once_it_has_one(sample: Written, tmp_path: Path) -> None:
    audited = SimpleNamespace(
        audit=SimpleNamespace(plan="small"), claims=(), findings=(), headlines=(), moved=()
    )
    edition = Edition(sample.book)
    vars(edition)["audits"] = {"paper": audited}
    write_api(edition, tmp_path, pages=True)
    (plan,) = read(tmp_path / "v1" / "index.json")["plans"]
    assert plan["audit"] == "audit/small.json"
    assert plan["page"] == "../../book/plans/small.html"
    assert "audit" not in read(sample.root / "index.json")["plans"][0]


# ------------------------------------------------------------------ CSV


RUNS = ["=1+1", "+1", "-1", "@home", "\t=1", "\r=1", "\n=1", "'=1", "''@x", "＝1"]
RESTS = ["", "a=1", "'fits' if x", "'", " =1", "é", 'a "b", c\nd', "1-1"]


@pytest.mark.parametrize("text", RUNS)
def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe(text: str) -> None:
    assert inert(text) == f"'{text}"
    assert original(inert(text)) == text


@pytest.mark.parametrize("text", RESTS)
def test_other_text_stays_unchanged(text: str) -> None:
    assert inert(text) == text
    assert original(text) == text


def test_a_csv_line_reads_back_unchanged() -> None:
    row = [*RUNS, *RESTS]
    written = csv_text(["text"] * len(row), [row])
    _, read_back = csv.reader(io.StringIO(written, newline=""))
    assert [original(field) for field in read_back] == row
    text = csv_text(["a", "b", "c", "d", "e"], [[-5.0, None, True, 0.1 + 0.2, "-5"]])
    assert text == "a,b,c,d,e\n-5,,yes,0.30000000000000004,'-5\n"


def test_no_spreadsheet_would_run_a_field_of_any_file(api: Written) -> None:
    seen = 0
    for path in api.root.rglob("*.csv"):
        for line in lines(path):
            for field in line.values():
                assert re.match(r"[=+\-@\t\r\n]", field) is None or float(field) < 0, field
                seen += field.startswith("'")
    assert seen > 0


def test_numbers_that_json_cannot_write_are_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json({"value": float("nan")})
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json({"value": float("inf")})
    assert json.loads(as_json({"ö": 0.1}))["ö"] == 0.1
    assert json.loads(compact({"ö": 0.1, "b": [{}]})) == {"ö": 0.1, "b": [{}]}
