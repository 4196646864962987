"""The cache: computed results in the user's cache folder, keyed by the content they depend on.

The name of an item is a digest of the program, of its libraries and of every byte that the item was
computed from. So an edited file is not found, and a file that is restored (by `git checkout`) is
found again. An item is written to a temporary file and renamed, and is read only if the file has
the digest of its name and content: parallel commands do not disturb each other, and an item whose
file is damaged, or of other code, is computed again. If nothing can be cached, everything is
computed.
"""

from __future__ import annotations

import gc
import hashlib
import io
import os
import pickle
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache, partial
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from scalesheet.frozen import dataclass

T = TypeVar("T")

#: The folder to use instead of the user's cache; empty disables the cache.
VARIABLE = "SCALESHEET_CACHE"
#: Seconds of processor time below which a result is not worth a file.
WORTH = 0.2
#: The size of the cache in bytes; the least recently read items go first.
MOST = 300_000_000
#: Libraries that affect results.
LIBRARIES = ("jsonschema", "jsonschema-rs", "numpy", "pyyaml", "quickjs-ng", "xlsxwriter")
_DIGEST = 32
_INFO = re.compile(
    rf"^({'|'.join(each.replace('-', '[-_]') for each in LIBRARIES)})-[^-]+\.dist-info$", re.I
)


class OnDemand(Mapping[str, T]):
    """A mapping whose values are made on first use, by `make` from their names."""

    def __init__(self, names: Iterable[str], make: Callable[[str], T]) -> None:
        self._names, self._make, self._made = dict.fromkeys(names), make, dict[str, T]()

    def __getitem__(self, name: str) -> T:
        if name not in self._made:
            if name not in self._names:
                raise KeyError(name)
            self._made[name] = self._make(name)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))  # names of items are made of it

    def __reduce__(self) -> tuple[type[dict[str, T]], tuple[dict[str, T]]]:
        return dict, (dict(self.items()),)


class Apart(OnDemand[T]):
    """A mapping of which each value is loaded from an item's file on first use."""

    def __init__(self, values: Mapping[str, T | _Packed]) -> None:
        super().__init__(values, lambda name: _loaded(values[name]))

    def packed(self, root: str) -> dict[str, bytes]:
        return {name: _packed(value, root) for name, value in self.items()}


class Whole(Mapping[str, T]):
    """A mapping that is loaded from an item's file on first use, all at once."""

    def __init__(self, values: Mapping[str, T] | _Packed) -> None:
        self._values = values
        self._bytes: tuple[str, bytes] | None = None  # it may be packed in several places

    @property
    def _all(self) -> Mapping[str, T]:
        values: Mapping[str, T] = _loaded(self._values)
        self._values = values
        return values

    def __getitem__(self, name: str) -> T:
        return self._all[name]

    def __contains__(self, name: object) -> bool:
        return name in self._all

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def packed(self, root: str) -> bytes:
        if self._bytes is None or self._bytes[0] != root:
            self._bytes = root, _packed(dict(self._all), root)
        return self._bytes[1]

    __repr__, __reduce__ = OnDemand.__repr__, OnDemand.__reduce__


class Item:
    """A head, which is loaded at once, and parts, each loaded on first use."""

    def __init__(self, head: Any, parts: Mapping[str, Any], *, kept: bool = False) -> None:
        self.head = head
        self.kept = kept  # whether there is a file of it
        self._parts = Apart(parts)

    def __getitem__(self, name: str) -> Any:
        return self._parts[name]

    def packed(self, name: str, root: str) -> bytes:
        """The bytes of the item's file: a digest and the content."""
        content = _packed((self.head, self._parts), root)
        return _digest(name, content) + content


class Place(str):
    """The path of a file or folder as users see it.

    Items store it without the root, so that the same files elsewhere, or of a revision, match.
    """

    __slots__ = ()


@dataclass(frozen=True)
class _Packed:
    """A part that is not loaded yet."""

    content: bytes
    root: str


def _loaded(value: Any) -> Any:
    return _unpacked(value.content, value.root) if isinstance(value, _Packed) else value


def kept(name: str, make: Callable[[], Item], root: str = "", *, always: bool = False) -> Item:
    """Return the cached item of that name, or make it.

    What takes less than WORTH to make is not cached, unless `always`, which is for items that
    depend on a cached one. `root` is the folder of the item's files.
    """
    item = _read(name, root)
    if item is None:
        began, folder = time.process_time(), _folder()
        item = make()
        if folder is not None and (always or time.process_time() - began >= WORTH):
            item.kept = _write(folder, name, item, root)
    return item


def is_kept(name: str) -> bool:
    folder = _folder()
    return folder is not None and (folder / name).is_file()


def name_of(*parts: object) -> str:
    """The cache name of what the program computes from these parts, by their full repr."""
    return hashlib.sha256(repr((_program(), *parts)).encode()).hexdigest()


@cache
def _program() -> str:
    """A digest of the program, and of anything else that its results depend on."""
    digest = hashlib.sha256(sys.version.encode())
    root = os.path.dirname(__file__)
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(names):
            if name.endswith((".py", ".yaml", ".json", ".js")):
                path = os.path.join(folder, name)
                digest.update(os.path.relpath(path, root).encode())
                with open(path, "rb") as file:
                    digest.update(file.read())
    digest.update(repr(_libraries()).encode())
    return digest.hexdigest()


