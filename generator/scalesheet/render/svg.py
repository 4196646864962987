"""Parts of the SVG that charts are drawn with: lengths along the page as shares, others in pixels.

There is no style in them: the site's style sheet paints their classes for light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
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


def line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{share(x1)}" y1="{px(y1)}" x2="{share(x2)}" y2="{px(y2)}"/>'


def label(x: float, y: float, said: str, anchor: str, kind: str = "label") -> str:
    place = f'x="{share(x)}" y="{px(y)}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {place}>{text(said)}</text>'


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
