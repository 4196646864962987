"""Changes of a YAML file that leave every byte around them as it is.

A file is looked at by its events, which say where each key and value begins and ends; a change is a
piece of text put in the place of another. What comes out is read again and compared with the data
that were meant, so that a change is either exact or refused.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml
from yaml import events

from scalesheet.load.document import Steps
from scalesheet.load.reader import PARSER, parse

WIDTH = 100  # of a line that is written anew
_WORDLIKE = re.compile(r"[A-Za-z0-9_./(][^\n#]*")


@dataclass(frozen=True, slots=True)
class Set:
    """A value at a place; a key that is not there yet comes after the key `after`, else last."""

    steps: Steps
    value: Any
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """A key and its value, gone."""

    steps: Steps


@dataclass(frozen=True, slots=True)
class Swap:
    """Another key in the place of one, with its value: `reason: ...` where `value: 5` stood."""

    steps: Steps
    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class Append:
    """One more item of a list."""

    steps: Steps
    value: Any


Change = Set | Drop | Swap | Append


class PatchError(Exception):
    """The file cannot be changed so without touching more of it."""


@dataclass(frozen=True, slots=True)
class _Span:
    """Where a value stands: characters from `start` to `end`; its key begins at `key`."""

    start: int
    end: int
    key: int
    shape: str  # "scalar", "block" or "flow"
    style: str = ""  # of a scalar: "", ', ", |, >
    column: int = 0  # of the first key or item


def patched(text: str, changes: Sequence[Change]) -> str:
    """The text with the changes, which are all meant of the text as it is. Raises PatchError."""
    if not changes:
        return text
    before = parse(text.encode(), "").data
    file = _File(text, dict(_spans(text)), before)
    pieces: list[tuple[int, int, str]] = []
    for change in changes:
        pieces.append(_PIECES[type(change)](file, change))
    wanted = copy.deepcopy(before)
    for change in changes:
        _meant(wanted, change)
    # at one place, insertions come in the order in which they were asked for
    ordered = sorted(enumerate(pieces), key=lambda item: (item[1][0], item[1][1], item[0]))
    result, at = [], 0
    for _, (start, end, new) in ordered:
        if start < at:
            raise PatchError("two changes meet in one place")
        result += [text[at:start], new]
        at = end
    whole = "".join((*result, text[at:]))
    after = parse(whole.encode(), "")
    if after.diagnostics or not _same(after.data, wanted):
        raise PatchError("the file would not say what was meant")
    return whole


def _meant(data: Any, change: Change) -> None:
    """The change, made to plain data."""
    *way, last = change.steps
    for step in way:
        data = data[step]
    match change:
        case Set(_, value, after):
            if last not in data and after in data and isinstance(data, dict):
                rest = list(data.items())
                at = [key for key, _ in rest].index(after) + 1
                data.clear()
                data.update([*rest[:at], (last, value), *rest[at:]])
            else:
                data[last] = value
        case Drop():
            del data[last]
        case Swap(_, key, value):
            del data[last]
            data[key] = value
        case Append(_, value):
            data[last].append(value)


def _same(one: Any, other: Any) -> bool:
    """Alike in kind as well as in value; the order of keys is not looked at."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, bool) or isinstance(other, bool) or isinstance(one, str | None):
        return type(one) is type(other) and bool(one == other)
    return bool(one == other)


# ------------------------------------------------------------------ where things stand


def _spans(text: str) -> Iterator[tuple[Steps, _Span]]:
    stream: Iterator[Any] = iter(yaml.parse(text, Loader=PARSER))

    def node(event: Any, steps: Steps, key: int) -> Iterator[tuple[Steps, _Span]]:
        inner: Any
        first: Any = event.start_mark
        last_mark: Any = event.end_mark
        start = first.index
        if isinstance(event, events.ScalarEvent):
            end = last_mark.index
            style = event.style or ""
            if style in ("|", ">"):
                end = start + len(text[start:end].rstrip())
            yield steps, _Span(start, end, key, "scalar", style)
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
        yield steps, _Span(start, end, key, shape, "", column)

    for event in stream:
        if isinstance(event, events.DocumentStartEvent):
            yield from node(next(stream), (), 0)


