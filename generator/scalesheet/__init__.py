"""A compiler for compute plans: YAML in; live workbooks, pages and data out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scalesheet.library import Book, Plan, Quantity, open_book

__version__ = "0.1.0"
__all__ = ["Book", "Plan", "Quantity", "open_book"]


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def __getattr__(name: str) -> Any:
    """What `scalesheet.library` has, read when it is first asked for: commands need none of it."""
    if name not in __all__:
        raise AttributeError(f"module 'scalesheet' has no attribute '{name}'")
    from scalesheet import library

    return getattr(library, name)
