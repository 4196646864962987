"""The versions of a plan in words: their headlines, and the changes between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.model import Changed, Plan, Quantity, Stated, Version
from scalesheet.numbers import format_of, text
from scalesheet.units import Unit
from scalesheet.values import Results, Value, stated_value

NOW = "now"
GONE = "no longer in the plan"


@dataclass(frozen=True, slots=True)
class FigureByVersion:
    """A headline figure: its value in each version, and its current value.

    `gone`: the plan no longer has a figure of this name, or has it in an incompatible unit.
    """

    name: str
    quantity: Quantity
    values: Mapping[str, Value]
    now: Value | None

    @property
    def gone(self) -> bool:
        return self.now is None


@dataclass(frozen=True, slots=True)
class InputChange:
    """A changed input in words; each effect is a figure's title and how it moved."""

    name: str
    title: str
    was: str
    now: str
    because: str
    effects: tuple[tuple[str, str], ...]


def cut_versions(plan: Plan) -> list[Version]:
    """The versions with frozen figures."""
    return [each for each in plan.history if each.headline]


def by_version(book: Book, plan: Plan, results: Results) -> list[FigureByVersion]:
    """Every figure that is or was a headline, current ones first."""
    versions = cut_versions(plan)
    names = dict.fromkeys((*plan.headline, *(n for v in versions for n in v.headline)))
    figures = []
    for name in names:
        frozen = next((v.headline[name] for v in reversed(versions) if name in v.headline), None)
        scalar = plan.scalars.get(name)
        if frozen is None:
            continue
        number = next((v.headline[name].unit for v in versions if _is_number(v, name)), None)
        same = scalar is not None and (number is None or _compatible(book, number, scalar.unit))
        quantity = scalar if scalar is not None and same else quantity_of(frozen.title, number)
        now = results.scalars[name] if same else None
        values = {
            v.version: _value(book, v, name, quantity) for v in versions if name in v.headline
        }
        figures.append(FigureByVersion(name, quantity, values, now))
    return figures


def texts(book: Book, figure: FigureByVersion) -> dict[str, str]:
    """A figure in each version and now, as text."""
    values = dict(figure.values) | ({NOW: figure.now} if figure.now is not None else {})
    return _texts(book, figure.quantity, values)


def changes(book: Book, plan: Plan, version: Version) -> list[InputChange]:
    """The changes since the version before, in words."""
    return [_change(book, plan, version, name, each) for name, each in version.changed.items()]


def quantity_of(title: str, unit: Unit | None) -> Quantity:
    """A placeholder for a quantity that the plan may no longer have."""
    return Quantity(title, title, "number" if unit is not None else "text", unit)


def _change(book: Book, plan: Plan, version: Version, name: str, each: Changed) -> InputChange:
    scalar = plan.scalars.get(name)
    same = scalar is not None and scalar.unit == each.unit
    quantity = scalar if scalar is not None and same else quantity_of(each.title, each.unit)
    both = _texts(
        book, quantity, {"was": stated_value(each.was), NOW: stated_value(each.now)}, cents=True
    )
    effects = [
        _effect(book, plan, version, figure, each.without[figure]) for figure in each.without
    ]
    return InputChange(name, each.title, both["was"], both[NOW], each.because, tuple(effects))


def _effect(
    book: Book, plan: Plan, version: Version, name: str, without: Stated
) -> tuple[str, str]:
    """`Base cycle`, `1,535 → 9,907 GPU·h`: without the change, and with it."""
    frozen = version.headline[name]
    scalar = plan.scalars.get(name)
    same = scalar is not None and (frozen.unit is None or scalar.unit == frozen.unit)
    quantity = scalar if scalar is not None and same else quantity_of(frozen.title, frozen.unit)
    both = _texts(book, quantity, {"was": stated_value(without), NOW: stated_value(frozen.stated)})
    return frozen.title, f"{both['was']} → {both[NOW]}"


def _texts(
    book: Book, quantity: Quantity, values: Mapping[str, Value], *, cents: bool = False
) -> dict[str, str]:
    """Print all in one format; with `cents`, with enough digits to tell them apart."""
    symbol = book.units.symbol(quantity.unit) if quantity.unit is not None else ""
    fmt = format_of(quantity, values.values(), book.units)
    shown = {key: text(value, fmt, symbol) for key, value in values.items()}
    while cents and len(set(shown.values())) < 2 and fmt.decimals < 9:
        fmt = replace(fmt, decimals=fmt.decimals + 1)
        shown = {key: text(value, fmt, symbol) for key, value in values.items()}
    return shown


def _is_number(version: Version, name: str) -> bool:
    return name in version.headline and version.headline[name].unit is not None


def _compatible(book: Book, one: Unit | None, other: Unit | None) -> bool:
    if one is None or other is None:
        return one == other
    return one == other or book.units.compatible(one, other)


def _value(book: Book, version: Version, name: str, quantity: Quantity) -> Value:
    """Convert to the quantity's current unit; an incompatible value keeps its own."""
    frozen = version.headline[name]
    value = stated_value(frozen.stated)
    if frozen.unit is None or quantity.unit is None or frozen.unit == quantity.unit:
        return value
    if not book.units.compatible(frozen.unit, quantity.unit):
        own = quantity_of(frozen.title, frozen.unit)
        return Value(reason=_texts(book, own, {NOW: value})[NOW])
    factor = float(book.units.factor(frozen.unit, quantity.unit))
    ends = (value.value, value.low, value.high)
    number, low, high = (each * factor if isinstance(each, float) else None for each in ends)
    return Value(number, low, high)
