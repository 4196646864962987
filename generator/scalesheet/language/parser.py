"""Parses the text of a formula into a tree, with the exact position of every error.

This is a small parser of our own, because Python's `ast` reserves words that are good names here,
normalizes characters, and recurses on deep input. Length and depth are bounded, so that parsing
takes linear time and no formula is too deep for a printer.
"""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from scalesheet.language import syntax as nodes
from scalesheet.language.arithmetic import stated
from scalesheet.language.functions import EVERY, OF_RANGES
from scalesheet.language.pieces import join, joined, template
from scalesheet.language.syntax import Node
from scalesheet.language.tokens import FormulaError, Token, tokens_of

LONGEST = 4000
DEEPEST = 60
TALLEST = 150  # nested operations, including those of long sums
AGGREGATES = frozenset({"sum", "mean", "min", "max", "count", "argmin", "argmax"})
#: Functions on ranges, reasons and text: they exist for the compiler, not in outputs.
SPECIAL = frozenset({*OF_RANGES, "reason", "text", "known"})


@lru_cache(maxsize=20_000)  # each edit of a book parses its formulas again
def parse(text: str, *, claims: bool = False) -> Node:
    """Parse a formula. Raises FormulaError with the offset of the first error.

    With `claims`, `@003-L052-01` is also a name: the figure of a claim.
    """
    if len(text) > LONGEST:
        raise FormulaError(
            f"the formula has {len(text):,} characters; the limit is {LONGEST:,}; "
            "split it into named parts",
            0,
            "F002",
        )
    if not text.strip():
        raise FormulaError("the formula is empty", 0)
    parser = _Parser(tokens_of(text, claims), claims)
    node = parser.formula()
    if parser.braces:
        raise FormulaError(
            "braces can hold figures only in text('...') and reason('...')", min(parser.braces)
        )
    if _height(node) > TALLEST:
        raise FormulaError(
            f"more than {TALLEST} operations build on each other; split it into named parts",
            0,
            "F002",
        )
    return node


def _height(root: Node) -> int:
    tallest, stack = 0, [(root, 1)]
    while stack:
        node, height = stack.pop()
        tallest = max(tallest, height)
        stack.extend((child, height + 1) for child in nodes.children(node))
    return tallest