def _libraries() -> list[str]:
    """The versions of the libraries: the names of their metadata folders, since the library that
    reads the metadata takes longer to load.
    """
    folders = [each for each in sys.path if os.path.isdir(each)]
    names = [name for each in folders for name in sorted(os.listdir(each)) if _INFO.search(name)]
    if len(names) >= len(LIBRARIES):
        return names
    from importlib import metadata

    return [metadata.version(each) for each in LIBRARIES]


# ------------------------------------------------------------------ files


@cache
def _folder() -> Path | None:
    """The cache folder, or None. It must be private to the user, because its contents are
    executed."""
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


def _read(name: str, root: str) -> Item | None:
    """The item on file, or None if there is none, or its file cannot be read or unpacked."""
    folder = _folder()
    if folder is None:
        return None
    with suppress(Exception):  # unpickling may raise anything
        file = (folder / name).read_bytes()
        os.utime(folder / name)
        content = memoryview(file)[_DIGEST:]
        if _digest(name, content) == file[:_DIGEST]:
            head, parts = _unpacked(content, root)
            return Item(head, parts, kept=True)
    return None


def _digest(name: str, content: bytes | memoryview) -> bytes:
    """The digest of an item's file; names depend on the code that can unpack the content."""
    digest = hashlib.sha256(name.encode())
    digest.update(content)
    return digest.digest()


def _write(folder: Path, name: str, item: Item, root: str) -> bool:
    """Store an item and return whether that worked; a full disk is not an error, since nothing is
    lost."""
    from tempfile import NamedTemporaryFile

    with suppress(OSError):
        with NamedTemporaryFile(dir=folder, prefix=".new-", delete=False) as file:
            try:
                file.write(item.packed(name, root))
                file.close()
                os.replace(file.name, folder / name)
            except BaseException:
                os.unlink(file.name)
                raise
        _prune(folder)
        return True
    return False


def _prune(folder: Path) -> None:
    """Remove the least recently read items until the rest is within the limit."""
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
    """A pickler for frozen dataclasses with slots: class and values, in half the time.

    Their own pickling is slow.
    """

    def __init__(self, file: io.BytesIO, root: str) -> None:
        super().__init__(file, 5)
        self.dispatch_table = _Reducers()
        self.dispatch_table[Place] = partial(_place, root)
        self.dispatch_table[Apart] = self.dispatch_table[Whole] = partial(_apart, root)


class _Reducers(dict[type, Callable[[Any], Any]]):
    """How to pickle a value, by its class; made when a class first comes up."""

    def __missing__(self, kind: Any) -> Callable[[Any], Any]:
        slots = _slots(kind)
        if issubclass(kind, type):
            self[kind] = attrgetter("__qualname__")  # a class is pickled by its name
        elif slots is None:
            self[kind] = _usual
        elif _by_position(kind):
            self[kind] = lambda value: (kind, slots(value))
        else:
            self[kind] = lambda value: (_restored, (kind, *slots(value)))
        return self[kind]


def _usual(value: Any) -> Any:
    return value.__reduce_ex__(5)


def _place(root: str, value: Place) -> Any:
    below = value.startswith(root)
    return _placed, (below, value.removeprefix(root) if below else str(value))


class _Unpickler(pickle.Unpickler):
    """Undoes it, with the current root."""

    def __init__(self, file: io.BytesIO, root: str) -> None:
        super().__init__(file)
        self.root = root

    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name)
        return partial(found, root=self.root) if found in (_placed, _unloaded) else found


def _placed(below: bool, path: str, root: str = "") -> Place:
    return Place(root + path if below else path)


def _apart(root: str, value: Apart[Any] | Whole[Any]) -> Any:
    return _unloaded, (value.packed(root),)


def _unloaded(content: bytes | Mapping[str, bytes], root: str = "") -> Apart[Any] | Whole[Any]:
    if isinstance(content, bytes):
        return Whole(_Packed(content, root))
    return Apart({name: _Packed(each, root) for name, each in content.items()})


@cache
def _names(kind: type) -> tuple[str, ...]:
    """The fields of a dataclass that only has slots; else nothing."""
    slots = is_dataclass(kind) and hasattr(kind, "__slots__") and "__reduce__" not in vars(kind)
    return tuple(each.name for each in fields(kind)) if slots else ()


def _by_position(kind: Any) -> bool:
    """Whether calling the class with its fields in order does no more than set them."""
    plain = not hasattr(kind, "__post_init__")
    return plain and all(each.init and not each.kw_only for each in fields(kind))


@cache
def _slots(kind: type) -> Callable[[Any], tuple[Any, ...]] | None:
    """A function that gets the values of such a dataclass."""
    names = _names(kind)
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda record: (getattr(record, names[0]),)) if names else None


@cache
def _setters(kind: type) -> tuple[Callable[[Any, Any], None], ...]:
    """Functions that set them."""
    return tuple(getattr(kind, name).__set__ for name in _names(kind))


def _restored(kind: Any, *values: Any) -> Any:
    record = object.__new__(kind)
    for setter, value in zip(_setters(kind), values, strict=True):
        setter(record, value)
    return record


def _packed(value: Any, root: str) -> bytes:
    file = io.BytesIO()
    _Pickler(file, root).dump(value)
    return file.getvalue()


def _unpacked(content: bytes | memoryview, root: str) -> Any:
    """Unpickle without garbage collection: a million objects and no garbage would double the
    time."""
    collected = gc.isenabled()
    gc.disable()
    try:
        return _Unpickler(io.BytesIO(content), root).load()
    finally:
        if collected:
            gc.enable()
