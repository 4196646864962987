"""build: the whole program, from the data folder to workbooks, pages, the data API and the site."""

from __future__ import annotations

import posixpath
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, Refused, at
from scalesheet.edition import Edition
from scalesheet.examine import sound_edition
from scalesheet.forks import spread
from scalesheet.frozen import dataclass
from scalesheet.model import Position

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from scalesheet.render.workbook.write import WorkbookReport

Progress = Callable[[str], None]
GENERATED = "book"  # the folder below docs/ that holds the generated pages


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
    left_out: tuple[str, ...] = ()


def build(
    data: Path,
    out: Path,
    *,
    site: bool = True,
    as_of: date | None = None,
    created: datetime | None = None,
    parser: ArgumentParser | None = None,
    progress: Progress = lambda message: None,
) -> Built:
    """Build everything into `out`. Raises Refused, and then leaves `out` as it was. Without `site`,
    a site that is there stays as it is.

    `as_of` is the date of prices, `created` the date in a workbook's properties; both default to
    the edition. The site documents the commands of `parser`, if given.
    """
    from scalesheet.fingerprint import contents_of, made_with, still_holds, write_stamp

    # Read inputs first: anything that changes after this counts as new in the next build.
    project = project_of(data)
    inputs = inputs_of(data, site=site, as_of=as_of, created=created, parser=parser)

    # Write nothing before everything is read, checked, resolved and evaluated.
    progress("reading and checking the data")
    edition, findings = sound_edition(data, as_of)

    # If neither input nor output changed, there is nothing to do.
    from scalesheet.output import MARK, keep, refuse_strangers, staged, sweep
    from scalesheet.render.api.write import write_api
    from scalesheet.render.workbook.write import write_workbooks

    framed = (project / "mkdocs.yml").is_file()
    published = project / "docs" / GENERATED if site and framed else None
    counts = still_holds(out, published, inputs)
    if counts is not None:
        sweep(out)
        return _built(out, edition.book, site, findings, counts)

    # Pages of an older version, which left no mark there, are recognized by the output of that
    # build.
    if published is not None:
        if made_with(out, published):
            (published / MARK).touch()
        refuse_strangers(published)

    # Make everything beside the output, and replace the output in one step at the end.
    with staged(out) as stage:
        folder, plans = stage / "workbooks", tuple(edition.book.plans)
        _ = edition.hash  # before other processes start, which would each compute it
        progress("computing how sure the results are")  # once, for both workbooks and pages
        with spread(partial(shared, edition), plans) as computed:
            computed()
        with write_workbooks(edition, folder, created, plans, progress) as workbooks:
            docs = documents(edition, stage, project, parser, progress) if site else None
            counts = counts_of(edition, workbooks())
        if docs is not None:
            progress(f"building the site of {sum(1 for _ in docs.rglob('*.md')):,} pages")
            counts["pages"] = _site(edition, stage, docs, project)
            if published is not None:
                _publish_pages(docs, published)
            shutil.rmtree(docs)
        else:
            write_api(edition, stage / "api", pages=False)
            keep(out.resolve() / "site", stage / "site")
        write_stamp(stage, contents_of(published), inputs, counts)
    return _built(out, edition.book, site, findings, counts)


def shared(edition: Edition, plan: str) -> None:
    """Compute what both the workbook and the pages of a plan show."""
    _ = edition.sures[plan], edition.sensitivities[plan], edition.scenarios[plan]


def inputs_of(
    data: Path,
    *,
    site: bool,
    as_of: date | None,
    created: datetime | None,
    parser: ArgumentParser | None,
) -> dict[str, str]:
    """Digests of everything that a build depends on."""
    from scalesheet.fingerprint import of_inputs, sources

    options = {
        "site": str(site),
        "as of": str(as_of),
        "created": str(created),
        "commands": str(parser is not None),
    }
    return of_inputs(sources(data, project_of(data), GENERATED), options)


def _built(
    out: Path, book: Book, site: bool, problems: tuple[Diagnostic, ...], counts: Mapping[str, Any]
) -> Built:
    workbooks = tuple(out / "workbooks" / f"{plan}.xlsx" for plan in book.plans)
    return Built(
        out,
        workbooks=workbooks,
        site=out / "site" if site else None,
        diagnostics=problems,
        **counts,
    )


# ------------------------------------------------------------------ the renderers


def counts_of(edition: Edition, reports: Sequence[WorkbookReport]) -> dict[str, Any]:
    """The stamp's counts of the workbooks. Raises Refused if one must not be published."""
    _refuse([problem for report in reports for problem in report.problems])
    cells, formulas = sum(r.cells for r in reports), sum(r.formulas for r in reports)
    return {"edition_hash": edition.hash, "cells": cells, "formulas": formulas, "pages": 0}


def documents(
    edition: Edition,
    stage: Path,
    project: Path,
    parser: ArgumentParser | None,
    progress: Progress = lambda message: None,
) -> Path:
    """Collect the handwritten and the generated pages."""
    from scalesheet.render.pages import write_pages
    from scalesheet.render.pages.front.page import usual_case
    from scalesheet.render.reference import write_reference

    docs = stage / "docs"
    by_hand(docs, project, usual_case(edition.book))
    if (project / "mkdocs.yml").is_file():
        _put_in_snippets(docs, project)
    report = write_pages(edition, docs / GENERATED, stage / "plain" / GENERATED, progress)
    _refuse(list(report.problems))
    write_reference(edition.book, docs / GENERATED / "reference", parser)
    return docs


