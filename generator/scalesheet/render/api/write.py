"""Writes the data API.

`write_api` is the whole renderer, top to bottom. The files have the shapes of `schema/api`;
docs/reference/api.md documents them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path

from scalesheet.edition import Edition
from scalesheet.model import Plan
from scalesheet.render.api.audit import audit_json
from scalesheet.render.api.catalogue import (
    collection_files,
    collections,
    prices_csv,
    table_csv,
)
from scalesheet.render.api.changes import FEED, JSON, changes_feed, changes_json
from scalesheet.render.api.index import (
    PRINTED,
    SHAPES,
    SHARED_KIND,
    SHARED_SHAPE,
    VERSION,
    index_json,
)
from scalesheet.render.api.plans import (
    as_csv,
    headlines_csv,
    headlines_json,
    plan_json,
)
from scalesheet.render.api.quantiles import quantiles_json
from scalesheet.render.api.score import score_json
from scalesheet.render.api.sensitivity import sensitivity_json
from scalesheet.render.api.text import compact
from scalesheet.schemas import KINDS, written


def write_api(
    edition: Edition, folder: Path, *, pages: bool, site_url: str = ""
) -> tuple[str, ...]:
    """Write the API below `folder`/v1 and return the paths written, relative to it.

    `pages`: the site's pages are published with it, so the index links to them. `site_url` is where
    the site is published, if known.
    """
    book = edition.book
    root = folder / VERSION
    files: dict[str, str] = {}

    # The plans and their audits, then the catalogue.
    files.update(_of_plans(edition, book.plans))
    audited = dict.fromkeys(each.audit.plan for each in edition.audits.values())
    kept = collections(edition)
    for each in kept:
        files.update(collection_files(book, each))
    files["prices.csv"] = prices_csv(book)
    files[JSON] = compact(changes_json(book))
    files[FEED] = changes_feed(book, pages=pages, site_url=site_url)
    files["score.json"] = compact(score_json(edition))

    # The schemas, then the index.
    files.update(_schemas())
    names = [each.name for each in kept]
    index = index_json(
        book, names, edition_hash=edition.hash, audits=frozenset(audited), pages=pages
    )
    files["index.json"] = compact(index)
    return _write(files, root)


def write_plans(edition: Edition, ids: Iterable[str], folder: Path) -> tuple[str, ...]:
    """Write the files of some plans, and the headlines of all."""
    return _write(dict(_of_plans(edition, ids)), folder / VERSION)


def _write(files: Mapping[str, str], root: Path) -> tuple[str, ...]:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return tuple(sorted(files))


def _of_plans(edition: Edition, ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the headlines, and the results, sensitivity, quantiles and audits of each plan."""
    yield "plans.json", compact(headlines_json(edition))
    yield "plans.csv", headlines_csv(edition)
    for plan in (edition.book.plans[id_] for id_ in ids):
        yield from edition.keep("data", partial(dict, _of_plan(edition, plan)), plan.id).items()


def _of_plan(edition: Edition, plan: Plan) -> Iterator[tuple[str, str]]:
    results = edition.results[plan.id]
    yield f"plans/{plan.id}.json", compact(plan_json(edition.book, plan, results))
    yield f"plans/{plan.id}.csv", as_csv(plan, results, tables=False)
    for name, table in plan.tables.items():
        yield f"plans/{plan.id}/{name}.csv", table_csv(table, results)
    moves = sensitivity_json(edition.book, plan, edition.sensitivities[plan.id])
    yield f"sensitivity/{plan.id}.json", compact(moves)
    sure = quantiles_json(edition.book, plan, edition.sures[plan.id])
    yield f"quantiles/{plan.id}.json", compact(sure)
    audits = [each for each in edition.audits.values() if each.audit.plan == plan.id]
    if audits:
        yield f"audit/{plan.id}.json", compact(audit_json(edition.book, audits))


@cache
def _schemas() -> Mapping[str, str]:
    """Return the schemas of the data format and of these files."""
    kinds = {f"schemas/{kind}": kind for kind in (SHARED_KIND, *KINDS)}
    shapes = sorted({SHARED_SHAPE, *SHAPES.values(), *PRINTED})
    kinds |= {f"schemas/api/{shape}": f"api/{shape}" for shape in shapes}
    return {f"{path}.schema.json": compact(written(kind)) for path, kind in kinds.items()}
