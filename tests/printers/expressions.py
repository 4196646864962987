"""Random well-formed bound expressions over the world, and a repeatable batch of stable ones."""

from __future__ import annotations

import functools
from contextlib import suppress

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import strategies as st

from printers.world import STAGES, UnstableError, reference
from scalesheet.language.syntax import (
    Aggregate,
    Binary,
    Call,
    Cell,
    Choice,
    Column,
    Compare,
    Constant,
    Fixed,
    Flag,
    Guard,
    Join,
    Known,
    Logic,
    Lookup,
    Negative,
    Node,
    Not,
    Number,
    OneOf,
    Reason,
    Scalar,
    Text,
    Title,
    walk,
)

LITERALS = st.one_of(
    st.integers(0, 12).map(float),
    st.sampled_from([0.1, 0.2, 0.3, 0.5, 2.5, 2.675, 1.005, 23.1, 100.0, 1e-9, 1e9, 1e13, 2.0**31]),
    st.floats(1e-6, 1e6).map(lambda x: float(f"{x:.6g}")),
).map(Number)
NUMBERS = [
    *(Scalar(name) for name in ("steps", "rate", "hours", "params", "tiny", "debt", "nothing")),
    Scalar("rate", "low"),
    Scalar("rate", "high"),
    Column("t", "steps"),
    Cell("t", "e-5", "steps"),
    Lookup("t", Scalar("gpu"), "steps"),
    Lookup("t", Column("t", "next"), "steps"),
    Constant("byte_per_GB", 1e9),
]
#: Numbers that may be reasons; they are used only in guards and in `known`.
DOUBTFUL: list[Node] = [
    Scalar("unknown"),
    Column("t", "price"),
    Cell("t", "a-1", "price"),
    Cell("t", "b-2", "price"),
    Lookup("t", Scalar("gpu"), "price"),
    Lookup("t", Column("t", "next"), "price"),
]
FLAGS: list[Node] = [
    *map(Known, DOUBTFUL),
    Scalar("on"),
    Scalar("off"),
    Column("t", "done"),
    Lookup("t", Scalar("gpu"), "done"),
    Flag(True),
    Flag(False),
]
WORDS: list[Node] = [Scalar("stage"), Column("t", "kind"), Cell("t", "b-2", "kind"), Text("seed")]

LEAVES = st.one_of(LITERALS, st.sampled_from(NUMBERS))
OPERATORS = st.sampled_from(["+", "-", "*", "/"])
ORDERS = st.sampled_from(["<", "<=", "==", "!=", ">=", ">"])


def _grown(
    numbers: st.SearchStrategy[Node], tests: st.SearchStrategy[Node]
) -> dict[str, st.SearchStrategy[Node]]:
    """Numbers that are one level deeper, by kind."""
    several = st.lists(numbers, min_size=1, max_size=4).map(tuple)
    small = st.sampled_from([Number(2.0), Number(3.0), Number(0.5), Negative(Number(2.0))])
    return {
        "binary": st.builds(Binary, OPERATORS, numbers, numbers),
        "power": st.builds(Binary, st.just("**"), numbers, small),
        "growth": st.builds(Binary, st.just("**"), st.just(Number(1.5)), numbers),
        "minus": st.builds(Negative, numbers),
        "several": st.builds(Call, st.sampled_from(["sum", "mean", "min", "max"]), several),
        "whole": st.builds(
            Call, st.sampled_from(["ceil", "floor"]), st.tuples(_near_whole(numbers))
        ),
        "round": st.builds(
            Call,
            st.just("round"),
            st.tuples(_near_half(numbers), st.sampled_from([Number(0.0), Number(2.0)])),
        ),
        "thousands": st.builds(
            Call, st.just("round"), st.tuples(numbers, st.just(Negative(Number(3.0))))
        ),
        "one": st.builds(
            Call, st.sampled_from(["sqrt", "ln", "log10", "abs", "exp"]), st.tuples(numbers)
        ),
        "cancel": numbers.map(lambda x: Binary("-", Binary("+", x, Number(0.1)), x)),
        "choice": st.builds(Choice, numbers, tests, numbers),
    }


