"""The schemas define the format; their own good and bad examples prove it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from scalesheet import schemas
from scalesheet.check import check
from scalesheet.codes import CODES
from scalesheet.load import Document
from scalesheet.render.reference.fields import PAGES, Field, sections

NAMES = (*schemas.KINDS, "common")
#: Keys allowed beside a $ref: they describe, and validate nothing.
DESCRIBES = {
    *("$ref", "title", "description", "examples"),
    *("x-also", "x-bad", "x-default", "x-domain"),
}
WITH_SCHEMA = {"if", "then", "else", "not", "items", "additionalProperties", "propertyNames"}


def parts(schema: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every subschema of a schema as written, with its place."""
    if not isinstance(schema, dict):
        return
    yield place, schema
    for key, value in schema.items():
        if key in WITH_SCHEMA:
            yield from parts(value, f"{place}/{key}")
        elif key in ("properties", "$defs"):
            for name, part in value.items():
                yield from parts(part, f"{place}/{key}/{name}")
        elif key in ("allOf", "anyOf"):
            for index, part in enumerate(value):
                yield from parts(part, f"{place}/{key}/{index}")


PARTS = [part for name in NAMES for part in parts(schemas.written(name), name)]
#: Subschemas that can give an error, so not the conditions.
RULES = [(place, part) for place, part in PARTS if not {"if", "not"} & set(place.split("/"))]


def cases(name: str, keyword: str) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Place, schema and value of each example in a schema."""
    for place, part in PARTS:
        if place.split("/")[0] == name and part.get(keyword):
            schema = schemas.expanded(part, name)
            for index, case in enumerate(part[keyword]):
                yield f"{place} {index}", schema, case


def said(schema: dict[str, Any], value: Any) -> list[str]:
    document = Document("example", "example", "example.yaml", value)
    return [
        str(d) for d in schemas.explained(schemas.validator(schema).iter_errors(value), document)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_each_schema_is_a_valid_schema(name):
    Draft202012Validator.check_schema(schemas.written(name))


@pytest.mark.parametrize("name", NAMES)
def test_every_good_example_validates(name):
    found = {place: said(schema, each) for place, schema, each in cases(name, "examples")}
    assert found
    assert {place: messages for place, messages in found.items() if messages} == {}


@pytest.mark.parametrize("name", NAMES)
def test_every_bad_example_fails_with_its_message(name):
    found = [
        (place, bad, said(schema, bad["value"])) for place, schema, bad in cases(name, "x-bad")
    ]
    wrong = [
        (place, messages)
        for place, bad, messages in found
        if not any(f" {bad['code']} " in each and bad["says"] in each for each in messages)
    ]
    assert found
    assert wrong == []


@pytest.mark.parametrize("name", NAMES)
def test_no_mapping_allows_an_unknown_key(name):
    mappings = [each for each in cases(name, "examples") if isinstance(each[2], dict)]
    taken = [
        place
        for place, schema, example in mappings
        if not said(schema, {**example, "an unknown key": [None]})
    ]
    assert mappings
    assert taken == []


def test_every_list_of_keys_is_closed():
    assert [place for place, part in RULES if "properties" in part and not closed(part)] == []


def closed(part: dict[str, Any]) -> bool:
    """Whether a schema allows no unlisted keys; one that only narrows a key needs no rule."""
    narrows = set(part) == {"properties"}
    return narrows or "additionalProperties" in part


def test_every_field_and_definition_is_described():
    fields = [p for p in RULES if p[0].split("/")[-2:-1] in (["properties"], ["$defs"])]
    undescribed = [
        place
        for place, part in fields
        if not part.get("description", "").endswith(".") and "allOf" not in place
    ]
    assert undescribed == []


def fields(page: str) -> list[Field]:
    return [field for section in sections(page) for field in section.fields]


@pytest.mark.parametrize("page", PAGES)
def test_every_field_has_guidance_and_examples_good_and_bad(page):
    for field in fields(page):
        assert field.guidance.endswith((".", "...")), field.name
        assert field.type, field.name
        assert field.good, field.name
        assert [said(field.schema, each) for each in field.good] == [[] for _ in field.good]
        assert field.bad, field.name
        assert all(each.says for each in field.bad), field.name


def test_the_reference_has_every_field():
    """Every key in a schema is a field of the reference, unless it only narrows another."""
    shown = {field.name.rpartition(".")[2] for page in PAGES for field in fields(page)}
    listed = {
        name
        for _, part in RULES
        for name, below in part.get("properties", {}).items()
        if below is not True and "description" in below
    }
    assert listed == shown


def test_errors_never_come_from_a_choice_of_branches():
    """The intended branch must report its own error: anyOf only decides, oneOf is not used."""
    assert [place for place, part in RULES if {"anyOf", "oneOf"} & set(part)] == []


def test_patterns_are_anchored():
    patterns = [part["pattern"] for _, part in PARTS if "pattern" in part]
    assert [p for p in patterns if not (p.startswith("^") and p.endswith("$"))] == []


def test_only_descriptions_are_allowed_beside_a_reference():
    assert [place for place, part in PARTS if "$ref" in part and not set(part) <= DESCRIBES] == []


def test_the_codes_in_schemas_exist():
    for _, part in PARTS:
        code = part.get("x-code", ())
        named = [code] if isinstance(code, str) else [*dict(code).values()]
        assert set(named) | {bad["code"] for bad in part.get("x-bad", ())} <= set(CODES)


@pytest.mark.parametrize("kind", schemas.KINDS)
def test_schemas_without_references_mean_the_same(kind):
    """The published schemas, with their references resolved, validate like the ones in use."""
    registry = Registry().with_resources(
        (f"{name}.schema.json", Resource.from_contents(schemas.written(name))) for name in NAMES
    )
    published = Draft202012Validator(schemas.written(kind), registry=registry)
    ours = schemas.validator(schemas.schema(kind))
    assert "$ref" not in json.dumps(schemas.schema(kind))
    for example in schemas.written(kind)["examples"]:
        for name in (*example, "unknown"):
            changed = {**example, name: [None]}
            assert published.is_valid(example)
            assert not published.is_valid(changed)
            assert not ours.is_valid(changed)


@pytest.mark.parametrize("kind", schemas.KINDS)
def test_no_data_causes_an_exception(kind):
    for data in ([], "text", 5, None, True, {"title": []}, {"plans": {}}):
        assert check([Document(kind, "bad", "bad.yaml", data)]), data


def test_a_valid_document_is_validated_once_and_a_wrong_one_each_time(monkeypatch) -> None:
    """A refused value is None in the data and not reported again; an empty one is an error."""
    edition = {"title": "A book", "edition": "2026-11-20"}

    def found(data: Any, *broken: str) -> list[str]:
        refused = frozenset((key,) for key in broken)
        document = Document("book", "book", "book.yaml", data, broken=refused)
        return [each.code for each in schemas.violations(document)]

    assert found({**edition, "title": None}, "title") == []
    for _ in range(2):
        assert found({**edition, "title": None}) == ["S003"]
        assert found({**edition, "edition": "soon"}) == ["S006"]
    assert found(edition) == []
    monkeypatch.setattr(schemas, "_validator_of", {})
    assert found(dict(edition)) == []
