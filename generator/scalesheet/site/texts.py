"""The site as text: Markdown beside the pages, and llms.txt at the root.

Single entries, the reference of the format, and lists of rows (of a plan, of an audit, of the
score) have no text: the data API has them.
llms.txt follows https://llmstxt.org: a title, a summary, and sections of links with notes.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

LIST = "llms.txt"
INDEX = "index.md"
ALL = "book/index.md"  # the index of everything, which does not stand for the pages below it

#: Sections in order, each with the pages that it lists; all other pages are documentation.
SECTIONS: Mapping[str, re.Pattern[str]] = {
    "Plans": re.compile(r"book/plans/(?!index\.md)[^/]+\.md"),
    "Comparisons": re.compile(r"book/compare/[^/]+\.md"),
    "Catalogue": re.compile(r"book/(?!plans/|reference/|compare/)[^/]+/index\.md"),
    "Documentation": re.compile(r"(?!architecture|decisions|extending|changelog).*"),
    "Optional": re.compile(r".*"),
}
#: Sections that list pages even if their folder has an index.
LISTED_ONE_BY_ONE = ("Plans", "Catalogue")
#: Files other than pages, listed if the site has them.
DATA: Mapping[str, tuple[str, str]] = {
    "api/v1/index.json": (
        "Index of the data API",
        "everything there is as JSON and CSV: plans, audits, the score, and each collection",
    ),
    "api/v1/plans.json": ("Headlines", "each plan's headline figures"),
    "api/v1/changes.json": ("Changes to the data", "prices, corrected values and records by day"),
    "api/v1/changes.atom": ("The same as a feed", "the newest hundred, as Atom"),
}

#: Pages without a text, whose rows are in the API: single entries, complete lists of a plan, audits
#: and scores, the longest lists, and the format.
UNTOLD = re.compile(
    r"book/(?!plans/|compare/|reference/)[^/]+/(?!index\.md)[^/]+\.md"
    r"|book/(?:changes|formulas|offers|sources)/index\.md"
    r"|book/reference/(?:diagnostics|format)/(?!index\.md)[^/]+\.md"
    r"|book/plans/[^/]+\.(?:formulas-\d+|inputs|sensitivity|tables)\.md"
)
_LINK = re.compile(r"(\]\()([^)\s]+)\.md(#[^)\s]*)?(?=\))")

FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_HEADING = re.compile(r"^# (.+?)(?:\s*\{[^}]*\})?$", re.MULTILINE)
_SENTENCE = re.compile(r"[A-Za-z“*].*?(?:[.?!](?=\s|$)|$)", re.DOTALL)


def page_texts(pages: Path, plain: Path | None) -> dict[str, str]:
    """The Markdown of each page with text, by path: from `plain` if it is there, else as written.

    Links to pages without text lead to their HTML.
    """
    result: dict[str, str] = {}
    for page in sorted(pages.rglob("*.md")):
        name = page.relative_to(pages).as_posix()
        if UNTOLD.fullmatch(name):
            continue
        better = None if plain is None else plain / name
        content = (better if better and better.is_file() else page).read_text("utf-8")
        result[name] = _linked(name, FRONT_MATTER.sub("", content))
    return result


def _linked(name: str, text: str) -> str:
    folder = posixpath.dirname(name)

    def led(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, f"{link[2]}.md"))
        ending = "html" if UNTOLD.fullmatch(target) else "md"
        return f"{link[1]}{link[2]}.{ending}{link[3] or ''}"

    return _LINK.sub(led, text)


def write_texts(site: Path, texts: Mapping[str, str], config: Path) -> None:
    """Write the text of each page beside it, and the list of all at the root."""
    settings: dict[str, Any] = yaml.safe_load(config.read_text("utf-8"))
    beside = {n: text for n, text in texts.items() if (site / n).with_suffix(".html").is_file()}
    write_pages(site, beside)
    data = {place: description for place, description in DATA.items() if (site / place).is_file()}
    (site / LIST).write_bytes(
        llms_text(
            str(settings["site_name"]), str(settings.get("site_description", "")), beside, data
        ).encode()
    )


def write_pages(site: Path, texts: Mapping[str, str]) -> None:
    """Write the text of each page beside it."""
    for name, text in texts.items():
        (site / name).write_bytes(text.encode())


def llms_text(
    title: str,
    summary: str,
    texts: Mapping[str, str],
    files: Mapping[str, tuple[str, str]],
) -> str:
    """The text of llms.txt. A folder with an index is listed by that alone, unless a section wants
    more."""
    lines = [f"# {title}", ""]
    if summary:
        lines += [f"> {' '.join(summary.split())}", ""]
    for section, listed in _sections(texts).items():
        if section == "Documentation" and files:
            lines += ["## Data", "", *(_entry(n, *text) for n, text in files.items()), ""]
        if listed:
            lines += [
                f"## {section}",
                "",
                *(_entry(n, *_title_and_lead(texts[n])) for n in listed),
                "",
            ]
    return "\n".join(lines)


def _sections(texts: Mapping[str, str]) -> dict[str, list[str]]:
    """The pages of each section: home first, then by path."""
    result: dict[str, list[str]] = {section: [] for section in SECTIONS}
    for name in sorted(texts, key=lambda name: (name != INDEX, name)):
        section = next(s for s, pattern in SECTIONS.items() if pattern.fullmatch(name))
        if section in LISTED_ONE_BY_ONE or not _within_another(name, texts):
            result[section].append(name)
    return result


def _within_another(name: str, texts: Mapping[str, str]) -> bool:
    """Return whether an index of its folder or of one above, below the root, stands for it."""
    return any(
        index in texts and index != name
        for parent in list(PurePosixPath(name).parents)[:-1]
        for index in (f"{parent}/{INDEX}",)
        if index != ALL
    )


def _entry(place: str, title: str, note: str) -> str:
    return f"- [{title}]({place})" + (f": {note}" if note else "")


def _title_and_lead(text: str) -> tuple[str, str]:
    """A page's title and the first sentence below it."""
    heading = _HEADING.search(text)
    title = heading[1] if heading else "Untitled"
    return title, next(_sentences(text[heading.end() :] if heading else text), "")


def _sentences(text: str) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", text):
        sentence = _SENTENCE.match(block.strip())
        if sentence and not block.strip().startswith("Data: "):
            message = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", sentence[0])
            yield html.unescape(" ".join(message.split()))
