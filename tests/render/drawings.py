"""Run the scripts of pages as the build does, and read what they draw as SVG."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from scalesheet.book import Book
from scalesheet.model import Plan
from scalesheet.render.live.engine import Engine
from scalesheet.render.pages.html import drawn
from scalesheet.render.pages.plan.live import shown
from scalesheet.render.script import program

Cell = dict[str, Any]  # as a plan's script computes it
PLAIN = {"decimals": 1, "percent": False, "approximate": False, "scientific": False}


@cache
def engine() -> Engine:
    return Engine()


def svg_of(tree: Sequence[Any]) -> ET.Element:
    return ET.fromstring(drawn(tree))


def picture(kind: str, *given: object) -> ET.Element:
    """The picture that a script draws from these arguments of its `drawing`."""
    script = f"scalesheet.{kind}"
    return svg_of(
        engine().call(f"((...given) => {script}.svg({script}.drawing(...given)))", *given)
    )


def built(kind: str, data: Any) -> ET.Element:
    """The picture that a script draws for the build only."""
    return svg_of(engine().call(f"scalesheet.{kind}.svg", asdict(data)))


def of_plan(plan: Plan, book: Book, edits: Sequence[str] = ()) -> str:
    """The script of a plan with these edits."""
    changes = [edit.split("=", 1) for edit in edits]
    return (
        program(plan, book)
        + shown(plan, book)
        + f"""(() => {{
        const plan = scalesheet.plans[{json.dumps(plan.id)}];
        let changes = new Map();
        for (const [name, text] of {json.dumps(changes)})
          changes = scalesheet.inputs.change(plan, changes, name, text);
        plan.inputs = scalesheet.inputs.edited(plan, changes);
    }})();"""
    )


def texts(svg: ET.Element, kind: str = "") -> list[str]:
    """The texts in a picture, or only those of a class."""
    found = (each for each in svg.iter("text") if not kind or each.get("class") == kind)
    return ["".join(each.itertext()) for each in found]


def said(svg: ET.Element) -> str:
    """The text alternative of a picture."""
    return svg.findtext("desc") or ""


def length(svg: ET.Element, name: str) -> float:
    """An attribute's length: a percentage of the width, or pixels."""
    return float(svg.get(name, "nan").rstrip("%"))


def across(svg: ET.Element) -> Iterator[float]:
    """The horizontal position and end of everything in a picture, in per cent of its width."""
    for each in svg.iter():
        found = [
            length(each, name) for name in ("x", "cx", "x1", "x2") if "%" in each.get(name, "")
        ]
        yield from found
        if "%" in each.get("width", "") and found:
            yield found[0] + length(each, "width")
