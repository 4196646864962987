"""build: the whole program, from the data folder to workbooks, pages, the data API and the site."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from scalesheet.diagnostics import Diagnostic, Refused, errors
from scalesheet.model import Book, Key, Plan, Record
from scalesheet.values import Results

Progress = Callable[[str], None]
GENERATED = "book"  # the folder below docs/ that holds the generated pages


@dataclass
class Examined:
    """A data folder as far as it could be read: all diagnostics, and the results if sound."""

    diagnostics: list[Diagnostic]
    book: Book | None = None
    results: dict[str, Results] = field(default_factory=dict)  # by plan


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
    progress: Progress = lambda message: None,
) -> Built:
    """Builds everything into `out`. Raises Refused, and then leaves `out` as it was."""

    # Nothing is written before everything was read, checked, resolved and evaluated.
    progress("reading and checking the data")
    examined = examine(data, as_of)
    book, results = examined.book, examined.results
    if book is None or errors(examined.diagnostics):
        raise Refused(examined.diagnostics)
    stamp = edition_hash(book, results)

    # All is made beside the output, and takes its place in one step at the end.
    from scalesheet.output import staged

    with staged(out) as stage:
        progress(f"writing {_count(len(book.plans), 'workbook')}")
        cells, formulas = _workbooks(book, results, stage / "workbooks", stamp)
        pages = 0
        if site:
            progress("writing the pages")
            docs = _documents(book, results, stage, data, stamp)
            _api(book, results, stage / "site-api")
            progress("building the site")
            pages = _site(stage, docs, _project(data))
        else:
            _api(book, results, stage / "api")
    if site:
        _publish_pages(out, _project(data) / "docs" / GENERATED)
    workbooks = tuple(out / "workbooks" / f"{plan}.xlsx" for plan in book.plans)
    return Built(
        out,
        stamp,
        workbooks,
        cells,
        formulas,
        out / "site" if site else None,
        pages,
        tuple(examined.diagnostics),
    )


def examine(data: Path, as_of: date | None = None) -> Examined:
    """Load, check, resolve and evaluate. Each stage runs only on what the one before accepted."""
    from scalesheet.check import check
    from scalesheet.load import load

    documents, found = load(data)
    found = found + check(documents)
    if errors(found):
        return Examined(sorted(set(found)))
    from scalesheet.resolve import resolve

    book, resolved = resolve(documents, as_of)
    found += resolved
    if book is None or errors(found):
        return Examined(sorted(set(found)))
    from scalesheet.render.workbook.layout import name_faults

    for plan in book.plans.values():
        found += name_faults(book, plan)
    from scalesheet.evaluate import evaluate
    from scalesheet.evaluate.findings import examples, findings

    found += examples(book)
    results = {plan.id: evaluate(book, plan) for plan in book.plans.values()}
    for plan in book.plans.values():
        found += findings(book, plan, results[plan.id])
    return Examined(sorted(set(found)), book, results)


def diagnose(data: Path) -> list[Diagnostic]:
    """All diagnostics of a data folder, sorted."""
    return examine(data).diagnostics


def compile_book(data: Path, as_of: date | None = None) -> Book:
    """The Book of a data folder. Raises Refused with all diagnostics."""
    examined = examine(data, as_of)
    if examined.book is None or errors(examined.diagnostics):
        raise Refused(examined.diagnostics)
    return examined.book


def edition_hash(book: Book, results: Mapping[str, Results]) -> str:
    """Eight characters that two people compare to know that they hold the same numbers."""
    from scalesheet.render.api import as_json, plan_json

    digest = hashlib.sha256(book.edition.isoformat().encode())
    for plan in book.plans.values():
        digest.update(as_json(plan_json(book, plan, results[plan.id])).encode())
    return digest.hexdigest()[:8]


# ------------------------------------------------------------------ the renderers


def _workbooks(
    book: Book, results: Mapping[str, Results], folder: Path, stamp: str
) -> tuple[int, int]:
    from scalesheet.render.workbook import write_workbook

    folder.mkdir()
    reports = [
        write_workbook(book, plan, results[plan.id], folder / f"{plan.id}.xlsx", edition_hash=stamp)
        for plan in book.plans.values()
    ]
    _refuse([problem for report in reports for problem in report.problems])
    return sum(r.cells for r in reports), sum(r.formulas for r in reports)


def _api(book: Book, results: Mapping[str, Results], folder: Path) -> None:
    from scalesheet.render.api import VERSION, as_csv, as_json, plan_json

    plans = folder / VERSION / "plans"
    plans.mkdir(parents=True)
    for plan in book.plans.values():
        data = as_json(plan_json(book, plan, results[plan.id]))
        (plans / f"{plan.id}.json").write_text(data, "utf-8", newline="\n")
        table = as_csv(plan, results[plan.id])
        (plans / f"{plan.id}.csv").write_text(table, "utf-8", newline="\n")


def _documents(
    book: Book, results: Mapping[str, Results], stage: Path, data: Path, stamp: str
) -> Path:
    """The pages written by hand and the generated ones, together."""
    from scalesheet.render.pages import write_pages

    docs = stage / "docs"
    source = _project(data) / "docs"
    shutil.copytree(source, docs, ignore=lambda folder, names: {GENERATED} & set(names))
    # Links from docs/book/plans/<plan>.html to the files beside the pages.
    workbooks = {plan: f"../../workbooks/{plan}.xlsx" for plan in book.plans}
    report = write_pages(
        book,
        results,
        docs / GENERATED,
        edition_hash=stamp,
        workbooks=workbooks,
        scenarios={plan.id: _by_scenario(book, plan) for plan in book.plans.values()},
        examples={record.id: _examples(record) for record in book.records.values()},
    )
    _refuse(list(report.problems))
    return docs


def _examples(record: Record) -> list[float]:
    """What the record gives for each of its examples; that they hold has been checked."""
    from scalesheet.evaluate.findings import call

    return [float(call(record, example.given).value or 0.0) for example in record.examples]


def _by_scenario(book: Book, plan: Plan) -> dict[str, Results]:
    from scalesheet.evaluate import evaluate

    return {word: evaluate(book, plan, {Key("scenario"): word}) for word in plan.scenarios}


def _site(stage: Path, docs: Path, project: Path) -> int:
    from scalesheet.site import build_site

    files = {"api": stage / "site-api", "workbooks": stage / "workbooks"}
    report = build_site(docs, stage / "site", config=project / "mkdocs.yml", files=files)
    if report.problems:
        place = str(project / "mkdocs.yml")
        _refuse([Diagnostic(place, 1, 1, "X002", problem) for problem in report.problems])
    shutil.rmtree(stage / "site-api")
    return report.pages


def _project(data: Path) -> Path:
    """Where mkdocs.yml and docs/ stand: beside the data folder."""
    return data.absolute().parent


def _publish_pages(out: Path, target: Path) -> None:
    """The generated pages also stand below docs/, for the site generator's own preview."""
    made = out / "docs" / GENERATED
    with tempfile.TemporaryDirectory(prefix=".book-", dir=target.parent) as aside:
        if target.exists():
            target.rename(Path(aside) / "old")
        shutil.copytree(made, target)
    shutil.rmtree(out / "docs")


def _refuse(problems: list[Diagnostic]) -> None:
    if problems:
        raise Refused(problems)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
