"""Sections of an accelerator's page: measured and stated peaks, published runs, and its
neighbors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import TypeVar

from scalesheet.model import Table
from scalesheet.numbers import plain
from scalesheet.render.pages.compare.accelerators import HARDWARE, cheapest, is_compared
from scalesheet.render.pages.context import Context, cell_value, column_format, to
from scalesheet.render.pages.html import Html, heading, join, link, tag
from scalesheet.render.pages.tables import grid, heading_cell
from scalesheet.render.people import counted
from scalesheet.render.scores import error, figure, shown_rows, unit_shown
from scalesheet.units import beside

#: Each measured figure, and the stated peak to compare it with.
MEASURED: Mapping[str, str] = {
    "measured_bf16": "dense_bf16",
    "measured_fp16": "dense_fp16",
    "measured_fp8": "dense_fp8",
    "measured_tf32": "dense_tf32",
    "measured_fp32": "fp32",
    "measured_bandwidth": "bandwidth",
    "measured_link": "link",
}
MOST_RUNS = 12
Kept = TypeVar("Kept")
#: The tasks whose published runs are shown.
RUNS = {"runs": "GPU hours", "throughput": "throughput"}


def measured_section(context: Context, row: str) -> Iterator[object]:
    """Compare each measured figure with the vendor's spec."""
    table = context.book.tables[HARDWARE]
    body = []
    for name, peak in MEASURED.items():
        if name not in table.columns or peak not in table.columns:
            continue
        columns = table.columns[name], table.columns[peak]
        values = [cell_value(context, table, column, row) for column in columns]
        got, said = (value.value for value in values)
        if not isinstance(got, float) or not isinstance(said, float):
            continue
        texts = [
            plain(v, column_format(context, table, c)) for v, c in zip(values, columns, strict=True)
        ]
        symbol = context.symbol(columns[0])
        body.append(
            [
                tag("th", columns[0].title, scope="row"),
                tag("td", beside(texts[0], symbol), class_="num"),
                tag("td", beside(texts[1], symbol), class_="num"),
                tag("td", f"{100 * got / said:.0f} %", class_="num"),
            ]
        )
    if body:
        head = [heading_cell("Figure")]
        head += [
            heading_cell(text, number=True)
            for text in ("Measured", "Stated peak", "Share of the peak")
        ]
        yield heading(2, "Measured and stated peak", "measured")
        yield grid(head, body)


def runs_section(context: Context, row: str) -> Iterator[object]:
    """List the published runs on it, predicted by fits that have not seen their family."""
    for task, score in context.edition.scores.items():
        if task not in RUNS:
            continue
        cases = score.published.cases
        found = [
            shown
            for place, shown in enumerate(shown_rows(score))
            if cases.accelerator[place] == row and shown.error is not None
        ]
        if not found:
            continue
        errors = [each.error for each in found if each.error is not None]
        head = [heading_cell("Model"), heading_cell("Count", number=True)]
        head += [heading_cell(text, unit_shown(task), number=True) for text in ("Published",)]
        head += [heading_cell(text, number=True) for text in ("Predicted", "Error factor")]
        body = [
            [
                tag("th", link(to("score", task, f"row-{each.id}"), each.title), scope="row"),
                tag("td", _count(each.on), class_="num"),
                tag("td", figure(task, each.published), class_="num"),
                tag("td", figure(task, each.predicted), class_="num"),
                tag("td", error(task, each.error), class_="num"),
            ]
            for each in spread(sorted(found, key=lambda each: each.error or 0))
        ]
        yield heading(2, f"Published runs: {RUNS[task]}", f"published-{task}")
        which = (
            f"Below are {MOST_RUNS} of them, evenly spaced from the closest to the farthest. "
            if len(found) > MOST_RUNS
            else ""
        )
        yield tag(
            "p",
            f"{counted(len(found), 'published row')}, median error {error(task, median(errors))}; "
            f"each is predicted by a fit made without its family. {which}",
            link(to("score", task), "All rows"),
            class_="note",
        )
        yield grid(head, body)


def spread(ranked: Sequence[Kept]) -> Sequence[Kept]:
    """Return all, or as many as a page shows: the first, the last, and evenly between."""
    last, steps = len(ranked) - 1, MOST_RUNS - 1
    if last <= steps:
        return ranked
    return [ranked[round(n * last / steps)] for n in range(MOST_RUNS)]


def _count(on: str) -> str:
    """The count in `64 × h100-sxm`."""
    return f"{float(on.partition(' × ')[0]):,.0f}" if " × " in on else "not stated"


# ------------------------------------------------------------------ its neighbors


def in_order(context: Context, table: Table) -> list[str]:
    """Accelerators by vendor, the one with most entries first, then by memory and bandwidth.

    The largest memory and bandwidth come first, processors last.
    """
    vendors = {row: _fact(context, table, "vendor", row) for row in table.rows}
    many = {name: sum(other == name for other in vendors.values()) for name in vendors.values()}
    return sorted(
        table.rows,
        key=lambda row: (
            not is_compared(table, row),
            -many[vendors[row]],
            str(vendors[row]),
            *(-_size(context, table, name, row) for name in ("memory", "bandwidth")),
            row,
        ),
    )


def _fact(context: Context, table: Table, name: str, row: str) -> object:
    column = table.columns.get(name)
    return cell_value(context, table, column, row).value if column is not None else None


def _size(context: Context, table: Table, name: str, row: str) -> float:
    value = _fact(context, table, name, row)
    return value if isinstance(value, float) else 0.0


def neighbor_line(context: Context, row: str) -> Html | None:
    """Link the next larger and smaller memory of the same vendor among rented accelerators, with
    prices."""
    table = context.book.tables[HARDWARE]
    if not is_compared(table, row):
        return None
    prices = cheapest(context)
    memory = _size(context, table, "memory", row)
    vendor = _fact(context, table, "vendor", row)
    own = [
        other
        for other in in_order(context, table)
        if other in prices and _fact(context, table, "vendor", other) == vendor
    ]
    above = [other for other in own if _size(context, table, "memory", other) > memory]
    below = [other for other in own if _size(context, table, "memory", other) < memory]
    parts: list[object] = []
    for word, others in (("More memory", above[-1:]), ("Less memory", below[:1])):
        for other in others:
            shown = price_text(context, other)
            parts.append(
                join(
                    [
                        f"{word}: ",
                        link(to(HARDWARE, other), context.row_title(table, other)),
                        f", {shown} {price_symbol(context)}" if shown else "",
                    ]
                )
            )
    return tag("p", join(parts, " · "), class_="note neighbors") if parts else None


def price_text(context: Context, row: str) -> str:
    """The price of the cheapest on-demand offer; empty without one."""
    found = cheapest(context).get(row)
    offers = context.book.tables.get("offers")
    if found is None or offers is None:
        return ""
    column = offers.columns["price"]
    return plain(found[1], column_format(context, offers, column))


def price_symbol(context: Context) -> str:
    offers = context.book.tables.get("offers")
    if offers is None or "price" not in offers.columns:
        return ""
    return context.symbol(offers.columns["price"])
