"""Parts of the SVG that charts are drawn with: lengths along the page as shares, others in pixels.

There is no style in them: the site's style sheet paints their classes for light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape


def text(said: str) -> str:
    """Text within SVG, of which Markdown reads nothing as a sign."""
    return escape(said).replace("`", "&#96;").replace("~", "&#126;").replace("{", "&#123;")


def framed(kind: str, name: str, height: float, title: str, told: str, body: Iterable[str]) -> str:
    """A picture as wide as the page: what is drawn, with the title and the words that stand for it
    where it is not seen. `name` begins its ids, one of the page's own."""
    lines = [
        f'<svg class="{kind}" role="img" width="100%" height="{height}" '
        f'aria-labelledby="{name}-title {name}-desc" focusable="false">',
        f'<title id="{name}-title">{text(title)}</title>',
        f'<desc id="{name}-desc">{text(told)}</desc>',
        *body,
        "</svg>",
    ]
    return "\n".join(lines)


def px(length: float) -> str:
    return f"{length:.1f}".removesuffix(".0")


def share(part: float) -> str:
    return f"{part * 100:.3f}".rstrip("0").rstrip(".") + "%"


def along(ticks: Sequence[tuple[float, str]], value: float, edge: float = 0.0) -> float:
    """Where a number lies on an axis from the first tick to the last, from 0 to 1, with so much
    left free at both ends."""
    first, last = ticks[0][0], ticks[-1][0]
    return edge + (value - first) / (last - first) * (1 - 2 * edge)


def line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{share(x1)}" y1="{px(y1)}" x2="{share(x2)}" y2="{px(y2)}"/>'


def label(
    x: float, y: float, said: str, anchor: str, kind: str = "label", *, raw: bool = False
) -> str:
    shown = said if raw else text(said)
    return f'<text class="{kind}" x="{share(x)}" y="{px(y)}" text-anchor="{anchor}">{shown}</text>'


def round_step(rough: float) -> float:
    """The round number, 1, 2 or 5 with noughts, that is at least `rough`."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9))


def wrapped(said: str, width: int) -> list[str]:
    """Lines of at most so many characters, broken at blanks; a longer word is cut."""
    lines: list[str] = []
    for word in said.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines += [word[at : at + width] for at in range(0, len(word), width)]
    return lines or [""]


#: Textures that lie over colours, as paths on a square of 6 pixels; every fourth part has none.
TEXTURES = ("", "M0 6L6 0M-1 1L1 -1M5 7L7 5", "M0 0L6 6M-1 5L1 7M5 -1L7 1", "M0 3H6")
BEYOND = "M0 6L6 0M-1 1L1 -1M5 7L7 5M0 0L6 6M-1 5L1 7M5 -1L7 1"


def textures(name: str, parts: int) -> list[str]:
    """What `texture` refers to, for a picture of so many parts, and `over` for what is beyond."""
    used = range(1, min(parts, len(TEXTURES)))
    patterns = [_pattern(f"{name}-{n}", "texture", TEXTURES[n]) for n in used]
    return ["<defs>", *patterns, _pattern(f"{name}-over", "texture over", BEYOND), "</defs>"]


def texture(name: str, part: int) -> str:
    return f"url(#{name}-{part % len(TEXTURES)})"


def _pattern(id_: str, kind: str, path: str) -> str:
    return (
        f'<pattern id="{id_}" width="6" height="6" patternUnits="userSpaceOnUse">'
        f'<path class="{kind}" d="{path}"/></pattern>'
    )
