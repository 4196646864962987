"""`scalesheet lock`: records the state of the extended book."""

from __future__ import annotations

import argparse

from scalesheet.codes import GOOD
from scalesheet.commands import UsageError, folder

SUMMARY = "write book.lock: the files of the extended book that the numbers depend on"


def arguments(parser: argparse.ArgumentParser) -> None:
    """There are none besides the data folder."""


def run(options: argparse.Namespace) -> int:
    from scalesheet.load.folder import locked, shown
    from scalesheet.load.lock import NAME
    from scalesheet.save import content, save

    data = folder(options.data)
    text = locked(data)
    if text is None:
        raise UsageError("this book extends no other, so there is nothing to lock")
    path = data / NAME
    old = content(path)
    if old == text.encode():
        print(f"{shown(path)} is up to date")
        return GOOD
    save(data, {path: (old, text.encode())})
    print(f"wrote {shown(path)}")
    return GOOD
