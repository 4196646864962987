"""Run `scalesheet new` as a user of the minimal book does."""

from __future__ import annotations

from scalesheet import cli


def run(*arguments: str) -> int:
    return cli.main(["new", *arguments])
