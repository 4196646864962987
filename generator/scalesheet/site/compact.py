"""Writes finished pages in fewer bytes: the same document, without what HTML lets a page omit.

A browser builds the same elements, attributes and texts from both. Only line breaks between blocks
are lost, which nothing shows, scopes of table headings that follow from the form of the table, and
what figures, links to lines and ids have in common in their names, which the page's script adds
again where it matters.
Text that is literal (scripts, styles, `pre`) stays as it is, except that highlighted code keeps
only the classes that have a color.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from functools import cache
from pathlib import Path

from scalesheet.forks import spread

_LITERAL = re.compile(
    r"<(script|style|pre|textarea)\b[^>]*>(?!</).*?</\1>|<!--.*?-->", re.DOTALL | re.IGNORECASE
)
_TAG = re.compile(
    r"<(?P<name>[a-z][a-z0-9-]*)(?P<attributes>(?:\s+[^\s=<>\"'/]+(?:=\"[^\"]*\")?)*)\s*(?P<closed>/?)>"
)
_ATTRIBUTE = re.compile(r"\s+([^\s=<>\"'/]+)(?:=\"([^\"]*)\")?")
_BARE = re.compile(r"[^\s\"'=<>`]+")
#: Elements that HTML closes by itself, so that their slash means nothing.
_VOID = frozenset(("br", "hr", "img", "input", "link", "meta", "wbr", "col"))

#: Escaped because Markdown, or an attribute in the other kind of quotes, would read them.
_REFERENCE = re.compile(r"&(?:#(?:x27|0*39|96|126|12[35]|9[1-5]|3[3-7]|4[0-9]|58|61)|quot|para);")
#: A tag, or a reference in text between tags.
_TAG_OR_REFERENCE = re.compile(rf"<[a-z/!](?:[^\">]++|\"[^\"]*+\")*+>|{_REFERENCE.pattern}")

_BLOCKS = (
    "address|article|aside|blockquote|body|dd|details|div|dl|dt|fieldset|figcaption|figure|footer"
    "|form|h[1-6]|head|header|hr|html|li|link|main|meta|nav|ol|p|section|summary|table|tbody|td"
    "|tfoot|th|thead|title|tr|ul"
)
_BREAK = re.compile(
    # looking ahead for a blank is faster than starting an expression with one
    rf"(</?(?:{_BLOCKS})\b[^>]*+>)(?=\s)\s*\n\s*|(?=\s)\s*\n\s*(?=</?(?:{_BLOCKS})\b)"
)
#: End tags that HTML adds by itself before what follows them.
_IMPLIED = re.compile(
    r"</t[dh]>(?=<t[dh]\b|</tr>)|</tr>(?=<tr\b|</t(?:head|body|foot|able)>)"
    r"|</thead>(?=<tbody\b)|</tbody>(?=</table>)"
    r"|</li>(?=<li\b|</[uo]l>)|</d[td]>(?=<d[td]\b)|</dd>(?=</dl>)"
    r"|</p>(?=<(?:article|aside|blockquote|details|div|dl|figure|footer|form|h[1-6]|hr|main|nav|ol"
    r"|p|pre|section|table|ul)\b|</(?:article|aside|blockquote|dd|details|div|figure|footer|form|li"
    r"|main|section|td|th)>)"
    r"|</body></html>\s*\Z"
)


_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
_HEAD = re.compile(r"<thead>.*?</thead>", re.DOTALL)
_COLUMN = re.compile(r'(<th\b[^>]*?) scope="?col"?(?=[ >])')
_ROW = re.compile(r'(<tr\b[^>]*>\s*<th\b[^>]*?) scope="?row"?(?=[ >])')


def _scoped(table: re.Match[str]) -> str:
    """A table without scopes that follow from its form.

    A heading in a row of headings is that of its column; one in a column of headings, that of its
    row.
    """
    text = table[0]
    head = _HEAD.search(text)
    if head is None or "<td" in head[0]:
        return text
    rows = text[head.end() :]
    if len(re.findall(r"<tr\b[^>]*>\s*<th\b", rows)) == rows.count("<tr") and "rowspan" not in text:
        rows = _ROW.sub(r"\1", rows)
    return text[: head.start()] + _COLUMN.sub(r"\1", head[0]) + rows


#: A space or punctuation, which need no color, and a sign or word with its class, and finer ones
#: that have none.
_PLAIN = re.compile(r'<span class="[pw]">([^<]*)</span>')
_COLORED = re.compile(r'<span class="(\w+)(?: [\w -]+)?">')


_CELLS = re.compile(r"<tr\b([^>]*)>((?:[^<]++|<(?!tr\b|/tr>))*+)</tr>")
_FIGURE = re.compile(r'(<td\b[^>]* data-of=")([^"/]+/[^"/]+)(?=/[^"/]+")')


def _row(row: re.Match[str]) -> str:
    """A row of a table with the table and the row of its figures, named once."""
    places = {place for _, place in _FIGURE.findall(row[2])}
    if len(places) != 1:
        return row[0]
    (place,) = places
    cells = _FIGURE.sub(r"\1", row[2])
    return f'<tr{row[1]} data-row="{place}">{cells}</tr>'


_FOLD = re.compile(
    r'<details class="formula">(<summary>.*?</summary>)((?:(?!<details\b).)*?)</details>', re.DOTALL
)
_PLACED = re.compile(r'<span\b[^>]* data-of="(?:[^"/@]+/@)?([^"/@]+/[^"/@]+)/[^"]+"[^>]*>')
_OWN = re.compile(r' data-own(?:="")?(?=[ >])')


def _fold(fold: re.Match[str]) -> str:
    """A folded formula with the table and the row of its own figures, named once."""
    places = Counter(_PLACED.findall(fold[0]))
    place, count = places.most_common(1)[0] if places else ("", 0)
    if count < 2:
        return fold[0]

    def short(figure: re.Match[str]) -> str:
        named = figure[0].replace(f'data-of="{place}/', 'data-of="/').replace(f"/@{place}/", "/@/")
        return figure[0] if named == figure[0] else _OWN.sub("", named)

    def own(figure: re.Match[str]) -> str:
        return short(figure) if _OWN.search(figure[0]) else figure[0]

    head, rest = _PLACED.sub(short, fold[1]), _PLACED.sub(own, fold[2])
    return f'<details class="formula" data-row="{place}">{head}{rest}</details>'


_CELL = re.compile(r"<t[dh]\b[^>]*>")
_ELSEWHERE = re.compile(r'<td\b[^>]* data-of="[^/]')
_OF_COLUMN = re.compile(r' data-of="/([^"]+)"(?: data-as="(\w+)")?')


def _columned(table: re.Match[str]) -> str:
    """A table with the columns of its figures named once, where most of its rows have the same."""
    rows = [row for row in _CELLS.finditer(table[0]) if ' data-row="' in row[1]]
    named = Counter(_columns(row[2]) for row in rows)
    columns, count = named.most_common(1)[0] if named else ("", 0)
    if count < 2 or not columns:
        return table[0]

    def bare(row: re.Match[str]) -> str:
        if ' data-row="' not in row[1] or _columns(row[2]) != columns:
            return row[0]
        cells = _CELL.sub(lambda cell: _OF_COLUMN.sub("", cell[0]), row[2])
        return f"<tr{row[1]}>{cells}</tr>"

    return _CELLS.sub(bare, table[0]).replace("<table", f'<table data-columns="{columns}"', 1)


def _columns(cells: str) -> str:
    """The column of each cell of a row, and what it prints of it, by place; `-` for none. Nothing
    if a cell has a figure of another row."""
    if _ELSEWHERE.search(cells):
        return ""
    found = (_OF_COLUMN.search(cell) for cell in _CELL.findall(cells))
    return " ".join(":".join(filter(None, each.groups())) if each else "-" for each in found)


_EDIT = re.compile(r'<a href="(https?://[^"#]+/)([^"/#]+#L\d+)" class="edit">')
_MANY_EDITS = 10


def _edits(page: str) -> str:
    """A page whose many links to lines of one folder name it once; `site.js` adds it again."""
    folders = Counter(folder for folder, _ in _EDIT.findall(page))
    folder, count = folders.most_common(1)[0] if folders else ("", 0)
    if count < _MANY_EDITS:
        return page

    def bare(edit: re.Match[str]) -> str:
        return f'<a class="edit" data-at="{edit[2]}">' if edit[1] == folder else edit[0]

    return _EDIT.sub(bare, page).replace("<article ", f'<article data-edit="{folder}" ', 1)


_CHART = re.compile(r'<svg\b[^>]* aria-labelledby="(chart-[^" ]+)-title ')


def _charts(page: str) -> str:
    """A page whose charts have short ids, which only their own parts refer to."""
    found = sorted(set(_CHART.findall(page)))  # the order of a set differs between processes
    for n, id_ in enumerate(sorted(found, key=len, reverse=True)):
        page = page.replace(f'"{id_}-', f'"c{n}-').replace(f" {id_}-", f" c{n}-")
        page = page.replace(f"#{id_}-", f"#c{n}-")
    return page


def compact(page: str) -> str:
    """The same page in fewer bytes."""
    page = _charts(_edits(page))
    page = _TABLE.sub(_columned, _CELLS.sub(_row, _TABLE.sub(_scoped, _FOLD.sub(_fold, page))))
    parts: list[str] = []
    end = 0
    for literal in _LITERAL.finditer(page):
        text = literal[0]
        if text.startswith("<pre"):
            text = _COLORED.sub(r"<span class=\1>", _PLAIN.sub(r"\1", text))
        parts += [_shortened(page[end : literal.start()]), text]
        end = literal.end()
    return "".join((*parts, _shortened(page[end:])))


def compact_pages(site: Path) -> None:
    """Write every page below `site` in fewer bytes."""

    def written(page: Path) -> None:
        page.write_text(compact(page.read_text("utf-8")), "utf-8", newline="")

    with spread(written, sorted(site.rglob("*.html"))) as done:
        done()


def _shortened(markup: str) -> str:
    markup = _TAG_OR_REFERENCE.sub(lambda each: _read(each[0]), markup)
    return _IMPLIED.sub("", _BREAK.sub(r"\1", markup))


@cache
def _read(found: str) -> str:
    """The character of a reference, or a start tag in fewer bytes; other tags unchanged."""
    if found.startswith("&"):
        return html.unescape(found)
    start = _TAG.fullmatch(found)
    return _tag(**start.groupdict()) if start else found


def _in_quotes(reference: re.Match[str]) -> str:
    """The character of a reference in a value, unless it would end the value."""
    character = html.unescape(reference[0])
    return reference[0] if character == '"' else character


def _tag(name: str, attributes: str, closed: str) -> str:
    """A start tag with its values unquoted where they need no quotes."""
    if closed and name in _VOID:
        closed = ""
    parts = [name]
    for key, value in _ATTRIBUTE.findall(attributes):
        if not value:
            parts.append(key)
        else:
            value = _REFERENCE.sub(_in_quotes, value)
            bare = value.replace("&amp;", "&")
            value = bare if html.unescape(bare) == html.unescape(value) else value
            parts.append(f"{key}={value}" if _BARE.fullmatch(value) else f'{key}="{value}"')
    # a slash right after a value without quotes would be part of it
    return f"<{' '.join(parts)}{' /' if closed and '=' in parts[-1] else closed}>"
