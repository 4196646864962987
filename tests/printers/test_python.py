"""The Python printer: readable text, with only the brackets that Python needs, that runs."""

from __future__ import annotations

from functools import reduce
from types import SimpleNamespace
from typing import Any

import pytest

from printers.samples import (
    a,
    b,
    binary,
    c,
    call,
    doubted,
    hours,
    memory,
    minus_square,
    need,
    needs,
    once,
    one,
    pieces,
    ranked,
    sum_once,
    two,
)
from scalesheet.language.syntax import (
    Aggregate,
    Cell,
    Compare,
    Constant,
    Flag,
    Guard,
    Logic,
    Negative,
    Node,
    Not,
    Number,
    Reason,
    Scalar,
    Text,
)
from scalesheet.printers import runtime
from scalesheet.printers.python import python

CASES: list[tuple[Node, str]] = [
    (Number(7e9), "7000000000"),
    (Number(1e300), "1e+300"),
    (Text("it's"), '"it\'s"'),
    (Flag(True), "True"),
    (Constant("byte_per_GB", 1e9), "1000000000"),
    (Scalar("sft.steps", "low"), "sft.steps_low"),
    (Scalar("lambda"), "lambda_"),
    (hours, "row.hours"),
    (memory, "hardware[gpu].memory"),
    (Cell("t", "r-1", "hours", "high"), "t['r-1'].hours_high"),
    (binary(a, "-", binary(b, "-", c)), "a - (b - c)"),
    (binary(a, "/", binary(b, "*", c)), "a / (b * c)"),
    (binary(binary(a, "/", b), "*", c), "a / b * c"),
    (minus_square, "-a ** 2"),
    (binary(Negative(a), "**", two), "(-a) ** 2"),
    (binary(two, "**", Negative(a)), "2.0 ** -a"),
    (binary(binary(a, "**", b), "**", c), "(a ** b) ** c"),
    (binary(a, "**", binary(b, "**", c)), "a ** b ** c"),
    (binary(a, "*", Negative(b)), "a * -b"),
    (Negative(Negative(a)), "-(-a)"),
    (Negative(binary(a, "+", b)), "-(a + b)"),
    (call("sum", a, b), "total([a, b])"),
    (call("max", Number(0.0), a), "max(0, a)"),
    (call("round", a, two), "round(a, 2)"),
    (Compare("<=", a, b), "at_most(a, b)"),
    (Compare("!=", a, b), "differ(a, b)"),
    (Compare("==", once, Flag(True), of="flag"), "(row.kind == 'once') == True"),
    (Logic("or", Logic("and", a, b), Not(c)), "a and b or not c"),
    (Logic("and", Logic("or", a, b), Not(Logic("or", b, c))), "(a or b) and not (b or c)"),
    (
        binary(ranked, "+", one),
        "(a if at_most(a, b) else b if on and not off else Reason('no room')) + 1",
    ),
    (Guard((a, b), binary(a, "+", b)), "guard([a, b], lambda: a + b)"),
    (Guard((a, binary(a, "*", b)), b), "guard([a, lambda: a * b], lambda: b)"),
    (need, "fixed(round(a, 1), 1) + ' GB'"),
    (needs, "join('needs ', fixed(round(a, 1), 1), ' GB, of ', hardware[gpu].title)"),
    (pieces, "join(stage, join(' -n ', fixed(b, 0)) if on else '')"),
    (doubted, "guard([stage], lambda: join(stage, join(' -n ', fixed(b, 0)) if on else ''))"),
    (Reason(pieces), "Reason(join(stage, join(' -n ', fixed(b, 0)) if on else ''))"),
    (sum_once, "total(numbers(r.hours for r in t if r.kind == 'once'))"),
    (Aggregate("count", "t", None), "count(r for r in t)"),
    (Aggregate("argmin", "t", "hours"), "argmin((r.id, r.hours) for r in t)"),
]


@pytest.mark.parametrize(("node", "expected"), CASES, ids=[case[1] for case in CASES])
def test_a_tree_is_printed(node: Node, expected: str) -> None:
    assert python(node) == expected


ROWS = [
    SimpleNamespace(id="x", hours=3.0, kind="once"),
    SimpleNamespace(id="y", hours=runtime.Reason("not run"), kind="once"),
    SimpleNamespace(id="z", hours=1.0, kind="more"),
]
RUNS: list[tuple[Node, Any]] = [
    (sum_once, 3.0),
    (Aggregate("count", "t", "hours"), 2),
    (Aggregate("count", "t", None), 3),
    (Aggregate("mean", "t", "hours"), 2.0),
    (Aggregate("argmin", "t", "hours"), "z"),
    (Aggregate("max", "t", "hours", where=once), 3.0),
    (Aggregate("argmax", "t", "hours", where=Flag(False)), None),
    (Guard((Scalar("unknown"),), binary(Scalar("unknown"), "+", a)), runtime.Reason("not known")),
    (minus_square, -16.0),
    (
        Aggregate(
            "count",
            "t",
            None,
            where=Compare("==", Aggregate("count", "t", "hours", where=once), one),
        ),
        3,
    ),
]


@pytest.mark.parametrize(("node", "expected"), RUNS, ids=[python(node) for node, _ in RUNS])
def test_the_text_runs(node: Node, expected: Any) -> None:
    names = {name: getattr(runtime, name) for name in runtime.__all__}
    given = {"t": ROWS, "a": 4.0, "unknown": runtime.Reason("not known")}
    assert eval(python(node), {**names, **given}) == expected


def test_a_long_chain_needs_no_recursion() -> None:
    chain: Node = reduce(lambda left, _: binary(left, "+", one), range(5000), one)
    assert python(chain) == " + ".join("1" * 5001)
