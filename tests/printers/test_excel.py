"""The Excel printer: the exact text of each node, brackets, conditions, aggregates, limits."""

from __future__ import annotations

from functools import reduce

import pytest

from scalesheet.language.syntax import (
    Aggregate,
    Binary,
    BinaryOp,
    Call,
    Cell,
    Choice,
    Column,
    Compare,
    Constant,
    End,
    Fixed,
    Flag,
    Guard,
    Join,
    Logic,
    Lookup,
    Name,
    Negative,
    Node,
    Not,
    Number,
    OneOf,
    Reason,
    Scalar,
    Text,
    Title,
)
from scalesheet.printers.base import PrinterError
from scalesheet.printers.excel import ExcelFormula, excel


class Sheet:
    """Places in a small workbook: names for scalars, columns by initial letter, rows 2 to 9."""

    def scalar(self, name: str, end: End) -> str:
        return name if end == "value" else f"{name}.{end}"

    def column(self, table: str, column: str, end: End) -> str:
        return f"${column[0].upper()}{{row}}"

    def range(self, table: str, column: str, end: End) -> str:
        return f"{table}!{column[0].upper()}2:{column[0].upper()}9"

    looked_up = range

    def keys(self, table: str, column: str, end: End) -> str:
        return self.ids(table)

    def ids(self, table: str) -> str:
        return f"{table}!A2:A9"

    def titles(self, table: str) -> str:
        return f"{table}!B2:B9"

    def constant(self, name: str) -> str:
        return name


def text(node: Node) -> str:
    return excel(node, Sheet(), row=7).text


a, b, c = Scalar("a"), Scalar("b"), Scalar("c")
one, two, zero = Number(1.0), Number(2.0), Number(0.0)
hours, kind, done = Column("t", "hours"), Column("t", "kind"), Column("t", "done")


def binary(left: Node, op: BinaryOp, right: Node) -> Binary:
    return Binary(op, left, right)


def words(left: Node, right: Node) -> Compare:
    return Compare("==", left, right, of="text")


ARITHMETIC = [
    (Number(7e9), "7000000000"),
    (Number(0.1), "0.1"),
    (Number(1e300), "1E+300"),
    (binary(Number(-3.0), "*", a), "(-3)*a"),
    (Scalar("a", "low"), "a.low"),
    (Column("t", "hours"), "$H7"),
    (Cell("t", "r", "hours"), 'INDEX(t!H2:H9,MATCH("r",t!A2:A9,0))'),
    (Constant("byte_per_GB", 1e9), "byte_per_GB"),
    (Lookup("t", Scalar("gpu"), "memory"), "INDEX(t!M2:M9,MATCH(gpu,t!A2:A9,0))"),
    (binary(binary(a, "-", b), "-", c), "a-b-c"),
    (binary(a, "-", binary(b, "-", c)), "a-(b-c)"),
    (binary(a, "+", binary(b, "+", c)), "a+(b+c)"),
    (binary(a, "/", binary(b, "*", c)), "a/(b*c)"),
    (binary(binary(a, "/", b), "*", c), "a/b*c"),
    (binary(a, "*", binary(b, "/", c)), "a*(b/c)"),
    (binary(binary(a, "+", b), "*", c), "(a+b)*c"),
    (binary(a, "+", binary(b, "*", c)), "a+b*c"),
    (binary(a, "*", binary(b, "**", c)), "a*b^c"),
    (Negative(binary(a, "**", two)), "-(a^2)"),
    (binary(Negative(a), "**", two), "(-a)^2"),
    (binary(a, "**", Negative(two)), "a^(-2)"),
    (binary(binary(a, "**", b), "**", c), "(a^b)^c"),
    (binary(a, "**", binary(b, "**", c)), "a^(b^c)"),
    (binary(binary(a, "*", b), "**", two), "(a*b)^2"),
    (binary(a, "*", Negative(b)), "a*(-b)"),
    (binary(Negative(a), "*", b), "(-a)*b"),
    (Negative(binary(a, "*", b)), "-(a*b)"),
    (binary(a, "-", Negative(b)), "a-(-b)"),
    (Negative(Negative(a)), "-(-a)"),
    (Call("sum", (a, b)), "SUM(a,b)"),
    (Call("mean", (a, b)), "AVERAGE(a,b)"),
    (Call("min", (a, b)), "MIN(a,b)"),
    (Call("max", (zero, a)), "MAX(0,a)"),
    (Call("round", (a,)), "ROUND(a+a*equal_within,0)"),
    (Call("round", (a, Negative(Number(3.0)))), "ROUND(a+a*equal_within,-3)"),
    (Call("sqrt", (a,)), "SQRT(a)"),
    (Call("exp", (Negative(a),)), "EXP(-a)"),
    (Call("ln", (a,)), "LN(a)"),
    (Call("log10", (a,)), "LOG10(a)"),
    (Call("abs", (a,)), "ABS(a)"),
    (
        Call("floor", (binary(a, "/", b),)),
        "MIN(-INT(-(a/b)),INT(a/b+ABS(a/b)*rounding_slack))",
    ),
    (Call("ceil", (a,)), "MAX(INT(a),-INT(-(a-ABS(a)*rounding_slack)))"),
]

