"""The command, as a user of the minimal book gives it."""

from __future__ import annotations

from scalesheet import cli


def run(*arguments: str) -> int:
    return cli.main(["new", *arguments])
