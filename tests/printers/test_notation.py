"""MathML, LaTeX and words: a tree in the three notations that people read."""

from __future__ import annotations

from functools import reduce
from xml.etree import ElementTree

import pytest

from printers.samples import (
    Numbers,
    Symbols,
    a,
    b,
    binary,
    c,
    call,
    hours,
    memory,
    minus_square,
    needs,
    one,
    pieces,
    ranked,
    sum_once,
    two,
    zero,
)
from scalesheet.language.arithmetic import DIVISION
from scalesheet.language.syntax import (
    Aggregate,
    Call,
    Cast,
    Cell,
    CellName,
    Choice,
    Compare,
    Constant,
    Fixed,
    Guard,
    Join,
    Member,
    Name,
    Negative,
    Node,
    Number,
    Over,
    Placeholder,
    Reason,
    Scalar,
    Text,
)
from scalesheet.printers.latex import latex
from scalesheet.printers.mathml import equation, mathml, shown
from scalesheet.printers.notation import Shown
from scalesheet.printers.words import words


def fenced(opening: str, inner: str, closing: str) -> str:
    return f"<mrow><mo>{opening}</mo>{inner}<mo>{closing}</mo></mrow>"


A, B, C = "<mi>a</mi>", "<mi>b</mi>", "<mi>c</mi>"
MATHML: list[tuple[Node, str]] = [
    (Number(10000.25), "<mn>10\u202f000.25</mn>"),
    (Number(7e9), "<mrow><mn>7</mn><mo>×</mo><msup><mn>10</mn><mn>9</mn></msup></mrow>"),
    (Number(1e-19), "<msup><mn>10</mn><mn>−19</mn></msup>"),
    (Scalar("M_opt"), "<msub><mi>M</mi><mi>opt</mi></msub>"),
    (Scalar("eta_0"), "<msub><mi>η</mi><mi>0</mi></msub>"),
    (Text("<b>"), "<mtext>&lt;b&gt;</mtext>"),
    (Constant("byte_per_GB", 1e9), "<mi>byte_per_GB</mi>"),
    (binary(binary(a, "/", b), "*", c), f"<mrow><mfrac>{A}{B}</mfrac><mo>×</mo>{C}</mrow>"),
    (
        binary(binary(a, "/", b), "**", two),
        f"<msup>{fenced('(', f'<mfrac>{A}{B}</mfrac>', ')')}<mn>2</mn></msup>",
    ),
    (minus_square, f"<mrow><mo>−</mo><msup>{A}<mn>2</mn></msup></mrow>"),
    (
        binary(Negative(a), "**", two),
        f"<msup>{fenced('(', f'<mrow><mo>−</mo>{A}</mrow>', ')')}<mn>2</mn></msup>",
    ),
    (
        binary(binary(a, "**", b), "**", c),
        f"<msup>{fenced('(', f'<msup>{A}{B}</msup>', ')')}{C}</msup>",
    ),
    (binary(a, "**", binary(b, "**", c)), f"<msup>{A}<msup>{B}{C}</msup></msup>"),
    (
        binary(a, "-", binary(b, "-", c)),
        f"<mrow>{A}<mo>−</mo>{fenced('(', f'{B}<mo>−</mo>{C}', ')')}</mrow>",
    ),
    (call("ceil", binary(a, "/", b)), fenced("⌈", f"<mfrac>{A}{B}</mfrac>", "⌉")),
    (call("floor", a), fenced("⌊", A, "⌋")),
    (call("abs", a), fenced("|", A, "|")),
    (call("sqrt", a), f"<msqrt>{A}</msqrt>"),
    (call("exp", a), f"<msup><mi>e</mi>{A}</msup>"),
    (call("log10", a), f"<mrow><msub><mi>log</mi><mn>10</mn></msub>{fenced('(', A, ')')}</mrow>"),
    (
        call("max", zero, a),
        "<mrow><mi>max</mi>"
        + fenced("(", f'<mn>0</mn><mo separator="true">,</mo>{A}', ")")
        + "</mrow>",
    ),
    (
        sum_once,
        "<mrow><munder><mo>∑</mo><mrow><mi>kind</mi><mo>=</mo><mtext>once</mtext>"
        "</mrow></munder><mi>hours</mi></mrow>",
    ),
    (
        Aggregate("min", "t", "hours"),
        f"<mrow><mi>min</mi>{fenced('(', '<mi>hours</mi>', ')')}</mrow>",
    ),
    (memory, "<msub><mi>memory</mi><mi>gpu</mi></msub>"),
    (Cell("t", "r-1", "hours"), "<msub><mi>hours</mi><mtext>r-1</mtext></msub>"),
    (Guard((a,), binary(a, "+", b)), f"<mrow>{A}<mo>+</mo>{B}</mrow>"),
    (
        needs,
        f"<mrow><mtext>“</mtext><mtext>needs\u00a0</mtext>{fenced('[', A, ']')}"
        f"<mtext>,\u00a0of\u00a0</mtext>{fenced('[', '<mi>gpu</mi>', ']')}"
        "<mtext>”</mtext></mrow>",
    ),
    (
        ranked,
        '<mrow><mo>{</mo><mtable class="cases">'
        f"<mtr><mtd>{A}</mtd><mtd><mtext>if\u00a0</mtext>{A}<mo>≤</mo>{B}"
        f"</mtd></mtr><mtr><mtd>{B}</mtd><mtd><mtext>if\u00a0</mtext><mi>on</mi>"
        "<mtext>\u00a0and\u00a0</mtext><mtext>not\u00a0</mtext><mi>off</mi>"
        "</mtd></mtr><mtr><mtd><mtext>no room</mtext></mtd><mtd>"
        "<mtext>otherwise</mtext></mtd>"
        "</mtr></mtable></mrow>",
    ),
]

