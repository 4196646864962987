"""Makes a new `data/models/` file from a model's `config.json`, and counts its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scalesheet.diagnostics import Refused
from scalesheet.evaluate import evaluate_catalogue
from scalesheet.frozen import dataclass
from scalesheet.new.config import read
from scalesheet.new.families import ReadConfig, architecture
from scalesheet.new.sound import compiled
from scalesheet.new.template import cited
from scalesheet.schemas import schema
from scalesheet.source.places import title
from scalesheet.source.text import flow

#: Values that a file may leave out because they are the defaults.
_SILENT: Mapping[str, Any] = {
    "qkv_bias": "no",
    "output_bias": "no",
    "ffn_bias": "no",
    "head_bias": "no",
    "norm": "rmsnorm",
    "block_norms": 2,
    "qk_norm": "none",
    "embedding_norm": "no",
    "positions": 0,
    "max_sequence": None,
}
_SILENT_PARTS: Mapping[str, Any] = {
    "shared": 0,
    "dense_layers": 0,
    "router_bias": "no",
    "shared_gate": "no",
    "query_rank": 0,
}


@dataclass(frozen=True)
class NewModel:
    """A new model file, and what to report about it."""

    text: str
    parameters: int | None  # None if the book cannot count them
    active: int | None
    unused: tuple[str, ...]
    remarks: tuple[str, ...]


def from_config(
    data: Path, id: str, file: Path, source: str | None, called: str | None
) -> NewModel:
    """The file of a model described by a `config.json`.

    Raises Refused with all its errors.
    """
    config = read(file)
    message = architecture(config)
    if message is None or config.found:
        raise Refused(config.found)
    unused = tuple(config.unused())
    text = "".join(lines(message, unused, source, called or title(id)))
    parameters, active = _counted(data, id, text)
    return NewModel(text, parameters, active, unused, message.remarks)


def text_of(file: Path, called: str) -> str:
    """The text of such a file without a source.

    Raises Refused with all errors of the `config.json`.
    """
    config = read(file)
    message = architecture(config)
    if message is None or config.found:
        raise Refused(config.found)
    return "".join(lines(message, (), None, called))


def lines(
    config: ReadConfig, unused: tuple[str, ...], source: str | None, called: str
) -> Iterator[str]:
    """Yield the lines of the file."""
    yield f"# From a config.json of the type {config.model_type}, by 'scalesheet new model'.\n"
    for remark in config.remarks:
        yield f"# It is {remark}.\n"
    if unused:
        yield f"# Not used: {', '.join(unused)}.\n"
    yield f"title: {flow(called)}\n"
    yield "#family: the family it belongs to\n#developer: who made it\n"
    yield f"source: {flow({**cited(source), 'locator': 'config.json'})}\n"
    made = {k: v for k, v in config.architecture.items() if _SILENT.get(k, "said") != v}
    for key in [key for key in schema("model")["properties"] if key in made]:
        value = made[key]
        if isinstance(value, Mapping):
            value = {k: v for k, v in value.items() if _SILENT_PARTS.get(k, "said") != v}
        yield f"{key}: {value if isinstance(value, int) else flow(value)}\n"
    yield "# The count that the developer states, which 'check' compares with the architecture:\n"
    yield "#published_parameters: {value: 0, unit: parameter, kind: published, source: a-source}\n"


def _counted(data: Path, id: str, text: str) -> tuple[int | None, int | None]:
    """Total and active parameters, by the formulas of the book.

    Both None if the book lacks the formulas or has errors. Raises Refused if the new file has
    errors.
    """
    book = compiled(data, "model", {id: text})
    if book is None:
        return None, None
    cells = evaluate_catalogue(book).tables["models"]
    row = book.tables["models"].rows.index(id)

    def count(column: str) -> int | None:
        value = cells[column][row].value if column in cells else None
        return round(value) if isinstance(value, float) else None

    return count("parameters"), count("active_parameters")
