"""Adds reasons wherever a formula may have no number, as guards or instead of errors.

A division, logarithm, root or power that the declared domains do not prove safe becomes a choice
with a reason; a guard names each operand that may be a reason; an aggregate that may be empty tests
for it. So no output ever shows an error value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from scalesheet.frozen import dataclass
from scalesheet.language import syntax as nodes
from scalesheet.language.arithmetic import ARITHMETIC, DIVISION, POWER
from scalesheet.language.functions import EVERY
from scalesheet.language.syntax import Node
from scalesheet.resolve.binding.scope import BindError
from scalesheet.resolve.proving.facts import REFERENCES, Facts, FactsOf, interval
from scalesheet.resolve.proving.integers import is_whole

YES_NO = ("yes", "no")
EMPTY, INCOMPLETE = "no rows", "a row has no value"


def of_compiler(text: object) -> bool:
    """Whether a reason was added by the compiler."""
    return text in (*ARITHMETIC, EMPTY) or str(text).startswith(f"{INCOMPLETE}: ")


@dataclass(frozen=True, slots=True)
class Settled:
    """A body with the subjects to guard first; `maybe`: the body itself may be a reason."""

    body: Node
    subjects: tuple[Node, ...] = ()
    maybe: bool = False

    @property
    def whole(self) -> Node:
        if self.subjects in ((self.body,), (nodes.OneOf(self.body, YES_NO),)):
            return self.body  # a reason passes through without a guard
        return nodes.Guard(self.subjects, self.body) if self.subjects else self.body

    @property
    def may_reason(self) -> bool:
        """Whether this may be a reason. An open look-up passes on its key's reason, even for words,
        which no guard can name.
        """
        opens = isinstance(self.body, nodes.Lookup) and self.body.open
        return self.maybe or bool(self.subjects) or opens


def settle(node: Node, facts: FactsOf) -> Settled:
    """The tree with its guards, and whether it may be a reason."""
    return _SETTLE[type(node)](node, facts)


def _leaf(node: Node, facts: FactsOf) -> Settled:
    return Settled(node)


def _reference(node: Node, facts: FactsOf) -> Settled:
    """Make a number or flag that may be a reason a subject. A word is text like a reason, and needs
    no guard: a reason equals no word in the set.
    """
    return Settled(node, _own(node, facts(node)))


def _own(node: Node, known: Facts) -> tuple[Node, ...]:
    """The subject of a reference's guard, if it may be a reason."""
    if not known.may_reason or not (known.number or known.flag):
        return ()
    return (nodes.OneOf(node, YES_NO) if known.flag else node,)


def _absent(key: Settled, facts: FactsOf) -> bool:
    """Whether a key may be a reason: itself, or because its own look-up's key may be one."""
    opens = isinstance(key.body, nodes.Lookup) and key.body.open
    return opens or key.maybe or (isinstance(key.body, REFERENCES) and facts(key.body).may_reason)


def _lookup(node: nodes.Lookup, facts: FactsOf) -> Settled:
    key = settle(node.key, facts)
    absent = _absent(key, facts)
    if key.body is not node.key or node.open != absent:
        node = replace(node, key=key.body, open=absent)
    known = facts(node)
    if absent and not known.may_reason:
        known = replace(known, may_reason=True)
    return Settled(node, (*key.subjects, *_own(node, known)))


def _subjects(*parts: Settled) -> tuple[Node, ...]:
    """What must not be a reason before the parts can be used, each once, in order."""
    subjects: list[Node] = []
    for part in parts:
        for subject in (*part.subjects, *((part.body,) if part.maybe else ())):
            if subject not in subjects:
                subjects.append(subject)
    return tuple(subjects)


def _binary(node: nodes.Binary, facts: FactsOf) -> Settled:
    left, right = settle(node.left, facts), settle(node.right, facts)
    body: Node = nodes.Binary(node.op, left.body, right.body, span=node.span)
    subjects = _subjects(left, right)
    if node.op == "/" and interval(node.right, facts).zero:
        return Settled(
            _unless(_is_zero(right.body, node.right, facts), DIVISION, body), subjects, True
        )
    if node.op == "**":
        test = _power_test(node, left.body, right.body, facts)
        if test is not None:
            return Settled(_unless(test, POWER, body), subjects, True)
    return Settled(body, subjects)


def _unless(test: Node, reason: str, body: Node) -> Node:
    return nodes.Choice(nodes.Reason(nodes.Text(reason)), test, body)


def _is_zero(body: Node, node: Node, facts: FactsOf) -> Node:
    """Whether the end of a range nearest to 0 is 0: then the quotient has no bounds."""
    end = "high" if interval(node, facts).never_positive else "low"
    return nodes.Compare("==", nodes.Call(end, (body,)), nodes.Number(0, "0"), plain=True)