CONDITIONS = [
    (Compare("<=", a, b), "a-b<=equal_within*(ABS(a)+ABS(b))"),
    (Compare("<", a, b), "a-b<-(equal_within*(ABS(a)+ABS(b)))"),
    (Compare(">", a, b), "a-b>equal_within*(ABS(a)+ABS(b))"),
    (Compare(">=", a, b), "a-b>=-(equal_within*(ABS(a)+ABS(b)))"),
    (Compare("==", a, b), "ABS(a-b)<=equal_within*(ABS(a)+ABS(b))"),
    (Compare("!=", a, b), "ABS(a-b)>equal_within*(ABS(a)+ABS(b))"),
    (Compare("<=", a, b, plain=True), "a<=b"),
    (Compare("!=", a, b, plain=True), "a<>b"),
    (Compare(">", binary(a, "-", b), zero), "a-b>0"),
    (words(a, Text("fits")), 'a="fits"'),
    (Scalar("on"), 'on="yes"'),
    (Compare("==", Scalar("on"), Flag(True), of="flag"), 'on="yes"'),
    (Flag(False), "FALSE()"),
    (Not(Scalar("on")), 'NOT(on="yes")'),
    (
        Logic("and", Logic("and", Scalar("x"), Scalar("y")), Scalar("z")),
        'AND(x="yes",y="yes",z="yes")',
    ),
    (Logic("or", Scalar("x"), Not(Scalar("y"))), 'OR(x="yes",NOT(y="yes"))'),
    (Choice(Flag(True), Scalar("x"), Scalar("y")), 'IF(x="yes",TRUE(),y="yes")'),
]

VALUES = [
    (Text('a "word"'), '"a ""word"""'),
    (Flag(True), '"yes"'),
    (Compare("<", a, zero), 'IF(a<0,"yes","no")'),
    (
        Compare("==", Compare("<", a, zero), Scalar("on"), of="flag"),
        'IF(IF(a<0,"yes","no")=on,"yes","no")',
    ),
    (Logic("and", Scalar("x"), Scalar("y")), 'IF(AND(x="yes",y="yes"),"yes","no")'),
    (Reason(Text("none")), '"none"'),
    (Guard((a, b), binary(a, "+", b)), "IF(ISTEXT(a),a,IF(ISTEXT(b),b,a+b))"),
    (binary(Choice(a, Compare(">", a, zero), b), "+", one), "IF(a>0,a,b)+1"),
]

need = Fixed(Call("round", (a, one)), 1, " GB")
stage = Scalar("stage")
TEXTS = [
    (Join((Text("n "), Fixed(b, 0))), '"n "&FIXED(b,0,TRUE)'),
    (need, 'FIXED(ROUND(a+a*equal_within,1),1,TRUE)&" GB"'),
    (
        Join((Text("needs "), need, Text(', "of"'))),
        '"needs "&FIXED(ROUND(a+a*equal_within,1),1,TRUE)&" GB, ""of"""',
    ),
    (Join((stage,)), 'stage&""'),
    (Join((stage, Text("!"))), 'stage&"!"'),
    (Join((Fixed(b, 0),)), "FIXED(b,0,TRUE)"),
    (Join(()), '""'),
    (
        Join((Text("a"), Choice(Join((stage,)), Scalar("on"), Text("")))),
        '"a"&IF(on="yes",stage&"","")',
    ),
    (Reason(Join((Text("no "), stage))), '"no "&stage'),
    (Title("t", stage), "INDEX(t!B2:B9,MATCH(stage,t!A2:A9,0))"),
    (OneOf(stage, ("x", "y")), 'IF(OR(stage="x",stage="y"),0,stage)'),
    (
        Guard((OneOf(stage, ("x", "y")), a), b),
        'IF(OR(stage="x",stage="y"),IF(ISTEXT(a),a,b),stage)',
    ),
    (OneOf(stage, table="t"), "IF(ISNUMBER(MATCH(stage,t!A2:A9,0)),0,stage)"),
    (
        Compare("==", Join((stage, Text("x"))), Text("ax"), of="text"),
        'IF(stage&"x"="ax","yes","no")',
    ),
    (Join((Text("x" * 300), stage)), f'"{"x" * 255}"&"{"x" * 45}"&stage'),
]

