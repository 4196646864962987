"""The pages of the diagnostics: meaning, remedy, a bad example with its message, and a good one."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from scalesheet.codes import CODES, FAMILIES, Code
from scalesheet.diagnostics import MOST_SHOWN
from scalesheet.examples import Example, example
from scalesheet.render.pages.html import escape, heading, inline, page, tag
from scalesheet.render.reference.format import guide


def diagnostic_pages() -> Iterator[tuple[str, str]]:
    """Yield path and text of the page of each code, and of their index."""
    yield "diagnostics/index.md", _index()
    for code in CODES.values():
        yield f"diagnostics/{code.code}.md", _page(code)


def _index() -> str:
    blocks: list[object] = [
        "Every message about bad data begins with a code: "
        "`path:line:column: CODE message`. `scalesheet explain CODE` shows these pages in the "
        "terminal. An error stops the build; a warning does not.",
        f"`scalesheet` prints the first {MOST_SHOWN} diagnostics of a code and says how many more "
        "there are. In JSON `more` holds that as a list of `{code, severity, count, files}`. Exit "
        "status and totals count all of them.",
    ]
    for letter, about in FAMILIES.items():
        rows = [
            f"| [{code.code}]({code.code}.md) | {inline(code.title)} | {inline(code.meaning)} |"
            for code in CODES.values()
            if code.code.startswith(letter)
        ]
        blocks.append(heading(2, f"{letter}: {about}", f"family-{letter.lower()}"))
        blocks.append("| code | title | meaning |\n|---|---|---|\n" + "\n".join(rows))
    return page("Diagnostics", *blocks)


def _page(code: Code) -> str:
    return page(
        f"{code.code}: {code.title}",
        tag("p", code.severity, class_="meta"),
        tag("p", guide(code.meaning), class_="lead"),
        tag("p", tag("strong", "Remedy:"), " ", guide(code.remedy)),
        *_shown(code.code),
    )


def _shown(code: str) -> Iterator[object]:
    shown = example(code)
    if not isinstance(shown, Example):
        yield heading(2, "Bad", "bad")
        yield inline(shown.bad)
        yield heading(2, "Good", "good")
        yield inline(shown.good)
        return
    bad, good = _changed(shown)
    yield heading(2, "Bad", "bad")
    yield _file(shown.place, shown.bad, bad)
    for text in shown.says:
        yield tag("pre", tag("code", escape(str(text)), class_="said"), class_="message")
    yield heading(2, "Good", "good")
    yield _file(shown.good_place, shown.good, good)


def _changed(shown: Example) -> tuple[list[int], list[int]]:
    """The numbers of the lines that differ between the two."""
    one, other = shown.bad.splitlines(), shown.good.splitlines()
    bad: list[int] = []
    good: list[int] = []
    for what, i, j, k, m in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if what != "equal":
            bad += range(i + 1, j + 1)
            good += range(k + 1, m + 1)
    return bad, good


def _file(place: str, text: str, marked: list[int]) -> str:
    lines = f' hl_lines="{" ".join(map(str, marked))}"' if marked else ""
    return f'```yaml title="data/{place}"{lines}\n{text}```'