def _power_test(node: nodes.Binary, base: Node, exponent: Node, facts: FactsOf) -> Node | None:
    """Test whether a power has no value: 0 to a power that is not positive, or a fractional power
    of a negative number. None if the domains rule it out.
    """
    a, b = interval(node.left, facts), interval(node.right, facts)
    whole = isinstance(node.right, nodes.Number) and node.right.value.is_integer()
    tests: list[Node] = []
    if a.low < 0 and not whole:
        tests.append(nodes.Compare("<", nodes.Call("low", (base,)), nodes.Number(0, "0")))
    if a.zero and (b.low < 0 or b.zero):
        zero = nodes.Compare("==", nodes.Call("low", (base,)), nodes.Number(0, "0"), plain=True)
        if isinstance(node.right, nodes.Number) or b.never_positive:
            tests.append(zero)
        else:
            small = nodes.Compare("<=", nodes.Call("low", (exponent,)), nodes.Number(0, "0"))
            tests.append(nodes.Logic("and", zero, small))
    if not tests:
        return None
    return tests[0] if len(tests) == 1 else nodes.Logic("or", tests[0], tests[1])


def _call(node: nodes.Call, facts: FactsOf) -> Settled:
    parts = [settle(a, facts) for a in node.arguments]
    body: Node = replace(node, arguments=tuple(p.body for p in parts))
    subjects = _subjects(*parts)
    function = EVERY[node.function]
    if function.defined == "everywhere":
        return Settled(body, subjects)
    inside = interval(node.arguments[0], facts)
    positive = function.defined == "positive"
    if inside.low >= 0 and not (positive and inside.zero):
        return Settled(body, subjects)
    test = nodes.Compare(
        "<=" if positive else "<", nodes.Call("low", (parts[0].body,)), nodes.Number(0, "0")
    )
    return Settled(_unless(test, function.undefined, body), subjects, True)


def _compare(node: nodes.Compare, facts: FactsOf) -> Settled:
    left, right = settle(node.left, facts), settle(node.right, facts)
    plain = node.plain or (_plain(node.left, facts) and _plain(node.right, facts))
    body = replace(node, left=left.body, right=right.body, plain=plain)
    return Settled(body, _subjects(left, right))


def _plain(node: Node, facts: FactsOf) -> bool:
    """Whether nothing was computed and so nothing was rounded: a literal, an input, a count."""
    if isinstance(node, nodes.Number):
        return True
    if isinstance(node, nodes.Aggregate):
        return node.function == "count"
    return isinstance(node, REFERENCES) and facts(node).stated


def _two(node: nodes.Logic, facts: FactsOf) -> Settled:
    left, right = settle(node.left, facts), settle(node.right, facts)
    return Settled(
        nodes.Logic(node.op, left.body, right.body, span=node.span), _subjects(left, right)
    )


def _one(node: nodes.Negative | nodes.Not, facts: FactsOf) -> Settled:
    inner = settle(node.operand, facts)
    return Settled(replace(node, operand=inner.body), _subjects(inner))


def _known(node: nodes.Known, facts: FactsOf) -> Settled:
    """The argument of known() needs no guard, because a reason is an answer."""
    if not isinstance(node.of, nodes.Scalar | nodes.Column | nodes.Cell | nodes.Lookup):
        raise BindError(
            "F004",
            "known() asks about a quantity or a look-up; give the expression a name of its own",
            node.of,
        )
    return Settled(replace(node, of=settle(node.of, facts).body))


def _choice(node: nodes.Choice, facts: FactsOf) -> Settled:
    test = settle(node.test, facts)
    then, other = settle(node.then, facts), settle(node.other, facts)
    if isinstance(node.test, nodes.Known):  # in that branch its value is known
        asked = settle(node.test.of, facts).subjects
        then = replace(then, subjects=tuple(s for s in then.subjects if s not in asked))
    body = nodes.Choice(then.whole, test.body, other.whole, span=node.span)
    return Settled(body, _subjects(test), then.may_reason or other.may_reason)


def _looked_at(node: Node, table: str) -> bool:
    return isinstance(node, nodes.Column) and node.table == table and not node.own


def _aggregate(node: nodes.Aggregate, facts: FactsOf) -> Settled:
    subjects: tuple[Node, ...] = ()
    if node.where is not None:
        for ref in nodes.walk(node.where):
            if isinstance(ref, REFERENCES) and facts(ref).may_reason:
                if any(_looked_at(n, node.table) for n in nodes.walk(ref)):
                    raise BindError(
                        "F004",
                        "the condition uses a column that may hold a reason instead of a "
                        "value; condition on one that always has a value",
                        ref,
                    )
                subjects += tuple(s for s in _own(ref, facts(ref)) if s not in subjects)
        node = replace(node, where=settle(node.where, facts).body)
    known = facts(node)
    lacks = node.column is not None and known.may_reason
    count = nodes.Aggregate("count", node.table, node.column, where=node.where)
    body: Node = node
    if node.function not in ("sum", "count", "list") and (node.where is not None or lacks):
        test = nodes.Compare("==", count, nodes.Number(0, "0"), plain=True)
        body = _unless(test, EMPTY, body)
    if node.function in ("sum", "mean", "max") and lacks and known.needed:
        test = nodes.Compare("<", count, replace(count, column=None), plain=True)
        body = _unless(test, f"{INCOMPLETE}: {node.table}.{node.column}", body)
    return Settled(body, subjects, body is not node)


