"""`scalesheet new`: begins a file of the data folder, from an example or from a `config.json`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from scalesheet.commands import GOOD, UsageError, folder

SUMMARY = "begin a commented file, or that of a model from its config.json"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "kind", metavar="KIND", help="what it is: hardware, rate, model, formula, plan, ..."
    )
    parser.add_argument("id", metavar="ID", help="how it is called: a-z, 0-9 and '-'")
    parser.add_argument(
        "--from",
        dest="config",
        type=Path,
        metavar="FILE",
        help="a model's config.json, as published on Hugging Face",
    )
    parser.add_argument(
        "--source", metavar="KEY", help="its source in sources.yaml (default: a blank to fill in)"
    )
    parser.add_argument("--title", metavar="TEXT", help="its title (default: made of the id)")


def run(options: argparse.Namespace) -> int:
    from scalesheet.load.folder import shown
    from scalesheet.new.places import place

    data = folder(options.data)
    kind = kind_of(options.kind)
    _id(options.id)
    if options.config is not None and kind != "model":
        raise UsageError(f"--from reads the config.json of a model; it says nothing of a {kind}")
    if options.config is not None and not options.config.is_file():
        raise UsageError(f"there is no file '{options.config}'")
    if options.source is not None:
        _source(data, options.source)
    path = place(data, kind, options.id)
    for each in (path, path.with_name("page.md")) if kind == "plan" else (path,):
        if each.exists() or each.is_symlink():
            raise UsageError(f"{shown(each)} is there already; choose another id, or edit the file")
    if options.config is not None:
        return _from_config(data, path, options)
    return _from_example(data, kind, path, options)


def _from_config(data: Path, path: Path, options: argparse.Namespace) -> int:
    from scalesheet.load.folder import shown
    from scalesheet.new.model import from_config

    made = from_config(data, options.id, options.config, options.source, options.title)
    _write({path: made.text})
    print(f"wrote {shown(path)}")
    if made.parameters is None or made.active is None:
        print("parameters are not counted: the book lacks the formulas, or 'check' refuses it")
    elif made.active < made.parameters:
        print(f"{made.parameters:,} parameters, {made.active:,} of them met by a token of text")
    else:
        print(f"{made.parameters:,} parameters")
    for remark in made.remarks:
        print(f"it is {remark}")
    if made.unused:
        print(f"not used: {', '.join(made.unused)}")
    _blank(options)
    return GOOD


def _from_example(data: Path, kind: str, path: Path, options: argparse.Namespace) -> int:
    from scalesheet.diagnostics import Refused
    from scalesheet.load.folder import shown
    from scalesheet.model import TO_BE_STATED
    from scalesheet.new.sound import compiled
    from scalesheet.new.template import NothingToNameError, page, template

    try:
        text = template(kind, options.id, data, options.source, options.title)
    except NothingToNameError as error:
        raise UsageError(
            f"a {kind} names an {error} of the book, which has none yet; begin with one"
        ) from None
    try:
        compiled(data, kind, options.id, text)
    except Refused:
        print(f"nothing was written: {shown(path)} would not fit the book", file=sys.stderr)
        raise
    files = {path: text}
    if kind == "plan":
        files[path.with_name("page.md")] = page(options.id, options.title)
    _write(files)
    for written in files:
        print(f"wrote {shown(written)}")
    print("its figures are those of an example: put in yours")
    if TO_BE_STATED in text:
        _blank(options)
    return GOOD


def _blank(options: argparse.Namespace) -> None:
    if options.source is None:
        print("its source is still to be stated: a key of sources.yaml, and the place in it")


def _write(files: Mapping[Path, str]) -> None:
    """Writes new files. One that has come into being meanwhile is left as it is."""
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)


# ------------------------------------------------------------------ what was asked for


def kind_of(name: str) -> str:
    """The kind of file that a word means. Raises UsageError with the nearest."""
    from scalesheet.diagnostics import nearest
    from scalesheet.new.places import CALLED, FOLDER_OF, MADE

    kind = CALLED.get(name.lower())
    if kind is not None:
        return kind
    if name in MADE or name.removesuffix("s") in MADE:
        raise UsageError(f"a {name} is not written by hand: {MADE[name.removesuffix('s')]}")
    kinds = ", ".join(FOLDER_OF)
    raise UsageError(f"there is no kind '{name}'{nearest(name, CALLED)} (kinds: {kinds})")


def _id(id: str) -> None:
    from scalesheet.load.folder import is_id
    from scalesheet.new.places import suggested

    if not is_id(id):
        near = suggested(id)
        hint = f"; did you mean '{near}'?" if near else ""
        raise UsageError(f"'{id}' is not an id: use a-z, 0-9 and '-', at most 64{hint}")


def _source(data: Path, key: str) -> None:
    from scalesheet.diagnostics import nearest
    from scalesheet.load.reader import parse

    file = data / "sources.yaml"
    parsed = parse(file.read_bytes(), str(file)) if file.is_file() else None
    found = parsed.data if parsed is not None else None
    known = found.get("sources") if isinstance(found, dict) else None
    if not isinstance(known, dict) or key not in known:
        hint = nearest(key, known or ()) or "; add it there first"
        raise UsageError(f"the source '{key}' is not in sources.yaml{hint}")
