"""The script by which a plan's page follows its inputs: its parts, in the order of their needs.

`numbers.js` prints as numbers.py does, `inputs.js` reads what is entered, `charts.js` and its
neighbours draw, `pictures.js` any chart of a plan, `marks.js` writes figures, `tables.js` is what
tables are made of, `fields.js` makes inputs of figures, `tornado.js` finds what moves the result,
`explain.js` shows what a figure rests on, `patch.js` has changes as text, and `page.js` binds all
of it to a page. What stands in `compare/` is loaded after them where a page has use for it. The
build runs the parts that draw (`engine.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

PARTS = (
    "numbers",
    "inputs",
    "charts",
    "stacks",
    "scatters",
    "sweeps",
    "pictures",
    "marks",
    "tables",
    "fields",
    "tornado",
    "explain",
    "patch",
    "page",
)

#: Those by which the quantiles of a plan's page follow its inputs, after all others.
SURE = ("quantile_bars", "sure/draws", "sure/quantiles", "sure/section")

#: How likely each of several is the cheapest; it draws ranges as the quantiles do.
ODDS = ("sure/draws", "odds")

#: Those that answer the question of the front page: `layouts.js` searches as choose/ does,
#: `case.js` answers a case, `answer.js` draws the answer.
ANSWER = ("layouts", "case", "answer")

#: Those of the front page, where `front.js` asks.
FRONT = ("numbers", "inputs", "marks", "fields", *ODDS, *ANSWER, "front")

#: Those of pages that answer for many accelerators or models: `workload.js` asks and draws,
#: `architecture.js` reads a model that is not in the catalogue, `workloads.js` binds a page.
WORKLOAD = (
    *("numbers", "inputs", "charts", "marks", "tables", "fields", *ODDS, *ANSWER, "workload"),
    *("architecture", "workloads"),
)

#: Those that draw, for the build: of the above, and what no page draws again.
DRAWING = (
    *("numbers", "inputs", "charts", "stacks", "scatters", "sweeps", "pictures"),
    *("marks", "tables", "tornado", *ODDS, "compare/alternatives", "published"),
    *("lines", "parity", "paired_bars", "strip_plot", "quantile_bars"),
)

#: What the build needs besides for the front page: the answer, and the form that asks.
ASKING = (*ANSWER, "form")


def script(parts: tuple[str, ...] = PARTS) -> str:
    """It needs the runtime and a plan's own script before it."""
    folder = files("scalesheet.render.live")
    texts = (folder.joinpath(f"{part}.js").read_text(encoding="utf-8") for part in parts)
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
