"""The page that explains quantiles from scratch, with pictures of the program's own draws."""

from __future__ import annotations

from dataclasses import asdict
from importlib import resources

import numpy as np

from scalesheet.model import Stated
from scalesheet.render.live.engine import Engine
from scalesheet.render.pages.html import drawn
from scalesheet.render.sureness import QuantileBar, QuantileBars
from scalesheet.schemas import written
from scalesheet.sure.quantiles import LEVELS
from scalesheet.sure.shapes import Array, drawn_values
from scalesheet.sure.spread import uniform

FILE = "quantiles.md"
PAGE = f"reference/{FILE}"
STATED = Stated(100.0, 60.0, 220.0)
PARTS = 9
PART = Stated(100.0, 60.0, 140.0)
MOST, DOT, HIGH = 320, 4.5, 170  # hours on the axis, radius of a dot, height above the axis


def quantiles_page() -> tuple[str, str]:
    """Return path and text of the page."""
    text = resources.files("scalesheet.render.pages").joinpath(FILE).read_text("utf-8")
    parts = {"hundred": hundred(), "together": together(), "domains": domains()}
    for name, part in parts.items():
        text = text.replace(f"{{{name}}}", part)
    return PAGE, text


def domains() -> str:
    """The default shape of a range in each domain."""
    by_domain: dict[str, str] = written("common")["$defs"]["spread"]["x-by-domain"]
    rows = (f"| `{domain}` | `{spread}` |" for domain, spread in by_domain.items())
    return "\n".join(("| domain | `spread`, unless stated |", "|---|---|", *rows))


def hundred() -> str:
    """A hundred equally likely outcomes of one range, in columns of 10 hours."""
    outcomes = np.quantile(drawn_values(STATED, "positive", uniform("hours")), np.arange(100) / 99)
    p50, p80 = np.quantile(drawn_values(STATED, "positive", uniform("hours")), (0.5, 0.8)).tolist()

    def x(hours: float) -> str:
        return f"{100 * hours / MOST:.1f}%"

    stacked: dict[int, int] = {}
    dots = []
    for at, hours in enumerate(outcomes.tolist()):
        column = min(int(hours // 10), MOST // 10 - 1)
        height = stacked[column] = stacked.get(column, 0) + 1
        kind = "series-1" if at < 80 else "point"
        y = HIGH - (2 * height - 1) * DOT
        dots.append(f'<circle class="{kind}" cx="{x(10 * column + 5)}" cy="{y}" r="{DOT - 1}"/>')
    lines = [
        f'<line class="axis" x1="0%" y1="{HIGH}" x2="100%" y2="{HIGH}"/>',
        *(
            f'<text class="label" x="{x(hours)}" y="{HIGH + 16}" text-anchor="middle">'
            f"{hours} h</text>"
            for hours in range(50, MOST, 50)
        ),
        *(
            f'<line class="limit" x1="{x(hours)}" y1="16" x2="{x(hours)}" y2="{HIGH}"/>'
            f'<text class="label" x="{x(hours)}" y="11" text-anchor="{side}">{name} {hours:.0f} h'
            "</text>"
            for name, hours, side in (("P50", p50, "end"), ("P80", p80, "start"))
        ),
    ]
    title = (
        "A hundred equally likely outcomes of a run: the 80 filled dots are at or below P80, "
        "the 20 hollow ones above it."
    )
    body = "\n".join((*dots, *lines))
    return (
        f'<svg role="img" width="100%" height="{HIGH + 24}" aria-label="{title}" '
        f'focusable="false">\n{body}\n</svg>'
    )


def together() -> str:
    """The sum of nine equal ranges: independent, and moving together."""
    parts = [drawn_values(PART, "signed", uniform(f"part {n}")) for n in range(PARTS)]
    alone = np.sum(parts, axis=0)
    same = PARTS * parts[0]
    rows = (_bar("Nine parts, each by itself", alone), _bar("Nine parts, moving together", same))
    bars = QuantileBars("together", "A sum of nine parts", "% of the expected value", rows)
    return str(drawn(Engine().call("scalesheet.quantile_bars.svg", asdict(bars))))


def _bar(label: str, sample: Array) -> QuantileBar:
    quantiles = tuple(np.quantile(sample, list(LEVELS.values())) / PARTS)
    text = f"P50 {quantiles[1]:.0f} %, P80 {quantiles[2]:.0f} %"
    return QuantileBar(label, text, tuple(map(float, quantiles)), (60.0, 140.0))
