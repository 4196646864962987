"""part: builds the workbooks and pages of some plans into an existing output."""

from __future__ import annotations

import re
import shutil
from argparse import ArgumentParser
from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime
from pathlib import Path

from scalesheet.addresses import addresses
from scalesheet.book import Book
from scalesheet.build import (
    GENERATED,
    Built,
    Progress,
    by_hand,
    counts_of,
    foot_of,
    inputs_of,
    project_of,
    refuse_site,
    shared,
)
from scalesheet.edition import Edition
from scalesheet.examine import examine, sound


def build_plans(
    data: Path,
    plans: Callable[[Book], Collection[str]],
    out: Path,
    *,
    asked: Collection[str] | None = None,
    site: bool = True,
    as_of: date | None = None,
    created: datetime | None = None,
    parser: ArgumentParser | None = None,
    progress: Progress = lambda message: None,
) -> Built:
    """Build what belongs only to the plans into `out`, and keep everything else there.

    `plans` names them. A plan with errors that was not `asked` for keeps its existing pages. Raises
    Refused, or OSError if other pages in `out` would contradict the new ones; both leave `out` as
    it was. The options are those of `build`.
    """
    from scalesheet.fingerprint import ALONE, OTHERS, stamp_of, write_stamp
    from scalesheet.output import keep, staged
    from scalesheet.render.api.write import write_plans
    from scalesheet.render.workbook.write import write_workbooks

    # Read inputs first: anything that changes after this counts as new in the next build.
    inputs = inputs_of(data, site=site, as_of=as_of, created=created, parser=parser)
    progress("reading and checking the data")
    examined = examine(data, as_of, asked=asked)
    edition = sound(examined)
    ids, left_out = plans(edition.book), examined.left_out

    # The new files replace old ones beside everything else, in one step.
    with staged(out) as stage:
        before = stamp_of(out) or {"inputs": {}, "pages": {}}
        there = out.is_dir() and any(out.iterdir())
        alone = before["inputs"].get(ALONE, OTHERS if there else "").split()
        if not {*alone} <= {*ids}:  # else nothing there would stay
            refuse_others(out, before["inputs"], inputs, (*ids, *left_out))
            keep(out.resolve(), stage)
        elif not site:
            keep(out.resolve() / "site", stage / "site")
        made = stage / ".made"
        for id_ in ids:
            shared(edition, id_)
        with write_workbooks(edition, made / "workbooks", created, ids, progress) as workbooks:
            pages: list[str] = []
            if site:
                progress("writing the pages")
                pages = _pages(edition, ids, made, stage / "site", project_of(data), left_out)
            counts = {**counts_of(edition, workbooks()), "pages": len(pages)}
        if site:
            if not left_out:
                _drop_gone(edition, ids, pages, stage / "site")
            _site(edition, ids, made, stage / "site", project_of(data), pages)
        else:
            write_plans(edition, ids, made / "api")
        for id_ in ids:  # a table that a plan no longer has leaves no file
            tables = stage / ("site" if site else "") / "api" / "v1" / "plans" / id_
            shutil.rmtree(tables, ignore_errors=True)
        _put(made, stage)
        of_left_out = tuple(f"data/plans/{id_}/" for id_ in left_out)
        inputs = {
            n: before["inputs"].get(n, "") if n.startswith(of_left_out) else d
            for n, d in inputs.items()
        }
        write_stamp(
            stage, before["pages"], {**inputs, ALONE: " ".join(sorted({*alone, *ids}))}, counts
        )
    return Built(
        out,
        workbooks=tuple(out / "workbooks" / f"{id_}.xlsx" for id_ in ids),
        site=out / "site" if site else None,
        diagnostics=tuple(examined.diagnostics),
        left_out=left_out,
        **counts,
    )


_HEADING = re.compile(r"<h1\b[^>]*>(.*?)</h1>", re.DOTALL)
#: Files that do not affect the numbers: handwritten pages and styles.
_BY_HAND = ("docs/", "taken/", "assets/")


