"""The scripts of pages, run by the build: a page is published as its script would draw it."""

from __future__ import annotations

import json
from typing import Any

import quickjs

from scalesheet.render.live import DRAWING, script
from scalesheet.render.script import runtime


class Engine:
    """One JavaScript engine with the runtime and the parts of `live/` that draw.

    What a script draws is data: `[tag, attributes, ...content]`, printed by `html.drawn`.
    """

    def __init__(self, *scripts: str) -> None:
        self._engine = quickjs.Context()
        for text in (runtime(), script(DRAWING), *scripts):
            self._engine.eval(text)

    def call(self, function: str, *arguments: object) -> Any:
        """What a function of the scripts returns, as JSON has it. Raises quickjs.JSException with
        the stack of the script."""
        given = ", ".join(json.dumps(each) for each in arguments)
        return json.loads(self._engine.eval(f"JSON.stringify({function}({given}))"))
