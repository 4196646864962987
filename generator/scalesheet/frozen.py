"""frozen: dataclasses that only the type checker keeps from being modified.

A check at run time as well doubles the time to define a class and to make its instances. That was
a fifth of what `check` does after an edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses

    def dataclass(kind: type | None = None, /, *, frozen: bool = False, **options: Any) -> Any:
        """The same as `dataclasses.dataclass`; with `frozen`, only hashable."""

        def made(kind: type) -> type:
            hashed = frozen and options.get("eq", True) and "__hash__" not in vars(kind)
            return dataclasses.dataclass(kind, unsafe_hash=hashed, **options)

        return made if kind is None else made(kind)
