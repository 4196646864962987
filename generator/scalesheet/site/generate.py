"""Runs the site generator, MkDocs or Zensical, in a workspace, and reads its complaints."""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import yaml

from scalesheet.site import blocks
from scalesheet.site.own import there
from scalesheet.site.snippets import taken_out

Engine = Literal["mkdocs", "zensical"]

QUIET = {
    "NO_COLOR": "1",
    "NO_MKDOCS_2_WARNING": "1",
    # No clock and no randomness: two builds of the same pages give the same bytes.
    "SOURCE_DATE_EPOCH": "0",
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
}
#: Settings that themes put into pages as they are.
_AS_HTML = frozenset(("site_name", "site_description", "site_author", "copyright"))
_COLOUR = re.compile("\x1b\\[[0-9;]*m")
_COMPLAINT = re.compile(r"^(?:WARNING|ERROR)\s+-\s+")
_DRAWN_COMPLAINT = re.compile(r"^(?:Warning|Error): (.+)\n\s*╭─\[ (\S+) \]", re.MULTILINE)
_CHATTER = re.compile(r"^(?:INFO|DEBUG)\s+-\s+|^Aborted with |^Build (?:started|finished)")


def prepare(
    workspace: Path,
    pages: Path,
    config: Path,
    files: Mapping[str, Path],
    foot: str = "",
    *,
    whole: bool = True,
) -> None:
    """Lay out `workspace`: mkdocs.yml, and docs/ with the pages and the files beside them.

    If the site is not `whole`, the navigation has only the existing pages.
    """
    docs = workspace / "docs"
    shutil.copytree(pages, docs)
    for place, source in sorted(files.items()):
        target = docs / place
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)

    settings: dict[str, Any] = yaml.safe_load(config.read_text(encoding="utf-8"))
    settings |= {"docs_dir": "docs", "site_dir": "site"}
    settings["plugins"] = _without_search(settings.get("plugins") or [])
    taken_out(settings)  # from here on, what looks like a snippet is text of the data
    if foot:
        settings["copyright"] = foot
    for name in _AS_HTML & settings.keys():
        settings[name] = html.escape(str(settings[name]))
    if not whole and "nav" in settings:
        settings["nav"] = [each for entry in settings["nav"] if (each := there(entry, docs))]
    if "nav" in settings:
        named = frozenset(_LISTED_IN_NAV.findall(yaml.safe_dump(settings["nav"])))
        settings["nav"] = [widen(entry, docs, named) for entry in settings["nav"]]
    text = yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)
    (workspace / "mkdocs.yml").write_text(text, encoding="utf-8")


def _without_search(plugins: Iterable[Any]) -> list[Any]:
    """The plugins without the theme's search, which loads the whole index on each page.

    The site has its own search. Zensical has one unless it is disabled.
    """
    others = [p for p in plugins if (p if isinstance(p, str) else next(iter(p))) not in SEARCHES]
    return [{"search": {"enabled": False}}, *others]


SEARCHES = ("search", "offline", "material/search", "material/offline")


def hasten(workspace: Path, *, whole: bool = True) -> None:
    """Keep MkDocs from unnecessary work: blocks of HTML, and anchors.

    The check of the finished site covers anchors in all of each page. If the site is not `whole`,
    links to missing pages are also allowed.
    """
    file = workspace / "mkdocs.yml"
    settings: dict[str, Any] = yaml.safe_load(file.read_text("utf-8"))
    settings.setdefault("hooks", []).append(str(Path(blocks.__file__)))
    links = settings.setdefault("validation", {}).setdefault("links", {})
    links["anchors"] = "ignore"
    if not whole:
        links["not_found"] = "ignore"
    file.write_text(yaml.safe_dump(settings, sort_keys=False, allow_unicode=True), "utf-8")


#: A section with more pages shows only its index: nobody would read such a list on each page.
MOST_LISTED = 12
_LISTED_IN_NAV = re.compile(r"(\S+)/index\.md")
_HEADING = re.compile(r"^# (.+)$", re.MULTILINE)
_LISTED_ON_PAGE = re.compile(r'href="\.\./([^"/]+)/index\.html"')


