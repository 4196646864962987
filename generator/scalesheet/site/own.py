"""Default settings, styles and front page for a book without its own mkdocs.yml.

Such a project may still have a `docs` folder, whose pages are added to the generated ones.
"""

from __future__ import annotations

import html
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from scalesheet.shipped import ASSETS, SETTINGS
from scalesheet.site.snippets import taken_out

FILE = "mkdocs.yml"
FRONT = "index.md"
_FRONT_PAGE = ("{{ title }}", "{{ question }}", "{{ plans }}")


def lay_out(docs: Path, question: Mapping[str, str]) -> None:
    """Add what the project lacks to its pages: styles, scripts, a front page. The page asks a
    question that begins with this case, unless it is empty; pages of models link to it.
    """
    shutil.copytree(ASSETS, docs / "assets", dirs_exist_ok=True)
    if not (docs / FRONT).is_file():
        matter: dict[str, Any] = {"hide": ["navigation", "toc"]}
        matter |= {"question": dict(question)} if question else {}
        blocks = (each for each in _FRONT_PAGE if question or "question" not in each)
        page = f"---\n{yaml.safe_dump(matter, sort_keys=False)}---\n\n" + "\n\n".join(blocks)
        (docs / FRONT).write_text(f"{page}\n", "utf-8")


def settings_of(project: Path, docs: Path, title: str, stage: Path) -> Path:
    """The mkdocs.yml of a site: the project's own, or one in `stage` that lists the existing
    pages."""
    own = project / FILE
    if own.is_file():
        return own
    settings: dict[str, Any] = yaml.safe_load(SETTINGS.read_text("utf-8"))
    settings |= {"site_name": title, "site_description": title}
    taken_out(settings)
    settings["nav"] = [each for entry in settings["nav"] if (each := there(entry, docs))]
    own_pages = (page for page in docs.glob("*.md") if page.name != FRONT and page.is_file())
    for page in sorted(own_pages):  # without a heading, its name is its title, as HTML
        title = html.escape(page.stem)
        settings["nav"].append(page.name if title == page.stem else {title: page.name})
    made = stage / FILE
    made.write_text(yaml.safe_dump(settings, sort_keys=False, allow_unicode=True), "utf-8")
    return made


def there(entry: Any, docs: Path) -> Any:
    """An entry of the navigation with only existing pages; None if it has none."""
    if isinstance(entry, dict):
        kept = {title: left for title, below in entry.items() if (left := there(below, docs))}
        return kept or None
    if isinstance(entry, list):
        return [left for each in entry if (left := there(each, docs))] or None
    return entry if (docs / entry).is_file() else None
