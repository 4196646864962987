"""Writes a tree back as formula text; reading that text again gives the same tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scalesheet.language import syntax as nodes
from scalesheet.language.pieces import braced, literals, quoted
from scalesheet.language.syntax import Node

#: From loosest to tightest: a part gets brackets if it binds more loosely than its place allows.
CHOICE, OR, AND, NOT, COMPARE, SUM, PRODUCT, SIGN, POWER, CAST, ATOM = range(11)


def formula_text(node: Node) -> str:
    """The text of a written tree, or a readable text of a bound tree."""
    return _PRINT[type(node)](node)[0]


def _part(node: Node, least: int) -> str:
    text, level = _PRINT[type(node)](node)
    return text if level >= least else f"({text})"


def _number(node: nodes.Number) -> tuple[str, int]:
    return node.text or repr(node.value), ATOM


def _texts(function: str, node: Node) -> tuple[str, int]:
    """`text(...)` or `reason(...)` with the pieces of a node."""
    return f"{function}({', '.join(_arguments(node))})", ATOM


def _arguments(node: Node) -> list[str]:
    """Pieces as arguments: the longest possible literals, and choices."""
    arguments: list[str] = []
    contents: list[str] = []
    for part in node.parts if isinstance(node, nodes.Join) else (node,):
        inside = _contents(part)
        contents += inside
        if not inside and part != nodes.Text(""):
            arguments += literals(contents) if contents else []
            arguments.append(_argument(part))
            contents = []
    return [*arguments, *literals(contents)] if contents or not arguments else arguments


def _contents(part: Node) -> list[str]:
    """A piece as written within a literal; empty if it needs its own argument."""
    if isinstance(part, nodes.Text):
        return list(braced(part.value))
    if isinstance(part, nodes.Fixed):
        decimals = "" if part.decimals is None else f":.{part.decimals}{part.suffix}"
        return [f"{{{formula_text(part.operand)}{decimals}}}"]
    if not isinstance(part, nodes.Placeholder):
        return []
    printed = f"{{{formula_text(part.value)}}}"
    if part.decimals is not None:
        unit = f" {part.unit}" if part.unit else ""
        printed = f"{printed[:-1]}:.{part.decimals}{unit}}}"
    return [] if "'" in printed and '"' in printed else [printed]


def _argument(part: Node) -> str:
    if isinstance(part, nodes.Placeholder):
        return formula_text(part.value)
    if not isinstance(part, nodes.Choice):
        return formula_text(part)
    then, other = _side(part.then), _side(part.other)
    if isinstance(part.then, nodes.Choice):
        then = f"({then})"
    return f"{then} if {_part(part.test, OR)} else {other}"


def _side(side: Node) -> str:
    """One side of a choice between pieces: a literal if possible, else `text(...)`."""
    if isinstance(side, nodes.Choice):
        return _argument(side)
    arguments = _arguments(side)
    literal = len(arguments) == 1 and arguments[0][0] in "'\""
    return arguments[0] if literal else f"text({', '.join(arguments)})"


def _binary(node: nodes.Binary) -> tuple[str, int]:
    if node.op == "**":
        return f"{_part(node.left, CAST)} ** {_part(node.right, SIGN)}", POWER
    level = SUM if node.op in "+-" else PRODUCT
    return f"{_part(node.left, level)} {node.op} {_part(node.right, level + 1)}", level


def _call(node: nodes.Call) -> tuple[str, int]:
    inside = [_part(a, CHOICE) for a in node.arguments]
    inside += [f"{name}={_part(value, CHOICE)}" for name, value in node.named]
    return f"{node.function}({', '.join(inside)})", ATOM


def _over(node: nodes.Over) -> tuple[str, int]:
    where = f" where {_part(node.where, CHOICE)}" if node.where is not None else ""
    return f"{node.function}({'.'.join(node.target.path)}{where})", ATOM


def _aggregate(node: nodes.Aggregate) -> tuple[str, int]:
    target = node.table if node.column is None else f"{node.table}.{node.column}"
    where = f" where {_part(node.where, CHOICE)}" if node.where is not None else ""
    return f"{node.function}({_ended(target, node.end)}{where})", ATOM


def _ended(text: str, end: str) -> str:
    return text if end == "value" else f"{end}({text})"


_PRINT: dict[type[Node], Callable[[Any], tuple[str, int]]] = {
    nodes.Number: _number,
    nodes.Text: lambda n: (quoted(n.value), ATOM),
    nodes.Join: lambda n: _texts("text", n),
    nodes.Placeholder: lambda n: _texts("text", n),
    nodes.Fixed: lambda n: _texts("text", n),
    nodes.Title: lambda n: _PRINT[type(n.key)](n.key),
    nodes.OneOf: lambda n: _PRINT[type(n.of)](n.of),
    nodes.Flag: lambda n: ("yes" if n.value else "no", ATOM),
    nodes.Reason: lambda n: _texts("reason", n.text),
    nodes.Negative: lambda n: (f"-{_part(n.operand, SIGN)}", SIGN),
    nodes.Binary: _binary,
    nodes.Compare: lambda n: (f"{_part(n.left, SUM)} {n.op} {_part(n.right, SUM)}", COMPARE),
    nodes.Logic: lambda n: (
        f"{_part(n.left, OR if n.op == 'or' else AND)} {n.op} "
        f"{_part(n.right, (OR if n.op == 'or' else AND) + 1)}",
        OR if n.op == "or" else AND,
    ),
    nodes.Known: lambda n: (f"known({_part(n.of, CHOICE)})", ATOM),
    nodes.Not: lambda n: (f"not {_part(n.operand, NOT)}", NOT),
    nodes.Choice: lambda n: (
        f"{_part(n.then, OR)} if {_part(n.test, OR)} else {_part(n.other, CHOICE)}",
        CHOICE,
    ),
    nodes.Call: _call,
    nodes.Name: lambda n: (".".join(n.path), ATOM),
    nodes.CellName: lambda n: (f"{'.'.join(n.table)}[{quoted(n.row)}].{n.column}", ATOM),
    nodes.Over: _over,
    nodes.Member: lambda n: (f"{_part(n.row, ATOM)}.{n.column}", ATOM),
    nodes.Cast: lambda n: (f"{_part(n.operand, ATOM)} as {n.unit}", CAST),
    nodes.Constant: lambda n: (n.name, ATOM),
    nodes.Scalar: lambda n: (_ended(n.name, n.end), ATOM),
    nodes.Column: lambda n: (_ended(f"own.{n.column}" if n.own else n.column, n.end), ATOM),
    nodes.Cell: lambda n: (_ended(f"{n.table}['{n.row}'].{n.column}", n.end), ATOM),
    nodes.Lookup: lambda n: (_ended(f"{_part(n.key, ATOM)}.{n.column}", n.end), ATOM),
    nodes.Aggregate: _aggregate,
    nodes.Guard: lambda n: _PRINT[type(n.body)](n.body),
}
