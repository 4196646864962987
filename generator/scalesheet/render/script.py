"""A plan as a classic script: its inputs, and how everything is computed from them.

    scalesheet.plans["qwen2-finance"] = {id, inputs, steps(s, t) {...}, compute(inputs) {...}}

It needs `runtime.js` before it. `inputs` holds the stated values: `scalars` by name and `tables` by
name, including the catalogue tables that the plan reads, each `{rows: [id], titles: [text],
columns: {name: [cell]}}`. A cell is `5`, `"a word"`, `true`, `{value, low, high}`, `{reason}`, or
`null` if it is computed or empty; a fully computed column is `null`. A page copies the inputs,
changes some, and calls `compute`, which returns `{scalars: {name: cell}, tables: {name: {column:
[cell]}}}` with cells `{value, low, high}`, `{value}` for words, or `{reason}`.

`steps` lists the computations in order: `[key, reads, [value, low, high], rows]`, with
`rt.ends((i, e, o) => ...)` for the three if they differ only in the ends that they read. A key is a
scalar's name or `table/column`; `reads` are the keys that the expressions use, so that a page
recomputes only what depends on a change. `rows` are the rows that a column's formula skips, or the
single row that has its own formula.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from itertools import chain
from typing import Any

from scalesheet.book import Book
from scalesheet.language.syntax import Aggregate, Cell, Lookup, Node, Title, walk
from scalesheet.language.syntax import Column as ColumnReference
from scalesheet.language.syntax import Scalar as Reference
from scalesheet.model import Ends, Formula, Key, Plan, Stated, Table
from scalesheet.printers.base import number
from scalesheet.printers.javascript import javascript, quoted
from scalesheet.values import Value


def runtime() -> str:
    """The runtime that every plan's script needs before it."""
    return files("scalesheet.printers").joinpath("runtime.js").read_text(encoding="utf-8")


def program(plan: Plan, book: Book) -> str:
    """The script of one plan."""
    catalogue = reached(plan, book)
    tables = {**{name: book.tables[name] for name in catalogue}, **plan.tables}
    keys = [key for key in book.order if key.table in catalogue] + list(plan.order)
    steps = [step for key in keys for step in _step(key, plan, tables)]
    return "\n".join(
        [
            "(() => {",
            '"use strict";',
            "const rt = scalesheet.runtime;",
            f"scalesheet.plans[{quoted(plan.id)}] = {{",
            f"id: {quoted(plan.id)},",
            f"inputs: {_inputs(plan, tables)},",
            "steps: (s, t) => [",
            *steps,
            "],",
            "compute(inputs) { return rt.machine(this, inputs).results; },",
            "};",
            "})();",
            "",
        ]
    )


def catalogue_script(book: Book) -> str:
    """The stated values of the catalogue tables that any plan reads, which their pages share."""
    names = sorted({name for plan in book.plans.values() for name in reached(plan, book)})
    return f"scalesheet.catalogue = {_object({n: _table(book.tables[n]) for n in names})};\n"


def for_pages(script: str, plan: Plan, book: Book) -> str:
    """A plan's script for its pages, shorter, and with tables from `catalogue_script`."""
    for name in reached(plan, book):
        script = script.replace(
            f"{member(name)}:{_table(book.tables[name])}", f"{name}:scalesheet.catalogue.{name}", 1
        )
    script = _READS.sub(lambda step: _folded_step(*step.groups()), shortened(script))
    return script.replace("=>[\n", "=>rt.unfolded([\n", 1).replace("\n],", "\n]),", 1)


_READS = re.compile(r'^\["([^"]*)","([^"]*)"', re.MULTILINE)


def _folded_step(key: str, reads: str) -> str:
    return f'["{key}","{folded(reads.split(" "), key.rpartition("/")[0])}"'


def folded(keys: Iterable[str], table: str = "") -> str:
    """Keys in one text, for `rt.unfolded` and `rt.numbered`.

    `/column` is of the same table as the key before it, at first of `table`.
    """
    texts: list[str] = []
    for key in keys:
        of, slash, column = key.rpartition("/")
        texts.append(f"/{column}" if slash and of == table else key)
        table = of if slash else table
    return " ".join(texts)


