"""The index of the data API: which files there are, where, and of which edition."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import PurePosixPath

from scalesheet import __version__
from scalesheet.book import Book
from scalesheet.model import Plan
from scalesheet.render.api.values import Object
from scalesheet.schemas import KINDS

VERSION = "v1"
#: Increases with each addition to the shapes; docs/reference/api.md has the change log.
REVISION = 25
#: From index.json to the root of the site, or of the output if there is no site.
ROOT = "../../"
DOCUMENTATION = "reference/api.html"

COLLECTIONS: Mapping[str, str] = {
    "hardware": "Hardware",
    "nodes": "Nodes",
    "providers": "Providers",
    "offers": "Offers",
    "models": "Models",
    "measurements": "Measurements",
    "fits": "Fits",
    "formulas": "Formulas",
    "sources": "Sources",
    "units": "Units",
}
#: Collections whose entries have no pages.
PAGELESS = frozenset({"units"})
#: Schemas of collections that are not tables.
_ENTRIES = {"formulas": "formula-records", "sources": "source-records", "units": "unit-records"}
#: The schema of each file, by the pattern of its path; files of a book's own tables are added.
SHAPES: Mapping[str, str] = {
    "index.json": "index",
    "plans.json": "headlines",
    "plans/*.json": "plan-results",
    "audit/*.json": "audit",
    "sensitivity/*.json": "sensitivity",
    "quantiles/*.json": "quantiles",
    "score.json": "scores",
    "changes.json": "changes",
    **{f"{name}.json": _ENTRIES.get(name, "catalogue") for name in COLLECTIONS},
}
#: Schemas of what commands print, which no file has.
PRINTED = ("diff", "law")
#: Schemas that those of `SHAPES` and of the data format refer to.
SHARED_SHAPE, SHARED_KIND = "values", "common"


def index_json(
    book: Book,
    collections: Collection[str],
    *,
    edition_hash: str,
    audits: frozenset[str],
    pages: bool,
) -> Object:
    """Return the index.

    `collections` are their names; `audits` has the ids of the plans with an audit; `pages` is
    whether the site's pages are published with it.
    """
    documentation = {"documentation": f"{ROOT}{DOCUMENTATION}"} if pages else {}
    return {
        "title": book.title,
        "api": VERSION,
        "revision": REVISION,
        "program": __version__,
        "edition": book.edition.isoformat(),
        "as_of": book.as_of.isoformat(),
        "edition_hash": edition_hash,
        **documentation,
        "repository": book.url,
        "plans": [_plan(plan, audits, pages) for plan in book.plans.values()],
        "headlines": {"json": "plans.json", "csv": "plans.csv"},
        "collections": {name: _collection(name, book, pages) for name in collections},
        "prices": {"csv": "prices.csv"},
        "changes": {
            "json": "changes.json",
            "atom": "changes.atom",
            **({"page": _address("changes", "index")} if pages else {}),
        },
        "score": {"json": "score.json", **_page("score", "index", pages)},
        "printed": {name: f"schemas/api/{name}.schema.json" for name in PRINTED},
        "schemas": {kind: f"schemas/{kind}.schema.json" for kind in KINDS},
        "shapes": {
            pattern: f"schemas/api/{schema}.schema.json"
            for pattern, schema in {**SHAPES, **_shapes_of(collections)}.items()
        },
    }


def _plan(plan: Plan, audits: frozenset[str], pages: bool) -> Object:
    return {
        "id": plan.id,
        "title": plan.title,
        "summary": plan.summary,
        "json": f"plans/{plan.id}.json",
        "csv": f"plans/{plan.id}.csv",
        "tables": f"plans/{plan.id}/{{table}}.csv",
        "workbook": f"{ROOT}workbooks/{plan.id}.xlsx",
        "sensitivity": f"sensitivity/{plan.id}.json",
        "quantiles": f"quantiles/{plan.id}.json",
        **({"audit": f"audit/{plan.id}.json"} if plan.id in audits else {}),
        **_page("plans", plan.id, pages),
        "pages": [{"id": each.id, **_page("plans", each.id, pages)} for each in plan.pages],
    }


def _collection(name: str, book: Book, pages: bool) -> Object:
    paged = pages and name not in PAGELESS
    return {
        "title": COLLECTIONS.get(name) or book.tables[name].title,
        "json": f"{name}.json",
        "csv": f"{name}.csv",
        **({"pages": _address(name, "{id}")} if paged else {}),
    }


def _shapes_of(collections: Collection[str]) -> Mapping[str, str]:
    """Return the schemas of the small tables that the book declares itself."""
    return {f"{name}.json": "catalogue" for name in collections if name not in COLLECTIONS}


def _page(folder: str, id_: str, pages: bool) -> Object:
    if not pages:
        return {}
    page = _address(folder, id_)
    return {"page": page, "markdown": page.removesuffix("html") + "md"}


def _address(folder: str, id_: str) -> str:
    return f"{ROOT}{PurePosixPath('book', folder, id_)}.html"
