"""build: the whole program, from the data folder to workbooks, pages, the data API and the site."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scalesheet.diagnostics import Diagnostic, Refused, errors
from scalesheet.edition import Edition
from scalesheet.model import Book

if TYPE_CHECKING:
    from scalesheet.audit.model import Audited
    from scalesheet.predict.score import TaskScore
    from scalesheet.values import Results

Progress = Callable[[str], None]
GENERATED = "book"  # the folder below docs/ that holds the generated pages


@dataclass
class Examined:
    """A data folder as far as it could be read: all diagnostics, and the edition if sound."""

    diagnostics: list[Diagnostic]
    edition: Edition | None = None

    @property
    def book(self) -> Book | None:
        return self.edition.book if self.edition else None

    @property
    def results(self) -> Mapping[str, Results]:
        return self.edition.results if self.edition else {}

    @property
    def audits(self) -> Mapping[str, Audited]:
        return self.edition.audits if self.edition else {}

    @property
    def scores(self) -> Mapping[str, TaskScore]:
        return self.edition.scores if self.edition else {}


@dataclass(frozen=True)
class Built:
    """What a build wrote."""

    out: Path
    edition_hash: str
    workbooks: tuple[Path, ...]
    cells: int
    formulas: int
    site: Path | None
    pages: int
    diagnostics: tuple[Diagnostic, ...]


def build(
    data: Path,
    out: Path,
    *,
    site: bool = True,
    as_of: date | None = None,
    created: datetime | None = None,
    progress: Progress = lambda message: None,
) -> Built:
    """Builds everything into `out`. Raises Refused, and then leaves `out` as it was.

    Prices are those of `as_of`, and `created` is what a workbook says of itself: both are the
    edition unless given.
    """
    from scalesheet.fingerprint import made_with, of_inputs, sources, still_holds, write_stamp

    # First of all: what changes from here on is then new to the next build.
    project = _project(data)
    options = {"site": str(site), "as of": str(as_of), "created": str(created)}
    inputs = of_inputs(sources(data, project, GENERATED), options)

    # Nothing is written before everything was read, checked, resolved and evaluated.
    progress("reading and checking the data")
    edition, found = sound_edition(data, as_of)

    # Where neither the input nor the output changed there is nothing to do.
    from scalesheet.output import MARK, refuse_strangers, staged, sweep

    published = project / "docs" / GENERATED if site else None
    told = still_holds(out, published, inputs)
    if told is not None:
        sweep(out)
        return _built(out, edition.book, site, found, told)

    # Pages of a version that left no mark there are known from the output that came with them.
    if published is not None:
        if made_with(out, published):
            (published / MARK).touch()
        refuse_strangers(published)

    # All is made beside the output, and takes its place in one step at the end.
    with staged(out) as stage:
        progress(f"writing {_count(len(edition.book.plans), 'workbook')}")
        told = _workbooks(edition, stage / "workbooks", created)
        if site:
            progress("writing the pages")
            docs = _documents(edition, stage, project)
            progress("building the site")
            told["pages"] = _site(edition, stage, docs, project)
            _publish_pages(docs, project / "docs" / GENERATED)
        else:
            _api(edition, stage / "api")
        write_stamp(stage, published, inputs, told)
    return _built(out, edition.book, site, found, told)


def _built(
    out: Path, book: Book, site: bool, found: tuple[Diagnostic, ...], told: Mapping[str, Any]
) -> Built:
    workbooks = tuple(out / "workbooks" / f"{plan}.xlsx" for plan in book.plans)
    return Built(out, workbooks=workbooks, site=out / "site" if site else None,
                 diagnostics=found, **told)  # fmt: skip


def examine(
    data: Path, as_of: date | None = None, *, plans: bool = True, label: str = ""
) -> Examined:
    """Load, check, resolve and evaluate. Each stage runs only on what the one before accepted.

    Without `plans` only the catalogue is looked at, which knows nothing of them. `label` stands for
    the folder in the paths that users see, where it is a temporary one.
    """
    from scalesheet.check import check
    from scalesheet.load import PLAN_KINDS, load

    documents, found = load(data, label)
    if not plans:
        documents = [document for document in documents if document.kind not in PLAN_KINDS]
    found = found + check(documents)
    if any(each.code not in OF_NO_VALUE for each in errors(found)):
        return Examined(sorted(set(found)))
    from scalesheet.resolve import resolve

    book, resolved = resolve(documents, as_of)
    found += resolved
    if book is None or errors(resolved):
        return Examined(sorted(set(found)))
    from scalesheet.audit.problems import problems
    from scalesheet.defined_names import name_problems
    from scalesheet.evaluate.findings import counts, examples, findings
    from scalesheet.prose import problems as prose_problems

    edition = Edition(book)
    for plan in book.plans.values():
        found += name_problems(book, plan)
        found += prose_problems(book, plan)
    found += examples(book)
    found += counts(book)
    for plan in book.plans.values():
        found += findings(book, plan, edition.results[plan.id])
    for audited in edition.audits.values():
        found += problems(audited, book)
    if book.publications:
        from scalesheet.predict.check import problems as score_problems

        found += score_problems(book, edition.scores)
    return Examined(sorted(set(of_its_day(found, book))), edition)


#: Errors that change no value: what rests on the file can be looked at all the same.
OF_NO_VALUE = frozenset({"N006"})
#: What a book says of its own edition: that a check holds, and what a claim's verdict is.
OF_THE_EDITION = frozenset({"V005", "C004", "C009"})


def of_its_day(found: list[Diagnostic], book: Book) -> list[Diagnostic]:
    """Diagnostics as they count on the day of the book. On any day but that of the edition a check
    that fails stops nothing, since every past edition can be built."""
    if book.as_of == book.edition:
        return found
    return [
        replace(each, code="V015", message=f"on {book.as_of}: {each.message}")
        if each.code in OF_THE_EDITION
        else each
        for each in found
    ]


def diagnose(data: Path, as_of: date | None = None) -> list[Diagnostic]:
    """All diagnostics of a data folder, sorted."""
    return examine(data, as_of).diagnostics


def sound_edition(data: Path, as_of: date | None = None) -> tuple[Edition, tuple[Diagnostic, ...]]:
    """The edition of a data folder, and what is noted of it. Raises Refused with all diagnostics if
    there is an error."""
    examined = examine(data, as_of)
    if examined.edition is None or errors(examined.diagnostics):
        raise Refused(examined.diagnostics)
    return examined.edition, tuple(examined.diagnostics)


def compile_book(data: Path, as_of: date | None = None) -> Book:
    """The Book of a data folder. Raises Refused with all diagnostics."""
    return sound_edition(data, as_of)[0].book


# ------------------------------------------------------------------ the renderers


def _workbooks(edition: Edition, folder: Path, created: datetime | None) -> dict[str, Any]:
    """Writes the workbooks; what the stamp says of them."""
    from scalesheet.render.workbook import write_workbooks

    reports = write_workbooks(edition, folder, created)
    _refuse([problem for report in reports for problem in report.problems])
    cells, formulas = sum(r.cells for r in reports), sum(r.formulas for r in reports)
    return {"edition_hash": edition.hash, "cells": cells, "formulas": formulas, "pages": 0}


def _api(edition: Edition, folder: Path, *, pages: bool = False, site_url: str = "") -> None:
    from scalesheet.render.api import write_api

    write_api(edition, folder, pages=pages, site_url=site_url)


def _documents(edition: Edition, stage: Path, project: Path) -> Path:
    """The pages written by hand and the generated ones, together."""
    from scalesheet.render.pages import write_pages
    from scalesheet.render.reference import write_reference

    docs = stage / "docs"
    shutil.copytree(
        project / "docs",
        docs,
        ignore=lambda folder, names: [n for n in names if n == GENERATED or n[0] == "."],
    )
    _put_in_snippets(docs, project)
    report = write_pages(edition, docs / GENERATED, stage / "plain" / GENERATED)
    _refuse(list(report.problems))
    write_reference(edition.book, docs / GENERATED / "reference")
    return docs


def _put_in_snippets(docs: Path, project: Path) -> None:
    """The pages written by hand get their snippets before anything of the data is among them."""
    from scalesheet.load.folder import shown
    from scalesheet.site.snippets import SnippetError, put_in

    settings = (project / "mkdocs.yml").read_text("utf-8")
    problems: list[Diagnostic] = []
    for page in sorted(docs.rglob("*.md")):
        try:
            text, _ = put_in(page.read_text("utf-8"), settings, project)
            page.write_text(text, "utf-8", newline="\n")
        except SnippetError as error:
            name = shown(project / "docs" / page.relative_to(docs))
            problems.append(Diagnostic(name, error.line, 1, "X002", str(error)))
    _refuse(problems)


def _site(edition: Edition, stage: Path, docs: Path, project: Path) -> int:
    """The data API and the site; how many pages it has."""
    from scalesheet.site import build_site

    config = project / "mkdocs.yml"
    _api(edition, stage / "site-api", pages=True, site_url=site_address(config))
    report = build_site(
        docs,
        stage / "site",
        config=config,
        files={"api": stage / "site-api", "workbooks": stage / "workbooks"},
        plain=stage / "plain",
        foot=f"Edition {edition.book.edition}",
    )
    if report.problems:
        _refuse([Diagnostic(str(config), 1, 1, "X002", each) for each in report.problems])
    shutil.rmtree(stage / "site-api")
    shutil.rmtree(stage / "plain")
    return report.pages


def site_address(config: Path) -> str:
    """Where the site will stand, if mkdocs.yml says so."""
    import yaml

    settings = yaml.safe_load(config.read_text("utf-8"))
    return str(settings.get("site_url") or "") if isinstance(settings, dict) else ""


def _project(data: Path) -> Path:
    """Where mkdocs.yml and docs/ stand: beside the data folder."""
    return data.absolute().parent


def _publish_pages(docs: Path, target: Path) -> None:
    """The generated pages also stand below docs/, for the site generator's own preview.

    They come before the output, so that an output that still holds has its pages too.
    """
    from scalesheet.output import staged

    with staged(target, wait=True) as pages:
        shutil.copytree(docs / GENERATED, pages, dirs_exist_ok=True)
    shutil.rmtree(docs)


def _refuse(problems: list[Diagnostic]) -> None:
    if problems:
        raise Refused(problems)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