class _Parser:
    """Recursive descent with a bounded depth; one method per level of precedence."""

    def __init__(self, tokens: list[Token], claims: bool, within: str = "the formula") -> None:
        self.tokens = tokens
        self.claims = claims
        self.within = within
        self.at = 0
        self.depth = 0
        self.braces: set[int] = set()  # starts of literals with braces that are not yet pieces

    # -- tokens

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        token = self.next
        self.at += token.kind != "end"
        return token

    def sees(self, *texts: str) -> bool:
        return self.next.kind in ("op", "word") and self.next.text in texts

    def expect(self, text: str, after: str) -> Token:
        if not self.sees(text):
            raise self.fault(f"expected '{text}' {after}")
        return self.take()

    def fault(self, message: str) -> FormulaError:
        token = self.next
        result = f"{self.within} ends" if token.kind == "end" else f"found '{token.text}'"
        before = self.tokens[self.at - 1] if self.at else token
        if before.kind == "number" and token.kind == "name":
            stated = f"{{value: {before.text} {token.text}}}"
            result += f"; numbers in formulas have no unit: make it a scalar, {stated}, and name it"
        return FormulaError(f"{message}, {result}", token.start)

    # -- the grammar, loosest first

    def formula(self) -> Node:
        if self.sees("="):
            message = "a formula has no '=' in front, unlike in a spreadsheet; leave it out"
            raise FormulaError(message, self.next.start)
        node = self.choice()
        if self.next.kind != "end":
            if self.sees("="):
                raise FormulaError("'=' is not a comparison; write '=='", self.next.start)
            if self.sees("where"):
                raise FormulaError(
                    "'where' belongs inside an aggregate: sum(t.c where condition)", self.next.start
                )
            raise self.fault("expected an operator or the end")
        return node

    def choice(self) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise FormulaError(
                f"the formula is nested deeper than {DEEPEST} levels; split it into named parts",
                self.next.start,
                "F002",
            )
        node = self.either()
        if self.sees("if"):
            self.take()
            test = self.either()
            self.expect("else", "after the condition of 'if'")
            other = self.choice()
            node = nodes.Choice(node, test, other, span=_over(node, other))
        self.depth -= 1
        return node

    def either(self) -> Node:
        node = self.both()
        while self.sees("or"):
            self.take()
            right = self.both()
            node = nodes.Logic("or", node, right, span=_over(node, right))
        return node

    def both(self) -> Node:
        node = self.negation()
        while self.sees("and"):
            self.take()
            right = self.negation()
            node = nodes.Logic("and", node, right, span=_over(node, right))
        return node

    def negation(self) -> Node:
        start, count = self.next.start, 0
        while self.sees("not"):
            self.take()
            count += 1
        node = self.comparison()
        for _ in range(count):
            node = nodes.Not(node, span=nodes.Span(start, _end(node)))
        return node

    def comparison(self) -> Node:
        node = self.sum()
        if self.sees("<", "<=", "==", "!=", ">=", ">"):
            op = cast(nodes.CompareOp, self.take().text)
            right = self.sum()
            node = nodes.Compare(op, node, right, span=_over(node, right))
            if self.sees("<", "<=", "==", "!=", ">=", ">"):
                raise FormulaError(
                    "comparisons do not chain; write 'a < b and b < c'", self.next.start
                )
        return node

    def sum(self) -> Node:
        node = self.product()
        while self.sees("+", "-"):
            op = cast(nodes.BinaryOp, self.take().text)
            right = self.product()
            node = nodes.Binary(op, node, right, span=_over(node, right))
        return node

    def product(self) -> Node:
        node = self.signed()
        while self.sees("*", "/"):
            op = cast(nodes.BinaryOp, self.take().text)
            right = self.signed()
            node = nodes.Binary(op, node, right, span=_over(node, right))
        return node

    def signed(self) -> Node:
        if self.sees("-"):
            start = self.take().start
            self.depth += 1
            if self.depth > DEEPEST:
                raise FormulaError("too many signs in a row", start, "F002")
            operand = self.signed()
            self.depth -= 1
            return nodes.Negative(operand, span=nodes.Span(start, _end(operand)))
        if self.sees("+"):
            raise self.fault("the sign '+' is not needed; drop it")
        return self.power()

    def power(self) -> Node:
        node = self.postfix()
        if self.sees("**"):
            self.take()
            self.depth += 1
            if self.depth > DEEPEST:
                raise FormulaError("too many powers in a row", self.next.start, "F002")
            right = self.signed()
            self.depth -= 1
            node = nodes.Binary("**", node, right, span=_over(node, right))
        return node

    def postfix(self) -> Node:
        node = self.primary()
        while self.sees(".") and not isinstance(node, nodes.Name):
            self.take()
            name = self.name("after '.'")
            node = nodes.Member(node, name.text, span=nodes.Span(_start(node), name.end))
        if self.sees("as"):
            self.take()
            unit = self.name("after 'as': a counted unit, as in 'count(t) as run'")
            node = nodes.Cast(node, unit.text, span=nodes.Span(_start(node), unit.end))
        return node

    def primary(self) -> Node:
        token = self.next
        if token.kind == "number":
            return self.number()
        if token.kind == "text":
            self.take()
            if "{" in token.text or "}" in token.text:
                self.braces.add(token.start)
            return nodes.Text(token.text[1:-1], span=nodes.Span(token.start, token.end))
        if self.sees("yes", "no"):
            self.take()
            return nodes.Flag(token.text == "yes", span=nodes.Span(token.start, token.end))
        if self.sees("("):
            self.take()
            node = self.choice()
            self.expect(")", "to close the bracket")
            return node
        if token.kind in ("name", "claim"):
            return self.named()
        raise self.fault("expected a number, a name or '('")

    def number(self) -> Node:
        token = self.take()
        if self.next.kind == "name" and self.next.start == token.end:
            raise FormulaError(
                f"'{token.text}{self.next.text}' is neither a number nor a name; "
                "a literal has no unit, a name starts with a letter",
                token.start,
            )
        try:
            value = stated(token.text)
        except ValueError as error:
            raise FormulaError(f"'{token.text}' {error}", token.start) from None
        return nodes.Number(value, token.text, span=nodes.Span(token.start, token.end))

    def name(self, where: str) -> Token:
        if self.next.kind not in ("name", "word"):
            raise self.fault(f"expected a name {where}")
        return self.take()

    def path(self) -> tuple[tuple[str, ...], nodes.Span]:
        first = self.take()
        parts, end = [first.text], first.end
        while self.sees("."):
            self.take()
            part = self.name("after '.'")
            parts.append(part.text)
            end = part.end
        return tuple(parts), nodes.Span(first.start, end)

    def named(self) -> Node:
        path, span = self.path()
        if self.sees("["):
            self.take()
            if self.next.kind != "text":
                raise self.fault("expected the row's id in quotation marks: t['row-id'].c")
            row = self.take()
            self.expect("]", "after the row's id")
            self.expect(".", "and a column after the row")
            column = self.name("of a column")
            return nodes.CellName(
                path, row.text[1:-1], column.text, span=nodes.Span(span.start, column.end)
            )
        if self.sees("("):
            if len(path) > 1:
                raise FormulaError(f"'{'.'.join(path)}' is not a function", span.start)
            return self.call(path[0], span)
        return nodes.Name(path, span=span)

    def call(self, function: str, span: nodes.Span) -> Node:
        self.take()
        if function in ("reason", "text"):
            return self.pieces(function, span)
        if function in ("count", "argmin", "argmax"):
            return self.aggregate(function, span, self.target(function))
        arguments: list[Node] = []
        named: list[tuple[str, Node]] = []
        while not self.sees(")"):
            key = self.next
            following = self.tokens[min(self.at + 1, len(self.tokens) - 1)]
            if key.kind == "name" and following.kind == "op" and following.text == "=":
                self.take()
                self.take()
                if any(key.text == other for other, _ in named):
                    raise FormulaError(f"the input '{key.text}' is given twice", key.start)
                named.append((key.text, self.choice()))
            else:
                arguments.append(self.choice())
            if self.sees("where") and len(arguments) == 1 and isinstance(arguments[0], nodes.Name):
                if function not in AGGREGATES:
                    raise self.fault(f"'{function}' does not reduce a column to one value")
                return self.aggregate(function, span, arguments[0])
            if self.sees(","):
                self.take()
                if self.sees(")"):
                    raise self.fault("expected another argument after ','")
            elif not self.sees(")"):
                if self.sees("="):
                    raise FormulaError("'=' is not a comparison; write '=='", self.next.start)
                raise self.fault(f"expected ',' or ')' in the arguments of {function}")
        end = self.take().end
        _arity(function, len(arguments), bool(named), span)
        if function == "known":
            return nodes.Known(arguments[0], span=nodes.Span(span.start, end))
        return nodes.Call(
            function, tuple(arguments), tuple(named), span=nodes.Span(span.start, end)
        )

    # -- texts

    def pieces(self, function: str, span: nodes.Span) -> Node:
        """The pieces of `text(...)` and `reason(...)`: templates, words, text and choices."""
        parts: list[Node] = []
        while not self.sees(")"):
            parts += self.read_piece(self.choice())
            if self.sees(","):
                self.take()
            elif not self.sees(")"):
                raise self.fault(f"expected ',' or ')' in the pieces of {function}")
        span = nodes.Span(span.start, self.take().end)
        if not parts:
            raise FormulaError(
                f"{function} takes text in quotes: {function}('...')", span.start, "F003"
            )
        return nodes.Reason(joined(parts), span=span) if function == "reason" else join(parts, span)

    def read_piece(self, node: Node) -> list[Node]:
        """An argument as pieces; its literals are templates."""
        if isinstance(node, nodes.Text):
            if _start(node) not in self.braces:
                return [node]
            self.braces.discard(_start(node))
            at = _start(node) + 1
            return list(template(node.value, at, self.placed, self.read_piece, FormulaError))
        if isinstance(node, nodes.Choice):
            then, other = (joined(self.read_piece(side)) for side in (node.then, node.other))
            return [nodes.Choice(then, node.test, other, span=node.span)]
        return [node if isinstance(node, nodes.Join) else nodes.Placeholder(node, span=node.span)]

    def placed(self, text: str, start: int) -> Node:
        """The expression within a placeholder."""
        parser = _Parser(tokens_of(text, self.claims, start), self.claims, "the placeholder")
        parser.depth = self.depth
        node = parser.formula()
        self.braces |= parser.braces
        return node

    def target(self, function: str) -> nodes.Name:
        if self.next.kind not in ("name", "claim"):
            what = "a table" if function == "count" else "a column, as in argmin(t.cost)"
            raise self.fault(f"{function} takes {what}")
        path, span = self.path()
        return nodes.Name(path, span=span)

    def aggregate(self, function: str, span: nodes.Span, target: nodes.Name) -> Node:
        where = None
        if self.sees("where"):
            self.take()
            where = self.choice()
        end = self.expect(")", f"to close {function}").end
        return nodes.Over(
            cast(nodes.Aggregation, function), target, where, span=nodes.Span(span.start, end)
        )


def _arity(function: str, count: int, named: bool, span: nodes.Span) -> None:
    if function not in EVERY and function != "known":
        return  # a catalogue formula or an unknown name; resolve decides
    fewest, most = (EVERY[function].fewest, EVERY[function].most) if function in EVERY else (1, 1)
    if named:
        raise FormulaError(f"{function} takes no named inputs", span.start, "F003")
    if count < fewest or (most is not None and count > most):
        wants = (
            str(fewest)
            if most == fewest
            else f"{fewest} or more"
            if most is None
            else (f"{fewest} to {most}")
        )
        raise FormulaError(
            f"{function} takes {wants} argument{'s' * (wants != '1')}, found {count}",
            span.start,
            "F003",
        )


def _start(node: Node) -> int:
    assert node.span is not None
    return node.span.start


def _end(node: Node) -> int:
    assert node.span is not None
    return node.span.end


def _over(left: Node, right: Node) -> nodes.Span:
    return nodes.Span(_start(left), _end(right))
