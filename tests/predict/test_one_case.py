"""A case from flags, cases from standard input, models from their config.json, text output."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest

from scalesheet.book import Book
from scalesheet.cli import main
from scalesheet.commands.predict import _one
from scalesheet.predict.cases import cases_of
from scalesheet.predict.memory import METHOD
from scalesheet.predict.table import Predictions
from scalesheet.predict.tasks import predict
from scalesheet.render.text.prediction import as_text
from shipped import ROOT

CONFIGS = json.loads((ROOT / "tests" / "new" / "configs.json").read_text("utf-8"))
CASE = {"model": "llama-3-1-8b", "method": "qlora", "hardware": "rtx4090", "seq_len": "2048"}
FLAGS = tuple(word for name, value in CASE.items() for word in ("--set", f"{name}={value}"))


def run(*arguments: str) -> int:
    return main(["predict", *arguments, "--data", str(ROOT / "data")])


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def table(*cases: dict[str, str]) -> str:
    names = list(dict.fromkeys(name for case in cases for name in case))
    lines = [names, *([case.get(name, "") for name in names] for case in cases)]
    return "".join(f"{','.join(line)}\n" for line in lines)


# ------------------------------------------------------------------ input


def test_a_case_is_the_same_from_flags_a_file_and_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("memory", *FLAGS) == 0
    flags = rows(capsys.readouterr().out)
    text = table({"id": "case", **CASE})
    file = tmp_path / "cases.csv"
    file.write_text(text, "utf-8")
    assert run("memory", str(file)) == 0
    assert rows(capsys.readouterr().out) == flags
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode("utf-8-sig"))))
    assert run("memory", "-") == 0
    assert rows(capsys.readouterr().out) == flags
    assert float(flags[0]["predicted"]) > 5e9


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("memory",), "name a CSV file, or - for standard input, or describe one case with --set"),
        (("memory", "cases.csv", *FLAGS), "--set describes a single case"),
        (("memory", "--set", "model"), "--set 'model': expected COLUMN=VALUE"),
        (("memory", "--set", "hardwear=h100"), "did you mean 'hardware'? (columns: id, model, "),
        (("memory", "--set", "hours=3"), "'hours' is not a column of memory"),
        (("memory", "--set", "kind=lora"), "did you mean 'method'?"),
        (("runs", "--set", "batch=512"), "did you mean 'global_batch_seqs'?"),
    ],
)
def test_wrong_usage_says_what_is_expected(
    arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert says in printed.err


def test_standard_input_that_is_not_a_table_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"hours\n3\n")))
    assert run("memory", "-") == 1
    said = capsys.readouterr()
    assert "no column of the file describes a case; its columns are hours" in said.out + said.err
    assert "standard input:1:1: P004" in said.out + said.err


def test_a_file_can_follow_an_option_and_have_no_ids(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cases.csv"
    file.write_text(table(CASE, {**CASE, "hardware": "h100"}), "utf-8")
    shown = []
    for arguments in (("--format", "csv", str(file)), (str(file), "--format", "csv")):
        assert run("memory", *arguments) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    assert [row["id"] for row in rows(shown[0])] == ["1", "2"]


def test_without_a_book_the_shipped_catalogue_is_used_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("memory", *FLAGS) == 0
    shipped = capsys.readouterr()
    monkeypatch.chdir(tmp_path)
    assert main(["predict", "memory", *FLAGS]) == 0
    here = capsys.readouterr()
    assert here.out == shipped.out
    assert "no book here; using the catalogue of scalesheet" in here.err
    assert "no book here" not in shipped.err
    assert main(["predict", "memory", *FLAGS, "--data", "elsewhere"]) == 2


@pytest.mark.parametrize(
    ("method", "precision", "says"),
    [
        ("full", "", "precision not stated: weights in 16 bit"),
        ("lora", "", "precision not stated: weights in 32 bit"),
        ("lora", "bf16", ""),
        ("qlora", "", ""),
    ],
)
def test_assumed_bits_of_weights_are_named(
    method: str, precision: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    case = {"model": "llama-3-2-1b", "method": method, "hardware": "h100", "precision": precision}
    flags = [f"--set={name}={value}" for name, value in case.items() if value]
    assert run("memory", *flags) == 0
    told = rows(capsys.readouterr().out)[0]["method"].split("; ")
    assert [part for part in told if part.startswith("precision")] == [says] * bool(says)


def test_what_is_trained_may_stand_in_any_of_its_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = {name: text for name, text in CASE.items() if name != "method"} | {"tokens": "1B"}
    file = tmp_path / "cases.csv"
    answers = []
    for named in ({"method": "qlora"}, {"task": "qlora"}, {"Kind": "qlora"}, {"kind": "full"}):
        file.write_text(table({**case, **named}), "utf-8")
        assert run("runs", str(file)) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1] == answers[2] != answers[3]


# ------------------------------------------------------------------ models from their config.json


def config(folder: Path, id: str, **other: object) -> str:
    file = folder / "my model" / id / "config.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({**CONFIGS[id], **other}), "utf-8")
    return str(file)


@pytest.mark.parametrize("task", ["memory", "throughput"])
def test_a_model_from_its_config_is_predicted_like_the_model_by_name(
    task: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = {"hardware": "h100", "n_gpus": "8", "seq_len": "2048", "micro_batch": "1"}
    kind = "method" if task == "memory" else "task"
    ids = ("llama-3-1-8b", "deepseek-moe-16b", "gemma-2-2b", "gpt-2", "mistral-7b", "falcon-7b")
    named = [{"id": id, "model": id, kind: "lora", **said} for id in ids]
    given = [{**case, "model": config(tmp_path, case["id"])} for case in named]
    results = []
    for cases in (named, given):
        file = tmp_path / "cases.csv"
        file.write_text(table(*cases), "utf-8")
        assert run(task, str(file), "--no-calibration") == 0
        results.append(rows(capsys.readouterr().out))
    by_name, by_config = results
    assert all(row["predicted"] for row in by_name)
    ends = ("id", "predicted", "predicted_low", "predicted_high", "unsupported_because")
    for one, other in zip(by_name, by_config, strict=True):
        assert [one[name] for name in ends] == [other[name] for name in ends]
    assert "architecture of llama-3-1-8b-config" in by_config[0]["method"]


def test_a_larger_config_takes_more_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = config(tmp_path, "llama-3-1-8b", num_hidden_layers=64)
    sizes = []
    for model in ("llama-3-1-8b", file):
        assert run("memory", *FLAGS, "--set", f"model={model}") == 0
        sizes.append(float(rows(capsys.readouterr().out)[0]["predicted"]))
    assert sizes[1] > 1.3 * sizes[0]


def test_an_unusable_config_is_the_reason_of_its_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"model_type": "lama"}', "utf-8")
    cases = [
        {"id": "a", **CASE, "model": str(tmp_path / "none.json")},
        {"id": "b", **CASE, "model": str(broken)},
        {"id": "c", **CASE},
        {"id": "d", **CASE, "model": config(tmp_path, "llama-3-1-8b")},
    ]
    file = tmp_path / "cases.csv"
    file.write_text(table(*cases), "utf-8")
    assert run("memory", str(file)) == 0
    a, b, c, d = rows(capsys.readouterr().out)
    assert a["unsupported_because"].endswith("none.json: the path does not exist; name a file")
    assert "lama" in b["unsupported_because"]
    assert c["predicted"] == d["predicted"] != ""


# ------------------------------------------------------------------ text output


def test_a_terminal_gets_text_and_a_pipe_csv(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("memory", *FLAGS) == 0
    assert capsys.readouterr().out.startswith("id,predicted,")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert run("memory", *FLAGS) == 0
    shown = capsys.readouterr().out
    assert run("memory", *FLAGS, "--format", "text") == 0
    assert capsys.readouterr().out == shown
    assert run("memory", *FLAGS, "--format", "csv") == 0
    assert capsys.readouterr().out.startswith("id,predicted,")


@pytest.mark.parametrize(
    ("said", "memory", "verdict"),
    [
        ("fits", 10.4e9, ", fits the NVIDIA GeForce RTX 4090"),
        ("does not fit", 80.4e9, ", does not fit the NVIDIA GeForce RTX 4090"),
        ("probably fits", 20.1e9, ", probably fits the NVIDIA GeForce RTX 4090"),
        ("probably does not fit", 25.7e9, ", probably does not fit the NVIDIA GeForce RTX 4090"),
        (
            "probably fits; not stated, assumed: recomputation, ZeRO stage 1",
            20.1e9,
            ", probably fits the NVIDIA GeForce RTX 4090 with recomputation, ZeRO stage 1",
        ),
    ],
)
def test_the_verdict_uses_the_words_of_the_field(
    said: str, memory: float, verdict: str, book: Book
) -> None:
    cases = cases_of(_one("memory", [f"{name}={value}" for name, value in CASE.items()]), book)
    made = predict(book, "memory", cases)
    made = _changed(made, f"{METHOD}; {said}; architecture of x", memory)
    first, second = as_text(book, "memory", cases, made).splitlines()
    assert first == f"{memory / 2**30:.3g} GiB{verdict}"
    assert second == f"  {METHOD}; architecture of x"


def _changed(made: Predictions, method: str, memory: float) -> Predictions:
    column = made.predicted * 0 + memory
    made.method[:] = method
    return Predictions(column, column, column, made.method, made.unsupported)


def test_text_has_the_numbers_of_the_table_or_a_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = table({"id": "a", **CASE}, {"id": "b", "hardware": "h1000", "model": "llama-3-1-8b"})

    def printed(form: str) -> str:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert run("memory", "-", "--format", form) == 0
        return capsys.readouterr().out

    first, _, last = printed("text").splitlines()
    row, other = rows(printed("csv"))
    number = float(row["predicted"]) / 2**30
    assert first.startswith(f"a: {number:.1f} [")
    assert last == f"b: not predicted: {other['unsupported_because']}"