# ------------------------------------------------------------------ texts


def _text(node: Node, facts: FactsOf) -> Settled:
    """A text with its guards. A reason in a piece replaces the whole text. Text cannot be
    distinguished from a reason, so only numbers and words are subjects, and those of one side only
    if it is chosen.
    """
    return _PIECE[type(node)](node, facts)


def _reason(node: nodes.Reason, facts: FactsOf) -> Settled:
    inner = _text(node.text, facts)
    return Settled(nodes.Reason(inner.body, span=node.span), inner.subjects, True)


def _join(node: nodes.Join, facts: FactsOf) -> Settled:
    parts = [_text(part, facts) for part in node.parts]
    return Settled(nodes.Join(tuple(p.body for p in parts), span=node.span), _subjects(*parts))


def _text_choice(node: nodes.Choice, facts: FactsOf) -> Settled:
    test = settle(node.test, facts)
    then, other = _text(node.then, facts), _text(node.other, facts)
    none = nodes.Number(0.0, "0")
    result = [*_subjects(test)]
    result += [nodes.Choice(subject, test.body, none) for subject in then.subjects]
    result += [nodes.Choice(none, test.body, subject) for subject in other.subjects]
    body = nodes.Choice(then.body, test.body, other.body, span=node.span)
    return Settled(body, tuple(dict.fromkeys(result)))


def _fixed(node: nodes.Fixed, facts: FactsOf) -> Settled:
    inner = settle(node.operand, facts)
    if node.decimals is None and not is_whole(inner.whole, facts):
        raise BindError(
            "F007",
            "the number need not be whole; say how many decimals are printed, as in {x:.1}, "
            "or give it the domain count or whole",
            node.operand,
        )
    body = replace(node, operand=inner.body, decimals=node.decimals or 0)
    return Settled(body, _subjects(inner))


def _title(node: nodes.Title, facts: FactsOf) -> Settled:
    key = _key(node.key, node.table, facts)
    return Settled(nodes.Title(node.table, key.body, span=node.span), key.subjects)


def _key(node: Node, table: str, facts: FactsOf) -> Settled:
    """The id of a row. Unlike a reason, it is one of the table's ids."""
    key = settle(node, facts)
    absent = _absent(key, facts)
    own = (nodes.OneOf(key.body, table=table),) if absent else ()
    return Settled(key.body, (*key.subjects, *own))


def _printed(node: Node, facts: FactsOf) -> Settled:
    """A word, text or date, printed as it is."""
    subjects: tuple[Node, ...] = ()
    known = facts(node)
    if isinstance(node, nodes.Lookup):
        key = _key(node.key, node.table, facts)
        node, subjects = replace(node, key=key.body), key.subjects
    if known.may_reason and not known.words:
        raise BindError(
            "F004",
            "a text that may be a reason cannot be part of a text: a spreadsheet cannot tell them "
            "apart; repeat its condition here, or print the figures in it",
            node,
        )
    if known.may_reason:
        subjects += (nodes.OneOf(node, known.words),)
    return Settled(node, subjects)


_PIECE: dict[type[Node], Callable[[Any, FactsOf], Settled]] = {
    nodes.Text: _leaf,
    nodes.Join: _join,
    nodes.Choice: _text_choice,
    nodes.Fixed: _fixed,
    nodes.Title: _title,
    nodes.Scalar: _printed,
    nodes.Column: _printed,
    nodes.Cell: _printed,
    nodes.Lookup: _printed,
}


_SETTLE: dict[type[Node], Callable[[Any, FactsOf], Settled]] = {
    nodes.Join: _join,
    nodes.Number: _leaf,
    nodes.Text: _leaf,
    nodes.Flag: _leaf,
    nodes.Constant: _leaf,
    nodes.Reason: _reason,
    nodes.Scalar: _reference,
    nodes.Column: _reference,
    nodes.Cell: _reference,
    nodes.Lookup: _lookup,
    nodes.Aggregate: _aggregate,
    nodes.Negative: _one,
    nodes.Not: _one,
    nodes.Binary: _binary,
    nodes.Compare: _compare,
    nodes.Logic: _two,
    nodes.Known: _known,
    nodes.Choice: _choice,
    nodes.Call: _call,
}
