"""The fields of the data format, read from the JSON Schemas: type, guidance, default, examples.

A schema's `properties` are its fields, at any depth. What a field's schema leaves out comes from
the definition it refers to; a good example may also be in that of the enclosing mapping.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from scalesheet.diagnostics import Diagnostic
from scalesheet.frozen import dataclass
from scalesheet.load import Document
from scalesheet.schemas import KINDS, Schema, expanded, explained, validator, written
from scalesheet.source.text import flow

#: The schemas that have a page: the kinds of file, then the shared definitions.
PAGES = (*KINDS, "common")

Needed = Literal["required", "optional", "conditional"]

_WORDS = {
    "number": "number",
    "integer": "whole number",
    "string": "text",
    "boolean": "yes or no",
    "object": "mapping",
    "null": "nothing",
}


@dataclass(frozen=True)
class Link:
    """A definition that a field's type names: its page and name."""

    page: str
    name: str
    title: str


@dataclass(frozen=True)
class Code:
    """A literal word."""

    text: str


#: A type in words, with links to definitions.
Words = tuple[str | Code | Link, ...]


@dataclass(frozen=True)
class Bad:
    """A bad example and its diagnostics."""

    value: Any
    says: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class Field:
    """One key of a mapping."""

    name: str
    type: Words
    guidance: str
    needed: Needed
    default: str
    good: tuple[Any, ...]
    bad: tuple[Bad, ...]
    schema: Schema  # with references resolved


@dataclass(frozen=True)
class Section:
    """A file, or a part of one with a definition of its own."""

    name: str  # empty for the file
    title: str
    guidance: str
    type: Words
    fields: tuple[Field, ...]
    rules: tuple[str, ...]
    good: tuple[Any, ...]
    bad: tuple[Bad, ...]


def sections(page: str) -> list[Section]:
    """The file, if the schema describes one, then its definitions."""
    whole = written(page)
    schemas = {"": whole} if "properties" in whole else {}
    schemas |= whole.get("$defs", {})
    listed = [_section(page, name, part) for name, part in schemas.items()]
    return [each for each in listed if each.good or each.fields]


def _section(page: str, name: str, part: Schema) -> Section:
    full = expanded(part, page)
    # A part is checked as a value under its title, so that diagnostics do not say `the file`.
    key = part["title"] if name else None
    return Section(
        name,
        part["title"],
        part["description"],
        _type(part, page),
        tuple(_fields(page, part)),
        tuple(_rules(page, part)),
        tuple(full.get("examples", ())),
        tuple(_bad(full, each, key) for each in full.get("x-bad", ())),
    )


# ------------------------------------------------------------------ fields


def _fields(
    page: str, part: Schema, before: str = "", around: tuple[Any, ...] = ()
) -> Iterator[Field]:
    """Yield the fields of a mapping; those of a nested mapping without a definition as
    `show.down`."""
    around = (*around, *part.get("examples", ()))
    for owner in _owners(part):
        for name, own in owner.get("properties", {}).items():
            if own is True or "description" not in own:
                continue  # it only narrows a field, or declares it so that a rule can refuse it
            good = [each[name] for each in around if isinstance(each, Mapping) and name in each]
            yield _field(
                page, f"{before}{name}", own, _needed(page, part, owner, name), tuple(good)
            )
            yield from _fields(page, own, f"{before}{name}.", tuple(good))


def _field(page: str, name: str, own: Schema, needed: Needed, around: tuple[Any, ...]) -> Field:
    full = expanded(own, page)
    # The field's own examples, else those of the enclosing mapping, else two of its type's.
    good = own.get("examples") or around or full.get("examples", ())[:2]
    bad = own.get("x-bad") or full.get("x-bad", ())[:1]
    return Field(
        name,
        _type(own, page),
        own["description"],
        needed,
        str(own.get("x-default", "")),
        _distinct(good),
        tuple(_bad(full, each, name.rpartition(".")[2]) for each in bad),
        full,
    )


def _distinct(values: Any) -> tuple[Any, ...]:
    result: list[Any] = []
    for each in values:
        if each not in result:
            result.append(each)
    return tuple(result)