def _near_whole(numbers: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    """Any arguments, and ones that are whole except for rounding."""
    quotient = st.builds(
        lambda n, d: Binary("/", Number(float(f"{n * d / 10:.6g}")), Number(d / 10)),
        st.integers(1, 999),
        st.integers(1, 99),
    )
    return st.one_of(quotient, numbers)


def _near_half(numbers: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    """Any arguments, and ones that end in a half except for rounding."""
    product = st.builds(
        lambda n, d: Binary("*", Number(float(f"{(n + 0.5) / d:.15g}")), Number(float(d))),
        st.integers(0, 9999),
        st.integers(1, 999),
    )
    cents = st.integers(0, 99999).map(lambda n: Number(n / 100 + 0.005))
    return st.one_of(product, cents, numbers)


def _conditions(
    numbers: st.SearchStrategy[Node], tests: st.SearchStrategy[Node]
) -> st.SearchStrategy[Node]:
    beside = numbers.map(lambda x: (x, Binary("*", x, Number(1 + 1e-15))))
    words = st.sampled_from(WORDS)
    return st.one_of(
        st.builds(Compare, ORDERS, numbers, numbers),
        st.builds(lambda op, pair: Compare(op, *pair), ORDERS, beside),
        st.builds(lambda op, x: Compare(op, x, Number(0.0)), ORDERS, numbers),
        st.builds(Compare, st.sampled_from(["==", "!="]), words, words, of=st.just("text")),
        st.builds(Compare, st.just("=="), tests, tests, of=st.just("flag")),
        st.builds(Logic, st.sampled_from(["and", "or"]), tests, tests),
        st.builds(Not, tests),
        st.builds(Choice, tests, tests, tests),
        st.sampled_from(FLAGS),
    )


STEPS, KIND, DONE = Column("t", "steps"), Column("t", "kind"), Column("t", "done")


def _not_by_row(node: Node) -> bool:
    """Whether a node is not a lookup per row, which has no Excel formula."""
    return not (isinstance(node, Lookup) and isinstance(node.key, Column))


_PER_ROW = st.one_of(
    st.just(STEPS),
    st.builds(Binary, st.sampled_from(["+", "-", "*"]), st.just(STEPS), LITERALS),
    st.builds(
        Call,
        st.sampled_from(["min", "max", "sum", "mean"]),
        st.tuples(st.just(STEPS), LITERALS),
    ),
    st.builds(lambda x: Call("ceil", (x,)), st.just(STEPS)),
    st.builds(lambda x: Choice(STEPS, DONE, x), LITERALS),
)
_ROW_TESTS = st.recursive(
    st.one_of(
        st.just(DONE),
        st.builds(Compare, ORDERS, _PER_ROW, LEAVES.filter(_not_by_row)),
        st.builds(
            lambda word: Compare("==", KIND, word, of="text"),
            st.sampled_from([Text("once"), Text("seed"), Text("no such"), Scalar("stage")]),
        ),
        st.just(Compare(">", Number(1.0), Scalar("rate"))),
    ),
    lambda tests: st.one_of(
        st.builds(Logic, st.sampled_from(["and", "or"]), tests, tests), st.builds(Not, tests)
    ),
    max_leaves=3,
)
AGGREGATES = st.one_of(
    st.builds(
        Aggregate,
        st.sampled_from(["sum", "mean", "min", "max", "count"]),
        st.just("t"),
        st.sampled_from(["price", "steps"]),
        where=st.one_of(st.none(), _ROW_TESTS),
    ),
    st.builds(Aggregate, st.just("count"), st.just("t"), st.none(), where=_ROW_TESTS | st.none()),
)
BEST = st.builds(
    Aggregate,
    st.sampled_from(["argmin", "argmax"]),
    st.just("t"),
    st.sampled_from(["price", "steps"]),
    where=st.one_of(st.none(), _ROW_TESTS),
)


def _levels(depth: int) -> tuple[st.SearchStrategy[Node], st.SearchStrategy[Node]]:
    """Numbers and conditions of this depth."""
    numbers: st.SearchStrategy[Node] = st.one_of(LEAVES, LEAVES, AGGREGATES)
    tests: st.SearchStrategy[Node] = st.sampled_from(FLAGS)
    for _ in range(depth):
        grown = _grown(numbers, tests)
        numbers, tests = st.one_of(numbers, *grown.values()), _conditions(numbers, tests)
    return st.one_of(*_grown(numbers, tests).values(), AGGREGATES), _conditions(numbers, tests)


SMALL, _ = _levels(1)
NUMERIC, CONDITIONS = _levels(2)


def _with_reasons(subject: Node, other: Node, body: Node, op: str) -> Node:
    """A number computed from possible reasons, with its guard."""
    whole = {
        "+": Binary("+", subject, other),
        "*": Binary("*", subject, body),
        "/": Binary("/", body, subject),
        "max": Call("max", (Number(0.0), subject)),
    }[op]
    doubtful = [node for node in dict.fromkeys((subject, other)) if node in set(walk(whole))]
    return Guard(tuple(doubtful), whole)


GUARDED = st.builds(
    _with_reasons,
    st.sampled_from(DOUBTFUL),
    st.sampled_from(DOUBTFUL),
    SMALL,
    st.sampled_from(["+", "*", "/", "max"]),
)


# ------------------------------------------------------------------ texts


def _rounded(x: Node, decimals: int, suffix: str) -> Node:
    return Fixed(Call("round", (x, Number(float(decimals)))), decimals, suffix)


def _texts(
    numbers: st.SearchStrategy[Node], tests: st.SearchStrategy[Node]
) -> st.SearchStrategy[Node]:
    """Texts of literals, numbers near halves, words, titles, and choices of these."""
    literals = st.sampled_from([" ", "needs ", "'", '"', "&", "{x}", "ü →", "5 %", "", "x" * 300])
    pieces = st.one_of(
        literals.map(Text),
        st.builds(_rounded, _near_half(numbers), st.integers(0, 4), st.sampled_from(["", " GB"])),
        st.builds(_rounded, _powers(), st.integers(0, 2), st.just("")),
        st.builds(lambda x: Fixed(Call("ceil", (x,)), 0), numbers),
        st.builds(lambda x: _rounded(Binary("*", x, Number(100.0)), 1, "%"), LEAVES),
        st.sampled_from([Scalar("stage"), Scalar("note"), Scalar("empty"), Column("t", "kind")]),
        st.sampled_from([Lookup("t", Scalar("gpu"), "kind"), Title("t", Scalar("gpu"))]),
        st.just(Title("t", Column("t", "next"))),
        st.builds(lambda row: Title("t", row), BEST),
    )
    rows = st.lists(pieces, max_size=4).map(lambda parts: Join(tuple(parts)))
    chosen = st.builds(lambda a, test, b: Choice(a, test, b), rows, tests, rows)
    return st.lists(st.one_of(pieces, pieces, rows, chosen), min_size=1, max_size=5).map(
        lambda parts: Join(tuple(parts))
    )


def _powers() -> st.SearchStrategy[Node]:
    """Small and large numbers of either sign, including halves of the last decimal."""
    return st.builds(
        lambda digits, power, sign: Number(sign * float(f"{digits}e{power}")),
        st.integers(1, 9999),
        st.integers(-8, 6),
        st.sampled_from([1.0, -1.0]),
    )


def _doubtful_text(number: Node, test: Node, text: Node) -> Node:
    """A text that becomes a reason if one of its printed values is a reason."""
    printed = _rounded(number, 1, " h")
    word, title = Scalar("doubt"), Title("t", Scalar("nobody"))
    subjects = (
        Choice(number, test, Number(0.0)),
        Choice(Number(0.0), test, OneOf(Scalar("nobody"), table="t")),
        OneOf(word, STAGES),
    )
    inner = Choice(Join((Text("takes "), printed)), test, Join((title,)))
    return Guard(subjects, Join((inner, word, text)))


_, SHORT_TESTS = _levels(1)
TEXTS = _texts(LEAVES, SHORT_TESTS)
PRINTED = st.one_of(
    TEXTS,
    TEXTS,
    st.builds(Choice, SMALL, CONDITIONS, TEXTS.map(Reason)),
    st.builds(_doubtful_text, st.sampled_from(DOUBTFUL), st.sampled_from(FLAGS), TEXTS),
    st.just(Guard((OneOf(Scalar("stage"), STAGES),), Join((Scalar("stage"), Text("!"))))),
)
_KINDS: list[st.SearchStrategy[Node]] = [
    NUMERIC,
    NUMERIC,
    NUMERIC,
    CONDITIONS,
    GUARDED,
    BEST,
    AGGREGATES,
    st.builds(Choice, SMALL, CONDITIONS, st.just(Reason(Text('too "large" ü')))),
    st.builds(Choice, st.just(Text("fits")), CONDITIONS, st.just(Text("tight"))),
    st.builds(Lookup, st.just("t"), BEST, st.sampled_from(["kind", "steps"])),
]
#: Anything that a cell can hold; each kind as often as it is listed.
EXPRESSIONS = st.integers(0, len(_KINDS) - 1).flatmap(lambda kind: _KINDS[kind])
#: The strategies from which a batch is drawn.
DRAWN = {"anything": EXPRESSIONS, "texts": PRINTED}


@functools.cache
def batch(size: int, of: str = "anything") -> tuple[Node, ...]:
    """This many different stable expressions, the same in each run."""
    found: dict[Node, None] = {}

    @settings(
        max_examples=4 * size,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @given(DRAWN[of])
    def collect(node: Node) -> None:
        try:
            reference(node)
        except UnstableError:
            return
        found.setdefault(node)
        if len(found) >= size:
            raise _EnoughError

    with suppress(_EnoughError):
        collect()
    return tuple(found)[:size]


class _EnoughError(Exception):
    """Stops drawing."""
