"""Lowers the versions of a plan: listed versions and cut versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.load import Document
from scalesheet.model import Changed, Frozen, Stated, Version
from scalesheet.quantities import DATE, day_number, is_day
from scalesheet.resolve.lowering.values import Lowering, citation
from scalesheet.units import Unit, Units

Path = tuple[str | int, ...]


def history_of(
    plan_file: Document, cut: Sequence[Document], units: Units, problems: list[Diagnostic]
) -> tuple[Version, ...]:
    """The versions of a plan. A cut version replaces the entry that announced it. If any was cut,
    versions are sorted by date, with future ones last.
    """
    listed = [_listed(plan_file, index) for index in range(len(plan_file.data.get("history", ())))]
    files = [_cut(Lowering(document, units, problems)) for document in cut]
    own = [*_repeated(listed, files), *_out_of_order([*listed, *files])]
    problems += own
    if not files or own:
        return tuple(listed)
    there = {each.version for each in files}
    every = [each for each in listed if each.version not in there] + files
    return tuple(sorted(every, key=lambda v: (v.status != "released", v.date, v.number)))


def _listed(document: Document, index: int) -> Version:
    """An entry of `history:` in plan.yaml."""
    each = document.data["history"][index]
    return Version(
        str(each["version"]),
        str(each["text"]),
        str(each.get("date", "")),
        str(each.get("status", "released")),
        position=document.at("history", index, "version"),
    )


def _cut(low: Lowering) -> Version:
    """A file of `history/`; its name is the version number."""
    data = low.document.data
    return Version(
        low.document.part,
        str(data["text"]),
        str(data["date"]),
        headline=_figures(low, data["headline"], ("headline",)),
        inputs=_figures(low, data.get("inputs", {}), ("inputs",)),
        changed={
            str(name): _changed(low, str(name), each, ("changed", name))
            for name, each in data.get("changed", {}).items()
        },
        added=tuple(map(str, data.get("added", ()))),
        removed=tuple(map(str, data.get("removed", ()))),
        position=low.document.at("date"),
    )


def _figures(low: Lowering, data: Mapping[str, Any], path: Path) -> dict[str, Frozen]:
    return {str(name): _frozen(low, str(name), data[name], (*path, name)) for name in data}


def _frozen(low: Lowering, name: str, data: Mapping[str, Any], path: Path) -> Frozen:
    unit = low.unit(data["unit"], *path, "unit") if "unit" in data else None
    stated = _stated(low, data, unit, path)
    if unit is None and isinstance(stated.value, float):
        unit = Unit()
    return Frozen(str(data.get("title", name)), unit, stated)


def _stated(low: Lowering, data: Mapping[str, Any], unit: Unit | None, path: Path) -> Stated:
    shared: dict[str, Any] = {"citation": citation(data.get("source")), "basis": "derived"}
    if "reason" in data:
        return Stated(reason=str(data["reason"]), **shared)
    value = data["value"]
    if unit == DATE and isinstance(value, str) and is_day(value):
        value = day_number(value)
    if isinstance(value, bool | str):
        return Stated(value, **shared)
    low_end, high = data.get("low", value), data.get("high", value)
    if not low_end <= value <= high:
        order = f"expected low <= value <= high, found {low_end:g}, {value:g}, {high:g}"
        low.say("V001", f"{order}; correct one of them", *path)
    return Stated(float(value), float(low_end), float(high), **shared)


def _changed(low: Lowering, name: str, data: Mapping[str, Any], path: Path) -> Changed:
    was = _frozen(low, name, data["was"], (*path, "was"))
    now = _frozen(low, name, data["now"], (*path, "now"))
    return Changed(
        str(data.get("title", name)),
        now.unit or was.unit,
        was.stated,
        now.stated,
        str(data.get("because", "")),
        {
            key: each.stated
            for key, each in _figures(low, data.get("without", {}), (*path, "without")).items()
        },
    )


def _repeated(listed: Sequence[Version], files: Sequence[Version]) -> list[Diagnostic]:
    """Report versions that appear twice. Cutting an announced version is no repetition."""
    result = []
    seen: dict[str, Version] = {}
    for each in (*listed, *files):
        first = seen.setdefault(each.version, each)
        if first is not each and not (each.headline and first.status != "released"):
            assert each.position is not None
            assert first.position is not None
            where = f"{first.position.path}:{first.position.line}"
            message = f"the version {each.version} already exists at {where}; delete one of them"
            result.append(at(each.position, "N003", message))
    return result


def _out_of_order(versions: Sequence[Version]) -> list[Diagnostic]:
    """Report released versions whose dates contradict the order of their numbers."""
    released = [each for each in versions if each.status == "released" and each.number]
    released.sort(key=lambda each: each.number)
    result = []
    for one, other in pairwise(released):
        if other.date < one.date and other.position is not None:
            message = (
                f"version {other.version} has the date {other.date}, before that of "
                f"{one.version}, {one.date}; correct one of them"
            )
            result.append(at(other.position, "V007", message))
    return result
