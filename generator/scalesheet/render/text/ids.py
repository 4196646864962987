"""Which plans there are, and the ids that plans may name: the rows of a table of the catalogue."""

from __future__ import annotations

from scalesheet.book import Book


def ids_text(book: Book, table: str | None) -> str:
    """The plans and the tables of the catalogue; or each row of a table with its title."""
    if table is not None:
        rows = book.tables[table]
        return _lines(dict(zip(rows.rows, rows.row_titles, strict=True)))
    tables = {
        name: f"{each.title}, {len(each.rows)} row{'s' * (len(each.rows) != 1)}"
        for name, each in book.tables.items()
    }
    return "\n".join(
        [
            "Plans: scalesheet show PLAN",
            _lines({f"  {id}": plan.title for id, plan in book.plans.items()}),
            "Tables of the catalogue: scalesheet show TABLE lists the ids that plans may name",
            _lines({f"  {name}": title for name, title in tables.items()}),
        ]
    )


def _lines(titles: dict[str, str]) -> str:
    wide = max(map(len, titles), default=0)
    return "".join(f"{name:<{wide}}  {title}\n" for name, title in titles.items())