@dataclass(frozen=True)
class _File:
    text: str
    spans: Mapping[Steps, _Span]
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
        """Where the line ends in which a place is, before its line break."""
        end = self.text.find("\n", at)
        if end < 0:
            return len(self.text)
        return end - 1 if self.text[end - 1 : end] == "\r" else end

    def line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def in_flow(self, steps: Steps) -> bool:
        """Whether a place is within brackets."""
        return any(self.spans[steps[:length]].shape == "flow" for length in range(len(steps)))


# ------------------------------------------------------------------ the pieces


def _set(file: _File, change: Set) -> tuple[int, int, str]:
    span = file.spans.get(change.steps)
    if span is None:
        return _insert(file, change)
    flow = file.in_flow(change.steps)
    old = file.text[span.start : span.end]
    if span.shape == "scalar" and not isinstance(change.value, Mapping | list):
        column = span.start - file.line_start(span.start)
        indent = _indent_of(file, span.key)
        return span.start, span.end, _scalar(change.value, flow, old, span.style, column, indent)
    if span.shape == "block":
        raise PatchError("a value of several lines is no single value")
    return span.start, span.end, flowed(change.value)


def _indent_of(file: _File, at: int) -> int:
    line = file.text[file.line_start(at) : at]
    return len(line) - len(line.lstrip(" "))


def _insert(file: _File, change: Set) -> tuple[int, int, str]:
    """A new key of a mapping that is there."""
    above, key = change.steps[:-1], change.steps[-1]
    span, siblings = file.spans.get(above), file.at(above)
    if span is None or not isinstance(siblings, Mapping):
        raise PatchError(f"there is no mapping to put '{key}' into")
    name = _key(str(key))
    beside = change.after if change.after in siblings else next(reversed(siblings), None)
    if span.shape == "flow":
        if beside is None:
            return span.start + 1, span.start + 1, f"{name}: {flowed(change.value)}"
        end = file.spans[*above, beside].end
        said = f", {name}: {flowed(change.value)}"
        if span.start < (line := file.line_start(end)):  # brackets over several lines
            indent = " " * (len(file.text[line:]) - len(file.text[line:].lstrip(" ")))
            said = f",{file.newline}{indent}{name}: {flowed(change.value)}"
        return end, end, said
    assert beside is not None
    model = file.spans[*above, beside]
    lines = _lines(name, change.value, span.column, _shape_like(file, (*above, beside)))
    at = file.line_end(model.end)
    return at, at, "".join(f"{file.newline}{line}" for line in lines)


def _shape_like(file: _File, steps: Steps) -> str:
    return file.spans[steps].shape


def _drop(file: _File, change: Drop) -> tuple[int, int, str]:
    above = change.steps[:-1]
    span, outer = file.spans[change.steps], file.spans[above]
    siblings = list(file.at(above))
    if len(siblings) == 1:
        raise PatchError(f"'{change.steps[-1]}' is all that stands there")
    if outer.shape == "block":
        start, end = file.line_start(span.key), file.line_end(span.end)
        first = file.text[start : span.key].strip()
        if first:
            raise PatchError("the first key of a list's item cannot be taken out")
        rest = file.text[end : end + 2]
        return start, end + (2 if rest == "\r\n" else 1 if rest[:1] == "\n" else 0), ""
    at = siblings.index(change.steps[-1])
    if at + 1 < len(siblings):
        return span.key, file.spans[*above, siblings[at + 1]].key, ""
    return file.spans[*above, siblings[at - 1]].end, span.end, ""


def _swap(file: _File, change: Swap) -> tuple[int, int, str]:
    span, flow = file.spans[change.steps], file.in_flow(change.steps)
    if span.shape == "block" and isinstance(change.value, Mapping | list):
        raise PatchError("a value of several lines is no single value")
    key = _key(change.key)
    if isinstance(change.value, Mapping | list):
        return span.key, span.end, f"{key}: {flowed(change.value)}"
    column = span.key - file.line_start(span.key)
    style = span.style if isinstance(change.value, str) else ""
    said = _scalar(change.value, flow, "", style, column + len(key) + 2, column)
    return span.key, span.end, f"{key}: {said}"