_STRING = re.compile(r'("(?:[^"\\\n]|\\.)*")')
_SPACED = re.compile(r" ?(=>|&&|\|\||===|!==|[,?:*/<>]) ?")
_MEMBER = re.compile(r'(?<=[\w\])])\["((?!__proto__)[A-Za-z_]\w*)"\]', re.ASCII)


def shortened(script: str) -> str:
    """Shorten printed code, which has no strings but double-quoted ones, no comments, no patterns.

    Members are named with a dot; spaces around operators go, except at `+` and `-`, which could
    join.
    """
    parts = _STRING.split(_MEMBER.sub(r".\1", script))
    parts[::2] = [_SPACED.sub(r"\1", part) for part in parts[::2]]
    return _named("".join(parts))


#: What formulas repeat: the columns of a table, and functions of the runtime.
_REPEATED = re.compile(r"\bt\.\w+\.columns(?=\.)|\brt\.\w+(?=\()")
_OFTEN = 12


def _named(script: str) -> str:
    """Give short names, as defaults of parameters of `steps`, to what its formulas repeat."""
    start, begin, rest = script.partition("steps:(s,t)=>[")
    steps, end, rest = rest.partition("\n],")
    parts = _STRING.split(steps)
    found = Counter(chain.from_iterable(map(_REPEATED.findall, parts[::2])))
    names = {
        text: f"_{n}" for n, (text, times) in enumerate(found.most_common()) if times >= _OFTEN
    }
    parts[::2] = [_REPEATED.sub(lambda one: names.get(one[0], one[0]), part) for part in parts[::2]]
    given = "".join(f",{name}={text}" for text, name in names.items())
    return f"{start}{begin.replace('t)', f't{given})')}{''.join(parts)}{end}{rest}"


def reached(plan: Plan, book: Book) -> list[str]:
    """The catalogue tables that the plan reads, directly or through other tables, sorted."""
    result: set[str] = set()
    waiting = [name for name in plan.catalogue if name in book.tables]
    while waiting:
        name = waiting.pop()
        if name in result:
            continue
        result.add(name)
        formulas = _formulas(book.tables[name])
        waiting += [other for other in _tables_in(formulas) if other in book.tables]
    return sorted(result)


def _formulas(table: Table) -> Iterator[Formula]:
    for column in table.columns.values():
        yield from column.own.values()
        if column.formula is not None:
            yield column.formula


def _tables_in(formulas: Iterable[Formula]) -> Iterator[str]:
    for formula in formulas:
        for end in (formula.ends.value, formula.ends.low, formula.ends.high):
            for node in walk(end) if end is not None else ():
                if isinstance(node, Aggregate | Cell | Lookup | ColumnReference | Title):
                    yield node.table


# ------------------------------------------------------------------ inputs


def _inputs(plan: Plan, tables: Mapping[str, Table]) -> str:
    scalars = {name: _cell(scalar.stated) for name, scalar in plan.scalars.items()}
    return _object(
        {
            "scalars": _object(scalars),
            "tables": _object({name: _table(table) for name, table in tables.items()}),
        }
    )


def _table(table: Table) -> str:
    columns = {
        name: _list(_cell(column.stated.get(row)) for row in table.rows)
        if column.stated
        else "null"
        for name, column in table.columns.items()
    }
    ids, titles = (_list(map(quoted, each)) for each in (table.rows, table.row_titles))
    return _object({"rows": ids, "titles": titles, "columns": _object(columns)})


def _cell(stated: Stated | None) -> str:
    """A stated cell; null if it is computed, empty or an open bound."""
    if stated is None:
        return "null"
    if stated.reason is not None:
        return _object({"reason": quoted(stated.reason)})
    if stated.ranged:
        ends = {"value": stated.value, "low": stated.low, "high": stated.high}
        return _object({name: _plain(value) for name, value in ends.items()})
    return _plain(stated.value)


