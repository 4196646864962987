"""Tables as HTML: plain ones with totals and sources, and cross tables drawn as a grid."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.model import Citation, Column, Plan, Quantity, Stated, Table
from scalesheet.numbers import Format, format_of
from scalesheet.render.pages.context import Context, cite, edit_link, to, value_of
from scalesheet.render.pages.figures import amount, cell, kind
from scalesheet.render.pages.html import Html, escape, join, link, tag
from scalesheet.render.pages.places import SCENARIO, cells_by, column_anchor, computed
from scalesheet.values import Results, Value


def heading_cell(title: object, symbol: str = "", *, number: bool = False) -> Html:
    """A column's heading with its unit."""
    unit = tag("span", symbol, class_="unit") if symbol else None
    between = " " if symbol else None
    return tag("th", title, between, unit, scope="col", class_="num" if number else None)


def grid(
    head: list[Html],
    body: list[list[Html]],
    *,
    foot: list[Html] | None = None,
    caption: object = None,
    sortable: bool = False,
    row_ids: list[str] | None = None,
) -> Html:
    """A `table.data` in a box that scrolls, from finished cells."""
    ids: list[str | None] = [*row_ids] if row_ids else [None] * len(body)
    rows = [tag("tr", *cells, id=id_) for cells, id_ in zip(body, ids, strict=True)]
    table = tag(
        "table",
        tag("caption", caption) if caption else None,
        tag("thead", tag("tr", *head)),
        "\n",
        tag("tbody", *(join([row, "\n"]) for row in rows)),
        tag("tfoot", tag("tr", *foot)) if foot else None,
        class_="data sortable" if sortable else "data",
    )
    return tag("div", table, class_="scroll")


def visible(table: Table) -> list[Column]:
    """The columns that a page shows, without those that run over the axes of a cross table."""
    axes = {column for column, _ in table.each}
    return [c for c in table.columns.values() if not c.hidden and c.name not in axes]


def plan_table(context: Context, plan: Plan, table: Table, results: Results) -> Html:
    """A table of a plan with its notes: a grid where it says how to be drawn, else row by row."""
    drawn = (
        _crossed(context, plan, table, results)
        if table.show is not None
        else _rows(context, plan, table, results)
    )
    note = tag("p", table.note, class_="note") if table.note else None
    return join([drawn, note, _rests(context, plan, table, results)], "\n")


def _format(context: Context, column: Quantity, values: list[Value]) -> Format:
    return format_of(column, values, context.book.units)


def reference(context: Context, plan: Plan | None, column: Quantity, value: Value) -> Html:
    """A reference by the title of what it refers to, linked where that has a page."""
    name = column.refers_to
    if name is None or not isinstance(value.value, str):
        return escape(value.value if value.reason is None else value.reason)
    table = context.table(name, plan)
    title = context.row_title(table, value.value) if table else value.value
    if name in context.book.tables:
        return link(to(name, value.value), title)
    return escape(title)


def _rows(context: Context, plan: Plan, table: Table, results: Results) -> Html:
    columns = visible(table)
    series = results.tables[table.name]
    formats = {c.name: _format(context, c, list(series[c.name])) for c in columns}
    axes = [table.columns[column] for column, _ in table.each]
    head = [heading_cell(axis.title) for axis in axes] or [heading_cell(table.title)]
    head += [_column_heading(context, plan, table, column) for column in columns]
    body: list[list[Html]] = []
    for n, row in enumerate(results.rows[table.name]):
        if axes:
            first = [
                tag("th", reference(context, plan, axis, series[axis.name][n]), scope="row")
                for axis in axes
            ]
        else:
            first = [tag("th", context.row_title(table, row), scope="row")]
        body.append(first + [_cell(context, plan, table, c, formats[c.name],
                                   series[c.name][n], row) for c in columns])  # fmt: skip
    return grid(head, body, foot=_totals(context, plan, table, results, max(1, len(axes))))


def _column_heading(context: Context, plan: Plan, table: Table, column: Column) -> Html:
    """The heading of a computed column leads to its formula."""
    title: object = column.title
    if computed(plan, table, column):
        title = link(f"#{column_anchor(table.name, column.name)}", column.title)
    return heading_cell(title, context.symbol(column), number=column.kind == "number")


def _cell(
    context: Context,
    plan: Plan,
    table: Table,
    column: Column,
    fmt: Format,
    value: Value,
    row: str,
) -> Html:
    if column.kind == "reference" and value.reason is None:
        return tag("td", reference(context, plan, column, value))
    stated = row in column.stated or (
        column.formula is not None and not computed(plan, table, column)
    )
    return cell(value, fmt, input_=stated and column.kind == "number")


