"""The API's own schemas, as a program that has the index would use them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator, Registry, meta


def read(path: Path) -> Any:
    def refused(text: str) -> None:
        raise ValueError(f"{path}: {text} is not JSON")

    return json.loads(path.read_text("utf-8"), parse_constant=refused)


def entry(collection: Any, id_: str, key: str = "id") -> Any:
    """One entry of a collection."""
    return next(each for each in collection["entries"] if each[key] == id_)


def files(root: Path) -> Iterator[str]:
    """The paths of an API's JSON files, without its schemas."""
    for path in sorted(root.rglob("*.json")):
        name = path.relative_to(root).as_posix()
        if not name.startswith("schemas/"):
            yield name


def schema_of(name: str, shapes: dict[str, str]) -> str | None:
    """The path of a file's schema, from the list in the index."""
    fitting = [
        place
        for pattern, place in shapes.items()
        if fnmatchcase(name, pattern) and pattern.count("/") == name.count("/")
    ]
    assert len(fitting) <= 1, name
    return fitting[0] if fitting else None


class Shapes:
    """Validators for an API's files, built from the schemas that the API includes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.listed: dict[str, str] = read(root / "index.json")["shapes"]
        folder = root / "schemas" / "api"
        schemas = {path.name: read(path) for path in folder.glob("*.json")}
        for name, schema in schemas.items():
            meta.validate(schema)
            assert schema["$id"] == name
        registry = Registry(list(schemas.items()))
        self.validators = {
            name: Draft202012Validator(schema, registry=registry, validate_formats=True)
            for name, schema in schemas.items()
        }

    def faults(self, name: str, data: Any | None = None) -> list[str]:
        """The schema errors in a file, or in data that could be its content."""
        place = schema_of(name, self.listed)
        if place is None:
            return [f"{name}: no shape is listed"]
        data = read(self.root / name) if data is None else data
        errors = self.validators[Path(place).name].iter_errors(data)
        return [f"{name}: {error.instance_path}: {error.message[:200]}" for error in errors]
