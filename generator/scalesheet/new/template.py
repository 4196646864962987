"""A commented file of a kind, made from its schema: what each key means, and an example of it.

The schema is the only definition of the format, and so of what a new file contains. Figures come
from the schema's example; names of rows come from the book.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from textwrap import wrap
from typing import Any

from scalesheet.frozen import dataclass
from scalesheet.load import Steps, parse
from scalesheet.load.folder import FOLDERS, bases_of
from scalesheet.model import TO_BE_STATED
from scalesheet.new.blanks import BUILT, ENDS, Filled, blanks, fill
from scalesheet.save import content
from scalesheet.schemas import schema
from scalesheet.source.places import CLAIMS, title
from scalesheet.source.text import WIDTH, block, flow

#: Keys that name a row of another kind of file.
NAMES = {
    "accelerator": "hardware",
    "model": "models",
    "node": "nodes",
    "provider": "providers",
}
#: Those that name it by its title, which need not exist as a file.
_BY_TITLE = ("provider",)
#: Changes to the schema's example: nobody has read the sources of a new file yet.
_INSTEAD: Mapping[str, Mapping[str, Any]] = {"published": {"read": "not read"}}
#: Keys of an example that are written one item per line, since people edit them row by row.
_LONG = ("claims", "scalars", "tables", "phases", "rows", "prices", "examples")


class NothingToNameError(Exception):
    """Raised if the book has no row that the new file could name; the message says of which
    kind."""


#: Entries of sources.yaml by their keys.
Entries = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Given:
    """What the user states about a new file before it is written. A source is a key or a blank."""

    title: str | None = None
    source: str | None = None
    locator: str = "page or table"
    filled: Filled = field(default_factory=dict)
    entries: Entries = field(default_factory=dict)  # new entries of sources.yaml


def draft(kind: str, id: str, data: Path, given: Given) -> dict[str, Any]:
    """The data of a new file. Raises NothingToNameError, SettingError."""
    whole = schema(kind)
    example = {**whole["examples"][0], **_INSTEAD.get(kind, {})}
    example = _named(_dated(example, data), data, whole["required"])
    made: dict[str, Any] = _sourced(fill(kind, example, given.filled), given)
    if given.source and "source" in whole["properties"] and "'source'" not in repr(made):
        made["source"] = cited(given.source, given.locator)
    if kind == CLAIMS:
        titled = {"title": given.title or "Title of the document"}
        made["document"] |= {**titled, "source": given.source or TO_BE_STATED}
    elif given.title or ("title",) not in given.filled:
        made["title"] = given.title or title(id)
    return made


def left(kind: str, example: Mapping[str, Any], given: Given) -> list[str]:
    """The names of the parts, blanks and others, that still have the example's values."""
    result = [
        blank.name
        for blank in blanks(kind, example)
        if not any(blank.steps[: len(steps)] == steps for steps in given.filled)
    ]
    text = {steps[0] for steps in given.filled} | set(result)
    return result + [key for key in example if key in BUILT and key not in text]


def template(
    kind: str, example: Mapping[str, Any], blank: Sequence[str] | None, modeline: str
) -> str:
    """The text of a new file. `blank` names the parts with example values; None means all."""
    fields: Mapping[str, Any] = schema(kind)["properties"]
    parts = [modeline + "\n".join(_head(schema(kind)["description"], blank))]
    for key in [key for key in fields if key in example]:
        parts.append(_comment(fields[key]["description"]) + _entry(key, example[key]))
    rest = [key for key, field in fields.items() if key not in example and _offered(field)]
    if rest:
        parts.append("# The rest is optional: remove the '#' to use it.\n")
    parts += [_optional(key, fields[key]) for key in rest]
    return "\n".join(parts)


def page(example: Mapping[str, Any]) -> str:
    """The initial prose of a new plan's page, below title and summary: its tables."""
    return "".join(f"{{{{ table {name} }}}}\n" for name in example["tables"])


def cited(source: str | None, locator: str = "page or table") -> dict[str, str]:
    """A citation in a new file: of the given source, or a blank that is reported."""
    return {"key": TO_BE_STATED if source is None else source, "locator": locator}


# ------------------------------------------------------------------ the example


def _sourced(data: Any, given: Given, steps: Steps = ()) -> Any:
    """Put the new file's source wherever the example names one, unless it was filled in."""
    if isinstance(data, list):
        return [_sourced(each, given, (*steps, index)) for index, each in enumerate(data)]
    whole = given.filled.get(steps)
    if not isinstance(data, Mapping) or (isinstance(whole, Mapping) and set(whole) != ENDS):
        return data  # a mapping that was filled in names its own sources
    return {
        key: cited(given.source, given.locator)
        if key == "source" and (*steps, key) not in given.filled
        else _sourced(each, given, (*steps, key))
        for key, each in data.items()
    }


def _dated(example: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Date the example's prices with the book's own day."""
    edition = stated(folder / "book.yaml", "edition")
    if edition is None or "prices" not in example:
        return example
    return {**example, "prices": [{**price, "from": edition} for price in example["prices"]]}


def stated(file: Path, key: str) -> str | None:
    """A top-level value of a file; None if it has none."""
    data = parse(content(file) or b"", str(file)).data
    value = data.get(key) if isinstance(data, dict) else None
    return None if value is None else str(value)


def _named(data: Any, folder: Path, needed: list[str]) -> Any:
    """Use names of rows that the book has; without any, leave out optional keys."""
    made: dict[str, Any] = {}
    for key, value in data.items():
        if key in NAMES and isinstance(value, str) and NAMES[key] in FOLDERS:
            first = next(iter(_files(folder, NAMES[key])), None)
            if first is not None:
                titled = stated(first, "title") if key in _BY_TITLE else None
                made[key] = titled or first.stem
            elif key in _BY_TITLE:
                made[key] = value
            elif key in needed:
                raise NothingToNameError(key)
        elif key == "defaults":
            made[key] = _named(value, folder, [])
        else:
            made[key] = value
    return made


def _files(data: Path, below: str) -> list[Path]:
    """The files of a folder of the book, then of the books that it extends."""
    books = (data, *bases_of(data))
    return [path for book in books for path in sorted((book / below).glob("*.yaml"))]


# ------------------------------------------------------------------ the text


def _head(description: str, blank: Sequence[str] | None) -> Iterator[str]:
    place, _, what = description.partition(": ")
    yield from wrap(f"# {place}: {what}", WIDTH, subsequent_indent="# ")
    if blank is None:
        yield "# Every figure is from an example: replace it with yours, and name its source."
    elif blank:
        text = f"# Still example values, replace with yours: {', '.join(blank)}."
        yield from wrap(text, WIDTH, subsequent_indent="# ")
    yield ""


def _comment(text: str) -> str:
    lines = wrap(text, WIDTH - 2)
    return "".join(f"# {line}\n" for line in lines)


def _entry(key: str, value: Any) -> str:
    if key in _LONG and isinstance(value, Mapping | list) and value:
        return f"{key}:\n" + block(value, 2)
    return block({key: value})


def _offered(field: Any) -> bool:
    return isinstance(field, Mapping) and "description" in field and bool(field.get("examples"))


def _optional(key: str, field: Mapping[str, Any]) -> str:
    absent = str(field.get("x-default", "")).replace(": ", ", ", 1)
    text = field["description"] + (f" If omitted: {absent}." if absent else "")
    line = f"{key}: {flow(field['examples'][0])}"
    return _comment(text) + f"#{line}\n"
