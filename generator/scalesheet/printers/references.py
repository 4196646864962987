"""How references are named in printed programs, Python and JavaScript."""

from __future__ import annotations

from typing import Protocol

from scalesheet.language.syntax import End


class Names(Protocol):
    """Texts for references in a program.

    `row` is the variable of the current row, or of the row that a condition tests.
    """

    def scalar(self, name: str, end: End) -> str: ...
    def column(self, table: str, column: str, end: End, row: str) -> str: ...
    def cell(self, table: str, row: str, column: str, end: End) -> str: ...
    def lookup(self, table: str, key: str, column: str, end: End) -> str: ...
    def table(self, table: str) -> str: ...
    def constant(self, name: str, value: float) -> str: ...
