"""The script by which a plan's page follows its inputs: its parts, in the order of their needs.

`numbers.js` prints as numbers.py does, `inputs.js` reads what is entered, `charts.js` draws as
charts.py does, `marks.js` writes figures, `fields.js` makes inputs of them, `tornado.js` finds what
moves the result, `told.js` shows what a figure rests on, `patch.js` has changes as text, and
`page.js` binds all of it to a page.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

PARTS = ("numbers", "inputs", "charts", "marks", "fields", "tornado", "told", "patch", "page")


def script() -> str:
    """It needs the runtime and a plan's own script before it."""
    folder = files("scalesheet.render.live")
    texts = (folder.joinpath(f"{part}.js").read_text(encoding="utf-8") for part in PARTS)
    return "".join(f"{line}\n" for text in texts for line in lean(text))


def lean(text: str) -> Iterator[str]:
    """The lines that a browser needs: without indentation, and without lines of comment alone.

    Our scripts have no text over several lines, so that this changes nothing of what they do.
    """
    inside = False
    for line in map(str.strip, text.splitlines()):
        inside = inside or line.startswith("/*")
        if line and not inside and not line.startswith("//"):
            yield line
        inside = inside and not line.endswith("*/")
