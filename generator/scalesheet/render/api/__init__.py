"""The data face: results and catalogue as JSON and CSV, each number with unit, kind and source.

`write_api` is the whole renderer, top to bottom. The shapes of the files are those of
`schema/api`, and docs/reference/api.md says what is promised of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from scalesheet.bench.beside import Beside
from scalesheet.evaluate.sensitivity import Sensitivity
from scalesheet.model import Book
from scalesheet.predict.score import TaskScore
from scalesheet.render.api.audit import AUDITS
from scalesheet.render.api.catalogue import collection_files, collections, prices_csv
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
    Scenarios,
    as_csv,
    cells,
    headlines_csv,
    headlines_json,
    plan_json,
)
from scalesheet.render.api.score import score_json
from scalesheet.render.api.sensitivity import sensitivity_json
from scalesheet.render.api.text import as_json
from scalesheet.render.api.values import value_json
from scalesheet.schemas import KINDS, written
from scalesheet.values import Results

__all__ = ["VERSION", "as_csv", "as_json", "cells", "plan_json", "value_json", "write_api"]


def write_api(
    book: Book,
    results: Mapping[str, Results],
    folder: Path,
    *,
    edition_hash: str,
    catalogue: Results,
    scenarios: Mapping[str, Scenarios],
    examples: Mapping[str, Sequence[float]],
    sensitivities: Mapping[str, Sensitivity],
    pages: bool,
    scores: Mapping[str, TaskScore] | None = None,
    beside: Mapping[str, Beside] | None = None,
    site_url: str = "",
) -> tuple[str, ...]:
    """Write the API below `folder`/v1; the paths of what was written, below that.

    `results`, `scenarios` and `sensitivities` are by plan, `examples` the computed results of each
    formula's examples, `scores` by task, `beside` what is predicted of each measurement. `pages`:
    the pages of the site stand around, so the index links to them; `site_url` is where the site
    stands, if that is known.
    """
    root = folder / VERSION
    files: dict[str, str] = {}

    # The plans, then what they are made of.
    files["plans.json"] = as_json(headlines_json(book, scenarios))
    files["plans.csv"] = headlines_csv(book, scenarios)
    for plan in book.plans.values():
        files[f"plans/{plan.id}.json"] = as_json(plan_json(book, plan, results[plan.id]))
        files[f"plans/{plan.id}.csv"] = as_csv(plan, results[plan.id])
        moves = sensitivity_json(book, plan, sensitivities[plan.id])
        files[f"sensitivity/{plan.id}.json"] = as_json(moves)
    kept = collections(book, catalogue, examples, beside or {})
    for each in kept:
        files.update(collection_files(book, each))
    files["prices.csv"] = prices_csv(book)
    files[JSON] = as_json(changes_json(book))
    files[FEED] = changes_feed(book, pages=pages, site_url=site_url)
    files["score.json"] = as_json(score_json(book, scores or {}))

    # What all of it looks like, and where everything is. Audits were written before.
    files.update(_schemas())
    audits = frozenset(path.stem for path in (root / AUDITS).glob("*.json"))
    listed = {each.name: [(id_, title) for id_, title, _ in each.entries] for each in kept}
    index = index_json(book, listed, edition_hash=edition_hash, audits=audits, pages=pages)
    files["index.json"] = as_json(index)

    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return tuple(sorted(files))


def _schemas() -> Iterator[tuple[str, str]]:
    """The schemas of the data format and of these files, as they stand in the program."""
    for kind in (SHARED_KIND, *KINDS):
        yield f"schemas/{kind}.schema.json", as_json(written(kind))
    for shape in sorted({SHARED_SHAPE, *SHAPES.values(), *PRINTED}):
        yield f"schemas/api/{shape}.schema.json", as_json(written(f"api/{shape}"))
