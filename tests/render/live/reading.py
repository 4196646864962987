"""Read what a plan's page shows in a browser, mark by mark, to compare it with another page."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from proof.browser import Chromium

#: For each mark: the quantity, which part of it is printed, and the text, or a field's value.
_MARKS = """
() => {
  const flat = (text) => text.replace(/\\s+/g, " ").trim();
  const inField = (field) => {
    const control = field.querySelector("input, select");
    const said = control.tagName === "SELECT" ? control.selectedOptions[0].textContent
      : control.value || control.placeholder;
    const more = Array.from(field.querySelectorAll(".unit, .range"), (e) => e.textContent);
    return flat([said, ...(control.value ? more : [])].join(" "));
  };
  return Array.from(document.querySelectorAll("[data-of]"))
    .filter((mark) => !mark.closest(".what-if, .what-if-bar"))
    .map((mark) => {
      const usual = mark.tagName === "TD" ? "cell" : "amount";
      const { of, as = usual, within = "", part = "" } = mark.dataset;
      const field = mark.querySelector(".field");
      return [[of, within, part].join(" "), as, field ? inField(field) : flat(mark.textContent)];
    });
}
"""
_REST = """
() => {
  // innerText is empty where the browser has not yet laid out what is out of sight
  const said = (part) => {
    const copy = part.cloneNode(true);
    for (const each of copy.querySelectorAll("[hidden], .published-as")) each.remove();
    return copy.textContent.replace(/\\s+/g, " ").trim();
  };
  const seen = (of) => Array.from(document.querySelectorAll(of), said);
  const rows = document.querySelectorAll("[data-as=row]:not([data-input], .formulas *) a");
  const charts = Array.from(document.querySelectorAll("figure[data-chart] svg"));
  const tornados = document.querySelectorAll("figure[data-tornado]:not([hidden], .gone)");
  const moves = Array.from(tornados, (each) => [
    each.querySelector("svg").outerHTML.replaceAll("\\n", ""),
    each.querySelector("figcaption").textContent,
    // what is in a fold has no innerText until the browser has laid it out
    ...Array.from(each.querySelectorAll("tbody tr"), (row) =>
      Array.from(row.cells, (cell) => cell.textContent.trim()).join("\t")),
  ]);
  return {
    moves,
    charts: charts.map((chart) => chart.outerHTML.replaceAll("\\n", "")),
    notes: seen("#inputs ~ .scroll td.words"),
    used: seen("[data-used]"),
    links: Array.from(rows, (e) => e.getAttribute("href").replace(/\\?.*/, "")),
  };
}
"""
#: The published values decide which row is the example of a column's formula.
_EXAMPLE = {"amount", "row"}


@dataclass
class Shown:
    """The texts of each quantity, and everything else on the page that depends on the inputs."""

    marks: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    rest: dict[str, Any] = field(default_factory=dict)


#: Opens every fold. The page fills a fold when it opens; its listener runs before this one.
_UNFOLD = """() => {
    const folded = [...document.querySelectorAll("details:not([open])")]
    const opened = folded.map(
        fold => new Promise(done => fold.addEventListener("toggle", () => done(), {once: true})))
    for (const fold of folded) fold.open = true
    if (!matchMedia("(scripting: enabled)").matches) return 0
    // The page writes what is out of sight a timer and a frame later, and has asked before us.
    const written = new Promise(done => setTimeout(() => requestAnimationFrame(() => done())))
    return Promise.all([...opened, written]).then(() => 0)
}"""


def read(page: Page) -> Shown:
    page.evaluate(_UNFOLD)
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for of, as_, text in page.evaluate(_MARKS):
        found[of, as_].add(text)
    return Shown(dict(found), page.evaluate(_REST))


def open_read(chromium: Chromium, page: Path, query: str = "", *, scripts: bool = True) -> Shown:
    """What the page shows at an address."""
    visit = chromium.visit(page.as_uri() + query, scripts=scripts)
    try:
        shown = read(visit.page)
    finally:
        complaints = chromium.leave(visit)
    # these folders lack the theme's fonts and styles
    assert [each for each in complaints if "FILE_NOT_FOUND" not in each] == []
    return shown


def differences(live: Shown, built: Shown) -> list[str]:
    """Where a page that was changed in the browser differs from a page built with those inputs."""
    found = [
        f"{kind}: {_apart(str(live.rest[kind]), str(built.rest[kind]))}"
        for kind in live.rest
        if live.rest[kind] != built.rest[kind]
    ]
    for key in sorted({*live.marks, *built.marks}):
        mine, theirs = live.marks.get(key), built.marks.get(key)
        if mine is None or theirs is None:
            of, as_ = key
            example = as_ in _EXAMPLE and "/" in of
            if not example and not _same_value(of, live, built):
                found.append(f"{key}: {mine} is not {theirs}")
        elif mine != theirs:
            found.append(f"{key}: {mine} is not {theirs}")
    return found


def _apart(live: str, built: str) -> str:
    """Both texts around the first character that differs."""
    pairs = enumerate(zip(live, built, strict=False))
    same = next((at for at, (a, b) in pairs if a != b), min(len(live), len(built)))
    start = max(0, same - 60)
    return f"{live[start : same + 60]!r} is not {built[start : same + 60]!r}"


def _same_value(of: str, live: Shown, built: Shown) -> bool:
    """Whether both show the same text for a quantity, even with its range in another place."""
    return bool(_texts(of, live) & _texts(of, built))


def _texts(of: str, shown: Shown) -> set[str]:
    found = {text for key, texts in shown.marks.items() if key[0] == of for text in texts}
    values, ranges = (shown.marks.get((of, as_), {""}) for as_ in ("value", "range"))
    return found | {f"{value} {ends}".strip() for value in values for ends in ranges}