def widen(entry: Any, docs: Path, named: frozenset[str] = frozenset()) -> Any:
    """Expand each navigation section that has only a folder's index.md to the whole folder.

    `{"Plans": ["book/plans/index.md"]}` becomes `{"Plans": ["book/plans/index.md",
    "book/plans/audit.md", ...]}`, so that mkdocs.yml need not know the data. A folder with more
    than `MOST_LISTED` pages keeps only its index, which is a better list of so many. An index alone
    in its folder may list folders beside it; those not `named` in the navigation become sections
    below it, such as the small tables.
    """
    if isinstance(entry, dict):
        return {title: widen(below, docs, named) for title, below in entry.items()}
    if not isinstance(entry, list):
        return entry
    match entry:
        case [str(only)] if Path(only).name == "index.md":
            index = Path(only)
            pages = (page.relative_to(docs) for page in (docs / index.parent).rglob("*.md"))
            # by name without the suffix, so that a plan comes before its further pages
            listed = sorted((page.with_suffix("") for page in pages if page != index), key=str)
            below = [f"{page.as_posix()}.md" for page in listed]
            entries = _tree(below, docs)
            if len(entries) > MOST_LISTED:
                return [only]
            return [only, *(entries or _listed_folders(index, docs, named))]
    return [widen(each, docs, named) for each in entry]


#: Folders whose pages have further pages: those whose names extend theirs.
TREES = ("plans",)


def _tree(below: list[str], docs: Path) -> list[Any]:
    """The pages of a folder; a page with further pages becomes a section."""
    if not below or Path(below[0]).parent.name not in TREES:
        return list(below)
    groups: dict[str, list[str]] = {}
    for page in below:
        name = page.removesuffix(".md")
        parts = (name[:at] for at, sign in enumerate(name) if sign in "-.")
        groups.setdefault(next((each for each in parts if each in groups), name), []).append(page)
    return [
        {_title(docs / pages[0], Path(pages[0]).stem): pages} if len(pages) > 1 else pages[0]
        for pages in groups.values()
    ]


def _title(page: Path, otherwise: str) -> str:
    """The title of a page as HTML, which themes put into the navigation as it is."""
    heading = _HEADING.search(page.read_text("utf-8"))
    return html.escape(html.unescape(heading[1])) if heading else otherwise


def _listed_folders(index: Path, docs: Path, named: frozenset[str]) -> list[dict[str, Any]]:
    """A section for each folder that an index lists and the navigation does not name."""
    if not (docs / index).is_file():
        return []
    result: list[dict[str, Any]] = []
    for folder in _LISTED_ON_PAGE.findall((docs / index).read_text("utf-8")):
        place = (index.parent.parent / folder).as_posix()
        if place not in named:
            title = _title(docs / place / "index.md", place)
            result.append({title: widen([f"{place}/index.md"], docs)})
    return result


def generate(workspace: Path, engine: Engine, *, cwd: Path) -> tuple[str, ...]:
    """Run the generator on a prepared workspace, into its site/, and return its complaints.

    `cwd` is the base of relative paths in mkdocs.yml, such as those of snippets.
    """
    done = subprocess.run(
        [sys.executable, "-m", engine, "build", "--strict", "-f", workspace / "mkdocs.yml"],
        cwd=cwd,
        env=os.environ | QUIET,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    text = _COLOUR.sub("", done.stdout + done.stderr).replace(f"{workspace}{os.sep}", "")
    problems = complaints(text)
    if done.returncode and not problems:
        text = text.strip() or f"exit status {done.returncode}"
        problems = (text.splitlines()[-1],)
    return tuple(f"{engine}: {each}" for each in problems)


def complaints(text: str) -> tuple[str, ...]:
    """The warnings and errors in the generator's output, each on one line.

    MkDocs writes a line with a list below it; Zensical draws the place in the page.
    """
    result: list[str] = []
    taking = False
    for line in text.splitlines():
        if _COMPLAINT.match(line):
            result.append(_COMPLAINT.sub("", line).strip())
            taking = True
        elif _CHATTER.match(line) or not line.strip():
            taking = False
        elif taking:
            result[-1] += f" {line.strip()}"
    result += sorted(f"{place}: {what}" for what, place in _DRAWN_COMPLAINT.findall(text))
    return tuple(result)
