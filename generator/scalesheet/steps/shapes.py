"""Shapes: a model in numbers, from the catalogue or from a Hugging Face `config.json`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, Refused
from scalesheet.evaluate import evaluate_catalogue
from scalesheet.load.folder import shown
from scalesheet.new import config
from scalesheet.new.model import text_of
from scalesheet.new.sound import compiled
from scalesheet.steps.job import Shape
from scalesheet.values import Results

#: Columns for which `Shape` has fields of its own.
_WHOLE = ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab")
_FLAGS = ("tied", "gated")
_COUNTS = ("parameters", "active_parameters")
#: Columns that do not affect how a model is built.
_TOLD = ("family", "developer", "published_parameters", "published_active_parameters")
#: The temporary id of a model that is not in the catalogue.
_MEANWHILE = "of-a-config"


def shape_of(book: Book, id: str, results: Results | None = None) -> Shape:
    """A model of the catalogue. `results` are the catalogue's, if available.

    Raises KeyError if there is none, Refused if it lacks sizes or a count of parameters.
    """
    table = book.tables["models"]
    if id not in table.rows:
        raise KeyError(id)
    place = table.rows.index(id)
    columns = (results or evaluate_catalogue(book)).tables["models"]
    cells = {name: column[place].value for name, column in columns.items()}
    stated = {name: value for name, value in cells.items() if value is not None}
    lacking = [name for name in (*_WHOLE, *_FLAGS, *_COUNTS) if name not in stated]
    if lacking:
        path = f"{book.folder}models/{id}.yaml"
        message = (
            f"{id} lacks {', '.join(lacking)}, without which it can be neither built nor "
            "simulated; state it in the file"
        )
        raise Refused([Diagnostic(path, 1, 1, "B005", message)])
    more = {
        name: int(value) if isinstance(value, float) and value == int(value) else value
        for name, value in stated.items()
        if name not in (*_WHOLE, *_FLAGS, *_COUNTS, *_TOLD) and not name.endswith("_part")
    }
    sizes: dict[str, Any] = {name: int(float(stated[name])) for name in _WHOLE}
    flags: dict[str, Any] = {name: bool(stated[name]) for name in _FLAGS}
    counts: dict[str, Any] = {name: float(stated[name]) for name in _COUNTS}
    return Shape(id, table.row_titles[place] or id, **sizes, **flags, **counts, more=more)


def shape_in(data: Path, file: Path) -> Shape:
    """The model that a `config.json` describes, which need not be in the catalogue below `data`.

    If the catalogue has the same model, that one is returned. Raises Refused with all errors of the
    file.
    """
    text = text_of(file, file.parent.name or file.stem)
    book = compiled(data, "model", {_MEANWHILE: text})
    if book is None:
        message = f"{shown(data)} has errors; 'scalesheet check' lists them"
        raise Refused([Diagnostic(shown(file), 1, 1, "B005", message)])
    results = evaluate_catalogue(book)
    shape = shape_of(book, _MEANWHILE, results)
    raw = dict(config.read(file).data)
    known = _same(book, shape, results)
    id, called = (known.id, known.title) if known else ("", shape.title)
    return Shape(**{**vars(shape), "id": id, "title": called, "config": raw})


def _same(book: Book, shape: Shape, results: Results) -> Shape | None:
    """The model of the catalogue with exactly the same sizes."""
    for id in book.tables["models"].rows:
        if id == _MEANWHILE:
            continue
        try:
            known = shape_of(book, id, results)
        except Refused:
            continue
        if {**vars(known), "id": "", "title": ""} == {**vars(shape), "id": "", "title": ""}:
            return known
    return None
