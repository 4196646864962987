"""Nonsense is refused everywhere for the same reason, and no word is silently dropped.

That is in `predict`, the calculator and the front page; `choose` never offers it."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from editions import edition_of
from scalesheet.book import Book
from scalesheet.choose.conditions import HOLDS, SAYS, TABLE
from scalesheet.choose.job import PLAN, Job, assumptions
from scalesheet.choose.search import search
from scalesheet.evaluate import evaluate
from scalesheet.model import Key, Stated
from scalesheet.predict.cases import QUANTISED, Cases, cases_of
from scalesheet.predict.cases.catalogue import known
from scalesheet.predict.cases.reader import COLUMNS, of_columns
from scalesheet.predict.table import Predictions
from scalesheet.predict.tasks import predict
from scalesheet.predict.told import told
from scalesheet.render.live import ASKING, script
from scalesheet.render.live.engine import Engine
from scalesheet.render.pages.compare.workload import question_of
from scalesheet.render.pages.context import Context
from shipped import shipped, shipped_book

#: Nonsense for Llama 3.1 8B with sequences of 4,096, and the start of the refusal.
NONSENSE: tuple[tuple[dict[str, float], str], ...] = (
    ({"gpus": 8, "tensor": 64}, "32 heads do not divide evenly among 64 tensor-parallel ranks"),
    (
        {"gpus": 6, "batch": 6, "tensor": 3},
        "32 heads do not divide evenly among 3 tensor-parallel ranks",
    ),
    ({"gpus": 8, "stage": 5}, "ZeRO stage 5; there are stages 0 to 3"),
    (
        {"gpus": 7, "batch": 7, "pipeline": 7},
        "32 layers do not divide evenly into 7 pipeline stages",
    ),
    ({"gpus": 64, "pipeline": 64}, "32 layers are too few for 64 pipeline stages"),
    ({"gpus": 8, "batch": 1}, "1 sequence per step does not divide evenly among 8 replicas"),
    ({"gpus": 8, "experts": 4}, "a dense model has no experts to divide"),
    ({"gpus": 8, "tensor": 8, "pipeline": 8}, "8 accelerators do not divide into replicas of 64"),
    ({"gpus": 3, "batch": 3, "context": 3}, "4096 tokens per sequence do not divide"),
)
DEGREES = {"tensor": "TP", "pipeline": "PP", "experts": "EP", "context": "CP", "stage": "ZeRO-"}
#: The front page has no such input, and refuses the name.
NOT_ASKED = ("context",)
every = pytest.mark.parametrize(("asked", "why"), NONSENSE, ids=lambda each: str(each)[:50])


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped_book()


@pytest.fixture(scope="module")
def page(book: Book) -> Engine:
    return Engine(question_of(Context(edition_of(shipped()))), script(ASKING))


def described(book: Book, task: str, **columns: str) -> tuple[Cases, Predictions]:
    stated = {"model": "llama-3-1-8b", "hardware": "h100-sxm", **columns}
    kept = {name: [text] for name, text in stated.items() if name in COLUMNS[task]}
    cases = cases_of(of_columns({"id": ["a"], **kept}, 1, task), book)
    return cases, predict(book, task, cases)


@pytest.mark.parametrize(
    ("gpus", "layout", "why"),
    [
        ("4", "FSDP8", "the layout needs more accelerators than are stated"),
        ("4", "TP2 DP4", "the layout needs more accelerators than are stated"),
        (
            "6",
            "CP3",
            "2048 tokens per sequence do not divide evenly among 3 context-parallel ranks",
        ),
        ("8", "FSDP8", None),
        ("64", "FSDP8", None),
    ],
)
@pytest.mark.parametrize("task", ["throughput", "memory"])
def test_a_layout_has_to_go_with_the_accelerators(
    book: Book, task: str, gpus: str, layout: str, why: str | None
) -> None:
    _, made = described(book, task, n_gpus=gpus, parallelism=layout)
    assert made.unsupported.tolist() == [why]


@pytest.mark.parametrize(
    ("way", "precision", "why"),
    [
        ("full fine-tuning", "awq", QUANTISED),
        ("pretrain", "nf4", QUANTISED),
        ("pretrain", "nvfp4", QUANTISED),
        ("full", "fp8", None),
        ("finetune-lora", "mxfp4", None),
        ("finetune-qlora", "nf4", None),
    ],
)
@pytest.mark.parametrize(("task", "column"), [("throughput", "task"), ("memory", "method")])
def test_quantized_weights_need_an_adapter(
    book: Book, task: str, column: str, way: str, precision: str, why: str | None
) -> None:
    stated = {"model": "llama-3-1-8b", "hardware": "h100-sxm", "n_gpus": "8", "seq_len": "2048"}
    given = {**stated, "micro_batch": "1", "precision": precision, column: way, "id": "a"}
    cases = cases_of(of_columns({name: [text] for name, text in given.items()}, 1, task), book)
    found = predict(book, task, cases).unsupported[0]
    assert found is None if why is None else (found or "").startswith(why)


@every
@pytest.mark.parametrize("task", ["runs", "throughput", "memory"])
def test_predict_refuses_it(book: Book, task: str, asked: Mapping[str, float], why: str) -> None:
    columns = {"seq_len": "4096", "tokens": "1e9", "n_gpus": f"{asked['gpus']}"}
    columns["parallelism"] = " ".join(
        f"{called}{asked[name]}" for name, called in DEGREES.items() if name in asked
    )
    if "batch" in asked:
        columns["global_batch_seqs"] = f"{asked['batch']}"
    _, made = described(book, task, **columns)
    assert made.unsupported[0] is not None
    assert made.unsupported[0].startswith(why)


@every
def test_the_calculator_refuses_it(book: Book, asked: Mapping[str, float], why: str) -> None:
    plan = book.plans[PLAN]
    edits = {Key(name): Stated(float(value), basis="decision") for name, value in asked.items()}
    edits[Key("trainer")] = Stated("tuned", basis="decision")
    made = evaluate(book, plan, edits)
    table = made.tables[TABLE]
    broken = [
        str(says.value)
        for holds, says in zip(table[HOLDS], table[SAYS], strict=True)
        if not holds.value
    ]
    assert any(each.startswith(why) for each in broken), broken
    assert made.scalars[plan.roles["verdict"].name].value == "cannot run"
    assert made.scalars[plan.roles["cost"].name].reason


@every
def test_the_front_page_refuses_it(page: Engine, asked: Mapping[str, float], why: str) -> None:
    case = {"model": "llama-3-1-8b", "gpu": "h100-sxm", "trainer": "tuned", "sequence": 4096}
    case |= {
        "tensor": 1,
        "pipeline": 1,
    }  # if left open, the page searches them
    texts = [[name, str(value)] for name, value in {**case, **asked}.items()]
    faults, obstacles = page.call(
        "((texts) => { const { readCase, complete, obstaclesTo } = scalesheet.cases;"
        " const { stated, faults } = readCase(texts);"
        " const obstacles = faults.length ? [] : obstaclesTo(complete(stated));"
        " return [faults.map(({ name }) => name), obstacles];"
        " })",
        texts,
    )
    if any(name in NOT_ASKED for name in asked):
        assert faults == [name for name in asked if name in NOT_ASKED]
    else:
        assert any(each.startswith(why) for each in obstacles), obstacles


def test_choose_never_offers_it(book: Book) -> None:
    job = Job("llama-3-1-8b", ("pretrain",), 1e9, 4096.0, 64.0, 1e4, True, 64.0)
    made = search(book, known(book), job, assumptions(book, book.plans[PLAN], {})).grid
    assert len(made)
    assert set(made.tensor.tolist()) <= {1.0, 2.0, 4.0, 8.0}
    assert set(made.stage.tolist()) <= {0.0, 1.0, 2.0, 3.0}
    assert set(made.experts.tolist()) == {1.0}
    assert (32 % made.pipeline == 0).all()
    replicas = made.gpus / (made.tensor * made.pipeline * made.context)
    assert (replicas == replicas.round()).all()
    assert (64 % (replicas * made.micro_batch) == 0).all()


def test_layers_that_do_not_divide_evenly_are_accepted(book: Book) -> None:
    """Llama 3.1 405B was trained with 126 layers in 16 stages."""
    layout = {"n_gpus": "128", "parallelism": "TP8 PP16"}
    _, made = described(book, "throughput", model="llama-3-1-405b", **layout)
    assert made.unsupported[0] is None


# ------------------------------------------------------------------ words


@pytest.mark.parametrize(
    ("column", "text", "where"),
    [
        ("parallelism", "TP2 banana", "layout"),
        ("precision", "bf16 banana", "precision"),
        ("act_ckpt", "banana", "checkpointing"),
        ("method", "lora r=16 banana", "method"),
        ("model", "llama-3-1-8b banana", "model's name"),
    ],
)
def test_every_unknown_word_is_named_and_widens_the_range(
    book: Book, column: str, text: str, where: str
) -> None:
    plain = text.replace("banana", "").strip()
    _, known_ = described(book, "memory", n_gpus="2", **{column: plain})
    _, made = described(book, "memory", n_gpus="2", **{column: text})
    assert f"not understood in the {where}: 'banana'" in made.method[0]
    assert "not understood" not in known_.method[0]
    assert made.predicted[0] == known_.predicted[0]
    assert made.high[0] > known_.high[0]
    assert made.low[0] < known_.low[0]


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("precision", "BF16-mixed with FP8 (block-wise scaling)"),
        ("precision", "nf4+dq, compute in bf16"),
        ("method", "full fine-tuning, AdamW 8-bit, gradient checkpointing"),
        ("method", "QLoRA r=64, paged AdamW"),
        ("act_ckpt", "full, uniform, every 1 layer"),
        ("model", "meta-llama/Llama-3.1-8B-Instruct"),
        ("model", "Llama-3.1-8B fine-tuned on Alpaca"),
    ],
)
def test_words_of_the_field_are_understood(book: Book, column: str, text: str) -> None:
    cases, made = described(book, "memory", n_gpus="2", **{column: text})
    assert cases.unread[0] == 0, made.method[0]
    assert made.unsupported[0] is None


# ------------------------------------------------------------------ other parts of an answer


@pytest.mark.parametrize("task", ["runs", "throughput", "memory"])
@pytest.mark.parametrize("hardware", ["t4", "v100-sxm2-32gb"])
def test_bf16_is_refused_on_accelerators_without_it(book: Book, task: str, hardware: str) -> None:
    _, made = described(book, task, hardware=hardware, precision="bf16", tokens="1e9")
    assert "no bf16 units" in str(made.unsupported[0])
    for text in ("fp16", "16-bit", ""):
        _, other = described(book, task, hardware=hardware, precision=text, tokens="1e9")
        assert other.unsupported[0] is None


@pytest.mark.parametrize("task", ["runs", "throughput"])
def test_a_case_that_does_not_fit_says_so(book: Book, task: str) -> None:
    stated = {"model": "llama-3-1-70b", "tokens": "1e9", "kind": "full"}
    cases, made = described(book, task, n_gpus="2", **stated)
    assert "memory" in told(book, task, cases, made).method[0]
    layout = {"parallelism": "DDP", "precision": "bf16", "act_ckpt": "full", "micro_batch": "1"}
    cases, made = described(book, task, n_gpus="8", seq_len="4096", **stated, **layout)
    assert "memory" in told(book, task, cases, made).method[0]
    cases, made = described(book, task, n_gpus="512", **stated)
    assert "memory" not in told(book, task, cases, made).method[0]


def test_a_run_has_net_and_gross_hours(book: Book) -> None:
    cases, made = described(book, "runs", tokens="1e12", n_gpus="512", kind="pretrain")
    said = told(book, "runs", cases, made).method[0]
    found = re.search(r"([\d,]+) GPU hours without restarts", said)
    assert found is not None
    net = float(found[1].replace(",", ""))
    assert 0.5 * made.predicted[0] < net < made.predicted[0]
