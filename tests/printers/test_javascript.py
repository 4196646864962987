"""The JavaScript printer: exact text, which is safe within a script element."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest

from printers.samples import (
    a,
    b,
    binary,
    c,
    call,
    hours,
    kind,
    memory,
    minus_square,
    need,
    needs,
    once,
    one,
    pieces,
    ranked,
    stage,
    sum_once,
    two,
    zero,
)
from scalesheet.language import arithmetic
from scalesheet.language.syntax import (
    Aggregate,
    Cell,
    Column,
    Compare,
    Constant,
    End,
    Flag,
    Guard,
    Join,
    Logic,
    Negative,
    Node,
    Not,
    Number,
    OneOf,
    Reason,
    Scalar,
    Text,
)
from scalesheet.printers.javascript import javascript, quoted
from scalesheet.render.script import runtime


class Short:
    """Names short enough for a table of cases."""

    def scalar(self, name: str, end: End) -> str:
        return name if end == "value" else f"{name}.{end}"

    def column(self, table: str, column: str, end: End, row: str) -> str:
        return f"{table}.{column}[{row}]"

    def cell(self, table: str, row: str, column: str, end: End) -> str:
        return f"{table}.{column}[{row!r}]"

    def lookup(self, table: str, key: str, column: str, end: End) -> str:
        return f"{table}.{column}[{key}]"

    def table(self, table: str) -> str:
        return table

    def constant(self, name: str, value: float) -> str:
        return name


nested = Aggregate(
    "sum",
    "t",
    "hours",
    where=Compare(
        ">",
        Aggregate("count", "u", None, where=Compare("==", kind, Column("u", "kind"), of="text")),
        zero,
    ),
)
CASES: list[tuple[Node, str]] = [
    (Number(7e9), "7000000000"),
    (Number(-3.0), "-3"),
    (Text('"x"'), r'"\"x\""'),
    (Flag(False), "false"),
    (Scalar("a", "low"), "a.low"),
    (hours, "t.hours[i]"),
    (Cell("t", "r", "hours"), "t.hours['r']"),
    (memory, "hardware.memory[gpu]"),
    (Constant("byte_per_GB", 1e9), "byte_per_GB"),
    (binary(a, "-", binary(b, "-", c)), "a - (b - c)"),
    (binary(a, "+", binary(b, "*", c)), "a + b * c"),
    (binary(binary(a, "+", b), "*", c), "(a + b) * c"),
    (binary(a, "/", binary(b, "*", c)), "rt.divide(a, b * c)"),
    (minus_square, "-rt.power(a, 2)"),
    (binary(Negative(a), "**", two), "rt.power(-a, 2)"),
    (binary(a, "-", Negative(b)), "a - -b"),
    (Negative(Negative(a)), "-(-a)"),
    (call("ceil", a), "rt.ceil(a)"),
    (call("mean", a, b), "rt.mean(a, b)"),
    (Compare("<=", a, b), "rt.atMost(a, b)"),
    (Compare("!=", a, Text("x"), of="text"), '!rt.same(a, "x")'),
    (Compare("<=", a, Text("2026-11-22"), of="text"), '(a <= "2026-11-22")'),
    (Logic("and", Logic("or", a, b), Not(c)), "(rt.yes(a) || rt.yes(b)) && !rt.yes(c)"),
    (Not(Logic("or", a, b)), "!(rt.yes(a) || rt.yes(b))"),
    (
        binary(ranked, "+", one),
        '(rt.atMost(a, b) ? a : rt.yes(on) && !rt.yes(off) ? b : rt.reason("no room")) + 1',
    ),
    (Guard((a, b), binary(a, "+", b)), "rt.guard([a, b], () => a + b)"),
    (Guard((a, binary(a, "*", b)), b), "rt.guard([a, () => a * b], () => b)"),
    (need, 'rt.fixed(rt.round(a, 1), 1) + " GB"'),
    (needs, 'rt.join("needs ", rt.fixed(rt.round(a, 1), 1), " GB, of ", rt.title(hardware, gpu))'),
    (pieces, 'rt.join(stage, rt.yes(on) ? rt.join(" -n ", rt.fixed(b, 0)) : "")'),
    (Reason(Join((Text("no "), stage))), 'rt.reason(rt.join("no ", stage))'),
    (Guard((OneOf(stage, ("x",)),), stage), "rt.guard([stage], () => stage)"),
    (sum_once, 'rt.sumOf(t, "hours", "value", (j) => rt.same(t.kind[j], "once"))'),
    (Aggregate("count", "t", None), "rt.countRows(t)"),
    (
        Aggregate("count", "t", None, where=once),
        'rt.countRows(t, (j) => rt.same(t.kind[j], "once"))',
    ),
    (Aggregate("argmin", "t", "hours", "low"), 'rt.argminOf(t, "hours", "low")'),
    (
        nested,
        'rt.sumOf(t, "hours", "value", (j) => '
        "rt.greater(rt.countRows(u, (j2) => rt.same(t.kind[j], u.kind[j2])), 0))",
    ),
]


@pytest.mark.parametrize(("node", "expected"), CASES, ids=[case[1] for case in CASES])
def test_a_tree_is_printed(node: Node, expected: str) -> None:
    assert javascript(node, Short()) == expected


def test_a_plans_names_print_as_variables() -> None:
    assert javascript(Scalar("sft.steps", "low")) == 's["sft.steps"].low'
    assert javascript(hours) == 't["t"].columns["hours"][i].value'
    assert javascript(Cell("t", "r-1", "c")) == 'rt.lookup(t["t"], "r-1", "c", "value")'


@pytest.mark.parametrize("text", ["</script>", "<!--", "a\u2028b\u2029", '"\\', "\n"])
def test_a_text_is_safe_within_a_script_element(text: str, run_node: Callable[..., Any]) -> None:
    literal = quoted(text)
    assert not set("<\u2028\u2029\n") & set(literal)
    assert run_node(literal) == text


def test_a_long_chain_needs_no_recursion(run_node: Callable[..., Any]) -> None:
    chain: Node = reduce(lambda left, _: binary(left, "+", one), range(2000), one)
    assert run_node(javascript(chain)) == 2001


PRINTED = (0.0, 8.0, 0.05, 2.675, 1e-9, 123456.789, 1e14, 1e15 + 5, 2.0**53, 1e20, 1.5e22, 1e300)
FIXED = [(x, n) for x in (*PRINTED, 123456789012345678.0) for n in (0, 1, 2, 9)]


def test_a_number_prints_as_in_python(run_node: Callable[..., Any]) -> None:
    pairs = [*FIXED, *((-x, n) for x, n in FIXED)]
    rounded = [(arithmetic.round(x, n), n) for x, n in pairs]
    calls = ", ".join(f"scalesheet.runtime.fixed({x!r}, {n})" for x, n in rounded)
    found = run_node(runtime(), f"[{calls}]")
    assert found == [arithmetic.fixed(x, n) for x, n in rounded]


ROUNDED = [(x, n) for n in range(-3, 7) for x in (0.0, 0.5, 2.5, 2.675, 999.95, 0.05, 4.35, 1e-9)]
ROUNDED += [(1e15 - 1, 0), (999999.9999999999, 4), (2.0**53, 0), (8.5 - 2e-15, 0), (1e22, 2)]


def test_round_is_the_same_as_in_python(run_node: Callable[..., Any]) -> None:
    pairs = [*ROUNDED, *((-x, n) for x, n in ROUNDED)]
    calls = ", ".join(f"rt.round({x!r}, {n})" for x, n in pairs)
    found = run_node(runtime(), f"(() => {{ const rt = scalesheet.runtime; return [{calls}]; }})()")
    assert found == [arithmetic.round(x, n) for x, n in pairs]