def _totals(
    context: Context, plan: Plan, table: Table, results: Results, span: int
) -> list[Html] | None:
    """The totals below their columns; where rows have no number it says how many count."""
    if not table.totals:
        return None
    cells = [tag("th", "Total", scope="row", colspan=span if span > 1 else None)]
    for column in visible(table):
        name = f"{table.name}.total.{column.name}"
        if column.name not in table.totals or name not in results.scalars:
            cells.append(tag("td"))
            continue
        value = results.scalars[name]
        scalar: Quantity = plan.scalars.get(name, column)
        total = cell(value, _format(context, scalar, [value]))
        series = results.tables[table.name][column.name]
        if series.reasons:
            counted = f"{len(series) - len(series.reasons)} of {len(series)} rows"
            total = Html(total.removesuffix("</td>") + tag("span", counted, class_="range"))
            total = Html(f"{total}</td>")
        cells.append(total)
    return cells


def _crossed(context: Context, plan: Plan, table: Table, results: Results) -> Html:
    """One column of a cross table, drawn down one axis and across the other."""
    assert table.show is not None
    down, across, shown = (table.columns[name] for name in table.show)
    series = results.tables[table.name]
    at = {
        (down_value.value, across_value.value): n
        for n, (down_value, across_value) in enumerate(
            zip(series[down.name], series[across.name], strict=True)
        )
    }
    downs = list(dict.fromkeys(key[0] for key in at))
    acrosses = list(dict.fromkeys(key[1] for key in at))
    fmt = _format(context, shown, list(series[shown.name]))
    symbol = context.symbol(shown)
    head = [heading_cell(down.title)]
    head += [
        heading_cell(reference(context, plan, across, Value(each)), number=shown.kind == "number")
        for each in acrosses
    ]
    body = []
    for each in downs:
        row = [tag("th", reference(context, plan, down, Value(each)), scope="row")]
        for other in acrosses:
            n = at.get((each, other))
            row.append(tag("td") if n is None else cell(series[shown.name][n], fmt))
        body.append(row)
    how: object = shown.title
    if computed(plan, table, shown):
        how = link(f"#{column_anchor(table.name, shown.name)}", shown.title)
    unit = [" in ", tag("span", symbol, class_="unit")] if symbol else []
    caption = join([table.title, ": ", how, *unit])
    return grid(head, body, caption=caption)


# ------------------------------------------------------------------ what a table's inputs rest on


def _rests(context: Context, plan: Plan, table: Table, results: Results) -> Html | None:
    """Kind, source and note of every stated number of the table, folded away."""
    rows: list[list[Html]] = []
    for column, row, stated in _stated_cells(plan, table, results):
        fmt = _format(context, column, [value_of(stated)])
        rows.append(
            [
                tag("th", context.row_title(table, row), scope="row"),
                tag("td", column.title),
                cell(value_of(stated), fmt, context.symbol(column), input_=True),
                tag("td", kind(stated.basis)),
                tag("td", *sourced(context, stated, column.note, plan.citation), class_="words"),
                tag("td", edit_link(context, stated.position, "edit"), class_="num"),
            ]
        )
    if not rows:
        return None
    head = [heading_cell(t) for t in ("Row", "Column")]
    head += [heading_cell("Value", number=True)]
    head += [heading_cell(t) for t in ("Kind", "Source and note", "")]
    summary = f"Where the {len(rows)} stated numbers of this table come from"
    return tag("details", tag("summary", summary), grid(head, rows), class_="quiet")


def _stated_cells(
    plan: Plan, table: Table, results: Results
) -> Iterator[tuple[Column, str, Stated]]:
    scenario = str(results.scalars[SCENARIO].value) if SCENARIO in results.scalars else ""
    for row in table.rows:
        for column in visible(table):
            stated = cells_by(plan, table, column, scenario).get(row)
            if stated is not None and (column.kind == "number" or stated.reason):
                yield column, row, stated


def described(stated: Stated, note: str = "") -> Html | None:
    """Notes on a stated value, and that its expected value was not stated."""
    notes = list(dict.fromkeys(text for text in (note, stated.note) if text))
    if stated.midpoint:
        notes.append("Expected value not stated: the middle of the range.")
    if not notes:
        return None
    return tag("span", " ".join(notes), class_="note")


def sourced(
    context: Context, stated: Stated, note: str = "", within: Citation | None = None
) -> list[Html | None]:
    """The source of a stated value, then what is noted of it."""
    source, notes = cite(context, stated.citation, within), described(stated, note)
    return [source, Html(": ") if source and notes else None, notes]


def named_amount(context: Context, quantity: Quantity, value: Value) -> Html:
    """A scalar's value in running text with its unit and range."""
    fmt = _format(context, quantity, [value])
    if quantity.kind == "reference":
        return reference(context, None, quantity, value)
    return amount(value, fmt, context.symbol(quantity))
