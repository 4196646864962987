"""The index of the site's search: which words are on which page.

It is a script that is loaded when a reader first searches; `docs/assets/search.js` reads it.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field
from functools import reduce
from importlib.resources import files
from itertools import groupby, repeat
from pathlib import Path
from typing import Any

import yaml

from scalesheet.frozen import dataclass

INDEX = "search/index.js"
_BEGIN = "var scalesheetIndex = "

#: Where a word is on a page, from the least to the most relevant.
TEXT, ROW, HEADING, NAME, TITLE = range(5)

#: The weight of a page by the start of its path: answers count more than documentation. The first
#: match applies.
WEIGHTS: Mapping[str, float] = {
    r"index\.html": 2.0,
    r"book/offers/index\.html": 1.6,
    r"book/plans/[^.]*\.formulas": 0.4,
    r"book/plans/[^.]*\.\w+\.html": 0.8,
    r"book/plans/": 1.3,
    r"book/(models|hardware)/": 1.6,
    r"book/(score|compare|providers|components)/": 1.2,
    r"book/formulas/": 1.1,
    r"book/(offers|measurements|nodes)/": 0.6,
    r"book/audit/": 0.6,
    r"book/reference/": 0.4,
    r"book/sources/": 0.3,
    r"book/changes/": 0.3,
    r"book/": 0.8,
    r"(changelog|architecture|decisions|extending)": 0.4,
    r"": 1.0,
}
NOTE = 80  # characters of the note below a result

_SKIPPED = re.compile(
    r"<(script|style|svg|math|template)\b.*?</\1>|<nav\b.*?</nav>|<dl class=\"notations\".*?</dl>"
    r"|<a class=\"headerlink\".*?</a>|<!--.*?-->",
    re.DOTALL,
)
_HEADING = re.compile(r"<h([1-3])\b([^>]*)>(.*?)</h\1>", re.DOTALL)
_ID = re.compile(r'\bid="([^"]*)"')
_ROW = re.compile(r'<th\b[^>]*scope="?row[^>]*>(.*?)</th>', re.DOTALL)
_LEAD = re.compile(r"<p(?: class=\"lead\")?>(.*?)</p>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_WORD = re.compile(r"[^\W]+(?:\.\d+)*")
#: A figure or a digest in the text of a page, which nobody searches for, but no arXiv number.
_FIGURE = re.compile(r"(?!\d{4}\.\d{5}$)\d[\d.]*|[0-9a-f]{20,}")
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)


@dataclass(frozen=True)
class Entry:
    """A page as the search sees it."""

    path: str
    title: str
    weight: float
    note: str
    names: tuple[str, ...]
    headings: tuple[tuple[str, str], ...]
    words: Mapping[str, int] = field(repr=False)
    """Each word with its most relevant field."""

    def row(self, headings: Mapping[tuple[str, str], int]) -> list[Any]:
        """A result as the script takes it; headings, which many pages share, by number."""
        below = [headings[each] for each in self.headings]
        return [self.path, self.title, self.weight, self.note, self.names, below]


def words(text: str) -> list[str]:
    """The words of a text, split as the script splits a query."""
    return _WORD.findall(text.lower())


def entry(path: str, page: str, front: Mapping[str, Any]) -> Entry | None:
    """The entry of a page; None if it has no article."""
    start, end = page.find("<article"), page.rfind("</article>")
    if start < 0 or path == "404.html":
        return None
    article = _SKIPPED.sub(" ", page[start:end])
    headings = [(int(h[1]), _id(h[2]), _plain(h[3])) for h in _HEADING.finditer(article)]
    title = next((text for level, _, text in headings if level == 1), path)
    below = tuple((id_, text) for level, id_, text in headings if level > 1 and id_)
    names = tuple(name for name in front.get("tags", ()) if name != title)
    lead = _LEAD.search(article)
    fields: dict[str, int] = {}
    for where, texts in (
        (TEXT, [article]),
        (ROW, _ROW.findall(article)),
        (HEADING, [text for _, text in below]),
        (NAME, [*names, path.rpartition("/")[2].removesuffix(".html")]),
        (TITLE, [title]),
    ):
        for text in texts:
            found = words(_plain(text))
            if where == TEXT:
                found = [word for word in dict.fromkeys(found) if not _FIGURE.fullmatch(word)]
            fields.update(dict.fromkeys(found, where))
    weight = next(w for begin, w in WEIGHTS.items() if re.match(begin, path))
    note = _shortened(_plain(lead[1])) if lead else ""
    return Entry(path, title, weight, note, names, below, fields)


def _id(attributes: str) -> str:
    found = _ID.search(attributes)
    return html.unescape(found[1]) if found else ""


def _plain(markup: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", markup)).replace("¶", " ").split())


def _shortened(text: str) -> str:
    return text if len(text) <= NOTE else f"{text[:NOTE].rsplit(' ', 1)[0]} …"


def entries(site: Path, pages: Path) -> Iterator[Entry]:
    """Yield an entry for each page of a finished site, whose Markdown is below `pages`."""
    for file in sorted(site.rglob("*.html")):
        path = file.relative_to(site).as_posix()
        written = pages / f"{path.removesuffix('.html')}.md"
        front = _front(written.read_text("utf-8")) if written.is_file() else {}
        made = entry(path, file.read_text("utf-8"), front)
        if made is not None:
            yield made


def _front(text: str) -> Mapping[str, Any]:
    found = _FRONT.match(text)
    return (yaml.safe_load(found[1]) or {}) if found else {}


def synonyms() -> list[list[str]]:
    """Groups of equivalent phrases, in the words of the index."""
    text = files("scalesheet.site").joinpath("synonyms.yaml").read_text("utf-8")
    return [[" ".join(words(phrase)) for phrase in group] for group in yaml.safe_load(text)]


def index(found: Iterable[Entry]) -> str:
    """The script with the index.

    Each word has the pages that contain it: each as the distance from the previous one, times
    eight, plus the field.
    """
    pages = list(found)
    places: dict[str, list[tuple[int, int]]] = {}
    for n, page in enumerate(pages):
        for word, where in page.words.items():
            places.setdefault(word, []).append((n, where))
    ordered = sorted(places, key=lambda word: word.encode("utf-16-be"))
    headings = {
        each: n for n, each in enumerate(dict.fromkeys(h for p in pages for h in p.headings))
    }
    made = {
        "words": " ".join(ordered),
        "places": ";".join(_places(places[word]) for word in ordered),
        "headings": list(headings),
        "pages": [page.row(headings) for page in pages],
        "synonyms": synonyms(),
    }
    return f"{_BEGIN}{json.dumps(made, ensure_ascii=False, separators=(',', ':'))};\n"


def read(text: str) -> list[Entry]:
    """Read the entries back from an index."""
    made = json.loads(text.removeprefix(_BEGIN).rstrip(";\n"))
    headings = [(id_, text) for id_, text in made["headings"]]
    fields: list[dict[str, int]] = [{} for _ in made["pages"]]
    for word, places in zip(made["words"].split(" "), made["places"].split(";"), strict=True):
        page = 0
        for place in _numbers(places):
            step, where = divmod(place, 8)
            page += step
            fields[page][word] = where
    return [
        Entry(path, title, weight, note, tuple(names), tuple(headings[n] for n in below), of)
        for (path, title, weight, note, names, below), of in zip(made["pages"], fields, strict=True)
    ]


def exchanged(old: Iterable[Entry], own: Iterable[Entry], pages: Collection[str]) -> list[Entry]:
    """Replace the entries of some pages in place; new ones come last."""
    made = {each.path: each for each in own}
    kept = [made.pop(e.path, None) if e.path in pages else e for e in old]
    return [*filter(None, kept), *made.values()]


def write_index(site: Path, text: str) -> None:
    """Write the index where the script looks for it."""
    (site / INDEX).parent.mkdir(exist_ok=True)
    (site / INDEX).write_text(text, "utf-8", newline="")


def _places(found: list[tuple[int, int]]) -> str:
    """`8`, `Ac`, `8*1f,`: numbers without separators, and how often one is repeated.

    The last digit of a number is in base 36; those before are capital letters.
    """
    before, numbers = 0, []
    for page, where in found:
        numbers.append((page - before) * 8 + where)
        before = page
    runs = ((_number(n), len(list(same))) for n, same in groupby(numbers))
    return "".join(min(n * times, f"{n}*{times},", key=len) for n, times in runs)


def _number(number: int) -> str:
    number, rest = divmod(number, 36)
    text = _DIGITS[rest]
    while number:
        number, rest = divmod(number, 26)
        text = _LETTERS[rest] + text
    return text


_NUMBER = re.compile(r"([A-Z]*)([0-9a-z])(?:\*(\d+),)?")


def _numbers(places: str) -> Iterator[int]:
    for letters, last, times in _NUMBER.findall(places):
        number = reduce(lambda sum_, letter: sum_ * 26 + _LETTERS.index(letter), letters, 0)
        yield from repeat(number * 36 + _DIGITS.index(last), int(times or 1))


_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_LETTERS = _DIGITS[10:].upper()
