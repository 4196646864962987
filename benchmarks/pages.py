"""How soon the heaviest pages of a built site can be used: `python -m benchmarks.pages [SITE]`.

To compare with an older site, alternating: `python -m benchmarks.pages SITE BEFORE`.

Each page is opened in Chromium from the folder, on two cores of this machine, and the median of
three loads is printed, beside that on a processor four times slower (`SLOWER`). Interactive: the
end of the last long task before the page was quiet. Blocking: the time of tasks beyond 50 ms. The
weight is that of the page and its own scripts; shared scripts load only once. The whole site is
weighed as published.

For each plan's page, it prints how soon new quantiles appear after an edit of an uncertain input:
the minimum of several edits, since other load only adds time, with the median beside it. The page's
worker draws samples for each edit.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from benchmarks.measure import ROOT, Ratio, report

HEAVIEST = 5
LOADS = 3
SLOWER = 4.0
QUIET = 1_000  # ms without a long task
MOST_INTERACTIVE = 1_000.0  # ms
MOST_SHIFT = 0.01
MOST_BLOCKING = 200.0  # ms
MOST_PLAN_PAGE = 300.0  # kB of HTML
MOST_SITE = 30.0  # MB
EDITS = 9
MOST_ANSWER = 300.0  # ms
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")

WATCH = """
window.tasks = []
window.shift = 0
new PerformanceObserver(list => {
  for (const each of list.getEntries()) tasks.push([each.startTime, each.duration])
}).observe({ type: "longtask", buffered: true })
new PerformanceObserver(list => {
  for (const each of list.getEntries()) if (!each.hadRecentInput) shift += each.value
}).observe({ type: "layout-shift", buffered: true })
"""
SETTLED = """quiet => new Promise(done => {
  const look = () => {
    const last = Math.max(0, ...tasks.map(([start, took]) => start + took))
    const [load] = performance.getEntriesByType("navigation")
    const { domContentLoadedEventEnd: ready, loadEventEnd } = load
    if (!loadEventEnd || performance.now() < Math.max(last, loadEventEnd) + quiet)
      return setTimeout(look, 100)
    const blocked = tasks.reduce((sum, [, took]) => sum + Math.max(0, took - 50), 0)
    done({ interactive: Math.max(ready, last), blocked, shift,
           nodes: document.querySelectorAll("*").length })
  }
  look()
})"""
#: The first uncertain scalar in the page's scenario, with values to enter.
UNCERTAIN = """count => {
  const { plan, results } = globalThis.scalesheet?.page ?? {}
  if (!plan?.drawn || !document.querySelector("[data-sure=section]")) return null
  const scenario = results().scalars.scenario?.value
  for (const { key, sides, domain } of plan.drawn.levers) {
    const name = sides?.[scenario] ?? key
    const { value } = plan.inputs.scalars[name] ?? {}
    if (typeof value !== "number") continue
    const other = n => domain.whole ? value + n : value * (1 - n / 100)
    return [name, Array.from({ length: count }, (_, n) => String(other(n + 1)))]
  }
  return null
}"""
#: Milliseconds from an edit to new quantiles, and to the total-effect indices of their causes.
ANSWER = """([name, text]) => new Promise(done => {
  const began = performance.now(), took = []
  const causes = document.querySelector("[data-sure=causes]")
  const watch = new MutationObserver(() => {
    took.push(performance.now() - began)
    if (causes.textContent.includes("…")) return
    watch.disconnect()
    done([took[0], took.at(-1)])
  })
  watch.observe(document.querySelector("[data-sure=summary]"), { childList: true })
  scalesheet.page.enter(name, text)
})"""


def measure(site: Path, before: Path | None = None) -> Iterator[Ratio]:
    pages = sorted(site.rglob("*.html"), key=lambda page: -page.stat().st_size)
    plans = [page for page in pages if page.parent == site / "book" / "plans"]
    heaviest = plans[0]
    detail = f"{heaviest.name}, the heaviest of {len(plans)} pages of plans"
    yield Ratio("kB of a plan's page", heaviest.stat().st_size / 1000, MOST_PLAN_PAGE, detail)
    weight = _megabytes(site)
    was = f"; {weight / _megabytes(before):.2f} of what it was" if before else ""
    yield Ratio("MB of the whole site", weight, MOST_SITE, f"{len(pages):,} pages{was}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=["--no-sandbox"])
        for page in pages[:HEAVIEST]:
            yield from _of_page(browser, site, page, before)
        for page in plans:
            yield from _answers(browser, page)
        browser.close()


def _megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def _of_page(browser: Browser, site: Path, page: Path, before: Path | None) -> Iterator[Ratio]:
    name = page.relative_to(site).as_posix()
    older = before / name if before and (before / name).is_file() else None
    loads: list[dict[str, Any]] = []
    slow: list[dict[str, Any]] = []
    loads_before: list[dict[str, Any]] = []
    for _ in range(LOADS):  # alternating, so that other load affects all equally
        loads.append(_load(browser, page.as_uri()))
        slow.append(_load(browser, page.as_uri(), SLOWER))
        if older:
            loads_before.append(_load(browser, older.as_uri()))
    weight = f"{page.stat().st_size / 1000:,.0f} kB, {_middle(loads, 'nodes'):,.0f} elements"
    for key, words, most in (
        ("interactive", "ms to interactive", MOST_INTERACTIVE),
        ("blocked", "ms blocked", MOST_BLOCKING),
        ("shift", "layout shift", MOST_SHIFT),
    ):
        was = _middle(loads_before, key) if loads_before else 0
        ratio = f"; {_middle(loads, key) / was:.2f} of what it was" if was else ""
        slower = f"; {_middle(slow, key):,.4g} on a processor {SLOWER:g} times slower"
        yield Ratio(f"{name}: {words}", _middle(loads, key), most, weight + slower + ratio)


def _answers(browser: Browser, path: Path) -> Iterator[Ratio]:
    page = browser.new_page()
    page.goto(path.as_uri())
    if asked := page.evaluate(UNCERTAIN, EDITS + 1):
        name, texts = asked
        (first, _), *took = [page.evaluate(ANSWER, [name, text]) for text in texts]
        quantiles, whole = zip(*took, strict=True)
        detail = (
            f"edits of {name}: {statistics.median(quantiles):.0f} ms in the median; with the total "
            f"indices {min(whole):.0f} ms; the first, which starts the worker, {first:.0f} ms"
        )
        title = f"{path.name}: ms from an edit to new quantiles"
        yield Ratio(title, min(quantiles), MOST_ANSWER, detail)
    page.close()


def _middle(loads: list[dict[str, Any]], name: str) -> float:
    return float(statistics.median(load[name] for load in loads))


def _load(browser: Browser, address: str, slower: float = 1) -> dict[str, Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.add_init_script(WATCH)
    slowed = context.new_cdp_session(page)
    slowed.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    page.goto(address)
    seen: dict[str, Any] = page.evaluate(SETTLED, QUIET)
    context.close()
    return seen


def _chromium() -> str | None:
    from shutil import which

    return next(filter(None, map(which, NAMES)), None)


if __name__ == "__main__":
    folders = [Path(each).resolve() for each in sys.argv[1:3]] or [ROOT / "build" / "site"]
    raise SystemExit(report("pages", list(measure(*folders))))
