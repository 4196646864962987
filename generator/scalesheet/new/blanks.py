"""The blanks of a new file: example figures and words that the user replaces.

A blank is filled by a flag, `memory=80` or `prices[0].price=2..3`, or by an answer to a question
(`ask.py`). Parts with several lines (tables, rows, inputs) are not blanks: edit them in place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from scalesheet.frozen import dataclass
from scalesheet.load import Steps, parse, plain
from scalesheet.nearest import nearest
from scalesheet.schemas import named, schema
from scalesheet.source.places import ENTRIES

#: Values filled in, by their place in the file.
Filled = Mapping[Steps, Any]

#: Keys whose values have several lines.
BUILT = (
    "claims",
    "scalars",
    "tables",
    "phases",
    "columns",
    "usual",
    "rows",
    "defaults",
    "inputs",
    "formula",
    "examples",
    "quantities",
    "uses",
    "conditions",
    "parts",
    "choose",
    "outputs",
    "evidence",
)
#: The same, and keys that qualify a figure beside them or are asked for separately.
_NO_BLANK = ("title", "source", "unit", "kind", *BUILT)
#: Keys whose values are entered as a whole, on one line.
_WHOLE: Mapping[str, tuple[str, ...]] = {
    "formula": ("inputs", "unit", "formula"),
    "component": ("inputs", "quantities", "outputs"),
}
#: Example values that only make sense with the rest of the example, so that they are dropped once
#: one of those keys is filled in.
_RESTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "formula": {"examples": ("inputs", "formula", "unit")},
    "component": {"examples": ("inputs", "quantities", "outputs")},
    "model": {
        "published_parameters": (
            "layers",
            "hidden",
            "heads",
            "kv_heads",
            "head_dim",
            "ffn",
            "vocab",
            "tied",
            "gated",
            "qkv_bias",
        )
    },
}

#: The keys of a range without an expected value.
ENDS = {"low", "high"}
_KEY = re.compile(r"[a-z][a-z0-9_-]*(?:\.[a-z0-9][a-z0-9_-]*|\[[0-9]+\])*")
_RANGE = re.compile(r"\s*([-+]?[0-9][^.\s]*(?:\.[0-9][^.\s]*)?)\s*\.\.\s*([-+]?[0-9]\S*)\s*")


class SettingError(ValueError):
    """Raised for a setting that cannot be read or whose key does not exist; the message says
    which."""


@dataclass(frozen=True)
class Blank:
    """One thing to fill in: its place, meaning, unit if it has one, and example."""

    steps: Steps
    says: str
    unit: str
    choices: tuple[str, ...]
    example: Any

    @property
    def name(self) -> str:
        return named(self.steps)


# ------------------------------------------------------------------ listing them


def blanks(kind: str, example: Mapping[str, Any]) -> list[Blank]:
    """The blanks of a file made from the example, in the order of its keys."""
    result: list[Blank] = []
    for key, field in schema(kind)["properties"].items():
        if key not in example:
            continue
        if key in _WHOLE.get(kind, ()):
            result.append(Blank((key,), field["description"], "", (), example[key]))
        elif key not in _NO_BLANK:
            result += _below(field, (key,), example[key], "")
    return result


def _below(field: Mapping[str, Any], steps: Steps, value: Any, unit: str) -> Iterator[Blank]:
    says = str(field.get("description", ""))
    if isinstance(value, Mapping) and "unit" in value and "value" in value:
        yield Blank(steps, says, value["unit"], (), value["value"])
    elif isinstance(value, Mapping):
        fields = field.get("properties", {})
        for key in [key for key in value if key not in _NO_BLANK]:
            beside = str(value.get("unit", "")) if _is_number(value[key]) else ""
            yield from _below(fields.get(key, {}), (*steps, key), value[key], beside)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _below(field.get("items", {}), (*steps, index), each, "")
    else:
        yield Blank(steps, says, unit, tuple(map(str, field.get("enum", ()))), value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# ------------------------------------------------------------------ filling them


def setting(kind: str, text: str) -> tuple[Steps, Any]:
    """Parse `KEY=VALUE` into place and value. Raises SettingError."""
    key, sign, value = (part.strip() for part in text.partition("="))
    if not sign or not value:
        raise SettingError("write KEY=VALUE")
    if not _KEY.fullmatch(key):
        raise SettingError(f"'{key}' is not a key; write one like memory, or prices[0].price")
    steps: Steps = tuple(
        int(step[1:-1])
        if step.startswith("[")
        else int(step)
        if step.isascii() and step.isdigit()
        else step
        for step in re.findall(r"\[[0-9]+\]|[^.\[\]]+", key)
    )
    fields = fields_of(kind)
    if steps[0] not in fields:
        raise SettingError(
            f"a {kind} has no key '{steps[0]}'{nearest(str(steps[0]), fields, 'its keys')}"
        )
    return steps, read(value)


def read(text: str) -> Any:
    """Parse a value as people write it: a number, LOW..HIGH, words, or YAML in brackets.

    Raises SettingError.
    """
    ends = _RANGE.fullmatch(text)
    try:
        if ends is not None:
            low, high = plain(ends[1]), plain(ends[2])
            if _is_number(low) and _is_number(high):
                return {"low": low, "high": high}
        if not text.startswith(("{", "[", '"', "'")):
            return plain(text)
    except ValueError as error:
        raise SettingError(f"{text} {error}") from None
    parsed = parse(text.encode(), "")
    if parsed.diagnostics:
        raise SettingError(parsed.diagnostics[0].message)
    return parsed.data


def fields_of(kind: str) -> Mapping[str, Any]:
    """The keys of a file of that kind, or of an entry if the file has entries."""
    fields: Mapping[str, Any] = schema(kind)["properties"]
    if kind in ENTRIES.values():
        entry: Mapping[str, Any] = fields[kind]["additionalProperties"]["properties"]
        return entry
    return fields


def fill(kind: str, example: Mapping[str, Any], filled: Filled) -> dict[str, Any]:
    """Fill values into the example. Unit, kind and source of a figure stay beside it."""
    made: dict[str, Any] = deepcopy(dict(example))
    fields = schema(kind)["properties"]
    for steps, value in filled.items():
        first = steps[0]
        if first not in made:
            examples = fields[first].get("examples") or [None]
            made[str(first)] = deepcopy(examples[0])
        _put(made, steps, value)
    for key, beside in _RESTS.get(kind, {}).items():
        touched = {steps[0] for steps in filled}
        if key not in touched and touched & set(beside):
            made.pop(key, None)
    return made


def _put(whole: Any, steps: Steps, value: Any) -> None:
    """Put a value into its place. Raises SettingError if there is no such place."""
    *way, last = steps
    for step in way:
        if isinstance(whole, dict) and isinstance(step, str):
            whole = whole.setdefault(step, {})
        elif isinstance(whole, list) and isinstance(step, int) and step < len(whole):
            whole = whole[step]
        else:
            raise SettingError(f"the example has no {named(steps)}")
    if isinstance(whole, dict) and isinstance(last, str):
        _no_words(steps, whole, whole.get(last), value)
        whole[last] = _beside(whole.get(last), value)
    elif isinstance(whole, list) and isinstance(last, int) and last < len(whole):
        whole[last] = _beside(whole[last], value)
    else:
        raise SettingError(f"the example has no {named(steps)}")


def _no_words(steps: Steps, around: Mapping[str, Any], before: Any, value: Any) -> None:
    """Raise SettingError for words in place of a figure with a unit."""
    if not isinstance(value, str):
        return
    figure = before if isinstance(before, Mapping) else {**around, "value": before}
    if "unit" in figure and _is_number(figure.get("value")):
        text = f"a figure in {figure['unit']} without its unit, as {figure['value']}"
        raise SettingError(f"{named(steps)}: expected {text}, found '{value}'")


def _beside(before: Any, value: Any) -> Any:
    """The value, within the figure that was there, if it was one."""
    ends = isinstance(value, Mapping) and set(value) == ENDS
    figure = isinstance(before, Mapping) and "unit" in before
    if figure and (ends or _is_number(value)):
        rest = {k: v for k, v in before.items() if k not in ("value", "low", "high", "reason")}
        return {**(value if ends else {"value": value}), **rest}
    return value