LATEX: list[tuple[Node, str]] = [
    (Number(7e9), r"7 \times 10^{9}"),
    (Number(10000.0), r"10\,000"),
    (Scalar("M_opt"), r"M_{\text{opt}}"),
    (Scalar("eta_0"), r"\eta_{0}"),
    (Text("50% of $x_1"), r"\text{50\% of \$x\_1}"),
    (binary(a, "/", binary(b, "*", c)), r"\frac{a}{b \times c}"),
    (minus_square, "- a^{2}"),
    (binary(Negative(a), "**", two), r"{\left( - a \right)}^{2}"),
    (binary(a, "**", binary(b, "**", c)), "a^{b^{c}}"),
    (binary(a, "-", binary(b, "-", c)), r"a - \left( b - c \right)"),
    (call("ceil", a), r"\left\lceil a \right\rceil"),
    (call("abs", a), r"\left| a \right|"),
    (call("sqrt", a), r"\sqrt{a}"),
    (call("log10", a), r"\log_{10} \left( a \right)"),
    (call("round", a, two), r"\operatorname{round} \left( a , 2 \right)"),
    (sum_once, r"\sum_{\text{kind} = \text{once}} \text{hours}"),
    (
        Join((Text("50 % "), Fixed(Call("round", (a,)), 0, "%"))),
        r"\text{“} \text{50~\%~} \left[ a \text{\%} \right] \text{”}",
    ),
    (
        ranked,
        r"\begin{cases} a & \text{if~} a \le b \\ b & \text{if~} \text{on} "
        r"\text{~and~} \text{not~} "
        r"\text{off} \\ \text{no room} & \text{otherwise} \end{cases}",
    ),
]

halves = binary(a, "/", b)
WORDS: list[tuple[Node, str]] = [
    (
        binary(binary(Scalar("steps"), "/", Scalar("rate")), "*", Scalar("GPUs")),
        "steps divided by rate, times GPUs",
    ),
    (binary(a, "/", binary(b, "*", c)), "a divided by (b times c)"),
    (binary(binary(a, "*", b), "*", c), "a times b times c"),
    (binary(binary(a, "+", b), "-", c), "a plus b minus c"),
    (binary(binary(a, "+", b), "*", c), "a plus b, times c"),
    (binary(a, "+", binary(b, "*", c)), "a plus (b times c)"),
    (binary(a, "-", binary(b, "-", c)), "a minus (b minus c)"),
    (minus_square, "minus (a squared)"),
    (binary(Negative(a), "**", two), "(minus a) squared"),
    (binary(a, "**", b), "a to the power of b"),
    (call("ceil", binary(a, "/", b)), "a divided by b, rounded up"),
    (binary(call("ceil", binary(a, "/", b)), "*", c), "a divided by b, rounded up, times c"),
    (call("round", a, two), "a rounded to 2 decimals"),
    (binary(call("sqrt", a), "+", b), "the square root of a, plus b"),
    (call("sqrt", binary(a, "+", b)), "the square root of (a plus b)"),
    (call("max", zero, a), "the larger of 0 and a"),
    (call("min", a, b, c), "the smallest of a, b and c"),
    (Number(7e9), "7 × 10^9"),
    (sum_once, "the sum of hours in the table where kind is ‘once’"),
    (Aggregate("count", "t", None), "the number of rows of the table"),
    (Aggregate("argmin", "t", "hours"), "the row with the smallest hours in the table"),
    (memory, "memory of gpu"),
    (ranked, "a if a is at most b, b if on and not off, otherwise no value (reason: ‘no room’)"),
    (Guard((a,), binary(a, "+", b)), "a plus b"),
    (needs, "‘needs [a], of [gpu]’"),
    (Reason(needs), "no value (reason: ‘needs [a], of [gpu]’)"),
    (pieces, "‘[stage][‘ -n [b]’ if on]’"),
    (Choice(Text(""), Scalar("on"), Text("s")), "‘s’ unless on"),
    (
        Aggregate("count", "t", "hours"),
        "the number of rows of the table that have a value of hours",
    ),
    (Compare("==", halves, call("floor", halves)), "a divided by b is a whole number"),
    (Choice(Reason(Text(DIVISION)), Compare("==", b, zero), halves), "a divided by b"),
    (
        Choice(a, Scalar("on"), Guard((b,), Choice(b, Scalar("off"), c))),
        "a if on, b if off, otherwise c",
    ),
]


