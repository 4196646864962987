"""Changes a YAML file and leaves every other byte as it is.

The parser's events say where each key and value begins and ends; a change replaces a piece of text.
The result is parsed again and compared with the intended data, so that a change is either exact or
refused.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from scalesheet.frozen import dataclass
from scalesheet.load.document import Steps
from scalesheet.load.reader import parse
from scalesheet.quantities import day_number, is_day
from scalesheet.source.spans import File, spans_of
from scalesheet.source.spelling import flowed, key_text, lines_of, spelled


@dataclass(frozen=True, slots=True)
class Set:
    """A value to set; a new key comes after the key `after`, or last."""

    steps: Steps
    value: Any
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """A key to remove with its value."""

    steps: Steps


@dataclass(frozen=True, slots=True)
class Swap:
    """A key and value to replace another pair: `reason: ...` instead of `value: 5`."""

    steps: Steps
    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class Rename:
    """A new key for a value; other changes refer to it by its old key."""

    steps: Steps
    key: str


@dataclass(frozen=True, slots=True)
class Append:
    """One more item of a list."""

    steps: Steps
    value: Any


Change = Set | Drop | Swap | Rename | Append


class PatchError(Exception):
    """Raised if the file cannot be changed without touching more of it."""


def patched(text: str, changes: Sequence[Change]) -> str:
    """Apply the changes, whose places all refer to the original text. Raises PatchError."""
    if not changes:
        return text
    before = parse(text.encode(), "").data
    file = File(text, dict(spans_of(text)), before)
    pieces: list[tuple[int, int, str]] = []
    gone = {change.steps for change in changes if isinstance(change, Drop)}
    for change in changes:
        if isinstance(change, Drop):
            pieces.append(_drop(file, change, gone))
        else:
            pieces.append(_PIECES[type(change)](file, change))
    wanted = copy.deepcopy(before)
    for change in sorted(changes, key=lambda change: isinstance(change, Rename)):
        _meant(wanted, change)
    # insertions at one place keep the order in which they were requested
    ordered = sorted(enumerate(pieces), key=lambda item: (item[1][0], item[1][1], item[0]))
    spans, at = [], 0
    for _, (start, end, new) in ordered:
        if start < at:
            raise PatchError("two changes overlap")
        spans += [text[at:start], new]
        at = end
    whole = "".join((*spans, text[at:]))
    after = parse(whole.encode(), "")
    if after.diagnostics or not _same(after.data, wanted):
        raise PatchError("the file would not have the intended values")
    return whole


def _meant(data: Any, change: Change) -> None:
    """Apply the change to plain data."""
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
        case Rename(_, key):
            rest = [(key if old == last else old, value) for old, value in data.items()]
            data.clear()
            data.update(rest)
        case Append(_, value):
            data[last].append(value)


def _same(one: Any, other: Any) -> bool:
    """Equal in type as well as value, except for the order of keys and days as text or number."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    for text, number in ((one, other), (other, one)):
        if isinstance(text, str) and isinstance(number, int | float) and is_day(text):
            return day_number(text) == number
    if isinstance(one, bool) or isinstance(other, bool) or isinstance(one, str | None):
        return type(one) is type(other) and bool(one == other)
    return bool(one == other)


# ------------------------------------------------------------------ the pieces


def _set(file: File, change: Set) -> tuple[int, int, str]:
    span = file.spans.get(change.steps)
    if span is None:
        return _insert(file, change)
    flow = file.in_flow(change.steps)
    old = file.text[span.start : span.end]
    if span.shape == "scalar" and not isinstance(change.value, Mapping | list):
        column = span.start - file.line_start(span.start)
        indent = file.indent_of(span.key)
        return span.start, span.end, spelled(change.value, flow, old, span.style, column, indent)
    if span.shape == "block":
        raise PatchError("a value of several lines is not a single value")
    return span.start, span.end, flowed(change.value)


