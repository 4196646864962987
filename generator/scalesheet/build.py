"""build: the whole program, from the data folder to workbooks, pages, the data API and the site."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from scalesheet.audit.model import Audited
from scalesheet.bench.beside import Beside
from scalesheet.diagnostics import Diagnostic, Refused, errors
from scalesheet.evaluate.sensitivity import Sensitivity
from scalesheet.model import Book, Key, Plan, Record
from scalesheet.predict.score import TaskScore
from scalesheet.values import Results

Progress = Callable[[str], None]
GENERATED = "book"  # the folder below docs/ that holds the generated pages


@dataclass
class Examined:
    """A data folder as far as it could be read: all diagnostics, and the results if sound."""

    diagnostics: list[Diagnostic]
    book: Book | None = None
    results: dict[str, Results] = field(default_factory=dict)  # by plan
    audits: dict[str, Audited] = field(default_factory=dict)  # by id: one for each document
    scores: dict[str, TaskScore] = field(default_factory=dict)  # by task


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
    from scalesheet.fingerprint import of_inputs, sources, still_holds, write_stamp

    # First of all: what changes from here on is then new to the next build.
    project = _project(data)
    options = {"site": str(site), "as of": str(as_of), "created": str(created)}
    inputs = of_inputs(sources(data, project, GENERATED), options)

    # Nothing is written before everything was read, checked, resolved and evaluated.
    progress("reading and checking the data")
    examined = examine(data, as_of)
    book, results = examined.book, examined.results
    if book is None or errors(examined.diagnostics):
        raise Refused(examined.diagnostics)
    stamp = edition_hash(book, results)

    # Where neither the input nor the output changed there is nothing to do.
    from scalesheet.output import staged, sweep

    published = project / "docs" / GENERATED if site else None
    told = still_holds(out, published, inputs)
    if told is not None:
        sweep(out)
        return _built(out, book, site, tuple(examined.diagnostics), told)

    # All is made beside the output, and takes its place in one step at the end.
    with staged(out) as stage:
        progress(f"writing {_count(len(book.plans), 'workbook')}")
        moves, beside = _sensitivities(book), _beside(book)
        cells, formulas = _workbooks(book, results, moves, stage / "workbooks", stamp, created)
        pages = 0
        if site:
            progress("writing the pages")
            docs = _documents(examined, book, moves, beside, stage, data, stamp)
            where = site_address(project / "mkdocs.yml")
            api = stage / "site-api"
            _api(examined, book, moves, beside, api, stamp, pages=True, site_url=where)
            progress("building the site")
            pages = _site(stage, docs, project, f"Edition {book.edition}")
            _publish_pages(docs, project / "docs" / GENERATED)
        else:
            _api(examined, book, moves, beside, stage / "api", stamp, pages=False)
        told = {"edition_hash": stamp, "cells": cells, "formulas": formulas, "pages": pages}
        write_stamp(stage, published, inputs, told)
    return _built(out, book, site, tuple(examined.diagnostics), told)


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
    from scalesheet.render.workbook.layout import name_faults

    for plan in book.plans.values():
        found += name_faults(book, plan)
    from scalesheet.evaluate import evaluate
    from scalesheet.evaluate.findings import counts, examples, findings

    found += examples(book)
    found += counts(book)
    results = {plan.id: evaluate(book, plan) for plan in book.plans.values()}
    for plan in book.plans.values():
        found += findings(book, plan, results[plan.id])
    from scalesheet.audit.judge import judge
    from scalesheet.audit.problems import problems

    audits = judge(book)
    for audited in audits.values():
        found += problems(audited, book)
    scores: dict[str, TaskScore] = {}
    if book.publications:
        from scalesheet.predict.check import problems as score_problems
        from scalesheet.predict.score import score

        scores = score(book)
        found += score_problems(book, scores)
    found = of_its_day(found, book)
    return Examined(sorted(set(found)), book, results, audits, scores)


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


def compile_book(data: Path, as_of: date | None = None) -> Book:
    """The Book of a data folder. Raises Refused with all diagnostics."""
    examined = examine(data, as_of)
    if examined.book is None or errors(examined.diagnostics):
        raise Refused(examined.diagnostics)
    return examined.book


def edition_hash(book: Book, results: Mapping[str, Results]) -> str:
    """Eight characters that two people compare to know that they hold the same numbers.

    It covers the edition and every cell of the plans and of the catalogue: its place, value, ends
    and unit; not what describes them.
    """
    from scalesheet.evaluate import evaluate_catalogue
    from scalesheet.render.api.plans import cells, cells_of

    digest = hashlib.sha256(book.edition.isoformat().encode())
    every = [("", cells_of(book.tables.values(), evaluate_catalogue(book)))]
    every += [(plan.id, cells(plan, results[plan.id])) for plan in book.plans.values()]
    for owner, found in every:
        for table, row, quantity, value in found:
            ends = (value.value, value.low, value.high, value.reason, str(quantity.unit))
            digest.update(repr((owner, table, row, quantity.name, *ends)).encode())
    return digest.hexdigest()[:8]


# ------------------------------------------------------------------ the renderers


def _workbooks(
    book: Book,
    results: Mapping[str, Results],
    moves: Mapping[str, Sensitivity],
    folder: Path,
    stamp: str,
    created: datetime | None,
) -> tuple[int, int]:
    from scalesheet.render.workbook import write_workbook

    folder.mkdir()
    reports = [
        write_workbook(
            book,
            plan,
            results[plan.id],
            folder / f"{plan.id}.xlsx",
            edition_hash=stamp,
            created=created,
            sensitivity=moves[plan.id],
        )
        for plan in book.plans.values()
    ]
    _refuse([problem for report in reports for problem in report.problems])
    return sum(r.cells for r in reports), sum(r.formulas for r in reports)


def _api(
    examined: Examined,
    book: Book,
    moves: Mapping[str, Sensitivity],
    beside: Mapping[str, Beside],
    folder: Path,
    stamp: str,
    *,
    pages: bool,
    site_url: str = "",
) -> None:
    from scalesheet.evaluate import evaluate_catalogue
    from scalesheet.render.api import write_api
    from scalesheet.render.api.audit import write_audits

    write_audits(book, examined.audits, folder)  # first: the index lists what is there

    scenarios = {
        plan.id: _by_scenario(book, plan) or {"": examined.results[plan.id]}
        for plan in book.plans.values()
    }
    write_api(
        book,
        examined.results,
        folder,
        edition_hash=stamp,
        catalogue=evaluate_catalogue(book),
        scenarios=scenarios,
        sensitivities=moves,
        examples={record.id: _examples(record) for record in book.records.values()},
        pages=pages,
        scores=examined.scores,
        beside=beside,
        site_url=site_url,
    )


def _documents(
    examined: Examined,
    book: Book,
    moves: Mapping[str, Sensitivity],
    beside: Mapping[str, Beside],
    stage: Path,
    data: Path,
    stamp: str,
) -> Path:
    """The pages written by hand and the generated ones, together."""
    from scalesheet.render.pages import write_pages
    from scalesheet.render.reference import write_reference

    docs = stage / "docs"
    source = _project(data) / "docs"
    shutil.copytree(
        source,
        docs,
        ignore=lambda folder, names: [n for n in names if n == GENERATED or n[0] == "."],
    )
    # Links from docs/book/plans/<plan>.html to the files beside the pages.
    workbooks = {plan: f"../../workbooks/{plan}.xlsx" for plan in book.plans}
    report = write_pages(
        book,
        examined.results,
        docs / GENERATED,
        edition_hash=stamp,
        workbooks=workbooks,
        scenarios={plan.id: _by_scenario(book, plan) for plan in book.plans.values()},
        examples={record.id: _examples(record) for record in book.records.values()},
        plain=stage / "plain" / GENERATED,
        audits=examined.audits,
        sensitivities=moves,
        scores=examined.scores,
        beside=beside,
        data={plan: _data_links(plan) for plan in book.plans},
        front=docs / "index.md",
    )
    _refuse(list(report.problems))
    write_reference(book, docs / GENERATED / "reference")
    return docs


def _data_links(plan: str) -> dict[str, str]:
    """From the page of a plan to its files in the data API."""
    return {kind.upper(): f"../../api/v1/plans/{plan}.{kind}" for kind in ("json", "csv")}


def _examples(record: Record) -> list[float]:
    """What the record gives for each of its examples; that they hold has been checked."""
    from scalesheet.evaluate.findings import call

    return [float(call(record, example.given).value or 0.0) for example in record.examples]


def _sensitivities(book: Book) -> dict[str, Sensitivity]:
    from scalesheet.evaluate.sensitivity import sensitivity

    return {plan.id: sensitivity(book, plan) for plan in book.plans.values()}


def _beside(book: Book) -> dict[str, Beside]:
    """What is predicted of each measurement."""
    from scalesheet.bench.compare import compared
    from scalesheet.bench.simulate import simulated

    return compared(book, simulated)


def _by_scenario(book: Book, plan: Plan) -> dict[str, Results]:
    from scalesheet.evaluate import evaluate

    return {word: evaluate(book, plan, {Key("scenario"): word}) for word in plan.scenarios}


def _site(stage: Path, docs: Path, project: Path, foot: str) -> int:
    from scalesheet.site import build_site

    files = {"api": stage / "site-api", "workbooks": stage / "workbooks"}
    report = build_site(
        docs,
        stage / "site",
        config=project / "mkdocs.yml",
        files=files,
        plain=stage / "plain",
        foot=foot,
    )
    if report.problems:
        place = str(project / "mkdocs.yml")
        _refuse([Diagnostic(place, 1, 1, "X002", problem) for problem in report.problems])
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