over = "hours"
AGGREGATES = [
    (Aggregate("sum", "t", over), "SUM(t!H2:H9)", False),
    (Aggregate("mean", "t", over), "AVERAGE(t!H2:H9)", False),
    (Aggregate("min", "t", over), "MIN(t!H2:H9)", False),
    (Aggregate("count", "t", over), "COUNT(t!H2:H9)", False),
    (Aggregate("count", "t", None), 'SUMPRODUCT(--(t!A2:A9<>""))', False),
    (Aggregate("argmin", "t", over), "INDEX(t!A2:A9,MATCH(MIN(t!H2:H9),t!H2:H9,0))", False),
    (
        Aggregate("sum", "t", over, where=words(kind, Text("one_time"))),
        'SUMIFS(t!H2:H9,t!K2:K9,"one_time")',
        False,
    ),
    (
        Aggregate("mean", "t", over, where=words(kind, Text("once"))),
        'AVERAGEIFS(t!H2:H9,t!K2:K9,"once")',
        False,
    ),
    (
        Aggregate(
            "count",
            "t",
            None,
            where=Logic("and", words(kind, Text("once")), words(done, Text("x"))),
        ),
        'COUNTIFS(t!K2:K9,"once",t!D2:D9,"x")',
        False,
    ),
    (
        Aggregate("sum", "t", over, where=words(kind, Text("a*"))),
        'SUMPRODUCT(--(t!K2:K9="a*"),t!H2:H9)',
        False,
    ),
    (
        Aggregate("sum", "t", over, where=words(kind, Scalar("wanted"))),
        "SUMPRODUCT(--(t!K2:K9=wanted),t!H2:H9)",
        False,
    ),
    (
        Aggregate("count", "t", over, where=words(kind, Text("once"))),
        'SUMPRODUCT((t!K2:K9="once")*ISNUMBER(t!H2:H9))',
        False,
    ),
    (
        Aggregate("count", "t", None, where=Compare(">", hours, zero)),
        'SUMPRODUCT((t!H2:H9>0)*(t!A2:A9<>""))',
        False,
    ),
    (
        Aggregate("mean", "t", over, where=Compare(">", hours, zero)),
        "SUMPRODUCT(--(t!H2:H9>0),t!H2:H9)/SUMPRODUCT((t!H2:H9>0)*ISNUMBER(t!H2:H9))",
        False,
    ),
    (
        Aggregate("sum", "t", over, where=Compare("<=", hours, a)),
        "SUMPRODUCT(--(t!H2:H9-a<=equal_within*(ABS(t!H2:H9)+ABS(a))),t!H2:H9)",
        False,
    ),
    (
        Aggregate("sum", "t", over, where=Logic("and", done, Compare(">", hours, zero))),
        'SUMPRODUCT(--((t!D2:D9="yes")*(t!H2:H9>0)),t!H2:H9)',
        False,
    ),
    (
        Aggregate("sum", "t", over, where=Logic("or", done, Compare(">", hours, zero))),
        'SUMPRODUCT(--((t!D2:D9="yes")+(t!H2:H9>0)>0),t!H2:H9)',
        False,
    ),
    (
        Aggregate("sum", "t", over, where=Not(done)),
        'SUMPRODUCT(--(1-(t!D2:D9="yes")),t!H2:H9)',
        False,
    ),
    (
        Aggregate("sum", "t", over, where=Scalar("on")),
        'SUMPRODUCT((on="yes")*ISNUMBER(t!H2:H9),t!H2:H9)',
        False,
    ),
    (
        Aggregate("min", "t", over, where=done),
        "SUMPRODUCT(MIN(SUMIF(t!A2:A9,t!A2:A9,t!H2:H9)"
        '+(1-(t!D2:D9="yes")*ISNUMBER(t!H2:H9))*out_of_reach))',
        False,
    ),
    (
        Aggregate("argmax", "t", over, where=done),
        'INDEX(t!A2:A9,MATCH(1,INDEX((t!D2:D9="yes")*ISNUMBER(t!H2:H9)*(t!H2:H9='
        "SUMPRODUCT(MAX(SUMIF(t!A2:A9,t!A2:A9,t!H2:H9)"
        '-(1-(t!D2:D9="yes")*ISNUMBER(t!H2:H9))*out_of_reach))),0),0))',
        False,
    ),
    (
        Aggregate(
            "argmax",
            "t",
            over,
            where=Logic("and", done, Compare("==", Column("t", over), a, plain=True)),
        ),
        'INDEX(t!A2:A9,MATCH(1,INDEX((t!D2:D9="yes")*(t!H2:H9=a),0),0))',
        False,
    ),
    (
        Aggregate("sum", "t", over, where=Compare(">", Call("max", (hours, a)), zero)),
        "SUMPRODUCT(--(IF(t!H2:H9>a,t!H2:H9,a)>0),t!H2:H9)",
        True,
    ),
    (
        Aggregate("sum", "t", over, where=Compare(">", Call("sum", (hours, a)), zero)),
        "SUMPRODUCT(--(t!H2:H9+a>0),t!H2:H9)",
        False,
    ),
    (
        Aggregate("sum", "t", over, where=words(kind, Column("u", "kind"))),
        "SUMPRODUCT(--(t!K2:K9=$K7),t!H2:H9)",
        False,
    ),
]


