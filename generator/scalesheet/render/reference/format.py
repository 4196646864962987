"""The pages of the data format: every file and field, examples, and the messages for bad ones.

All of it is read from the JSON Schemas, whose examples are run by a test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from scalesheet.book import Book
from scalesheet.load import plain
from scalesheet.model import Column, Table
from scalesheet.render.pages.html import (
    Html,
    escape,
    heading,
    inline,
    join,
    link,
    page,
    tag,
)
from scalesheet.render.reference.fields import (
    PAGES,
    Bad,
    Code,
    Field,
    Link,
    Section,
    Words,
    sections,
)
from scalesheet.schemas import KINDS, written
from scalesheet.source.text import WIDTH, block, flow

#: Plain YAML scalars whose reading surprises people who know other parsers.
READ = ("24", "0.5", "1e9", "10_000", "true", "yes", "no", "12:30", "2026-11-20", "007", "~")

_NEEDED = {"required": "required", "optional": "optional", "conditional": "required, see the rules"}
#: The catalogue table that each kind of file fills.
_TABLES = {
    "hardware": "hardware",
    "node": "nodes",
    "provider": "providers",
    "rate": "offers",
    "model": "models",
    "measurement": "measurements",
}


def format_pages(book: Book) -> Iterator[tuple[str, str]]:
    """Yield path and text of each kind's page, of that of shared definitions, and of their index.

    The book is used only for the columns of its catalogue's tables.
    """
    yield "format/index.md", _index()
    for kind in PAGES:
        yield f"format/{kind}.md", _page(kind, book)


def place(kind: str) -> tuple[str, str]:
    """The location of files of a kind, and their description."""
    before, _, words = written(kind)["description"].partition(": ")
    return before, words[0].upper() + words[1:]


# ------------------------------------------------------------------ a kind


def _page(kind: str, book: Book) -> str:
    whole = written(kind)
    if kind == "common":
        lead = tag(
            "p", "What the kinds of file share: values, sources, names, dates.", class_="lead"
        )
    else:
        file, words = place(kind)
        lead = tag("p", tag("code", file), " ", guide(words), class_="lead")
    first, *rest = sections(kind)
    blocks: list[object] = [lead]
    if first.name:
        rest = [first, *rest]
    else:
        blocks += _examples(first)
        blocks += [heading(2, "Fields", "fields"), *_fields(first, kind)]
    for each in rest:
        blocks += _section(each)
    if (table := book.tables.get(_TABLES.get(kind, ""))) is not None:
        blocks += _look_ups(table, book)
    return page(whole["title"], *blocks)


def _section(section: Section) -> Iterator[object]:
    title = section.title[0].upper() + section.title[1:]
    yield heading(2, title, section.name)
    yield tag("p", _words(section.type), class_="meta")
    yield tag("p", guide(section.guidance))
    yield from _examples(section)
    yield from _fields(section, section.name)


def _examples(section: Section) -> Iterator[object]:
    """Examples of whole entries: good ones as they are in a file, bad ones with their messages."""
    short = [each for each in section.good if "\n" not in block(each).rstrip("\n")]
    for each in section.good:
        if each not in short:
            yield f"```yaml\n{block(each)}```"
    yield _tried([flow(each) for each in short], section.bad)


def _fields(section: Section, owner: str) -> Iterator[object]:
    if section.rules:
        yield tag("p", "Rules:", class_="label")
        yield tag("ul", *(tag("li", f"Write {each}.") for each in section.rules))
    for field in section.fields:
        yield from _field(field, owner)


def _field(field: Field, owner: str) -> Iterator[object]:
    yield heading(3, tag("code", inline(field.name)), f"{owner}.{field.name}")
    default = join([" · default: ", field.default]) if field.default else None
    needed = tag("span", _NEEDED[field.needed], class_=f"needed {field.needed}")
    yield tag("p", needed, " · ", _words(field.type), default, class_="meta")
    yield tag("p", guide(field.guidance))
    name = field.name.rpartition(".")[2]
    yield _tried([_short({name: each}) for each in field.good], field.bad, name)


def _short(entry: dict[str, Any]) -> str:
    """`key: value` on one line if it fits, else on several."""
    line = flow(entry)[1:-1]
    return line if len(line) <= WIDTH else block(entry).rstrip("\n")


def _tried(good: list[str], bad: tuple[Bad, ...], name: str | None = None) -> Html | None:
    """Good examples, and bad ones with their first message."""
    items = [tag("li", _code(text), class_="good") for text in good]
    for each in bad:
        text = _short({name: each.value}) if name else flow(each.value)
        items.append(tag("li", _code(text), _diagnostics(each), class_="bad"))
    return tag("ul", *items, class_="tried") if items else None


def _code(text: str) -> Html:
    return tag("pre", tag("code", text)) if "\n" in text else tag("code", text)


def _diagnostics(bad: Bad) -> Html:
    first, *others = bad.says
    more = f" (and {len(others)} more)" if others else None
    code = link(f"../diagnostics/{first.code}.md", first.code)
    return tag("span", code, " ", first.message, more, class_="said")


def _words(words: Words) -> Html:
    shown: list[object] = []
    for each in words:
        if isinstance(each, Link):
            shown.append(link(f"{each.page}.md#{each.name}", each.title))
        else:
            shown.append(tag("code", each.text) if isinstance(each, Code) else each)
    return join(shown)


def guide(text: str) -> Html:
    """Guidance, with words between backticks as code."""
    return Html(re.sub("&#96;(.*?)&#96;", r"<code>\1</code>", inline(text)))


def _look_ups(table: Table, book: Book) -> Iterator[object]:
    """What formulas can read from a row of the catalogue."""
    yield heading(2, "In formulas", "in-formulas")
    yield (
        f"A scalar or column `x` with `ref: {table.name}` names one of these files by its id, and "
        "formulas look its figures up:"
    )
    rows = [
        f"| `x.{each.name}` | {inline(each.title)} | {_kind(each, book)} |"
        for each in table.columns.values()
        if not each.hidden
    ]
    yield "| written | gives | in |\n|---|---|---|\n" + "\n".join(rows)


def _kind(column: Column, book: Book) -> Html:
    if column.refers_to is not None:
        return join([f"a row of {column.refers_to}"])
    if column.unit is None:
        return join([column.kind])
    return tag("code", inline(str(column.unit)))


# ------------------------------------------------------------------ the index


def _index() -> str:
    rows = [
        f"| [{inline(written(kind)['title'])}]({kind}.md) | `{place(kind)[0]}` "
        f"| {inline(place(kind)[1])} |"
        for kind in KINDS
    ]
    return page(
        "The data format",
        "A book is a folder of YAML files. A file's folder is its kind, and its name is its id. "
        "These pages are generated from the JSON Schemas that `scalesheet check` uses, and every "
        "example on them is tested.",
        "| kind | place | holds |\n|---|---|---|\n" + "\n".join(rows),
        "What all kinds share is on [a separate page](common.md): above all "
        "[the value](common.md#value), a number with unit, range, basis and source.",
        "Beside a plan is `data/plans/<id>/page.md`, the prose of its page: Markdown that "
        "names figures and never types them. `{{ cost }}` prints a figure with its unit and "
        "range, `{{ table runs }}` a table, `{{ chart hours }}` a chart.",
        heading(2, "How YAML is read", "yaml"),
        "Strictly. A repeated key, an anchor, a tag, a second document, NaN and infinity are "
        "errors, and a plain word is read so:",
        "| written | read as |\n|---|---|\n"
        + "\n".join(f"| `{each}` | {_read_as(each)} |" for each in READ),
        "`yes` and `no` are flags where the format asks for one.",
    )


def _read_as(word: str) -> str:
    value = plain(word)
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"{'true' if value else 'false'}, a flag"
    if isinstance(value, str):
        return "text"
    return f"the number {escape(f'{value:,}')}"
