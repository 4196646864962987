"""Runs the pages' scripts in the build, so that pages are published as their scripts would draw
them."""

from __future__ import annotations

import json
from typing import Any

import quickjs

from scalesheet.render.live import DRAWING, script
from scalesheet.render.script import runtime


class Engine:
    """A JavaScript engine with the runtime and the drawing parts of `live/`.

    A drawing is data: `[tag, attributes, ...content]`, which `html.drawn` prints.
    """

    def __init__(self, *scripts: str) -> None:
        self._engine = quickjs.Context()
        for text in (runtime(), script(DRAWING), *scripts):
            self._engine.eval(text)

    def call(self, function: str, *arguments: object) -> Any:
        """Call a function of the scripts and return its result, passed as JSON.

        Raises quickjs.JSException with the stack of the script.
        """
        given = ", ".join(json.dumps(each) for each in arguments)
        return json.loads(self._engine.eval(f"JSON.stringify({function}({given}))"))