@pytest.mark.parametrize(("node", "expected"), ARITHMETIC + VALUES + TEXTS, ids=str)
def test_a_cell_is_printed(node: Node, expected: str) -> None:
    assert text(node) == expected


@pytest.mark.parametrize(("condition", "expected"), CONDITIONS, ids=str)
def test_a_condition_is_printed(condition: Node, expected: str) -> None:
    assert text(Choice(one, condition, two)) == f"IF({expected},1,2)"


@pytest.mark.parametrize(("node", "expected", "array"), AGGREGATES, ids=str)
def test_an_aggregate_is_printed(node: Node, expected: str, array: bool) -> None:
    assert excel(node, Sheet(), row=7) == ExcelFormula(expected, array)


def test_the_row_stays_a_placeholder_until_it_is_given() -> None:
    assert excel(binary(hours, "*", two), Sheet()).text == "$H{row}*2"


def test_braces_in_a_text_are_not_a_row() -> None:
    assert text(Reason(Text("see {row}"))) == '"see {row}"'


def test_a_long_text_is_joined_from_parts() -> None:
    assert text(Reason(Text("x" * 300))) == f'"{"x" * 255}"&"{"x" * 45}"'


def test_many_arguments_are_nested() -> None:
    printed = text(Call("sum", (one,) * 300))
    assert printed == f"SUM(SUM({','.join('1' * 255)}),SUM({','.join('1' * 45)}))"


def test_a_long_chain_needs_no_recursion() -> None:
    chain: Node = reduce(lambda left, _: binary(left, "+", one), range(3000), one)
    assert text(chain) == "+".join("1" * 3001)


def nested(levels: int) -> Node:
    return reduce(lambda node, _: Call("abs", (node,)), range(levels), a)


def test_sixty_four_levels_are_allowed() -> None:
    assert text(nested(64)).count("ABS") == 64


REFUSED = [
    (nested(65), "nested deeper than 64 levels"),
    (reduce(lambda left, _: binary(left, "+", a), range(5000), a), "more than 8192 characters"),
    (reduce(lambda node, _: Call("ceil", (node,)), range(40), a), "nested deeper|more than 8192"),
    (
        Aggregate("sum", "t", over, where=Compare(">", Lookup("u", kind, "price"), zero)),
        "looks up 'u.price' for each row",
    ),
    (
        Aggregate(
            "sum",
            "t",
            over,
            where=Compare(
                ">", Aggregate("count", "u", None, where=words(kind, Column("u", "k"))), zero
            ),
        ),
        "compares each row of 't' with each of 'u'",
    ),
]


@pytest.mark.parametrize(("node", "message"), REFUSED, ids=[case[1] for case in REFUSED])
def test_a_tree_that_excel_cannot_express_is_refused(node: Node, message: str) -> None:
    with pytest.raises(PrinterError, match=message) as refused:
        text(node)
    assert refused.value.code == "X001"


def test_an_unbound_name_cannot_be_printed() -> None:
    with pytest.raises(TypeError, match="Name has no place"):
        text(binary(a, "+", Name(("b",))))
