"""The inline scripts and styles of the theme: the only ones that a page of the site may have.

They are read from the templates of the installed version, not from the finished pages, where a
script from the data would look like one of the theme.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scalesheet.frozen import dataclass

_INLINE = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)
_FILLED_IN = re.compile(r"\{\{.*?\}\}")
_WAY_UP = "[./]*"  # what a template fills in: the path from a page to the site's root
# Zensical's search puts one <style> into its own shadow tree: ("style",{},Tc.toString()).
_STYLE_FROM_SCRIPT = re.compile(r"""\("style",\{\},(\w+)\.toString\(\)\)""")


@dataclass(frozen=True)
class Theme:
    """What a theme may put into a page, as expressions that match a whole inline text."""

    scripts: tuple[re.Pattern[str], ...] = ()
    styles: tuple[re.Pattern[str], ...] = ()
    added: tuple[str, ...] = ()
    """Texts of the <style> elements that its scripts add."""

    def own_scripts(self, texts: Iterable[str]) -> tuple[str, ...]:
        return _matching(texts, self.scripts)

    def own_styles(self, texts: Iterable[str]) -> tuple[str, ...]:
        return _matching(texts, self.styles)


NO_THEME = Theme()


def theme_of(settings: Mapping[str, Any], engine: str, project: Path) -> Theme:
    """Read the theme that mkdocs.yml names, with the templates of the project's own
    `custom_dir`."""
    named = settings.get("theme") or "mkdocs"
    options = named if isinstance(named, Mapping) else {"name": named}
    own = options.get("custom_dir")
    result = _read(Path(own) if Path(own).is_absolute() else project / own) if own else NO_THEME
    for folder in _folders(engine, str(options.get("name", ""))):
        theirs = _installed(folder)
        result = Theme(
            (*result.scripts, *theirs.scripts),
            (*result.styles, *theirs.styles),
            (*result.added, *theirs.added),
        )
    return result


def script_styles(script: Path) -> list[str]:
    """The style sheets that a script has as string literals and adds as <style>."""
    text = script.read_text(encoding="utf-8")
    result: list[str] = []
    for name in _STYLE_FROM_SCRIPT.findall(text):
        literal = re.search(rf"""\b{re.escape(name)}=('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", text)
        if literal:
            result.append(ast.literal_eval(literal[1]))
    return result


def _folders(engine: str, name: str) -> Iterator[Path]:
    """Yield the folders of the templates: in Zensical's own package, or in that of an MkDocs
    theme."""
    if engine == "zensical":
        modules = ["zensical"]
    else:
        modules = [each.module for each in metadata.entry_points(group="mkdocs.themes", name=name)]
    for module in modules:
        spec = find_spec(module)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            yield Path(folder)


@cache
def _installed(folder: Path) -> Theme:
    return _read(folder)


def _read(folder: Path) -> Theme:
    known: dict[str, list[re.Pattern[str]]] = {"script": [], "style": []}
    for template in sorted(folder.rglob("*.html")):
        for tag, text in _INLINE.findall(template.read_text("utf-8")):
            parts = map(re.escape, _FILLED_IN.split(text))
            known[tag].append(re.compile(_WAY_UP.join(parts), re.DOTALL))
    added = [style for path in sorted(folder.rglob("*.js")) for style in script_styles(path)]
    return Theme(tuple(known["script"]), tuple(known["style"]), tuple(added))


def _matching(texts: Iterable[str], known: Iterable[re.Pattern[str]]) -> tuple[str, ...]:
    known = tuple(known)
    return tuple(text for text in texts if any(each.fullmatch(text) for each in known))