def by_hand(docs: Path, project: Path, question: Mapping[str, str]) -> None:
    """Copy the project's files beside its data, and defaults for those it lacks. `question` is the
    case that the default front page begins with, or empty.
    """
    from scalesheet.site.own import lay_out

    docs.mkdir()
    if (project / "docs").is_dir():
        shutil.copytree(
            project / "docs",
            docs,
            ignore=lambda folder, names: [n for n in names if n == GENERATED or n[0] == "."],
            dirs_exist_ok=True,
        )
    if not (project / "mkdocs.yml").is_file():
        lay_out(docs, question)


def _put_in_snippets(docs: Path, project: Path) -> None:
    """Include snippets in handwritten pages before any text of the data is among them."""
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
    """Write the data API and the site; return the number of pages."""
    from scalesheet.render.api.write import write_api
    from scalesheet.site import build_site
    from scalesheet.site.own import settings_of

    config = settings_of(project, docs, edition.book.title, stage)
    write_api(edition, stage / "site-api", pages=True, site_url=site_address(config))
    report = build_site(
        docs,
        stage / "site",
        config=config,
        files={"api": stage / "site-api", "workbooks": stage / "workbooks"},
        plain=stage / "plain",
        foot=foot_of(edition.book),
    )
    refuse_site(report.problems, edition.book, project)
    shutil.rmtree(stage / "site-api")
    shutil.rmtree(stage / "plain")
    if config.parent == stage:
        config.unlink()
    return report.pages


def foot_of(book: Book) -> str:
    """The line at the end of each page: the edition, and when a source was last read."""
    read = max((source.accessed for source in book.sources.values()), default="")
    return f"Edition {book.edition}" + (f" · sources last read on {read}" if read else "")


def refuse_site(problems: Iterable[str], book: Book, project: Path) -> None:
    """Raise Refused with the problems of a site."""
    _refuse([at(_place(each, book, project), "X002", each) for each in _by_cause(problems)])


#: How the generator and the site check report a link to a missing page.
_MISSING = re.compile(
    r"the target '(?P<target>[^']+)' is not found"
    r"|^(?P<page>[^:]+): (?P<address>[^\s?#]+)\S* leads to no file"
)


def _by_cause(problems: Iterable[str]) -> list[str]:
    """Keep the first of the problems that name the same missing page, or differ only in their own
    page, and say how many more there are."""
    result: dict[str, list[str]] = {}
    for each in dict.fromkeys(problems):
        found = _MISSING.search(each)
        key = each.partition(": ")[2] or each
        if found and found["page"]:
            key = posixpath.normpath(posixpath.join(found["page"], "..", found["address"]))
        elif found:
            key = f"of the generator: {found['target']}"
        result.setdefault(key, []).append(each)
    return [
        f"{first} ({len(more)} more like it not shown)" if more else first
        for first, *more in result.values()
    ]


#: How the site check and the generator report a link on a plan's page.
_OF_A_LINK = re.compile(
    r"book/plans/([\w-]+)(?:\.[\w-]+)?\.(?:html: |md' contains an? .*?link ')([^\s']+)"
)


#: A problem that the site check found on a page, at an element or an address.
_ON_A_PAGE = re.compile(r"(?P<page>[^:]+)\.html: (?:loads |links to )?(?P<what><[^\s>]+|\S+)")


def _place(problem: str, book: Book, project: Path) -> Position:
    """The place of a problem in a plan's text or in a page written by hand, else the settings."""
    from scalesheet.load.folder import shown
    from scalesheet.prose import link_in

    if link := _OF_A_LINK.search(problem):
        places = (link_in(plan, link[1], link[2]) for plan in book.plans.values())
        if place := next(filter(None, places), None):
            return place
    found = _ON_A_PAGE.match(problem)
    page = project / "docs" / f"{found['page']}.md" if found else project
    if found and page.is_file():
        text = page.read_text("utf-8")
        line = text.count("\n", 0, max(text.find(found["what"]), 0)) + 1
        return Position(shown(page), line, 1)
    settings = project / "mkdocs.yml"
    return Position(shown(settings) if settings.is_file() else f"{book.folder}book.yaml", 1, 1)


def site_address(config: Path) -> str:
    """The site's URL, if mkdocs.yml has one."""
    import yaml

    settings = yaml.safe_load(config.read_text("utf-8"))
    return str(settings.get("site_url") or "") if isinstance(settings, dict) else ""


def project_of(data: Path) -> Path:
    """The folder of mkdocs.yml and docs/: the parent of the data folder."""
    return data.absolute().parent


def _publish_pages(docs: Path, target: Path) -> None:
    """Copy the generated pages below docs/, for the site generator's own preview.

    This happens before the output is replaced, so that a valid output always has its pages.
    """
    from scalesheet.output import staged

    with staged(target, wait=True) as pages:
        shutil.copytree(docs / GENERATED, pages, dirs_exist_ok=True)


def _refuse(problems: list[Diagnostic]) -> None:
    if problems:
        raise Refused(problems)
