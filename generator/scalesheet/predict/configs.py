"""Lets cases name a model by its `config.json`, which is read as `new model --from` reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from scalesheet.book import Book
from scalesheet.diagnostics import Refused
from scalesheet.predict.arrays import each, first_reason, words
from scalesheet.predict.cases.reader import Read
from scalesheet.source.places import suggested

ENDING, CONFIG = ".json", "config.json"


def with_configs(table: Read, book: Book, data: Path) -> tuple[Read, Book]:
    """Replace such names with ids, and add the models to the book. A row whose file cannot be used
    gets a reason. Without such names, returns both arguments unchanged.
    """
    files = [name for name in dict.fromkeys(table.text("model").tolist()) if name.endswith(ENDING)]
    if not files:
        return table, book
    ids, wrong, made = with_models(files, book, data)
    named = each(table.text("model"), lambda name: ids.get(name, name))
    reasons = words([wrong.get(name) for name in table.text("model").tolist()])
    read = replace(
        table,
        words={**table.words, "model": named},
        unsupported=first_reason(table.unsupported, reasons),
    )
    return read, made


def with_models(
    files: Sequence[str], book: Book, data: Path
) -> tuple[Mapping[str, str], Mapping[str, str], Book]:
    """The ids of the models that files describe, what is wrong with the others, and the book with
    the models.
    """
    from scalesheet.new.model import text_of
    from scalesheet.new.sound import compiled

    ids: dict[str, str] = {}
    texts: dict[str, str] = {}
    wrong: dict[str, str] = {}
    for file in files:
        id = _id(file, {**texts, **dict.fromkeys(book.tables["models"].rows)})
        try:
            texts[id] = text_of(Path(file), id)
        except Refused as error:
            wrong[file] = f"{file}: {error.diagnostics[0].message}"
        else:
            ids[file] = id
    made = compiled(data, "model", texts) if texts else None
    tables = {**book.tables, "models": made.tables["models"]} if made else book.tables
    return ids, wrong, replace(book, tables=tables)


def _id(file: str, taken: Mapping[str, object]) -> str:
    """An id that no model has, made from as much of the path as fits."""
    path = Path(file)
    plain = suggested(f"{path.parent.name} {path.stem}") or "config"
    more = (f"{plain[:58]}-{number}" for number in range(2, len(taken) + 3))
    return next(id for id in (plain, *more) if id not in taken)
