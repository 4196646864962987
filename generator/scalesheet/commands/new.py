"""`scalesheet new`: creates a data file or a source from answers, flags or a config.json.

It asks on a terminal if no flags are given; with flags it asks nothing, so a script never hangs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scalesheet.codes import GOOD
from scalesheet.commands import UsageError, folder

if TYPE_CHECKING:
    from scalesheet.new.template import Given

SUMMARY = "create a commented template, or a model file from a config.json"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "kind",
        metavar="KIND",
        help="what to create: hardware, rate, model, formula, plan, claims, source, unit, ...",
    )
    parser.add_argument(
        "id",
        metavar="ID",
        help="its id: a-z, 0-9 and '-'; for claims the id of their plan, for a book its folder",
    )
    parser.add_argument(
        "--from",
        dest="config",
        type=Path,
        metavar="FILE",
        help="a model's config.json, as published on Hugging Face",
    )
    parser.add_argument(
        "--source",
        metavar="KEY",
        help="its source in sources.yaml, as KEY or 'KEY: PLACE' (default: a blank to fill in)",
    )
    parser.add_argument("--title", metavar="TEXT", help="its title (default: derived from the id)")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="fill in a value: a number in the example unit, LOW..HIGH, or text; may be repeated",
    )


def run(options: argparse.Namespace) -> int:
    from scalesheet.load.folder import shown
    from scalesheet.source.places import BOOK, CLAIMS, ENTRIES, place

    kind = kind_of(options.kind)
    if kind == BOOK:
        return _book(options)
    data = folder(options.data)
    if kind != "unit":
        _id(options.id)
    options.source, _, place_in_it = (options.source or "").partition(":")
    options.source, options.place = options.source.strip() or None, place_in_it.strip()
    asks = sys.stdin.isatty() and sys.stdout.isatty()
    if options.set or options.source or options.title or options.config:
        asks = False
    if options.config is not None and kind != "model":
        raise UsageError(f"--from reads a model's config.json; it does not apply to a {kind}")
    if options.config is not None and options.set:
        raise UsageError(
            "--set fills in an example, which --from does not use; edit the file instead"
        )
    if options.config is not None and not options.config.is_file():
        raise UsageError(f"--from: there is no file '{options.config}'; name a model's config.json")
    if kind in ENTRIES:
        return _entry(data, kind, options, asks)
    if options.source is not None:
        _source(data, options.source)
    path = place(data, kind, options.id)
    for each in (path, path.with_name("page.md")) if kind == "plan" else (path,):
        if each.exists() or each.is_symlink():
            raise UsageError(f"{shown(each)} already exists; choose another id, or edit the file")
    if kind == CLAIMS:
        _plan(data, options.id)
    if kind not in ("plan", CLAIMS) and (theirs := _replaced(data, kind, options)) is not None:
        return _copied(data, path, theirs)
    if options.config is not None:
        return _from_config(data, path, options)
    return _from_example(data, kind, path, options, asks)


def _replaced(data: Path, kind: str, options: argparse.Namespace) -> Path | None:
    """The file that the new one would replace in the book that this one extends. Raises UsageError
    if it is also to be filled in."""
    from scalesheet.load.folder import bases_of
    from scalesheet.source.places import place

    places = (place(base, kind, options.id) for base in bases_of(data))
    theirs = next((each for each in places if each.is_file()), None)
    if theirs is None:
        return None
    if options.set or options.source or options.title or options.config:
        raise UsageError(
            f"the extended book has '{options.id}'; run 'scalesheet new {kind} {options.id}' alone "
            "to copy its file, then edit it, or choose another id"
        )
    return theirs


def _copied(data: Path, path: Path, theirs: Path) -> int:
    from scalesheet.examine import save_valid
    from scalesheet.load.folder import shown
    from scalesheet.save import content

    save_valid(data, {path: (None, content(theirs) or b"")})
    print(f"wrote {shown(path)}, a copy of the file that it replaces in this book; edit it")
    return GOOD


def _from_config(data: Path, path: Path, options: argparse.Namespace) -> int:
    from scalesheet.examine import save_valid
    from scalesheet.load.folder import shown
    from scalesheet.new.model import from_config

    made = from_config(data, options.id, options.config, options.source, options.title)
    save_valid(data, {path: (None, made.text.encode())})
    print(f"wrote {shown(path)}")
    if made.parameters is None or made.active is None:
        print("parameters were not counted: the book lacks the formulas, or has errors")
    elif made.active < made.parameters:
        print(f"{made.parameters:,} parameters, {made.active:,} of them active for a text token")
    else:
        print(f"{made.parameters:,} parameters")
    for remark in made.remarks:
        print(f"it is {remark}")
    if made.unused:
        print(f"not used: {', '.join(made.unused)}")
    _blank(options.source)
    return GOOD


def _from_example(
    data: Path, kind: str, path: Path, options: argparse.Namespace, asks: bool
) -> int:
    from scalesheet.examine import save_valid
    from scalesheet.load.folder import shown
    from scalesheet.model import TO_BE_STATED
    from scalesheet.new import ask, entry
    from scalesheet.new.compose import composed
    from scalesheet.new.template import NothingToNameError
    from scalesheet.save import content

    sources = content(entry.file(data))
    with _nothing_written(data, shown(path)):
        given = _given(kind, options)
        try:
            made = (
                ask.answers(data, kind, options.id, input, print)
                if asks
                else composed(data, kind, options.id, given)
            )
        except NothingToNameError as error:
            raise UsageError(
                f"a {kind} names an {error} of the book, which has none yet; create one first"
            ) from None
    files = {path: made.text}
    if made.page is not None:
        files[path.with_name("page.md")] = made.page
    changes: dict[Path, tuple[bytes | None, bytes]] = {
        written: (None, text.encode()) for written, text in files.items()
    }
    if made.sources is not None:
        changes[entry.file(data)] = sources, made.sources.encode()
    save_valid(data, changes)
    for key in made.given.entries:
        print(f"added {key} to {shown(entry.file(data))}")
    for written in files:
        print(f"wrote {shown(written)}")
    if not made.given.filled:
        print("the figures are from an example; replace them with yours")
    elif made.left:
        print(f"still from the example: {', '.join(made.left)}")
    if TO_BE_STATED in made.text:
        _blank(made.given.source)
    return GOOD


def _given(kind: str, options: argparse.Namespace) -> Given:
    from scalesheet.new.blanks import setting
    from scalesheet.new.template import Given

    filled = dict(setting(kind, assignment) for assignment in options.set)
    given = Given(options.title, options.source, filled=filled)
    return replace(given, locator=options.place) if options.place else given


def _book(options: argparse.Namespace) -> int:
    """Run `init` in a folder of that name."""
    from scalesheet.commands import init
    from scalesheet.source.places import title

    if options.set or options.source or options.config:
        raise UsageError("a new book takes only a --title; edit its files afterward")
    named = options.title or title(Path(options.id).name)
    return init.run(argparse.Namespace(folder=Path(options.id), title=named))


def _plan(data: Path, id: str) -> None:
    """Raise UsageError if there is no such plan to compare a document with."""
    from scalesheet.nearest import nearest

    if not (data / "plans" / id / "plan.yaml").is_file():
        known = sorted(path.parent.name for path in data.glob("plans/*/plan.yaml"))
        raise UsageError(f"there is no plan '{id}'{nearest(id, known, 'plans')}")


def _entry(data: Path, kind: str, options: argparse.Namespace, asks: bool) -> int:
    """Create a source or a unit: an entry of sources.yaml or units.yaml rather than a file."""
    from scalesheet.examine import save_valid
    from scalesheet.load.folder import shown
    from scalesheet.new import ask, entry
    from scalesheet.new.blanks import setting
    from scalesheet.new.compose import with_entries
    from scalesheet.resolve.lowering.catalogue import core_units
    from scalesheet.save import content
    from scalesheet.source.places import ENTRIES

    if options.source is not None:
        raise UsageError(f"--source cites a source for a figure; a {kind} has no figures")
    top = ENTRIES[kind]
    file = entry.file(data, top)
    old = content(file)
    if options.id in entry.known(data, top):
        raise UsageError(f"the {kind} '{options.id}' is in {shown(file)} already; edit it there")
    if kind == "unit" and options.id in core_units():
        raise UsageError(f"the unit '{options.id}' is built in; use it as it is")
    with _nothing_written(data, f"'{options.id}'"):
        settings = [setting(top, text) for text in options.set]
        fields = {str(steps[0]): value for steps, value in settings}
        fields |= {"title": options.title} if options.title else {}
        if kind == "unit":
            fields = _counted(options.id) | fields if "is" not in fields else fields
        elif asks:
            fields = ask.entry_of(input, print)
        if kind == "source" and "title" not in fields:
            raise UsageError("a source needs its title, as on its title page: --title TEXT")
        text = with_entries(data, {options.id: fields}, top)
    save_valid(data, {file: (old, text.encode())})
    print(f"added {options.id} to {shown(file)}")
    return GOOD


def _counted(name: str) -> dict[str, str]:
    """A counted unit, the kind that most books lack."""
    return {"dimension": name, "title": name.replace("_", " "), "counted": "yes"}


@contextmanager
def _nothing_written(data: Path, name: str) -> Iterator[None]:
    """Report errors in a flag, an answer or the text of `name`."""
    from scalesheet.diagnostics import Refused
    from scalesheet.new import entry
    from scalesheet.new.blanks import SettingError

    try:
        yield
    except SettingError as error:
        raise UsageError(f"--set: {error}") from None
    except entry.LayoutError as error:
        raise UsageError(str(error)) from None
    except EOFError:
        raise UsageError("no answers were given; nothing was written") from None
    except Refused:
        print(f"nothing was written: {name} would not be valid in this book", file=sys.stderr)
        raise


def _blank(source: str | None) -> None:
    if source is None:
        print("the source is still missing; add a key of sources.yaml and the place in the source")


# ------------------------------------------------------------------ arguments


def kind_of(name: str) -> str:
    """The kind of file that a word means. Raises UsageError with the nearest."""
    from scalesheet.nearest import nearest
    from scalesheet.source.places import CALLED, KINDS, MADE

    kind = CALLED.get(name.lower())
    if kind is not None:
        return kind
    if name in MADE or name.removesuffix("s") in MADE:
        raise UsageError(f"a {name} is not written by hand: {MADE[name.removesuffix('s')]}")
    raise UsageError(
        f"there is no kind '{name}'{nearest(name, CALLED)} (kinds: {', '.join(KINDS)})"
    )


def _id(id: str) -> None:
    from scalesheet.load.folder import is_id
    from scalesheet.source.places import suggested

    if not is_id(id):
        near = suggested(id)
        hint = f"; did you mean '{near}'?" if near else ""
        raise UsageError(f"'{id}' is not an id: use a-z, 0-9 and '-', at most 64{hint}")


def _source(data: Path, key: str) -> None:
    from scalesheet.nearest import nearest
    from scalesheet.new.entry import known

    if key not in known(data):
        hint = nearest(key, known(data)) or "; add it: scalesheet new source KEY --title TEXT"
        raise UsageError(f"the source '{key}' is not in sources.yaml{hint}")