def _append(file: _File, change: Append) -> tuple[int, int, str]:
    span, items = file.spans[change.steps], file.at(change.steps)
    if not items:
        raise PatchError("there is no item to go by")
    last = file.spans[*change.steps, len(items) - 1]
    if span.shape == "flow":
        return last.end, last.end, f", {flowed(change.value)}"
    dash = file.text.rfind("-", 0, last.key)
    column = dash - file.line_start(dash)
    at = file.line_end(last.end)
    lines = [" " * column + f"- {flowed(change.value)}"]
    if last.shape == "block" and isinstance(change.value, Mapping):
        inner = [
            line for key, value in change.value.items() for line in _lines(key, value, column + 2)
        ]
        lines = [" " * column + "- " + inner[0].lstrip(), *inner[1:]]
    return at, at, "".join(f"{file.newline}{line}" for line in lines)


_PIECES: dict[type, Any] = {Set: _set, Drop: _drop, Swap: _swap, Append: _append}


# ------------------------------------------------------------------ how values are written


def _lines(key: str, value: Any, column: int, shape: str = "flow") -> list[str]:
    """A key and its value as lines; a mapping in braces if its neighbour is and it fits."""
    pad = " " * column
    if not isinstance(value, Mapping):
        if isinstance(value, list):
            return [f"{pad}{key}: {flowed(value)}"]
        return [f"{pad}{key}: {_scalar(value, False, '', '', column + len(key) + 2, column)}"]
    line = f"{pad}{key}: {flowed(value)}"
    if shape != "block" and len(line) <= WIDTH:
        return [line]
    found = [f"{pad}{key}:"]
    for name, inner in value.items():
        found += _lines(_key(name), inner, column + 2)
    return found


def flowed(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(k)}: {flowed(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flowed, value)) + "]"
    return _scalar(value, True, "", "", 0, 0)


def _key(name: str) -> str:
    return _text(name, True, "", 0, 0)


def _scalar(value: Any, flow: bool, old: str, style: str, column: int, indent: int) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int | float):
        return number_text(float(value), old)
    return _text(str(value), flow, style, column, indent)


def number_text(value: float, old: str = "") -> str:
    """A number as a person writes it, in the manner of the one that stood there."""
    whole = value == int(value) and abs(value) < 1e15
    text = str(int(value)) if whole else repr(value)
    if "_" in old and whole and abs(value) >= 1000:
        return f"{int(value):_}"
    if re.search("[eE]", old):
        mantissa, _, exponent = f"{value:.16e}".partition("e")
        for digits in range(17):
            short = f"{float(mantissa):.{digits}f}".rstrip("0").rstrip(".") if digits else (
                f"{float(mantissa):.0f}"
            )  # fmt: skip
            said = f"{short}e{int(exponent)}"
            if float(said) == value:
                return said if len(said) <= len(text) + 2 else text
    return text


def _text(text: str, flow: bool, style: str, column: int, indent: int) -> str:
    """Text in the manner in which it stood; plain, quoted, or folded over several lines."""
    if style in ("|", ">") and not flow and "\n" not in text and text.strip() == text:
        folded = _folded(text, indent + 2)
        if folded is not None:
            return folded
    double = '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace(
        "\t", "\\t") + '"'  # fmt: skip
    single = "'" + text.replace("'", "''") + "'"
    choices = {"": [text, double], '"': [double], "'": [single, double]}.get(style, [text, double])
    for said in choices:
        if said is text and not _WORDLIKE.fullmatch(text):
            continue
        if said is text and not flow and style == "" and column + len(text) > WIDTH + 20:
            folded = _folded(text, indent + 2)
            if folded is not None:
                return folded
        if said is single and "\n" in text:
            continue
        found = parse((f"[{said}]" if flow else f"- {said}").encode(), "")
        if not found.diagnostics and found.data == [text] and type(found.data[0]) is str:
            return said
    return double


def _folded(text: str, indent: int) -> str | None:
    """`>-` and lines, where folding gives the text back."""
    if "  " in text or "\n" in text:
        return None
    lines, line = [], ""
    for word in text.split(" "):
        if line and indent + len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    pad = "\n" + " " * indent
    return f">-{pad}{pad.join([*lines, line])}"