def _owners(part: Schema) -> Iterator[Schema]:
    """Yield the part and its branches, which may also list fields."""
    yield part
    for key in ("then", "else"):
        if isinstance(part.get(key), dict):
            yield from _owners(part[key])
    for branch in part.get("allOf", ()):
        yield from _owners(branch)


def _needed(page: str, part: Schema, owner: Schema, name: str) -> Needed:
    always = [owner, part, *part.get("allOf", ())]
    if any(name in each.get("required", ()) for each in always):
        return "required"
    branches = [branch for branch in _branches(page, part) if name in branch.get("required", ())]
    return "conditional" if branches else "optional"


# ------------------------------------------------------------------ rules


def _branches(page: str, part: Schema) -> Iterator[Schema]:
    """Yield every conditional rule, with definitions that have no fields written out."""
    for key in ("then", "else"):
        if isinstance(part.get(key), dict):
            branch = _followed(page, part[key])
            if branch is not None:
                yield branch
                yield from _branches(page, branch)
    for each in part.get("allOf", ()):
        branch = _followed(page, each)
        if branch is not None:
            yield branch
            yield from _branches(page, branch)


def _followed(page: str, branch: Schema) -> Schema | None:
    """Return the branch, or the rule it refers to; None if that is a type."""
    if "$ref" not in branch:
        return branch
    full: Schema = expanded(branch, page)
    return None if full.get("examples") else full


def _rules(page: str, part: Schema) -> Iterator[str]:
    """Yield the requirements that go beyond single fields, in words."""
    seen: set[str] = set()
    for branch in (part, *_branches(page, part)):
        rules = {"required", "not"} & set(branch) and (branch is not part or "not" in branch)
        words = branch.get("x-expected", "")
        if rules and words and words not in seen:
            seen.add(words)
            yield words


# ------------------------------------------------------------------ types and examples


def _type(part: Schema, page: str) -> Words:
    if "$ref" in part:
        return (_link(part["$ref"], page),)
    if "enum" in part:
        return ("one of ", *_between(", ", [(Code(flow(each)),) for each in part["enum"]]))
    types = [part["type"]] if isinstance(part.get("type"), str) else part.get("type", [])
    mapping = next(
        (e for e in _owners(part) if isinstance(e.get("additionalProperties"), dict)), {}
    )
    if mapping and types == ["object"]:
        keys = mapping.get("propertyNames", {})
        named: Words = _type(keys, page) if "$ref" in keys else ("name",)
        return ("mapping of ", *named, " to ", *_type(mapping["additionalProperties"], page))
    forms: list[Words] = [(form,) for form in _forms(part, page)]
    spelled = {"string", "integer", "object"} if forms else set()
    words: list[Words] = [
        ("list of ", *_type(part["items"], page)) if each == "array" else (_WORDS[each],)
        for each in types
        if each not in spelled
    ]
    if forms and any("properties" in each for each in _owners(part)):
        forms.append(("mapping",))
    return tuple(_between(" or ", words + forms))


def _between(joint: str, parts: list[Words]) -> Iterator[str | Code | Link]:
    for n, part in enumerate(parts):
        yield from (joint, *part) if n else part


def _forms(part: Schema, page: str) -> Iterator[Link]:
    """Yield the definitions that a value may match, from its branches."""
    branches = [part[key] for key in ("then", "else") if isinstance(part.get(key), dict)]
    for branch in (*branches, *part.get("allOf", ())):
        if "$ref" not in branch:
            yield from _forms(branch, page)
        elif _followed(page, branch) is None:
            yield _link(branch["$ref"], page)


def _link(reference: str, page: str) -> Link:
    file, _, name = reference.partition("#/$defs/")
    home = file.removesuffix(".schema.json") or page
    return Link(home, name, written(home)["$defs"][name]["title"])


def _bad(schema: Schema, example: Mapping[str, Any], key: str | None) -> Bad:
    """A bad example with its diagnostics under a key; the expected one comes first."""
    value = example["value"]
    whole = value if key is None else {key: value}
    judge = validator(schema if key is None else {"properties": {key: schema}})
    problems = explained(judge.iter_errors(whole), Document("example", "example", "", whole))
    first = [d for d in problems if d.code == example["code"] and example["says"] in d.message]
    return Bad(value, (*first, *(d for d in problems if d not in first)))
