"""Run `scalesheet new` as a user of the minimal book does."""

from __future__ import annotations

from pathlib import Path

from scalesheet import cli


def run(*arguments: str) -> int:
    return cli.main(["new", *arguments])


def sell(data: Path, kind: str) -> None:
    """Before a first provider is created, give the book's offer one, which it then needs."""
    if kind == "provider":
        (data / "providers").mkdir()
        (data / "providers" / "seller.yaml").write_text("title: A provider\n", "utf-8")
