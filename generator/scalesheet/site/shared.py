"""Moves what many pages share into files: the header, a folder's navigation, the styles, and the
scripts at the end.

A site has thousands of pages, and most of a small page was its frame. Only parts that are
identical, except for the path to the site's root, are moved; everything else stays.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from pathlib import Path

from scalesheet.site.compact import compact

FRAME = "assets/frame.js"
STYLE = "assets/style.css"
END = "assets/end.js"
LISTS = "assets/lists"
LIST = "assets/list.js"

_TOP = re.compile(
    r'(?P<toggles>(?:<input class="md-toggle"[^>]*>\s*)+<label class="md-overlay"[^>]*></label>)\s*'
    r'(?P<skip><div data-md-component="skip">.*?</div>)\s*'
    r'<div data-md-component="announce">\s*</div>\s*(?P<header><header\b.*?</header>)\s*',
    re.DOTALL,
)
_SKIP = re.compile(r'href="#[^"]*"')
_SCOPE = re.compile(r'<script>(__md_scope=new URL\()"[./]*",location(\).*?)</script>\s*', re.DOTALL)
_COLOURS = re.compile(r"<script>(var palette=.*?)</script>\s*", re.DOTALL)
_TOPIC = re.compile(r'(data-md-component="header-topic">\s*<span class="md-ellipsis">)[^<]*')
_BOTTOM = (
    re.compile(r'<button type="button" class="md-top\b.*?</button>\s*', re.DOTALL),
    re.compile(r'<div class="md-dialog".*?</div>\s*</div>\s*', re.DOTALL),
    re.compile(r'<script id="__config".*?</script>\s*', re.DOTALL),
)
_BASE = re.compile(r'"base":"[./]*"')
_VALUES = re.compile(r'([\w-]+)="([^"]*)"')
_UP = re.compile(r'((?:href|src|data-root)=")(?:\./|(?:\.\./)*)')

_TABS = re.compile(r'<nav class="md-tabs".*?</nav>\s*', re.DOTALL)
_SIDE = re.compile(
    r'<div class="md-sidebar md-sidebar--primary".*?'
    r'(?=<div class="md-sidebar md-sidebar--secondary")',
    re.DOTALL,
)
#: The script builds it again from the headings.
_CONTENTS = re.compile(
    r'<div class="md-sidebar md-sidebar--secondary"(?P<hidden>[^>]*\bhidden\b)?.*?'
    r'(?=<div class="md-content")',
    re.DOTALL,
)
_CONTENTS_LIST = re.compile(r"<nav\b.*</nav>", re.DOTALL)
_PERMALINK = re.compile(r'<a class="headerlink"[^>]*>[^<]*</a>')
_OPENED = re.compile(
    r'<li class="md-nav__item md-nav__item--active">\s*<input [^>]*id="__toc">.*?'
    r'(<a href="[^"]*" class="md-nav__link) md-nav__link--active(">.*?</a>)\s*</li>',
    re.DOTALL,
)
#: What only scripts need of the frame around a page, and its icon, which they can add.
_BODY = re.compile(r"<body([^>]*)>")
_ICON = re.compile(r'<link rel="icon" [^>]*>\s*')
_COMPONENT = re.compile(
    r'(<(?:div|main) class="md-(container|main|content)") data-md-component="\2"'
)
_END = r'<script src="(?:\.\./)*[^":]*\.js"></script>\s*'
_ENDS = re.compile(rf"{_END}(?:{_END})*(?=</body>)")  # faster than with a +
_SOURCE = re.compile(r'src="(?:\.\./)*([^"]*)"')
#: The title of a page of a book, whose address is that of the page; the frame names it again.
_TITLE = re.compile(r'<h1 id="[^"]*">')
_MAP = re.compile(r"^//# sourceMappingURL=.*\n?", re.MULTILINE)
_STYLES = re.compile(r'(?:<link rel="stylesheet" href="(?:\.\./)*[^":]*\.css">\s*)+')
#: Comments of a style sheet, and spaces around signs that need none.
_COMMENTS = re.compile(r"/\*.*?\*/", re.DOTALL)
_SPACES = re.compile(r"\s*([{};,])\s*")
_ADDRESS = re.compile(r'href="(?:\.\./)*([^"]*)"')
_RELATIVE = re.compile(r"url\((?![\"']?(?:data:|#))|@import")


@dataclass
class Shared:
    """The files that the pages of a site share, collected while pages are processed."""

    site: Path
    frame: str = ""
    styles: dict[str, bool] = field(default_factory=dict)
    """Groups of style sheet links, and whether one sheet can replace them."""
    ends: tuple[str, ...] = ()
    """The scripts at the end of each page, which one file replaces."""
    written: set[str] = field(default_factory=set)
    """The files that this process has written: most pages share them with others."""

    def light(self, text: str, depth: int) -> tuple[str, str]:
        """Return a page without its shared parts, and the lists that were moved."""
        up = "../" * depth
        text = self.styled(self._framed(text, up), up)
        return self._listed(text, up)

    def _framed(self, text: str, up: str) -> str:
        top, scope = _TOP.search(text), _SCOPE.search(text)
        bottom = [each.search(text) for each in _BOTTOM]
        if top is None or scope is None or not all(bottom):
            return text
        found = [each[0] for each in bottom if each is not None]
        body, icon, ends = _BODY.search(text), _ICON.search(text), _ENDS.search(text)
        if body is None or ends is None:
            return text
        names = tuple(map(posixpath.normpath, _SOURCE.findall(ends[0])))
        colours = _COLOURS.search(top["header"])
        header = _TOPIC.sub(r"\1", _COLOURS.sub("", top["header"]))
        skip = _SKIP.sub('href="#"', top["skip"])  # without the header, there is nothing to skip
        common = _UP.sub(r"\1{up}", top["toggles"] + skip + header)
        common += _BASE.sub('"base":"{base}"', "".join(found))
        head = _UP.sub(r"\1{up}", icon[0].strip()) if icon else ""
        frame = "\n".join(
            (
                f'{scope[1]}"..",document.currentScript.src{scope[2]}',
                _script()
                .replace('"{top}"', json.dumps(common, ensure_ascii=False))
                .replace('"{head}"', json.dumps(head, ensure_ascii=False))
                .replace('"{body}"', json.dumps(dict(_VALUES.findall(body[1])))),
                colours[1] if colours else "",
            )
        )
        if not self.frame:
            self.frame, self.ends = frame, names
            self._write(FRAME, frame)
            given = (_MAP.sub("", (self.site / name).read_text("utf-8")) for name in names)
            begin = 'if (typeof frameLists !== "undefined") frameLists.end()'
            self._write(END, "\n".join((begin, *given)))
        if (frame, names) != (self.frame, self.ends):
            return text
        link = f'<script src="{up}{FRAME}"></script>\n'
        text = text.replace(top[0], link, 1).replace(scope[0], "", 1)
        for each in (*found, *([icon[0]] if icon else [])):
            text = text.replace(each, "", 1)
        text = text.replace(body[0], "<body>", 1)
        if up.count("../") > 1:
            text = _TITLE.sub("<h1>", text, count=1)
        text = text.replace(ends[0], f'<script src="{up}{END}"></script>', 1)
        return _COMPONENT.sub(r"\1", text)

    def _listed(self, text: str, up: str) -> tuple[str, str]:
        tabs, side = _TABS.search(text), _SIDE.search(text)
        if f'src="{up}{FRAME}"' not in text or tabs is None or side is None:
            return text, ""
        contents = _CONTENTS.match(text, side.end())
        if contents is None:
            return text, ""
        contents_list = _CONTENTS_LIST.search(contents[0])
        lists = side[0].replace(contents_list[0], "") if contents_list else side[0]
        lists = _OPENED.sub(r'<li class="md-nav__item">\1\2</li>', lists)
        lists = lists.replace(" md-nav__link--active", "")  # the script marks the page's own link
        parts = (json.dumps(_compacted(part), ensure_ascii=False) for part in (tabs[0], lists))
        made = f"frameLists.tabs({','.join(parts)})\n"
        name = f"{LISTS}/{hashlib.sha256(made.encode()).hexdigest()[:8]}.js"
        self._write(name, made)
        self._write(LIST, "frameLists.list()\n")
        hidden = " hidden" if contents["hidden"] else ""
        below = _PERMALINK.sub("", text[contents.end() :])
        text = f'{text[: side.start()]}<script src="{up}{LIST}"{hidden}></script>{below}'
        text = text.replace(tabs[0], f'<script src="{up}{name}"></script>\n', 1)
        return text, tabs[0] + lists

    def lost(self, text: str, up: str) -> str:
        """Return the page for missing pages: it keeps its frame, and loads the joined files."""
        text, ends = self.styled(text, up), _ENDS.search(text)
        names = _SOURCE.findall(ends[0]) if ends else ()
        if ends is None or tuple(name.removeprefix(up) for name in names) != self.ends:
            return text
        return text.replace(ends[0], f'<script src="{up}{END}"></script>', 1)

    def styled(self, text: str, up: str) -> str:
        """Replace a page's style sheets by a single one.

        Only the first group of sheets that comes up is joined, and only if it has no relative
        addresses, which would lead elsewhere from the joined sheet.
        """
        links = _STYLES.search(text)
        if links is None:
            return text
        named = _ADDRESS.findall(links[0])
        names = [posixpath.normpath(name.removeprefix(up)) for name in named]
        row = " ".join(names)
        if row not in self.styles:
            given = [(self.site / name).read_text("utf-8") for name in names]
            first = not self.styles
            self.styles[row] = first and not any(map(_RELATIVE.search, given))
            if self.styles[row]:
                self._write(STYLE, _SPACES.sub(r"\1", _COMMENTS.sub("", "\n".join(given))))
        if not self.styles[row]:
            return text
        return text.replace(links[0], f'<link rel="stylesheet" href="{up}{STYLE}">\n', 1)

    def _write(self, name: str, text: str) -> None:
        if name not in self.written:
            self.written.add(name)
            path = self.site / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="")

    def remove_joined(self, loaded: Collection[str]) -> None:
        """Remove the files that a joined one replaces, except those that pages load apart."""
        sheets = (row.split() for row, joined in self.styles.items() if joined)
        for name in {*chain.from_iterable(sheets), *self.ends} - set(loaded):
            (self.site / name).unlink()


@lru_cache(maxsize=256)  # the pages of a folder have the same
def _compacted(part: str) -> str:
    return compact(part)


@cache
def _script() -> str:
    return files("scalesheet.site").joinpath("frame.js").read_text("utf-8")
