"""Pages as plain Markdown, for readers of text: everything a page says, without screen-only parts.

A page is Markdown with blocks of HTML. Markdown stays as it is; elements become headings, lists,
tables and links; a picture becomes its description, a formula its text. Hidden parts and controls
are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import unescape

_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]<>|~"})
_VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})
_LEFT_OUT = frozenset(
    {"script", "style", "template", "form", "fieldset", "input", "select", "button", "noscript"}
)
_BLOCKS = frozenset(
    {
        *("div", "section", "article", "figure", "figcaption", "p", "blockquote", "nav"),
        *("table", "ul", "ol", "dl", "details", "summary", "svg"),
        *("h1", "h2", "h3", "h4", "h5", "h6"),
    }
)
_EMPHASIS = {"strong": "**", "b": "**", "em": "*", "i": "*"}
#: Classes of elements that are put in brackets after a figure.
_ASIDE = frozenset({"range", "ratio", "best"})
#: Classes of controls, and of graphics that repeat the words beside them.
_CONTROLS = frozenset({"what-if", "edit", "chips", "parts"})
#: A place on a page that lists formulas or inputs, which has no Markdown.
_OF_LISTS = re.compile(r"\.(?:formulas-\d+|inputs)\.(?:html|md)#")
_ESCAPED = re.compile(r"\\([\\`*_\[\]<>|~])")
_CODE = re.compile(
    r"^(`{3,}|~{3,})[^\n]*\n.*?^\1[ \t]*$|(`+)(?!`).+?(?<!`)\2(?!`)", re.MULTILINE | re.DOTALL
)
_FRONT = re.compile(r"\A---\n.*?\n---\n\n?", re.DOTALL)
_HEADING = re.compile(r"^(#{1,6} .*?) \{ [^{}\n]* \}$", re.MULTILINE)
_CLASS = re.compile(r"^\{ *\.[^{}\n]*\}\n", re.MULTILINE)  # attributes of a paragraph
_SEVERAL = re.compile(r"\n{3,}")


def escaped(text: object) -> str:
    """Escape Markdown characters, on one line."""
    return " ".join(str(text).split()).translate(_MARKS)


@dataclass(slots=True)
class _Element:
    """An element; text in its content is already escaped."""

    name: str
    attributes: dict[str, str]
    content: list[_Element | str] = field(default_factory=list)

    @property
    def classes(self) -> set[str]:
        return set(self.attributes.get("class", "").split())

    def all(self, name: str) -> Iterator[_Element]:
        for each in self.content:
            if isinstance(each, _Element):
                if each.name == name:
                    yield each
                yield from each.all(name)


_TOKEN = re.compile(
    r"<(?P<end>/?)(?P<name>[a-z][a-z0-9]*)(?P<attributes>(?:\s+[^<>]*?)?)/?>"
    r"|(?P<text>[^<&]+|&[#\w]+;|[<&])"
)
_ATTRIBUTE = re.compile(r'([a-zA-Z-]+)(?:="([^"]*)")?')


def _read(page: str) -> _Element:
    """Parse the elements that `html.tag` wrote; Markdown and code between them stay as they are."""
    root = _Element("", {})
    opened = [root]
    blocks = 0  # number of open block elements
    for token in _TOKEN.finditer(page):
        if (text := token["text"]) is not None:
            plain = unescape(text) if text[0] == "&" else text
            literal = blocks or text[0] == "&"
            opened[-1].content.append(plain.translate(_MARKS) if literal else plain)
        elif token["end"]:
            if len(opened) > 1 and opened[-1].name == token["name"]:
                blocks -= opened.pop().name in _BLOCKS
        else:
            attributes = {k: unescape(v) for k, v in _ATTRIBUTE.findall(token["attributes"])}
            made = _Element(token["name"], attributes)
            opened[-1].content.append(made)
            if not token[0].endswith("/>") and made.name not in _VOID:
                opened.append(made)
                blocks += made.name in _BLOCKS
    return root


def as_markdown(page: str) -> str:
    """Convert a page of Markdown with HTML to Markdown alone."""
    page = _CLASS.sub("", _HEADING.sub(r"\1", _FRONT.sub("", page)))
    parts: list[str] = []
    at = 0
    for code in [*_CODE.finditer(page), None]:  # in code, `<` and `&` are literal
        for each in _read(page[at : code.start() if code else len(page)]).content:
            if isinstance(each, _Element) and each.name in _BLOCKS:
                parts += ["\n\n", "\n\n".join(_blocks(each)), "\n\n"]
            else:
                parts.append(each if isinstance(each, str) else _inline(each))
        if code:
            parts.append(code[0])
            at = code.end()
    text = "".join(parts).replace("\u00a0", " ")
    return _SEVERAL.sub("\n\n", text).strip("\n") + "\n"


# ------------------------------------------------------------------ blocks


def _left_out(each: _Element) -> bool:
    return each.name in _LEFT_OUT or "hidden" in each.attributes or bool(each.classes & _CONTROLS)


def _blocks(element: _Element) -> Iterator[str]:
    """Yield an element as blocks of Markdown."""
    if _left_out(element):
        return
    match element.name:
        case "table":
            yield from filter(None, (_table(element),))
        case "ul" | "ol":
            items = (each for each in element.content if isinstance(each, _Element))
            lines = [_line(each) for each in items if not _left_out(each)]
            marks = ("-" if element.name == "ul" else f"{n}." for n in range(1, len(lines) + 1))
            yield "\n".join(f"{mark} {line}" for mark, line in zip(marks, lines, strict=True))
        case "dl":
            yield "\n".join(_terms(element))
        case "svg":
            yield from filter(None, (_in_words(element),))
        case "h1" | "h2" | "h3" | "h4" | "h5" | "h6" as name:
            yield f"{'#' * int(name[1])} {_line(element)}"
        case "figure" if "chart" in element.classes:
            yield _chart(element)
        case "summary":
            yield f"**{_line(element).replace('**', '')}**"
        case _ if "hero" in element.classes:
            yield "\n".join(_cards(element))
        case _:
            yield from _parts(element)


def _parts(element: _Element) -> Iterator[str]:
    """Yield the blocks of a container, and the text between them."""
    run: list[_Element | str] = []
    for each in [*element.content, None]:
        if isinstance(each, str) or (isinstance(each, _Element) and each.name not in _BLOCKS):
            run.append(each)
            continue
        if line := _joined(run):
            yield line
        run = []
        if each is not None:
            yield from _blocks(each)


def _table(table: _Element) -> str:
    rows = [
        [
            cell
            for each in row.content
            if isinstance(each, _Element) and each.name in ("th", "td") and not _left_out(each)
            for cell in (_cell(each, row), *[""] * (int(each.attributes.get("colspan") or 1) - 1))
        ]
        for row in table.all("tr")
        if not _left_out(row)
    ]
    if not rows:
        return ""
    width = max(map(len, rows))
    head, *body = ([*row, *[""] * (width - len(row))] for row in rows)
    lines = [head, ["---"] * width, *body]
    caption = next((_line(each) for each in table.all("caption")), "")
    grid = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{caption}\n\n{grid}" if caption else grid


def _cell(cell: _Element, row: _Element) -> str:
    """A cell; a heading has its unit in brackets, an input the name of its quantity."""
    content = [
        f"({_line(each)})"
        if isinstance(each, _Element) and "unit" in each.classes and cell.name == "th"
        else each
        for each in cell.content
    ]
    text = _joined(content)
    named = cell.name == "th" and row.attributes.get("id", "").startswith("i.")
    return f"{text} (`{row.attributes['id'][2:]}`)" if named else text


def _terms(terms: _Element) -> Iterator[str]:
    name = ""
    for each in terms.content:
        if isinstance(each, _Element) and each.name == "dt":
            name = _line(each)
        elif isinstance(each, _Element) and each.name == "dd" and not _left_out(each):
            yield f"- {name}: {_line(each)}"


def _cards(hero: _Element) -> Iterator[str]:
    """Yield headline figures: `- Cost: 122 USD (116–129 USD)`; notes get lines of their own."""
    for each in hero.content:
        if not isinstance(each, _Element) or _left_out(each):
            continue
        if each.name == "p":
            yield f"- {_line(each)}"
        else:
            label, *others = (_inline(p).strip() for p in each.content if isinstance(p, _Element))
            yield f"- {label}: {' '.join(filter(None, others))}"


def _chart(figure: _Element) -> str:
    """Yield a chart as its description, which has all its numbers."""
    titles = (*figure.all("figcaption"), *figure.all("title"))
    title = next(filter(None, map(_line, titles)), "")
    descriptions = " ".join(
        _in_words(each) for each in figure.all("svg") if "role" in each.attributes
    )
    return f"Chart: {title}. {descriptions}"


def _in_words(svg: _Element) -> str:
    """The description of a picture for those who cannot see it."""
    label = svg.attributes.get("aria-label")
    return escaped(label) if label else next((_line(each) for each in svg.all("desc")), "")


# ------------------------------------------------------------------ within a line


def _line(element: _Element) -> str:
    return _joined(element.content)


def _joined(content: Iterable[_Element | str]) -> str:
    """Join content on one line."""
    return " ".join(_flowing(content).split()).removesuffix(" ·")


def _flowing(content: Iterable[_Element | str]) -> str:
    """Join content, with a comma where only space separates two spans."""
    whole, before = "", ""
    for each in content:
        text, name = (each, "") if isinstance(each, str) else (_inline(each), each.name)
        if name == before == "span" and whole[-1:].strip() and text[:1].strip():
            whole += ", "
        whole += text
        before = name if text else before
    return whole


def _inline(element: _Element) -> str:
    if _left_out(element):
        return ""
    if element.name == "svg":
        return f" {_in_words(element)} "
    if element.name == "math":
        return escaped(element.attributes.get("alttext") or "")
    if element.name == "br":
        return " "
    if element.name in ("table", "ul", "ol", "dl"):
        return f" {'; '.join(' '.join(each.split()) for each in _blocks(element))} "
    if element.name == "details":
        return f" {next((_line(each) for each in element.all('summary')), '')} "
    text = _flowing(element.content)
    if not text.strip():
        return text
    if element.name == "code":
        return f"`{_ESCAPED.sub(_bare, text)}`"
    if element.name in _EMPHASIS:
        sign, inner = _EMPHASIS[element.name], text.strip()
        return text.replace(inner, f"{sign}{inner}{sign}")
    if element.name == "q":
        return f"“{text}”"
    if element.name == "a":
        target = element.attributes.get("href") or ""
        return text.strip() if _OF_LISTS.search(target) else link(target, text.strip())
    if element.classes & _ASIDE:
        return f" {text.strip()}" if text.strip()[0] == "(" else f" ({text.strip()})"
    return f" {text} " if element.name in _BLOCKS else text


def _bare(mark: re.Match[str]) -> str:
    return mark[1]


def link(target: str, text: str) -> str:
    """A link to a page leads to its Markdown; a link within the page becomes its text."""
    if target.startswith(("#", "?")) or not target:
        return text
    if not re.match(r"[a-z]+:", target):
        target = re.sub(r"\.html(#.*)?$", r".md\1", target)
    return f"[{text}]({target})"
