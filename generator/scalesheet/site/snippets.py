"""Snippets: what a page written by hand takes from other files, as `--8<-- "CHANGELOG.md"`.

They are put in here, before anything of the data is in a page, and not by the site generator: that
would expand them in text of the data too, and so publish any file of the machine that builds.
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
    """A snippet that is not put in; `line` is that of the page where it is asked for."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def taken_out(settings: MutableMapping[str, Any]) -> dict[str, Any] | None:
    """Removes the extension from what mkdocs.yml says; its options, or None where it has none."""
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
    """The page with its snippets, and the files that they came from. `settings` is mkdocs.yml.

    Raises SnippetError where a snippet is missing or is not a file of the project.
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
