"""What the program prints of the book that ships, and the figures of a document to be judged."""

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
    """The JSON of a command that finds nothing wrong, such as a verdict on file that is another."""
    out = StringIO()
    with redirect_stdout(out):
        status = cli.main([*arguments, "--format", "json", "--data", str(DATA)])
    assert status == 0, out.getvalue()[:500]
    told: Json = json.loads(out.getvalue())
    return told


def ids_of(document: str) -> list[str]:
    """All figures of a document, by id, as they were collected from its text."""
    return Path(__file__).with_name(f"ids_{document}.txt").read_text().split()


def ends(value: Json) -> tuple[float, float]:
    return value["low"], value["high"]


def counted(claims: Iterable[Json]) -> dict[str, int]:
    """How many claims have each verdict, by verdict."""
    return dict(sorted(Counter(claim["verdict"] for claim in claims).items()))


def lacking(claims: dict[str, Json]) -> dict[str, list[str]]:
    """What the document does not say, by claim."""
    return {id_: c["lacks"] for id_, c in claims.items() if c["verdict"] == "underdetermined"}
