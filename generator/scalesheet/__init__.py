"""A compiler for compute plans: YAML in; live workbooks, pages and data out."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scalesheet.library import Book, Plan, Quantity, choose, load, open_book, predict

__version__ = "0.1.0"
__all__ = ["Book", "Plan", "Quantity", "choose", "load", "open_book", "predict"]

#: Functions of `scalesheet.library` that share their name with a package, which is made callable.
_PACKAGES = ("choose", "load", "predict")


class CallablePackage(ModuleType):
    """A package that can be called as the function of the same name in `scalesheet.library`.

    Whatever is imported first, `scalesheet.load` is this package, and `scalesheet.load()` opens a
    book.
    """

    def __call__(self, *args: Any, **options: Any) -> Any:
        from scalesheet import library

        return getattr(library, self.__name__.rpartition(".")[2])(*args, **options)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def __getattr__(name: str) -> Any:
    """Import names of `scalesheet.library` on first use: commands need none of them."""
    if name not in __all__:
        raise AttributeError(f"module 'scalesheet' has no attribute '{name}'")
    if name in _PACKAGES:
        return import_module(f"scalesheet.{name}")
    from scalesheet import library

    return getattr(library, name)
