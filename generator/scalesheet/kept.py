"""What was computed of a data folder, kept in the user's cache by the content that it rests on.

The name of an item is a digest of the program, of its libraries and of every byte that the item was
computed from. So an edited file finds nothing, and a file that is as it was once (after
`git checkout`) finds what was kept then. An item is written beside its place and put there in one
step, and is read only where its own digest holds: two commands at once do not disturb each other,
and a damaged file is computed again. Where nothing can be kept, everything is computed.
"""

from __future__ import annotations

import gc
import hashlib
import io
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TypeVar

T = TypeVar("T")

#: The folder, in place of the user's own cache; empty: nothing is kept.
VARIABLE = "SCALESHEET_CACHE"
#: What took less than this to compute, in seconds of processor time, is not worth a file.
WORTH = 0.2
#: How much is kept, in bytes; what was not read for longest goes first.
MOST = 300_000_000
#: Libraries that shape what is computed.
LIBRARIES = ("jsonschema", "numpy", "pyyaml")
_DIGEST = 32


class Item:
    """A head, which is there at once, and parts, each read when it is first asked for."""

    def __init__(self, head: Any, parts: Mapping[str, Any], *, kept: bool = False) -> None:
        self.head = head
        self.kept = kept  # whether there is a file of it
        self._parts = dict(parts)

    def __getitem__(self, name: str) -> Any:
        part = self._parts[name]
        if isinstance(part, _Packed):
            part = self._parts[name] = _unpacked(part.content, part.root)
        return part

    def packed(self, paths: Paths) -> bytes:
        """The item as a file holds it: a digest, and what it is of."""
        parts = {name: _packed(self[name], paths) for name in self._parts}
        content = _packed((self.head, parts), paths)
        return hashlib.sha256(content).digest() + content


@dataclass(frozen=True)
class Paths:
    """The files that an item is of, as users see them. An item holds them without their folder, so
    that the same files elsewhere, or of a revision, find it."""

    root: str = ""
    every: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Packed:
    """A part that nobody asked for yet."""

    content: bytes
    root: str


class OnDemand(Mapping[str, T]):
    """A mapping whose values are made when they are first asked for."""

    def __init__(self, makers: Mapping[str, Callable[[], T]]) -> None:
        self._makers = makers
        self._made: dict[str, T] = {}

    def __getitem__(self, key: str) -> T:
        if key not in self._made:
            self._made[key] = self._makers[key]()
        return self._made[key]

    def __contains__(self, key: object) -> bool:
        return key in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def __reduce__(self) -> tuple[type[dict[str, T]], tuple[dict[str, T]]]:
        return dict, (dict(self.items()),)


def kept(
    name: str, make: Callable[[], Item], paths: Paths = Paths(), *, always: bool = False
) -> Item:
    """The item of that name, as it was kept, or else as `make` makes it. Of a small book nothing is
    kept; `always` is for what rests on an item that is."""
    folder = _folder()
    if folder is None:
        return make()
    item = _read(folder / name, paths.root)
    if item is None:
        began = time.process_time()
        item = make()
        if always or time.process_time() - began >= WORTH:
            item.kept = _write(folder, name, item, paths)
    return item


def name_of(*parts: object) -> str:
    """The name of what the program computes from some parts, which print in full."""
    return hashlib.sha256(repr((_program(), *parts)).encode()).hexdigest()


@cache
def _program() -> str:
    """A digest of the program itself, and of what its results depend on besides."""
    digest = hashlib.sha256(sys.version.encode())
    root = Path(__file__).parent
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".yaml", ".json"):
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    for library in LIBRARIES:
        digest.update(metadata.version(library).encode())
    return digest.hexdigest()


# ------------------------------------------------------------------ files


@cache
def _folder() -> Path | None:
    """Where items lie: a folder that is the user's alone, since what lies there is run; or None."""
    from platformdirs import user_cache_path

    named = os.environ.get(VARIABLE)
    if named == "":
        return None
    folder = Path(named) if named else user_cache_path("scalesheet", appauthor=False)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError:
        return None
    ours = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    return folder if ours and not (os.name == "posix" and status.st_mode & 0o022) else None


def _read(path: Path, root: str) -> Item | None:
    try:
        file = path.read_bytes()
        os.utime(path)
    except OSError:
        return None
    content = memoryview(file)[_DIGEST:]
    if hashlib.sha256(content).digest() != file[:_DIGEST]:
        return None
    head, parts = _unpacked(content, root)
    return Item(head, {name: _Packed(part, root) for name, part in parts.items()}, kept=True)


def _write(folder: Path, name: str, item: Item, paths: Paths) -> bool:
    """Keeps an item, and says whether it could: a disk that is full is no concern of the user's,
    since nothing is lost."""
    with suppress(OSError):
        with NamedTemporaryFile(dir=folder, prefix=".new-", delete=False) as file:
            try:
                file.write(item.packed(paths))
                file.close()
                os.replace(file.name, folder / name)
            except BaseException:
                os.unlink(file.name)
                raise
        _prune(folder)
        return True
    return False


def _prune(folder: Path) -> None:
    """Removes what was not read for longest, until the rest is no more than may be kept."""
    with os.scandir(folder) as entries:
        files = sorted(((s := e.stat()).st_mtime, s.st_size, e.path) for e in entries)
    size = 0
    for _, bytes_, path in reversed(files):
        size += bytes_
        if size > MOST:
            with suppress(OSError):
                os.unlink(path)


# ------------------------------------------------------------------ bytes


class _Pickler(pickle.Pickler):
    """Frozen records with slots have a slow way of their own to be written and read; here they are
    their class and their values, in half the time."""

    def __init__(self, file: io.BytesIO, paths: Paths) -> None:
        super().__init__(file, 5)
        self.paths = paths

    def persistent_id(self, value: Any) -> str | None:
        if type(value) is str and (value in self.paths.every or value == self.paths.root):
            return value.removeprefix(self.paths.root)
        return None

    def reducer_override(self, value: Any) -> Any:
        slots = _setters(type(value))
        if not slots:
            return NotImplemented
        return _restored, (type(value), *(getattr(value, name) for name in slots))


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, root: str) -> None:
        super().__init__(file)
        self.root = root
        self.paths: dict[str, str] = {}

    def persistent_load(self, pid: str) -> str:
        return self.paths.setdefault(pid, self.root + pid)


_SETTERS: dict[type, Mapping[str, Callable[[Any, Any], None]]] = {}


def _setters(kind: type) -> Mapping[str, Callable[[Any, Any], None]]:
    """By field what sets it, of a dataclass whose fields are all slots; else nothing."""
    if kind not in _SETTERS:
        slots = is_dataclass(kind) and hasattr(kind, "__slots__") and "__reduce__" not in vars(kind)
        names = [each.name for each in fields(kind)] if slots else []
        _SETTERS[kind] = {name: getattr(kind, name).__set__ for name in names}
    return _SETTERS[kind]


def _restored(kind: type[T], *values: Any) -> T:
    record = object.__new__(kind)
    for setter, value in zip(_setters(kind).values(), values, strict=True):
        setter(record, value)
    return record


def _packed(value: Any, paths: Paths) -> bytes:
    file = io.BytesIO()
    _Pickler(file, paths).dump(value)
    return file.getvalue()


def _unpacked(content: bytes | memoryview, root: str) -> Any:
    """A million objects are made and no garbage: the collector would take as long again."""
    collected = gc.isenabled()
    gc.disable()
    try:
        return _Unpickler(io.BytesIO(content), root).load()
    finally:
        if collected:
            gc.enable()
