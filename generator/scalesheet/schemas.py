"""The schemas: read once, made fast, with errors in our own words.

`schema/*.schema.json` is the only definition of the format. References between the schemas are
expanded when they are read (none is recursive), since following them makes validation slow.
Keywords of our own: `x-expected` says in words what a value must be; `x-code` is the code of the
diagnostic, for all keywords of its schema or by keyword; `x-domain` is the default domain of a
stated value; `x-also` has keys that another branch allows, as suggestions for a wrong key, and
`x-meant` what to write for keys or words that people try; `x-bad` has bad examples.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from difflib import get_close_matches
from functools import cache, reduce
from importlib import resources
from itertools import islice
from operator import getitem
from typing import TYPE_CHECKING, Any

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.foreign import moment
from scalesheet.frozen import dataclass
from scalesheet.hints import date_hint, quantity_hint, spelled, text_hint
from scalesheet.load import MAX_FINDINGS, Document, Steps, quotable
from scalesheet.nearest import nearest

if TYPE_CHECKING:
    from jsonschema import ValidationError

Schema = dict[str, Any]
Test = Callable[[Any], bool]

KINDS = (
    "book",
    "units",
    "sources",
    "hardware",
    "node",
    "provider",
    "rate",
    "model",
    "measurement",
    "table",
    "formula",
    "component",
    "plan",
    "subpage",
    "claims",
    "actuals",
    "version",
    "published",
    "fit",
    "score",
)

#: Keywords that contain data rather than schemas.
_DATA = ("examples", "x-also", "x-bad", "x-meant", "x-code", "enum", "const", "dependentRequired")

# ------------------------------------------------------------------ the schemas


@cache
def written(name: str) -> Schema:
    """A schema as in its file; `name` is a kind, or `common`."""
    file = resources.files("scalesheet") / "schema" / f"{name}.schema.json"
    schema: Schema = json.loads(file.read_text("utf-8"))
    return schema


@cache
def schema(kind: str) -> Schema:
    """The schema of a kind, with every reference expanded."""
    whole: Schema = expanded(written(kind), kind)
    return whole


def expanded(part: Any, home: str) -> Any:
    """A part of the schema `home` with references expanded. Keywords beside a reference stay."""
    if isinstance(part, list):
        return [expanded(item, home) for item in part]
    if not isinstance(part, dict):
        return part
    beside: Schema = {}
    for key, value in part.items():
        if key == "properties":
            beside[key] = {name: expanded(below, home) for name, below in value.items()}
        elif key in _DATA:
            beside[key] = value
        elif key not in ("$ref", "$defs"):
            beside[key] = expanded(value, home)
    return {**_target(part["$ref"], home), **beside} if "$ref" in part else beside


@cache
def _target(reference: str, home: str) -> Schema:
    file, _, pointer = reference.partition("#/$defs/")
    name = file.removesuffix(".schema.json") or home
    target: Schema = expanded(written(name)["$defs"][pointer], name)
    return target


# ------------------------------------------------------------------ validation


def is_date(value: object) -> bool:
    """Return whether a text is a calendar day, YYYY-MM-DD. Values other than text pass."""
    if not isinstance(value, str):
        return True
    if not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_partial_date(value: object) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return 1900 <= value <= 2100
    if isinstance(value, str) and re.fullmatch("[0-9]{4}(-[0-9]{2})?", value):
        return is_date((value + "-01-01")[:10])
    return is_date(value)


def _is_moment(value: object) -> bool:
    return not isinstance(value, str) or moment(value) is not None


FORMATS: Mapping[str, Test] = {
    "date": is_date,
    "partial-date": _is_partial_date,
    "moment": _is_moment,
}


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """Match patterns at both ends; Python's `$` alone would allow a final line break."""
    from jsonschema import ValidationError

    if isinstance(instance, str) and not re.fullmatch(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _additional(
    validator: Any, allowed: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    """Check further keys in the order of the document.

    The library's order depends on hashes, and only the first errors of a document are reported.
    """
    from jsonschema import ValidationError

    if not isinstance(instance, dict):
        return
    named = schema.get("properties", {})
    patterns = "|".join(schema.get("patternProperties", {}))
    others = [k for k in instance if k not in named and not (patterns and re.search(patterns, k))]
    if isinstance(allowed, dict):
        for key in others:
            yield from validator.descend(instance[key], allowed, path=key)
    elif not allowed and others:
        yield ValidationError(f"unknown keys: {', '.join(others)}")


@cache
def _library() -> tuple[Any, Any]:
    """The validator of jsonschema with our patterns and formats, loaded once something is wrong."""
    from jsonschema import Draft202012Validator, FormatChecker, validators

    extend: Any = validators.extend  # the library has no types
    made = extend(Draft202012Validator, {"pattern": _pattern, "additionalProperties": _additional})
    made.descend = _descend
    made.evolve = lambda _, schema, **__: _part(schema)
    formats: Any = FormatChecker(formats=())
    for name, test in FORMATS.items():
        formats.checks(name)(test)
    return made, formats


#: The validator of each part of a schema, by the id() of the part, which the validator keeps alive.
_PARTS: dict[int, Any] = {}


def validator(schema: Schema) -> Any:
    """A validator for a schema without references."""
    made, formats = _library()
    return made(schema, format_checker=formats)


def _part(schema: Any) -> Any:
    """The validator of a part, made only once: without references, its context is irrelevant.

    The library would make one for each value, which takes half of its time.
    """
    if id(schema) not in _PARTS:
        _PARTS[id(schema)] = validator(schema)
    return _PARTS[id(schema)]


def _descend(
    _: Any, instance: Any, schema: Any, path: Any = None, schema_path: Any = None, **_more: Any
) -> Iterator[ValidationError]:
    for error in _part(schema).iter_errors(instance):
        if path is not None:
            error.path.appendleft(path)
        if schema_path is not None:
            error.schema_path.appendleft(schema_path)
        yield error


@cache
def _validator_of(kind: str) -> Any:
    return validator(schema(kind))


@cache
def _registry() -> Any:
    """The schemas as in their files, which refer to each other."""
    from jsonschema_rs import Registry

    return Registry([(f"{name}.schema.json", written(name)) for name in (*KINDS, "common")])


@cache
def _test_of(kind: str) -> Test:
    """Whether a document is valid, many times faster than a list of errors. Most documents are."""
    from jsonschema_rs import Draft202012Validator

    made = Draft202012Validator(
        written(kind), registry=_registry(), formats=dict(FORMATS), validate_formats=True
    )
    test: Test = made.is_valid
    return test


def is_valid(document: Document) -> bool:
    """Whether a document is valid by the schema of its kind."""
    return _test_of(document.kind)(document.data)


def violations(document: Document) -> list[Diagnostic]:
    """The errors of a document by the schema of its kind."""
    if is_valid(document):
        return []
    return explained(_validator_of(document.kind).iter_errors(document.data), document)


def explained(errors: Iterable[ValidationError], document: Document) -> list[Diagnostic]:
    """The errors in our words, with their places; at most MAX_FINDINGS."""
    mistyped: set[Steps] = set()
    problems: dict[Diagnostic, _Failure] = {}
    for error in errors:
        failure = _failure(error)
        if failure.steps in document.broken or failure.steps in mistyped:
            continue
        if failure.keyword == "type":
            mistyped.add(failure.steps)
        problem = _EXPLAIN[failure.keyword](failure, document)
        problems.update(dict.fromkeys(islice(problem, MAX_FINDINGS), failure))
        if len(problems) >= MAX_FINDINGS:
            break
    unread = {steps[:-1] for steps in mistyped if steps and steps[-1] in _IN_PLACE_OF_ENDS}
    return [
        problem
        for problem, failure in problems.items()
        if problem.code != "U003" or failure.steps not in unread  # the value may state its unit
    ]


# ------------------------------------------------------------------ messages

_TYPES = {
    "number": "a number",
    "integer": "a whole number",
    "string": "text",
    "boolean": "true or false",
    "object": "a mapping (key: value)",
    "array": "a list",
}

#: The default code for errors of each keyword.
_CODES = {
    "additionalProperties": "S001",
    "required": "S002",
    "dependentRequired": "S002",
    "type": "S003",
    "pattern": "S005",
    "format": "S006",
}


def named(steps: Steps) -> str:
    """A place in a document in words: `prices[1].from`; `the file` for the whole."""
    text = ""
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f".{quotable(step)}"
    return text.removeprefix(".") or "the file"


def described(value: Any) -> str:
    """A value in words: `the number 12`, `the text 'abc'`, `a list`."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text '{quotable(value)}'"
    if isinstance(value, int | float):
        return f"the number {quotable(repr(value))}"
    return "a list" if isinstance(value, list) else "a mapping"


@dataclass(frozen=True)
class _Failure:
    """A schema keyword that a value fails; `of_key`: the value is a key of the mapping."""

    keyword: str
    wanted: Any
    schema: Mapping[str, Any]
    steps: Steps
    value: Any
    of_key: bool

    @property
    def code(self) -> str:
        own = self.schema.get("x-code")
        if isinstance(own, Mapping):
            own = own.get(self.keyword)
        return str(own or _CODES.get(self.keyword, "S004"))

    @property
    def expected(self) -> str:
        return str(self.schema.get("x-expected", ""))

    @property
    def properties(self) -> Mapping[str, Any]:
        properties: Mapping[str, Any] = self.schema.get("properties", {})
        return properties


def _failure(error: ValidationError) -> _Failure:
    schema: Any = error.schema
    of_key = "propertyNames" in error.absolute_schema_path
    steps = tuple(error.absolute_path)
    return _Failure(
        str(error.validator), error.validator_value, schema, steps, error.instance, of_key
    )


Explanation = Iterator[Diagnostic]


def _apart(key: str) -> tuple[str, str, str]:
    """The parts of a key that lacks its colon, or the space after it: `title A`, `value:3`."""
    sign = ":" if ":" in key else " "
    return key.partition(sign)


def _unknown_keys(failure: _Failure, document: Document) -> Explanation:
    allowed = [key for key, value in failure.properties.items() if value is not True]
    allowed += failure.schema.get("x-also", ())
    where = "" if not failure.steps else f" in {named(failure.steps)}"
    for key in failure.value:
        if key not in failure.properties:
            first, sign, rest = _apart(key)
            hint = (
                f"; write {first}: {quotable(rest)}" if sign == " " else "; write a space after ':'"
            )
            hint = hint if first in allowed else ""
            if meant := failure.schema.get("x-meant", {}).get(key):
                hint = f"; {meant}"
            hint = (
                hint
                or nearest(key, allowed, likeness=0.68)
                or f"; allowed here: {', '.join(allowed)}"
            )
            message = f"unknown key '{quotable(key)}'{where}{hint}"
            yield at(document.key_at(*failure.steps, key), failure.code, message)


def _missing_keys(failure: _Failure, document: Document) -> Explanation:
    """Report missing keys, except one that seems misspelled, which is reported as unknown."""
    needed = failure.wanted
    if isinstance(needed, Mapping):  # dependentRequired
        needed = [name for key, names in needed.items() if key in failure.value for name in names]
    unknown = [key for key in failure.value if key not in failure.properties]
    misspelt = [_apart(key)[0] for key in unknown]
    missing = [key for key in needed if key not in failure.value]
    if tuple(missing) == _ENDS:  # if both are missing, a value would do as well
        if any(get_close_matches(key, misspelt, n=1, cutoff=0.7) for key in _IN_PLACE_OF_ENDS):
            return
        message = f"{named(failure.steps)} has no value; write {failure.expected}"
        yield at(document.key_at(*failure.steps), failure.code, message)
        return
    others = failure.schema.get("x-also", ())
    for key in missing:
        if not any(get_close_matches(each, misspelt, n=1, cutoff=0.7) for each in (key, *others)):
            what = failure.expected and f"write {failure.expected}"
            if not what and key in failure.properties:
                what = f"add it ({failure.properties[key]['description'].rstrip('.')})"
            message = f"{named(failure.steps)} lacks the key '{key}'; {what or 'add it'}"
            yield at(document.key_at(*failure.steps), failure.code, message.rstrip("."))


#: Both ends, which are required without a value; and what a misspelled key may then mean.
_ENDS = ("low", "high")
_IN_PLACE_OF_ENDS = (*_ENDS, "value", "reason", "formula")


def _wrong_type(failure: _Failure, document: Document) -> Explanation:
    types = [failure.wanted] if isinstance(failure.wanted, str) else failure.wanted
    expected = failure.expected or " or ".join(_TYPES[name] for name in types)
    hint, value = "", failure.value
    if "string" in types and isinstance(value, int | float):
        hint = "; put it in quotes"
    elif "number" in types or "integer" in types:
        of_value, of_phase = failure.steps[-1:] == ("value",), failure.steps[:1] == ("phases",)
        beside = reduce(getitem, failure.steps[:-1], document.data)
        unit = beside.get("unit") if isinstance(beside, dict) else None
        if of_phase and ("scalars", str(value)) in document.keys:
            hint = f"; write {{formula: {value}}}"
        elif document.kind != "formula" and (
            unit == "date" or {"deadline", "not_before"} & {*failure.steps[-2:]}
        ):
            expected, hint = "a date such as 2026-03-31", date_hint(value)
        else:
            unit_is = "in unit:" if unit is not None or failure.steps[-1:] == ("price",) else ""
            unit_is = "that of the column" if document.kind == "actuals" else unit_is
            hint = text_hint(value, of_value, of_phase, unit_is)
    elif types == ["object"] and "{value: 8, unit: ...}" in expected:
        hint = quantity_hint(failure.value)
    message = f"{named(failure.steps)}: expected {expected}, found {described(failure.value)}{hint}"
    yield at(document.at(*failure.steps), failure.code, message)


def _not_allowed(failure: _Failure, document: Document) -> Explanation:
    code, value, hint = failure.code, failure.value, ""
    expected, found = failure.expected, described(failure.value)
    if failure.keyword in ("enum", "const"):
        choices = failure.wanted if failure.keyword == "enum" else [failure.wanted]
        expected = expected or "one of " + ", ".join(f"'{choice}'" for choice in choices)
        hint = nearest(value, map(str, choices)) if isinstance(value, str) else ""
        if isinstance(value, str) and (meant := failure.schema.get("x-meant", {}).get(value)):
            hint = f"; {meant}"
    elif failure.keyword == "maxLength":
        hint = f", which is longer than {failure.wanted} characters"
    elif failure.keyword == "uniqueItems":
        found = "one twice"
    elif failure.keyword in ("minItems", "minProperties"):
        found = described(value) if value else "none"
    elif failure.keyword == "format":
        hint = date_hint(value)
    elif failure.keyword == "not" and isinstance(value, Mapping):
        found = "both"
    if code == "S005" and (near := spelled(value, failure.wanted)):
        hint = f"; did you mean '{near}'?"
    if failure.of_key:
        position, where = document.key_at(*failure.steps, value), named((*failure.steps, value))
    else:
        position, where = document.at(*failure.steps), named(failure.steps)
        if code == "S005" and re.search(r"[/\\]|^\.\.", value):
            code, hint = "Y009", "; this is a path, and entities are named by their id"
    yield at(position, code, f"{where}: expected {expected}, found {found}{hint}")


_EXPLAIN: dict[str, Callable[[_Failure, Document], Explanation]] = {
    "additionalProperties": _unknown_keys,
    "required": _missing_keys,
    "dependentRequired": _missing_keys,
    "type": _wrong_type,
    **dict.fromkeys(
        (
            "enum",
            "const",
            "pattern",
            "format",
            "not",
            "uniqueItems",
            "minLength",
            "maxLength",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "minItems",
            "minProperties",
            "maxProperties",
        ),
        _not_allowed,
    ),
}
