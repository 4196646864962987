"""The script by which a plan's page follows its inputs: its parts, in the order of their needs.

`numbers.js` prints as numbers.py does, `inputs.js` reads what is entered, `charts.js` draws as
charts.py does, `marks.js` writes figures, `fields.js` makes inputs of them, and `page.js` binds
all of it to a page.
"""

from __future__ import annotations

from importlib.resources import files

PARTS = ("numbers", "inputs", "charts", "marks", "fields", "page")
#: Those of the front page: `layouts.js` searches as choose/ does, `case.js` answers a case,
#: `answer.js` writes the answer, `front.js` asks.
FRONT = ("numbers", "inputs", "marks", "fields", "layouts", "case", "answer", "front")


def script(parts: tuple[str, ...] = PARTS) -> str:
    """It needs the runtime and a plan's own script before it."""
    folder = files("scalesheet.render.live")
    return "\n".join(folder.joinpath(f"{part}.js").read_text(encoding="utf-8") for part in parts)
