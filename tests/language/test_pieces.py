"""Texts with figures: what the parser reads, where errors are reported, how they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalesheet.language.format import formula_text
from scalesheet.language.parser import parse
from scalesheet.language.pieces import join, joined
from scalesheet.language.syntax import (
    Binary,
    Call,
    CellName,
    Choice,
    Compare,
    Join,
    Name,
    Node,
    Number,
    Placeholder,
    Reason,
    Span,
    Text,
    walk,
)
from scalesheet.language.tokens import FormulaError

N, X = Name(("n",)), Name(("x",))
TEST = Compare("==", X, Text("a"))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("text('a')", Join((Text("a"),))),
        ("text('')", Join(())),
        ("text('a {n} b')", Join((Text("a "), Placeholder(N), Text(" b")))),
        ("text('{n:.1 GB}')", Join((Placeholder(N, 1, "GB"),))),
        ("text('{ n : .1 USD / (GPU * hour) }')", Join((Placeholder(N, 1, "USD / (GPU * hour)"),))),
        ("text('{n:.2}{x:.0 %}')", Join((Placeholder(N, 2), Placeholder(X, 0, "%")))),
        ("text('{{n}} {{')", Join((Text("{n} {"),))),
        ("text('a', n, 'b')", Join((Text("a"), Placeholder(N), Text("b")))),
        ("text('a', 'b', text('c'))", Join((Text("abc"),))),
        ("text(\"{t['r'].c:.0 h}\")", Join((Placeholder(CellName(("t",), "r", "c"), 0, "h"),))),
        (
            "text('b {n}' if x == 'a' else '')",
            Join((Choice(Join((Text("b "), Placeholder(N))), TEST, Text("")),)),
        ),
        (
            'text(\'{"b" if x == "a" else n}\')',
            Join((Choice(Text("b"), TEST, Join((Placeholder(N),))),)),
        ),
        (
            "text('{(n if x == \"a\" else 1):.1}')",
            Join((Placeholder(Choice(N, TEST, Number(1)), 1),)),
        ),
        ("reason('no {n}')", Reason(Join((Text("no "), Placeholder(N))))),
        ("reason('a' if x == 'a' else 'b')", Reason(Choice(Text("a"), TEST, Text("b")))),
    ],
)
def test_it_parses(text: str, tree: Node) -> None:
    assert parse(text) == tree
    assert parse(formula_text(tree)) == tree


@pytest.mark.parametrize(
    ("text", "offset", "message"),
    [
        ("text('a {} b')", 8, "the placeholder is empty"),
        ("text('a {n b')", 8, "the placeholder is not closed; write '}' after it, or '{{'"),
        ("text('a {n:.1 b')", 8, "the placeholder is not closed"),
        ("text('a } b')", 8, "this brace closes no placeholder; write '}}'"),
        ("text('{n:1 GB}')", 9, "expected a point and the number of decimals after ':'"),
        ("text('{n:}')", 9, "write {x:.1 GB}, {x:.1} or {x:.0 %}"),
        ("text('{n:.12}')", 10, "at most 9 decimals are printed, found 12"),
        ("text('{n +}')", 10, "expected a number, a name or '(', the placeholder ends"),
        ("text('{n m:.1}')", 9, "expected an operator or the end, found 'm'"),
        ("text('{n ^ 2:.1}')", 9, "write '**'"),
        ("text('{a{b}}')", 8, "figures in braces need text(...)"),
        ("text('a', 'b {' if x else 'c')", 13, "the placeholder is not closed"),
        ("text('{\"b }}\" if x else n}', 'c}')", 31, "closes no placeholder"),
        ("text()", 0, "text takes text in quotes: text('...')"),
        ("text('a' 'b')", 9, "expected ',' or ')' in the pieces of text"),
        ("1 if x == 'a{n}' else 2", 10, "braces can hold figures only in text('...')"),
        ("24 {n}", 3, "figures in braces need text(...)"),
    ],
)
def test_an_error_in_a_text_is_reported_at_its_position(
    text: str, offset: int, message: str
) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert (caught.value.offset, message in caught.value.message) == (offset, True)


def test_every_piece_knows_its_position() -> None:
    text = "text('a {n + x:.1 GB} {{b}}', ' {x}' if n == 'c' else 'd')"
    names = [n for n in walk(parse(text)) if isinstance(n, Name)]
    assert [text[n.span.start : n.span.end] for n in names if n.span] == ["n", "x", "x", "n"]
    printed = next(n for n in walk(parse(text)) if isinstance(n, Placeholder))
    assert text[printed.unit_at :].startswith("GB}")
    assert printed.span == Span(8, 21)


PRINTED = st.one_of(
    st.sampled_from([N, X, Binary("*", N, Number(2, "2")), CellName(("t",), "row-1", "c")]),
    st.builds(lambda a: Call("max", (a, Number(0, "0"))), st.just(N)),
)
PIECES = st.recursive(
    st.one_of(
        st.text("ab '{}:.\"%&é", min_size=1, max_size=8).map(Text),
        PRINTED.map(Placeholder),
        st.builds(Placeholder, PRINTED, st.integers(0, 9), st.sampled_from(["", "GB", "%"])),
        st.builds(Placeholder, st.just(Choice(N, TEST, X)), st.integers(0, 9)),
    ),
    lambda inner: st.builds(
        lambda a, b: Choice(joined(a), TEST, joined(b)),
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3),
    ),
    max_leaves=8,
)


@given(st.lists(PIECES, max_size=5))
def test_a_written_text_parses_to_the_same_pieces(pieces: list[Node]) -> None:
    for tree in (join(pieces), Reason(joined(pieces))):
        assert parse(formula_text(tree)) == tree


@given(st.text("ab1 {}:.'\"%GnifelseB", max_size=40))
def test_any_text_gives_a_tree_or_an_error_within_it(content: str) -> None:
    place = 0
    try:
        parse(f"text('{content}')")
    except FormulaError as fault:
        place = fault.offset
    assert 0 <= place <= len(content) + 8
