"""Rules of `scalesheet predict`: one row out for each row in, and no result is ever read."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path

import numpy as np
import pytest

from predict.conftest import Table
from predict.published import RESULTS, rows
from scalesheet.book import Book
from scalesheet.cli import main
from scalesheet.commands.predict import TASKS as OFFERED
from scalesheet.predict.cases import cases_of
from scalesheet.predict.cases.reader import COLUMNS, read_csv
from scalesheet.predict.table import COLUMNS as OUT
from scalesheet.predict.table import as_csv, as_json, supported
from scalesheet.predict.tasks import TASKS, predict
from shipped import ROOT

RUN = {
    "kind": "pretrain",
    "params_total": 7e9,
    "tokens": 1e12,
    "hardware": "A100-80GB",
    "n_gpus": 256,
    "seq_len": 2048,
    "precision": "bf16",
}


def printed(path: Path, task: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    """The rows that the command prints with the project's data."""
    assert main(["predict", task, str(path), "--data", str(ROOT / "data")]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_all_tasks_are_offered() -> None:
    assert tuple(TASKS) == OFFERED == tuple(COLUMNS)


@pytest.mark.parametrize("task", TASKS)
def test_one_row_comes_out_for_each_row_in_order(
    task: str, book: Book, table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    given = rows(book, task)
    random.Random(1).shuffle(given)
    out = printed(table(*given), task, capsys)
    assert [row["id"] for row in out] == [row["id"] for row in given]
    assert list(out[0]) == list(OUT)
    assert {row["predicted_unit"] for row in out} == {TASKS[task].unit}


@pytest.mark.parametrize("task", TASKS)
def test_a_row_has_numbers_and_a_method_or_a_reason(task: str, book: Book, table: Table) -> None:
    made = predict(book, task, cases_of(read_csv(table(*rows(book, task)), task), book))
    done = supported(made)
    assert done.any()
    assert (made.low[done] <= made.predicted[done]).all()
    assert (made.predicted[done] <= made.high[done]).all()
    assert (made.predicted[done] > 0).all()
    assert all(made.method[done])
    assert np.isnan([made.predicted[~done], made.low[~done], made.high[~done]]).all()
    assert all(made.unsupported[~done])
    assert not any(made.method[~done])


@pytest.mark.parametrize("task", TASKS)
def test_results_and_remarks_change_nothing(task: str, book: Book, table: Table) -> None:
    given = rows(book, task)
    dice = random.Random(2)
    lied = [{**row, **{name: dice.uniform(1, 1e6) for name in RESULTS[task]}} for row in given]
    plain, full = (
        predict(book, task, cases_of(read_csv(table(*each), task), book)) for each in (given, lied)
    )
    assert as_csv(np.array([r["id"] for r in given], dtype=object), plain, "") == as_csv(
        np.array([r["id"] for r in lied], dtype=object), full, ""
    )


@pytest.mark.parametrize("task", TASKS)
def test_no_column_of_results_is_read(task: str) -> None:
    assert not set(COLUMNS[task]) & set(RESULTS[task])
    assert not {"group", "family", "source", "verified", "tier"} & set(COLUMNS[task])


def test_the_order_of_columns_and_rows_does_not_matter(book: Book, table: Table) -> None:
    given = [{**row, "id": row["id"]} for row in rows(book, "throughput")]
    turned = [dict(reversed(row.items())) for row in reversed(given)]
    there, back = (
        predict(book, "throughput", cases_of(read_csv(table(*each), "throughput"), book))
        for each in (given, turned)
    )
    assert there.predicted.tolist() == pytest.approx(back.predicted[::-1].tolist(), nan_ok=True)
    assert there.unsupported.tolist() == back.unsupported[::-1].tolist()


def test_json_says_the_same_as_csv(book: Book, table: Table) -> None:
    given = cases_of(read_csv(table(*rows(book, "runs")), "runs"), book)
    made = predict(book, "runs", given)
    in_json = json.loads(as_json(given.ids, made, "GPU·hour"))
    in_csv = list(csv.DictReader(io.StringIO(as_csv(given.ids, made, "GPU·hour"))))
    assert [list(row) for row in in_json] == [list(row) for row in in_csv]
    for one, other in zip(in_json, in_csv, strict=True):
        assert {k: "" if v is None else str(v) for k, v in one.items()} == other


def test_an_unknown_accelerator_is_never_taken_for_another(
    table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    given = table(*({"id": name, **RUN, "hardware": name} for name in ("H10", "A100-81GB", "XPU")))
    for row in printed(given, "runs", capsys):
        assert row["predicted"] == row["predicted_low"] == row["predicted_high"] == ""
        assert row["unsupported_because"].startswith(f"unknown accelerator '{row['id']}'")


def test_a_vision_model_is_not_a_decoder(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    given = table(
        {"id": "a", **RUN, "kind": "vision"},
        {"id": "b", **RUN, "kind": "diffusion"},
        {"id": "c", **RUN, "model": "ViT-22B"},
        {"id": "d", **RUN},
    )
    *others, decoder = printed(given, "runs", capsys)
    assert all("not a text decoder" in row["unsupported_because"] for row in others)
    assert decoder["unsupported_because"] == ""


def test_twice_the_tokens_take_twice_the_hours(
    table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = printed(
        table({"id": "a", **RUN}, {"id": "b", **RUN, "tokens": 2e12}), "runs", capsys
    )
    assert float(two["predicted"]) == pytest.approx(2 * float(one["predicted"]), rel=0.1)


# ------------------------------------------------------------------ files


def test_a_bad_row_is_reported_and_the_others_are_predicted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cases.csv"
    path.write_text(
        "id,kind,params_total,tokens,hardware\n"
        "good,pretrain,7e9,1e12,A100\n"
        "short,pretrain,7e9\n"
        "word,pretrain,seven,1e12,A100\n"
        "none,pretrain,0,1e12,A100\n"
        "\n"
        ",pretrain,7B,1T,8x A100\n"
        "unstated,pretrain,7e9,n/a,A100\n",
        "utf-8",
    )
    told = {row["id"]: row["unsupported_because"] for row in printed(path, "runs", capsys)}
    assert told == {
        "good": "",
        "short": "the row has 3 fields, but the table has 5 columns",
        "word": "params_total 'seven' is not a number",
        "none": "params_total is 0, and must be above 0",
        "": "",
        "unstated": "tokens not stated",
    }


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"run,hours\nx,1\n", "no column of the file describes a case; its columns are run, hours"),
        (b"", "the file is empty"),
        (b"id,tokens,tokens\nx,1,2\n", "the column 'tokens' twice"),
        (b"PK\x03\x04\x00\x00", "expected text, found an archive"),
        (b"id,model\nx,caf\xe9\n", "cases.csv:2:6: P004 expected text in UTF-8, found other bytes"),
        (b"id,model\nx,\0\n", "cases.csv:2:3: P004 expected text in UTF-8, found a NUL byte"),
        (b'id,model\nx,"an open quote\ny,z\n', "quotation mark"),
    ],
)
def test_a_file_that_is_not_a_table_is_refused(
    content: bytes, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cases.csv"
    path.write_bytes(content)
    assert main(["predict", "runs", str(path), "--data", str(ROOT / "data")]) == 1
    assert says in capsys.readouterr().out


def test_a_missing_file_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", "runs", "no-such.csv", "--data", str(ROOT / "data")]) == 2
    assert "there is no file 'no-such.csv'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfid;params_total;tokens\r\na;7e9;1e12\r\n",
        b"id\tparams_total\ttokens\na\t7_000_000_000\t1e12\n",
        b'id,params_total,tokens\n"a","7,000,000,000",1e12\n',
        "id,params_total,tokens,notes\na,7B,1T,caf\xe9\n".encode("utf-16"),
    ],
)
def test_tables_written_by_spreadsheets_are_read(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_bytes(content)
    read = read_csv(path, "runs")
    assert read.text("id").tolist() == ["a"]
    assert read.numbers["parameters"].tolist() == [7e9]
    assert read.numbers["tokens"].tolist() == [1e12]


def test_missing_columns_count_as_not_stated(book: Book, table: Table) -> None:
    for task in TASKS:
        made = predict(book, task, cases_of(read_csv(table({"id": "a"}), task), book))
        assert "not stated" in made.unsupported[0]


def test_an_id_is_returned_unchanged(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    odd = ["=1+1", "a, b", 'say "x"', "ünïcode", "1e5"]
    out = printed(table(*({"id": id_, **RUN} for id_ in odd)), "runs", capsys)
    assert [row["id"] for row in out] == odd


def test_a_hundred_thousand_rows_are_predicted(book: Book, table: Table) -> None:
    path = table(*({"id": n, **RUN, "tokens": 1e9 + n} for n in range(100_000)))
    given = cases_of(read_csv(path, "runs"), book)
    made = predict(book, "runs", given)
    assert len(as_csv(given.ids, made, "GPU·hour").splitlines()) == 100_001
    assert supported(made).all()
    assert (np.diff(made.predicted) > 0).all()
