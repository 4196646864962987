"""Layouts are read as people write them; rows that make no sense are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from scalesheet.book import Book
from scalesheet.predict.cases import cases_of
from scalesheet.predict.cases.layouts import read
from scalesheet.predict.cases.reader import of_columns, read_csv
from scalesheet.predict.tasks import predict


@pytest.mark.parametrize(
    ("text", "degrees", "zero"),
    [
        ("TP8xPP2xDP4", {"tensor": 8, "pipeline": 2, "data": 4}, None),
        ("t8p2d4", {"tensor": 8, "pipeline": 2, "data": 4}, None),
        ("2D_8/4/2", {"data": 8, "tensor": 4, "pipeline": 2}, None),
        ("tensor_model_parallel_size=8", {"tensor": 8}, None),
        (
            "--tensor-model-parallel-size 8 --pipeline-model-parallel-size 4",
            {"tensor": 8, "pipeline": 4},
            None,
        ),
        ("tensor parallel 8", {"tensor": 8}, None),
        ("TP8 PP4 DP12 ZeRO", {"tensor": 8, "pipeline": 4, "data": 12}, 1),
        ("PP16 (zero-bubble) EP8 ZeRO-1, no TP", {"pipeline": 16, "expert": 8}, 1),
        ("FSDP8", {"data": 8}, 3),
        ("FSDP64", {"data": 64}, 3),
        ("FSDP2", {}, 3),
        ("fully_shard", {}, 3),
        ("HYBRID_SHARD", {}, 3),
        ("DeepSpeed ZeRO stage 2", {}, 2),
        ("zero_stage=1", {}, 1),
        ("distributed optimizer, sequence parallel", {}, 1),
        ("P_os+g (stage2)", {}, 2),
        ("DDP", {}, 0),
    ],
)
def test_a_layout_is_read_completely(
    text: str, degrees: dict[str, float], zero: float | None
) -> None:
    said = read(text)
    assert (dict(said.degrees), said.zero, said.unread) == (degrees, zero, ())


@pytest.mark.parametrize("text", ["banana", "TP8 banana", "FSDP + banana", "HSDP banana"])
def test_no_word_of_a_layout_is_dropped(text: str) -> None:
    assert read(text).unread == ("banana",)


RUN = {
    "id": "a",
    "model": "Llama-3.1-8B",
    "hardware": "H100",
    "n_gpus": "8",
    "seq_len": "4096",
    "precision": "bf16",
    "tokens": "1B",
    "method": "full",
    "task": "full",
    "kind": "full",
}
#: What makes the row nonsense, and a part of the reason.
NONSENSE: list[tuple[dict[str, str], str]] = [
    *(
        ({"parallelism": text}, why)
        for text, why in (
            ("TP64", "do not divide"),
            ("TP3", "32 heads do not divide"),
            ("TP5", "32 heads do not divide"),
            ("TP7", "32 heads do not divide"),
            ("TP16", "8 accelerators do not divide"),
            ("TP32", "8 accelerators do not divide"),
            ("PP7", "8 accelerators do not divide"),
            ("PP3", "8 accelerators do not divide"),
            ("PP16", "8 accelerators do not divide"),
            ("PP33", "8 accelerators do not divide"),
            ("PP64", "8 accelerators do not divide"),
            ("CP3", "do not divide"),
            ("CP16", "8 accelerators do not divide"),
            ("TP4 PP4", "8 accelerators do not divide"),
            ("TP8 CP2", "8 accelerators do not divide"),
            ("t8p2d4", "needs more accelerators"),
            ("tensor_model_parallel_size=64", "do not divide"),
            ("tensor parallel 3", "32 heads do not divide"),
            ("ZeRO-5", "there are stages 0 to 3"),
            ("ZeRO stage 4", "there are stages 0 to 3"),
            ("stage 5", "there are stages 0 to 3"),
            ("zero_stage=9", "there are stages 0 to 3"),
        )
    ),
    *(
        (dict.fromkeys(("method", "task", "kind"), word), "unknown method")
        for word in ("banana", "magic", "42", "asdf", "quantum", "pizza", "!!", "lorem ipsum")
    ),
    *(
        ({"hardware": name}, "unknown accelerator")
        for name in ("A1", "H10", "80GB", "SXM", "GPU", "banana", "A100/H100", "RTX", "TPU")
    ),
    *(({"precision": word}, "unknown precision") for word in ("banana", "precise", "42 bits")),
    *(({name: value}, "must be") for name in ("n_gpus", "seq_len") for value in ("0", "-1", "-8")),
    ({"n_gpus": "2.5"}, "whole number"),
    *(
        ({name: word}, "not a number")
        for name in ("n_gpus", "seq_len", "micro_batch", "global_batch_seqs")
        for word in ("many", "8 or 16", "1e")
    ),
    ({"global_batch_seqs": "1"}, "does not divide"),
    ({"global_batch_seqs": "7"}, "do not divide"),
    ({"global_batch_seqs": "12"}, "do not divide"),
    ({"global_batch_seqs": "8", "micro_batch": "2"}, "do not divide"),
]


def rows_of(rows: list[dict[str, str]], task: str, book: Book):  # type: ignore[no-untyped-def]
    names = {name for row in rows for name in row}
    columns = {name: [row.get(name, "") for row in rows] for name in names}
    return predict(book, task, cases_of(of_columns(columns, len(rows), task), book))


@pytest.mark.parametrize("task", ["runs", "throughput", "memory"])
def test_nonsense_is_refused_with_its_reason(book: Book, task: str) -> None:
    assert len(NONSENSE) >= 60
    made = rows_of([RUN, *(RUN | wrong for wrong, _ in NONSENSE)], task, book)
    assert made.unsupported[0] is None  # without the nonsense, it is predicted
    told = zip(NONSENSE, made.unsupported[1:], strict=True)
    assert [(wrong, why, is_) for (wrong, why), is_ in told if why not in (is_ or "")] == []


def test_an_unknown_word_is_named_and_widens_the_range(book: Book) -> None:
    rows = [RUN | {"parallelism": text} for text in ("FSDP", "FSDP banana")]
    made = rows_of(rows, "throughput", book)
    assert "'banana'" in made.method[1]
    assert made.predicted[0] == made.predicted[1]
    assert made.low[1] < made.low[0] < made.high[0] < made.high[1]


def test_an_unknown_column_is_reported_with_the_nearest_name(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("id,model,gpu,tokens,gpu_hours\na,x,H100,1,2\n")
    hardware = "gpu (did you mean 'hardware'?)"
    assert read_csv(file, "runs").unread == (hardware, "gpu_hours")
    assert "tokens (did you mean 'D_tokens'?)" in read_csv(file, "loss").unread


@pytest.mark.parametrize(
    ("column", "text", "said"),
    [
        ("hardware", "A100", "'A100' taken for a100-sxm-40gb"),
        ("hardware", "A100 SXM4 40 GB", ""),
        ("hardware", "H200 SXM (4/node)", ""),
        ("parallelism", "HSDP 8x8", ""),
        ("parallelism", "HSDP(8, 8)", ""),
    ],
)
def test_the_choice_for_an_ambiguous_name_is_reported(
    book: Book, column: str, text: str, said: str
) -> None:
    row = {"id": "r", "model": "Llama 3.1 8B", "hardware": "H100 SXM", "n_gpus": "64"}
    made = rows_of([{**row, column: text}], "throughput", book)
    assert made.unsupported[0] is None
    assert said in made.method[0]
    assert "not understood" not in made.method[0]
    assert bool(said) == ("taken for" in made.method[0])


def test_active_parameters_are_read_from_a_name(book: Book) -> None:
    row = {"id": "r", "model": "Unheard-of 80B-A3B", "hardware": "H100 SXM"}
    cases = cases_of(of_columns({k: [v] for k, v in row.items()}, 1, "throughput"), book)
    assert (cases.parameters[0], cases.active[0]) == (80e9, 3e9)
    assert cases.experts[0] > 8