@pytest.mark.parametrize(("node", "expected"), MATHML, ids=[latex(x, Symbols()) for x, _ in MATHML])
def test_a_tree_is_printed_as_mathml(node: Node, expected: str) -> None:
    assert mathml(node, Symbols()) == expected
    ElementTree.fromstring(expected)


@pytest.mark.parametrize(("node", "expected"), LATEX, ids=[case[1] for case in LATEX])
def test_a_tree_is_printed_as_latex(node: Node, expected: str) -> None:
    assert latex(node, Symbols()) == expected


@pytest.mark.parametrize(("node", "expected"), WORDS, ids=[case[1] for case in WORDS])
def test_a_tree_is_printed_in_words(node: Node, expected: str) -> None:
    assert words(node, Symbols()) == expected


def test_numbers_are_inserted_with_their_units() -> None:
    node = binary(binary(a, "**", two), "+", binary(b, "*", memory))
    assert latex(node, Numbers()) == (
        r"{\left( 24\,\text{GiB} \right)}^{2} + \left( -3 \right) \times 80\,\text{GiB}"
    )
    assert words(binary(a, "*", b), Numbers()) == "24 GiB times −3"
    assert mathml(a, Numbers()) == "<mrow><mn>24</mn><mtext>\u00a0GiB</mtext></mrow>"
    assert latex(c, Numbers()) == r"1.5 \times 10^{9}"


def test_an_equation_has_two_sides_and_a_description() -> None:
    sides = (shown(Shown(symbol="M")), mathml(binary(a, "*", b), Symbols()), "<mn>4</mn>")
    assert equation(*sides, description='M = "ab" < 5') == (
        '<math display="block" alttext="M = &quot;ab&quot; &lt; 5"><mi>M</mi><mo>=</mo>'
        f"{A}<mo>×</mo>{B}<mo>=</mo><mn>4</mn></math>"
    )
    assert equation(A, display=False) == f"<math>{A}</math>"


WRITTEN: list[tuple[Node, str]] = [
    (Name(("gpu", "memory")), "gpu.memory"),
    (CellName(("sft", "stages"), "r-1", "hours"), "hours of ‘r-1’"),
    (
        Member(Over("argmin", Name(("t", "price")), None), "hours"),
        "hours of (the row with the smallest t.price)",
    ),
    (Join((Text("n "), Placeholder(a, 1, "GB"))), "‘n [a]’"),
    (Cast(Over("count", Name(("t",)), None), "run"), "the number of t"),
    (Call("wall_hours", (), (("steps", a), ("rate", b))), "wall_hours of (steps = a, rate = b)"),
]


@pytest.mark.parametrize(("node", "expected"), WRITTEN, ids=[case[1] for case in WRITTEN])
def test_an_unbound_tree_can_be_printed_too(node: Node, expected: str) -> None:
    assert words(node, Symbols()) == expected
    ElementTree.fromstring(f"<math>{mathml(node, Symbols())}</math>")


def test_a_long_chain_needs_no_recursion() -> None:
    chain: Node = reduce(lambda left, _: binary(left, "+", one), range(3000), one)
    assert latex(chain, Symbols()) == " + ".join("1" * 3001)
    assert words(chain, Symbols()) == " plus ".join("1" * 3001)
    assert mathml(hours, Symbols()) == "<mi>hours</mi>"
