"""Snippets: text that a handwritten page includes from other files, as `--8<-- "CHANGELOG.md"`.

They are included here, before a page has any text of the data, rather than by the site generator,
which would also expand them in the data and so publish any file of the build machine.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

import yaml
from markdown import Markdown
from pymdownx.snippets import SnippetExtension, SnippetMissingError

EXTENSION = "pymdownx.snippets"
_MARKER = "8<-"


class SnippetError(Exception):
    """Raised for a snippet that cannot be included; `line` is its line in the page."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def taken_out(settings: MutableMapping[str, Any]) -> dict[str, Any] | None:
    """Remove the extension from the mkdocs.yml settings; return its options, or None if it is not
    used."""
    extensions = settings.get("markdown_extensions") or []
    if isinstance(extensions, dict):
        extensions = [{name: options} for name, options in extensions.items()]
    result: dict[str, Any] | None = None
    kept: list[Any] = []
    for each in extensions:
        named = dict(each) if isinstance(each, dict) else {each: None}
        if EXTENSION in named:
            result = dict(named.pop(EXTENSION) or {})
            each = named
        if each:
            kept.append(each)
    if extensions:
        settings["markdown_extensions"] = kept
    return result


@lru_cache(maxsize=1)
def _options(settings: str) -> dict[str, Any] | None:
    stated = yaml.safe_load(settings)
    return taken_out(stated) if isinstance(stated, dict) else None


def put_in(page: str, settings: str, project: Path) -> tuple[str, tuple[Path, ...]]:
    """Return the page with its snippets, and their files. `settings` is the text of mkdocs.yml.

    Raises SnippetError if a snippet is missing or is not a file of the project.
    """
    if _MARKER not in page:
        return page, ()
    stated = _options(settings)
    if stated is None:
        return page, ()
    options = dict(stated)
    bases = options.get("base_path", ["."])
    bases = [bases] if isinstance(bases, str) else bases
    options |= {"base_path": [str(project / base) for base in bases], "url_download": False}
    asked: list[str] = []
    taken: list[Path] = []
    markdown = Markdown()
    SnippetExtension(**options).extendMarkdown(markdown)
    snippets = markdown.preprocessors["snippet"]
    read_snippet = snippets.get_snippet_path

    def inside(name: str) -> str | None:
        asked.append(name)
        path = PurePosixPath(name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts:
            raise SnippetMissingError(f"'{name}' is not a path below a folder of snippets")
        place: str | None = read_snippet(name)
        root = os.path.realpath(project)
        if place and not Path(os.path.realpath(place)).is_relative_to(root):
            raise SnippetMissingError(f"'{name}' is a link that leads out of the project")
        taken.extend([Path(place)] if place else [])
        return place

    snippets.get_snippet_path = inside
    try:
        return "\n".join(snippets.run(page.split("\n"))), tuple(taken)
    except (SnippetMissingError, OSError, ValueError) as error:
        lines = page.split("\n")
        last = asked[-1] if asked else _MARKER
        line = next((number for number, text in enumerate(lines, 1) if last in text), 1)
        message = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        raise SnippetError(line, f"no snippet is put in: {message}") from None