def as_cell(value: Value) -> dict[str, Any]:
    """Return a computed value in the script's JSON form."""
    if value.reason is not None:
        return {"reason": value.reason}
    if isinstance(value.value, float):
        return {"value": value.value, "low": value.low, "high": value.high}
    return {"value": value.value}


def as_value(cell: Mapping[str, Any]) -> Value:
    """Undo `as_cell`. JSON does not tell integers from floats, so integers become floats."""
    value, low, high = (
        float(end) if type(end) is int else end for end in map(cell.get, ("value", "low", "high"))
    )
    return Value(value, low, high, cell.get("reason"))


def _plain(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return quoted(value) if isinstance(value, str) else number(value)


def _object(members: Mapping[str, str]) -> str:
    return "{" + ",".join(f"{member(name)}:{text}" for name, text in members.items()) + "}"


def member(name: str) -> str:
    """The key of an object member: bare where possible, else in brackets.

    A bare "__proto__" would set the prototype instead of a member.
    """
    return name if name.isidentifier() and name != "__proto__" else f"[{quoted(name)}]"


def _list(items: Iterable[str]) -> str:
    return f"[{','.join(items)}]"


# ------------------------------------------------------------------ steps


def _step(key: Key, plan: Plan, tables: Mapping[str, Table]) -> Iterator[str]:
    """Yield the lines that compute one key; nothing for a stated value."""
    if key.table is None:
        formula = plan.scalars[key.name].formula
        if formula is not None:
            yield _line(key.name, formula.ends, "()")
        return
    table = tables[key.table]
    column = table.columns[key.name]
    place = f"{key.table}/{key.name}"
    if key.row is not None:
        yield _line(place, column.own[key.row].ends, "i", str(table.rows.index(key.row)))
    elif column.formula is not None:
        others = [n for n, row in enumerate(table.rows) if row in {*column.stated, *column.own}]
        yield _line(place, column.formula.ends, "i", str(others))


def _line(key: str, ends: Ends, variables: str, *rows: str) -> str:
    """The expressions as functions; null where an end equals the value."""
    nodes = [node for node in (ends.value, ends.low, ends.high) if node is not None]
    reads = quoted(" ".join(dict.fromkeys(name for node in nodes for name in _reads(node))))
    ends_of = [ends.value, *((ends.low, ends.high) if len(nodes) > 1 else ())]
    functions = (f"{variables} => {javascript(n)}" if n is not None else "null" for n in ends_of)
    texts = list(functions)
    return f"[{', '.join([quoted(key), reads, _merged(texts) or _list(texts), *rows])}],"


#: Which end of a quantity an expression reads: a member, or an argument of a look-up.
_END = re.compile(r'\.(value|low|high)\b(?!\()|"(value|low|high)"')
#: The same end, or the opposite one, as `rt.ends` passes them.
_ENDS = {("value", "low", "high"): "e", ("value", "high", "low"): "o"}


def _merged(functions: list[str]) -> str:
    """The three ends of a value as one function, if they differ only in the ends that they read;
    else nothing."""
    if len(functions) != 3 or "null" in functions:
        return ""
    rests = {tuple(_END.split(text)[::3]) for text in functions}
    if len(rests) > 1:
        return ""
    reads = zip(*(_END.finditer(text) for text in functions), strict=True)
    merged, (first, *parts) = "", rests.pop()
    for (value, *others), part in zip(reads, parts, strict=True):
        end = value[0]
        if any(other[0] != end for other in others):
            ends = tuple(found[1] or found[2] for found in (value, *others))
            if ends not in _ENDS:
                return ""
            end = f"[{_ENDS[ends]}]" if value[1] else _ENDS[ends]
        merged += end + part
    body = (first + merged).partition(" => ")[2]
    return f"rt.ends((i, e, o) => {body})"


def _reads(node: Node) -> Iterator[str]:
    """Yield the keys that an expression reads."""
    for part in walk(node):
        if isinstance(part, Reference):
            yield part.name
        elif isinstance(part, Aggregate | Cell | Lookup | ColumnReference) and part.column:
            yield f"{part.table}/{part.column}"