def refuse_others(
    out: Path, was: Mapping[str, str], now: Mapping[str, str], plans: Collection[str]
) -> None:
    """Raise OSError if something that other pages of the output show has changed.

    This is a plan that is not built now, the catalogue, or the program.
    """
    from scalesheet.fingerprint import ALONE

    own = tuple(f"data/plans/{id_}/" for id_ in plans)
    names = was.keys() | now.keys() if was else ()
    changed = sorted(
        name
        for name in names
        if name != ALONE
        and not name.startswith((*own, *_BY_HAND))
        and was.get(name) != now.get(name)
    )
    if not was:
        changed = ["the version of scalesheet"]
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        text = (
            f"has pages of other plans from before {changed[0]}{more} changed; "
            "run 'scalesheet build' to write all of them, or name another folder with --out"
        )
        raise OSError(None, text, str(out))


def _put(made: Path, stage: Path) -> None:
    """Move every file into place; links to the old one keep its content."""
    for path in sorted(made.rglob("*")):
        if path.is_file():
            place = stage / path.relative_to(made)
            place.parent.mkdir(parents=True, exist_ok=True)
            path.replace(place)
    shutil.rmtree(made)


# ------------------------------------------------------------------ the renderers


def _pages(
    edition: Edition,
    ids: Collection[str],
    made: Path,
    kept: Path,
    project: Path,
    left_out: Collection[str],
) -> list[str]:
    """Write the plans' pages before they become a site; return their names.

    Links to pages of plans that are `left_out` are allowed.
    """
    from scalesheet.render.pages import write_plan_pages
    from scalesheet.shipped import SETTINGS
    from scalesheet.site.own import FILE
    from scalesheet.site.part import titles

    docs, plain = made / "docs", made / "plain"
    by_hand(docs, project, {})
    own = project / FILE
    titles(docs, kept, own if own.is_file() else SETTINGS)
    only = write_plan_pages(edition, ids, docs / GENERATED, plain / GENERATED)
    only = [f"{GENERATED}/{name}" for name in only]
    titled = {id_: id_ for id_ in left_out}
    for page in sorted((kept / GENERATED / "plans").glob("*.*.html")):  # parts, for the navigation
        of, heading = page.stem.partition(".")[0], _HEADING.search(page.read_text("utf-8"))
        if of in edition.book.plans and of not in ids and heading:
            titled[page.stem] = heading[1]
    for name, title in titled.items():
        (docs / GENERATED / "plans" / f"{name}.md").write_text(f"# {title}\n", "utf-8")
    return only


def _site(
    edition: Edition, ids: Collection[str], made: Path, kept: Path, project: Path, only: list[str]
) -> None:
    """Build the site of those pages, with what they need to work."""
    from scalesheet.render.api.write import write_plans
    from scalesheet.site.own import settings_of
    from scalesheet.site.part import build_part

    docs, plain = made / "docs", made / "plain"
    write_plans(edition, ids, made / "site-api")
    config = settings_of(project, docs, edition.book.title, made)
    problems = build_part(
        docs,
        made / "site",
        kept,
        config=config,
        only=only,
        files={"api": made / "site-api", "workbooks": made / "workbooks"},
        plain=plain,
        foot=foot_of(edition.book),
    )
    refuse_site(problems, edition.book, project)
    for rest in (docs, plain, made / "site-api"):
        shutil.rmtree(rest)
    if config.parent == made:
        config.unlink()


def _drop_gone(
    edition: Edition, ids: Collection[str], written: Collection[str], site: Path
) -> None:
    """Remove pages that plans no longer have. `written` are those of the plans `ids`."""
    pages = {name for plan in edition.book.plans.values() for name, _ in addresses(plan)}
    there = {"plans": pages, "audit": set(edition.audits)}
    for folder, names in there.items():
        for path in (site / GENERATED / folder).glob("*"):
            page, is_part, _ = path.stem.partition(".")  # no entity has a period in its id
            gone = is_part and page in ids and f"{GENERATED}/{folder}/{path.stem}.md" not in written
            if page not in {"index", *names} or gone:
                path.unlink()
