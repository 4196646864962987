"""`scalesheet init`: creates a book of your own on top of the catalogue."""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path

from scalesheet import __version__
from scalesheet.codes import GOOD
from scalesheet.commands import UsageError

SUMMARY = "create a book of your own on top of the catalogue"

#: The files of a new book; words in braces in book.yaml and requirements.txt are filled in.
TEMPLATE = Path(__file__).parents[1] / "new" / "book"
BOOK, EDITOR, PROGRAM = "data/book.yaml", ".vscode/settings.json", "requirements.txt"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder",
        metavar="DIR",
        type=Path,
        nargs="?",
        default=Path(),
        help="folder of the new book (default: the current one)",
    )
    parser.add_argument("--title", default="Our plans", metavar="TEXT", help="the book's title")


def run(options: argparse.Namespace) -> int:
    from scalesheet.check import check
    from scalesheet.diagnostics import Refused, errors
    from scalesheet.load.folder import locked, shown
    from scalesheet.load.lock import NAME
    from scalesheet.new.sound import document
    from scalesheet.save import content, save
    from scalesheet.source.text import block

    folder: Path = options.folder
    texts = {
        path.relative_to(TEMPLATE).as_posix(): path.read_text("utf-8")
        for path in sorted(TEMPLATE.rglob("*"))
        if path.is_file()
    }
    title = block({"title": options.title}).rstrip()
    texts[BOOK] = texts[BOOK].replace("title: {title}", title).replace("{edition}", str(_edition()))
    made, problems = document("book", "book", shown(folder / BOOK), texts[BOOK])
    if problems := errors([*problems, *check([made])]):  # of the title
        raise Refused(problems)
    texts[EDITOR] = _editor()
    texts[PROGRAM] = texts[PROGRAM].format(version=__version__, requirement=_requirement())
    there = [name for name in texts if (folder / name).exists()]
    if BOOK in there:
        raise UsageError(f"{shown(folder / BOOK)} already exists; edit that book")
    folder.mkdir(parents=True, exist_ok=True)
    new = {folder / name: text for name, text in texts.items() if name not in there}
    save(folder, {path: (None, text.encode()) for path, text in new.items()})
    data = (folder / BOOK).parent
    lock = data / NAME
    save(folder, {lock: (content(lock), str(locked(data)).encode())})
    for path in (*new, lock):
        print(f"wrote {shown(path)}")
    for name in there:
        print(f"kept  {shown(folder / name)}: it already exists")
    enter = "" if folder.resolve() == Path.cwd() else f"cd {folder} && "
    print(f"next: {enter}scalesheet show first")
    return GOOD


def _edition() -> date:
    """Today, but not before the date of the catalogue, whose values must hold."""
    from scalesheet.load import parse
    from scalesheet.shipped import CATALOGUE

    book = parse((CATALOGUE / "book.yaml").read_bytes(), "book.yaml").data
    return max(date.today(), date.fromisoformat(str(book["edition"])))


def _requirement() -> str:
    """The requirement that installs this program again, from where pip got it.

    If that was a folder or file, it is the wheel: somebody else may have the name on an index.
    """
    import json
    from importlib import metadata

    wheel = f"./scalesheet-{__version__}-py3-none-any.whl"
    try:
        text = metadata.distribution("scalesheet").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return wheel  # a checkout that is not installed
    if text is None:
        return f"scalesheet=={__version__}"
    origin = json.loads(text)
    commit, url = origin.get("vcs_info", {}).get("commit_id"), origin["url"]
    is_local = commit is None or url.startswith("file:")
    return wheel if is_local else f"scalesheet @ {origin['vcs_info']['vcs']}+{url}@{commit}"


def _editor() -> str:
    """Editor settings that map schemas to files; a build writes the schemas below its API."""
    import json

    from scalesheet.load.folder import FOLDERS, OPTIONAL, TOP

    places = {kind: f"data/{name}" for name, kind in (TOP | OPTIONAL).items()}
    places |= {kind: f"data/{folder}/*.yaml" for folder, kind in FOLDERS.items()}
    places |= {"plan": "data/plans/*/plan.yaml", "claims": "data/plans/*/claims.yaml"}
    schemas = {
        f"./build/site/api/v1/schemas/{kind}.schema.json": place for kind, place in places.items()
    }
    return json.dumps({"yaml.schemas": schemas}, indent=2) + "\n"
