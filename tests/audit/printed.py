"""What the program prints for the shipped book, and the figures of its audited documents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from scalesheet import cli

DATA = Path(__file__).parents[2] / "data"

Json = dict[str, Any]


def printed(*arguments: str) -> Json:
    """The JSON that a command prints; fails if it reports an error, such as a changed verdict."""
    out = StringIO()
    with redirect_stdout(out):
        status = cli.main([*arguments, "--format", "json", "--data", str(DATA)])
    assert status == 0, out.getvalue()[:500]
    told: Json = json.loads(out.getvalue())
    return told


def ids_of(document: str) -> list[str]:
    """The ids of all figures that were collected from a document's text."""
    return Path(__file__).with_name(f"ids_{document}.txt").read_text().split()


def ends(value: Json) -> tuple[float, float]:
    return value["low"], value["high"]


def counted(claims: Iterable[Json]) -> dict[str, int]:
    """The number of claims with each verdict."""
    return dict(sorted(Counter(claim["verdict"] for claim in claims).items()))


def lacking(claims: dict[str, Json]) -> dict[str, list[str]]:
    """The facts that the document does not state, by claim."""
    return {id_: c["lacks"] for id_, c in claims.items() if c["verdict"] == "underdetermined"}
