"""Tokens of a spreadsheet formula, where references say what they mean rather than where it is.

`D12*Units!$B$5` in a workbook gives the same tokens as the formula our printer would write today,
wherever rows, columns and sheets have moved. So comparing tokens shows whether a formula was
edited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property
from typing import Any

from scalesheet.defined_names import Names
from scalesheet.frozen import dataclass
from scalesheet.language.syntax import End, Node
from scalesheet.model import Quantity
from scalesheet.printers.excel import excel
from scalesheet.pull.sheets import Workbook, address
from scalesheet.pull.where import Area, Place, Where, area_of

#: A kind and its content. Kinds: num, str, flag, op, func, error, foreign, name, and for
#: references: scalar (name, end), own (table, column, end), cell (table, row, column, end), range
#: (table, column, end), ids (table), titles (table), title and id (table, row), const (name), area
#: (text).
Token = tuple[str, object]
Fixed = tuple[bool, bool]  # whether the row, and the column, of a cell is fixed by a $

_OPEN, _CLOSE, _APART = "\ue000", "\ue001", "\ue002"
_TOKEN = re.compile(
    r"""(?P<space>\s+)
      |(?P<str>"(?:[^"]|"")*")
      |(?P<ours>\ue000[^\ue001]*\ue001)
      |(?P<error>\#REF!|\#N/A|\#NAME\?|\#VALUE!|\#DIV/0!|\#NUM!|\#NULL!)
      |(?P<foreign>'?\[[^\]]*\][^!'(]*'?!?[$A-Za-z0-9:.#]*)
      |(?P<area>(?:(?:'(?:[^']|'')+'|[A-Za-z_\u0080-\uffff$][\w.\u0080-\uffff]*)!)?
          (?:\#REF!|\$?[A-Za-z]{1,3}\$?[0-9]{1,7}
            (?::(?:(?:'(?:[^']|'')+'|[A-Za-z_][\w.]*)!)?\$?[A-Za-z]{1,3}\$?[0-9]{1,7})?)(?![\w(.]))
      |(?P<whole>(?:(?:'(?:[^']|'')+'|[A-Za-z_][\w.]*)!)?
          (?:\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}|\$?[0-9]+:\$?[0-9]+)(?![\w(.]))
      |(?P<num>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)
      |(?P<flag>(?:TRUE|FALSE)(?:\s*\(\s*\))?(?![\w(.]))
      |(?P<func>[A-Za-z_][\w.]*\s*\()
      |(?P<name>[A-Za-z_\\\u0080-\uffff][\w.?\\\u0080-\uffff]*)
      |(?P<op><=|>=|<>|[-+*/^&=<>%,;(){}:!@~])""",
    re.X | re.IGNORECASE,
)


class FormulaProblem(Exception):
    """Part of a formula cannot be read; the message says which."""


@dataclass(frozen=True)
class Meanings:
    """The meanings of references in one workbook."""

    workbook: Workbook
    where: Where
    ranged: Mapping[str, bool]  # whether a scalar has ends
    called: Mapping[str, Token]  # meaning of each defined name, keyed in lower case
    _columns: dict[str, dict[int, tuple[str, str, End]]] = field(default_factory=dict)

    @cached_property
    def tables_on(self) -> Mapping[str, list[str]]:
        result: dict[str, list[str]] = {}
        for name, rows in self.where.tables.items():
            result.setdefault(rows.sheet, []).append(name)
        return result

    @cached_property
    def ids(self) -> Mapping[str, Mapping[int, str]]:
        """Table -> row of the sheet -> id."""
        return {
            name: {row: id for id, row in rows.rows.items()}
            for name, rows in self.where.tables.items()
        }

    def in_row(self, table: str, home: Place) -> str | None:
        """The id of the row of a table that a cell is in."""
        rows = self.where.tables[table]
        return self.ids[table].get(rows.row_of(home)) if rows.sheet == home.sheet else None

    @cached_property
    def columns(self) -> Mapping[str, Mapping[int, tuple[str, End]]]:
        return {
            name: {at: key for key, at in rows.columns.items()} | dict(rows.used)
            for name, rows in self.where.tables.items()
        }

    @cached_property
    def constants(self) -> Mapping[Place, Token]:
        """Constants by the places of their cells, for formulas that use addresses, not names."""
        result = {}
        for name, token in self.called.items():
            if token[0] == "const":
                area = area_of(self.workbook.names.get(name, ""))
                if area is not None:
                    result[area.place] = token
        return result

    def of(self, whole: Area, fixed: Fixed, home: Place) -> Token:
        """The meaning of a cell or area as seen from `home`; `fixed`: which parts a $ fixes."""
        if whole.top == whole.bottom and whole.left == whole.right:
            return self._one(whole.place, fixed, home)
        for name in self.tables_on.get(whole.sheet, ()):
            rows = self.where.tables[name]
            area = whole.turned if rows.turned else whole
            if area.left != area.right or not rows.heading < area.top <= area.bottom <= rows.last:
                continue
            held = {row for row in self.ids[name] if area.top <= row <= area.bottom}
            every = len(held) == len(self.ids[name])
            if area.left == rows.key and every:
                return "ids", name
            if area.left == rows.title and every:
                return "titles", name
            column = self.columns[name].get(area.left)
            if column is not None and every:
                return "range", (name, *column)
            if column is not None:
                few = tuple(("cell", (name, self.ids[name][row], *column)) for row in sorted(held))
                return "few", few
        return "area", f"{whole.place}:{address(whole.bottom, whole.right)}"

    def _one(self, place: Place, fixed: Fixed, home: Place) -> Token:
        scalar = self.where.meaning.get(place)
        if scalar is not None:
            return "scalar", (scalar[0], scalar[1] if self.ranged[scalar[0]] else "value")
        if place in self.constants:
            return self.constants[place]
        for name in self.tables_on.get(place.sheet, ()):
            rows = self.where.tables[name]
            if not rows.holds(place):
                continue
            row, at = rows.row_of(place), place.row if rows.turned else place.column
            id = self.ids[name].get(row, "")
            column = self.columns[name].get(at)
            own = row == rows.row_of(home) and place.sheet == home.sheet
            if column is not None and own and not fixed[rows.turned]:
                return "own", (name, *column)
            if column is not None and id:
                return "cell", (name, id, *column)
            if id and at in (rows.key, rows.title):
                return ("id" if at == rows.key else "title"), (name, id)
        return "area", str(place)


def tokens(formula: str, home: Place, meanings: Meanings) -> tuple[Token, ...]:
    """The tokens of a formula in the cell `home`. Raises FormulaProblem."""
    result: list[Token] = []
    at = 0
    while at < len(formula):
        match = _TOKEN.match(formula, at)
        if match is None:
            raise FormulaProblem(f"'{formula[at : at + 10]}' cannot be parsed")
        at = match.end()
        kind, text = str(match.lastgroup), match[0]
        if kind != "space":
            result.append(_READ[kind](text, home, meanings))
        if (
            kind == "str"
            and len(result) > 2
            and result[-2] == ("op", "&")
            and result[-3][0] == "str"
        ):
            result[-3:] = [("str", f"{result[-3][1]}{result[-1][1]}")]  # a text in two parts
    return tuple(result)


def pointed(formula: str, home: Place, meanings: Meanings) -> Iterator[tuple[str, Token, Fixed]]:
    """The references by position in a readable formula: their text, what they mean now, and whether
    a `$` fixes their row. Whole columns and the current row are left out.
    """
    for match in _TOKEN.finditer(formula):
        if match.lastgroup == "area":
            token = _area(match[0], home, meanings)
            meaning: Any = token[1]
            if token[0] in ("id", "title") and meanings.in_row(meaning[0], home) == meaning[1]:
                continue
            if token[0] not in ("own", "range", "ids", "titles"):
                cells = match[0].rpartition("!")[2] if ":" not in match[0] else _split(match[0])[2]
                yield match[0], token, _fixed(cells)


def _area(text: str, home: Place, meanings: Meanings) -> Token:
    if "#REF!" in text:
        return "error", "#REF!"
    sheet, mark, rest = text.rpartition("!") if ":" not in text else _split(text)
    area = area_of(text if mark else f"'{home.sheet.replace(chr(39), chr(39) * 2)}'!{text}")
    if area is None or area.sheet not in meanings.workbook.sheets:
        return "area", text
    del sheet
    return meanings.of(area, _fixed(rest), home)


def _fixed(cells: str) -> Fixed:
    first = cells.partition(":")[0]
    return "$" in first[1:], first.startswith("$")


def _split(text: str) -> tuple[str, str, str]:
    """The sheet, the mark and the cells of `Sheet!A1:B2`."""
    sheet, mark, rest = text.partition("!")
    if "!" in rest:  # both cells have a sheet
        rest = rest.replace(f"{sheet}!", "")
    return (sheet, mark, rest) if mark else ("", "", text)


def _name(text: str, home: Place, meanings: Meanings) -> Token:
    return meanings.called.get(text.casefold(), ("name", text))


def _function(text: str, home: Place, meanings: Meanings) -> Token:
    name = text[:-1].strip().upper()
    return "func", re.sub(r"^(_XLFN\.|_XLWS\.|COM\.MICROSOFT\.)+", "", name)


def _ours(text: str, home: Place, meanings: Meanings) -> Token:
    kind, *parts = text[1:-1].split(_APART)
    return kind, (parts[0] if len(parts) == 1 else tuple(parts))


_READ = {
    "str": lambda said, home, meanings: ("str", said[1:-1].replace('""', '"')),
    "num": lambda said, home, meanings: ("num", float(said)),
    "op": lambda said, home, meanings: ("op", "," if said == ";" else said),
    "error": lambda said, home, meanings: ("error", said),
    "foreign": lambda said, home, meanings: ("foreign", said),
    "flag": lambda said, home, meanings: ("flag", said[:4].upper() == "TRUE"),
    "whole": lambda said, home, meanings: ("area", said),
    "area": _area,
    "name": _name,
    "func": _function,
    "ours": _ours,
}


def meanings(
    workbook: Workbook, where: Where, scalars: Mapping[str, Quantity], names: Names
) -> Meanings:
    """Collect the meanings of references in a located workbook."""
    called: dict[str, Token] = {}
    for (name, end), text in names.scalars.items():
        if text.casefold() not in called or end == "value":
            called[text.casefold()] = "scalar", (name, end if scalars[name].ranged else "value")
    for (name, end), text in names.scalars.items():
        if scalars[name].ranged:
            called[text.casefold()] = "scalar", (name, end)
    for (table, column, end), text in names.columns.items():
        if text.casefold() not in called or end == "value":
            called[text.casefold()] = "range", (table, column, end)
    called |= {text.casefold(): ("ids", name) for name, text in names.tables.items()}
    called |= {text.casefold(): ("const", name) for name, text in names.constants.items()}
    called |= {name: ("scalar", (name, "value")) for name in where.new}
    ranged = {name: not row.at(workbook, "low").blank for name, row in where.new.items()}
    ranged |= {name: scalar.ranged for name, scalar in scalars.items()}
    return Meanings(workbook, where, ranged, called)


# ------------------------------------------------------------------ what we would print


@dataclass(frozen=True)
class _Meant:
    """Tells the printer what is meant rather than where it is."""

    scalars: Mapping[str, Quantity]
    columns: Mapping[tuple[str, str], Quantity]

    def _say(self, *parts: str) -> str:
        return f"{_OPEN}{_APART.join(parts)}{_CLOSE}"

    def _end(self, table: str, column: str, end: End) -> str:
        return end if self.columns[table, column].ranged else "value"

    def scalar(self, name: str, end: End) -> str:
        return self._say("scalar", name, end if self.scalars[name].ranged else "value")

    def column(self, table: str, column: str, end: End) -> str:
        return self._say("own", table, column, self._end(table, column, end))

    def range(self, table: str, column: str, end: End) -> str:
        return self._say("range", table, column, self._end(table, column, end))

    looked_up = range

    def keys(self, table: str, column: str, end: End) -> str:
        return self.ids(table)

    def ids(self, table: str) -> str:
        return self._say("ids", table)

    def titles(self, table: str) -> str:
        return self._say("titles", table)

    def constant(self, name: str) -> str:
        return self._say("const", name)


@dataclass(frozen=True)
class Printer:
    """Prints bound trees as tokens."""

    scalars: Mapping[str, Quantity]
    columns: Mapping[tuple[str, str], Quantity]
    _known: dict[int, tuple[Node, tuple[Token, ...]]] = field(default_factory=dict)

    def printed(self, tree: Node) -> tuple[Token, ...]:
        known = self._known.get(id(tree))
        if known is None:
            shown = excel(tree, _Meant(self.scalars, self.columns)).text
            nowhere = Meanings(Workbook({}, {}), Where({}, {}, {}, {}), {}, {})
            known = tree, tokens(shown, Place("", 0, 0), nowhere)
            self._known[id(tree)] = known
        return known[1]
