"""Converts a quantity to another unit with named constants, or says why that is impossible."""

from __future__ import annotations

from dataclasses import replace

from scalesheet.language.syntax import Binary, Constant, Node, Number
from scalesheet.resolve.binding.scope import BindError, Scope, Typed
from scalesheet.units import Power, Unit, Units


def convert(typed: Typed, unit: Unit, scope: Scope, node: Node, place: str) -> Typed:
    """The same quantity in `unit`, by named constants. Raises BindError U002."""
    units = scope.space.units
    if typed.unit == unit:
        return typed
    if typed.unit is None:
        return replace(typed, unit=unit)
    if not units.compatible(typed.unit, unit):
        hint = ""
        counted = [n for n, _ in unit.factors if units.declared[n].counted]
        if typed.unit.pure and len(unit.factors) == 1 and counted:
            hint = f"; to turn a pure number into a count, write 'as {counted[0]}'"
        else:
            hint = f"; {_remedy(typed.unit, unit, units)}, or declare the unit that it gives"
        raise BindError("U002", f"{place} {unit}, but the formula gives {typed.unit}{hint}", node)
    tree = typed.tree
    for step in units.conversion(typed.unit, unit):
        constant: Node = Constant(step.constant, step.value)
        power = step.power if step.power > 0 else -step.power
        if power != 1:  # of the square root of a unit
            constant = Binary("**", constant, Number(float(power)))
        tree = Binary("*" if step.power > 0 else "/", tree, constant, span=node.span)
    return replace(typed, tree=tree, unit=unit)


def _remedy(have: Unit, want: Unit, units: Units) -> str:
    """Say how to make `have` measure what `want` does."""
    names: dict[str, str] = {}  # one unit represents each dimension
    powers: dict[str, Power] = {}
    for unit, sign in ((want, 1), (have, -1)):
        for name, power in unit.factors:
            same = names.setdefault(units.declared[name].dimension, name)
            powers[same] = powers.get(same, 0) + sign * power
    if any(not -1 <= power <= 1 for power in powers.values()):
        return "look for a factor that should divide, or one that occurs twice"
    return f"multiply it by something in {Unit.of(powers)}"
