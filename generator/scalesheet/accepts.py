"""Whether a schema accepts a value: the answer only, many times faster than a list of errors.

Most documents are valid. Whatever a schema may say that is not known here, and whatever value it is
hard to be sure about, raises Unsure; then jsonschema decides, as it does for all errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Test = Callable[[Any], bool]


class Unsure(Exception):
    """Whether the value is accepted is not known."""


#: Keywords that accept everything.
_SILENT = {"title", "description", "examples", "$schema", "$id", "$defs"}
#: Keywords that are read with another one.
_BESIDE = {"then", "else"}


def acceptance(
    schema: Any, formats: Mapping[str, Test], made: dict[int, Test] | None = None
) -> Test:
    """The test of a schema without references. `formats` are tests of `format`; `made` are the
    tests that exist already, by the id() of their schema, which must stay alive.
    """
    made = {} if made is None else made
    if id(schema) not in made:
        made[id(schema)] = _all(list(_tests(schema, formats, made)))
    return made[id(schema)]


def _all(tests: list[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        one, other = tests
        return lambda value: one(value) and other(value)

    def test(value: Any) -> bool:
        for each in tests:  # noqa: SIM110  # a generator takes twice as long
            if not each(value):
                return False
        return True

    return test


def _tests(schema: Any, formats: Mapping[str, Test], made: dict[int, Test]) -> Any:
    """Yield the tests of the keywords of a schema."""
    if isinstance(schema, bool):
        yield lambda value: schema
        return

    def below(part: Any) -> Test:
        return acceptance(part, formats, made)

    for keyword, wanted in schema.items():
        if keyword in _KEYWORDS:
            yield _KEYWORDS[keyword](wanted, schema, below)
        elif keyword == "format" and wanted in formats:
            yield formats[wanted]
        elif keyword not in _SILENT and keyword not in _BESIDE and not keyword.startswith("x-"):
            raise Unsure(keyword)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole(value: Any) -> bool:
    return _number(value) and (isinstance(value, int) or value.is_integer())


_TYPES: dict[str, Test] = {
    "number": _number,
    "integer": _whole,
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "null": lambda value: value is None,
}

Below = Callable[[Any], Test]


def _type(wanted: Any, schema: Any, below: Below) -> Test:
    if isinstance(wanted, str):
        return _TYPES[wanted]
    tests = [_TYPES[name] for name in wanted]
    return lambda value: any(test(value) for test in tests)


def _enum(wanted: Any, schema: Any, below: Below) -> Test:
    texts = {each for each in wanted if isinstance(each, str)}
    numbers = [each for each in wanted if _number(each)]
    simple = not any(isinstance(each, list | dict) for each in wanted)

    def test(value: Any) -> bool:
        if isinstance(value, str):
            return value in texts
        if value is None or isinstance(value, bool):
            return any(each is value for each in wanted)
        if _number(value):
            return value in numbers
        if simple:
            return False
        raise Unsure

    return test


def _unique(wanted: Any, schema: Any, below: Below) -> Test:
    def test(value: Any) -> bool:
        if not wanted or not isinstance(value, list) or len(value) < 2:
            return True
        if not all(isinstance(each, str) or _number(each) for each in value):
            raise Unsure
        return len(set(value)) == len(value)

    return test


def _properties(wanted: Any, schema: Any, below: Below) -> Test:
    tests = {name: below(part) for name, part in wanted.items()}

    def test(value: Any) -> bool:
        if isinstance(value, dict):
            for name, each in value.items():
                own = tests.get(name)
                if own is not None and not own(each):
                    return False
        return True

    return test


def _others(wanted: Any, schema: Any, below: Below) -> Test:
    named = schema.get("properties", {}).keys()
    if wanted is False:
        return lambda value: not isinstance(value, dict) or value.keys() <= named
    own = below(wanted)
    return lambda value: (
        not isinstance(value, dict)
        or all(own(each) for name, each in value.items() if name not in named)
    )


def _names(wanted: Any, schema: Any, below: Below) -> Test:
    own = below(wanted)
    return lambda value: not isinstance(value, dict) or all(map(own, value))


def _items(wanted: Any, schema: Any, below: Below) -> Test:
    own = below(wanted)
    return lambda value: not isinstance(value, list) or all(map(own, value))


def _required(wanted: Any, schema: Any, below: Below) -> Test:
    names = set(wanted)
    return lambda value: not isinstance(value, dict) or value.keys() >= names


def _dependent(wanted: Any, schema: Any, below: Below) -> Test:
    return lambda value: (
        not isinstance(value, dict)
        or all(name in value for key, names in wanted.items() if key in value for name in names)
    )


def _if(wanted: Any, schema: Any, below: Below) -> Test:
    test, then, other = (below(part) for part in (wanted, *map(schema.get, _BRANCHES, (True,) * 2)))
    return lambda value: then(value) if test(value) else other(value)


_BRANCHES = ("then", "else")


def _not(wanted: Any, schema: Any, below: Below) -> Test:
    own = below(wanted)
    return lambda value: not own(value)


def _any_of(wanted: Any, schema: Any, below: Below) -> Test:
    tests = [below(part) for part in wanted]
    return lambda value: any(test(value) for test in tests)


def _all_of(wanted: Any, schema: Any, below: Below) -> Test:
    return _all([below(part) for part in wanted])


def _pattern(wanted: Any, schema: Any, below: Below) -> Test:
    match = re.compile(wanted).fullmatch
    return lambda value: not isinstance(value, str) or match(value) is not None


def _bound(kind: Any, within: Callable[[Any, Any], bool]) -> Any:
    """A keyword that limits a number, or a length."""

    def keyword(wanted: Any, schema: Any, below: Below) -> Test:
        if kind is float:
            return lambda value: not _number(value) or within(value, wanted)
        return lambda value: not isinstance(value, kind) or within(len(value), wanted)

    return keyword


def _least(value: Any, end: Any) -> bool:
    return bool(value >= end)


def _most(value: Any, end: Any) -> bool:
    return bool(value <= end)


_KEYWORDS: dict[str, Callable[[Any, Any, Below], Test]] = {
    "type": _type,
    "enum": _enum,
    "const": lambda wanted, schema, below: _enum([wanted], schema, below),
    "uniqueItems": _unique,
    "properties": _properties,
    "additionalProperties": _others,
    "propertyNames": _names,
    "items": _items,
    "required": _required,
    "dependentRequired": _dependent,
    "if": _if,
    "not": _not,
    "anyOf": _any_of,
    "allOf": _all_of,
    "pattern": _pattern,
    "minimum": _bound(float, _least),
    "maximum": _bound(float, _most),
    "exclusiveMinimum": _bound(float, lambda value, end: value > end),
    "minLength": _bound(str, _least),
    "maxLength": _bound(str, _most),
    "minItems": _bound(list, _least),
    "maxItems": _bound(list, _most),
    "minProperties": _bound(dict, _least),
    "maxProperties": _bound(dict, _most),
}
