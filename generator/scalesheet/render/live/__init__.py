"""The scripts of the pages, in dependency order.

A plan's page uses `numbers.js` to print as numbers.py does, `inputs.js` to parse entries,
`charts.js` and its neighbors to draw, `pictures.js` for any chart of a plan, `marks.js` to write
figures, `tables.js` to build tables, `fields.js` to turn figures into inputs, `tornado.js` to find
what affects the result most, `explain.js` to show what a figure depends on, and `patch.js` to write
changes as text; `page.js` connects all of it. Pages that need `compare/` load it afterwards. The
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
    "latex",
    "patch",
    "page",
)

#: These keep the quantiles of a plan's page up to date; they load last.
SURE = ("quantile_bars", "sure/draws", "sure/quantiles", "sure/section")

#: How likely each of several options is the cheapest; draws ranges as the quantiles do.
ODDS = ("sure/draws", "odds")

#: These answer the question of the front page: `layouts.js` searches as choose/ does, `case.js`
#: answers a case, `answer.js` draws the answer.
ANSWER = ("layouts", "case", "answer")

#: What the front page and those below share.
ANSWERING = ("numbers", "inputs", "marks", "fields", *ODDS, *ANSWER)

#: The script of the front page asks the question.
FRONT = ("front",)

#: Scripts of pages that answer for many accelerators or models: `workload.js` asks and draws,
#: `architecture.js` reads a model that is not in the catalogue, `workloads.js` connects a page.
WORKLOAD = ("charts", "tables", "workload", "architecture", "workloads")

#: The build uses these to draw: the drawing parts of the above, and pictures that never change.
DRAWING = (
    *("numbers", "inputs", "charts", "stacks", "scatters", "sweeps", "pictures"),
    *("marks", "tables", "tornado", *ODDS, "compare/alternatives", "published"),
    *("lines", "parity", "paired_bars", "strip_plot", "quantile_bars"),
)

#: What the build also needs for the front page: the answer, and the form that asks.
ASKING = (*ANSWER, "form")


def script(parts: tuple[str, ...] = PARTS) -> str:
    """Join the scripts; the runtime and the plan's own script must be loaded before."""
    folder = files("scalesheet.render.live")
    texts = (folder.joinpath(f"{part}.js").read_text(encoding="utf-8") for part in parts)
    return "".join(f"{line}\n" for text in texts for line in lean(text))


def lean(text: str) -> Iterator[str]:
    """Yield the lines that a browser needs: no indentation, no comments.

    This is safe because our scripts have no strings that span lines or contain ` // `.
    """
    inside = False
    for line in map(str.strip, text.splitlines()):
        inside = inside or line.startswith("/*")
        if line and not inside and not line.startswith("//"):
            yield line.partition(" // ")[0].rstrip()
        inside = inside and not line.endswith("*/")
