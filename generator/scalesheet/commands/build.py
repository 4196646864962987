"""`scalesheet build`: writes the workbooks, the pages, the data and the site."""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scalesheet.codes import GOOD
from scalesheet.commands import UsageError, as_of, folder, plan_of, progress

if TYPE_CHECKING:
    from scalesheet.book import Book

#: Objects between garbage collections: a build makes millions and drops hardly any.
SELDOM = 200_000
SUMMARY = "write the workbooks, the data and the site"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "plans",
        nargs="*",
        metavar="PLAN",
        help="build only the workbook, data and pages of this plan; keep the rest of the output",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("build"),
        metavar="DIR",
        help="output folder (default: build)",
    )
    parser.add_argument(
        "--no-site",
        action="store_true",
        help="write workbooks and data only; a site that is there stays",
    )
    as_of(parser)


def run(options: argparse.Namespace) -> int:
    from scalesheet.build import build
    from scalesheet.part import build_plans

    data = folder(options.data)
    refuse_overlap(options.out, data)
    gc.set_threshold(SELDOM)
    make = partial(build, data)
    if options.plans:
        make = partial(build_plans, data, partial(_ids, options.plans), asked=options.plans)
    built = make(
        options.out,
        site=not options.no_site,
        as_of=options.as_of,
        created=source_date(),
        parser=options.parser,
        progress=progress,
    )
    progress("")
    for finding in built.diagnostics:
        print(finding, file=sys.stderr)
    for plan in built.left_out:
        print(
            f"{plan} has errors and was not rebuilt; 'scalesheet check' lists them", file=sys.stderr
        )
    for path in built.workbooks:
        print(f"wrote {path}")
    if built.site is None:
        print(f"wrote {built.out / 'api'}")
        if (there := built.out / "site").is_dir():
            print(f"kept  {there}, of edition hash {_edition_of(there)}: it was not rebuilt")
    else:
        print(f"wrote {built.site} ({built.pages} pages)")
        page = f"book/plans/{options.plans[0]}.html" if options.plans else "index.html"
        print(f"open  {(built.site / page).absolute().as_uri()}")
    print(
        f"edition hash {built.edition_hash}: {built.cells:,} cells in the workbooks, "
        f"{built.formulas:,} of them live formulas"
    )
    return GOOD


def _edition_of(site: Path) -> str:
    """The edition hash in the data of a site."""
    try:
        text = (site / "api" / "v1" / "index.json").read_text("utf-8")
        return str(json.loads(text)["edition_hash"])
    except (OSError, ValueError, LookupError, TypeError):
        return "unknown"  # plans that were built alone have no index


def _ids(names: Sequence[str], book: Book) -> list[str]:
    return [plan_of(book, name).id for name in dict.fromkeys(names)]


def source_date() -> datetime | None:
    """The time in SOURCE_DATE_EPOCH: seconds since 1970, in UTC."""
    text = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not text:
        return None
    try:
        return datetime.fromtimestamp(int(text), UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"SOURCE_DATE_EPOCH='{text}' is not a number of seconds") from None


def refuse_overlap(out: Path, data: Path) -> None:
    """Refuse an output folder with the user's own files, since it is replaced as a whole."""
    from scalesheet.output import strangers

    target, source = out.absolute().resolve(), data.absolute().resolve()
    if target == source or source.is_relative_to(target) or target.is_relative_to(source):
        raise UsageError(f"--out '{out}' would replace the data folder '{data}'")
    if target.is_file():
        raise UsageError(f"--out '{out}' is a file; name a folder")
    for path in strangers(target):
        name = out if path == target else path
        raise UsageError(
            f"'{name}' was not made by a build and would be replaced; "
            "move it away, or name an empty or new folder with --out"
        )
