"""The catalogue in the cache: its documents, formulas and cells, and what plans are resolved on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from scalesheet.addresses import Address
from scalesheet.diagnostics import Diagnostic, errors
from scalesheet.edition import Edition
from scalesheet.frozen import dataclass
from scalesheet.kept import Apart, Item, Whole, kept, name_of
from scalesheet.kept_edition import PRICES, KeptEdition

if TYPE_CHECKING:
    from scalesheet.load import Document, Known
    from scalesheet.load.folder import File, Files

#: Files of a book that predictions never read.
OF_THE_BOOK = ("book.yaml", "book.lock", "sources.yaml", "units.yaml")


@dataclass(frozen=True)
class Head:
    """The diagnostics of the catalogue or a plan, and whether it has values nevertheless.

    Files are checked `against` what the catalogue states; its score is cached as `scored`. A plan
    has pages, audits and possibly an audited version.
    """

    problems: tuple[Diagnostic, ...]
    sound: bool
    name: str
    against: Known | None = None
    scored: str = ""
    held: bool = False  # whether the folder's own files affect the score
    days: tuple[date, date] | None = None
    plan: str = ""
    pages: tuple[Address, ...] = ()
    audits: tuple[Address, ...] = ()
    moved_on: bool = False


def catalogue_item(files: Files, as_of: date | None, like: Edition | None) -> Item:
    """The book without plans: `book`, its `cells` and their `faults`, and the `ground` for
    resolving plans.
    """
    content = content_of(files)
    name = name_of("catalogue", as_of, content)
    if isinstance(like, KeptEdition) and like.below.head.name == name:
        return like.below
    rest = [each for each in content if not each[0].startswith(PRICES)]
    scored = name_of("scored", as_of, rest)
    own = {each.name.removeprefix(files.root) for each in files.every if not each.extended}
    held = any(each in own and each not in OF_THE_BOOK for each, _ in rest)

    def made() -> Item:
        documents, problems, against = _checked(files)
        if stops(problems):
            return Item(Head(tuple(problems), False, name, against), {"ground": None})
        from scalesheet.resolve.book import grounded

        resolved: list[Diagnostic] = []
        ground = grounded(documents, as_of, resolved)
        problems += resolved
        if ground is None or ground.book is None or errors(resolved):
            return Item(Head(tuple(problems), False, name, against), {"ground": ground})
        from scalesheet.evaluate.examples import counts, examples
        from scalesheet.evaluate.findings import of_catalogue

        book = ground.book
        problems += [*examples(book), *counts(book)]
        days = (book.as_of, book.edition)
        scores = held and bool(book.publications or book.fits)
        cells = Edition(book).catalogue
        faults = of_catalogue(book.tables, book.order)
        head = Head(tuple(problems), True, name, against, scored, scores, days)
        tables = _apart(ground.space.catalogue)
        space = replace(
            ground.space,
            catalogue=tables,
            records=Apart(ground.space.records),
            components=Apart(ground.space.components),
        )
        parts = {
            "ground": replace(ground, book=None, space=space),
            "book": replace(
                book,
                tables=_apart(book.tables, tables),
                records=Apart(book.records),
                components=Apart(book.components),
            ),
            "cells": cells,
            "faults": faults,
        }
        return Item(head, parts)

    return kept(name, made, files.root)


def _apart(tables: Mapping[str, Any], like: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The same tables, whose stated cells are loaded by column. The cells of an equal column of the
    tables `like` these are packed once for both.
    """

    def column(table: str, name: str, stated: Mapping[str, Any]) -> Whole[Any]:
        other: Whole[Any] | None = like[table].columns[name].stated if like else None
        return other if other == stated and other else Whole(stated)

    return {
        table: replace(
            of,
            columns={
                name: replace(each, stated=column(table, name, each.stated))
                for name, each in of.columns.items()
            },
        )
        for table, of in tables.items()
    }


#: The number of files from which on the parts of a catalogue are worth files in the cache.
MANY = 200
#: The most files of a folder that are cached together.
TOGETHER = 32


def _checked(files: Files) -> tuple[list[Document], list[Diagnostic], Known]:
    """The documents of a catalogue, the diagnostics of each on its own, and what all are checked
    against. A few files are cached together, since most edits are in one file.
    """
    from scalesheet.check import known
    from scalesheet.load.folder import TOP, read_each

    at_top = tuple(each for each in files.every if len(each.parts) == 1)
    against = known(read_each(replace(files, every=at_top))[0])
    folders = [[*every] for _, every in groupby(files.every, lambda each: each.parts[0])]
    many = len(files.every) >= MANY
    parts = [
        (folder[at : at + TOGETHER], many and len(folder) > 1)
        for folder in folders
        for at in range(0, len(folder), TOGETHER)
    ]
    documents, problems = read_in_parts(files, parts, against, needed=TOP)
    return documents, problems, against


def read_in_parts(
    files: Files,
    parts: Sequence[tuple[Sequence[File], bool]],
    against: Known,
    needed: Iterable[str] = (),
) -> tuple[list[Document], list[Diagnostic]]:
    """The documents of files, and the diagnostics of each on its own. The files are in `parts`;
    those that are marked are cached, however fast they are read.
    """
    from scalesheet.check import check
    from scalesheet.load.folder import documents_of, read_each

    found: list[Diagnostic] = []
    stated = against.sources and sorted(against.sources), against.edition

    def made(part: Files) -> Item:
        documents, problems = read_each(part)
        return Item([problems, check(documents, against)], {"documents": documents})

    def read(files: Files) -> tuple[list[Document], list[Diagnostic]]:
        documents: list[Document] = []
        diagnostics: list[Diagnostic] = []
        for every, always in parts:
            part = replace(files, every=tuple(every))
            name = name_of("documents", stated, content_of(part))
            item = kept(name, partial(made, part), files.root, always=always)
            documents += item["documents"]
            diagnostics += item.head[0]
            found.extend(item.head[1])
        return documents, diagnostics

    documents, diagnostics = documents_of(files, needed, read)
    of = {each.path for each in documents}
    return documents, [*diagnostics, *(each for each in found if each.path in of)]


def content_of(files: Files) -> list[tuple[str, str]]:
    """What an item depends on: the path and digest of each file."""
    return [(each.name.removeprefix(files.root), each.digest) for each in files.every]


def stops(problems: list[Diagnostic]) -> bool:
    """Return whether files have too many errors to be resolved."""
    return any(each.code not in OF_NO_VALUE for each in errors(problems))


#: Errors that affect no value, so that everything else in the file can still be used.
OF_NO_VALUE = frozenset({"N006"})