def _insert(file: File, change: Set) -> tuple[int, int, str]:
    """Insert a new key into an existing mapping."""
    above, key = change.steps[:-1], change.steps[-1]
    span, siblings = file.spans.get(above), file.at(above)
    if span is None or not isinstance(siblings, Mapping):
        raise PatchError(f"there is no mapping to put '{key}' into")
    name = key_text(str(key))
    beside = change.after if change.after in siblings else next(reversed(siblings), None)
    if span.shape == "flow":
        if beside is None:
            return span.start + 1, span.start + 1, f"{name}: {flowed(change.value)}"
        end = file.spans[*above, beside].end
        text = f", {name}: {flowed(change.value)}"
        if span.start < (line := file.line_start(end)):  # brackets over several lines
            indent = " " * (len(file.text[line:]) - len(file.text[line:].lstrip(" ")))
            text = f",{file.newline}{indent}{name}: {flowed(change.value)}"
        return end, end, text
    assert beside is not None
    model = file.spans[*above, beside]
    lines = lines_of(name, change.value, span.column, model.shape)
    at = file.line_end(model.end)
    return at, at, "".join(f"{file.newline}{line}" for line in lines)


def _drop(file: File, change: Drop, gone: Collection[Steps]) -> tuple[int, int, str]:
    above = change.steps[:-1]
    span, outer = file.spans[change.steps], file.spans[above]
    siblings = list(file.at(above))
    if len(siblings) == 1:
        raise PatchError(f"'{change.steps[-1]}' is the only entry there")
    if outer.shape == "block":
        start, end = file.line_start(span.key), file.line_end(span.end)
        first = file.text[start : span.key].strip()
        if first:
            raise PatchError("the first key of a list item cannot be removed")
        rest = file.text[end : end + 2]
        return start, end + (2 if rest == "\r\n" else 1 if rest[:1] == "\n" else 0), ""
    at = siblings.index(change.steps[-1])
    if any((*above, sibling) not in gone for sibling in siblings[at + 1 :]):
        return span.key, file.spans[*above, siblings[at + 1]].key, ""
    if at == 0:
        raise PatchError("nothing would remain there")
    return file.spans[*above, siblings[at - 1]].end, span.end, ""


def _swap(file: File, change: Swap) -> tuple[int, int, str]:
    span, flow = file.spans[change.steps], file.in_flow(change.steps)
    if span.shape == "block" and isinstance(change.value, Mapping | list):
        raise PatchError("a value of several lines is not a single value")
    key = key_text(change.key)
    if isinstance(change.value, Mapping | list):
        return span.key, span.end, f"{key}: {flowed(change.value)}"
    column = span.key - file.line_start(span.key)
    style = span.style if isinstance(change.value, str) else ""
    spelling = spelled(change.value, flow, "", style, column + len(key) + 2, column)
    return span.key, span.end, f"{key}: {spelling}"


def _rename(file: File, change: Rename) -> tuple[int, int, str]:
    start = file.spans[change.steps].key
    if change.key in file.at(change.steps[:-1]):
        raise PatchError(f"'{change.key}' is already there")
    return start, file.text.index(":", start), key_text(change.key)


def _append(file: File, change: Append) -> tuple[int, int, str]:
    span, items = file.spans[change.steps], file.at(change.steps)
    if not items:
        raise PatchError("the list is empty")
    last = file.spans[*change.steps, len(items) - 1]
    if span.shape == "flow":
        return last.end, last.end, f", {flowed(change.value)}"
    dash = file.text.rfind("-", 0, last.key)
    column = dash - file.line_start(dash)
    at = file.line_end(last.end)
    lines = [" " * column + f"- {flowed(change.value)}"]
    if last.shape == "block" and isinstance(change.value, Mapping):
        inner = [
            line for key, value in change.value.items() for line in lines_of(key, value, column + 2)
        ]
        lines = [" " * column + "- " + inner[0].lstrip(), *inner[1:]]
    return at, at, "".join(f"{file.newline}{line}" for line in lines)


_PIECES: dict[type, Any] = {Set: _set, Swap: _swap, Rename: _rename, Append: _append}
