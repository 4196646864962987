"""Finds where each value of a YAML file begins and ends, from the parser's events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml
from yaml import events

from scalesheet.frozen import dataclass
from scalesheet.load.document import Steps
from scalesheet.load.reader import PARSER


@dataclass(frozen=True, slots=True)
class Span:
    """The span of a value: characters from `start` to `end`; its key begins at `key`."""

    start: int
    end: int
    key: int
    shape: str  # "scalar", "block" or "flow"
    style: str = ""  # of a scalar: "", ', ", |, >
    column: int = 0  # of the first key or item


def spans_of(text: str) -> Iterator[tuple[Steps, Span]]:
    """Yield every value of a valid file, each after the values inside it."""
    stream: Iterator[Any] = iter(yaml.parse(text, Loader=PARSER))

    def node(event: Any, steps: Steps, key: int) -> Iterator[tuple[Steps, Span]]:
        inner: Any
        first: Any = event.start_mark
        last_mark: Any = event.end_mark
        start = first.index
        if isinstance(event, events.ScalarEvent):
            end = last_mark.index
            style = event.style or ""
            if style in ("|", ">"):
                end = start + len(text[start:end].rstrip())
            yield steps, Span(start, end, key, "scalar", style)
            return
        shape = "flow" if event.flow_style else "block"
        column, last = event.start_mark.column, start
        number = 0
        mapping = isinstance(event, events.MappingStartEvent)
        while True:
            inner = next(stream)
            if isinstance(inner, events.MappingEndEvent | events.SequenceEndEvent):
                break
            if mapping:
                at = inner.start_mark.index
                name: str | int = inner.value
                if number == 0 and shape == "block":
                    column = inner.start_mark.column
                inner = next(stream)
            else:
                at, name = inner.start_mark.index, number
            number += 1
            for below, span in node(inner, (*steps, name), at):
                yield below, span
                last = max(last, span.end)
        closing: Any = inner
        end = closing.end_mark.index if shape == "flow" else last
        yield steps, Span(start, end, key, shape, "", column)

    for event in stream:
        if isinstance(event, events.DocumentStartEvent):
            yield from node(next(stream), (), 0)


@dataclass(frozen=True)
class File:
    """A file's text, the span of each value, and the plain data."""

    text: str
    spans: Mapping[Steps, Span]
    data: Any

    def at(self, steps: Steps) -> Any:
        data = self.data
        for step in steps:
            data = data[step]
        return data

    @property
    def newline(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    def line_end(self, at: int) -> int:
        """The end of the line that contains a position, before its line break."""
        end = self.text.find("\n", at)
        if end < 0:
            return len(self.text)
        return end - 1 if self.text[end - 1 : end] == "\r" else end

    def line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def indent_of(self, at: int) -> int:
        """The indentation of the line that contains a position."""
        line = self.text[self.line_start(at) : at]
        return len(line) - len(line.lstrip(" "))

    def in_flow(self, steps: Steps) -> bool:
        """Return whether a place is within brackets."""
        return any(self.spans[steps[:length]].shape == "flow" for length in range(len(steps)))
