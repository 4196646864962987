"""The parser: what it reads, operator precedence, and the position of every error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalesheet.language.format import formula_text
from scalesheet.language.parser import DEEPEST, LONGEST, TALLEST, parse
from scalesheet.language.syntax import (
    Binary,
    Call,
    Cast,
    CellName,
    Choice,
    Compare,
    Flag,
    Logic,
    Member,
    Name,
    Negative,
    Node,
    Not,
    Number,
    Over,
    Reason,
    Text,
    walk,
)
from scalesheet.language.tokens import FormulaError

A, B, C = Name(("a",)), Name(("b",)), Name(("c",))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("-16**2", Negative(Binary("**", Number(16), Number(2)))),
        ("2**3**2", Binary("**", Number(2), Binary("**", Number(3), Number(2)))),
        ("a**-b", Binary("**", A, Negative(B))),
        ("a-b-c", Binary("-", Binary("-", A, B), C)),
        ("a/b*c", Binary("*", Binary("/", A, B), C)),
        ("a+b*c", Binary("+", A, Binary("*", B, C))),
        ("-a*b", Binary("*", Negative(A), B)),
        ("not a < b and c == a", Logic("and", Not(Compare("<", A, B)), Compare("==", C, A))),
        (
            "a if b < c else b if a > c else c",
            Choice(A, Compare("<", B, C), Choice(B, Compare(">", A, C), C)),
        ),
        ("10_000", Number(10000)),
        ("1e9", Number(1e9)),
        ("1.5e-3", Number(0.0015)),
        ("'fits'", Text("fits")),
        ('"it\'s"', Text("it's")),
        ("yes", Flag(True)),
        ("gpu.memory", Name(("gpu", "memory"))),
        ("t['row-1'].c", CellName(("t",), "row-1", "c")),
        ("p.t['row-1'].c", CellName(("p", "t"), "row-1", "c")),
        (
            "sum(t.c where t.x >= 5)",
            Over("sum", Name(("t", "c")), Compare(">=", Name(("t", "x")), Number(5))),
        ),
        ("count(t) as run", Cast(Over("count", Name(("t",)), None), "run")),
        ("argmin(t.c).price", Member(Over("argmin", Name(("t", "c")), None), "price")),
        ("energy(hours=a, power=b)", Call("energy", (), (("hours", A), ("power", B)))),
        ("reason('n/a')", Reason(Text("n/a"))),
        ("from + lambda", Binary("+", Name(("from",)), Name(("lambda",)))),
    ],
)
def test_it_parses(text: str, tree: Node) -> None:
    assert parse(text) == tree


@pytest.mark.parametrize(
    ("text", "offset", "message"),
    [
        ("", 0, "the formula is empty"),
        ("a +", 3, "expected a number, a name or '(', the formula ends"),
        ("a ^ b", 2, "'^' is not part of the language; write '**'"),
        ("a × b", 2, "'×' is not part of the language; write '*'"),
        ("15 %", 3, "'%' is not part of the language; write a fraction, 0.15 for 15 %"),
        ("a = b", 2, "'=' is not a comparison; write '=='"),
        ("a < b < c", 6, "comparisons do not chain; write 'a < b and b < c'"),
        ("5GB", 0, "'5GB' is neither a number nor a name"),
        ("(a", 2, "expected ')' to close the bracket, the formula ends"),
        ("a b", 2, "expected an operator or the end, found 'b'"),
        ("a + 5 hour", 6, "make it a scalar, {value: 5 hour}, and name it"),
        ("max(a, 5 USD)", 9, "make it a scalar, {value: 5 USD}, and name it"),
        ("a where b", 2, "'where' belongs inside an aggregate"),
        ("'a", 0, "the text is not closed with the same quotation mark"),
        ("ceil(a, b)", 0, "ceil takes 1 argument, found 2"),
        ("1e999", 0, "'1e999' is larger than 1e100"),
        ("t[a].c", 2, "expected the row's id in quotation marks"),
        ("f(x=1, x=2)", 7, "the input 'x' is given twice"),
        ("a.b(c)", 0, "'a.b' is not a function"),
        ("+a", 0, "the sign '+' is not needed"),
        ("a;b", 1, "';' has no meaning in a formula"),
    ],
)
def test_an_error_is_reported_at_its_position(text: str, offset: int, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert caught.value.offset == offset
    assert message in caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        "1" * 100_000,
        "a+" * 50_000 + "a",
        "(" * (DEEPEST + 1) + "a" + ")" * (DEEPEST + 1),
        "-" * (LONGEST - 1) + "a",
        "a**" * (DEEPEST + 1) + "a",
        "not " * 900 + "a",
        "+".join(["a"] * (TALLEST + 1)),
    ],
    ids=["digits", "long", "brackets", "signs", "powers", "nots", "sum"],
)
def test_formulas_too_large_for_spreadsheets_are_refused_early(text: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert caught.value.code == "F002"


def test_every_node_knows_its_position() -> None:
    text = "a + max(b, 2 * t['x'].c) if not a < b else sum(t.c where t.d == 'w') as run"
    for node in walk(parse(text)):
        assert node.span is not None
        part = text[node.span.start : node.span.end]
        if isinstance(node, Name):
            assert part == ".".join(node.path)
        if isinstance(node, Call | Over):
            assert part.startswith(node.function)
            assert part.endswith(")")


NAMES = st.sampled_from(["a", "b", "gpu.memory", "total.hours"]).map(
    lambda text: Name(tuple(text.split(".")))
)
LEAVES = st.one_of(
    NAMES,
    st.integers(0, 10**6).map(lambda n: Number(float(n), str(n))),
    st.sampled_from([Text("fits"), Flag(True), Flag(False), Reason(Text("n/a"))]),
    st.just(CellName(("t",), "row-1", "c")),
    st.just(Over("count", Name(("t",)), None)),
)


def _larger(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.one_of(
        st.builds(Binary, st.sampled_from(["+", "-", "*", "/", "**"]), inner, inner),
        st.builds(Compare, st.sampled_from(["<", "<=", "==", "!=", ">=", ">"]), inner, inner),
        st.builds(Logic, st.sampled_from(["and", "or"]), inner, inner),
        st.builds(Not, inner),
        st.builds(Negative, inner),
        st.builds(Choice, inner, inner, inner),
        st.builds(lambda a, b: Call("max", (a, b)), inner, inner),
        st.builds(lambda a: Call("ceil", (a,)), inner),
        st.builds(lambda a: Call("energy", (), (("power", a),)), inner),
        st.builds(lambda a: Cast(a, "run"), inner),
        st.builds(lambda a: Over("sum", Name(("t", "c")), a), inner),
    )


@given(st.recursive(LEAVES, _larger, max_leaves=20))
def test_a_written_tree_parses_to_the_same_tree(tree: Node) -> None:
    assert parse(formula_text(tree)) == tree


@given(st.text(max_size=60) | st.text("ab1.()[]'*/+-<=> whereifels", max_size=60))
def test_any_text_gives_a_tree_or_an_error_within_it(text: str) -> None:
    place = 0
    try:
        parse(text)
    except FormulaError as fault:
        place = fault.offset
    assert 0 <= place <= len(text)
